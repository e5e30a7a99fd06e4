//! Twins that are made of all that the other side shows at one time.

use std::sync::Arc;

use tokio::runtime::Runtime;

use super::{Once, Want};
use ::cluster::kube::Cluster;
use client::Fault;
use forecast::twin::Twin;
use kubernetes::Listed;
use kubernetes::live::PARTITION;
use model::Time;
use view::PartitionView;

impl Once {
    /// A twin of a partition, made of all that the other side shows at about this moment, and in Kubernetes the API server too; or why there
    /// is none.
    ///
    /// # Errors
    /// Something of it cannot be fetched.
    pub fn twin(&mut self, partition: &str, at: Time) -> Result<Result<Twin, String>, Fault> {
        self.twin_by(partition, at, |_, _| None)
    }

    /// The same, with what is known of the API server already; what is not is listed.
    ///
    /// # Errors
    /// Something of it cannot be fetched.
    pub fn twin_by(
        &mut self,
        partition: &str,
        at: Time,
        known: impl FnOnce(&PartitionView, &Runtime) -> Option<Listed>,
    ) -> Result<Result<Twin, String>, Fault> {
        let profile = self.remote.profile();
        let view = self.look(&[Want::Users, Want::Apps, Want::Ended, Want::Nodes])?;
        let part = view.partitions.iter().find(|part| *part.name == *partition);
        let part = part.ok_or_else(|| format!("partition {partition} not found"));
        let text = self.remote_state.configured_text();
        // After the asks: the pod of each is there by now.
        let cluster = self.cluster().filter(|_| partition == PARTITION);
        let list = |cluster: &Arc<Cluster>| self.runtime.block_on(cluster.list_for_filters());
        let listed = cluster
            .zip(part.as_ref().ok())
            .map(|(cluster, part)| known(part, &self.runtime).unwrap_or_else(|| list(&cluster)));
        let twin = part.and_then(|part| match listed {
            Some(listed) => Twin::in_kubernetes(part, profile, at, listed),
            None => Twin::of(part, profile, at),
        });
        Ok(twin.map(|twin| twin.with_text(text)))
    }
}
