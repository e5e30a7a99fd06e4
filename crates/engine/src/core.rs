//! The engine without a thread.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::active_config::ConfigText;
use super::audit_log::AuditLog;
use super::clock::{Clock, ClockRun};
use super::counters::Counters;
use super::drain_report::DrainReport;
use super::earlier::{self, Earlier};
use super::events::EventLog;
use super::journal::record::Record;
use super::ledger_book::LedgerBook;
use super::prepared::Prepared;
use super::run_loop::{self, Progress};
use super::setup::Setup;
use super::state::{Deadlines, State};
use super::{audit, config_load, explain, orders, replay, save};
use config::Config;
use forecast::whatif::{Fork, NoFork, Pace};
use model::{Profile, Time};
use scenario::Workload;
use scheduler::state::nodes::Nodes;
use scheduler::{Command, Event, EventKind, Predicates, Scheduler};
use view::act::{Actor, Configuration, Done, LoadedBy, Order, Refusal};
use view::waiting::{Finding, Question};
use view::{ClockRuns, NoticeWeight, View};

/// A scheduler with its workload and periodic work; it runs when it is stepped.
pub struct Core {
    pub(super) state: State,
}

impl Core {
    /// Creates a core at time zero with an active configuration.
    ///
    /// # Errors
    /// Returns an error if the scheduler rejects the configuration.
    pub fn new(profile: Profile, config: Arc<Config>, workload: Option<Box<dyn Workload>>) -> Result<Self, String> {
        Self::set_up(&Setup::of(profile), config, workload)
    }

    /// Creates a core with all settings.
    ///
    /// # Errors
    /// Returns an error if the scheduler rejects the configuration.
    pub fn set_up(setup: &Setup, config: Arc<Config>, workload: Option<Box<dyn Workload>>) -> Result<Self, String> {
        let state = State::new(setup, Scheduler::tuned(setup.profile, setup.tuning), workload);
        Self::start(state, &config)
    }

    /// Creates a core that continues the audit, revisions, and ledger of an earlier run, for a scheduler whose time is
    /// the time of day.
    ///
    /// # Errors
    /// Returns an error if the scheduler rejects the configuration.
    pub fn set_up_after(setup: &Setup, config: Arc<Config>, earlier: Earlier) -> Result<Self, String> {
        let mut state = State::new(setup, Scheduler::tuned(setup.profile, setup.tuning), None);
        earlier::take(&mut state, setup, earlier);
        Self::start(state, &config)
    }

    fn start(mut state: State, config: &Arc<Config>) -> Result<Self, String> {
        let events = config_load::load(&mut state, config, None, LoadedBy::Start);
        config_load::rejected(events).map_or(Ok(Self { state }), Err)
    }

    /// Restores a saved core, which continues with this workload. Its events are not tracked until [`Core::go_live`].
    ///
    /// # Errors
    /// Returns an error if the saved state is inconsistent.
    pub fn restored(setup: &Setup, bytes: &[u8], workload: Option<Box<dyn Workload>>) -> Result<Self, String> {
        save::restore(setup, bytes, workload).map(|state| Self { state })
    }

    /// Saves all but the audit log and the events, for [`Core::restored`].
    pub fn save(&mut self) -> Vec<u8> {
        save::save(&mut self.state)
    }

    /// Starts tracking events.
    pub fn go_live(&mut self, setup: &Setup) {
        self.events().configure(&setup.event);
    }

    /// Replays a record.
    pub fn replay(&mut self, record: Record) {
        replay::replay(&mut self.state, record);
    }

    /// The time up to which everything due is done.
    pub fn now(&self) -> Time {
        self.state.now
    }

    /// The scheduler, read only.
    pub fn scheduler(&self) -> &Scheduler {
        &self.state.scheduler
    }

    /// The profile that it decides by.
    pub fn profile(&self) -> Profile {
        self.state.profile()
    }

    pub(super) fn policy_group(&self) -> &str {
        &self.state.policy_group
    }

