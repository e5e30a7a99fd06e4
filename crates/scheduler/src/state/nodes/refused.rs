//! Requests that conditions keep from all nodes, remembered until a node changes.

use crate::state::ask::Ask;

pub(super) const MOST_KNOWN: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Refused {
    /// The number of changes at that time.
    pub at: u64,
    pub known: Vec<Known>,
}

#[derive(Clone, Debug)]
pub(super) struct Known {
    pub ask: Ask,
    /// Whether no node accepts it, and whether no node can be reserved for it either.
    pub nowhere: [bool; 2],
    /// The number of nodes with enough resources that refuse it.
    pub refusing: Option<u64>,
}
