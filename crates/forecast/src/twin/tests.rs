//! Simulation copies of a scheduler in Kubernetes, with the data of pods and nodes.

use std::sync::Arc;

use super::Twin;
use ::scenario::{self, Runner, Silent};
use kubernetes::{Cluster, Listed, ManifestReport, NotListed, read_manifests};
use model::Profile;
use scheduler::state::ask::Ask;
use view::waiting::Sentence;
use view::waiting::{Asked, BlockLevel, Finding, Resolution};
use view::{PartitionView, ViewBuilder};

/// Two nodes; `run-1` runs on one of them, `new-1` is pending since it arrived after the last cycle.
const STEPS: &str = "version: 1
config: |
  partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]
steps:
- node: {id: n1, capacity: {vcore: 8, memory: 8G}}
- node: {id: n2, capacity: {vcore: 8, memory: 8G}}
- submit: {app: job, queue: root.a, user: sue}
- ask: {app: job, id: run-1, resource: {vcore: 1}}
- schedule: idle
- ask: {app: job, id: new-1, resource: {vcore: 1}}
";

/// The same state in Kubernetes; the texts go into the specs of the pods and of the second node.
fn manifests(run: &str, new: &str, node: &str) -> String {
    let pod = |id: &str, second: u32, spec: &str| {
        format!(
            "---\nkind: Pod\nmetadata: {{namespace: ns, name: {id}, uid: {id}, labels: {{app: job}}, \
             creationTimestamp: '2026-11-01T10:00:0{second}Z'}}\nspec: {{schedulerName: yunikorn{spec}}}\n"
        )
    };
    format!(
        "kind: Node\nmetadata: {{name: n1, labels: {{disk: hdd}}}}\n\
         ---\nkind: Node\nmetadata: {{name: n2, labels: {{disk: ssd}}}}\n{node}\n{}{}",
        pod("run-1", 1, run),
        pod("new-1", 2, new)
    )
}

fn part(profile: Profile) -> PartitionView {
    let scenario = scenario::read(STEPS).scenario.expect("a scenario");
    let mut runner = Runner::new(profile);
    let config = scenario.embedded_config(profile).expect("a configuration");
    runner.run(&scenario, config, &mut Silent).expect("it runs");
    let mut scheduler = runner.scheduler().clone();
    ViewBuilder::default().update(runner.now(), &mut scheduler).expect("a view").partitions[0].clone()
}

fn listed(text: &str, missing: &[&'static str]) -> Listed {
    let (mut cluster, mut report) = (Cluster::default(), ManifestReport::default());
    read_manifests("test.yaml", text.as_bytes(), &mut cluster, &mut report);
    assert_eq!(report.faults, Vec::<String>::new());
    let missing = missing.iter().copied().map(|kind| NotListed { kind, why: None }).collect();
    Listed { cluster, missing, unreadable: Vec::new() }
}

fn twin_of(part: &PartitionView, profile: Profile, listed: Listed) -> Twin {
    let now = part.apps.iter().flatten().flat_map(|row| row.asks.values()).map(|ask| ask.created).max();
    Twin::in_kubernetes(part, profile, now.expect("an ask"), listed).expect("a twin")
}

fn twin(text: &str, missing: &[&'static str]) -> Twin {
    twin_of(&part(Profile::V1_8_0), Profile::V1_8_0, listed(text, missing))
}

fn why(twin: &Twin) -> String {
    match twin.explain(&Asked::App("job".into(), Some("new-1".into()))).expect("an explanation") {
        Finding::App(found) => found.first_blocker().map(|one| one.detail.clone()).unwrap_or_default(),
        Finding::Waiting(_) => panic!("not asked"),
    }
}

fn unknown(twin: &Twin) -> Vec<&str> {
    twin.unknown().iter().map(String::as_str).skip(2).collect()
}

fn ask<'t>(twin: &'t Twin, id: &str) -> &'t Ask {
    let part = twin.partition().expect("a partition");
    let mut asks = part.apps.iter().flat_map(|(_, app)| app.asks.iter().map(|(_, ask)| ask));
    asks.find(|ask| ask.id.as_str() == id).expect("the ask")
}

