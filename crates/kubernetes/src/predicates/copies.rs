//! Pods and nodes of a what-if have the filter results of existing ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Snapshot;
use super::nodes::NodeFacts;
use super::pods::PodFacts;
use model::{AskId, NodeId};

const HOSTNAME: &str = "kubernetes.io/hostname";

impl Snapshot {
    /// Without a known original the copy stays unknown.
    pub(super) fn add_pod(&mut self, like: &AskId, new: &AskId) {
        let facts = Arc::make_mut(&mut self.facts);
        let Some(known) = facts.by_uid.get(like.as_str()).map(|number| facts.pods[*number].clone()) else { return };
        let number = facts.pods.len();
        facts.by_uid.insert(new.clone(), number);
        facts.pods.push(PodFacts { number, ..known });
    }

    /// Without a known original the copy stays unknown.
    pub(super) fn add_node(&mut self, like: &NodeId, new: &NodeId) {
        let table = &self.facts.known.table;
        if let Some(known) = table.find(like.as_str()) {
            self.new_node(renamed(&table.nodes[known], new));
        }
    }

    /// By its conditions on nodes alone. An unknown pod suits none.
    pub(super) fn suits_labels(&self, ask: &AskId, labels: &BTreeMap<String, String>) -> bool {
        let known = self.facts.by_uid.get(ask.as_str()).map(|number| &self.facts.pods[*number]);
        let Some((pod, number)) = known.and_then(|pod| Some((pod, pod.conditions?))) else { return false };
        let node = with_labels(&NodeId::default(), labels);
        pod.nowhere.is_none() && self.facts.known.conditions[number].refusal(&node, true).is_none()
    }
}

/// A node without taints.
pub(super) fn with_labels(new: &NodeId, labels: &BTreeMap<String, String>) -> NodeFacts {
    let mut all = labels.clone();
    all.insert(HOSTNAME.to_owned(), new.to_string());
    NodeFacts { id: new.clone(), labels: all.into(), taints: Vec::new(), unschedulable: false }
}

fn renamed(like: &NodeFacts, new: &NodeId) -> NodeFacts {
    let mut node = NodeFacts { id: new.clone(), ..like.clone() };
    if let Some(name) = node.labels.get_mut(HOSTNAME) {
        *name = new.to_string();
    }
    node
}

#[cfg(test)]
mod tests {
    use crate::predicates::Snapshot;
    use crate::predicates::tests::{cluster, passes, place, why};
    use model::{AskId, NodeId};
    use scheduler::Predicates;

    const CLUSTER: &str = r#"
kind: List
items:
- {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1, zone: a}}}
- {kind: Node, metadata: {name: n2, labels: {kubernetes.io/hostname: n2, zone: b, gpu: "yes"}}}
- kind: Pod
  metadata: {namespace: d, name: w1, uid: w1, labels: {app: w}}
  spec: {nodeName: n1, nodeSelector: {zone: a}}
- kind: Pod
  metadata: {namespace: d, name: w2, uid: w2, labels: {app: w}}
  spec:
    affinity:
      podAntiAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
        - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: w}}}
- kind: Pod
  metadata: {namespace: d, name: x, uid: x, labels: {app: x}}
  spec:
    topologySpreadConstraints:
    - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: x}}}
- {kind: Pod, metadata: {namespace: d, name: g, uid: g}, spec: {nodeSelector: {gpu: "yes"}}}
"#;

    fn copied() -> Snapshot {
        let cluster = cluster(CLUSTER);
        let pods: Vec<_> = cluster.pods.values().collect();
        Snapshot::of(
            cluster.nodes.values().map(AsRef::as_ref),
            &pods,
            &cluster.namespace_labels(),
            cluster.storage(),
            true,
        )
    }

    fn more(snapshot: &mut Snapshot, like: &str, new: &str) {
        if like.starts_with('n') {
            snapshot.add_node(&NodeId::from(like), &NodeId::from(new));
        } else {
            snapshot.add_pod(&AskId::from(like), &AskId::from(new));
        }
    }

    #[test]
    fn a_copied_pod_reports_the_same_as_the_pod_also_when_it_runs() {
        let mut snapshot = copied();
        more(&mut snapshot, "w1", "w1-2");
        assert!(passes(&snapshot, "w1-2", "n1") && !passes(&snapshot, "w1-2", "n2"), "it has the selector");
        more(&mut snapshot, "w2", "w2-2");
        assert!(passes(&snapshot, "w2-2", "n2"));
        place(&mut snapshot, "w2", "n2", true);
        assert!(why(&snapshot, "w2-2", "n2").contains("anti-affinity"), "both are counted, each for itself");
        place(&mut snapshot, "w2", "n2", false);
        place(&mut snapshot, "w2-2", "n2", true);
        assert!(why(&snapshot, "w2", "n2").contains("anti-affinity"));
        more(&mut snapshot, "unknown", "new");
        assert!(snapshot.why_not(&"new".into(), &"n1".into()).is_some_and(|why| why.contains("does not support")));
    }

    #[test]
    fn a_copy_of_a_node_has_its_labels_but_its_own_name() {
        let mut snapshot = copied();
        more(&mut snapshot, "n2", "n2-2");
        assert!(passes(&snapshot, "g", "n2-2") && !passes(&snapshot, "g", "n1"));
        place(&mut snapshot, "w2", "n2", true);
        more(&mut snapshot, "w2", "w3");
        assert!(passes(&snapshot, "w3", "n2-2") && !passes(&snapshot, "w3", "n2"), "its host is another one");
    }

    #[test]
    fn a_node_that_is_like_no_other_has_its_labels_and_its_name() {
        let mut snapshot = copied();
        let labels = |all: &[(&str, &str)]| all.iter().map(|(name, of)| ((*name).into(), (*of).into())).collect();
        let (plain, gpu) = (labels(&[]), labels(&[("gpu", "yes")]));
        assert!(snapshot.suits_labels(&AskId::from("x"), &plain) && !snapshot.suits_labels(&AskId::from("g"), &plain));
        assert!(snapshot.suits_labels(&AskId::from("g"), &gpu) && !snapshot.suits_labels(&AskId::from("?"), &gpu));
        snapshot.node_with(&NodeId::from("m5-1"), &gpu);
        assert!(passes(&snapshot, "g", "m5-1") && !passes(&snapshot, "w1", "m5-1"));
        place(&mut snapshot, "x", "m5-1", true);
        more(&mut snapshot, "x", "x1");
        assert!(passes(&snapshot, "x1", "n1") && !passes(&snapshot, "x1", "m5-1"), "its host is a domain");
    }

    #[test]
    fn a_spread_counts_a_new_domain() {
        let mut snapshot = copied();
        for (copy, node) in [("x1", "n1"), ("x2", "n2")] {
            more(&mut snapshot, "x", copy);
            place(&mut snapshot, copy, node, true);
        }
        assert!(passes(&snapshot, "x", "n1"), "one on each");
        more(&mut snapshot, "n1", "n3");
        assert!(passes(&snapshot, "x", "n3") && !passes(&snapshot, "x", "n1"), "the new host has none");
    }

    #[test]
    fn a_copy_of_a_snapshot_is_independent_of_other_copies() {
        let original = copied();
        let mut fork = original.clone();
        more(&mut fork, "n1", "n3");
        more(&mut fork, "x", "x1");
        assert!(passes(&fork, "x1", "n3"));
        assert!(original.why_not(&"x1".into(), &"n1".into()).is_some());
        assert!(original.why_not(&"x".into(), &"n3".into()).is_some());
    }
}
