//! The state of a partition, in `partition`; `accounting` changes the counters. `app_rank` and `app_order` order a
//! leaf's applications; `siblings` and `sibling_order` a parent's queues.

pub(super) mod accounting;
pub mod app;
pub(super) mod app_order;
pub(super) mod app_rank;
pub mod ask;
pub(super) mod ask_ids;
pub mod ask_log;
pub mod ask_rare;
mod ask_saved;
mod asleep;
pub(super) mod backoff;
pub mod bands;
pub mod candidates;
pub mod dirty;
pub(super) mod dirty_marks;
pub(crate) mod group_cache;
pub(crate) mod known_ids;
pub mod meter;
pub mod node;
pub mod nodes;
pub mod partition;
pub mod predicates;
pub mod queue;
pub mod queue_tree;
mod saved_fields;
pub mod scheduler;
pub mod share;
pub(super) mod sibling_order;
pub(super) mod siblings;
pub(super) mod skipped_cycles;
pub(super) mod skyline;
pub mod task_group;
pub mod timer;
