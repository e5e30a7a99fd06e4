//! Samples of a cluster, for the history.

use std::sync::Arc;
use std::time::Duration;

use model::{QueuePath, Resource, Time};

/// The sampling interval.
pub const SAMPLE_EVERY: Duration = Duration::from_secs(10);

/// A cluster at one time.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sample {
    /// The scheduler time.
    pub at: Time,
    /// Applications that are Starting or Running.
    pub running: u64,
    /// Live applications, in any state.
    pub live: u64,
    /// Existing allocations, including placeholders.
    pub allocations: u64,
    /// Allocations made since the start.
    pub made: u64,
    /// Asks that are pending.
    pub pending_asks: u64,
    /// The partitions, in configuration order.
    pub partitions: Vec<PartitionSample>,
}

/// One partition at one time.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PartitionSample {
    /// The name of the partition.
    #[serde(with = "model::saved::text")]
    pub name: Arc<str>,
    /// The capacity of its nodes.
    pub capacity: Resource,
    /// The allocated resources.
    pub allocated: Resource,
    /// The pending resources.
    pub pending: Resource,
    /// The queues with allocated or pending resources, parents before children; empty in old samples.
    #[serde(with = "samples")]
    pub queues: Arc<[QueueSample]>,
}

/// A queue at one time.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct QueueSample {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// The allocated resources of the subtree.
    pub allocated: Resource,
    /// The pending resources.
    pub pending: Resource,
    /// Applications that are Starting or Running.
    pub running: u64,
}

mod samples {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::QueueSample;

    pub fn serialize<S: Serializer>(samples: &Arc<[QueueSample]>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(samples.iter())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<[QueueSample]>, D::Error> {
        Vec::deserialize(from).map(Arc::from)
    }
}

impl Sample {
    /// Whether it is the sample of its minute, among those taken every [`SAMPLE_EVERY`].
    pub fn on_the_minute(&self) -> bool {
        step(self.at).is_multiple_of(6)
    }
}

pub(super) const fn step(at: Time) -> u64 {
    at.0 / SAMPLE_EVERY.as_micros() as u64
}
