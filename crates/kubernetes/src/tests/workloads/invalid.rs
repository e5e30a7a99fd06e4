//! Pods and objects that the API server would reject for their fields.

use super::{ONE, notices, pods, template};

const WORDS: &str = "the API server rejects 1 pod, so the scheduler does not get it: default/p: ";

fn pod(container: &str, more: &str) -> String {
    format!("kind: Pod\nmetadata: {{name: p{more}}}\nspec: {{containers: [{{name: c, {container}}}]}}\n---\n")
}

fn rejection(text: &str) -> String {
    let reported = notices(text);
    let why = reported.lines().find_map(|line| line.strip_prefix(WORDS)).unwrap_or_default();
    assert_eq!(pods(text).is_empty(), !why.is_empty(), "{text}\n{reported}");
    why.to_owned()
}

#[test]
fn resources_that_no_container_can_have() {
    let requests = "spec.containers[0].resources.requests: ";
    for (resources, why) in [
        ("requests: {cpu: 4}, limits: {cpu: 2}", format!("{requests}cpu is 4, above the limit 2")),
        ("requests: {memory: 2Gi}, limits: {memory: 1Gi}", format!("{requests}memory is 2Gi, above the limit 1Gi")),
        ("requests: {cpu: 500m}, limits: {cpu: '0.5'}", String::new()),
        ("limits: {nvidia.com/gpu: 1}", String::new()),
        ("requests: {nvidia.com/gpu: 1}", format!("{requests}nvidia.com/gpu has no limit; it needs the limit 1")),
        (
            "requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}",
            format!("{requests}nvidia.com/gpu is 1, and must be equal to the limit 2"),
        ),
        (
            "limits: {nvidia.com/gpu: 500m}",
            "spec.containers[0].resources.limits: nvidia.com/gpu is 500m, and must be an integer".to_owned(),
        ),
        ("limits: {nvidia.com/gpu: 2k}", String::new()),
        ("requests: {kubernetes.io/batch-cpu: 1500m}", String::new()),
        ("requests: {cpu: 1, ephemeral-storage: 1Gi}", String::new()),
        ("limits: {hugepages-2Mi: 4Mi, memory: 1Gi}", String::new()),
        (
            "limits: {hugepages-2Mi: 3Mi, memory: 1Gi}",
            "spec.containers[0].resources.limits: hugepages-2Mi is 3Mi, which is not a multiple of the page size"
                .to_owned(),
        ),
        (
            "limits: {hugepages-2Mi: 4Mi}",
            "spec.containers[0].resources: huge pages need a request of cpu or memory next to them".to_owned(),
        ),
    ] {
        assert_eq!(rejection(&pod(&format!("resources: {{{resources}}}"), "")), why, "{resources}");
    }
    for name in ["vcore", "gpu", "storage", "pods"] {
        let why = rejection(&pod(&format!("resources: {{requests: {{{name}: 1}}}}"), ""));
        assert!(why.starts_with(&format!("{requests}{name} is not cpu, memory, ephemeral-storage,")), "{why}");
    }
    for name in ["nvidia.com/", "/gpu", "a/b/c", "requests.nvidia.com/gpu", "nvidia_com/gpu"] {
        let why = rejection(&pod(&format!("resources: {{limits: {{{name}: 1}}}}"), ""));
        assert!(why.ends_with(&format!("{name} is not DOMAIN/NAME, for example nvidia.com/gpu")), "{why}");
    }
}

