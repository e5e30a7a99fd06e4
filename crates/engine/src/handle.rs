//! The engine on a thread of its own, and the handle by which other threads use it.

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
use super::journal::folder::RunningJournal;
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

/// A scheduler that runs by itself. Dropping it stops the thread.
pub struct Engine {
    requests: Sender<Request>,
    /// The way in for orders that bring a configuration.
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
    /// Starts a core on a thread of its own.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start(core: Core, speed: f64) -> std::io::Result<Self> {
        Self::start_with_hook(core, speed, None)
    }

    /// The same, with a hook that is called for queues that drain.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start_with_hook(core: Core, speed: f64, hook: Option<DrainHook>) -> std::io::Result<Self> {
        Self::start_with_journal(core, speed, hook, None)
    }

    /// The same with a journal.
    ///
    /// # Errors
    /// The operating system gives no thread.
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
        let (shown, clock_of_owner) = (Arc::clone(&published), clock.clone());
        let thread = Builder::new().name("scheduler".to_owned()).spawn(move || {
            let _alive = AliveGuard(&shown);
            let output = Output::new(Arc::clone(&shown), journal);
            Owner::new(core, clock_of_owner, inbox, notifier, output).run();
        })?;
        let (thread, watch) = (Some(thread), None);
        Ok(Self {
            requests,
            config_requests,
            prefetch,
            explainer: explain::start()?,
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

    /// The past as the journal has it; `None` without a journal.
    pub fn history(&self) -> Option<&JournalHistory> {
        self.history.as_ref()
    }

    /// Reloads a configuration file whenever its content changes; `known` is what was loaded.
    ///
    /// # Errors
    /// The file's directory cannot be watched.
    pub fn watch(&mut self, file: &Path, known: Vec<u8>) -> Result<(), String> {
        let (requests, prefetch, name) = (self.requests.clone(), self.prefetch.clone(), file.display().to_string());
        let changed = move |content: Result<Vec<u8>, String>| {
            content.iter().for_each(|bytes| prefetch.parse(bytes));
            // The engine may have stopped meanwhile.
            let _ = requests.send(Request::Reload(name.clone(), content));
        };
        self.watch = Some(FileWatch::start(file, known, changed)?);
        Ok(())
    }

    /// What it shows.
    pub fn published(&self) -> &Arc<Published> {
        &self.published
    }

    /// The events that have happened.
    pub fn events(&self) -> &Arc<EventLog> {
        &self.events
    }

    /// What has happened, in numbers.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// The audit, and the revisions of the configuration.
    pub fn audit_log(&self) -> &Arc<AuditLog> {
        &self.audit_log
    }

    /// The clock that turns the scheduler's time into that of the wall.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// What was used over time.
    pub fn ledger(&self) -> Ledger {
        self.ledger.ledger()
    }

    /// What time it is for the scheduler.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Has a command carried out. The answer comes through the channel; none comes if the engine has stopped.
    pub fn apply(&self, command: Command) -> Receiver<Vec<Event>> {
        let (answer, answers) = channel();
        // A stopped engine has dropped its end; the caller sees that in the answer that does not come.
        let _ = self.requests.send(Request::Apply(Box::new(command), answer));
        answers
    }

    /// Has the engine's thread do something with the core, between two cycles. What it gives comes through the channel; none comes if the
    /// engine has stopped. Only for an engine without a journal, which would not have what is done.
    pub fn work<T: Send + 'static>(&self, work: impl FnOnce(&mut Core) -> T + Send + 'static) -> Receiver<T> {
        let (answer, answers) = channel();
        let work = move |core: &mut Core| {
            // Who asked may have gone.
            let _ = answer.send(work(core));
        };
        // A stopped engine has dropped its end; the caller sees that in the answer that does not come.
        let _ = self.requests.send(Request::Work(Box::new(work)));
        answers
    }

    /// A copy of a partition, the first one where none is named, if two copies take at most this many bytes. The engine's thread makes it
    /// between two cycles; it comes through the channel, or none if the engine has stopped.
    pub fn fork(&self, partition: Option<String>, most: usize) -> Receiver<Result<Fork, NoFork>> {
        let (answer, answers) = channel();
        // A stopped engine has dropped its end; the caller sees that in the answer that does not come.
        let _ = self.requests.send(Request::Fork(partition, most, answer));
        answers
    }

    /// Has an order carried out. `answer` is called once, from the engine's thread, when that is published; or at once, if the
    /// engine has stopped.
    pub fn perform(&self, actor: Actor, order: Order, answer: Answer) {
        let brings_text = matches!(order.act, Act::Configure { .. } | Act::Rollback { .. });
        let to = if brings_text { &self.config_requests } else { &self.requests };
        // A stopped engine has dropped its end; with the request goes the reply, which says so.
        let _ = to.send(Request::Perform(Box::new((actor, order)), Reply::new(answer)));
    }

    /// Has it explained why something waits. The engine's thread only makes a copy; `answer` is called once, from the thread that explains, or
    /// at once, if the engine has stopped.
    pub fn explain(&self, question: Question, answer: ExplainAnswer) {
        // A stopped engine has dropped its end; with the request goes the reply, which says so.
        let reply = ExplainReply::new(question.of.clone(), self.explainer.clone(), answer);
        let _ = self.requests.send(Request::Explain(question, reply));
    }

    /// Writes an order into the audit that was refused before it reached the scheduler. `answer` is called once, with that refusal, when
    /// that is done.
    pub fn refuse(&self, actor: Actor, order: Order, refusal: Refusal, answer: Answer) {
        // A stopped engine has dropped its end; with the request goes the reply, which says so.
        let _ = self.requests.send(Request::Refuse(Box::new((actor, order, refusal)), Reply::new(answer)));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.watch.take();
        let _ = self.requests.send(Request::Stop);
        if let Some(thread) = self.thread.take() {
            // The panic hook has reported a panic of the thread already.
            let _ = thread.join();
        }
    }
}

/// Starts the thread that calls a hook for draining queues; what it cannot deliver is shown as a warning.
fn start_notifier(core: &mut Core, hook: DrainHook, warn: Sender<Request>) -> std::io::Result<DrainNotifier> {
    core.collect_drain_reports();
    DrainNotifier::start(hook, move |title, text| {
        // The engine may have stopped meanwhile.
        let _ = warn.send(Request::Warn(title, text));
    })
}
