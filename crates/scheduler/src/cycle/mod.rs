//! One scheduling cycle.
//!
//! Where to read: `try_queues` walks the tree and a leaf's applications, `try_asks` the requests of one application and
//! the nodes, `leaf_walk` is the walk over a leaf, `reservation` the reservations of nodes, `backoff` decides what is
//! skipped, `asleep` skips groups, `skipped_cycles` counts, `commit_check` is the last check of maxima,
//! `batch_allocation` makes several allocations in one cycle, `turns` keeps later requests from delaying a blocked one.

pub(super) mod asleep;
pub(super) mod backoff;
pub(super) mod batch_allocation;
pub(super) mod commit_check;
pub(super) mod headroom;
pub(super) mod leaf_walk;
pub(super) mod reservation;
pub(super) mod skipped_cycles;
mod space;
#[cfg(test)]
mod tests;
pub(super) mod try_asks;
pub(super) mod try_queues;
pub(super) mod turns;
#[cfg(test)]
mod turns_tests;
