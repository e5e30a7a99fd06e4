//! A resource manager's own conditions for an ask on a node, in addition resources.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::state::ask::Ask;
use crate::state::node::Node;
use model::{AskId, NodeId};

/// Asks and nodes that are to come and are copies of others: the original, then the copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// Pairs of asks.
    pub asks: Vec<(AskId, AskId)>,
    /// Pairs of nodes.
    pub nodes: Vec<(NodeId, NodeId)>,
}

/// A resource manager's own conditions (SCH-094). Without any everything passes; those of Kubernetes are in `kubernetes::predicates`.
///
/// An answer may depend on what runs where. The scheduler reports every allocation that comes and goes, so the answers after a decision
/// reflect it.
pub trait Predicates: Debug + Send + Sync {
    /// Whether the ask may go to the node. `allocate`: it would go there now; else it is only asked whether it could, were there
    /// room.
    fn pass(&self, ask: &Ask, node: &Node, allocate: bool) -> bool;

    /// Whether the ask can never go to the node, whatever goes from there. Without more knowledge running allocations there does not matter.
    fn bars(&self, ask: &Ask, node: &Node) -> bool {
        !self.pass(ask, node, false)
    }

    /// How many of these allocations on the node have to go, in their order and at least `least`, before the ask may go there (K8S-163); it is
    /// not barred from it. `None`: not even then.
    fn passes_without(&self, _ask: &Ask, _node: &Node, _there: &[&AskId], least: usize) -> Option<usize> {
        Some(least)
    }

    /// Why the ask may not go to the node now, in words; `None` where it may, or where there are no words for it.
    fn refusal(&self, _ask: &Ask, _node: &Node) -> Option<String> {
        None
    }

    /// Whether two asks get the same answer for every node: what one of them failed by the other need not try again while nothing changes.
    fn identical(&self, _one: &Ask, _other: &Ask) -> bool {
        false
    }

    /// A number that is another one whenever some node may let the ask go that did not, before, for what changed since; room on nodes
    /// aside. `None`: that is unknown, so all nodes are asked each time.
    fn loosened(&self, _ask: &Ask) -> Option<u64> {
        None
    }

    /// The nodes that the ask could go to now, if these are known without a look at each: no other node passes.
    fn candidates(&self, _ask: &Ask) -> Option<Vec<NodeId>> {
        None
    }

    /// From now on the ask counts on the node: it was decided, whether or not the resource manager has carried it out.
    fn placed(&mut self, _ask: &AskId, _node: &NodeId) {}

    /// The ask does not count on the node any more.
    fn gone(&mut self, _ask: &AskId, _node: &NodeId) {}

    /// From now on this ask is known too. It has the conditions of another one: a what-if requests that once more.
    fn ask_like(&mut self, _like: &AskId, _new: &AskId) {}

    /// From now on this node is known too. It is like another one except for its name.
    fn node_like(&mut self, _like: &NodeId, _new: &NodeId) {}

    /// The conditions by their own type, for who changes them. `None`: they change only by what is reported.
    fn as_any(&mut self) -> Option<&mut dyn Any> {
        None
    }

    /// A copy that counts asks on nodes as another one does, of those that it knows. `None`: what is reported does not matter.
    fn placed_as(&self, _other: &dyn Predicates) -> Option<Arc<dyn Predicates>> {
        None
    }

    /// The conditions by their own type, to be read.
    fn as_any_ref(&self) -> Option<&dyn Any> {
        None
    }

    /// A copy for a fork of the scheduler, which other allocations are reported to from now on. `None`: what is reported does not
    /// matter, so one may represent all.
    fn copy(&self) -> Option<Arc<dyn Predicates>> {
        None
    }
}

/// The conditions, to be changed. A fork has the same ones at first, and gets its own.
pub(crate) fn own_predicates(shared: &mut Option<Arc<dyn Predicates>>) -> Option<&mut (dyn Predicates + 'static)> {
    let predicates = shared.as_mut()?;
    if Arc::get_mut(predicates).is_none() {
        *predicates = predicates.copy()?;
    }
    Arc::get_mut(predicates)
}
