//! Reconciliation, when the view has changed or a supervisor has ended: the daemon makes the running jobs equal to the allocations.
//!
//! One thread does that, from the whole state and not from single events. It starts a job with an allocation and no process, stops a job
//! with a process and no allocation, and releases the allocation of an ended job. So a daemon that begins in the middle does the same as
//! one that was always there.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, pidfd_send_signal};

use super::daemon::{Daemon, Table};
use super::job::{Attempt, AttemptEnd, Job, JobState, Outcome, Stop, number_of};
use super::running::Running;
use super::task::{CLAIM, Claim, Credentials, ENDED, Fallback, TASK, Task, claim, read, write};
use super::{process, store, supervise, wall_ms};
use crate::model::Resource;
use crate::view::act::PartitionAct;
use crate::view::{PartitionView, View};

/// How often it looks for what no event reports, while there are jobs.
const TICK: Duration = Duration::from_secs(1);
/// How many jobs are started before others have a turn with the table.
const MOST_STARTS: usize = 16;
/// How nice jobs are where nothing else holds them.
const NICE: i32 = 5;

impl Daemon {
    /// Takes over from an earlier daemon: adopts the living supervisors, and finds those that ended meanwhile.
    pub fn adopt(&self) {
        let mut table = self.table();
        let live: Vec<u64> = table.live.iter().copied().collect();
        let view = self.engine.published().view();
        for number in live {
            let Some(job) = table.jobs.get_mut(&number) else { continue };
            // A loss of power takes back what was not synced: the scheduler's journal knows more than the job's file.
            if job.state == JobState::Waiting && Self::app(&view, job).is_some() {
                self.queue(job);
            }
            if job.state == JobState::Running {
                self.adopt_one(&mut table, number);
            }
            // One that the scheduler does not have is offered to it again.
            if let Some(job) = table.jobs.get_mut(&number) {
                job.confirmed = job.state == JobState::Queued;
            }
        }
        table.last = table.last.max(Self::last_number(&view));
        self.withdraw_the_rest(&table);
    }

    /// The highest number of a job that the scheduler knows: a loss of power may have taken the job, and its number is not used again.
    fn last_number(view: &View) -> u64 {
        let live = |part: &PartitionView| part.apps.iter().flatten().map(|app| number_of(app.id.as_str())).max();
        let ended = |part: &PartitionView| part.ended.iter().map(|app| number_of(app.id.as_str())).max();
        let highest = Self::partition(view).and_then(|part| live(part).max(ended(part)));
        highest.flatten().map_or(0, |(number, _)| number)
    }

    /// Takes back from the scheduler what no job stands for: of jobs that ended, or were held or refused, when a daemon was killed.
    fn withdraw_the_rest(&self, table: &Table) {
        let view = self.engine.published().view();
        let apps = Self::partition(&view).into_iter().flat_map(|part| part.apps.iter().flatten());
        let actor = self.owner_of_daemon();
        for app in apps {
            let Some((number, generation)) = number_of(app.id.as_str()) else { continue };
            let job = table.jobs.get(&number).filter(|job| job.generation == generation);
            if job.is_none_or(|job| !matches!(job.state, JobState::Queued | JobState::Running)) {
                self.perform_later(&actor, PartitionAct::Remove { app: app.id.clone() }, |_| {});
            }
        }
    }

    fn adopt_one(&self, table: &mut Table, number: u64) {
        let Some(job) = table.jobs.get(&number) else { return };
        let folder = self.folder(job);
        match read::<Claim>(&folder.join(CLAIM)) {
            // The daemon ended before the supervisor had begun; if one still does, it claims first or this one does.
            None => self.take_supervisor(table, number, Running::start(&folder)),
            Some(claim) => match process::open(&claim) {
                Some(fd) => {
                    table.running.insert(number, Running { fd: Arc::new(fd), pid: claim.pid });
                    if job.stopping.is_some() {
                        self.signal(table, number);
                    }
                }
                None => self.take_end(table, number, None),
            },
        }
    }

