//! What the API server and admission add.

use super::{lines, notices, pods, read, template};
use crate::Manifests;
use crate::application;
use crate::dry_run::plan;
use crate::recovery::Settings;
use crate::tests::ONE_QUEUE;
use model::Profile;

fn pod(name: &str, spec: &str) -> String {
    format!("kind: Pod\nmetadata: {{name: {name}, labels: {{applicationId: {name}}}}}\nspec: {{{spec}}}\n---\n")
}

#[test]
fn namespace_name_and_requests() {
    let limits =
        "containers: [{name: c, resources: {limits: {cpu: 3, memory: 2Gi, nvidia.com/gpu: 1}, requests: {cpu: 1}}}]";
    assert_eq!(pods(&pod("p", limits)), ["default/p - p 1000m 2048Mi gpu=1 0 yunikorn"]);
    let generated = "kind: Pod\nmetadata: {generateName: task-, namespace: x}\nspec: {containers: [{name: c}]}\n---\n";
    let names: Vec<String> = lines(&read(&[generated, generated]).0);
    assert!(names[0].starts_with("x/task-00001 ") && names[1].starts_with("x/task-00002 "), "{names:?}");
    let json =
        "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p\", \"namespace\": null}, \"spec\": {\"containers\": [{}]}}";
    assert!(pods(json)[0].starts_with("default/p "));
}

#[test]
fn a_pod_is_as_large_as_kubernetes_computes_it() {
    let request = |cpu: &str| format!("resources: {{limits: {{cpu: {cpu}}}}}");
    let (one, two, four) = (request("1"), request("2"), request("4"));
    let spec = format!(
        "overhead: {{cpu: 250m}}, containers: [{{name: c, {one}}}], initContainers: [{{name: s, restartPolicy: Always, {two}}}, {{name: i, {four}}}]"
    );
    // The init container runs next to the sidecar: 4 + 2, more than 1 + 2.
    assert!(pods(&pod("p", &spec))[0].contains(" 6250m "));
    let whole = "resources: {limits: {cpu: 3}}, containers: [{name: c}]";
    assert!(pods(&pod("p", whole))[0].contains(" 3000m "));
    let own = format!("resources: {{limits: {{cpu: 3}}}}, containers: [{{name: c, {one}}}]");
    assert!(pods(&pod("p", &own))[0].contains(" 1000m "));
}

#[test]
fn priority_classes_of_the_same_manifests() {
    let class = |name: &str, more: &str| {
        format!("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: {name}}}\n{more}\n---\n")
    };
    let with = |class: &str| format!("{class}, containers: [{{name: c}}]");
    let all = [
        pod("named", &with("priorityClassName: urgent")),
        pod("plain", &with("priority: null")),
        pod("written", &with("priority: 7, priorityClassName: urgent")),
        pod("system", &with("priorityClassName: system-node-critical")),
        pod("absent", &with("priorityClassName: other")),
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec: {{parallelism: 3, template: {}}}\n---\n",
            template("{cpu: 1}").replace("schedulerName", "priorityClassName: other, schedulerName")
        ),
        class("urgent", "value: 5000\npreemptionPolicy: Never"),
        class("usual", "value: 100\nglobalDefault: true"),
    ]
    .concat();
    let (cluster, report) = read(&[&all]);
    let priority = |name: &str| cluster.pods[&("default".to_owned(), name.to_owned())].spec.priority;
    let all = ["named", "plain", "written", "system", "absent"].map(priority);
    assert_eq!(all, [Some(5000), Some(100), Some(7), Some(2_000_001_000), None]);
    let policy = |name: &str| cluster.pods[&("default".to_owned(), name.to_owned())].spec.preemption_policy.clone();
    assert_eq!((policy("named").as_str(), policy("plain").as_str()), ("Never", ""));
    let words = "PriorityClass other is not in the manifests; priority 0 is used for 4 pods";
    assert!(report.notices.iter().any(|note| note == words), "{:?}", report.notices);
}

#[test]
fn limit_ranges_and_runtime_classes() {
    let range = "kind: LimitRange\nmetadata: {name: l, namespace: default}\nspec: {limits: [{type: Container, default: {cpu: 2, memory: 1Gi}, \
        defaultRequest: {cpu: 500m}}, {type: Pod, max: {cpu: 9}}]}\n---\n\
        kind: RuntimeClass\nmetadata: {name: kata}\noverhead: {podFixed: {cpu: 250m, memory: 120Mi}}\n---\n";
    let plain = pod("p", "containers: [{name: c}, {name: d, resources: {limits: {cpu: 1}}}]");
    assert_eq!(pods(&format!("{plain}{range}")), ["default/p - p 1500m 2048Mi 0 yunikorn"]);
    let kata = pod("p", "runtimeClassName: kata, containers: [{name: c}]");
    assert_eq!(pods(&format!("{range}{kata}")), ["default/p - p 750m 1144Mi 0 yunikorn"]);
    assert!(notices(&kata).contains("RuntimeClass kata is not in the manifests; no overhead is added for 1 pod"));
    // A pod that has been in a cluster is not changed again.
    let old = plain.replace("{name: p,", "{name: p, creationTimestamp: '2024-10-01T10:00:00Z',");
    assert!(pods(&format!("{old}{range}"))[0].contains(" 1000m 0Mi "));
}

