//! The history of a cluster: the last hour in steps of 10 seconds, the last day per minute (SCH-230, `rest.md` section
//! 5.14).

use std::sync::Arc;

use imbl::Vector;

pub use super::sample::SAMPLE_EVERY;
pub use super::sample::Sample;
use super::sample::{PartitionSample, QueueSample, step};
use super::snapshot::View;
use model::{AppState, QueuePath, Time};
use scheduler::{Partition, Scheduler};

/// The number of unthinned samples: one hour. Of older ones, those on the minute stay.
pub const FINE: usize = 360;
/// The number of samples: the last hour, and one per minute of the day before.
pub const SAMPLES: usize = FINE + 1440;
/// The maximum number of queues over all samples; above it, the oldest samples keep only their totals.
const QUEUES: usize = 100_000;

/// Returns a sample of a view, for the current values on charts and for sources without an embedded scheduler.
pub fn sample_of(now: Time, view: &View) -> Sample {
    let mut sample = Sample { at: now, made: view.allocations_made, ..Sample::default() };
    for part in &view.partitions {
        for app in part.apps.iter().flatten() {
            sample.live += 1;
            sample.running += u64::from(matches!(app.state, AppState::Starting | AppState::Running));
            sample.allocations += (app.asks.len() as u64).saturating_sub(u64::from(app.pending_asks));
            sample.pending_asks += u64::from(app.pending_asks);
        }
        let queues: Arc<[QueueSample]> = part
            .walk()
            .filter(|row| !row.allocated.is_zero() || !row.pending.is_zero())
            .map(|row| QueueSample {
                queue: row.path.clone(),
                allocated: row.allocated.clone(),
                pending: row.pending.clone(),
                running: row.running,
            })
            .collect();
        let root = part.root();
        sample.partitions.push(PartitionSample {
            name: Arc::clone(&part.name),
            capacity: part.capacity.clone(),
            allocated: root.map(|root| root.allocated.clone()).unwrap_or_default(),
            pending: root.map(|root| root.pending.clone()).unwrap_or_default(),
            queues,
        });
    }
    sample
}

/// The samples, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    samples: Vector<Arc<Sample>>,
    /// The number of unthinned samples, from the newest.
    fine: usize,
    queues: usize,
    /// The number of samples without queues, from the oldest.
    bare: usize,
}

impl History {
    /// The samples, the oldest first.
    pub fn samples(&self) -> &Vector<Arc<Sample>> {
        &self.samples
    }

    /// Adds a sample of a view if one is due. Returns whether one was.
    pub fn watch(&mut self, now: Time, view: &View) -> bool {
        let due = self.samples.back().is_none_or(|last| step(last.at) < step(now));
        if due {
            self.add(sample_of(now, view));
        }
        due
    }

    pub(super) fn add(&mut self, sample: Sample) {
        self.queues += count_queues(&sample);
        self.samples.push_back(Arc::new(sample));
        self.fine += 1;
        if self.fine > FINE {
            self.fine -= 1;
            self.thin_out(self.samples.len() - self.fine - 1);
        }
        while self.samples.len() > SAMPLES
            && let Some(oldest) = self.samples.pop_front()
        {
            self.queues -= count_queues(&oldest);
            self.bare = self.bare.saturating_sub(1);
        }
        while self.queues > QUEUES && self.bare + 1 < self.samples.len() {
            let Some(oldest) = self.samples.get_mut(self.bare) else { return };
            self.queues -= count_queues(oldest);
            Arc::make_mut(oldest).partitions.iter_mut().for_each(|partition| partition.queues = Arc::default());
            self.bare += 1;
        }
    }
}

impl History {
    fn thin_out(&mut self, at: usize) {
        if self.samples.get(at).is_some_and(|sample| !sample.on_the_minute()) {
            let gone = self.samples.remove(at);
            self.queues -= count_queues(&gone);
            self.bare -= usize::from(at < self.bare);
        }
    }
}

fn count_queues(sample: &Sample) -> usize {
    sample.partitions.iter().map(|partition| partition.queues.len()).sum()
}

pub(super) fn take(now: Time, scheduler: &Scheduler) -> Sample {
    let mut sample = Sample { at: now, ..Sample::default() };
    for partition in scheduler.partitions() {
        for (_, app) in partition.apps.iter() {
            sample.live += 1;
            sample.running += u64::from(matches!(app.state, AppState::Starting | AppState::Running));
            sample.allocations += app.allocations.len() as u64;
            sample.pending_asks += app.pending_order.len() as u64;
        }
        sample.made += partition.allocations_made;
        sample.partitions.push(of_partition(partition));
    }
    sample
}

fn of_partition(partition: &Partition) -> PartitionSample {
    let queues = partition.queues.top_down().into_iter().map(|key| &partition.queues[key]);
    let busy = queues.filter(|queue| !queue.allocated.is_zero() || !queue.pending.is_zero());
    let queues: Arc<[QueueSample]> = busy
        .map(|queue| QueueSample {
            queue: queue.path.clone(),
            allocated: queue.allocated.clone(),
            pending: queue.pending.clone(),
            running: queue.running,
        })
        .collect();
    let root = queues.first().filter(|queue| queue.queue == QueuePath::root());
    let (allocated, pending) = root.map(|root| (root.allocated.clone(), root.pending.clone())).unwrap_or_default();
    PartitionSample { name: Arc::clone(&partition.name), capacity: partition.capacity(), allocated, pending, queues }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Resource;

    fn sample(at: u32, queues: usize) -> Sample {
        let queue =
            QueueSample { queue: QueuePath::root(), allocated: Resource::new(), pending: Resource::new(), running: 0 };
        let partition = PartitionSample { queues: vec![queue; queues].into(), ..PartitionSample::default() };
        Sample { at: Time::ZERO + SAMPLE_EVERY * at, partitions: vec![partition], ..Sample::default() }
    }

    #[test]
    fn a_day_is_stored() {
        let mut history = History::default();
        let steps = 20_000;
        (0..steps).for_each(|at| history.add(sample(at, 1)));
        assert_eq!((history.samples.len(), history.queues), (SAMPLES, SAMPLES));
        let at: Vec<u64> = history.samples.iter().map(|sample| step(sample.at)).collect();
        assert!(
            at[SAMPLES - FINE..].iter().copied().eq(u64::from(steps) - FINE as u64..u64::from(steps)),
            "the last hour is whole"
        );
        let older = &at[..SAMPLES - FINE];
        assert!(older.windows(2).all(|pair| pair[1] - pair[0] == 6), "one a minute of the day before");
    }

    #[test]
    fn what_a_view_shows_is_sampled_once_in_each_step() {
        let (mut history, view) = (History::default(), View::default());
        let taken: Vec<bool> = [3, 8, 10, 19, 47, 48].map(|at| history.watch(Time(at * 1_000_000), &view)).into();
        assert_eq!(taken, [true, false, true, false, true, false]);
    }

    #[test]
    fn many_queues_drop_the_oldest_samples_first() {
        let mut history = History::default();
        (0..300).for_each(|at| history.add(sample(at, 1000)));
        let with: Vec<usize> = history.samples.iter().map(|sample| count_queues(sample)).collect();
        assert_eq!(history.queues, with.iter().sum::<usize>());
        assert_eq!(with.iter().filter(|count| **count > 0).count(), QUEUES / 1000);
        assert!(with.is_sorted(), "only the newest have their queues");
        history.add(sample(9000, QUEUES + 1));
        assert_eq!(history.queues, QUEUES + 1, "the newest keeps its own, however many there are");
    }
}