    /// Looks again whenever something happens, until the engine stops.
    pub fn reconcile_forever(&self, mut woken: UnixStream) {
        self.reconcile(&[], true);
        let (mut ticked, mut waiting) = (Instant::now(), Vec::new());
        while self.engine.published().is_alive() {
            let ended = self.wait(&mut woken, &mut waiting);
            let tick = ticked.elapsed() >= TICK;
            if tick {
                ticked = Instant::now();
            }
            self.reconcile(&ended, tick);
        }
    }

    /// Waits for a change. Gives the jobs whose supervisors ended.
    fn wait(&self, woken: &mut UnixStream, watched: &mut Vec<(u64, Arc<std::os::fd::OwnedFd>)>) -> Vec<u64> {
        let busy = {
            let table = self.table();
            watched.clear();
            watched.extend(table.running.iter().map(|(number, running)| (*number, Arc::clone(&running.fd))));
            !table.live.is_empty()
        };
        let mut fds: Vec<PollFd<'_>> = vec![PollFd::new(woken, PollFlags::IN)];
        fds.extend(watched.iter().map(|(_, fd)| PollFd::new(fd, PollFlags::IN)));
        let tick = Timespec { tv_sec: i64::try_from(TICK.as_secs()).unwrap_or(1), tv_nsec: 0 };
        let _ = poll(&mut fds, busy.then_some(&tick));
        let ended: Vec<bool> = fds[1..].iter().map(|fd| !fd.revents().is_empty()).collect();
        drop(fds);
        let mut bytes = [0; 4096];
        while woken.read(&mut bytes).is_ok_and(|count| count > 0) {}
        watched.iter().zip(ended).filter(|(_, ended)| *ended).map(|((number, _), _)| *number).collect()
    }

    /// Makes the running jobs equal to the allocations; at a `tick` it also looks for changes that nothing reported.
    pub(super) fn reconcile(&self, ended: &[u64], tick: bool) {
        let mut table = self.table();
        for number in ended {
            if let Some(running) = table.running.remove(number) {
                let how = process::reap(running.pid);
                self.take_end(&mut table, *number, how);
            }
        }
        let view = self.engine.published().view();
        let allocated = allocated(&view);
        self.stop_what_lost_its_room(&mut table, &view, &allocated);
        self.start_what_is_allocated(&mut table, &allocated, tick);
        if tick && (table.unsure || table.seen != view.generation) {
            (table.unsure, table.seen) = (false, view.generation);
            self.look_for_the_missing(&mut table, &view);
        }
        table.look |= tick || !ended.is_empty();
        let ready = if std::mem::take(&mut table.look) { self.ready(&mut table) } else { Vec::new() };
        let starting: Vec<(u64, PathBuf)> =
            table.starting.iter().filter_map(|number| Some((*number, self.folder(table.jobs.get(number)?)))).collect();
        drop(table);
        // Outside the lock: on a busy machine it takes a while until a new process has a turn, and others want to submit.
        for (number, folder) in starting {
            let started = Running::start(&folder);
            self.take_supervisor(&mut self.table(), number, started);
        }
        self.begin(&ready);
        if !ended.is_empty() {
            self.ended.notify_all();
        }
    }

    fn start_what_is_allocated(&self, table: &mut Table, allocated: &HashMap<(u64, u32), u32>, tick: bool) {
        let mut used = None;
        let mut left = MOST_STARTS;
        for ((number, generation), attempt) in allocated {
            let Some(job) = table.jobs.get(number).filter(|job| job.generation == *generation) else { continue };
            let present = job.next == *attempt;
            match job.state {
                // The rest has its turn when these have been started.
                JobState::Queued if present && left == 0 => self.wake(),
                JobState::Queued if present => {
                    let used = used.get_or_insert_with(|| in_use(table));
                    if self.has_room(table, used, job) {
                        used.add_assign(&job.resource());
                        left -= 1;
                        self.start(table, *number);
                    }
                }
                // What has ended, and was not released because the scheduler was paused or its disk full.
                JobState::Ended | JobState::Held if tick => {
                    self.perform_later(&self.submitter(job), PartitionAct::Remove { app: job.app() }, |_| {});
                }
                _ if tick && attempt < &job.next => {
                    self.perform_later(&self.submitter(job), Self::release_of(job, *attempt), |_| {});
                }
                _ => {}
            }
        }
    }

