//! Random clusters: the filters agree with the naive ones, and the scheduler places no pod on a node that the naive
//! ones reject.

use std::sync::Arc;

use proptest::prelude::*;

use super::naive::World;
use super::{cluster, passes, place, snapshot};
use crate::dry_run::plan;
use crate::objects::{Node, Pod};
use crate::{Cluster, Settings};
use model::Profile;

const QUEUES: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]";
const OTHERS: &str = "
---
{kind: Namespace, metadata: {name: x, labels: {team: red}}}
---
{kind: Namespace, metadata: {name: y}}
---
{kind: PersistentVolume, metadata: {name: v, labels: {topology.kubernetes.io/zone: a__b}}}
---
{kind: PersistentVolumeClaim, metadata: {namespace: x, name: c, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {volumeName: v, accessModes: [ReadWriteOncePod]}}
---
{kind: PersistentVolume, metadata: {name: w1}, spec: {csi: {driver: d, volumeHandle: h1}}}
---
{kind: PersistentVolume, metadata: {name: w2}, spec: {csi: {driver: d, volumeHandle: h2}}}
---
{kind: PersistentVolumeClaim, metadata: {namespace: x, name: c1, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {volumeName: w1}}
---
{kind: PersistentVolumeClaim, metadata: {namespace: x, name: c2, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {volumeName: w2}}
---
{kind: CSINode, metadata: {name: n0}, spec: {drivers: [{name: d, allocatable: {count: 1}}, {name: e, allocatable: {count: 0}}]}}
---
{kind: CSINode, metadata: {name: n1}, spec: {drivers: [{name: d}]}}
---
{kind: CSINode, metadata: {name: n2}, spec: {drivers: [{name: d, allocatable: {count: 1}}]}}
---
{kind: VolumeAttachment, metadata: {name: a}, spec: {attacher: d, nodeName: n2, source: {persistentVolumeName: w1}}}
";

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    proptest::sample::select(texts)
}

fn node_text(number: usize) -> impl Strategy<Value = String> {
    let labels = one_of(&[
        "zone: a, topology.kubernetes.io/zone: a",
        "zone: b, topology.kubernetes.io/zone: b",
        "zone: c, topology.kubernetes.io/zone: c",
        "size: '3', zone: a",
        "",
    ]);
    let spec = one_of(&[
        "",
        "",
        "",
        "taints: [{key: t, value: u, effect: NoSchedule}]",
        "taints: [{key: t, effect: PreferNoSchedule}]",
        "unschedulable: true",
    ]);
    (labels, spec, 1..6_u32).prop_map(move |(labels, spec, cpu)| {
        format!(
            "\n---\n{{kind: Node, metadata: {{name: n{number}, labels: {{host: n{number}, {labels}}}}}, spec: {{{spec}}}, \
             status: {{allocatable: {{cpu: {cpu}, pods: 5}}}}}}"
        )
    })
}

fn spec_text() -> impl Strategy<Value = String> {
    let term = one_of(&[
        "{topologyKey: zone, labelSelector: {matchLabels: {app: w}}}",
        "{topologyKey: host, labelSelector: {matchExpressions: [{key: app, operator: In, values: [w, v]}]}}",
        "{topologyKey: zone, labelSelector: {}, namespaceSelector: {matchLabels: {team: red}}}",
        "{topologyKey: host, labelSelector: {matchExpressions: [{key: app, operator: NotIn, values: [w]}]}, namespaces: [y]}",
        "{topologyKey: zone, labelSelector: {matchLabels: {app: v}}}, {topologyKey: host, labelSelector: {matchLabels: {app: v}}}",
    ]);
    let fields = one_of(&[
        "",
        "nodeSelector: {zone: a}",
        "tolerations: [{key: t, operator: Exists}]",
        "tolerations: [{operator: Exists}]",
        "containers: [{name: c, ports: [{hostPort: 80}], resources: {requests: {cpu: 1}}}]",
        "containers: [{name: c, ports: [{hostPort: 80, hostIP: 10.0.0.1}], resources: {requests: {cpu: 1}}}]",
        "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]",
        "volumes: [{name: d, persistentVolumeClaim: {claimName: c1}}]",
        "volumes: [{name: d, persistentVolumeClaim: {claimName: c2}}]",
        "volumes: [{name: d, persistentVolumeClaim: {claimName: c1}}, {name: e, persistentVolumeClaim: {claimName: c2}}]",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [TERM1]}}}",
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [TERM]}}",
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [TERM]}}",
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [TERM]}}",
        "topologySpreadConstraints: [SPREAD]",
        "topologySpreadConstraints: [SPREAD], nodeSelector: {zone: b}",
    ]);
    let nodes = one_of(&[
        "{matchExpressions: [{key: zone, operator: NotIn, values: [a]}]}",
        "{matchExpressions: [{key: size, operator: Gt, values: ['2']}]}, {matchFields: [{key: metadata.name, operator: In, values: [n1]}]}",
        "{matchFields: [{key: metadata.name, operator: NotIn, values: [n0]}], matchExpressions: [{key: zone, operator: Exists}]}",
        "{}",
    ]);
    let spread = one_of(&[
        "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: w}}}",
        "{maxSkew: 2, topologyKey: host, whenUnsatisfiable: DoNotSchedule, labelSelector: {}, nodeTaintsPolicy: Honor}",
        "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}, minDomains: 3}, \
         {maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule, labelSelector: {}, nodeAffinityPolicy: Ignore}",
        "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}",
    ]);
    (fields, term, nodes, spread).prop_map(|(fields, term, nodes, spread)| {
        fields.replace("TERM1", nodes).replace("TERM", term).replace("SPREAD", spread)
    })
}

