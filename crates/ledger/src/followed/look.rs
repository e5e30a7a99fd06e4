//! Looks: the lists of a scheduler at about one time.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{AppId, AskId, Priority, QueuePath, Resource, Time};

/// A look at the lists of a scheduler.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// When it was taken.
    pub at: Time,
    /// Events before this number are included; later ones may be.
    pub number: u64,
    /// All partitions that there were.
    pub partitions: Vec<SeenPartition>,
}

/// A partition in a look.
#[derive(Clone, Debug, Default)]
pub struct SeenPartition {
    /// The name of the partition.
    pub name: Arc<str>,
    /// The active applications, except for unchanged ones.
    pub apps: Vec<SeenApp>,
    /// Applications that are unchanged since the last look and agreed with it
    /// ([`Followed::agrees`](super::Followed::agrees)).
    pub same: Vec<AppId>,
    /// The queues with guaranteed resources.
    pub guarantees: BTreeMap<QueuePath, Resource>,
    /// Recently ended applications with their users.
    pub ended: Vec<(AppId, Arc<str>)>,
}

/// An application in a look.
#[derive(Clone, Debug, Default)]
pub struct SeenApp {
    /// The id that it was submitted with.
    pub id: AppId,
    /// The submission time: the same id can be submitted again.
    pub submitted: Time,
    /// The leaf that it is in.
    pub queue: QueuePath,
    /// Who submitted it.
    pub user: Arc<str>,
    /// The group; `None` if it has none or it is unknown.
    pub group: Option<Arc<str>>,
    /// Its requests, pending and allocated.
    pub asks: BTreeMap<AskId, SeenAsk>,
    /// The scheduler's sum for its ended allocations, in base units times seconds; `None` if the scheduler does not
    /// count.
    pub counted: Option<BTreeMap<Box<str>, u64>>,
}

/// A request in a look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenAsk {
    /// What it asks with.
    pub priority: Priority,
    /// The pending resources.
    pub pending: Option<Resource>,
    /// The allocated resources.
    pub allocated: Option<Resource>,
}
