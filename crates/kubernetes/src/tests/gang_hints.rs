use super::{ONE_QUEUE, planned_by};
use model::Profile;

const NODES: &str = "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '16', memory: 64Gi, pods: '110'}}\n";

fn head(parameters: &str, spec: &str) -> String {
    format!(
        "---\nkind: Pod\nmetadata:\n  name: p\n  namespace: ns\n  uid: p\n  creationTimestamp: '2025-01-01T10:00:00Z'\n  \
         labels: {{applicationId: g, queue: root.a}}\n  annotations:\n    yunikorn.apache.org/task-group-name: head\n    \
         yunikorn.apache.org/schedulingPolicyParameters: '{parameters}'\n    yunikorn.apache.org/task-groups: \
         '[{{\"name\":\"head\",\"minMember\":1,\"minResource\":{{\"cpu\":\"1\",\"memory\":\"2Gi\"}}}}]'\n\
         spec: {{schedulerName: yunikorn, {spec}}}\n"
    )
}

fn notices(parameters: &str, spec: &str) -> Vec<String> {
    planned_by(&(NODES.to_owned() + &head(parameters, spec)), ONE_QUEUE, Profile::V1_9_0).notices
}

fn container(name: &str, memory: &str) -> String {
    format!("{{name: {name}, resources: {{requests: {{cpu: '1', memory: {memory}}}}}}}")
}

#[test]
fn parameters_of_a_gang_without_effect_are_named() {
    let spec = format!("containers: [{}]", container("c", "2Gi"));
    assert_eq!(notices("gangSchedulingStyle=Hard placeholderTimeoutInSeconds=60", &spec), Vec::<String>::new());
    assert_eq!(
        notices("gangSchedulingStyle=hard placeholderTimeoutInSeconds=abc", &spec),
        [
            "pod ns/p: gangSchedulingStyle=hard has no effect: the style is Hard or Soft; Soft is used (W-013)",
            "pod ns/p: placeholderTimeoutInSeconds=abc has no effect: it is not a number of seconds above 0; 15 min are used (W-013)",
        ]
    );
    let other = notices("gangStyle=Hard a=b=c placeholderTimeoutInSeconds=0", &spec);
    assert_eq!(other.len(), 3, "{other:?}");
    assert!(other.iter().all(|notice| notice.contains("has no effect")), "{other:?}");
}

#[test]
fn a_task_group_that_asks_for_less_than_its_pod_is_named() {
    let sidecar =
        format!("containers: [{}, {{name: s, resources: {{requests: {{memory: 512Mi}}}}}}]", container("c", "2Gi"));
    let reported = notices("", &sidecar);
    let words = "pod ns/p: its task group \"head\" requests less than the pod: memory 2Gi of 2.5Gi. Its placeholder is released";
    assert!(reported.len() == 1 && reported[0].starts_with(words), "{reported:?}");
    let overhead = notices("", &format!("overhead: {{memory: 1Gi}}, containers: [{}]", container("c", "2Gi")));
    assert!(overhead[0].contains("memory 2Gi of 3Gi."), "{overhead:?}");
}

#[test]
fn a_reservation_names_its_request() {
    let pod = |name: &str, at: u32, memory: &str, more: &str| {
        format!(
            "---\nkind: Pod\nmetadata: {{name: {name}, namespace: spark, uid: {name}, creationTimestamp: '2025-01-01T10:00:{at:02}Z', \
             labels: {{applicationId: {name}, queue: root.a}}}}\nspec: {{schedulerName: yunikorn, {more}containers: [{}]}}\n",
            container("c", memory)
        )
    };
    let text = NODES.to_owned()
        + &pod("other", 0, "1Gi", "nodeName: n1, ").replace("yunikorn,", "default-scheduler,")
        + &pod("running", 0, "3Gi", "nodeName: n1, ")
        + &pod("big-driver", 1, "61Gi", "")
        + &pod("small-driver", 30, "512Mi", "");
    let plan = planned_by(&text, ONE_QUEUE, Profile::V1_9_0);
    let small = plan.waiting.iter().find(|one| one.pod == "spark/small-driver").expect("it waits");
    assert!(small.reason.contains("of 1 node 1 reserved for others (spark/big-driver)"), "{}", small.reason);
}
