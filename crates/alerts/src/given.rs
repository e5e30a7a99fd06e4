//! The inputs of rules: a cluster at one time, and additional data.

use std::sync::Arc;

use model::Time;
use view::View;
use view::record::Record;

/// The inputs of one evaluation.
#[derive(Clone, Debug)]
pub struct Given {
    /// The cluster at that time.
    pub view: Arc<View>,
    /// The cluster time.
    pub at: Time,
    /// The important events of the last hours, the oldest first; `None` if the cluster does not report events.
    pub happened: Option<Vec<Arc<Record>>>,
    /// The connection problem, in words; `None` while connected. With one, only rules about the connection and the disk
    /// are evaluated.
    pub connection: Option<String>,
    /// The failed health checks, one sentence each; `None` if unknown.
    pub health: Option<Vec<String>>,
    /// The disk of the state directory; `None` without one, or if it cannot be queried.
    pub disk: Option<Disk>,
    /// Whether the applications are loaded.
    pub apps: bool,
}

/// The usage and failure of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disk {
    /// The directory on it, as it was named.
    pub dir: String,
    /// What is free for this program, in bytes.
    pub free: u64,
    /// What it has, in bytes.
    pub size: u64,
    /// Why writes fail.
    pub failure: Option<String>,
}

impl Disk {
    /// The used percentage; 100 if writes fail.
    pub fn used(&self) -> f64 {
        match (&self.failure, self.size) {
            (Some(_), _) => 100.0,
            (None, 0) => 0.0,
            (None, size) => size.saturating_sub(self.free) as f64 * 100.0 / size as f64,
        }
    }
}
