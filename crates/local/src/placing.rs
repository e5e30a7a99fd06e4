//! Tests the placement of a job on a copy of the scheduler.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::daemon::Daemon;
use super::job::{Job, JobSpec, JobState, Owner, number_of};
use super::requests::{misused, refused};
use super::submission::{check, too_large};
use super::wire::{JobReport, Reply, Whereabouts};
use super::{about_ms, wall_ms};
use forecast::whatif::Fork;
use model::{AppId, AskId, Time};
use scheduler::placement::PlacementOutcome;
use scheduler::{Command, Event, EventKind, PartitionCommand, Scheduler};
use view::act::{Actor, PartitionAct};

/// Maximum size of two copies of the scheduler, in bytes.
const MOST: usize = 1 << 30;
const STEPS: usize = 20_000;
/// The same for lists, which simulate all queued jobs; also the maximum number of jobs.
const FEW_STEPS: usize = 100;
const FEW_JOBS: usize = 500;
/// Number of seconds that are simulated one by one, to include the preemption delay.
const UNTIL_SPACE: u32 = 60;
const NONE: u64 = 0;

impl Daemon {
    pub(super) fn owner_of_daemon(&self) -> Actor {
        self.actor(&self.settings.owner).scheduler_admin(true)
    }

    fn fork(&self) -> Result<Fork, String> {
        match self.engine.fork(None, MOST).recv() {
            Ok(Ok(fork)) => Ok(fork),
            Ok(Err(why)) => Err(why.to_string()),
            Err(_) => Err("the scheduler has stopped".to_owned()),
        }
    }

    /// Returns the queue in which a job would be placed now.
    ///
    /// # Errors
    /// Why no queue accepts the job.
    pub(super) fn would_take(&self, job: &Job) -> Result<String, String> {
        placed(&self.fork()?, job)
    }

    pub(super) fn where_to(&self, who: &Owner, mut spec: JobSpec) -> Reply {
        self.complete(&mut spec);
        spec.array = None;
        if let Err(why) = check(&spec) {
            return misused(why);
        }
        let job = Job::new(NONE, spec, who.clone(), wall_ms());
        if too_large(&self.settings.machine.capacity(), &job) {
            return refused("the job requests more than this machine's capacity");
        }
        let fork = match self.fork() {
            Ok(fork) => fork,
            Err(why) => return refused(why),
        };
        match placed(&fork, &job) {
            Ok(queue) => {
                let (starts_in, because) = self.starts_in(&fork, &job);
                Reply::Where(Whereabouts { queue, starts_in, because })
            }
            Err(why) => refused(why),
        }
    }

    fn left(&self) -> impl Fn(&AppId, bool) -> Option<Duration> {
        let table = self.table();
        let now = wall_ms();
        let jobs = table.live.iter().filter_map(|number| table.jobs.get(number));
        let limits: BTreeMap<AppId, (u64, u64)> = jobs
            .filter_map(|job| {
                let limit = job.spec.time_limit?.saturating_mul(1000);
                let started = job.attempts.last().filter(|_| job.state == JobState::Running).map(|last| last.started);
                let ran = started.map_or(0, |started| now.saturating_sub(started));
                Some((job.app(), (limit, limit.saturating_sub(ran))))
            })
            .collect();
        move |app, runs| limits.get(app).map(|(all, left)| Duration::from_millis(if runs { *left } else { *all }))
    }

    /// Milliseconds until the start, and the assumption.
    fn starts_in(&self, fork: &Fork, job: &Job) -> (Option<u64>, String) {
        let left = self.left();
        let mut ahead = Ahead::of(fork, &left);
        let (app, ask) = (job.app(), job.ask());
        let mut commands = vec![PartitionCommand::Submit(Self::submission(job))];
        if let PartitionAct::Ask { asks, .. } = Self::ask_of(job) {
            commands.extend(asks.into_iter().map(PartitionCommand::Ask));
        }
        commands.into_iter().for_each(|command| drop(ahead.give(command)));
        for step in 0..STEPS {
            for (starting, its) in ahead.cycles() {
                if (&starting, &its) == (&app, &ask) {
                    let ms = u64::try_from(ahead.now.since(fork.now()).as_millis()).unwrap_or(u64::MAX);
                    let because = match (step, ahead.ended) {
                        (0, _) => "enough free resources",
                        (_, 0) => "other jobs are preempted for the guaranteed resources of its queue",
                        _ => "if no job is submitted and each job runs for its full --time",
                    };
                    return (Some(ms), because.to_owned());
                }
                ahead.end_after(left(&starting, false), starting, its);
            }
            if !ahead.advance() {
                break;
            }
        }
        let why = match ahead.endless {
            0 => "the limits of its queue or user are too low for it".to_owned(),
            jobs => format!("{jobs} jobs before it have no --time, so their end is unknown"),
        };
        (None, why)
    }
}

/// Start times of queued jobs if nothing else is submitted and each job uses its whole time limit, as far as known.
#[derive(Default)]
pub(super) struct Starts(HashMap<AppId, Start>);

/// Milliseconds until the start, and the job whose end allows it; `None`: by preemption.
struct Start {
    in_ms: u64,
    after: Option<u64>,
}

