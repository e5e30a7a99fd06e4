//! The resources of a pod (K8S-135).

use super::{ONE_QUEUE, bound, node, planned, pod};
use crate::pod_resources::{SidecarSum, pod_resources};

fn of(spec: &str, status: &str, sidecars: SidecarSum) -> Vec<(String, i64)> {
    let pod = pod(&format!("metadata: {{name: p}}\nspec: {{{spec}}}\nstatus: {{{status}}}"));
    let found = pod_resources(&pod, sidecars).expect("quantities");
    found.iter().map(|(name, amount)| (name.to_owned(), amount)).collect()
}

fn wanted(amounts: &[(&str, i64)]) -> Vec<(String, i64)> {
    amounts.iter().map(|(name, amount)| ((*name).to_owned(), *amount)).collect()
}

fn container(name: &str, requests: &str) -> String {
    format!("{{name: {name}, resources: {{requests: {{{requests}}}}}}}")
}

fn sidecar(name: &str, requests: &str) -> String {
    container(name, requests).replace("resources:", "restartPolicy: Always, resources:")
}

/// The containers of KT-09.
fn two() -> String {
    let (one, other) = ("memory: 500M, cpu: 1, nvidia.com/gpu: 1", "memory: 1024M, cpu: 2, nvidia.com/gpu: 4");
    format!("containers: [{}, {}]", container("a", one), container("b", other))
}

/// The containers of KT-10 without gpu.
fn large() -> String {
    let all = [container("a", "memory: 2000M, cpu: 4.096"), container("b", "memory: 5000M, cpu: 1.024")];
    format!("containers: [{}]", all.join(", "))
}

#[test]
fn kt_09_containers_and_overhead() {
    let sum = [("memory", 1_524_000_000), ("vcore", 3000), ("nvidia.com/gpu", 5), ("pods", 1)];
    assert_eq!(of(&two(), "", SidecarSum::Once), wanted(&sum));
    let with = format!("{}, overhead: {{memory: 500M, cpu: 1, nvidia.com/gpu: 1}}", two());
    let sum = [("memory", 2_024_000_000), ("vcore", 4000), ("nvidia.com/gpu", 6), ("pods", 1)];
    assert_eq!(of(&with, "", SidecarSum::Once), wanted(&sum));
}

#[test]
fn kt_10_init_containers_that_need_more() {
    let gpu = |text: String, count: u32| text.replace("cpu: 4.096", &format!("cpu: 4.096, nvidia.com/gpu: {count}"));
    let spec = gpu(large(), 2).replace("cpu: 1.024", "cpu: 1.024, nvidia.com/gpu: 2");
    let init = [
        container("i", "memory: 4096M, cpu: 0.5, nvidia.com/gpu: 1"),
        container("j", "memory: 10000M, cpu: 5.12, nvidia.com/gpu: 4"),
    ];
    let spec = format!("{spec}, initContainers: [{}]", init.join(", "));
    let sum = [("memory", 10_000_000_000), ("vcore", 5120), ("nvidia.com/gpu", 4), ("pods", 1)];
    assert_eq!(of(&spec, "", SidecarSum::Once), wanted(&sum));
}

#[test]
fn kt_11_a_sidecar_runs_with_the_containers() {
    let spec = format!("{}, initContainers: [{}]", large(), sidecar("s", "memory: 10M, cpu: 1"));
    let sum = [("memory", 7_010_000_000), ("vcore", 6120), ("pods", 1)];
    assert_eq!(of(&spec, "", SidecarSum::Once), wanted(&sum));
}

#[test]
fn kt_12_an_init_container_runs_with_the_sidecars_before_it() {
    let one = "memory: 10M, cpu: 1";
    let init = [sidecar("s", one), sidecar("t", one), container("i", "memory: 4096M, cpu: 10")];
    let spec = format!("{}, initContainers: [{}]", large(), init.join(", "));
    let sum = [("memory", 7_020_000_000), ("vcore", 12_000), ("pods", 1)];
    assert_eq!(of(&spec, "", SidecarSum::Once), wanted(&sum));
}

#[test]
fn kt_13_before_1_9_a_sidecar_counts_twice_while_it_starts() {
    let spec = format!("containers: [{}], initContainers: [{}]", container("c", "cpu: 1"), sidecar("s", "cpu: 4"));
    assert_eq!(of(&spec, "", SidecarSum::Once), wanted(&[("vcore", 5000), ("pods", 1)]));
    assert_eq!(of(&spec, "", SidecarSum::Twice), wanted(&[("vcore", 8000), ("pods", 1)]));
    let twice = model::Profile::ALL.map(|profile| SidecarSum::of(profile) == SidecarSum::Twice);
    assert_eq!(twice, [false, true, true, false]);
}

#[test]
fn kt_14_what_the_pod_itself_requests_replaces_the_sum() {
    let spec = format!("{}, resources: {{requests: {{memory: 128M, cpu: 5, invalid: 1}}}}", two());
    let sum = [("memory", 128_000_000), ("vcore", 5000), ("nvidia.com/gpu", 5), ("pods", 1)];
    assert_eq!(of(&spec, "", SidecarSum::Once), wanted(&sum));
}

#[test]
fn kt_15_a_pod_that_is_resized() {
    let all = [container("a", "memory: 2000M, cpu: 500m"), container("b", "memory: 4000M, cpu: 1")];
    let spec = format!("containers: [{}]", all.join(", "));
    let has = |a: &str, b: &str| format!("containerStatuses: [{}, {}]", container("a", a), container("b", b));
    let old = has("memory: 1000M, cpu: 1", "memory: 2000M, cpu: 2");
    let sum = |memory: i64, vcore: i64| wanted(&[("memory", memory), ("vcore", vcore), ("pods", 1)]);
    assert_eq!(of(&spec, &old, SidecarSum::Once), sum(6_000_000_000, 3000));
    for refused in ["resize: Infeasible", "conditions: [{type: PodResizePending, status: 'True', reason: Infeasible}]"]
    {
        assert_eq!(of(&spec, &format!("{old}, {refused}"), SidecarSum::Once), sum(3_000_000_000, 3000), "{refused}");
    }
    let new = has("memory: 2000M, cpu: 500m", "memory: 4000M, cpu: 1");
    assert_eq!(of(&spec, &new, SidecarSum::Once), sum(6_000_000_000, 1500));
}

#[test]
fn kt_16_a_pod_without_requests_counts_as_one_pod() {
    assert_eq!(of("containers: [{name: c}]", "", SidecarSum::Once), wanted(&[("pods", 1)]));
    let bare = "---\nkind: Pod\nmetadata: {namespace: ns, name: p, labels: {queue: root.a}}\nspec: {schedulerName: kornsole, containers: [{name: c}]}\n";
    assert_eq!(bound(&planned(&(node("n1", "", "") + bare), ONE_QUEUE)), ["ns/p on n1"]);
}

#[test]
fn a_bad_request_is_named_with_its_container() {
    let pod = pod(&format!("metadata: {{name: p}}\nspec: {{containers: [{}]}}", container("web", "cpu: lots")));
    let why = pod_resources(&pod, SidecarSum::Once).expect_err("it is not a quantity");
    assert!(why.contains("\"web\"") && why.contains("cpu") && why.contains("\"lots\""), "{why}");
}
