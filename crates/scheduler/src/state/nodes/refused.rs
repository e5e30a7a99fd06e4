//! What no node takes because of a resource manager's own conditions: remembered for asks that are alike, until a node changes.

use crate::state::ask::Ask;

/// How many kinds of asks are remembered at most.
pub(super) const MOST_KNOWN: usize = 64;

/// Asks that were refused since the last change of a node, one of each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Refused {
    /// How many changes there had been then.
    pub at: u64,
    pub known: Vec<Known>,
}

#[derive(Clone, Debug)]
pub(super) struct Known {
    pub ask: Ask,
    /// No node takes it; if it is the second, none can be reserved for it either.
    pub nowhere: [bool; 2],
    /// How many nodes have room and refuse it.
    pub refusing: Option<u64>,
}