#[test]
fn a_selector_that_no_node_has_is_named_with_its_filter() {
    let made = twin(&manifests("", ", nodeSelector: {disk: tape}", ""), &[]);
    let words = why(&made);
    assert!(words.contains("failed plugin: 'NodeAffinity'") && words.contains("(2x)"), "{words}");
    assert_eq!(unknown(&made), Vec::<&str>::new());
    let without = Twin::of(&part(Profile::V1_8_0), Profile::V1_8_0, made.now()).expect("a twin");
    assert_eq!(without.unknown().len(), 4, "{:?}", without.unknown());
    assert_eq!(why(&without), "");
}

#[test]
fn cordoned_and_not_ready_nodes_take_only_who_does_not_mind() {
    let cordoned = "spec: {unschedulable: true}";
    let unready = "status: {conditions: [{type: Ready, status: 'False'}]}";
    let on_two = ", nodeSelector: {disk: ssd}";
    for (node, filter) in [(cordoned, "NodeUnschedulable"), (unready, "TaintToleration")] {
        let found = why(&twin(&manifests("", on_two, node), &[]));
        assert!(found.contains(filter) && found.contains("NodeAffinity"), "{found}");
        let tolerant = format!("{on_two}, tolerations: [{{operator: Exists}}]");
        assert_eq!(why(&twin(&manifests("", &tolerant, node), &[])), "");
    }
}

#[test]
fn what_runs_counts_where_the_scheduler_has_it() {
    // Kubernetes does not know the binding yet, or reports an unknown node.
    let part = part(Profile::V1_8_0);
    let blocked = part.nodes.values().find(|row| !row.allocations.is_empty()).expect("a node").id.to_string();
    let (disk, free, other) = if blocked == "n1" { ("hdd", "ssd", "n2") } else { ("ssd", "hdd", "n1") };
    for bound in [String::new(), format!(", nodeName: {other}")] {
        let made = with_port(&bound, disk);
        assert!(why(&made).contains("NodePorts"), "{bound}: {}", why(&made));
        assert_eq!(why(&with_port(&bound, free)), "", "{bound}");
    }
}

/// Both pods use one port.
fn with_port(bound: &str, disk: &str) -> Twin {
    let port = ", containers: [{name: c, ports: [{hostPort: 8080}]}]";
    twin(&manifests(&format!("{port}{bound}"), &format!("{port}, nodeSelector: {{disk: {disk}}}"), ""), &[])
}

#[test]
fn preemption_follows_the_pods_and_their_classes() {
    let class = "---\nkind: PriorityClass\nmetadata: {name: keep, annotations: {yunikorn.apache.org/allow-preemption: 'false'}}\n";
    let spec = ", priorityClassName: keep";
    let text = manifests(spec, ", preemptionPolicy: Never", "") + class;
    let made = twin(&text, &[]);
    let flags = |id: &str| (ask(&made, id).allow_preempt_self, ask(&made, id).allow_preempt_other);
    assert_eq!((flags("run-1"), flags("new-1")), ((false, true), (true, false)));
    let made = twin(&manifests(spec, "", ""), &["PriorityClass"]);
    assert_eq!(unknown(&made), ["priority classes may not be listed: 1 pod is assumed to be preemptible"]);
    let node = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: \
                [{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]}}}";
    let text = manifests("", &format!(", {node}"), "").replace(
        "uid: new-1,",
        "uid: new-1, ownerReferences: [{kind: DaemonSet, uid: d, apiVersion: apps/v1, name: d}],",
    );
    assert_eq!(
        ask(&twin(&text, &[]), "new-1").rare.required_node.as_ref().map(ToString::to_string).as_deref(),
        Some("n2")
    );
}

