//! Crowds: many queued jobs of one user with the same request. The scheduler gets only the first; others cost less
//! here.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::job::{GPU, Job, JobState};
use super::table::Table;
use model::{MEMORY, Resource, VCORE};

/// The scheduler has at least this many, and twice as many as can run.
const LEAST: u32 = 100;
const COUNT_EVERY: Duration = Duration::from_millis(100);

pub(super) type Key = u64;

#[derive(Default)]
pub(super) struct Crowds {
    parked: HashMap<Key, Parked>,
    queued: HashMap<Key, u32>,
    counted: Option<Instant>,
}

struct Parked {
    queue: Arc<str>,
    jobs: BTreeSet<u64>,
}

/// `None` for a job of an array, which is counted by itself (`busy`).
pub(super) fn key(job: &Job) -> Option<Key> {
    if job.array.is_some() {
        return None;
    }
    let (spec, mut hasher) = (&job.spec, DefaultHasher::new());
    (job.owner.uid, &spec.queue, spec.vcore, spec.memory, spec.gpu).hash(&mut hasher);
    (spec.time_limit, spec.priority, spec.no_preempt).hash(&mut hasher);
    Some(hasher.finish())
}

pub(super) fn most(machine: &Resource, job: &Job) -> u32 {
    let wanted = [(VCORE, job.spec.vcore), (MEMORY, job.spec.memory), (GPU, job.spec.gpu)];
    let fit = wanted.into_iter().filter(|(_, wanted)| *wanted > 0).map(|(name, wanted)| machine.amount(name) / wanted);
    let at_once = fit.min().and_then(|fit| u32::try_from(fit).ok()).unwrap_or_default();
    LEAST.max(at_once.saturating_mul(2))
}

impl Crowds {
    /// Counts a job that the scheduler gets. Returns false if it has enough of them.
    pub(super) fn enter(&mut self, key: Key, most: u32) -> bool {
        let queued = self.queued.entry(key).or_default();
        let enters = *queued < most;
        *queued += u32::from(enters);
        enters
    }

    /// Returns true if earlier jobs of the crowd wait here.
    pub(super) fn is_behind(&self, key: Key) -> bool {
        self.parked.contains_key(&key)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parked.is_empty()
    }

    fn leave(&mut self, key: Key, number: u64) {
        if let Some(parked) = self.parked.get_mut(&key) {
            parked.jobs.remove(&number);
            if parked.jobs.is_empty() {
                self.parked.remove(&key);
            }
        }
    }
}

impl Table {
    pub(super) fn park(&mut self, key: Key, number: u64, queue: String) {
        let parked = self.crowds.parked.entry(key);
        let parked = parked.or_insert_with(|| Parked { queue: queue.into(), jobs: BTreeSet::new() });
        parked.jobs.insert(number);
        self.waiting.remove(&number);
        if let Some(job) = self.jobs.get_mut(&number) {
            job.placed = Some(Arc::clone(&parked.queue));
        }
    }

    pub(super) fn unpark(&mut self, number: u64) {
        let job = self.jobs.get_mut(&number).filter(|job| job.state == JobState::Waiting && job.placed.is_some());
        if let Some((job, key)) = job.and_then(|job| key(job).map(|key| (job, key))) {
            job.placed = None;
            self.crowds.leave(key, number);
        }
    }

    pub(super) fn unpark_first(&mut self, machine: &Resource) {
        if self.crowds.counted.is_some_and(|at| at.elapsed() < COUNT_EVERY) {
            return;
        }
        self.crowds.counted = Some(Instant::now());
        self.crowds.queued.clear();
        let queued = self.live.iter().filter_map(|number| self.jobs.get(number));
        for key in queued.filter(|job| job.state == JobState::Queued).filter_map(key) {
            *self.crowds.queued.entry(key).or_default() += 1;
        }
        let (jobs, queued) = (&mut self.jobs, &self.crowds.queued);
        self.crowds.parked.retain(|key, parked| {
            let first = parked.jobs.first().and_then(|number| jobs.get(number));
            let most = first.map_or(0, |job| most(machine, job));
            for _ in queued.get(key).copied().unwrap_or_default()..most {
                let Some(number) = parked.jobs.pop_first() else { break };
                jobs.get_mut(&number).into_iter().for_each(|job| job.placed = None);
                self.waiting.insert(number);
            }
            !parked.jobs.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobSpec;
    use crate::job_files::tests::sues;

    #[test]
    fn jobs_of_a_crowd_reach_the_scheduler_in_their_order_and_a_few_at_a_time() {
        let spec = || JobSpec { vcore: 1000, memory: 1, ..JobSpec::default() };
        let mut machine = Resource::new();
        machine.set(VCORE, 4000);
        machine.set(MEMORY, 1 << 30);
        let most = most(&machine, &sues(1, spec()));
        assert_eq!(most, LEAST);
        let mut table = Table::default();
        for number in 1..=u64::from(LEAST) + 100 {
            let job = sues(number, spec());
            let key = key(&job).unwrap();
            let enters = table.crowds.enter(key, most);
            table.insert(Job { state: if enters { JobState::Queued } else { JobState::Waiting }, ..job });
            table.waiting.remove(&number);
            if !enters {
                table.park(key, number, "root.a".to_owned());
            }
        }
        assert_eq!((&table.jobs[&100].placed, table.jobs[&101].placed.as_deref()), (&None, Some("root.a")));
        let key = key(&table.jobs[&1]).unwrap();
        assert!(table.crowds.is_behind(key) && table.waiting.is_empty());
        table.unpark_first(&machine);
        assert!(table.waiting.is_empty(), "none has left");
        (1..=10).for_each(|number| table.jobs.get_mut(&number).unwrap().state = JobState::Running);
        table.unpark_first(&machine);
        assert!(table.waiting.is_empty(), "counted a moment ago");
        table.crowds.counted = None;
        table.unpark(101);
        table.unpark_first(&machine);
        assert_eq!(table.waiting.iter().copied().collect::<Vec<_>>(), (102..=111).collect::<Vec<_>>());
        assert!((101..=111).all(|number| table.jobs[&number].placed.is_none()) && table.jobs[&112].placed.is_some());
        assert!((0..10).all(|_| table.crowds.enter(key, most)) && !table.crowds.enter(key, most));
    }

    #[test]
    fn another_request_is_another_crowd_and_small_jobs_are_more() {
        let with = |change: &dyn Fn(&mut JobSpec)| {
            let mut spec = JobSpec { vcore: 1000, memory: 1000, ..JobSpec::default() };
            change(&mut spec);
            sues(1, spec)
        };
        let one = key(&with(&|_| {}));
        let changes: [&dyn Fn(&mut JobSpec); 5] = [
            &|spec| spec.vcore = 1,
            &|spec| spec.priority = 1,
            &|spec| spec.time_limit = Some(1),
            &|spec| spec.queue = "root.a".to_owned(),
            &|spec| spec.gpu = 1,
        ];
        assert!(changes.iter().all(|change| key(&with(change)) != one));
        assert_eq!(key(&with(&|spec| spec.name = "other".to_owned())), one);
        let mut machine = Resource::new();
        machine.set(VCORE, 128_000);
        machine.set(MEMORY, 1 << 40);
        assert_eq!(most(&machine, &with(&|spec| spec.vcore = 10)), 25_600);
    }
}
