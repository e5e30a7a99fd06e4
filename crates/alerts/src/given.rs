//! What rules are judged by: one moment of a cluster, and what is known next to it.

use std::sync::Arc;

use model::Time;
use view::View;
use view::record::Record;

/// What a step of the alerts is made from.
#[derive(Clone, Debug)]
pub struct Given {
    /// The cluster at that time.
    pub view: Arc<View>,
    /// The cluster's time now.
    pub at: Time,
    /// The important events of the last hours, the oldest first; `None` where the cluster does not report events.
    pub happened: Option<Vec<Arc<Record>>>,
    /// What is wrong with the connection, in words; `None` while the view is what is. Else only rules about the connection and the disk are
    /// judged.
    pub connection: Option<String>,
    /// What the scheduler says is wrong with itself, one sentence each; `None` where it is unknown.
    pub health: Option<Vec<String>>,
    /// The disk that the state is kept on; `None` without a state directory, or where it cannot be asked.
    pub disk: Option<Disk>,
    /// Whether the view has the applications; a remote may not have been asked yet.
    pub apps: bool,
}

/// How full a disk is, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disk {
    /// The directory on it, as it was named.
    pub folder: String,
    /// What is free for this program, in bytes.
    pub free: u64,
    /// What it has, in bytes.
    pub size: u64,
    /// Why something cannot be written there now.
    pub failure: Option<String>,
}

impl Disk {
    /// How much is in use, in percent; 100 where something cannot be written.
    pub fn used(&self) -> f64 {
        match (&self.failure, self.size) {
            (Some(_), _) => 100.0,
            (None, 0) => 0.0,
            (None, size) => size.saturating_sub(self.free) as f64 * 100.0 / size as f64,
        }
    }
}
