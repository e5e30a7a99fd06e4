//! The engine without a thread, as others use it.

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

/// A scheduler with its workload and its periodic work. It does what is due when it is stepped.
pub struct Core {
    pub(super) state: State,
}

impl Core {
    /// A core that starts at time zero with an active configuration.
    ///
    /// # Errors
    /// Why the scheduler refuses the configuration.
    pub fn new(profile: Profile, config: Arc<Config>, workload: Option<Box<dyn Workload>>) -> Result<Self, String> {
        Self::set_up(&Setup::of(profile), config, workload)
    }

    /// The same with all settings.
    ///
    /// # Errors
    /// Why the scheduler refuses the configuration.
    pub fn set_up(setup: &Setup, config: Arc<Config>, workload: Option<Box<dyn Workload>>) -> Result<Self, String> {
        let state = State::new(setup, Scheduler::tuned(setup.profile, setup.tuning), workload);
        Self::begin(state, &config)
    }

    /// The same after an earlier run, for a scheduler whose time is the time of day: the audit, the revisions and the ledger continue.
    ///
    /// # Errors
    /// Why the scheduler refuses the configuration.
    pub fn set_up_after(setup: &Setup, config: Arc<Config>, earlier: Earlier) -> Result<Self, String> {
        let mut state = State::new(setup, Scheduler::tuned(setup.profile, setup.tuning), None);
        earlier::take(&mut state, setup, earlier);
        Self::begin(state, &config)
    }

    fn begin(mut state: State, config: &Arc<Config>) -> Result<Self, String> {
        let events = config_load::load(&mut state, config, None, LoadedBy::Start);
        config_load::rejected(events).map_or(Ok(Self { state }), Err)
    }

    /// The core that was saved; it continues with this workload. Its events are not tracked until [`Core::go_live`].
    ///
    /// # Errors
    /// What in it does not fit together.
    pub fn restored(setup: &Setup, bytes: &[u8], workload: Option<Box<dyn Workload>>) -> Result<Self, String> {
        save::restore(setup, bytes, workload).map(|state| Self { state })
    }

    /// All of it but the audit log and the events, for [`Core::restored`].
    pub fn save(&mut self) -> Vec<u8> {
        save::save(&mut self.state)
    }

    /// From now on its events are tracked, by the settings.
    pub fn go_live(&mut self, setup: &Setup) {
        self.events().configure(&setup.event);
    }

    /// Carries out again what was recorded.
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

    /// Which entry of a manifest is the queue configuration.
    pub(super) fn policy_group(&self) -> &str {
        &self.state.policy_group
    }

    /// From now on copies share what neither side changes. Done before a copy is made of a core that runs.
    pub fn share(&mut self) {
        self.state.scheduler.share();
    }

    /// A copy of a partition, the first one where none is named, to try things in, if two copies take at most this many bytes.
    ///
    /// # Errors
    /// There is no such partition, or it is too large.
    pub fn fork(&self, partition: Option<&str>, most: usize) -> Result<Fork, NoFork> {
        let Deadlines { clean_every, next_clean, retry, cycle_due, .. } = self.state.deadlines;
        let text = self.configuration().map(|written| Arc::clone(&written.queues));
        let pace = Pace { clean_every, next_clean, retry, cycle_due };
        Fork::of(&self.state.scheduler, partition, (self.state.now, pace), text, most)
    }

    /// The log of events, shared with all readers.
    pub fn events(&self) -> &Arc<EventLog> {
        self.state.outbox.log()
    }