fn pod_text(number: usize) -> impl Strategy<Value = String> {
    let label = one_of(&["app: w", "app: w", "app: v", ""]);
    let meta = one_of(&["", "", "", "", "deletionTimestamp: '2026-11-01T10:00:00Z', "]);
    let on = prop_oneof![4 => Just(None), 1 => (0..4_usize).prop_map(Some)];
    (one_of(&["x", "x", "y"]), label, meta, spec_text(), on).prop_map(move |(namespace, label, meta, spec, on)| {
        let node = on.map_or_else(String::new, |node| format!(", nodeName: n{node}"));
        let meta = if on.is_some() { meta } else { "" };
        let usual =
            if spec.contains("containers") { "" } else { ", containers: [{name: c, resources: {requests: {cpu: 1}}}]" };
        let spec = if spec.is_empty() { spec } else { format!(", {spec}") };
        format!(
            "\n---\n{{kind: Pod, metadata: {{namespace: {namespace}, name: p{number:02}, uid: p{number:02}, {meta}\
             labels: {{queue: root.a, {label}}}}}, spec: {{schedulerName: yunikorn{node}{usual}{spec}}}}}"
        )
    })
}

pub(crate) fn texts() -> impl Strategy<Value = String> {
    let nodes: Vec<_> = (0..4).map(node_text).collect();
    let pods: Vec<_> = (0..10).map(pod_text).collect();
    (nodes, pods).prop_map(|(nodes, pods)| nodes.concat() + &pods.concat() + OTHERS)
}

fn placed(cluster: &Cluster) -> Vec<(&Pod, &Node)> {
    let on = |pod| Some((pod, &**cluster.nodes.get(Pod::node(pod)?)?));
    cluster.pods.values().map(|pod| &**pod).filter_map(on).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_filters_answer_as_the_naive_ones(text in texts(), turns in proptest::collection::vec((0..4_usize, any::<bool>()), 10)) {
        let cluster = cluster(&text);
        let mut snapshot = snapshot(&cluster);
        let mut world = World { cluster: &cluster, placed: placed(&cluster) };
        let waiting: Vec<&Pod> = cluster.pods.values().map(|pod| &**pod).filter(|pod| pod.node().is_none()).collect();
        for (pod, (start, stays)) in waiting.iter().zip(turns) {
            let uid = pod.metadata.uid.as_str();
            let nodes: Vec<&Node> = cluster.nodes.values().map(AsRef::as_ref).collect();
            for node in &nodes {
                let name = node.metadata.name.as_str();
                prop_assert_eq!(passes(&snapshot, uid, name), world.lets(pod, node), "{} on {}\n{}", uid, name, &text);
            }
            let fits = (0..nodes.len()).map(|at| nodes[(at + start) % nodes.len()]).find(|node| world.lets(pod, node));
            if let Some(node) = fits {
                place(&mut snapshot, uid, &node.metadata.name, true);
                if stays {
                    world.placed.push((pod, node));
                } else {
                    place(&mut snapshot, uid, &node.metadata.name, false);
                }
            }
        }
    }

    #[test]
    fn nothing_is_placed_where_a_naive_filter_refuses(text in texts()) {
        let cluster = cluster(&text);
        let config = config::read(QUEUES, Profile::Kornsole).config.map(Arc::new);
        let plan = plan(&cluster, &Settings::default(), config.expect("it is valid")).expect("a plan");
        let mut world = World { cluster: &cluster, placed: placed(&cluster) };
        for bound in &plan.bound {
            let (namespace, name) = bound.pod.split_once('/').expect("a path");
            let pod = &cluster.pods[&(namespace.to_owned(), name.to_owned())];
            let node = &cluster.nodes[&bound.node];
            prop_assert!(world.lets(pod, node), "{} on {}\n{}", bound.pod, bound.node, &text);
            world.placed.push((pod, node));
            let on = world.placed.iter().filter(|(_, at)| at.metadata.name == bound.node).count();
            let space: usize = node.status.allocatable["cpu"].0.parse().expect("a number");
            prop_assert!(on <= space.min(5), "{} has {on} pods\n{}", bound.node, &text);
        }
        let all = plan.bound.len() + plan.waiting.len() + plan.left_alone.len() + plan.running;
        prop_assert_eq!(all, cluster.pods.len());
    }
}
