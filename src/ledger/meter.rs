//! What runs: what an application and a queue have now, and since when.

use std::sync::Arc;

use crate::model::{QueuePath, Resource, Time};
use crate::scheduler::Partition;
use crate::scheduler::index::AppKey;
use crate::scheduler::state::queue::Queue;

/// What an application has and wants, and under whom that counts.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Rates {
    pub queue: QueuePath,
    #[serde(with = "crate::model::saved::text")]
    pub user: Arc<str>,
    #[serde(with = "crate::model::saved::text_option")]
    pub group: Option<Arc<str>>,
    /// In use, placeholders too.
    pub allocated: Resource,
    /// Asked for and not allocated.
    pub pending: Resource,
}

impl Rates {
    pub fn of(partition: &Partition, app: AppKey) -> Self {
        let holder = partition.holder(app);
        let application = &partition.apps[app];
        Self {
            queue: holder.queue,
            user: holder.user,
            group: holder.group,
            allocated: application.holds(),
            pending: application.pending.clone(),
        }
    }
}

/// The meter of an application.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct AppMeter {
    /// When it was last read.
    pub since: Time,
    pub rates: Rates,
}

/// The meter of a queue with a guarantee, for the usage in it and below it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct QueueMeter {
    /// When it was last read.
    pub since: Time,
    pub allocated: Resource,
    pub guaranteed: Resource,
}

impl QueueMeter {
    pub fn of(queue: &Queue, now: Time) -> Self {
        let guaranteed = queue.guaranteed.clone().unwrap_or_default();
        Self { since: now, allocated: queue.allocated.clone(), guaranteed }
    }

    /// Whether the queue has what it had when this was last read.
    pub fn says(&self, queue: &Queue) -> bool {
        self.allocated == queue.allocated && queue.guaranteed.as_ref() == Some(&self.guaranteed)
    }

    /// The usage within the guarantee; the rest of the usage is borrowed.
    pub fn within(&self) -> Resource {
        let within = |(name, guaranteed): (_, i64)| (name, guaranteed.min(self.allocated.amount(name)).max(0));
        self.guaranteed.iter().map(within).collect()
    }
}
