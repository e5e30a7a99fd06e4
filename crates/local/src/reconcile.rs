//! Reconciliation: adapts the running jobs to the allocations.
//!
//! One thread works from the whole state, not from single events: it starts a job with an allocation and no process,
//! stops a job with a process and no allocation, and releases the allocation of an ended job. So a restarted daemon
//! continues correctly.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, pidfd_send_signal};

use super::daemon::Daemon;
use super::job::{AttemptEnd, Job, JobState, Outcome, Stop, number_of};
use super::process;
use super::running::{Listener, Running};
use super::table::Table;
use super::task::{CLAIM, Claim, ENDED, claim, clear, read};
use view::act::PartitionAct;
use view::{PartitionView, View};

/// Interval of the checks for changes without an event, while jobs exist.
const TICK: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(4);
/// The same while all jobs have ended: their records may become too old.
const SLOW_TICK: Duration = Duration::from_secs(600);

pub(super) type Allocated = HashMap<(u64, u32), u32>;

impl Daemon {
    /// Adopts living supervisors, and finds those that ended meanwhile.
    pub fn adopt(&self) {
        let mut table = self.table();
        let live: Vec<u64> = table.live.iter().copied().collect();
        let view = self.engine.published().view();
        let apps = Self::apps(&view);
        for number in live {
            let Some(job) = table.jobs.get_mut(&number) else { continue };
            // A loss of power discards unsynced data: the scheduler's journal can be newer than the job's file.
            if job.state == JobState::Waiting && apps.contains_key(&job.app()) {
                self.queue(job);
            }
            if job.state == JobState::Running {
                self.adopt_one(&mut table, number);
            }
            // A job that is missing in the scheduler is offered again.
            if let Some(job) = table.jobs.get_mut(&number) {
                job.confirmed = job.state == JobState::Queued;
            }
        }
        table.last = table.last.max(Self::last_number(&view));
        self.cancel_the_rest(&table);
    }

    /// Returns the highest job ID that the scheduler knows: a loss of power may have removed the job, and IDs are not
    /// reused.
    fn last_number(view: &View) -> u64 {
        let live = |part: &PartitionView| part.apps.iter().flatten().map(|app| number_of(app.id.as_str())).max();
        let ended = |part: &PartitionView| part.ended.iter().map(|app| number_of(app.id.as_str())).max();
        let highest = Self::partition(view).and_then(|part| live(part).max(ended(part)));
        highest.flatten().map_or(0, |(number, _)| number)
    }

    /// Cancels applications without a job: their jobs ended, or were held or rejected, when a daemon was killed.
    fn cancel_the_rest(&self, table: &Table) {
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
        let dir = self.dir(job);
        match read::<Claim>(&dir.join(CLAIM)) {
            // The daemon ended before the supervisor started. If that supervisor still starts, only one of the two can
            // claim the attempt.
            None => self.take_supervisor(table, number, Running::start(&self.settings.helper, &dir)),
            // Its supervisor may have another job already.
            Some(_) if dir.join(ENDED).exists() => self.take_end(table, number, None),
            Some(claim) => match process::open(&claim) {
                Some(fd) => {
                    table.running.insert(number, Running::adopted(fd, claim.pid));
                    if job.stopping.is_some() {
                        self.signal(table, number);
                    }
                }
                None => self.take_end(table, number, None),
            },
        }
    }

    /// Reconciles after each change until the engine stops.
    pub fn reconcile_forever(&self, mut woken: UnixStream) {
        self.reconcile(&[], true);
        let (mut ticked, mut waiting) = (Instant::now(), Vec::new());
        while self.engine.published().is_alive() {
            let ended = self.wait(&mut woken, &mut waiting);
            let tick = ticked.elapsed() >= TICK;
            if tick {
                ticked = Instant::now();
            }
            let started_at = Instant::now();
            self.reconcile(&ended, tick);
            // Under load, more changes are handled together.
            std::thread::sleep(started_at.elapsed().min(LONGEST_PAUSE));
        }
    }

