//! One run: an empty scheduler, the nodes, then the jobs; an allocation ends after its run time.
//!
//! Order at one time: ends, arrivals, timers, then cycles until nothing changes. A real scheduler retries every 100 ms
//! while requests are pending (SCH-040). A run retries, in multiples of 100 ms, when a request has waited for the delay
//! of a reservation or a preemption; and after a quarter of the time since the last event, bounded by 1 s and 10 s. So
//! a start by time alone is at most that late. It skips cycles that are known to find nothing.

mod requests;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use self::requests::{Arrival, arrivals};
use super::guest::Guest;
use super::job::{Job, Workload};
use super::meter::{Meter, Pending};
use super::metrics::Metrics;
use config::Config;
use config::properties::DEFAULT_PREEMPTION_DELAY;
use model::{AppId, AppState, AskId, Profile, Time};
use scheduler::{Command, Event, EventKind, PartitionCommand, ReleaseReason, Scheduler};

/// How often a cycle is tried again while something waits (SCH-040).
const RETRY_EVERY: Duration = Duration::from_millis(100);
/// Retry after the time since the last event divided by this, within [`RETRY_WITHIN`].
const RETRY_SHARE: u64 = 4;
const RETRY_WITHIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(10));
const RESERVATION_DELAY: Duration = Duration::from_secs(2);
const CLEAN_EVERY: Duration = Duration::from_secs(10);
/// After the last arrival and end, wait this long, or twice the longest preemption delay, for timers and preemption.
const QUIET: Duration = Duration::from_secs(120);
const ASK_EVERY: u64 = 256;

/// How a workload runs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The queue configuration.
    pub config: Arc<Config>,
    /// The release to decide like.
    pub profile: Profile,
    /// `None`: when nothing changes any more.
    pub until: Option<Time>,
    /// Earlier usage and requests do not count.
    pub from: Option<Time>,
    /// Preempted and lost allocations restart.
    pub again: bool,
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// No one needs it any more.
    Asked,
    /// The queue configuration is rejected, for this reason.
    Config(String),
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Completed requests, including arrived ones that never end.
    pub over: u64,
    /// Total number of requests.
    pub all: u64,
}

impl Done {
    /// Returns the share from 0 to 1.
    pub fn share(self) -> f64 {
        self.over.min(self.all) as f64 / self.all.max(1) as f64
    }
}

/// Runs a workload. `may_continue` receives the progress, and cancels by returning false.
///
/// # Errors
/// The configuration is rejected, or the run was canceled.
pub fn run(workload: &Workload, plan: &Plan, may_continue: &dyn Fn(Done) -> bool) -> Result<Metrics, Stopped> {
    run_with(workload, plan, None, may_continue)
}

/// Runs a workload with a guest.
///
/// # Errors
/// The configuration is rejected, or the run was canceled.
pub fn run_with(
    workload: &Workload,
    plan: &Plan,
    guest: Option<&mut dyn Guest>,
    may_continue: &dyn Fn(Done) -> bool,
) -> Result<Metrics, Stopped> {
    let mut run = Run {
        guest,
        arrivals: arrivals(&workload.jobs),
        scheduler: Scheduler::new(plan.profile),
        meter: Meter::default(),
        now: Time::ZERO,
        live: HashMap::new(),
        gang_tasks: 0,
        ends: BinaryHeap::new(),
        ends_set: 0,
        retry: None,
        delays: BTreeSet::new(),
        matures: BTreeSet::new(),
        cycle_due: true,
        next_clean: Time::ZERO + CLEAN_EVERY,
        clean: true,
        active: Time::ZERO,
        again: plan.again,
        commands: 0,
        done: Done { over: 0, all: workload.asks() },
        may_continue,
    };
    let events = run.apply(&Command::Configure(Arc::clone(&plan.config)))?;
    run.learn_delays();
    if let Some(message) = events.into_iter().find_map(|event| match event.kind {
        EventKind::ConfigRejected { message } => Some(message),
        _ => None,
    }) {
        return Err(Stopped::Config(message));
    }
    for node in &workload.nodes {
        run.apply(&PartitionCommand::AddNode(node.clone()).into())?;
    }
    if let Some(from) = plan.from {
        let _earlier = run.until(from)?;
        run.now = run.now.max(from);
        run.meter = Meter::initial(&run.scheduler, from);
    }
    let pending = run.until(plan.until.unwrap_or(Time(u64::MAX / 2)))?;
    run.count_gangs();
    let Run { scheduler, meter, now, .. } = run;
    Ok(meter.end(&scheduler, if plan.until.is_some() { now } else { Time::ZERO }, pending))
}