#[test]
fn in_an_old_release_the_oldest_pod_shows_the_start() {
    let made = twin_of(&part(Profile::V1_5_1), Profile::V1_5_1, listed(&manifests("", "", ""), &[]));
    assert_eq!((ask(&made, "run-1").originator, ask(&made, "new-1").originator), (true, false));
    let made = twin(&manifests("", "", ""), &[]);
    assert!(!ask(&made, "run-1").originator, "the scheduler says it itself");
}

#[test]
fn a_request_without_a_pod_fits_anywhere_and_is_counted() {
    let taint = "spec: {taints: [{key: x, effect: NoSchedule}]}";
    let text = manifests("", "", taint).replace("{disk: hdd}}", &format!("{{disk: hdd}}}}\n{taint}"));
    let only_nodes = text.split_once("---\nkind: Pod").expect("pods").0;
    let made = twin(only_nodes, &[]);
    assert_eq!(why(&made), "");
    let words = "the pods of 1 request and 1 allocation (run-1, new-1): assumed to fit any node, to preempt, and to be preempted";
    assert_eq!(unknown(&made), [words]);
    let gone = text.replacen("name: n2", "name: other", 1);
    let made = twin(&gone, &[]);
    assert_eq!(unknown(&made), ["nodes unknown to Kubernetes: n2; they get no pods"]);
}

#[test]
fn what_may_not_be_listed_is_one_line_and_lets_pods_pass() {
    let claim = ", volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]";
    let text = manifests("", claim, "");
    let kinds = ["PersistentVolume", "PersistentVolumeClaim", "StorageClass"];
    let made = twin(&text, &kinds);
    let words = "persistent volumes, persistent volume claims and storage classes may not be listed: the volumes of 1 pod are not evaluated";
    assert_eq!((unknown(&made), why(&made)), (vec![words], String::new()));
    assert_eq!(unknown(&twin(&manifests("", "", ""), &kinds)), Vec::<&str>::new(), "it concerns nobody");
    let no_pods = twin(&text, &["Pod", "Node"]);
    assert!(
        unknown(&no_pods)[0].starts_with("pods and nodes may not be listed: node selectors, taints"),
        "{no_pods:?}"
    );
    assert_eq!((unknown(&no_pods).len(), why(&no_pods)), (1, String::new()));
    let mut no_nodes = listed(&text, &[]);
    no_nodes.missing.push(NotListed { kind: "Node", why: Some("500: no".to_owned()) });
    let made = twin_of(&part(Profile::V1_8_0), Profile::V1_8_0, no_nodes);
    assert_eq!(
        unknown(&made),
        ["nodes cannot be listed (500: no): node selectors, taints, affinity, and volumes are not evaluated"]
    );
}

#[test]
fn a_claim_that_is_not_bound_is_named() {
    let claim = ", volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]";
    let objects = "---\nkind: PersistentVolumeClaim\nmetadata: {namespace: ns, name: data}\nspec: {storageClassName: fast}\n\
                   ---\nkind: StorageClass\nmetadata: {name: fast}\nvolumeBindingMode: Immediate\n";
    let made = twin(&(manifests("", claim, "") + objects), &[]);
    let words = "nodes for pod ns/new-1: needs volume binding: its claim \"data\" is not bound";
    assert_eq!(unknown(&made), [words]);
    assert!(why(&made).contains("unbound immediate"), "{}", why(&made));
}

