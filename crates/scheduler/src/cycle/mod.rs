//! One scheduling cycle.
//!
//! `try_queues` walks the tree and a leaf's applications, `try_asks` the requests of one application and the nodes.
//! `backoff` decides what is skipped, `asleep` skips groups, `skipped_cycles` counts. `commit_check` is the last check
//! of maxima.

pub(super) mod asleep;
pub(super) mod backoff;
pub(super) mod batch_allocation;
pub(super) mod commit_check;
pub(super) mod headroom;
pub(super) mod leaf_walk;
pub(super) mod reservation;
pub(super) mod skipped_cycles;
#[cfg(test)]
mod tests;
pub(super) mod try_asks;
pub(super) mod try_queues;
