//! What runs: what an application and a queue have now, and since when.

use std::sync::Arc;

use model::{Priority, QueuePath, Resource, Time};
use scheduler::Partition;
use scheduler::index::AppKey;
use scheduler::state::bands::Band;

/// What an application has and needs, and under whom that counts.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Rates {
    pub queue: QueuePath,
    #[serde(with = "model::saved::text")]
    pub user: Arc<str>,
    #[serde(with = "model::saved::text_option")]
    pub group: Option<Arc<str>>,
    /// In use, placeholders too; of asks of `priority`.
    pub allocated: Resource,
    /// Asked for and not allocated; of asks of `priority`.
    pub pending: Resource,
    /// The lowest priority among its asks. Not there in what earlier versions wrote, as what follows.
    #[serde(default)]
    pub priority: Priority,
    /// The same of higher priorities.
    #[serde(default)]
    pub higher: Vec<Band>,
}

impl Rates {
    pub fn of(partition: &Partition, app: AppKey) -> Self {
        let holder = partition.holder(app);
        let (queue, user, group) = (holder.queue, holder.user, holder.group);
        Self::new((queue, user, group), partition.apps[app].by_priority())
    }

    /// Of an application that counts under this queue, user and group, with what it has and needs by priority, the lowest first.
    pub fn new((queue, user, group): (QueuePath, Arc<str>, Option<Arc<str>>), mut bands: Vec<Band>) -> Self {
        bands.retain(|band| !band.allocated.is_zero() || !band.pending.is_zero());
        let mut bands = bands.into_iter();
        let nothing = Band { priority: Priority::default(), allocated: Resource::new(), pending: Resource::new() };
        let Band { priority, allocated, pending } = bands.next().unwrap_or(nothing);
        Self { queue, user, group, allocated, pending, priority, higher: bands.collect() }
    }

    /// What it has and needs, by priority, the lowest first.
    pub fn bands(&self) -> impl Iterator<Item = (Priority, &Resource, &Resource)> {
        let higher = self.higher.iter().map(|band| (band.priority, &band.allocated, &band.pending));
        std::iter::once((self.priority, &self.allocated, &self.pending)).chain(higher)
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
    pub fn new(allocated: &Resource, guaranteed: &Resource, now: Time) -> Self {
        Self { since: now, allocated: allocated.clone(), guaranteed: guaranteed.clone() }
    }

    /// The usage within the guarantee; the rest of the usage is borrowed.
    pub fn within(&self) -> Resource {
        let within = |(name, guaranteed): (_, i64)| (name, guaranteed.min(self.allocated.amount(name)).max(0));
        self.guaranteed.iter().map(within).collect()
    }
}
