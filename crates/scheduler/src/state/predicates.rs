//! A resource manager's own conditions, in addition to resources.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use crate::state::ask::Ask;
use crate::state::node::Node;
use model::{AskId, NodeId};

/// Future requests and nodes that are copies of others: the original, then the copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// Pairs of requests.
    pub asks: Vec<(AskId, AskId)>,
    /// Pairs of nodes.
    pub nodes: Vec<(NodeId, NodeId)>,
}

/// The filters of a resource manager (SCH-094); `kubernetes::predicates` has those of Kubernetes.
///
/// A result may depend on the allocations of the nodes, so each added and removed allocation is reported.
pub trait Predicates: Debug + Send + Sync {
    /// Whether the request may run on the node. `allocate`: now; otherwise if the node had enough resources.
    fn pass(&self, ask: &Ask, node: &Node, allocate: bool) -> bool;

    /// Whether the request can never run on the node, whatever is removed from it. By default, `pass` without
    /// `allocate` decides.
    fn bars(&self, ask: &Ask, node: &Node) -> bool {
        !self.pass(ask, node, false)
    }

    /// How many of these must be removed, in their order and at least `least` (K8S-163). `None`: all are not enough.
    fn passes_without(&self, _ask: &Ask, _node: &Node, _there: &[&AskId], least: usize) -> Option<usize> {
        Some(least)
    }

    /// Why the request may not run on the node now, as text; `None` if it may, or without a text.
    fn refusal(&self, _ask: &Ask, _node: &Node) -> Option<String> {
        None
    }

    /// Whether two requests get the same answer for every node: if one failed, the other need not be tried until
    /// something changes.
    fn identical(&self, _one: &Ask, _other: &Ask) -> bool {
        false
    }

    /// A number that changes whenever some node may newly accept the request, apart from resources. `None`: unknown, so
    /// all nodes are checked each time.
    fn loosened(&self, _ask: &Ask) -> Option<u64> {
        None
    }

    /// The nodes that the request could use now, if known without a check of each: no other node passes.
    fn candidates(&self, _ask: &Ask) -> Option<Vec<NodeId>> {
        None
    }

    /// Counts the request on the node: it was decided, even if the resource manager has not bound it yet.
    fn placed(&mut self, _ask: &AskId, _node: &NodeId) {}

    /// Stops counting the request on the node.
    fn gone(&mut self, _ask: &AskId, _node: &NodeId) {}

    /// Adds a new request with the conditions of another one, for a what-if.
    fn ask_like(&mut self, _like: &AskId, _new: &AskId) {}

    /// Adds a new node that equals another one except for its name.
    fn node_like(&mut self, _like: &NodeId, _new: &NodeId) {}

    /// Adds a new node with these labels and nothing else, for an autoscaler.
    fn node_with(&mut self, _new: &NodeId, _labels: &BTreeMap<String, String>) {}

    /// Whether a request may go to a new node that is like another one, or has only these labels.
    fn suits_new(&self, _ask: &Ask, _like: Option<&Node>, _labels: &BTreeMap<String, String>) -> bool {
        true
    }

    /// The conditions by their own type, to be changed. `None`: they change only by reports.
    fn as_any(&mut self) -> Option<&mut dyn Any> {
        None
    }

    /// A copy with the placements of another one, for the requests that it knows. `None`: reports do not matter.
    fn placed_as(&self, _other: &dyn Predicates) -> Option<Arc<dyn Predicates>> {
        None
    }

    /// The conditions by their own type, read-only.
    fn as_any_ref(&self) -> Option<&dyn Any> {
        None
    }

    /// A copy for a fork of the scheduler, which gets its own reports. `None`: reports do not matter, so one is shared
    /// by all.
    fn copy(&self) -> Option<Arc<dyn Predicates>> {
        None
    }
}

/// A fork shares them first and then gets its own copy.
pub(crate) fn own_predicates(shared: &mut Option<Arc<dyn Predicates>>) -> Option<&mut (dyn Predicates + 'static)> {
    let predicates = shared.as_mut()?;
    if Arc::get_mut(predicates).is_none() {
        *predicates = predicates.copy()?;
    }
    Arc::get_mut(predicates)
}
