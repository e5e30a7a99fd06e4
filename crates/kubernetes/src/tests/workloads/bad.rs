//! Invalid, large, or deep input.

use super::{ONE, faults, read, template};

fn deployment(spec: &str) -> String {
    format!("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\nspec:\n{spec}")
}

#[test]
fn errors_name_the_file_the_line_and_the_field() {
    let good = template(ONE);
    for (text, words) in [
        (
            deployment(&format!("  replicas: three\n  template: {good}\n")),
            "0.yaml:7: Deployment shop/web: spec.replicas: expected an integer, found the string \"three\"",
        ),
        (
            deployment(&format!("  replicas: -3\n  template: {good}\n")),
            "0.yaml:7: Deployment shop/web: spec.replicas: expected an integer of 0 or more, found -3",
        ),
        (
            deployment("  replicas: 2\n  template:\n    spec:\n      containers:\n      - name: c\n        resources: {requests: {cpu: [1]}}\n"),
            "0.yaml:12: Deployment shop/web: spec.template.spec.containers[0].resources.requests.cpu: ",
        ),
        (deployment("  replicas: 2\n"), "0.yaml:7: Deployment shop/web: spec.template: missing field"),
        (deployment("  template: {spec: {}}\n"), "Deployment shop/web: spec.template.spec: missing field containers"),
        (deployment("  template: 7\n"), "Deployment shop/web: spec.template: expected a map, found 7"),
        ("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n".to_owned(), "0.yaml:1: Deployment default/web: spec: missing field"),
        (
            "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r}\nspec:\n  headGroupSpec: {}\n  workerGroupSpecs: 5\n".to_owned(),
            "spec.headGroupSpec.template: missing field",
        ),
        ("kind: LimitRange\nmetadata: {name: l}\nspec:\n  limits: 5\n".to_owned(), "0.yaml:4: LimitRange l: spec.limits: "),
        (
            "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nmetadata: {name: s}\nspec:\n  type: Java\n  driver:\n    tolerations: [{key: 5}]\n  executor: {}\n".to_owned(),
            "0.yaml:7: SparkApplication default/s: spec.driver.tolerations[0].key: ",
        ),
        (
            "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: s}\nspec:\n  runtimeRef: {name: r}\n  trainer:\n    resourcesPerNode: {limits: {cpu: true}}\n".to_owned(),
            "0.yaml:7: TrainJob default/s: spec.trainer.resourcesPerNode.limits.cpu: ",
        ),
        ("kind: PriorityClass\nmetadata: {name: p}\nvalue: high\n".to_owned(), "0.yaml:3: PriorityClass p: value: "),
        ("kind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {cpu: lots}}\n".to_owned(), "ResourceQuota q: spec.hard.cpu: "),
    ] {
        assert!(faults(&text).contains(words), "{text}\n{}", faults(&text));
    }
    let json = "{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"metadata\": {\"name\": \"j\"}, \"spec\": {\"parallelism\": 1.5}}";
    assert_eq!(
        faults(json),
        "0.yaml: Job default/j: spec.template: missing field"
            .replace("template: missing field", "parallelism: expected an integer, found 1.5")
    );
}

#[test]
fn more_pods_than_the_limit_are_rejected_before_one_is_created() {
    let many = |count: &str| deployment(&format!("  replicas: {count}\n  template: {}\n", template(ONE)));
    for count in ["1000000000", "9223372036854775807"] {
        let fault = faults(&many(count));
        assert!(
            fault.contains(&format!("cannot create {count} pods: all objects together may create 250000")),
            "{fault}"
        );
    }
    let half = "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: l}\nspec: {replicas: 4294967296, leaderWorkerTemplate: {size: 4294967297, workerTemplate: TEMPLATE}}\n";
    assert!(faults(&half.replace("TEMPLATE", &template(ONE))).contains("cannot create 4294967296 pods"));
}

#[test]
fn deep_input_is_rejected() {
    let deep = format!("kind: Job\nmetadata: {{name: j}}\nspec: {}1{}\n", "[".repeat(10_000), "]".repeat(10_000));
    assert!(!faults(&deep).is_empty());
    let json = format!("{{\"kind\": \"Job\", \"spec\": {}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(faults(&json).contains("nested deeper than 127 levels"));
    let lists = format!(
        "{}{{kind: Pod, metadata: {{name: p, uid: u}}}}{}",
        "{kind: List, items: [".repeat(100),
        "]}".repeat(100)
    );
    assert_eq!(read(&[&lists]).0.counts(), (1, 0));
}

#[test]
fn ten_thousand_objects_are_read_one_by_one() {
    let one = |number: u32| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j{number}, namespace: n{}}}\nspec: {{parallelism: 2, template: {}}}\n---\n",
            number % 100,
            template(ONE)
        )
    };
    let text: String = (0..10_000).map(one).collect();
    let (cluster, report) = read(&[&text]);
    assert_eq!((cluster.counts().0, report.faults.len()), (20_000, 0));
    assert_eq!(report.created, ["created 20000 pods for 10000 Job objects"]);
}

#[test]
fn no_wrong_value_of_any_field_is_a_panic() {
    let objects = [
        ("batch/v1", "Job", "{parallelism: X, completions: X, completionMode: X, suspend: X, template: X}"),
        ("batch/v1", "CronJob", "{suspend: X, jobTemplate: X}"),
        ("apps/v1", "StatefulSet", "{replicas: X, ordinals: X, template: X, volumeClaimTemplates: X}"),
        (
            "ray.io/v1",
            "RayJob",
            "{submissionMode: X, submitterPodTemplate: X, rayClusterSpec: {headGroupSpec: X, workerGroupSpecs: [X]}}",
        ),
        (
            "sparkoperator.k8s.io/v1beta2",
            "SparkApplication",
            "{type: X, sparkConf: X, volumes: X, driver: X, executor: {template: X, gpu: X, volumeMounts: X, labels: X}}",
        ),
        ("argoproj.io/v1alpha1", "Workflow", "{entrypoint: X, templates: [X], workflowTemplateRef: X, podMetadata: X}"),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "{runtimeRef: X, trainer: X}"),
        ("kubeflow.org/v1", "TFJob", "{tfReplicaSpecs: X, runPolicy: X}"),
        ("jobset.x-k8s.io/v1alpha2", "JobSet", "{replicatedJobs: [X]}"),
    ];
    let values = [
        "5",
        "-1",
        "text",
        "true",
        "[]",
        "[[1]]",
        "{}",
        "{a: {b: 1}}",
        "null",
        "{spec: {containers: [{}]}}",
        "{name: n, spec: 3, template: {spec: {}}}",
    ];
    for (version, kind, spec) in objects {
        for value in values {
            for place in 0..spec.matches('X').count() {
                let fields: Vec<&str> = spec.split('X').collect();
                let wrong: String = fields
                    .iter()
                    .enumerate()
                    .map(|(at, part)| {
                        let here = if at == place { value } else { "null" };
                        if at + 1 < fields.len() { format!("{part}{here}") } else { (*part).to_owned() }
                    })
                    .collect();
                let (_, report) =
                    read(&[&format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\nspec: {wrong}\n")]);
                assert!(
                    report.faults.iter().all(|fault| fault.contains(&format!("{kind} default/x: "))),
                    "{:?}",
                    report.faults
                );
            }
        }
    }
}