    fn wait(&self, woken: &mut UnixStream, watched: &mut Vec<(u64, Listener)>) -> Vec<u64> {
        let tick = {
            let table = self.table();
            watched.clear();
            watched.extend(table.running.iter().map(|(number, one)| (*number, one.listener())));
            match !table.live.is_empty() || !table.spares.is_empty() {
                true => Some(TICK),
                false => Some(SLOW_TICK).filter(|_| !table.history.is_empty()),
            }
        };
        let mut fds: Vec<PollFd<'_>> = vec![PollFd::new(woken, PollFlags::IN)];
        fds.extend(watched.iter().map(|(_, listener)| PollFd::new(listener, PollFlags::IN)));
        let tick = tick.map(|tick| Timespec { tv_sec: i64::try_from(tick.as_secs()).unwrap_or(1), tv_nsec: 0 });
        let _ = poll(&mut fds, tick.as_ref());
        let ready: Vec<bool> = fds[1..].iter().map(|fd| !fd.revents().is_empty()).collect();
        drop(fds);
        let mut bytes = [0; 4096];
        while woken.read(&mut bytes).is_ok_and(|count| count > 0) {}
        let ready: Vec<(u64, Listener)> =
            watched.drain(..).zip(ready).filter(|(_, ready)| *ready).map(|(one, _)| one).collect();
        if ready.is_empty() {
            return Vec::new();
        }
        let mut table = self.table_in_turn();
        ready
            .into_iter()
            .filter(|(number, listener)| self.receive(&mut table, *number, listener))
            .map(|(number, _)| number)
            .collect()
    }

    /// Returns true if the job or the process has ended.
    fn receive(&self, table: &mut Table, number: u64, listener: &Listener) -> bool {
        let Some(running) = table.running.get_mut(&number) else { return false };
        if let Listener::Process(_) = listener {
            return true;
        }
        let had_started = running.has_started;
        running.receive();
        let (starts, has_ended) = (running.has_started && !had_started, running.has_ended);
        // A reused supervisor drops signals that came before its attempt started.
        if starts && !has_ended && table.jobs.get(&number).is_some_and(|job| job.stopping.is_some()) {
            self.signal(table, number);
        }
        has_ended
    }

    /// At a `tick`, also checks for changes without an event.
    pub(super) fn reconcile(&self, ended: &[u64], tick: bool) {
        for number in ended {
            self.take_end_of(&mut self.table_in_turn(), *number);
        }
        self.take_answers();
        let view = self.engine.published().view();
        let allocated = allocated(&view);
        let begin = {
            let mut table = self.table_in_turn();
            self.stop_what_lost_its_space(&mut table, &view, &allocated);
            self.jobs_to_start(&table, &allocated, tick)
        };
        self.prepare(&begin);
        let mut table = self.table_in_turn();
        // The newest view contains a job that was submitted meanwhile.
        let view = self.engine.published().view();
        if tick {
            if table.may_miss(&view) {
                self.look_for_the_missing(&mut table, &view);
            }
            table.look |= std::mem::take(&mut table.look_again) || !table.crowds.is_empty();
            self.forget_old(&mut table);
        }
        table.look |= !ended.is_empty();
        let ready = if std::mem::take(&mut table.look) { self.ready(&mut table) } else { Vec::new() };
        let starting: Vec<(u64, PathBuf)> =
            table.starting.iter().filter_map(|number| Some((*number, self.dir(table.jobs.get(number)?)))).collect();
        table.spares.tidy();
        drop(table);
        for (number, dir) in starting {
            self.supervise(number, &dir);
        }
        self.begin(&ready);
        if !ended.is_empty() {
            self.ended.notify_all();
        }
    }

    pub(super) fn dir(&self, job: &Job) -> PathBuf {
        self.store.attempt(job.number, job.next)
    }

