//! The engine without a thread: what is due, in the order in which it is due.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::ahead::Readings;
use super::clock::Clock;
use super::configure::{InForce, Text, rejected};
use super::counters::Counters;
use super::events::{CHUNK, EventLog};
use super::journal::{Given, Record, Recorder};
use super::keep::Context;
use super::ledger::Ledger;
use super::setup::Setup;
use super::tell::DrainReport;
use crate::config::Config;
use crate::model::{Profile, QueuePath, Time};
use crate::scenario::Workload;
use crate::scheduler::{Command, Event, EventKind, Scheduler};
use crate::view::act::LoadedBy;
use crate::view::history::SAMPLE_EVERY;
use crate::view::ledger::Revision;
use crate::view::{self, NoticeWeight, View, ViewBuilder, drain_notice, record};

/// How often a cycle is tried again while something is pending (SCH-040).
const RETRY_EVERY: Duration = Duration::from_millis(100);

/// How far [`Core::run_until`] came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The number of steps was used up before the time was reached.
    Busy,
    /// Everything due by then is done.
    Reached,
}

/// A scheduler with its workload and its periodic duties.
pub struct Core {
    pub(super) scheduler: Scheduler,
    pub(super) workload: Option<Box<dyn Workload>>,
    pub(super) views: ViewBuilder,
    pub(super) policy_group: String,
    /// Texts that were read ahead.
    pub(super) readings: Arc<Readings>,
    pub(super) clean_every: Duration,
    /// What there is to tell of draining queues; `None` while nobody asks.
    reports: Option<Vec<DrainReport>>,
    pub(super) now: Time,
    /// A cycle may find something: something happened since the last one that found nothing.
    pub(super) cycling: bool,
    pub(super) next_clean: Time,
    pub(super) retry: Option<Time>,
    pub(super) in_force: InForce,
    /// Nothing happens by itself and time stands (REST E3, `--paused`).
    pub(super) resting: bool,
    /// It is to rest once the workload has given its last step.
    pub(super) rests_after_workload: bool,
    pub(super) next_sample: Time,
    log: Arc<EventLog>,
    /// Events that are not in the log yet.
    unlogged: Vec<Event>,
    counters: Arc<Counters>,
    ledger: Arc<Ledger>,
    /// What tells the time of day to the ledger; `None` while time is stepped.
    clock: Option<Clock>,
    /// What it writes down for the journal; `None` without one, and while it is made anew from one.
    pub(super) recorder: Option<Recorder>,
    pub(super) context: Context,
}

impl Core {
    /// A core that begins at time zero with a configuration in force.
    ///
    /// # Errors
    /// Why the scheduler refuses the configuration.
    pub fn new(profile: Profile, config: Arc<Config>, workload: Option<Box<dyn Workload>>) -> Result<Self, String> {
        Self::set_up(&Setup::of(profile), config, workload)
    }

    /// A core that is set up as told, and begins at time zero with a configuration in force.
    ///
    /// # Errors
    /// Why the scheduler refuses the configuration.
    pub fn set_up(setup: &Setup, config: Arc<Config>, workload: Option<Box<dyn Workload>>) -> Result<Self, String> {
        let mut core = Self::bare(setup, Scheduler::tuned(setup.profile, setup.tuning), workload);
        let events = core.load(&config, None, LoadedBy::Start);
        rejected(events).map_or(Ok(core), Err)
    }

    /// A core around a scheduler, at time zero.
    pub(super) fn bare(setup: &Setup, scheduler: Scheduler, workload: Option<Box<dyn Workload>>) -> Self {
        Self {
            scheduler,
            workload,
            views: ViewBuilder::default(),
            policy_group: setup.policy_group.clone(),
            readings: Arc::default(),
            clean_every: setup.clean_every,
            reports: None,
            now: Time::ZERO,
            cycling: false,
            next_clean: Time::ZERO + setup.clean_every,
            retry: None,
            in_force: InForce::default(),
            resting: false,
            rests_after_workload: setup.paused,
            next_sample: Time::ZERO + SAMPLE_EVERY,
            log: Arc::new(EventLog::new(Arc::clone(&setup.instance), setup.profile, &setup.event)),
            unlogged: Vec::new(),
            counters: Arc::default(),
            ledger: Arc::default(),
            clock: None,
            recorder: None,
            context: Context::default(),
        }
    }

