//! The state of an engine and its basic steps; other modules act on it.
//!
//! Invariants:
//! - commands reach the scheduler only through [`State::carry_out`] or as a cycle, so that counters, workload, and
//!   drain reports get every event;
//! - a change of the scheduler that does not follow from others is recorded before it happens.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::active_config::ActiveConfig;
use super::audit_log::{AuditLog, NewEntries};
use super::clock::{Clock, ClockHistory};
use super::config_cache::ConfigCache;
use super::counters::Counters;
use super::drain_report::DrainReport;
use super::event_outbox::EventOutbox;
use super::journal::record::{Record, WallTime};
use super::journal::recorder::{RecordBlock, Recorder};
use super::ledger_book::LedgerBook;
use super::setup::Setup;
use config::{AllowedRemoval, Config};
use forecast::whatif::Course;
use ledger::Ledger;
use model::{Profile, QueuePath, Time};
use scenario::Workload;
use scheduler::{Command, Event, EventKind, Scheduler};
use view::audit::Revision;
use view::history::SAMPLE_EVERY;
use view::{NoticeWeight, ViewBuilder, drain_notice};

pub(super) struct Deadlines {
    /// The interval of the queue cleaner (SCH-182).
    pub clean_every: Duration,
    pub next_clean: Time,
    pub next_sample: Time,
    /// The retry after an empty cycle with pending requests (SCH-040).
    pub retry: Option<Time>,
    /// Something happened since the last empty cycle.
    pub cycle_due: bool,
}

pub(super) struct State {
    pub scheduler: Scheduler,
    pub workload: Option<Box<dyn Workload>>,
    pub views: ViewBuilder,
    pub policy_group: String,
    pub config_cache: Arc<ConfigCache>,
    /// The time up to which everything due is done.
    pub now: Time,
    pub deadlines: Deadlines,
    pub active_config: ActiveConfig,
    pub publish_every: Duration,
    /// The allowed removal by a changed file.
    pub allowed_removal: AllowedRemoval,
    /// Nothing happens by itself, and time is stopped (REST E3, `--paused`).
    pub paused: bool,
    /// Another scheduler decides: no cycles.
    pub follows: bool,
    pub configured_by: Option<Arc<str>>,
    pub pause_after_workload: bool,
    pub outbox: EventOutbox,
    pub counters: Arc<Counters>,
    pub audit_log: Arc<AuditLog>,
    pub ledger: Arc<LedgerBook>,
    /// `None` while time is stepped.
    pub clock: Option<Clock>,
    pub clock_history: ClockHistory,
    /// Writes the journal; `None` without one and during a replay.
    pub recorder: Option<Recorder>,
    /// The last recorded progress of the workload, for a state without one.
    pub workload_progress: Option<Vec<u8>>,
    /// The checksum of the configuration file before its last change by an order.
    pub file_before: Option<String>,
    /// The number of commands, without cycles.
    pub commands: u64,
    /// The course of a what-if, for comparisons.
    pub course: Option<Box<Course>>,
    /// `None` if not collected.
    pub drain_reports: Option<Vec<DrainReport>>,
}

impl State {
    pub fn new(setup: &Setup, scheduler: Scheduler, workload: Option<Box<dyn Workload>>) -> Self {
        Self {
            ledger: Arc::new(LedgerBook::new(
                Ledger::initial(setup.starts, &scheduler).with_most_rows(setup.ledger_rows),
            )),
            scheduler,
            workload,
            views: ViewBuilder::default(),
            policy_group: setup.policy_group.clone(),
            config_cache: Arc::default(),
            now: setup.starts,
            deadlines: Deadlines {
                clean_every: setup.clean_every,
                next_clean: setup.starts + setup.clean_every,
                next_sample: setup.starts + SAMPLE_EVERY,
                retry: None,
                cycle_due: false,
            },
            active_config: ActiveConfig::default(),
            publish_every: setup.publish_every,
            allowed_removal: setup.allowed_removal,
            paused: false,
            follows: setup.follows,
            configured_by: setup.configured_by.clone(),
            pause_after_workload: setup.paused,
            outbox: EventOutbox::new(setup),
            counters: Arc::default(),
            audit_log: Arc::default(),
            clock: None,
            clock_history: ClockHistory::default(),
            recorder: None,
            workload_progress: None,
            file_before: None,
            commands: 0,
            course: None,
            drain_reports: None,
        }
    }

    pub fn profile(&self) -> Profile {
        self.scheduler.switches().profile
    }

    /// Uses a clock for the audit, and for the first revision if it has no time yet.
    pub fn set_clock(&mut self, clock: &Clock) {
        self.clock = Some(clock.clone());
        let active = self.audit_log.revision(self.active_config.revision).filter(|revision| revision.wall.is_none());
        if let Some(first) = active {
            self.audit_log.revise(Revision { wall: self.wall_nanos(None), ..Revision::clone(&first) });
        }
    }

