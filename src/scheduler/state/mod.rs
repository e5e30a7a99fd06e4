//! The state of a partition: applications, asks, nodes, queues, the orders among them, and the counters that move with them.

pub mod app;
pub(super) mod ask_ids;
pub mod ask_log;
pub mod dirty;
pub mod meter;
pub mod node;
pub(super) mod order;
pub mod partition;
pub mod predicates;
pub mod queue;
pub(super) mod siblings;
pub(super) mod skyline;
