//! A read-only cluster: this type can only send GET.

use std::sync::Arc;

use tokio::sync::mpsc::Sender;

use super::access::ContextInfo;
use super::cluster::Cluster;
use super::objects::Followed;
use super::page::Pace;
use super::watch::{Change, follow_at};

/// A read-only cluster.
#[derive(Clone, Debug)]
pub struct Reader(Arc<Cluster>);

impl Reader {
    /// Wraps a cluster.
    pub fn new(cluster: Arc<Cluster>) -> Self {
        Self(cluster)
    }

    /// Returns the context.
    pub fn context(&self) -> &ContextInfo {
        self.0.context()
    }

    /// Follows a list until the receiver is dropped.
    pub async fn follow<T: Followed>(self, pace: Pace, path: String, changes: Sender<Change<T>>) {
        follow_at(self.0, pace, path, changes).await;
    }
}
