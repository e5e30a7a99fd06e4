use serde_json::json;

use super::super::Failure;
use super::{QUEUES, World, ask, node, on, pod, with};
use model::Identity;
use scheduler::{Command, PartitionCommand};

fn two_pods() -> World {
    let mut world = World::new(QUEUES);
    world.put("Node", node("n1", "4"));
    world.put("Pod", pod("p1"));
    world.put("Pod", pod("p2"));
    world.cycles();
    world
}

#[test]
fn a_decision_is_bound_once_and_the_watch_changes_nothing() {
    let mut world = two_pods();
    assert_eq!(world.bind_all(), ["p1>n1", "p2>n1"]);
    world.put("Pod", on(pod("p1"), "n1"));
    world.cycles();
    assert!(world.taken_bindings().is_empty());
    assert_eq!(world.vcore("root.a"), 2000);
    assert!(
        world.taken_words().contains(&"p1 PodBindSuccessful: bound to node n1, as a pod of application app".to_owned())
    );
    let mut done = on(pod("p1"), "n1");
    done["status"] = json!({"phase": "Succeeded"});
    world.put("Pod", done);
    world.gone("Pod", "ns", "p2");
    assert_eq!(world.vcore("root.a"), 0);
    world.check();
}

#[test]
fn k8s_214_a_failed_binding_is_dropped_and_retried_on_another_node_after_three_failures() {
    let mut world = two_pods();
    world.taken_bindings();
    for (failures, pause) in [(1, 1), (2, 2), (3, 4)] {
        world.bound("p1", "n1", Err(Failure::Failed("500".to_owned())));
        assert_eq!(world.vcore("root.a"), 1000, "the node has room for others");
        world.cycles();
        assert!(world.taken_bindings().is_empty(), "not before its time");
        world.wait(pause);
        world.cycles();
        let again = world.taken_bindings();
        assert_eq!(again.is_empty(), failures == 3, "{again:?}");
    }
    world.put("Node", node("n2", "4"));
    world.cycles();
    assert_eq!(world.taken_bindings(), ["p1>n2"]);
    world.bound("p1", "n2", Ok(()));
    world.put("Pod", on(pod("p1"), "n2"));
    world.check();
}

#[test]
fn k8s_214_a_pod_that_another_client_has_bound_is_where_the_watch_reports() {
    let mut world = two_pods();
    world.put("Node", node("n2", "4"));
    world.taken_bindings();
    world.bound("p1", "n1", Err(Failure::Overtaken("already assigned".to_owned())));
    world.put("Pod", on(pod("p1"), "n2"));
    assert_eq!(world.asks()[ask("p1").as_str()], "n2");
    world.put("Pod", on(pod("p3"), "n2"));
    assert_eq!(world.asks()[ask("p3").as_str()], "n2");
    let occupied = world.fed.part().nodes.iter().all(|node| node.occupied.is_zero());
    assert!(occupied, "both are allocations, and nothing else");
    world.cycles();
    assert!(world.taken_bindings().is_empty());
    world.check();
}

#[test]
fn a_pod_that_is_deleted_while_it_is_bound_leaves_nothing() {
    let mut world = two_pods();
    world.taken_bindings();
    world.gone("Pod", "ns", "p1");
    world.bound("p1", "n1", Err(Failure::Gone));
    world.wait(400);
    world.cycles();
    assert!(world.taken_bindings().is_empty());
    assert_eq!(world.vcore("root.a"), 1000);
    world.check();
}

#[test]
fn k8s_157_a_removed_node_returns_assumed_pods_and_retains_no_running_ones() {
    let mut world = two_pods();
    world.bound("p2", "n1", Ok(()));
    world.put("Pod", on(pod("p2"), "n1"));
    world.taken_bindings();
    world.gone("Node", "", "n1");
    assert_eq!(world.asks()[ask("p1").as_str()], "-");
    assert!(!world.asks().contains_key(ask("p2").as_str()), "an orphan is no allocation");
    world.put("Node", node("n2", "4"));
    world.cycles();
    assert_eq!(world.taken_bindings(), ["p1>n2"]);
    world.put("Node", node("n1", "4"));
    assert_eq!(world.asks()[ask("p2").as_str()], "n1", "it is adopted when its node comes back");
    world.check();
}

