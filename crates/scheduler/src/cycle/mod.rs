//! One scheduling cycle: `try_queues` walks the tree and a leaf's applications, `try_asks` the requests and nodes.
//! `backoff` decides what is skipped, `turns` what waits for a blocked request.

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