impl Starts {
    /// Adds the start time to the reason.
    pub fn add_to(&self, mut report: JobReport) -> JobReport {
        let start = self.0.get(&AppId::from(report.app.as_str())).filter(|_| report.state == JobState::Queued);
        if let Some(start) = start {
            let because = match start.after {
                Some(job) => format!("when job {job} ends by its time limit"),
                None => "when other jobs are preempted for it".to_owned(),
            };
            let before = if report.reason.is_empty() { "" } else { "; " };
            report.reason.push_str(&format!("{before}starts in about {} ({because})", about_ms(start.in_ms)));
        }
        report
    }
}

impl Daemon {
    /// Returns the start times; empty if there are too many queued jobs for a list.
    pub(super) fn starts(&self) -> Starts {
        let mut found = Starts::default();
        let (queued, live) = {
            let table = self.table();
            let queued = |number: &u64| table.jobs.get(number).is_some_and(|job| job.state == JobState::Queued);
            (table.live.len() <= FEW_JOBS && table.live.iter().any(queued), table.live.len())
        };
        let Some(fork) = queued.then(|| self.fork().ok()).flatten() else { return found };
        let left = self.left();
        let mut ahead = Ahead::of(&fork, &left);
        for step in 0..FEW_STEPS + UNTIL_SPACE as usize {
            for (app, ask) in ahead.cycles() {
                let in_ms = u64::try_from(ahead.now.since(fork.now()).as_millis()).unwrap_or(u64::MAX);
                if step > 0 {
                    found.0.entry(app.clone()).or_insert(Start { in_ms, after: ahead.last });
                }
                ahead.end_after(left(&app, false), app, ask);
            }
            if found.0.len() >= live || !ahead.advance() {
                break;
            }
        }
        found
    }
}

struct Ahead {
    scheduler: Scheduler,
    now: Time,
    ends: BTreeMap<(Time, usize), (AppId, AskId)>,
    ends_set: usize,
    ended: usize,
    seconds: u32,
    /// Number of running jobs without a known end.
    endless: usize,
    last: Option<u64>,
}

impl Ahead {
    fn of(fork: &Fork, left: &impl Fn(&AppId, bool) -> Option<Duration>) -> Self {
        let (scheduler, now) = (fork.scheduler().clone(), fork.now());
        let ends = BTreeMap::new();
        let mut ahead =
            Self { scheduler, now, ends, ends_set: 0, ended: 0, seconds: UNTIL_SPACE, endless: 0, last: None };
        for (app, ask) in ahead.running() {
            ahead.end_after(left(&app, true), app, ask);
        }
        ahead
    }

    fn running(&self) -> Vec<(AppId, AskId)> {
        let parts = self.scheduler.partitions().iter().take(1);
        let mut found = Vec::new();
        for (_, app) in parts.flat_map(|part| part.apps.iter()) {
            found.extend(app.allocations.values().map(|key| (app.id.clone(), app.asks[*key].id.clone())));
        }
        found
    }

    fn end_after(&mut self, left: Option<Duration>, app: AppId, ask: AskId) {
        match left {
            Some(left) => {
                self.ends_set += 1;
                self.ends.insert((self.now + left, self.ends_set), (app, ask));
            }
            None => self.endless += 1,
        }
    }

    fn apply(&mut self, command: &Command) -> Vec<Event> {
        let mut events = self.scheduler.apply(self.now, command);
        while self.scheduler.is_unfinished() {
            events.extend(self.scheduler.apply(self.now, &Command::Continue));
        }
        events
    }

    fn give(&mut self, command: PartitionCommand) -> Vec<Event> {
        self.apply(&Command::In { partition: None, command })
    }

    fn cycles(&mut self) -> Vec<(AppId, AskId)> {
        let mut starting = Vec::new();
        loop {
            let events = self.apply(&Command::Cycle);
            let before = starting.len();
            starting.extend(events.into_iter().filter_map(|event| match event.kind {
                EventKind::Allocated { app, ask, .. } => Some((app, ask)),
                _ => None,
            }));
            if starting.len() == before {
                return starting;
            }
        }
    }

    /// Advances by a second, or to the next end of a job. Returns false at the end.
    fn advance(&mut self) -> bool {
        let second = self.now + Duration::from_secs(1);
        if self.seconds > 0 && self.ends.first_key_value().is_none_or(|((at, _), _)| *at > second) {
            self.seconds -= 1;
            (self.now, self.last) = (second, None);
            return true;
        }
        let Some(((at, _), (app, _))) = self.ends.pop_first() else { return false };
        self.ended += 1;
        self.now = self.now.max(at);
        self.last = number_of(app.as_str()).map(|(number, _)| number);
        self.give(PartitionCommand::Remove { app });
        true
    }
}

fn placed(fork: &Fork, job: &Job) -> Result<String, String> {
    // Under an unused application ID: the job may be queued already.
    let submission = Daemon::submission(&Job { number: NONE, generation: 1, ..job.clone() });
    let part = fork.scheduler().partitions().first().ok_or("no partition")?;
    match part.would_place(&submission).placement.outcome {
        PlacementOutcome::Placed(placed) => Ok(placed.path.to_string()),
        PlacementOutcome::Refused(why) => Err(format!("no queue accepts it: {}", why.refusal)),
    }
}
