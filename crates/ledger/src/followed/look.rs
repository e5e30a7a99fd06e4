//! What the lists of a scheduler show at about one moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{AppId, AskId, Priority, QueuePath, Resource, Time};

/// A look at the lists of a scheduler.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// When it was taken.
    pub at: Time,
    /// Events with a lower number are in it; of those from this one on it is unknown.
    pub number: u64,
    /// All partitions that there were.
    pub partitions: Vec<SeenPartition>,
}

/// A partition in a look.
#[derive(Clone, Debug, Default)]
pub struct SeenPartition {
    /// The name of the partition.
    pub name: Arc<str>,
    /// The live applications, except for those that are the same.
    pub apps: Vec<SeenApp>,
    /// Those that are as the last look showed them, and agreed then ([`Followed::agrees`](super::Followed::agrees)).
    pub same: Vec<AppId>,
    /// The queues with a guarantee.
    pub guarantees: BTreeMap<QueuePath, Resource>,
    /// Who applications were of that ended lately.
    pub ended: Vec<(AppId, Arc<str>)>,
}

/// An application in a look.
#[derive(Clone, Debug, Default)]
pub struct SeenApp {
    /// The id that it was submitted with.
    pub id: AppId,
    /// When it was submitted: the same id submitted again is another application.
    pub submitted: Time,
    /// The leaf that it is in.
    pub queue: QueuePath,
    /// Who submitted it.
    pub user: Arc<str>,
    /// The group that it counts under; `None` where there is none, or it is unknown.
    pub group: Option<Arc<str>>,
    /// Its asks, pending and allocated.
    pub asks: BTreeMap<AskId, SeenAsk>,
    /// What its ended allocations used by the scheduler's own count, in base units times seconds; `None` where it counts nothing.
    pub counted: Option<BTreeMap<Box<str>, u64>>,
}

/// An ask in a look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenAsk {
    /// What it asks with.
    pub priority: Priority,
    /// What it waits for.
    pub pending: Option<Resource>,
    /// What it has.
    pub allocated: Option<Resource>,
}