    /// The counts since the start, shared with all readers.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.state.counters
    }

    /// The audit and the revisions of the configuration, shared with all readers.
    pub fn audit_log(&self) -> &Arc<AuditLog> {
        &self.state.audit_log
    }

    /// What was used over time, shared with all readers.
    pub fn ledger(&self) -> &Arc<LedgerBook> {
        &self.state.ledger
    }

    /// When its time ran, by the wall clock.
    pub fn clock_runs(&self) -> ClockRuns {
        let runs = ClockRuns::of(self.state.clock_history.runs().into_iter().map(ClockRun::run));
        runs.unwrap_or_else(|| ClockRuns::always(0, 1.0))
    }

    /// Whether it is paused: nothing happens by itself, and time stands.
    pub fn is_paused(&self) -> bool {
        self.state.paused
    }

    /// A clock that runs on from where this core stands.
    pub(super) fn clock(&self, speed: f64) -> Clock {
        Clock::continuing(speed, self.state.now, self.state.clock_history.runs())
    }

    /// The same core, which knows how its first configuration was written, and writes changes of it to `file`.
    #[must_use]
    pub fn with_config_text(mut self, bytes: &[u8], file: Option<PathBuf>) -> Self {
        let text = ConfigText::of_file(bytes, &self.state.policy_group);
        self.state.active_config.file = file.map(|file| (file, bytes.to_vec()));
        // Only after an earlier run it was another one before.
        let changes = self.state.audit_log.revision(self.state.active_config.revision).map_or(0, |first| first.changes);
        config_load::set_text(&mut self.state, Some(text), changes, LoadedBy::Start.into());
        self
    }

    /// The same core, which writes changes of its configuration to no file.
    #[must_use]
    pub fn without_config_file(mut self) -> Self {
        self.state.active_config.file = None;
        self
    }

    /// From now on changes of the configuration are written to `file`, which holds `bytes`. A restored core finishes the replacement of
    /// that file if that was cut off; if someone changed it meanwhile, that text is loaded. Returns what the file holds then.
    pub fn attach_config_file(&mut self, file: &Path, bytes: Vec<u8>) -> Vec<u8> {
        config_load::attach_file(&mut self.state, file, bytes)
    }

    /// Removes what a process that was ended in the middle of a change left next to the configuration's file, with a notice.
    pub fn remove_config_leftovers(&mut self, file: &Path) {
        config_load::remove_leftovers(&mut self.state, file);
    }

    /// Reloads a configuration file that has changed, with a notice about the outcome; a bad one changes nothing (SCH-177).
    pub fn reload(&mut self, name: &str, bytes: &[u8]) {
        config_load::reload(&mut self.state, name, bytes);
    }

    /// The active configuration as it was written; `None` when that is unknown.
    pub fn configuration(&self) -> Option<&Arc<Configuration>> {
        self.state.active_config.written.as_ref()
    }

    /// Carries out a command now; cycles follow with the next [`Core::run_until`]. Its events are in the log when this returns.
    pub fn apply(&mut self, command: &Command) -> Vec<Event> {
        config_load::apply(&mut self.state, command, None)
    }

    /// Carries out an order now, whole or not at all, and writes it into the audit; cycles follow with the next [`Core::run_until`].
    ///
    /// # Errors
    /// Which check refused, and what would be needed. Nothing was done.
    pub fn perform(&mut self, actor: &Actor, order: &Order) -> Result<Done, Refusal> {
        orders::perform(&mut self.state, actor, order, Prepared::default())
    }

    /// A copy of the partition that a question is about.
    ///
    /// # Errors
    /// There is no such partition.
    pub(super) fn fork_for(&self, question: &Question) -> Result<Fork, Refusal> {
        self.fork(Some(&question.partition), usize::MAX).map_err(|why| match why {
            NoFork::NoPartition(name) => Refusal::not_found("partition", &name),
            NoFork::TooLarge { .. } | NoFork::Stopped => Refusal::stopped(),
        })
    }

    /// Why something waits.
    ///
    /// # Errors
    /// It is not there.
    pub fn explain(&self, question: &Question) -> Result<Finding, Refusal> {
        explain::explained(&self.fork_for(question)?, &question.of)
    }

    /// Writes an order into the audit that was refused before it reached the scheduler: its text was not valid.
    pub fn enter_refusal(&mut self, actor: &Actor, order: &Order, refusal: &Refusal) {
        audit::enter_refusal(&self.state, actor, order, refusal, None);
    }

    /// From now on every event is kept for [`Core::take_tapped`], for who acts by them. `wake` is called when the first one comes
    /// after that.
    pub fn tap(&mut self, wake: impl Fn() + Send + 'static) {
        self.state.outbox.tap(Box::new(wake));
    }

    /// The events since the last call, in their order.
    pub fn take_tapped(&mut self) -> Vec<Event> {
        self.state.outbox.take_tapped()
    }

    /// From now on these conditions of a resource manager decide too whether an ask of a partition may go to a node. They are no
    /// command: a journal does not have them.
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

    /// Adds an event to the log that the scheduler does not know of.
    pub fn emit_event(&mut self, kind: EventKind) {
        self.state.emit_event(kind);
    }

    /// Shows and records a notice that does not follow from what the scheduler did.
    pub fn notice(&mut self, weight: NoticeWeight, title: String, text: String) {
        self.state.notice(weight, title, text);
    }

    /// Shows that damage of the journal was repaired.
    pub fn report_repair(&mut self, what: String) {
        self.notice(NoticeWeight::Warning, "the damaged state was repaired".to_owned(), what);
    }

    /// From now on reports of draining queues are collected for [`Core::take_drain_reports`].
    pub fn collect_drain_reports(&mut self) {
        self.state.drain_reports.get_or_insert_default();
    }

    /// The reports of draining queues since the last call.
    pub fn take_drain_reports(&mut self) -> Vec<DrainReport> {
        self.state.drain_reports.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// When the engine has to look again: for something due, or because the view changes by itself.
    pub fn next_wake(&self) -> Option<Time> {
        run_loop::next_wake(&self.state)
    }

    /// When something is due next: a cycle at once while there may be work, else the first of everything else.
    pub fn next_due(&self) -> Option<Time> {
        run_loop::next_due(&self.state)
    }

    /// Carries out what is due by `until`, in order, each at its own time; at most `steps` cycles and commands. During a pause its time
    /// stands, and nothing is done but what was started already.
    pub fn run_until(&mut self, until: Time, steps: usize) -> Progress {
        run_loop::run_until(&mut self.state, until, steps)
    }

    /// The view of now, or `None` if nothing changed since the last one.
    pub fn take_view(&mut self) -> Option<Arc<View>> {
        run_loop::take_view(&mut self.state)
    }

    /// The newest view, also where it is the one that was taken last.
    pub fn whole_view(&mut self) -> Arc<View> {
        self.take_view().unwrap_or_else(|| self.state.views.last())
    }
}
