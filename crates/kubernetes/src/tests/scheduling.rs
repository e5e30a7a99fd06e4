use super::{ONE_QUEUE, bound, node, planned, planned_by, small};
use model::Profile;

fn reason(text: &str) -> String {
    let plan = planned(text, ONE_QUEUE);
    assert_eq!((plan.bound.len(), plan.waiting.len()), (0, 1), "{plan:?}");
    plan.waiting[0].reason.clone()
}

fn affinity(zone: &str) -> String {
    format!(
        "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: \
         [{{matchExpressions: [{{key: zone, operator: In, values: [{zone}]}}]}}]}}}}}}"
    )
}

#[test]
fn kt_33_a_selector_or_affinity_that_no_node_and_that_one_meets() {
    let nodes = node("n1", "zone: a", "") + &node("n2", "zone: b", "");
    for (nowhere, there) in
        [("nodeSelector: {zone: c}".to_owned(), "nodeSelector: {zone: b}".to_owned()), (affinity("c"), affinity("b"))]
    {
        let why = reason(&(nodes.clone() + &small("p", 0, &nowhere)));
        assert!(
            why.contains("failed plugin: 'NodeAffinity' node(s) didn't match Pod's node affinity/selector (2x)"),
            "{why}"
        );
        assert_eq!(bound(&planned(&(nodes.clone() + &small("p", 0, &there)), ONE_QUEUE)), ["ns/p on n2"]);
    }
}

#[test]
fn kt_34_taints_and_tolerations() {
    let tainted = node("n1", "", "taints: [{key: gpu, value: 'yes', effect: NoSchedule}]");
    let why = reason(&(tainted.clone() + &small("p", 0, "")));
    assert!(why.contains("failed plugin: 'TaintToleration' node(s) had untolerated taint {gpu: yes} (1x)"), "{why}");
    let both = tainted + &node("n2", "", "");
    assert_eq!(bound(&planned(&(both.clone() + &small("p", 0, "")), ONE_QUEUE)), ["ns/p on n2"]);
    let tolerant = "nodeSelector: {}, tolerations: [{key: gpu, operator: Exists}]";
    let crowded = both + &small("q", 0, "nodeName: n2");
    assert_eq!(bound(&planned(&(crowded + &small("p", 1, tolerant)), ONE_QUEUE)), ["ns/p on n1"]);
}

#[test]
fn what_is_decided_is_known_to_the_next_decision() {
    let apart = |name: &str, at: u32| {
        let term = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, \
                    labelSelector: {matchLabels: {set: x}}}]}}";
        small(name, at, term).replace("labels: {", "labels: {set: x, ")
    };
    let nodes = node("n1", "zone: a", "") + &node("n2", "zone: a", "") + &node("n3", "zone: b", "");
    let plan = planned(&(nodes + &apart("p", 0) + &apart("q", 1) + &apart("r", 2)), ONE_QUEUE);
    assert_eq!(bound(&plan), ["ns/p on n1", "ns/q on n3"]);
    assert!(plan.waiting[0].reason.contains("anti-affinity rules (3x)"), "{:?}", plan.waiting);
}

#[test]
fn a_pod_that_waits_for_a_volume_is_left_alone() {
    let claim = |fields: &str| {
        format!(
            "---\nkind: PersistentVolumeClaim\nmetadata: {{namespace: ns, name: c{fields}}}\nspec: {{volumeName: v}}\n"
        )
    };
    let pod = small("p", 0, "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]");
    let alone = |claim: &str| {
        let plan = planned(&(node("n1", "", "") + &pod + claim), ONE_QUEUE);
        assert_eq!((plan.bound.len(), plan.waiting.len()), (0, 0));
        plan.left_alone[0].reason.clone()
    };
    assert_eq!(alone(""), "its claim \"c\" does not exist");
    assert_eq!(alone(&claim("")), "needs volume binding: its claim \"c\" is not bound");
    let bound_claim = claim(", annotations: {pv.kubernetes.io/bind-completed: 'yes'}");
    assert_eq!(
        alone(&bound_claim.replace("annotations", "deletionTimestamp: x, annotations")),
        "its claim \"c\" is being deleted"
    );
    let why = reason(&(node("n1", "", "") + &pod + &bound_claim));
    assert!(why.contains("failed plugin: 'VolumeBinding' persistentvolume \"v\" not found"), "{why}");
    let volume = "---\nkind: PersistentVolume\nmetadata: {name: v}\n";
    assert_eq!(bound(&planned(&(node("n1", "", "") + &pod + &bound_claim + volume), ONE_QUEUE)), ["ns/p on n1"]);
}

