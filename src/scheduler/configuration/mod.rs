//! Loading a configuration, and the queues that go with it: queues that drain, queues that the cleaner removes.

pub(super) mod load_queues;
pub(super) mod queue_cleaner;
pub mod queue_drain;
pub(super) mod reload;
