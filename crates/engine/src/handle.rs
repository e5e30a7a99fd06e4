//! The engine on its own thread, and its handle for other threads.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use super::audit_log::AuditLog;
use super::clock::Clock;
use super::config_prefetch::ConfigPrefetch;
use super::core::Core;
use super::counters::Counters;
use super::drain_hooks::{DrainHook, DrainNotifier};
use super::events::EventLog;
use super::explain::{self, ExplainJob, ExplainReply};
use super::journal::dir::RunningJournal;
use super::journal::history::JournalHistory;
use super::ledger_book::LedgerBook;
use super::output::Output;
use super::owner::Owner;
use super::published::{AliveGuard, Published};
use super::request::{Reply, Request};
use super::watch::FileWatch;
use forecast::whatif::{Fork, NoFork};
use ledger::Ledger;
use model::Time;
use scheduler::{Command, Event};
use view::act::{Act, Actor, Answer, Order, Refusal};
use view::waiting::{ExplainAnswer, Question};

/// Dropping it stops the thread.
pub struct Engine {
    requests: Sender<Request>,
    config_requests: Sender<Request>,
    prefetch: ConfigPrefetch,
    explainer: Sender<ExplainJob>,
    published: Arc<Published>,
    events: Arc<EventLog>,
    counters: Arc<Counters>,
    audit_log: Arc<AuditLog>,
    ledger: Arc<LedgerBook>,
    clock: Clock,
    thread: Option<JoinHandle<()>>,
    watch: Option<FileWatch>,
    history: Option<JournalHistory>,
}

