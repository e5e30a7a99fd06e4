//! Loading a configuration, draining queues, and removing them with the cleaner.

pub(super) mod load_queues;
pub(super) mod queue_cleaner;
pub mod queue_drain;
pub(super) mod reload;
