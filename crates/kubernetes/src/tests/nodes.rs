use super::{ONE_QUEUE, bound, node, planned_by, recovery, small};
use model::Profile;

fn foreign(name: &str, node: &str, cpu: &str) -> String {
    format!(
        "---\nkind: Pod\nmetadata: {{namespace: kube-system, name: {name}, uid: {name}}}\n\
         spec: {{schedulerName: default-scheduler, nodeName: {node}, containers: [{{name: c, resources: {{requests: {{cpu: '{cpu}'}}}}}}]}}\n"
    )
}

#[test]
fn kt_29_pods_of_kube_system_use_capacity_of_their_nodes() {
    let text = node("n1", "", "")
        + &node("n2", "", "")
        + &foreign("dns", "n1", "9")
        + &foreign("proxy", "n1", "1")
        + &small("p", 0, "");
    let found = recovery(&text, Profile::Kornsole);
    let used: Vec<_> = found.nodes.iter().map(|node| node.occupied.amount("vcore")).collect();
    assert_eq!((used, found.foreign), (vec![10_000, 0], 2));
    assert_eq!(bound(&planned_by(&text, ONE_QUEUE, Profile::Kornsole)), ["ns/p on n2"]);
}

/// In a stopped cluster every bound pod counts in any release; what 1.8 misses is a watched update.
#[test]
fn kt_30_a_foreign_pod_that_is_bound_counts() {
    for profile in Profile::ALL {
        let found = recovery(&(node("n1", "", "") + &foreign("late", "n1", "2")), profile);
        assert_eq!(found.nodes[0].occupied.amount("vcore"), 2000);
    }
}

#[test]
fn kt_31_pods_of_an_unknown_node_are_orphans_until_it_is_added() {
    let pods = foreign("f", "h1", "1") + &small("p", 0, "nodeName: h1");
    let found = recovery(&pods, Profile::Kornsole);
    assert_eq!((found.foreign, found.asked.len()), (0, 0));
    assert_eq!(found.left_alone[0].reason, "it names node h1, which does not exist");
    assert!(found.notices[0].contains("kube-system/f names node h1"), "{:?}", found.notices);
    let found = recovery(&(pods + &node("h1", "", "")), Profile::Kornsole);
    assert_eq!((found.foreign, found.running.len()), (1, 1));
}

#[test]
fn kt_32_a_cordoned_node() {
    let cordoned = node("n1", "", "unschedulable: true");
    let open = |profile| recovery(&cordoned, profile).open.len();
    assert_eq!(Profile::ALL.map(open), [0, 1, 1, 0]);
    for profile in Profile::ALL {
        let plan = planned_by(&(cordoned.clone() + &small("p", 0, "")), ONE_QUEUE, profile);
        assert_eq!(bound(&plan), Vec::<String>::new(), "{profile}");
        assert_eq!(plan.waiting.len(), 1);
        let uncordoned = node("n1", "", "") + &small("p", 0, "");
        assert_eq!(bound(&planned_by(&uncordoned, ONE_QUEUE, profile)), ["ns/p on n1"]);
    }
}

#[test]
fn a_node_or_a_running_pod_that_is_invalid_accepts_no_pods() {
    let bad = node("n1", "", "").replace("cpu: '10'", "cpu: many");
    let plan = planned_by(&(bad + &small("p", 0, "")), ONE_QUEUE, Profile::Kornsole);
    assert!(plan.bound.is_empty() && plan.notices[0].contains("node n1 is skipped"), "{:?}", plan.notices);
    let text = node("n1", "", "") + &foreign("f", "n1", "many") + &small("p", 0, "");
    let plan = planned_by(&text, ONE_QUEUE, Profile::V1_8_0);
    assert!(plan.bound.is_empty() && plan.notices[0].contains("so node n1 accepts no pods"), "{:?}", plan.notices);
}
