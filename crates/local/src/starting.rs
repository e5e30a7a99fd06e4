//! The start of attempts: which jobs, resources, and input.

use std::collections::HashSet;
use std::io;

use super::daemon::Daemon;
use super::job::{Attempt, Job, JobState};
use super::job_files::private_dir;
use super::reconcile::{Allocated, not_started};
use super::table::Table;
use super::task::{Credentials, Fallback, TASK, Task, write_new};
use super::{dialect, node_file, store, wall_ms};
use model::Resource;
use view::act::PartitionAct;

/// Maximum number of starting supervisors per processor. More would not start sooner, and would delay the replies to
/// users.
const STARTS_PER_PROCESSOR: usize = 4;

pub(super) fn most_starting() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get) * STARTS_PER_PROCESSOR
}

impl Daemon {
    /// Allocated jobs that have not started, up to the limit. At a `tick`, also releases unneeded allocations.
    pub(super) fn jobs_to_start(&self, table: &Table, allocated: &Allocated, tick: bool) -> Vec<(u64, u32, u32)> {
        let starting = table.running.values().filter(|one| !one.has_started).count();
        let most = self.most_starting.saturating_sub(starting + table.starting.len());
        let mut begin = Vec::new();
        for ((number, generation), attempt) in allocated {
            let Some(job) = table.jobs.get(number).filter(|job| job.generation == *generation) else { continue };
            match job.state {
                // The rest follows when a start finishes, which wakes this thread.
                JobState::Queued if job.next == *attempt && begin.len() >= most => {}
                JobState::Queued if job.next == *attempt => begin.push((*number, *generation, *attempt)),
                // An ended job was not released because the scheduler was paused or its disk was full.
                JobState::Ended | JobState::Held if tick => {
                    self.perform_later(&self.submitter(job), PartitionAct::Remove { app: job.app() }, |_| {});
                }
                _ if tick && attempt < &job.next => {
                    self.perform_later(&self.submitter(job), Self::release_of(job, *attempt), |_| {});
                }
                _ => {}
            }
        }
        begin
    }

    pub(super) fn prepare(&self, begin: &[(u64, u32, u32)]) {
        let mut used = None;
        for (number, generation, attempt) in begin {
            let mut table = self.table_in_turn();
            let used = used.get_or_insert_with(|| in_use(&table));
            let is =
                |job: &&Job| job.state == JobState::Queued && job.generation == *generation && job.next == *attempt;
            let Some(job) = table.jobs.get(number).filter(is) else { continue };
            if self.has_space(&table, used, job) {
                used.add_assign(&job.resource());
                self.start(&mut table, *number);
            }
        }
    }

    /// After a preemption, the scheduler reuses resources during the victim's grace period.
    fn has_space(&self, table: &Table, used: &Resource, job: &Job) -> bool {
        let mut wanted = job.resource();
        wanted.add_assign(used);
        self.settings.machine.capacity().fit_in(&wanted) && self.free_gpus(table, job).len() >= gpus(job)
    }

    fn free_gpus(&self, table: &Table, job: &Job) -> Vec<u32> {
        if gpus(job) == 0 {
            return Vec::new();
        }
        let attempts = table.occupying().filter_map(|job| job.attempts.last());
        let busy: HashSet<u32> = attempts.flat_map(|attempt| attempt.gpus.iter().copied()).collect();
        let all = 0..u32::try_from(self.settings.machine.gpu).unwrap_or_default();
        all.filter(|gpu| !busy.contains(gpu)).collect()
    }

    fn start(&self, table: &mut Table, number: u64) {
        let Some(job) = table.jobs.get(&number) else { return };
        let gpus: Vec<u32> = self.free_gpus(table, job).into_iter().take(gpus(job)).collect();
        let view = self.engine.published().view();
        let queue = Self::app(&view, job).map(|app| table.interned.queue(app.queue.as_str()));
        let Some(job) = table.jobs.get_mut(&number) else { return };
        job.placed = queue.or(job.placed.take());
        job.attempts.push(Attempt { number: job.next, started: wall_ms(), gpus, end: None });
        job.state = JobState::Running;
        let job_dir = self.dir(job);
        let prepared = self.task(job).and_then(|task| {
            private_dir(&job_dir)?;
            // The state is saved after the task.
            write_new(&job_dir.join(TASK), &task)
        });
        let full = prepared.as_ref().is_err_and(store::may_pass);
        if full || !self.keep(job) {
            // The job starts when the disk accepts its state: running jobs are always on disk.
            job.attempts.pop();
            job.state = JobState::Queued;
            return;
        }
        match prepared {
            Ok(()) => drop(table.starting.insert(number)),
            Err(why) => self.finish(table, number, not_started(&why)),
        }
    }

    fn task(&self, job: &Job) -> io::Result<Task> {
        let (settings, spec) = (&self.settings, &job.spec);
        let name = format!("{}-{}", job.number, job.next);
        let cgroup = settings.enforcement.create(&name, spec.vcore, spec.memory)?;
        let data = u64::try_from(spec.memory).unwrap_or_default();
        let fallback = cgroup.is_none().then_some(Fallback { data });
        let gpus = job.attempts.last().map(|attempt| attempt.gpus.as_slice()).unwrap_or_default();
        let mut env = settings.machine.gpu_variables(gpus);
        env.push(("KORNSOLE_JOB".to_owned(), job.number.to_string()));
        env.push(("KORNSOLE_ATTEMPT".to_owned(), job.next.to_string()));
        if let Some(task) = job.array {
            env.push(("KORNSOLE_ARRAY_JOB".to_owned(), task.first.to_string()));
            env.push(("KORNSOLE_ARRAY_INDEX".to_owned(), task.index.to_string()));
        }
        if spec.slots > 0 {
            let file = node_file::of(&settings.socket_dir, spec.slots)?;
            env.push(("PBS_NODEFILE".to_owned(), file.to_string_lossy().into_owned()));
        }
        env.extend(spec.dialect.into_iter().flat_map(|dialect| dialect::variables(dialect, job)));
        let owner = &job.owner;
        let other = settings.owner.uid == 0;
        let user = other.then(|| Credentials { uid: owner.uid, gid: owner.gid, groups: owner.groups.clone() });
        Ok(Task {
            first: self.store.home(job.number),
            env,
            dir: spec.dir.clone(),
            umask: spec.umask,
            user,
            cgroup,
            fallback,
            files: settings.files,
            limits: spec.limits.clone(),
            nice: spec.nice,
            time_limit: spec.time_limit,
            grace_ms: u64::try_from(settings.grace.as_millis()).unwrap_or(u64::MAX),
            output_bytes: settings.output_bytes,
            interactive: spec.interactive,
            output: job.output_file(),
            error: job.error_file(),
            signal: spec.signal,
            checkpoint: spec.checkpoint.clone(),
            at_end: spec.at_end.clone(),
        })
    }
}

fn in_use(table: &Table) -> Resource {
    let mut used = Resource::new();
    table.occupying().for_each(|job| used.add_assign(&job.resource()));
    used
}

fn gpus(job: &Job) -> usize {
    usize::try_from(job.spec.gpu).unwrap_or_default()
}