    /// The time up to which everything due is done.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The scheduler, to look at.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// The events that have happened, for everybody.
    pub fn events(&self) -> &Arc<EventLog> {
        &self.log
    }

    /// What has happened in numbers, for everybody.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Who did what, and every configuration that was in force, for everybody.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Has the time of day in the ledger from now on.
    pub(super) fn runs_by(&mut self, clock: &Clock) {
        self.clock = Some(clock.clone());
        // What is in force since before there was a clock.
        let first = self.ledger.revision(self.in_force.revision()).filter(|revision| revision.wall.is_none());
        if let Some(first) = first {
            self.ledger.revise(Revision { wall: self.wall(), ..Revision::clone(&first) });
        }
    }

    /// The time of day, in nanoseconds since 1970; `None` while time is stepped.
    pub(super) fn wall(&self) -> Option<i64> {
        let told = self.context.wall.map(SystemTime::from);
        let wall =
            told.or_else(|| Some(self.clock.as_ref()?.wall(self.now))).or_else(|| self.context.wall_of(self.now))?;
        i64::try_from(wall.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
    }

    /// Writes down what changes the scheduler, if anybody keeps that.
    fn record(&mut self, record: impl FnOnce(Time) -> Record) {
        if let Some(recorder) = &mut self.recorder {
            recorder.record(&record(self.now));
        }
    }

    /// Puts something into the events that the scheduler does not know of.
    pub fn tell_event(&mut self, kind: EventKind) {
        self.log_events(vec![Event::new(self.now, kind)]);
        self.flush_events();
    }

    /// Carries out a command now; cycles follow with the next [`Core::run_until`]. Its events are in the log when this returns.
    pub fn apply(&mut self, command: &Command) -> Vec<Event> {
        self.apply_written(command, None)
    }

    /// The same for a configuration whose text is known.
    pub(super) fn apply_written(&mut self, command: &Command, text: Option<Text>) -> Vec<Event> {
        match command {
            Command::Configure(config) => self.load(config, text, LoadedBy::Workload),
            _ => self.give(command),
        }
    }

    /// Gives the scheduler a command, and tells everybody what came of it. Its events are in the log when this returns.
    pub(super) fn give(&mut self, command: &Command) -> Vec<Event> {
        let events = self.carry_out(command);
        if self.log.is_tracking() {
            self.log_events(events.clone());
            self.flush_events();
        }
        events
    }

    fn carry_out(&mut self, command: &Command) -> Vec<Event> {
        let began = Instant::now();
        let events = self.scheduler.apply(self.now, command);
        if matches!(command, Command::Cycle) {
            self.counters.cycle(began.elapsed());
        }
        self.counters.count(&events);
        self.cycling = true;
        if let Some(workload) = &mut self.workload {
            workload.observe(self.now, &events);
        }
        self.tell_of_drains(&events);
        events
    }

    /// Which entry of a manifest is the queue configuration.
    pub(super) fn policy_group(&self) -> &str {
        &self.policy_group
    }

    /// The text of a configuration that the workload gave out, where it knows it.
    pub(super) fn workload_text(&self, config: &Config) -> Option<String> {
        self.workload.as_ref()?.text_of(config).map(str::to_owned)
    }

    /// Shows how the configuration in force is written.
    pub(super) fn show_configuration(&mut self) {
        self.views.set_configuration(self.in_force.written());
    }

    /// Whether it rests: nothing happens by itself, and time stands.
    pub fn rests(&self) -> bool {
        self.resting
    }

    /// Rests from now on. Commands are still carried out.
    pub(super) fn rest(&mut self) {
        self.resting = true;
        self.views.show_pending(&mut self.scheduler);
        self.views.set_resting(true);
    }

    /// Goes on where it rested.
    pub(super) fn go_on(&mut self) {
        if self.resting {
            self.context.goes_on(self.now, self.clock.as_ref().map(Clock::speed));
        }
        self.resting = false;
        self.rests_after_workload = false;
        self.views.set_resting(false);
    }

    /// Whether it is time to rest as it was set up to.
    fn comes_to_rest(&self) -> bool {
        self.rests_after_workload && self.workload.as_ref().is_none_or(|workload| workload.next().is_none())
    }

    /// Events of a whole command are on their way into the log.
    fn log_events(&mut self, mut events: Vec<Event>) {
        if !self.log.is_tracking() {
            return;
        }
        self.unlogged.append(&mut events);
        if self.unlogged.len() >= CHUNK {
            self.flush_events();
        }
    }

    fn flush_events(&mut self) {
        if self.unlogged.is_empty() {
            return;
        }
        let events = std::mem::take(&mut self.unlogged);
        if self.recorder.is_some() || self.context.listens {
            self.context.untold.push(events);
        } else {
            self.log.append(events);
        }
    }

    /// The records of what happened since this was last asked, for a core that is made anew and tells nobody else.
    pub(super) fn heard(&mut self) -> Vec<view::Record> {
        self.flush_events();
        let profile = self.profile();
        self.take_events().iter().flat_map(|events| record::records(events, profile)).collect()
    }

    /// Events that are told once what led to them is on the disk.
    pub(super) fn take_events(&mut self) -> Vec<Vec<Event>> {
        std::mem::take(&mut self.context.untold)
    }

    /// Has what there is to tell of draining queues kept for [`Core::take_reports`].
    pub fn keep_reports(&mut self) {
        self.reports.get_or_insert_default();
    }

    /// What there is to tell of draining queues since this was last asked.
    pub fn take_reports(&mut self) -> Vec<DrainReport> {
        self.reports.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Tells of queues that begin to drain, and of those that are stuck, with what holds them at this moment.
    fn tell_of_drains(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::QueueDrains { partition, queue, .. } => self.tell_of(partition, queue, false),
                EventKind::QueueDrainAlert { partition, queue, .. } => self.tell_of(partition, queue, true),
                EventKind::PartitionRemoved { partition, applications } => {
                    let title = format!("partition {partition} is removed, {applications} of its applications failed");
                    self.views.notice(self.now, NoticeWeight::Warning, title, String::new());
                }
                _ => {}
            }
        }
    }