#[test]
fn a_pod_without_containers_and_one_with_wrong_labels_or_resources_of_its_own() {
    let empty = "kind: Pod\nmetadata: {name: p}\nspec: {containers: []}\n";
    assert_eq!(rejection(empty), "spec.containers is empty; a pod needs a container");
    let long = "x".repeat(64);
    for (label, why) in [
        ("root.a".to_owned(), String::new()),
        ("''".to_owned(), String::new()),
        (long, format!("metadata.labels[\"queue\"]: \"{}\" has 64 characters, and the maximum is 63", "x".repeat(64))),
    ] {
        assert_eq!(rejection(&pod("image: x", &format!(", labels: {{queue: {label}}}"))), why);
    }
    let init = pod("image: x", "").replace(
        "spec: {",
        "spec: {initContainers: [{name: i}, {name: j, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}], ",
    );
    assert_eq!(rejection(&init), "spec.initContainers[1].resources.requests: cpu is 2, above the limit 1");
    let own = |resources: &str| {
        rejection(&pod("image: x", "").replace("spec: {", &format!("spec: {{resources: {{{resources}}}, ")))
    };
    assert_eq!(own("requests: {cpu: 2}, limits: {cpu: 1}"), "spec.resources.requests: cpu is 2, above the limit 1");
    assert_eq!(
        own("limits: {nvidia.com/gpu: 1}"),
        "spec.resources.limits: nvidia.com/gpu is not cpu, memory, or hugepages-SIZE"
    );
    assert_eq!(own("limits: {cpu: 1}"), "");
}

#[test]
fn the_names_of_pods_and_of_objects() {
    let named = |name: &str| pod("image: x", "").replace("name: p}", &format!("name: {name}}}"));
    for name in ["My_Pod", "Pod", "-a", "a-", "a..b", "a b"] {
        let reported = notices(&named(name));
        assert!(
            reported.contains(&format!("default/{name}: metadata.name must have lower-case letters")),
            "{reported}"
        );
        assert_eq!(pods(&named(name)).len(), 0);
    }
    assert_eq!(pods(&named("a-1.b")).len(), 1);
    let object = |kind: &str, name: &str| {
        format!(
            "apiVersion: batch/v1\nkind: {kind}\nmetadata: {{{name}}}\nspec: {{parallelism: 2, template: {t}, jobTemplate: {{spec: {{template: {t}}}}}}}\n",
            t = template(ONE)
        )
    };
    let job = object("Job", "name: My_Job");
    let words = "the API server rejects 2 pods, so the scheduler does not get them, for example Job default/My_Job: \
        metadata.name must have lower-case letters, digits, - and . only";
    assert!(notices(&job).contains(words), "{}", notices(&job));
    assert_eq!(pods(&job).len(), 0);
    let long = format!("name: {}", "x".repeat(60));
    assert_eq!((pods(&object("Job", &long)).len(), pods(&object("CronJob", &long)).len()), (2, 0));
    assert!(notices(&object("CronJob", &long)).contains("has 60 characters, and the maximum is 52"));
    // The API server shortens the prefix of a generated name.
    assert_eq!(pods(&object("Job", &format!("generateName: {}-", "x".repeat(70)))).len(), 2);
    // What a cluster has, it accepted.
    assert_eq!(pods(&object("Job", "name: My_Job, uid: u")).len(), 2);
}

#[test]
fn the_pods_of_an_object_have_the_same_fault_and_each_reason_is_a_note() {
    let job = |name: &str, requests: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec: {{parallelism: 2, template: {}}}\n---\n",
            template(requests)
        )
    };
    let all =
        [job("one", "{vcore: 1}"), job("two", "{vcore: 1}"), job("three", "{nvidia.com/gpu: 1}"), job("four", ONE)];
    let reported = notices(&all.concat());
    assert!(
        reported.contains("the API server rejects 4 pods, so the scheduler does not get them, for example Job default/one: spec.containers[0].resources.requests: vcore is not"),
        "{reported}"
    );
    assert!(reported.contains("Job default/three: spec.containers[0].resources.requests: nvidia.com/gpu has no limit"));
    assert_eq!(pods(&all.concat()).len(), 2);
    // The limit of a LimitRange can be below the request.
    let range =
        "kind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{type: Container, default: {cpu: 500m}}]}\n---\n";
    let text = format!("{range}{}", pod("resources: {requests: {cpu: 1}}", ""));
    assert_eq!(rejection(&text), "spec.containers[0].resources.requests: cpu is 1, above the limit 500m");
}

#[test]
fn pods_of_a_cluster_are_valid() {
    for more in [", uid: u", ", creationTimestamp: '2024-10-01T10:00:00Z'"] {
        let text = pod("resources: {requests: {vcore: 4, cpu: 4}, limits: {cpu: 2}}", more);
        assert_eq!(pods(&text).len(), 1, "{text}");
    }
}