#[test]
fn k8s_095_a_victim_counts_until_its_pod_is_deleted() {
    let queues = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}, \
         {name: b, resources: {guaranteed: {vcore: '2'}}, properties: {preemption.delay: 1s}}]}]}]";
    let mut world = World::new(queues);
    world.put("Node", node("n1", "2"));
    world.put("Pod", pod("p1"));
    world.put("Pod", pod("p2"));
    world.cycles();
    world.bind_all();
    let mine = with(pod("q1"), "/metadata/labels", json!({"applicationId": "other", "queue": "root.b"}));
    world.put("Pod", with(mine, "/metadata/creationTimestamp", json!("2026-11-01T10:00:00Z")));
    world.wait(40);
    world.cycles();
    let victims = world.taken_deletions();
    assert_eq!(victims.len(), 1, "{:?}", world.taken_words());
    assert_eq!(world.vcore("root.a"), 2000);
    let words = world.taken_words();
    assert!(
        words
            .iter()
            .any(|reported| reported.contains("Preempted: it is deleted: preempted for pod ns/q1 of queue root.b")),
        "{words:?}"
    );
    world.wait(30);
    world.cycles();
    assert!(world.taken_bindings().is_empty() && world.taken_deletions().is_empty());
    world.gone("Pod", "ns", &victims[0]);
    assert_eq!(world.vcore("root.a"), 1000);
    world.cycles();
    assert_eq!(world.taken_bindings(), ["q1>n1"]);
    world.check();
}

#[test]
fn a_rejected_application_is_reported_on_its_pods_and_retried_with_other_queues() {
    let mut world = World::new(QUEUES);
    world.put("Node", node("n1", "4"));
    world.put("Pod", with(pod("p1"), "/metadata/labels/queue", json!("root.later")));
    let words = world.taken_words();
    assert!(
        words.iter().any(|reported| reported.starts_with("p1 TaskRejected: ") && reported.contains("root.later")),
        "{words:?}"
    );
    world.put("Pod", with(pod("p2"), "/metadata/labels/queue", json!("root.later")));
    assert_eq!(world.taken_words().len(), 1, "each pod gets its words once");
    let queues = QUEUES.replace("{name: a}", "{name: a}, {name: later}");
    let config = config::read(&queues, model::Profile::Kornsole).config.expect("it is valid");
    world.fed.give(&Command::Configure(std::sync::Arc::new(config)));
    world.batch(vec![super::Input::Configured]);
    world.cycles();
    assert_eq!(world.bind_all(), ["p1>n1", "p2>n1"]);
    world.check();
}

#[test]
fn the_pods_of_a_killed_application_are_deleted_and_use_their_node_until_then() {
    let mut world = two_pods();
    world.bind_all();
    world.put("Pod", pod("p3"));
    let by = Identity::new("ann", Vec::<String>::new());
    let command = PartitionCommand::Kill { app: "app".into(), by, reason: "runaway".to_owned() };
    let open =
        config::read(&QUEUES.replace("submitacl: '*'", "submitacl: '*', adminacl: '*'"), model::Profile::Kornsole);
    world.fed.give(&Command::Configure(std::sync::Arc::new(open.config.expect("it is valid"))));
    world.fed.give(&Command::from(command));
    world.batch(Vec::new());
    assert_eq!(world.taken_deletions(), ["p1", "p2", "p3"]);
    assert!(
        world.taken_words().iter().any(|reported| reported.ends_with("its application app was killed by ann: runaway"))
    );
    let part = world.fed.part();
    let node = &part.nodes[part.nodes.find(&"n1".into()).expect("it is there")];
    assert_eq!((node.allocated.amount("vcore"), node.occupied.amount("vcore")), (0, 2000));
    for name in ["p1", "p2", "p3"] {
        world.gone("Pod", "ns", name);
    }
    let part = world.fed.part();
    let node = &part.nodes[part.nodes.find(&"n1".into()).expect("it is there")];
    assert_eq!(node.occupied.amount("vcore"), 0);
    world.check();
}

