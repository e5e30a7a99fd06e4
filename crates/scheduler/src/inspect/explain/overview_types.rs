//! All pending requests as data.

use std::sync::Arc;

use super::types::Blocker;
use model::{AppId, QueuePath, Resource, Time};

/// All pending requests, grouped by their first blocker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// The time of the overview.
    pub at: Time,
    /// The name of the partition.
    pub partition: Arc<str>,
    /// Set if only this queue and its subtree are examined.
    pub below: Option<QueuePath>,
    /// The number of applications with pending requests.
    pub apps: u64,
    /// The number of pending requests.
    pub asks: u64,
    /// The groups: first those that no time removes, then by what removes them, the largest first.
    pub groups: Vec<WaitingGroup>,
    /// The number of omitted groups.
    pub left_out: u64,
}

/// Requests with the same first blocker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaitingGroup {
    /// `None` if a next cycle allocates them.
    pub blocker: Option<Blocker>,
    /// The number of applications.
    pub apps: u64,
    /// The number of requests.
    pub asks: u64,
    /// The sum of their resources.
    pub wanted: Resource,
    /// When the oldest was created.
    pub since: Time,
    /// The first applications in the order of a cycle.
    pub examples: Vec<Example>,
}

/// An application in a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The application ID, unique in its partition.
    pub app: AppId,
    /// The full path of its leaf.
    pub queue: QueuePath,
    /// The number of its requests in the group.
    pub asks: u64,
}
