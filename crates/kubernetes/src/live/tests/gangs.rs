//! Gangs: placeholders are created, replaced, and given up (K8S-220 to K8S-224, KT-37, KT-38).

use serde_json::{Value, json};

use super::super::{Deed, Failure, Input, Outcome, PodName};
use super::{QUEUES, World, node, on, pod};

const GROUPS: &str = r#"[{"name": "g", "minMember": 2, "minResource": {"cpu": "1"}}]"#;

fn member(name: &str, parameters: &str) -> Value {
    let mut member = pod(name);
    member["metadata"]["annotations"] = json!({
        "yunikorn.apache.org/task-groups": GROUPS,
        "yunikorn.apache.org/task-group-name": "g",
        "yunikorn.apache.org/schedulingPolicyParameters": parameters,
    });
    member
}

fn created(world: &mut World) -> Vec<Value> {
    let mut pods = Vec::new();
    world.deeds.retain(|deed| match deed {
        Deed::Create(made) => {
            let meta = &made.pod.metadata;
            assert!(meta.name.starts_with("tg-app-g-") && meta.name.len() == 19, "{}", meta.name);
            let mut pod = pod(&meta.name);
            pod["metadata"]["annotations"] = json!(*meta.annotations);
            pod["metadata"]["ownerReferences"] = json!([{"kind": "Pod", "uid": made.owner.uid}]);
            pods.push(pod);
            false
        }
        _ => true,
    });
    pods
}

fn name(pod: &Value) -> String {
    pod["metadata"]["name"].as_str().expect("a name").to_owned()
}

#[test]
fn placeholders_are_created_and_replaced_when_their_pods_are_deleted() {
    let mut world = World::new(QUEUES);
    world.put("Node", node("n1", "2"));
    world.put("Pod", member("m1", ""));
    world.put("Pod", member("m2", ""));
    let placeholders = created(&mut world);
    assert_eq!(placeholders.len(), 2);
    for pod in &placeholders {
        world.put("Pod", pod.clone());
    }
    world.cycles();
    assert!(created(&mut world).is_empty(), "none is made twice");
    assert_eq!(world.bind_all().len(), 2);
    // The last binding completes the gang: the real pods replace the placeholders, which are deleted first.
    world.cycles();
    let mut names: Vec<String> = placeholders.iter().map(name).collect();
    names.sort();
    assert_eq!(world.taken_deletions(), names);
    assert!(world.taken_bindings().is_empty());
    assert_eq!(world.vcore("root.a"), 2000);
    for gone in &names {
        world.gone("Pod", "ns", gone);
    }
    assert_eq!(world.bind_all(), ["m1>n1", "m2>n1"]);
    assert_eq!(world.vcore("root.a"), 2000);
    world.check();
}

#[test]
fn kt_38_an_incomplete_soft_gang_runs_without_placeholders() {
    let mut world = World::new(QUEUES);
    world.put("Node", node("n1", "1"));
    world.put("Pod", member("m1", "placeholderTimeoutInSeconds=20 gangSchedulingStyle=Soft"));
    for pod in created(&mut world) {
        world.put("Pod", pod);
    }
    world.cycles();
    assert_eq!(world.bind_all().len(), 1, "there is room for one");
    world.wait(25);
    let gone = world.taken_deletions();
    assert_eq!(gone.len(), 2);
    for name in &gone {
        world.gone("Pod", "ns", name);
    }
    world.cycles();
    assert_eq!(world.taken_bindings(), ["m1>n1"]);
    assert!(created(&mut world).is_empty());
    world.check();
}

#[test]
fn kt_37_an_incomplete_hard_gang_fails_with_its_pods() {
    let mut world = World::new(QUEUES);
    world.put("Node", node("n1", "1"));
    world.put("Pod", member("m1", "placeholderTimeoutInSeconds=20 gangSchedulingStyle=Hard"));
    for pod in created(&mut world) {
        world.put("Pod", pod);
    }
    world.cycles();
    world.bind_all();
    world.wait(25);
    let placeholders = world.taken_deletions();
    assert_eq!(placeholders.len(), 2);
    for name in &placeholders {
        world.gone("Pod", "ns", name);
    }
    assert!(created(&mut world).is_empty(), "none is made for a gang that has failed");
    let failed = world.deeds.iter().any(|deed| {
        matches!(deed, Deed::Fail { pod, reason, .. } if pod.name == "m1" && *reason == "ResourceReservationTimeout")
    });
    assert!(failed, "{:?}", world.deeds);
}

#[test]
fn k8s_220_without_its_placeholders_a_gang_runs_as_any_application() {
    let mut world = World::new(QUEUES);
    world.put("Node", node("n1", "2"));
    world.put("Pod", member("m1", ""));
    assert_eq!(created(&mut world).len(), 2);
    let owner = PodName { namespace: "ns".to_owned(), name: "m1".to_owned(), uid: "uid-m1".to_owned() };
    let done = Err(Failure::Failed("quota exceeded".to_owned()));
    world.batch(vec![Input::Done(Outcome::Created { app: "app".to_owned(), owner, done })]);
    world.cycles();
    assert_eq!(world.taken_bindings(), ["m1>n1"]);
    let words = world.taken_words();
    assert!(
        words.iter().any(|reported| reported.starts_with("m1 GangScheduling: cannot create a placeholder of the gang")),
        "{words:?}"
    );
}

#[test]
fn k8s_223_a_real_pod_with_a_node_ends_the_gang_phase() {
    let mut world = World::new(QUEUES);
    world.put("Node", node("n1", "2"));
    world.put("Pod", on(member("m1", ""), "n1"));
    world.put("Pod", member("m2", ""));
    assert!(created(&mut world).is_empty());
    world.cycles();
    assert_eq!(world.taken_bindings(), ["m2>n1"]);
}
