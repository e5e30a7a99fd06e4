//! LimitRanges: defaults, and pods that the API server would reject.

use super::{faults, notices, pods, template};

fn range(limits: &str) -> String {
    format!("kind: LimitRange\nmetadata: {{name: l, namespace: default}}\nspec: {{limits: [{limits}]}}\n---\n")
}

fn pod(resources: &str) -> String {
    format!("kind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, resources: {{{resources}}}}}]}}\n---\n")
}

fn rejection(limits: &str, resources: &str) -> String {
    let text = format!("{}{}", range(limits), pod(resources));
    let words = "LimitRange default/l rejects 1 pod, so the scheduler does not get it: default/p: ";
    let reported = notices(&text);
    let why = reported.lines().find_map(|line| line.strip_prefix(words)).unwrap_or_default();
    assert_eq!(pods(&text).is_empty(), !why.is_empty(), "{reported}");
    why.to_owned()
}

#[test]
fn a_container_outside_the_range_is_rejected_and_not_changed() {
    let container = |constraint: &str| format!("{{type: Container, {constraint}}}");
    for (limits, resources, why) in [
        ("max: {cpu: 2}", "limits: {cpu: 3}", "container c has a cpu limit of 3, and the maximum is 2"),
        ("max: {cpu: 2}", "limits: {cpu: 2}", ""),
        ("max: {cpu: 2}", "requests: {cpu: 2500m}", "container c has a cpu request of 2500m, and the maximum is 2"),
        (
            "max: {memory: 1Gi}",
            "limits: {memory: 2Gi}",
            "container c has a memory limit of 2Gi, and the maximum is 1Gi",
        ),
        (
            "max: {nvidia.com/gpu: 1}",
            "limits: {nvidia.com/gpu: 2}",
            "container c has a nvidia.com/gpu limit of 2, and the maximum is 1",
        ),
        ("min: {cpu: 100m}", "requests: {cpu: 50m}", "container c has a cpu request of 50m, and the minimum is 100m"),
        ("min: {cpu: 100m}", "requests: {cpu: 100m}", ""),
        (
            "min: {cpu: 1}",
            "requests: {cpu: 1}, limits: {cpu: 500m}",
            "container c has a cpu limit of 500m, and the minimum is 1",
        ),
        (
            "maxLimitRequestRatio: {cpu: 2}",
            "requests: {cpu: 1}, limits: {cpu: 3}",
            "container c has a cpu limit of 3 and a request of 1, and the limit may be at most 2 times the request",
        ),
        ("maxLimitRequestRatio: {cpu: 2}", "requests: {cpu: 1}, limits: {cpu: 2}", ""),
        ("maxLimitRequestRatio: {cpu: 1500m}", "requests: {cpu: 2}, limits: {cpu: 3}", ""),
        (
            "maxLimitRequestRatio: {cpu: 2}",
            "requests: {cpu: 1}",
            "container c has no cpu request and limit, and the limit may be at most 2 times the request",
        ),
        // The maximum and the minimum are also defaults.
        ("max: {cpu: 2}", "", ""),
        ("min: {cpu: 100m}", "", ""),
        ("default: {cpu: 4}, max: {cpu: 2}", "", "container c has a cpu limit of 4, and the maximum is 2"),
    ] {
        assert_eq!(rejection(&container(limits), resources), why, "{limits} {resources}");
    }
}

#[test]
fn the_sum_of_the_containers_is_compared_for_the_pod() {
    let two = |resources: &str| {
        let text = pod(resources);
        let container = format!("{{name: c, resources: {{{resources}}}}}");
        text.replace(&container, &format!("{container}, {}", container.replace("name: c", "name: d")))
    };
    let reported = |limits: &str, text: &str| notices(&format!("{}{text}", range(limits)));
    let most = "{type: Pod, max: {cpu: 3}}";
    let reported_for_two = reported(most, &two("limits: {cpu: 2}"));
    assert!(reported_for_two.contains("the pod has a cpu limit of 4, and the maximum is 3"), "{reported_for_two}");
    assert!(reported(most, &two("requests: {cpu: 1}")).contains("the pod has no cpu limit, and the maximum is 3"));
    assert!(!reported(most, &two("limits: {cpu: 1}")).contains("LimitRange"));
    let own = pod("limits: {cpu: 1}").replace("spec: {", "spec: {resources: {limits: {cpu: 4}, requests: {cpu: 4}}, ");
    assert!(reported(most, &own).contains("the pod has a cpu limit of 4"));
    // Overhead is not compared.
    let heavy = pod("limits: {cpu: 3}").replace("spec: {", "spec: {overhead: {cpu: 1}, ");
    assert!(!reported(most, &heavy).contains("LimitRange"));
}

#[test]
fn the_pods_of_an_object_are_rejected_together_and_others_are_not() {
    let job = |name: &str, namespace: &str, cpu: u32| {
        let template = template(&format!("{{cpu: {cpu}}}"));
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec: {{parallelism: 3, template: {template}}}\n---\n"
        )
    };
    let range = range("{type: Container, max: {cpu: 2}}");
    let all = format!("{}{}{}{range}", job("big", "default", 5), job("small", "default", 1), job("big", "other", 5));
    let names: Vec<String> = pods(&all).iter().filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect();
    assert_eq!(
        names,
        ["default/small-0", "default/small-1", "default/small-2", "other/big-0", "other/big-1", "other/big-2"]
    );
    let words = "LimitRange default/l rejects 3 pods, so the scheduler does not get them, for example Job default/big: \
        container c has a cpu request of 5, and the maximum is 2";
    assert!(notices(&all).contains(words), "{}", notices(&all));
    // Pods that have been in a cluster were admitted there.
    let old = pod("limits: {cpu: 3}").replace("{name: p}", "{name: p, creationTimestamp: '2024-10-01T10:00:00Z'}");
    assert_eq!(pods(&format!("{old}{range}")).len(), 1);
}

#[test]
fn an_invalid_quantity_is_an_error_at_its_line() {
    let text =
        "kind: LimitRange\nmetadata: {name: l}\nspec:\n  limits:\n  - type: Container\n    max:\n      cpu: lots\n";
    assert_eq!(
        faults(text),
        "0.yaml:7: LimitRange l: spec.limits[0].max.cpu: \"lots\" is not a Kubernetes quantity such as 2, 250m, or 1.5Gi"
    );
}
