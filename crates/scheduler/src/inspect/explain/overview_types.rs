//! All pending requests, as data.

use std::sync::Arc;

use super::types::Blocker;
use model::{AppId, QueuePath, Resource, Time};

/// What keeps all pending requests from being allocated, each under its first blocker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// The moment for which it holds.
    pub at: Time,
    /// The name of the partition that is examined.
    pub partition: Arc<str>,
    /// Only pending requests in this queue and below it.
    pub below: Option<QueuePath>,
    /// How many applications wait.
    pub apps: u64,
    /// How many asks wait.
    pub asks: u64,
    /// What they wait for: that for which most asks wait first.
    pub groups: Vec<WaitingGroup>,
    /// How many groups more there are.
    pub left_out: u64,
}

/// Asks with the same first blocker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaitingGroup {
    /// What they wait for, as the first of them; `None`: for nothing, a next cycle serves them.
    pub blocker: Option<Blocker>,
    /// How many applications.
    pub apps: u64,
    /// How many asks.
    pub asks: u64,
    /// What they request in all.
    pub wanted: Resource,
    /// When the oldest of them was asked.
    pub since: Time,
    /// The first few applications, in the order in which a cycle tries them.
    pub examples: Vec<Example>,
}

/// An application that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The id of the application, unique in its partition.
    pub app: AppId,
    /// The full path of its leaf.
    pub queue: QueuePath,
    /// How many of its asks wait for this.
    pub asks: u64,
}