    fn tell_of(&mut self, partition: &Arc<str>, queue: &QueuePath, stuck: bool) {
        let partitions = self.scheduler.partitions();
        let found = partitions.iter().find(|part| part.name == *partition);
        let Some(draining) = found.and_then(|part| part.draining(queue)) else { return };
        let name = (partitions.len() > 1).then_some(&**partition);
        let (weight, title, text) = drain_notice(&draining, name, stuck, self.now);
        self.views.notice(self.now, weight, title, text);
        if let Some(reports) = &mut self.reports {
            reports.push(DrainReport { partition: Arc::clone(partition), stuck, at: self.now, draining });
        }
    }

    /// Tells whoever looks something that does not follow from what the scheduler did.
    pub fn notice(&mut self, weight: NoticeWeight, title: String, text: String) {
        self.record(|at| Record::Notice { at, weight, title: title.clone(), text: text.clone() });
        self.follow_with(weight, title, text);
    }

    /// Tells whoever looks what followed from something that is written down.
    pub(super) fn follow_with(&mut self, weight: NoticeWeight, title: String, text: String) {
        self.views.notice(self.now, weight, title, text);
    }

    /// When the engine has to look again: for something due, or because the view changes by itself.
    pub fn next_wake(&self) -> Option<Time> {
        if self.resting && !self.scheduler.is_unfinished() {
            return None;
        }
        [self.next_due(), self.views.next_change()].into_iter().flatten().min()
    }

    /// When something is due next: a cycle at once while there may be work, else whatever comes first.
    pub fn next_due(&self) -> Option<Time> {
        if self.scheduler.is_unfinished() {
            return Some(self.now);
        }
        if self.resting {
            return None;
        }
        if self.may_cycle() {
            return Some(self.now);
        }
        let workload = self.workload.as_ref().and_then(|workload| workload.next());
        let periodic = [Some(self.next_clean), Some(self.next_sample)];
        let due = [workload, self.scheduler.next_timer(), self.retry].into_iter().chain(periodic);
        due.flatten().min()
    }

    /// Carries out what is due by `until`, in order, each at its own time; at most `steps` cycles and commands. While it rests,
    /// its time stands, and nothing is done but what was begun already.
    pub fn run_until(&mut self, until: Time, steps: usize) -> Progress {
        let progress = self.run(until, steps);
        self.flush_events();
        progress
    }

