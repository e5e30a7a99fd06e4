//! A resource manager's own conditions for an ask on a node, besides resources.

use std::fmt::Debug;

use crate::scheduler::state::ask::Ask;
use crate::scheduler::state::node::Node;

/// A resource manager's own conditions (SCH-094). None of this program's has any: without them everything passes.
pub trait Predicates: Debug + Send + Sync {
    /// Whether the ask may go to the node. `allocate`: it would go there now; else it is only asked whether it could, were there
    /// room.
    fn pass(&self, ask: &Ask, node: &Node, allocate: bool) -> bool;
}
