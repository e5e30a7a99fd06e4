//! Derives measurements from view samples, for times without any.

use std::sync::Arc;

use super::moment::{Layout, Moment, Row};
use super::value::{Measure, Subject};
use crate::{PartitionSample, Sample};
use model::Resource;

/// The moment of a sample: usage, pending, capacity, and share of the cluster; usage, pending, share, and running
/// applications of its queues. Other values are unknown. `None` if the partition is not in the sample.
pub fn sampled(sample: &Sample, partition: &str, layout: &Layout) -> Option<Moment> {
    let part = sample.partitions.iter().find(|part| *part.name == *partition)?;
    let mut rows = vec![row(part, layout, Subject::Cluster, &part.allocated, &part.pending)];
    for (at, name) in layout.resources.iter().enumerate() {
        rows[0].metrics[layout.of_resource(Measure::Maximum, at)] = Some(part.capacity.amount(name));
    }
    // The number includes the applications of other partitions.
    if sample.partitions.len() == 1 {
        rows[0].metrics[layout.plain(Measure::Running)] = i64::try_from(sample.running).ok();
    }
    for queue in part.queues.iter() {
        let mut own = row(part, layout, Subject::Queue(queue.queue.clone()), &queue.allocated, &queue.pending);
        own.metrics[layout.plain(Measure::Running)] = i64::try_from(queue.running).ok();
        rows.push(own);
    }
    Some(Moment { at: sample.at, partition: Arc::clone(&part.name), layout: layout.clone(), rows })
}

fn row(part: &PartitionSample, layout: &Layout, subject: Subject, allocated: &Resource, pending: &Resource) -> Row {
    let mut metrics = vec![None; layout.width()];
    let mut share = None;
    for (at, name) in layout.resources.iter().enumerate() {
        let (used, all) = (allocated.amount(name), part.capacity.amount(name));
        metrics[layout.of_resource(Measure::Use, at)] = Some(used);
        metrics[layout.of_resource(Measure::Pending, at)] = Some(pending.amount(name));
        let own = (all > 0).then(|| i64::try_from(i128::from(used) * 1000 / i128::from(all)).unwrap_or(i64::MAX));
        share = share.max(own);
    }
    metrics[layout.plain(Measure::Share)] = share;
    Row { subject, metrics: metrics.into() }
}
