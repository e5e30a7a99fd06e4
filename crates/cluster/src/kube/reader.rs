//! A cluster that is only read: this type has no way to send anything but a GET.

use std::sync::Arc;

use tokio::sync::mpsc::Sender;

use super::access::ContextInfo;
use super::cluster::Cluster;
use super::objects::Followed;
use super::page::Pace;
use super::watch::{Change, follow_at};

/// A cluster that is only read.
#[derive(Clone, Debug)]
pub struct Reader(Arc<Cluster>);

impl Reader {
    /// Reads a cluster.
    pub fn new(cluster: Arc<Cluster>) -> Self {
        Self(cluster)
    }

    /// The context of the kubeconfig that leads there.
    pub fn context(&self) -> &ContextInfo {
        self.0.context()
    }

    /// Follows a list of objects at an address until no one takes the changes any more.
    pub async fn follow<T: Followed>(self, pace: Pace, path: String, changes: Sender<Change<T>>) {
        follow_at(self.0, pace, path, changes).await;
    }
}
