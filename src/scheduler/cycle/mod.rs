//! One scheduling cycle: which queue, which application, which ask, which node; and what a cycle may skip.

pub(super) mod backoff;
pub(super) mod batch_allocation;
mod headroom;
pub(super) mod reservation;
pub(super) mod skipped_cycles;
pub(super) mod try_asks;
pub(super) mod try_queues;