#[test]
fn image_pull_secrets_of_the_service_account() {
    let accounts = "kind: ServiceAccount\nmetadata: {name: default, namespace: default}\nimagePullSecrets: [{name: a}, {name: b}]\n---\n\
        kind: ServiceAccount\nmetadata: {name: own, namespace: default}\nimagePullSecrets: [{name: c}]\n---\n";
    let secrets = |spec: &str| {
        let spec = format!("{spec}, containers: [{{name: c}}]");
        let (cluster, _) = read(&[&format!("{accounts}{}", pod("p", &spec))]);
        let pod = cluster.pods.values().next().expect("a pod");
        application::tags(pod, None).remove("imagePullSecrets").unwrap_or_default()
    };
    assert_eq!(secrets("serviceAccountName: default"), "a,b");
    assert_eq!(secrets("serviceAccountName: own"), "c");
    assert_eq!(secrets("serviceAccountName: own, imagePullSecrets: [{name: d}]"), "d");
}

#[test]
fn the_scheduler_of_a_pod_that_names_none() {
    let names = |text: &str, names: &[&str]| {
        let mut manifests = Manifests::default();
        manifests.read("m.yaml", text.as_bytes());
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let (cluster, report) = manifests.finish(&names);
        let scheduler = cluster.pods.values().next().map(|pod| pod.spec.scheduler_name.clone());
        (scheduler.unwrap_or_default(), report.notices.join("\n"))
    };
    let fresh = pod("p", "containers: [{name: c}]");
    let (scheduler, reported) = names(&fresh, &["yunikorn"]);
    assert_eq!(scheduler, "yunikorn");
    assert!(
        reported.contains("schedulerName yunikorn is set for 1 pod, as YuniKorn's admission controller does"),
        "{reported}"
    );
    assert_eq!(names(&fresh, &["default-scheduler"]).0, "default-scheduler");
    let (scheduler, reported) = names(&fresh, &["kornsole"]);
    assert_eq!(scheduler, "default-scheduler");
    assert!(reported.contains("1 pod with schedulerName default-scheduler is not scheduled"), "{reported}");
    // A pod that has been in a cluster was admitted there; a bypassed namespace is not processed.
    let old = fresh.replace("{name: p,", "{name: p, creationTimestamp: '2024-10-01T10:00:00Z',");
    assert_eq!(names(&old, &["yunikorn"]).0, "default-scheduler");
    let system = fresh.replace("{name: p,", "{name: p, namespace: kube-system,");
    assert_eq!(names(&system, &["yunikorn"]).0, "default-scheduler");
    let off = "kind: Namespace\nmetadata: {name: default, annotations: {yunikorn.apache.org/namespace.enableYuniKorn: 'false'}}\n---\n";
    assert_eq!(names(&format!("{fresh}{off}"), &["yunikorn"]).0, "default-scheduler");
}

#[test]
fn created_pods_are_scheduled_by_their_priority() {
    let text = format!(
        "kind: Node\nmetadata: {{name: n1}}\nstatus: {{allocatable: {{cpu: 4, memory: 16Gi, pods: 110}}}}\n---\n\
         kind: PriorityClass\nmetadata: {{name: urgent}}\nvalue: 10\n---\n\
         apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\nspec: {{template: {}}}\n---\n\
         apiVersion: batch/v1\nkind: Job\nmetadata: {{name: b}}\nspec: {{template: {}}}\n",
        template("{cpu: 4}"),
        template("{cpu: 4}").replace("schedulerName", "priorityClassName: urgent, schedulerName")
    );
    let (cluster, _) = read(&[&text]);
    let config = config::read(ONE_QUEUE, Profile::Kornsole).config.expect("a configuration");
    let plan = plan(&cluster, &Settings::default(), std::sync::Arc::new(config)).expect("a plan");
    let bound: Vec<&str> = plan.bound.iter().map(|bound| bound.pod.as_str()).collect();
    assert_eq!((bound, plan.waiting.len()), (vec!["default/b-0"], 1));
}
