//! What a cluster looked like at one time, for the history.

use std::sync::Arc;
use std::time::Duration;

use model::{QueuePath, Resource, Time};

/// How often a sample is taken.
pub const SAMPLE_EVERY: Duration = Duration::from_secs(10);

/// One moment of a cluster.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sample {
    /// The moment of the sample, in the scheduler's time.
    pub at: Time,
    /// Applications that are Starting or Running.
    pub running: u64,
    /// Live applications, in any state.
    pub live: u64,
    /// Allocations that exist, placeholders among them.
    pub allocations: u64,
    /// Allocations made since the start.
    pub made: u64,
    /// Asks that are pending.
    pub pending_asks: u64,
    /// The partitions, in the order of the configuration.
    pub partitions: Vec<PartitionSample>,
}

/// One partition at one time.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PartitionSample {
    /// The name of the partition.
    #[serde(with = "model::saved::text")]
    pub name: Arc<str>,
    /// What its nodes have.
    pub capacity: Resource,
    /// What is allocated.
    pub allocated: Resource,
    /// What is pending.
    pub pending: Resource,
    /// The queues in which something is allocated or pending, a parent before its children; none in samples that are too old.
    #[serde(with = "samples")]
    pub queues: Arc<[QueueSample]>,
}

/// One queue at one time.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct QueueSample {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// What is allocated in it and below it.
    pub allocated: Resource,
    /// What is pending.
    pub pending: Resource,
    /// Applications that are Starting or Running.
    pub running: u64,
}

/// Shared samples as a sequence.
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
    /// Whether it is the one of its minute, of those taken every [`SAMPLE_EVERY`].
    pub fn on_the_minute(&self) -> bool {
        step(self.at).is_multiple_of(6)
    }
}

/// Which step of [`SAMPLE_EVERY`] a time is in.
pub(super) const fn step(at: Time) -> u64 {
    at.0 / SAMPLE_EVERY.as_micros() as u64
}