    /// Call it before copying a running core.
    pub fn share(&mut self) {
        self.state.scheduler.share();
    }

    /// Copies a partition (default: the first one) for tests, if two copies fit `most` bytes.
    ///
    /// # Errors
    /// Returns an error if the partition does not exist or is too large.
    pub fn fork(&self, partition: Option<&str>, most: usize) -> Result<Fork, NoFork> {
        let Deadlines { clean_every, next_clean, retry, cycle_due, .. } = self.state.deadlines;
        let text = self.configuration().map(|written| Arc::clone(&written.queues));
        let pace = Pace { clean_every, next_clean, retry, cycle_due };
        Fork::of(&self.state.scheduler, partition, (self.state.now, pace), text, most)
    }

    /// The event log.
    pub fn events(&self) -> &Arc<EventLog> {
        self.state.outbox.log()
    }

    /// The counters since the start.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.state.counters
    }

    /// The audit log and the revisions.
    pub fn audit_log(&self) -> &Arc<AuditLog> {
        &self.state.audit_log
    }

    /// The ledger of usage.
    pub fn ledger(&self) -> &Arc<LedgerBook> {
        &self.state.ledger
    }

    /// The runs of the clock.
    pub fn clock_runs(&self) -> ClockRuns {
        let runs = ClockRuns::of(self.state.clock_history.runs().into_iter().map(ClockRun::run));
        runs.unwrap_or_else(|| ClockRuns::always(0, 1.0))
    }

    /// Whether it is paused.
    pub fn is_paused(&self) -> bool {
        self.state.paused
    }

    pub(super) fn clock(&self, speed: f64) -> Clock {
        Clock::continuing(speed, self.state.now, self.state.clock_history.runs())
    }

    /// Sets the text of the first configuration, and the file for changes.
    #[must_use]
    pub fn with_config_text(mut self, bytes: &[u8], file: Option<PathBuf>) -> Self {
        let text = ConfigText::of_file(bytes, &self.state.policy_group);
        self.state.active_config.file = file.map(|file| (file, bytes.to_vec()));
        // Differs only after an earlier run.
        let changes = self.state.audit_log.revision(self.state.active_config.revision).map_or(0, |first| first.changes);
        config_load::set_text(&mut self.state, Some(text), changes, LoadedBy::Start.into());
        self
    }

    /// Removes the configuration file.
    #[must_use]
    pub fn without_config_file(mut self) -> Self {
        self.state.active_config.file = None;
        self
    }

    /// Sets the configuration file, which contains `bytes`. A restored core completes an interrupted replacement of the
    /// file; if another text is in the file, that is loaded. Returns the final content.
    pub fn attach_config_file(&mut self, file: &Path, bytes: Vec<u8>) -> Vec<u8> {
        config_load::attach_file(&mut self.state, file, bytes)
    }

    /// Removes temporary files of an interrupted change, with a notice.
    pub fn remove_config_leftovers(&mut self, file: &Path) {
        config_load::remove_leftovers(&mut self.state, file);
    }

    /// Reloads a changed configuration file, with a notice; an invalid one changes nothing (SCH-177).
    pub fn reload(&mut self, name: &str, bytes: &[u8]) {
        config_load::reload(&mut self.state, name, bytes);
    }

    /// `None` if its text is unknown.
    pub fn configuration(&self) -> Option<&Arc<Configuration>> {
        self.state.active_config.written.as_ref()
    }

    /// Executes a command; cycles follow with the next [`Core::run_until`]. Its events are in the log on return.
    pub fn apply(&mut self, command: &Command) -> Vec<Event> {
        config_load::apply(&mut self.state, command, None)
    }

    /// Executes an order, all or nothing, and records it in the audit; cycles follow with the next [`Core::run_until`].
    ///
    /// # Errors
    /// Returns the rejection. Nothing was changed.
    pub fn perform(&mut self, actor: &Actor, order: &Order) -> Result<Done, Refusal> {
        orders::perform(&mut self.state, actor, order, Prepared::default())
    }

    /// Fails if the partition does not exist.
    pub(super) fn fork_for(&self, question: &Question) -> Result<Fork, Refusal> {
        self.fork(Some(&question.partition), usize::MAX).map_err(|why| match why {
            NoFork::NoPartition(name) => Refusal::not_found("partition", &name),
            NoFork::TooLarge { .. } | NoFork::Stopped => Refusal::stopped(),
        })
    }

    /// Explains why something waits.
    ///
    /// # Errors
    /// Returns an error if the object does not exist.
    pub fn explain(&self, question: &Question) -> Result<Finding, Refusal> {
        explain::explained(&self.fork_for(question)?, &question.of, Some(self.audit_log()))
    }

    /// Records an order that was rejected before it reached the scheduler, because its text was invalid.
    pub fn enter_refusal(&mut self, actor: &Actor, order: &Order, refusal: &Refusal) {
        audit::enter_refusal(&self.state, actor, order, refusal, None);
    }

    /// `wake` is called for the first event after a take.
    pub fn tap(&mut self, wake: impl Fn() + Send + 'static) {
        self.state.outbox.tap(Box::new(wake));
    }

    /// Returns the events since the last call.
    pub fn take_tapped(&mut self) -> Vec<Event> {
        self.state.outbox.take_tapped()
    }

    /// They are not a command and not in the journal.
    pub fn set_predicates(&mut self, partition: &str, predicates: Arc<dyn Predicates>) {
        self.change_nodes(partition, |nodes| nodes.set_predicates(predicates));
    }

    /// Changes the conditions of a resource manager.
    pub fn change_predicates(&mut self, partition: &str, change: impl FnOnce(&mut dyn Predicates)) {
        self.change_nodes(partition, |nodes| nodes.change_predicates(change));
    }

    fn change_nodes(&mut self, partition: &str, change: impl FnOnce(&mut Nodes)) {
        let parts = self.state.scheduler.partitions_mut();
        if let Some(part) = parts.iter_mut().find(|part| *part.name == *partition) {
            change(&mut part.nodes);
            self.state.deadlines.cycle_due = true;
        }
    }

    /// Logs an event from outside the scheduler.
    pub fn emit_event(&mut self, kind: EventKind) {
        self.state.emit_event(kind);
    }

    /// Shows and records a notice that does not follow from the scheduler.
    pub fn notice(&mut self, weight: NoticeWeight, title: String, text: String) {
        self.state.notice(weight, title, text);
    }

    /// Reports a repair of the journal.
    pub fn report_repair(&mut self, what: String) {
        self.notice(NoticeWeight::Warning, "the damaged state was repaired".to_owned(), what);
    }

    /// Collects reports of draining queues for [`Core::take_drain_reports`].
    pub fn collect_drain_reports(&mut self) {
        self.state.drain_reports.get_or_insert_default();
    }

    /// Returns the reports of draining queues since the last call.
    pub fn take_drain_reports(&mut self) -> Vec<DrainReport> {
        self.state.drain_reports.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The next time with due work or a view that changes by itself.
    pub fn next_wake(&self) -> Option<Time> {
        run_loop::next_wake(&self.state)
    }

    /// The next time with due work: now if a cycle may find work, otherwise the earliest of the rest.
    pub fn next_due(&self) -> Option<Time> {
        run_loop::next_due(&self.state)
    }

    /// Executes what is scheduled until `until`, in order, each at its own time; at most `steps` cycles and commands.
    /// During a pause, time stops, and only started work is completed.
    pub fn run_until(&mut self, until: Time, steps: usize) -> Progress {
        run_loop::run_until(&mut self.state, until, steps)
    }

    /// `None` if unchanged since the last call.
    pub fn take_view(&mut self) -> Option<Arc<View>> {
        run_loop::take_view(&mut self.state)
    }

    /// The current view, also if unchanged.
    pub fn whole_view(&mut self) -> Arc<View> {
        self.take_view().unwrap_or_else(|| self.state.views.last())
    }
}