impl Engine {
    /// Starts a core on its own thread.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start(core: Core, speed: f64) -> std::io::Result<Self> {
        Self::start_with_hook(core, speed, None)
    }

    /// Starts a core with a hook for draining queues.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start_with_hook(core: Core, speed: f64, hook: Option<DrainHook>) -> std::io::Result<Self> {
        Self::start_with_journal(core, speed, hook, None)
    }

    /// Starts a core with a journal.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn start_with_journal(
        mut core: Core,
        speed: f64,
        hook: Option<DrainHook>,
        journal: Option<RunningJournal>,
    ) -> std::io::Result<Self> {
        let (requests, inbox) = channel();
        let notifier = hook.map(|hook| start_notifier(&mut core, hook, requests.clone())).transpose()?;
        if let Some(running) = &journal {
            let wake = requests.clone();
            running.journal().on_change(Box::new(move || {
                let _ = wake.send(Request::Wake);
            }));
        }
        let history = journal.as_ref().map(RunningJournal::history);
        let published = Arc::new(Published::new(core.whole_view()));
        let (events, counters) = (Arc::clone(core.events()), Arc::clone(core.counters()));
        let clock = core.clock(speed);
        core.state.set_clock(&clock);
        let (audit_log, ledger) = (Arc::clone(core.audit_log()), Arc::clone(core.ledger()));
        let prefetch = ConfigPrefetch {
            cache: Arc::clone(&core.state.config_cache),
            policy_group: core.policy_group().to_owned(),
            profile: core.profile(),
        };
        let config_requests = prefetch.clone().start(requests.clone(), Arc::clone(&audit_log))?;
        let (shown, clock_of_owner, publish_every) = (Arc::clone(&published), clock.clone(), core.state.publish_every);
        let thread = Builder::new().name("scheduler".to_owned()).spawn(move || {
            let _alive = AliveGuard(&shown);
            let output = Output::new(Arc::clone(&shown), journal, publish_every);
            Owner::new(core, clock_of_owner, inbox, notifier, output).run();
        })?;
        let (thread, watch) = (Some(thread), None);
        Ok(Self {
            requests,
            config_requests,
            prefetch,
            explainer: explain::start(Arc::clone(&audit_log))?,
            published,
            events,
            counters,
            audit_log,
            ledger,
            clock,
            thread,
            watch,
            history,
        })
    }

    /// The past from the journal, if any.
    pub fn history(&self) -> Option<&JournalHistory> {
        self.history.as_ref()
    }

    /// Reloads a configuration file when its content changes; `known` is the loaded content.
    ///
    /// # Errors
    /// Returns an error if the directory of the file cannot be watched.
    pub fn watch(&mut self, file: &Path, known: Vec<u8>) -> Result<(), String> {
        let (requests, prefetch, name) = (self.requests.clone(), self.prefetch.clone(), file.display().to_string());
        let changed = move |content: Result<Vec<u8>, String>| {
            content.iter().for_each(|bytes| prefetch.parse(bytes));
            // The engine may have stopped.
            let _ = requests.send(Request::Reload(name.clone(), content));
        };
        self.watch = Some(FileWatch::start(file, known, changed)?);
        Ok(())
    }

    /// The published state.
    pub fn published(&self) -> &Arc<Published> {
        &self.published
    }

    /// The event log.
    pub fn events(&self) -> &Arc<EventLog> {
        &self.events
    }

    /// What has happened, in numbers.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// The audit log and the revisions.
    pub fn audit_log(&self) -> &Arc<AuditLog> {
        &self.audit_log
    }

    /// The clock that turns the scheduler's time into that of the wall.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// A copy of the ledger.
    pub fn ledger(&self) -> Ledger {
        self.ledger.ledger()
    }

    /// The scheduler time.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Executes a command and sends its events; the channel closes without an answer if the engine has stopped.
    pub fn apply(&self, command: Command) -> Receiver<Vec<Event>> {
        let (answer, answers) = channel();
        // A stopped engine closed the channel; the caller sees the closed answer channel.
        let _ = self.requests.send(Request::Apply(Box::new(command), answer));
        answers
    }

    /// Runs a function on the core in the engine's thread, between two cycles, and sends its result; the channel closes
    /// if the engine has stopped. Not for an engine with a journal, which would miss the change.
    pub fn work<T: Send + 'static>(&self, work: impl FnOnce(&mut Core) -> T + Send + 'static) -> Receiver<T> {
        let (answer, answers) = channel();
        let work = move |core: &mut Core| {
            // The caller may be gone.
            let _ = answer.send(work(core));
        };
        let _ = self.requests.send(Request::Work(Box::new(work)));
        answers
    }

    /// Copies a partition (default: the first one) if two copies fit `most` bytes. The engine's thread makes the copy
    /// between two cycles; the channel closes if the engine has stopped.
    pub fn fork(&self, partition: Option<String>, most: usize) -> Receiver<Result<Fork, NoFork>> {
        let (answer, answers) = channel();
        let _ = self.requests.send(Request::Fork(partition, most, answer));
        answers
    }

    /// Executes an operation. `answer` is called once, from the engine's thread after publication, or immediately if
    /// the engine has stopped.
    pub fn perform(&self, actor: Actor, order: Order, answer: Answer) {
        let has_new_text = matches!(order.act, Act::Configure { .. } | Act::Rollback { .. });
        let to = if has_new_text { &self.config_requests } else { &self.requests };
        // A stopped engine closed the channel; the dropped reply reports it.
        let _ = to.send(Request::Perform(Box::new((actor, order)), Reply::new(answer)));
    }

    /// Explains why a request waits. The engine's thread only makes a copy. `answer` is called once, from the
    /// explaining thread, or immediately if the engine has stopped.
    pub fn explain(&self, question: Question, answer: ExplainAnswer) {
        let reply = ExplainReply::new(question.of.clone(), self.explainer.clone(), answer);
        let _ = self.requests.send(Request::Explain(question, reply));
    }

    /// Records an order that was rejected before it reached the scheduler. `answer` is then called once with that
    /// rejection.
    pub fn refuse(&self, actor: Actor, order: Order, refusal: Refusal, answer: Answer) {
        let _ = self.requests.send(Request::Refuse(Box::new((actor, order, refusal)), Reply::new(answer)));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.watch.take();
        let _ = self.requests.send(Request::Stop);
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

/// Starts the thread of a hook; failed deliveries become warnings.
fn start_notifier(core: &mut Core, hook: DrainHook, warn: Sender<Request>) -> std::io::Result<DrainNotifier> {
    core.collect_drain_reports();
    DrainNotifier::start(hook, move |title, text| {
        // The engine may have stopped.
        let _ = warn.send(Request::Warn(title, text));
    })
}
