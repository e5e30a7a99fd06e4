//! Each filter against its line in section 7; then all against a naive implementation.

pub(crate) mod naive;
pub(crate) mod property;
mod table;

use std::sync::Arc;

use super::{PodFacts, Snapshot};
use crate::objects::Pod;
use crate::{Cluster, ManifestReport, read_manifests};
use model::{AskId, NodeId};
use scheduler::Predicates;

pub(crate) fn cluster(text: &str) -> Cluster {
    let (mut cluster, mut report) = (Cluster::default(), ManifestReport::default());
    read_manifests("test.yaml", text.as_bytes(), &mut cluster, &mut report);
    assert_eq!(report.faults, Vec::<String>::new());
    cluster
}

pub(super) fn snapshot(cluster: &Cluster) -> Snapshot {
    let pods: Vec<&Arc<Pod>> = cluster.pods.values().collect();
    Snapshot::of(
        cluster.nodes.values().map(AsRef::as_ref),
        &pods,
        &cluster.namespace_labels(),
        cluster.storage(),
        false,
    )
}

fn facts<'s>(snapshot: &'s Snapshot, pod: &str, node: &str) -> (&'s PodFacts, usize) {
    snapshot.known(&AskId::from(pod), &NodeId::from(node)).expect("both are there")
}

/// Also checks that the cycle's answer, the message, and the candidates agree.
pub(super) fn passes(snapshot: &Snapshot, pod: &str, node: &str) -> bool {
    let (pod_facts, number) = facts(snapshot, pod, node);
    let lets = snapshot.lets(pod_facts, number, true);
    let words = snapshot.why_not(&AskId::from(pod), &NodeId::from(node));
    assert_eq!(lets, words.is_none(), "{pod} on {node}: {words:?}");
    let verdict = &snapshot.facts.known.verdicts[pod_facts.conditions.expect("it has no node")];
    assert!(!lets || verdict.few.is_empty() || verdict.few.iter().any(|few| few.as_str() == node));
    lets
}

pub(super) fn may_reserve(snapshot: &Snapshot, pod: &str, node: &str) -> bool {
    let (pod, node) = facts(snapshot, pod, node);
    snapshot.lets(pod, node, false)
}

pub(super) fn why(snapshot: &Snapshot, pod: &str, node: &str) -> String {
    assert!(!passes(snapshot, pod, node), "{pod} may go to {node}");
    snapshot.why_not(&AskId::from(pod), &NodeId::from(node)).unwrap_or_default()
}

pub(super) fn place(snapshot: &mut Snapshot, pod: &str, node: &str, added: bool) {
    let (pod, node) = (AskId::from(pod), NodeId::from(node));
    if added { snapshot.placed(&pod, &node) } else { snapshot.gone(&pod, &node) }
}