    /// Whether a job fits beside the processes that are there: the scheduler gives the room of one that it preempts away at once, and
    /// that one has its time to end.
    fn has_room(&self, table: &Table, used: &Resource, job: &Job) -> bool {
        let mut wanted = job.resource();
        wanted.add_assign(used);
        self.settings.machine.capacity().fit_in(&wanted) && self.free_gpus(table, job).len() >= gpus(job)
    }

    /// The GPUs that a job may have of those that it asks for; those that are free.
    fn free_gpus(&self, table: &Table, job: &Job) -> Vec<u32> {
        if gpus(job) == 0 {
            return Vec::new();
        }
        let attempts = table.occupying().filter_map(|job| job.attempts.last());
        let busy: HashSet<u32> = attempts.flat_map(|attempt| attempt.gpus.iter().copied()).collect();
        let all = 0..u32::try_from(self.settings.machine.gpu).unwrap_or_default();
        all.filter(|gpu| !busy.contains(gpu)).collect()
    }

    /// Makes all that the attempt of an allocated job needs but its supervisor.
    fn start(&self, table: &mut Table, number: u64) {
        let Some(job) = table.jobs.get(&number) else { return };
        let gpus: Vec<u32> = self.free_gpus(table, job).into_iter().take(gpus(job)).collect();
        let Some(job) = table.jobs.get_mut(&number) else { return };
        job.attempts.push(Attempt { number: job.next, started: wall_ms(), gpus, end: None });
        job.state = JobState::Running;
        let folder = self.folder(job);
        let prepared = self.task(job).and_then(|task| {
            store::private_folder(&folder)?;
            write(&folder.join(TASK), &task)
        });
        let full = prepared.as_ref().is_err_and(|why| why.kind() == io::ErrorKind::StorageFull);
        if full || !self.keep(job) {
            // It runs when the disk takes it: what runs is always on the disk.
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
        let fallback = cgroup.is_none().then_some(Fallback { data, nice: NICE });
        let gpus = job.attempts.last().map(|attempt| attempt.gpus.as_slice()).unwrap_or_default();
        let mut env = self.store.env(job)?;
        let mut own = settings.machine.gpu_variables(gpus);
        own.push(("KORNSOLE_JOB".to_owned(), job.number.to_string()));
        own.push(("KORNSOLE_ATTEMPT".to_owned(), job.next.to_string()));
        if let Some(task) = job.array {
            own.push(("KORNSOLE_ARRAY_JOB".to_owned(), task.first.to_string()));
            own.push(("KORNSOLE_ARRAY_INDEX".to_owned(), task.index.to_string()));
        }
        env.retain(|(name, _)| own.iter().all(|(ours, _)| ours != name));
        env.extend(own);
        let owner = &job.owner;
        let other = settings.owner.uid == 0;
        let user = other.then(|| Credentials { uid: owner.uid, gid: owner.gid, groups: owner.groups.clone() });
        Ok(Task {
            command: spec.command.clone(),
            env,
            dir: spec.dir.clone(),
            umask: spec.umask,
            user,
            cgroup,
            fallback,
            files: settings.files,
            time_limit: spec.time_limit,
            grace_ms: u64::try_from(settings.grace.as_millis()).unwrap_or(u64::MAX),
            output_bytes: settings.output_bytes,
            interactive: spec.interactive,
            output: job.output_file(),
            signal: spec.signal,
            checkpoint: spec.checkpoint.clone(),
            at_end: spec.at_end.clone(),
        })
    }

    /// The folder of a job's present attempt.
    fn folder(&self, job: &Job) -> PathBuf {
        self.store.attempt(job.number, job.next)
    }

    /// Notes the supervisor that was made for a job, and asks it to end if the job was asked to meanwhile.
    fn take_supervisor(&self, table: &mut Table, number: u64, started: io::Result<Running>) {
        table.starting.remove(&number);
        match started {
            Ok(running) => {
                table.running.insert(number, running);
                if table.jobs.get(&number).is_some_and(|job| job.stopping.is_some()) {
                    self.signal(table, number);
                }
            }
            Err(why) => self.finish(table, number, not_started(&why)),
        }
    }

    fn stop_what_lost_its_room(&self, table: &mut Table, view: &View, allocated: &HashMap<(u64, u32), u32>) {
        let running: Vec<u64> = table.running.keys().copied().collect();
        for number in running {
            let Some(job) = table.jobs.get_mut(&number) else { continue };
            if job.stopping.is_some() || allocated.get(&(number, job.generation)) == Some(&job.next) {
                continue;
            }
            let preempted = Self::app(view, job).is_some();
            job.stopping =
                Some(if preempted { Stop::Preempted } else { Stop::Cancelled("an administrator".to_owned()) });
            self.keep(job);
            self.signal(table, number);
        }
    }

    /// Asks the supervisor of a job to end it.
    pub(super) fn signal(&self, table: &Table, number: u64) {
        if let Some(running) = table.running.get(&number) {
            // One that has ended needs no signal.
            let _ = pidfd_send_signal(&running.fd, Signal::TERM);
        }
    }

    /// Reads how an attempt ended whose supervisor is not there any more; or finds that another one has it.
    /// `how` it ended, if that is known.
    fn take_end(&self, table: &mut Table, number: u64, how: Option<String>) {
        let Some(job) = table.jobs.get(&number) else { return };
        let folder = self.folder(job);
        let mut end = read::<AttemptEnd>(&folder.join(ENDED));
        if end.is_none() {
            // A daemon that was killed may have started one that claims the attempt only now: this claim keeps it from that.
            let own = process::identify(std::process::id().try_into().unwrap_or_default());
            let claimed = own.is_none_or(|own| claim(&folder, &own).unwrap_or(false));
            let holder = read::<Claim>(&folder.join(CLAIM)).filter(|_| !claimed);
            if let Some(holder) = &holder
                && let Some(fd) = process::open(holder)
            {
                table.running.insert(number, Running { fd: Arc::new(fd), pid: holder.pid });
                if job.stopping.is_some() {
                    self.signal(table, number);
                }
                return;
            }
            // It may have ended between the two looks.
            end = read::<AttemptEnd>(&folder.join(ENDED));
            if end.is_none() {
                supervise::clear(&folder);
                end = job.stopping.as_ref().filter(|_| claimed).map(|_| never_begun());
            }
            if end.is_none() {
                let restarted = holder.is_some_and(|claim| claim.boot != process::boot());
                let how = how.map(|how| format!(" ({how})")).unwrap_or_default();
                let ended = || format!("its supervisor was ended{how}");
                let why = if restarted { "the machine was restarted".to_owned() } else { ended() };
                end = Some(AttemptEnd::new(Outcome::Lost(why)));
            }
        }
        let _ = fs::remove_file(folder.join(TASK));
        if let Some(end) = end {
            self.finish(table, number, end);
        }
    }
}

/// What the jobs have asked for whose supervisors live, or are being made.
fn in_use(table: &Table) -> Resource {
    let mut used = Resource::new();
    table.occupying().for_each(|job| used.add_assign(&job.resource()));
    used
}

fn gpus(job: &Job) -> usize {
    usize::try_from(job.spec.gpu).unwrap_or_default()
}

fn not_started(why: &io::Error) -> AttemptEnd {
    AttemptEnd::new(Outcome::NotStarted(why.to_string()))
}

/// The end of an attempt that was asked to end before its supervisor had claimed it: the command was not started.
fn never_begun() -> AttemptEnd {
    AttemptEnd { asked: true, ..AttemptEnd::new(Outcome::Signalled(Signal::TERM.as_raw())) }
}

/// What the scheduler has allocated: the newest attempt of each job in each of its generations.
fn allocated(view: &View) -> HashMap<(u64, u32), u32> {
    let nodes = view.partitions.first().into_iter().flat_map(|part| part.nodes.values());
    let mut found = HashMap::new();
    for allocation in nodes.flat_map(|node| node.allocations.values()) {
        let attempt = allocation.ask.as_str().strip_prefix("run-").and_then(|attempt| attempt.parse::<u32>().ok());
        if let (Some(job), Some(attempt)) = (number_of(allocation.app.as_str()), attempt) {
            let newest = found.entry(job).or_insert(attempt);
            *newest = attempt.max(*newest);
        }
    }
    found
}