#[test]
fn a_claim_that_waits_for_its_first_pod_excludes_no_node() {
    let claim = ", volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]";
    let objects = |class: &str, claim: &str| {
        format!(
            "---\nkind: PersistentVolumeClaim\nmetadata: {{namespace: ns, name: data{claim}}}\nspec: {{storageClassName: slow}}\n\
             ---\nkind: StorageClass\nmetadata: {{name: slow}}\nvolumeBindingMode: WaitForFirstConsumer\n{class}"
        )
    };
    let with = |class: &str, more: &str| twin(&(manifests("", claim, "") + &objects(class, more)), &[]);
    let made = with("provisioner: csi.example.com\n", "");
    assert_eq!((unknown(&made), why(&made)), (Vec::<&str>::new(), String::new()));
    let by_hand = with("provisioner: kubernetes.io/no-provisioner\n", "");
    let words = "nodes for pod ns/new-1: the free volumes for its claim \"data\" are not evaluated";
    assert_eq!((unknown(&by_hand), why(&by_hand)), (vec![words], String::new()));
    let elsewhere = with("", ", annotations: {volume.kubernetes.io/selected-node: gone}");
    assert!(why(&elsewhere).contains("did not find available persistent volumes"), "{}", why(&elsewhere));
    let zone = "allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [far]}]}]\n";
    assert!(why(&with(zone, "")).contains("did not find available persistent volumes"), "{}", why(&with(zone, "")));
}

#[test]
fn without_pods_an_unschedulable_node_is_unschedulable_in_the_copy() {
    let mut part = part(Profile::V1_8_0);
    for id in part.nodes.keys().cloned().collect::<Vec<_>>() {
        let node = part.nodes.get_mut(&id).expect("the node");
        Arc::make_mut(node).closed = Some("cordoned".into());
    }
    let made = twin_of(&part, Profile::V1_8_0, listed("kind: Node\nmetadata: {name: n1}\n", &["Pod"]));
    assert!(why(&made).contains("2 drained"), "{}", why(&made));
}

#[test]
fn a_pod_that_is_not_asked_for_yet_is_what_its_application_waits_for_first() {
    let gated = |name: &str| {
        format!(
            "---\nkind: Pod\nmetadata: {{namespace: ns, name: {name}, uid: {name}, labels: {{app: job, applicationId: job}}, \
             creationTimestamp: '2026-11-01T10:00:05Z'}}\nspec: {{schedulerName: yunikorn, schedulingGates: [{{name: budget}}]}}\n"
        )
    };
    let text = manifests("", "", "") + &gated("held-1") + &gated("held-2");
    let twin = twin(&text, &[]);
    let Finding::App(found) = twin.explain(&Asked::App("job".into(), None)).expect("an explanation") else {
        panic!("an application was asked about");
    };
    let [.., blocked] = found.asks.as_slice() else { panic!("{found:#?}") };
    assert_eq!((blocked.pod.as_deref(), blocked.identical), (Some("ns/held-1"), 2));
    let first = found.first_blocker().expect("it waits");
    assert_eq!((first.resolution(), first.is_permanent()), (Resolution::Never, true));
    let words = "job in root.a waits for its pod, which is not ready to schedule: it has scheduling gates: budget";
    assert_eq!(found.sentence(), words);
    let other = twin.explain(&Asked::App("job".into(), Some("new-1".into()))).expect("an explanation");
    assert!(matches!(other, Finding::App(found) if found.asks.len() == 1), "one ask was asked about");
}

#[test]
fn a_back_off_that_is_reported_is_explained() {
    let mut part = part(Profile::V1_8_0);
    let now =
        part.apps.iter().flatten().flat_map(|row| row.asks.values()).map(|ask| ask.created).max().expect("an ask");
    let blocked = |mut row: view::AppRow| {
        row.backoff_until = Some(now + std::time::Duration::from_secs(5));
        Arc::new(row)
    };
    part.apps = part.apps.iter().map(|row| row.as_ref().map(|row| blocked((**row).clone()))).collect();
    let twin = Twin::of(&part, Profile::V1_8_0, now).expect("a twin");
    let Finding::App(found) = twin.explain(&Asked::App("job".into(), None)).expect("an explanation") else {
        panic!("an application was asked about");
    };
    let first = found.first_blocker().expect("it waits");
    assert_eq!((first.level, first.resolution()), (BlockLevel::Backoff, Resolution::Time));
    assert_eq!(first.detail, "cycles skip the application for another 5s");
}
