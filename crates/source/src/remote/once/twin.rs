//! Simulation copies from the complete remote state.

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
    /// Makes a simulation copy of a partition from the current remote state, in Kubernetes including the API server;
    /// the inner error is why there is none.
    ///
    /// # Errors
    /// Returns an error if any part cannot be fetched.
    pub fn twin(&mut self, partition: &str, at: Time) -> Result<Result<Twin, String>, Fault> {
        self.twin_by(partition, at, |_, _| None)
    }

    /// As [`Self::twin`], with known objects.
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
        // After the requests: their pods exist by now.
        let cluster = self.cluster().filter(|_| partition == PARTITION);
        let list = |cluster: &Arc<Cluster>| self.runtime.block_on(cluster.list_for_filters());
        let listed = cluster
            .zip(part.as_ref().ok())
            .map(|(cluster, part)| known(part, &self.runtime).unwrap_or_else(|| list(&cluster)));
        let twin = part.and_then(|part| match listed {
            Some(listed) => Twin::in_kubernetes(part, profile, at, listed),
            None => Twin::of(part, profile, at),
        });
        Ok(twin.map(|twin| twin.with_text(text).without(&self.reasons)))
    }
}
