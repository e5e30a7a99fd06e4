//! Maps a node to its registration (K8S-150 to K8S-153).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::objects::{Node, Taint};
use super::quantity;
use model::{NodeId, Profile};
use scheduler::NodeSpec;

/// Returns the registration of a node, unschedulable until its running allocations are known (K8S-201).
///
/// # Errors
/// An allocatable quantity is invalid: the capacity is unknown.
pub(crate) fn node(node: &Node) -> Result<NodeSpec, String> {
    let name = &node.metadata.name;
    let capacity = quantity::resource(&node.status.allocatable).map_err(|why| format!("its allocatable {why}"))?;
    let mut attributes = BTreeMap::from([
        ("si/hostname".to_owned(), name.clone()),
        ("si/rackname".to_owned(), "/rack-default".to_owned()),
    ]);
    if let Some(kind) = node.metadata.labels.get("node.kubernetes.io/instance-type") {
        attributes.insert("si/instance-type".to_owned(), kind.clone());
    }
    Ok(NodeSpec { id: NodeId::from(name.as_str()), capacity, attributes, drained: true, ..NodeSpec::default() })
}

/// After its running allocations are known (K8S-152, switch `cordon_drains`). Before 1.9.0 the core also opens a
/// cordoned node, and only the filter NodeUnschedulable blocks pods.
pub(crate) fn opens(node: &Node, profile: Profile) -> bool {
    match profile {
        Profile::V1_5_1 | Profile::V1_8_0 => true,
        Profile::V1_9_0 | Profile::Kornsole => !node.spec.unschedulable,
    }
}

/// Adds Kubernetes' taint if it is missing (K8S-153).
pub(crate) fn taint_if_not_ready(node: &mut Arc<Node>) {
    let ready = node.status.conditions.iter().find(|condition| condition.kind == "Ready");
    let key = match ready.map(|ready| ready.status.as_str()) {
        // A node without the condition has not reported yet.
        None | Some("True") => return,
        Some("Unknown") => "node.kubernetes.io/unreachable",
        Some(_) => "node.kubernetes.io/not-ready",
    };
    if !node.spec.taints.iter().any(|taint| taint.key == key) {
        let taint = Taint { key: key.to_owned(), effect: "NoSchedule".to_owned(), ..Taint::default() };
        Arc::make_mut(node).spec.taints.push(taint);
    }
}
