//! Meters: the current quantities of an application or queue, and their start.

use std::sync::Arc;

use model::{Priority, QueuePath, Resource, Time};
use scheduler::Partition;
use scheduler::index::AppKey;
use scheduler::state::bands::Band;

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Rates {
    pub queue: QueuePath,
    #[serde(with = "model::saved::text")]
    pub user: Arc<str>,
    #[serde(with = "model::saved::text_option")]
    pub group: Option<Arc<str>>,
    /// Allocated at `priority`, including placeholders.
    pub allocated: Resource,
    pub pending: Resource,
    /// Absent in files of earlier versions, like the next field.
    #[serde(default)]
    pub priority: Priority,
    /// The bands of higher priorities.
    #[serde(default)]
    pub higher: Vec<Band>,
}

impl Rates {
    pub fn of(partition: &Partition, app: AppKey) -> Self {
        let holder = partition.holder(app);
        let (queue, user, group) = (holder.queue, holder.user, holder.group);
        Self::new((queue, user, group), partition.apps[app].by_priority())
    }

    /// Creates rates from bands by priority, the lowest first.
    pub fn new((queue, user, group): (QueuePath, Arc<str>, Option<Arc<str>>), mut bands: Vec<Band>) -> Self {
        bands.retain(|band| !band.allocated.is_zero() || !band.pending.is_zero());
        let mut bands = bands.into_iter();
        let nothing = Band { priority: Priority::default(), allocated: Resource::new(), pending: Resource::new() };
        let Band { priority, allocated, pending } = bands.next().unwrap_or(nothing);
        Self { queue, user, group, allocated, pending, priority, higher: bands.collect() }
    }

    /// The bands by priority, the lowest first.
    pub fn bands(&self) -> impl Iterator<Item = (Priority, &Resource, &Resource)> {
        let higher = self.higher.iter().map(|band| (band.priority, &band.allocated, &band.pending));
        std::iter::once((self.priority, &self.allocated, &self.pending)).chain(higher)
    }
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct AppMeter {
    /// The last reading.
    pub since: Time,
    pub rates: Rates,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct QueueMeter {
    pub since: Time,
    pub allocated: Resource,
    pub guaranteed: Resource,
}

impl QueueMeter {
    pub fn new(allocated: &Resource, guaranteed: &Resource, now: Time) -> Self {
        Self { since: now, allocated: allocated.clone(), guaranteed: guaranteed.clone() }
    }

    /// The usage within the guaranteed resources; the rest is borrowed.
    pub fn within(&self) -> Resource {
        let within = |(name, guaranteed): (_, i64)| (name, guaranteed.min(self.allocated.amount(name)).max(0));
        self.guaranteed.iter().map(within).collect()
    }
}