    fn supervise(&self, number: u64, dir: &Path) {
        let spare = self.table_in_turn().spares.take();
        // Outside the lock: a new process can take a while, and users submit.
        let (reused, gone) = match spare.map(|spare| spare.reuse(dir)) {
            Some(Ok(reused)) => (Some(reused), None),
            Some(Err(gone)) => (None, Some(gone)),
            None => (None, None),
        };
        let started = reused.map_or_else(|| Running::start(&self.settings.helper, dir), Ok);
        let mut table = self.table_in_turn();
        gone.into_iter().for_each(|gone| table.spares.let_go(gone));
        self.take_supervisor(&mut table, number, started);
    }

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

    fn stop_what_lost_its_space(&self, table: &mut Table, view: &View, allocated: &Allocated) {
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

    pub(super) fn signal(&self, table: &Table, number: u64) {
        if let Some(running) = table.running.get(&number) {
            let _ = pidfd_send_signal(&running.fd, Signal::TERM);
        }
    }

    fn take_end_of(&self, table: &mut Table, number: u64) {
        let Some(mut running) = table.running.remove(&number) else { return };
        if !running.has_ended {
            let how = process::reap(running.pid);
            return self.take_end(table, number, how);
        }
        let dir = table.jobs.get(&number).map(|job| self.dir(job));
        match dir.and_then(|dir| read::<AttemptEnd>(&dir.join(ENDED))) {
            Some(end) => {
                table.spares.put(running);
                self.finish(table, number, end);
            }
            // The file was removed: wait for the end of the process.
            None => {
                running.hang_up();
                table.running.insert(number, running);
            }
        }
    }

    /// Reads the end unless another supervisor has the attempt. `how` is the end of the process, if known.
    fn take_end(&self, table: &mut Table, number: u64, how: Option<String>) {
        let Some(job) = table.jobs.get(&number) else { return };
        let dir = self.dir(job);
        let mut end = read::<AttemptEnd>(&dir.join(ENDED));
        if end.is_none() {
            // A killed daemon may have started a supervisor that claims the attempt only now: this claim prevents that.
            let own = process::identify(std::process::id().try_into().unwrap_or_default());
            let claimed = own.is_none_or(|own| claim(&dir, &own).unwrap_or(false));
            let holder = read::<Claim>(&dir.join(CLAIM)).filter(|_| !claimed);
            if let Some(holder) = &holder
                && let Some(fd) = process::open(holder)
            {
                table.running.insert(number, Running::adopted(fd, holder.pid));
                if job.stopping.is_some() {
                    self.signal(table, number);
                }
                return;
            }
            // It may have ended between the two reads.
            end = read::<AttemptEnd>(&dir.join(ENDED));
            let mut used = None;
            if end.is_none() {
                used = clear(&dir);
                end = job.stopping.as_ref().filter(|_| claimed).map(|_| never_started());
            }
            if end.is_none() {
                let restarted = holder.is_some_and(|claim| claim.boot != process::boot());
                let how = how.map(|how| format!(" ({how})")).unwrap_or_default();
                let ended = || format!("its supervisor was killed{how}");
                let why = if restarted { "the machine was restarted".to_owned() } else { ended() };
                let lost = AttemptEnd::new(Outcome::Lost(why));
                let used = used.unwrap_or_default();
                let cpu_ms = used.cpu_ms.unwrap_or_default();
                end = Some(AttemptEnd { max_memory: used.max_memory, cpu_ms, ..lost });
            }
        }
        if let Some(end) = end {
            self.finish(table, number, end);
        }
    }
}

pub(super) fn not_started(why: &io::Error) -> AttemptEnd {
    AttemptEnd::new(Outcome::NotStarted(why.to_string()))
}

/// Returns the end of an attempt that was stopped before its supervisor had claimed it: the command was not started.
fn never_started() -> AttemptEnd {
    AttemptEnd { asked: true, ..AttemptEnd::new(Outcome::Signalled(Signal::TERM.as_raw())) }
}

fn allocated(view: &View) -> Allocated {
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