    /// The time of day in nanoseconds since 1970: recorded, or by the clock; `None` while time is stepped.
    pub fn wall_nanos(&self, recorded: Option<WallTime>) -> Option<i64> {
        let wall = recorded.map(SystemTime::from);
        let wall = wall.or_else(|| Some(self.clock.as_ref()?.wall(self.now)));
        let wall = wall.or_else(|| self.clock_history.wall(self.now))?;
        i64::try_from(wall.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
    }

    /// Records changes from now on; events wait until their records are on disk.
    pub fn set_recorder(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
        self.outbox.hold();
    }

    pub fn record(&mut self, record: impl FnOnce(Time) -> Record) {
        if let Some(recorder) = &mut self.recorder {
            recorder.record(&record(self.now));
        }
    }

    pub fn take_written(&mut self) -> (Option<RecordBlock>, NewEntries) {
        let block = self.recorder.as_mut().and_then(|recorder| recorder.take());
        (block, self.audit_log.take_new())
    }

    /// Logs an event from outside the scheduler.
    pub fn emit_event(&mut self, kind: EventKind) {
        self.outbox.push(vec![Event::new(self.now, kind)]);
        self.outbox.flush();
    }

    /// Executes a command. Its events are in the log, or held for the journal, on return.
    pub fn apply(&mut self, command: &Command) -> Vec<Event> {
        let events = self.carry_out(command);
        if self.outbox.is_read() {
            self.outbox.push(events.clone());
            self.outbox.flush();
        }
        events
    }

    /// Executes a command without logging its events.
    pub fn carry_out(&mut self, command: &Command) -> Vec<Event> {
        self.commands += 1;
        let started_at = Instant::now();
        let events = self.scheduler.apply(self.now, command);
        if matches!(command, Command::Cycle) {
            self.counters.cycle(started_at.elapsed());
        }
        self.counters.count(&events);
        self.ledger.observe(self.now, &events, &self.scheduler);
        if let Some(course) = &mut self.course {
            course.observe(&events, &self.scheduler);
        }
        self.deadlines.cycle_due = true;
        if let Some(workload) = &mut self.workload {
            workload.observe(self.now, &events);
        }
        self.report_drains(&events);
        events
    }

    /// The text of a configuration from the workload, if known.
    pub fn workload_text(&self, config: &Config) -> Option<String> {
        self.workload.as_ref()?.text_of(config).map(str::to_owned)
    }

    pub fn show_configuration(&mut self) {
        self.views.set_configuration(self.active_config.written.clone());
    }

    /// Pauses; commands are still executed.
    pub fn pause(&mut self) {
        self.paused = true;
        self.views.show_pending(&mut self.scheduler);
        self.views.set_paused(true);
    }

    /// Resumes; `wall` is the recorded time.
    pub fn resume(&mut self, wall: Option<WallTime>) {
        if self.paused {
            self.clock_history.resume(self.now, wall, self.clock.as_ref().map(Clock::speed));
        }
        self.paused = false;
        self.pause_after_workload = false;
        self.views.set_paused(false);
    }

    /// Shows and records a notice that does not follow from the scheduler.
    pub fn notice(&mut self, weight: NoticeWeight, title: String, text: String) {
        self.record(|at| Record::Notice { at, weight, title: title.clone(), text: text.clone() });
        self.show_notice(weight, title, text);
    }

    /// Shows a notice that follows from a record, so that a replay shows it again.
    pub fn show_notice(&mut self, weight: NoticeWeight, title: String, text: String) {
        self.views.notice(self.now, weight, title, text);
    }

    /// Reports queues that start to drain or drain for long, with their blocking applications.
    fn report_drains(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::QueueDrains { partition, queue, .. } => self.report_drain(partition, queue, false),
                EventKind::QueueDrainAlert { partition, queue, .. } => self.report_drain(partition, queue, true),
                EventKind::PartitionRemoved { partition, applications } => {
                    let title = format!("partition {partition} is removed, {applications} of its applications failed");
                    self.show_notice(NoticeWeight::Warning, title, String::new());
                }
                _ => {}
            }
        }
    }

    fn report_drain(&mut self, partition: &Arc<str>, queue: &QueuePath, stuck: bool) {
        let partitions = self.scheduler.partitions();
        let part = partitions.iter().find(|part| part.name == *partition);
        let Some(draining) = part.and_then(|part| part.draining(queue)) else { return };
        let name = (partitions.len() > 1).then_some(&**partition);
        let (weight, title, text) = drain_notice(&draining, name, stuck, self.now);
        self.show_notice(weight, title, text);
        if let Some(reports) = &mut self.drain_reports {
            reports.push(DrainReport { partition: Arc::clone(partition), stuck, at: self.now, draining });
        }
    }

    /// The progress of the workload, in its own format; empty without one.
    pub fn workload_progress(&self) -> Vec<u8> {
        let own = self.workload.as_ref().and_then(|workload| workload.save());
        own.or_else(|| self.workload_progress.clone()).unwrap_or_default()
    }
}

pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