    fn run(&mut self, until: Time, steps: usize) -> Progress {
        let mut left = steps;
        while left > 0 {
            left -= 1;
            if self.scheduler.is_unfinished() {
                self.record(|at| Record::Continue { at });
                self.duty(&Command::Continue, None);
                continue;
            }
            if self.resting || self.comes_to_rest() {
                if !self.resting {
                    self.record(|at| Record::Rest { at });
                }
                self.rest();
                return Progress::Reached;
            }
            if self.may_cycle() {
                if let Some(recorder) = &mut self.recorder {
                    recorder.cycle(self.now);
                }
                self.cycle();
                continue;
            }
            match self.next_due().filter(|due| *due <= until) {
                None => {
                    self.now = self.now.max(until);
                    return Progress::Reached;
                }
                Some(due) => {
                    self.now = self.now.max(due);
                    left = left.saturating_sub(self.duties());
                }
            }
        }
        Progress::Busy
    }

    /// Whether a cycle is due now: it may find something, and no workload keeps cycles to itself.
    fn may_cycle(&self) -> bool {
        self.cycling && !self.workload.as_ref().is_some_and(|workload| workload.runs_cycles())
    }

    /// One cycle. After one that found nothing, cycles wait until something happens, or for the next try (SCH-040).
    pub(super) fn cycle(&mut self) {
        let began = Instant::now();
        let events = self.scheduler.apply(self.now, &Command::Cycle);
        self.counters.cycle(began.elapsed());
        self.counters.count(&events);
        self.cycling = events.iter().any(Event::is_activity);
        if let Some(workload) = &mut self.workload {
            workload.observe(self.now, &events);
        }
        self.log_events(events);
        self.retry = (!self.cycling && self.scheduler.has_work()).then(|| self.now + RETRY_EVERY);
    }

    /// What a workload did, or timers; `text` is how a configuration is written, where that is not for the workload to tell.
    pub(super) fn duty(&mut self, command: &Command, text: Option<Text>) {
        if let Command::Configure(config) = command {
            let before = self.config_facts();
            let refused = rejected(self.load(config, text, LoadedBy::Workload));
            self.enter_step(before, refused.as_deref());
            return;
        }
        let noted = self.before_duty(command);
        let events = self.carry_out(command);
        self.enter_duty(noted, &events);
        self.log_events(events);
    }

    /// The cleaner's turn.
    pub(super) fn clean(&mut self) {
        self.next_clean = self.now + self.clean_every;
        self.duty(&Command::Clean, None);
    }

    /// Takes a sample for the history.
    pub(super) fn sample(&mut self) {
        self.next_sample = self.next_sample + SAMPLE_EVERY;
        self.views.sample(self.now, &self.scheduler);
    }

    /// What the workload does now.
    fn work(&mut self) -> Vec<Command> {
        let Some(workload) = self.workload.as_mut().filter(|work| work.next().is_some_and(|next| next <= self.now))
        else {
            return Vec::new();
        };
        let commands = workload.act(self.now);
        if self.recorder.is_some() {
            let text = |command: &Command| match command {
                Command::Configure(config) => self.workload_text(config),
                _ => None,
            };
            let given = commands.iter().map(|command| Given::of(command, text(command))).collect();
            self.record(|at| Record::Work { at, commands: given });
        }
        commands
    }

    /// Everything that is due now, but cycles. Gives how many commands that were.
    fn duties(&mut self) -> usize {
        let commands = self.work();
        let count = commands.len();
        for command in commands {
            self.duty(&command, None);
        }
        if self.next_clean <= self.now {
            self.record(|at| Record::Clean { at });
            self.clean();
        }
        if self.scheduler.next_timer().is_some_and(|timer| timer <= self.now) {
            self.record(|at| Record::Tick { at });
            self.duty(&Command::Tick, None);
        }
        if self.next_sample <= self.now {
            self.record(|at| Record::Sample { at });
            self.sample();
        }
        if self.retry.is_some_and(|retry| retry <= self.now) {
            self.retry = None;
            self.cycling = true;
        }
        count
    }

    /// The view of now, or `None` if nothing changed since the last one.
    pub fn take_view(&mut self) -> Option<Arc<View>> {
        self.views.update(self.now, &mut self.scheduler)
    }
}