#[test]
fn k8s_178_a_release_has_a_claim_bound_that_waits_for_its_first_pod() {
    let text = node("n1", "", "")
        + &small("p", 0, "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]")
        + "---\nkind: PersistentVolumeClaim\nmetadata: {namespace: ns, name: c}\nspec: {storageClassName: late}\n"
        + "---\nkind: StorageClass\nmetadata: {name: late}\nvolumeBindingMode: WaitForFirstConsumer\n";
    for profile in Profile::RELEASES {
        assert_eq!(bound(&planned_by(&text, ONE_QUEUE, profile)), ["ns/p on n1"], "{profile}");
    }
    let local = planned_by(&text, ONE_QUEUE, Profile::Kornsole);
    assert_eq!(local.left_alone[0].reason, "needs volume binding: its claim \"c\" is not bound");
}

#[test]
fn a_maximum_of_a_queue_is_the_reason_before_any_node() {
    let queues = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a, resources: {max: {vcore: 2}}}]}]}]";
    let text = node("n1", "", "") + &small("p", 0, "") + &small("q", 1, "") + &small("r", 2, "nodeName: n1");
    let plan = planned(&text, queues);
    assert_eq!((bound(&plan), plan.running), (vec!["ns/p on n1".to_owned()], 1));
    assert!(
        plan.waiting[0].reason.starts_with("waits for cpu in root.a: 1 missing, 2 of 2 used"),
        "{:?}",
        plan.waiting
    );
}

#[test]
fn a_queue_that_is_not_there_rejects_the_application() {
    let why = reason(&(node("n1", "", "") + &small("p", 0, "").replace("root.a", "root.b")));
    assert!(why.contains("root.b"), "{why}");
}

fn gang_pod(name: &str, at: u32, nodes: &str) -> String {
    let groups = "[{\"name\": \"g\", \"minMember\": 2, \"minResource\": {\"cpu\": \"1\"}, \"nodeSelector\": {\"zone\": \"ZONE\"}}]";
    let annotations = format!(
        "annotations: {{yunikorn.apache.org/task-group-name: g, yunikorn.apache.org/task-groups: '{}'}}",
        groups.replace("ZONE", nodes)
    );
    small(name, at, "").replace("labels: {", &format!("{annotations}, labels: {{applicationId: gang, "))
}

#[test]
fn a_gang_is_allocated_and_its_pods_replace_the_placeholders() {
    let nodes = node("n1", "zone: a", "") + &node("n2", "zone: b", "");
    let plan = planned(&(nodes.clone() + &gang_pod("p", 0, "b") + &gang_pod("q", 1, "b")), ONE_QUEUE);
    assert_eq!(
        (bound(&plan), plan.waiting.len()),
        (vec!["ns/p on n2".to_owned(), "ns/q on n2".to_owned()], 0),
        "{plan:?}"
    );
    let plan = planned(&(nodes + &gang_pod("p", 0, "c") + &gang_pod("q", 1, "c")), ONE_QUEUE);
    let reasons: Vec<_> = plan.waiting.iter().map(|one| (one.pod.as_str(), one.reason.as_str())).collect();
    assert_eq!(reasons[0], ("ns/p", "its gang is incomplete: it needs placeholders, 2 of group g"));
    assert!(reasons[2].0.starts_with("ns/tg-gang-g-") && reasons[2].1.contains("NodeAffinity"), "{reasons:?}");
}

#[test]
fn a_bad_partition_or_no_pods_at_all() {
    let plan = planned(&node("n1", "", ""), ONE_QUEUE);
    assert_eq!((plan.nodes, plan.bound.len(), plan.waiting.len()), (1, 0, 0));
    let config = config::read(&ONE_QUEUE.replace("default", "gpu"), model::Profile::Kornsole);
    let config = std::sync::Arc::new(config.config.expect("it is valid"));
    let refused = super::plan(&super::cluster(""), &super::Settings::default(), config);
    assert!(refused.is_err_and(|why| why.contains("no partition `default`")));
}

#[test]
fn kt_39_what_runs_and_no_rule_places_any_more_is_in_the_recovery_queue() {
    let queues = "partitions: [{name: default, placementrules: [{name: tag, value: namespace, create: false}], \
                  queues: [{name: root, submitacl: '*', queues: [{name: dev}]}]}]";
    let config = config::read(queues, model::Profile::Kornsole).config.expect("it is valid");
    let text = node("n1", "", "") + &small("p", 0, "nodeName: n1");
    let recovered =
        super::super::Recovered::of(&super::cluster(&text), &super::Settings::default(), std::sync::Arc::new(config));
    let recovered = recovered.expect("it is recovered");
    let part = &recovered.scheduler.partitions()[0];
    let queues: Vec<String> = part.apps.iter().map(|(_, app)| app.queue_path.to_string()).collect();
    assert_eq!(queues, ["root.@recovery@"]);
}