/// The task and the number of repetitions of each request of an active job.
struct Live<'w> {
    job: &'w Job,
    asks: HashMap<AskId, (usize, u32)>,
    /// While its gang comes together: the tasks that have arrived.
    gang_tasks: Option<Vec<usize>>,
}

/// Time, application, request, and allocation number: another allocation of the same request must not end instead.
type Ending = (Reverse<(Time, u64)>, AppId, AskId);

struct Run<'w, 'g> {
    guest: Option<&'w mut (dyn Guest + 'g)>,
    arrivals: Vec<Arrival<'w>>,
    scheduler: Scheduler,
    meter: Meter,
    now: Time,
    live: HashMap<AppId, Live<'w>>,
    /// How many gangs have not come together.
    gang_tasks: usize,
    ends: BinaryHeap<Ending>,
    ends_set: u64,
    retry: Option<Time>,
    /// Waiting times after which a request has more options.
    delays: BTreeSet<Duration>,
    /// Times at which pending requests reach those waiting times, in multiples of [`RETRY_EVERY`].
    matures: BTreeSet<Time>,
    cycle_due: bool,
    next_clean: Time,
    /// The state changed since the last run of the cleaner.
    clean: bool,
    active: Time,
    again: bool,
    commands: u64,
    done: Done,
    may_continue: &'w dyn Fn(Done) -> bool,
}