#[test]
fn k8s_134_gates_claims_and_pods_of_others() {
    let mut world = World::new(QUEUES);
    world.put("Node", node("n1", "4"));
    let mut gated = pod("p1");
    gated["spec"]["schedulingGates"] = json!([{"name": "g1"}]);
    world.put("Pod", gated.clone());
    world.put("Pod", gated);
    assert_eq!(world.taken_words(), ["p1 Scheduling: it has scheduling gates: g1"]);
    let mut claimed = pod("p2");
    claimed["spec"]["volumes"] = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]);
    world.put("Pod", claimed);
    assert!(world.asks().is_empty());
    world.put("Pod", pod("p1"));
    let claim = json!({"metadata": {"namespace": "ns", "name": "c", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"volumeName": "v"}});
    world.put("PersistentVolume", json!({"metadata": {"name": "v"}}));
    world.put("PersistentVolumeClaim", claim);
    let foreign = with(on(pod("f1"), "n1"), "/spec/schedulerName", json!("default-scheduler"));
    world.put("Pod", with(foreign.clone(), "/spec/containers/0/resources/requests/cpu", json!("3")));
    world.cycles();
    assert_eq!(world.taken_bindings().len(), 1, "a foreign pod has the rest");
    world.gone("Pod", "ns", "f1");
    world.cycles();
    assert_eq!(world.taken_bindings().len(), 1);
    world.check();
}

const GUARANTEED: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}, \
     {name: b, resources: {guaranteed: {vcore: '2'}}, properties: {preemption.delay: 1s}}]}]}]";

#[test]
fn k8s_163_a_filter_that_passes_without_a_victim_preempts_it() {
    let with_port = |pod: serde_json::Value| {
        with(
            pod,
            "/spec/containers/0",
            json!({
                "name": "c", "ports": [{"hostPort": 80}], "resources": {"requests": {"cpu": "1"}},
            }),
        )
    };
    let mut world = World::new(GUARANTEED);
    world.put("Node", node("n1", "2"));
    // The pod with the port is the newest, and the first victim.
    for one in [pod("p1"), with_port(pod("p2"))] {
        world.put("Pod", one);
        world.cycles();
        assert_eq!(world.bind_all().len(), 1);
    }
    let labels = json!({"applicationId": "other", "queue": "root.b"});
    world.put("Pod", with(with_port(pod("q1")), "/metadata/labels", labels));
    world.wait(40);
    world.cycles();
    assert_eq!(world.taken_deletions(), ["p2"]);
    world.gone("Pod", "ns", "p2");
    world.cycles();
    assert_eq!(world.taken_bindings(), ["q1>n1"]);
    world.check();
}

#[test]
fn kt_40_a_pod_of_a_daemon_set_preempts_only_an_allowed_pod_that_started_nothing() {
    let mut world = World::new(QUEUES);
    world.put("Node", node("n1", "4"));
    // The cluster has another node with free resources.
    world.put("Node", node("n2", "4"));
    for (name, cpu, may) in [("p1", "1", "false"), ("p2", "1", "false"), ("p3", "2", "true")] {
        let mut one = with(pod(name), "/spec/containers/0/resources/requests/cpu", json!(cpu));
        one["metadata"]["annotations"] = json!({"yunikorn.apache.org/allow-preemption": may});
        world.put("Pod", on(one, "n1"));
    }
    let mut daemon = with(pod("d"), "/metadata/labels/applicationId", json!("daemon"));
    daemon["metadata"]["ownerReferences"] = json!([{"kind": "DaemonSet", "uid": "set"}]);
    let terms = json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]);
    let required = json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}});
    daemon["spec"]["affinity"] = json!({"nodeAffinity": required});
    world.put("Pod", daemon);
    for _ in 0..10 {
        world.wait(5);
        world.cycles();
    }
    assert_eq!(world.taken_deletions(), ["p3"]);
    world.gone("Pod", "ns", "p3");
    world.cycles();
    assert_eq!(world.taken_bindings(), ["d>n1"]);
    world.check();
}