impl<'w> Run<'w, '_> {
    fn apply(&mut self, command: &Command) -> Result<Vec<Event>, Stopped> {
        self.commands += 1;
        if self.commands.is_multiple_of(ASK_EVERY) && !(self.may_continue)(self.done) {
            return Err(Stopped::Asked);
        }
        let mut events = self.scheduler.apply(self.now, command);
        while self.scheduler.is_unfinished() {
            events.extend(self.scheduler.apply(self.now, &Command::Continue));
        }
        self.meter.observe(&events, &self.scheduler);
        if !events.is_empty() {
            (self.active, self.clean) = (self.now, true);
        }
        self.cycle_due |= !matches!(command, Command::Cycle | Command::Clean) || events.iter().any(Event::is_activity);
        self.follow(&events)?;
        Ok(events)
    }

    fn follow(&mut self, events: &[Event]) -> Result<(), Stopped> {
        for Event { at, kind } in events {
            match kind {
                EventKind::Allocated { app, ask, .. } => self.starts(*at, app, ask),
                EventKind::Released { app, ask, reason, .. }
                    if self.again && matches!(reason, ReleaseReason::Preempted | ReleaseReason::NodeRemoved) =>
                {
                    self.ask_again(app, ask)?;
                }
                EventKind::AppState { app, state, .. } if !matches!(state, AppState::New | AppState::Accepted) => {
                    self.assemble_gang(app)?;
                }
                EventKind::AppLeft { app, .. } | EventKind::AppRejected { app, .. } => {
                    let Some(Live { job, asks, gang_tasks }) = self.live.remove(app) else { continue };
                    self.gang_tasks -= usize::from(gang_tasks.is_some());
                    let gang_tasks = gang_tasks.into_iter().flatten().map(|task| &job.tasks[task]);
                    self.done.over +=
                        gang_tasks.filter(|task| !task.never_ends()).map(|task| u64::from(task.count)).sum::<u64>();
                    let ends = |(task, _): &&(usize, u32)| !job.tasks[*task].never_ends();
                    self.done.over += asks.values().filter(ends).count() as u64;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn starts(&mut self, at: Time, app: &AppId, ask: &AskId) {
        let Some(live) = self.live.get(app) else { return };
        let Some((task, _)) = live.asks.get(ask) else { return };
        if let Some(runs) = live.job.tasks[*task].runs {
            self.ends_set += 1;
            self.ends.push((Reverse((at + runs, self.ends_set)), app.clone(), ask.clone()));
        }
    }

    /// Runs up to a time, or until nothing else will happen.
    fn until(&mut self, until: Time) -> Result<Pending, Stopped> {
        let quiet = self.delays.last().map_or(QUIET, |longest| QUIET.max(*longest * 2));
        loop {
            while self.cycle_due {
                self.cycle()?;
            }
            let Some(due) = self.next_due() else { return Ok(Pending::Over) };
            let awaited = self.guest.as_ref().is_some_and(|guest| guest.is_busy());
            // A gang ends by its own time.
            let awaited = awaited || (self.gang_tasks > 0 && self.scheduler.next_timer().is_some());
            let over = self.arrivals.is_empty() && self.ends.is_empty() && !awaited && due > self.active + quiet;
            if over {
                return Ok(Pending::Over);
            }
            if due > until {
                self.now = self.now.max(until);
                return Ok(Pending::CutOff);
            }
            self.now = self.now.max(due);
            self.run_due()?;
        }
    }

    fn cycle(&mut self) -> Result<(), Stopped> {
        self.cycle_due = false;
        while self.matures.first().is_some_and(|at| *at <= self.now) {
            self.matures.pop_first();
        }
        self.apply(&Command::Cycle)?;
        self.retry = (!self.cycle_due && self.scheduler.has_work()).then(|| self.next_retry());
        Ok(())
    }

    /// Skips retries that are known to find nothing.
    fn next_retry(&self) -> Time {
        let [every, shortest, longest] =
            [RETRY_EVERY, RETRY_WITHIN.0, RETRY_WITHIN.1].map(|time| time.as_micros() as u64);
        let quiet = self.scheduler.quiet_until().unwrap_or(self.now).0.saturating_sub(self.now.0);
        let rarer = (self.now.0.saturating_sub(self.active.0) / RETRY_SHARE).clamp(shortest, longest);
        let matures = self.matures.first().map_or(u64::MAX, |at| at.0.saturating_sub(self.now.0));
        Time(self.now.0.saturating_add(quiet.max(rarer.min(matures)).div_ceil(every).max(1).saturating_mul(every)))
    }

    fn learn_delays(&mut self) {
        let queues = self.scheduler.partitions().iter().flat_map(|part| part.queues.iter());
        self.delays = queues.map(|queue| queue.settings.properties.preemption_delay).collect();
        self.delays.extend([RESERVATION_DELAY, DEFAULT_PREEMPTION_DELAY]);
    }

    fn will_mature(&mut self) {
        let every = RETRY_EVERY.as_micros() as u64;
        for delay in &self.delays {
            // Strictly after the delay.
            let at = ((self.now + *delay).0 / every + 1).saturating_mul(every);
            self.matures.insert(Time(at));
        }
    }

    fn next_due(&self) -> Option<Time> {
        let end = self.ends.peek().map(|(Reverse((at, _)), ..)| *at);
        let arrival = self.arrivals.last().map(|arrival| arrival.at);
        let clean = self.clean.then_some(self.next_clean);
        let guest = self.guest.as_ref().and_then(|guest| guest.next());
        [end, arrival, self.scheduler.next_timer(), self.retry, clean, guest].into_iter().flatten().min()
    }

    fn run_due(&mut self) -> Result<(), Stopped> {
        while self.ends.peek().is_some_and(|(Reverse((at, _)), ..)| *at <= self.now) {
            let Some((_, app, ask)) = self.ends.pop() else { break };
            // A preempted one has a new name.
            if self.live.get_mut(&app).is_some_and(|live| live.asks.remove(&ask).is_some()) {
                self.done.over += 1;
                self.apply(&PartitionCommand::Release { app, ask }.into())?;
            }
        }
        while let Some(arrival) = self.arrivals.pop_if(|arrival| arrival.at <= self.now) {
            self.arrive(arrival)?;
        }
        if self.scheduler.next_timer().is_some_and(|timer| timer <= self.now) {
            self.apply(&Command::Tick)?;
        }
        if self.clean && self.next_clean <= self.now {
            self.clean = false;
            self.apply(&Command::Clean)?;
        }
        if self.next_clean <= self.now {
            self.next_clean = self.now + CLEAN_EVERY;
        }
        if let Some(guest) = self.guest.as_mut().filter(|guest| guest.next().is_some_and(|at| at <= self.now)) {
            for command in guest.act(self.now, &self.scheduler) {
                self.apply(&command.into())?;
            }
        }
        if self.retry.is_some_and(|retry| retry <= self.now) {
            (self.retry, self.cycle_due) = (None, true);
        }
        Ok(())
    }
}
