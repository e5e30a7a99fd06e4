//! The engine on a thread of its own, by a clock.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use super::ahead::Ahead;
use super::clock::Clock;
use super::core::Core;
use super::counters::Counters;
use super::events::EventLog;
use super::journal::{Kept, Past};
use super::ledger::Ledger;
use super::owner::Owner;
use super::tell::{Hook, Tell};
use super::watch::FileWatch;
use crate::model::Time;
use crate::scheduler::{Command, Event};
use crate::view::View;
use crate::view::act::{Act, Actor, Answer, Done, Order, Refusal};

/// What an engine shows to everybody.
pub struct Published {
    view: ArcSwap<View>,
    wake: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
    started: Instant,
    /// Milliseconds since `started` when the engine last had nothing left to publish.
    current_at: AtomicU64,
    idle: AtomicBool,
    alive: AtomicBool,
}

impl Published {
    /// Shows one view, at first.
    pub fn new(view: Arc<View>) -> Self {
        Self {
            view: ArcSwap::new(view),
            wake: Mutex::new(None),
            started: Instant::now(),
            current_at: AtomicU64::new(0),
            idle: AtomicBool::new(true),
            alive: AtomicBool::new(true),
        }
    }

    /// The newest view.
    pub fn view(&self) -> Arc<View> {
        self.view.load_full()
    }

    /// Shows another view and wakes whoever waits for it.
    pub fn publish(&self, view: Arc<View>) {
        self.view.store(view);
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }

    /// Has `wake` called after each new view.
    pub fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = Some(wake);
    }

    /// How old the view is: zero while the engine has nothing newer to show.
    pub fn age(&self) -> Duration {
        if self.idle.load(Ordering::Acquire) && self.is_alive() {
            return Duration::ZERO;
        }
        let current = Duration::from_millis(self.current_at.load(Ordering::Acquire));
        self.started.elapsed().saturating_sub(current)
    }

    /// Whether the engine still runs.
    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    pub(super) fn mark_current(&self, idle: bool) {
        let ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.current_at.store(ms, Ordering::Release);
        self.idle.store(idle, Ordering::Release);
    }
}

/// What others ask of the engine's thread.
pub(super) enum Request {
    /// Carry out a command and answer with its events.
    Apply(Box<Command>, Sender<Vec<Event>>),
    /// Carry out an order.
    Perform(Box<(Actor, Order)>, Reply),
    /// Take note of an order that was refused before it came here.
    Refuse(Box<(Actor, Order, Refusal)>, Reply),
    /// The configuration's file has another content, or cannot be read.
    Reload(String, Result<Vec<u8>, String>),
    /// Tell whoever looks: one line, and the reason.
    Warn(String, String),
    /// Look whether the disk fails.
    Wake,
    /// Come to an end.
    Stop,
}

/// Where an answer goes. When the engine ends before there is one, that is the answer.
pub(super) struct Reply(Option<Answer>);

impl Reply {
    pub(super) fn give(mut self, outcome: Result<Done, Refusal>) {
        if let Some(answer) = self.0.take() {
            answer(outcome);
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(answer) = self.0.take() {
            answer(Err(Refusal::stopped()));
        }
    }
}

/// A scheduler that runs by itself. Dropping it stops the thread.
pub struct Engine {
    requests: Sender<Request>,
    /// For orders that bring a configuration.
    readers: Sender<Request>,
    ahead: Ahead,
    published: Arc<Published>,
    events: Arc<EventLog>,
    counters: Arc<Counters>,
    ledger: Arc<Ledger>,
    clock: Clock,
    thread: Option<JoinHandle<()>>,
    watch: Option<FileWatch>,
    past: Option<Past>,
}

impl Engine {
    /// Starts a core on a thread of its own.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start(core: Core, speed: f64) -> std::io::Result<Self> {
        Self::start_telling(core, speed, None)
    }

    /// The same, with what is called for queues that drain.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start_telling(core: Core, speed: f64, hook: Option<Hook>) -> std::io::Result<Self> {
        Self::start_kept(core, speed, hook, None)
    }

    /// The same for a scheduler that is kept.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start_kept(mut core: Core, speed: f64, hook: Option<Hook>, kept: Option<Kept>) -> std::io::Result<Self> {
        let (requests, inbox) = channel();
        let warn = requests.clone();
        let tell = hook.map(|hook| {
            core.keep_reports();
            Tell::start(hook, move |title, text| {
                // The engine may have stopped meanwhile.
                let _ = warn.send(Request::Warn(title, text));
            })
        });
        let tell = tell.transpose()?;
        if let Some(kept) = &kept {
            let wake = requests.clone();
            kept.journal().on_change(Box::new(move || {
                let _ = wake.send(Request::Wake);
            }));
        }
        let past = kept.as_ref().map(Kept::past);
        let published = Arc::new(Published::new(core.take_view().unwrap_or_default()));
        let shown = Arc::clone(&published);
        let (events, counters) = (Arc::clone(core.events()), Arc::clone(core.counters()));
        let clock = core.clock_from_here(speed);
        core.runs_by(&clock);
        let ledger = Arc::clone(core.ledger());
        let ahead = Ahead {
            readings: Arc::clone(&core.readings),
            policy_group: core.policy_group().to_owned(),
            profile: core.profile(),
        };
        let readers = ahead.clone().start(requests.clone(), Arc::clone(&ledger))?;
        let owned = clock.clone();
        let thread = std::thread::Builder::new().name("scheduler".to_owned()).spawn(move || {
            let _alive = Alive(&shown);
            let (published, clock) = (Arc::clone(&shown), owned);
            let (orders, answers, last_publish, last_write) = (Vec::new(), Vec::new(), None, Instant::now());
            let (stalled, together) = (false, 0);
            Owner {
                core,
                clock,
                inbox,
                published,
                last_publish,
                tell,
                orders,
                answers,
                kept,
                last_write,
                stalled,
                together,
            }
            .run();
        })?;
        Ok(Self {
            requests,
            readers,
            ahead,
            published,
            events,
            counters,
            ledger,
            clock,
            thread: Some(thread),
            watch: None,
            past,
        })
    }

    /// What was, for a scheduler that is kept.
    pub fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }

    /// Reloads a configuration file whenever its content changes; `known` is what was loaded.
    ///
    /// # Errors
    /// The file's folder cannot be watched.
    pub fn watch(&mut self, file: &Path, known: Vec<u8>) -> Result<(), String> {
        let (requests, ahead, name) = (self.requests.clone(), self.ahead.clone(), file.display().to_string());
        let changed = move |content: Result<Vec<u8>, String>| {
            content.iter().for_each(|bytes| ahead.read(bytes));
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

    /// Who did what, and every configuration that was in force.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Its clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
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

    /// Has an order carried out. `answer` is called once, from the engine's thread, when that is published; or at once, if the
    /// engine has stopped.
    pub fn perform(&self, actor: Actor, order: Order, answer: Answer) {
        let brings_text = matches!(order.act, Act::Configure { .. } | Act::Rollback { .. });
        let to = if brings_text { &self.readers } else { &self.requests };
        // A stopped engine has dropped its end; with the request goes the reply, which says so.
        let _ = to.send(Request::Perform(Box::new((actor, order)), Reply(Some(answer))));
    }
}

impl Engine {
    /// Takes note of an order that was refused before it came to the scheduler. `answer` is called once, with that refusal, when
    /// it is noted.
    pub fn refuse(&self, actor: Actor, order: Order, refusal: Refusal, answer: Answer) {
        // A stopped engine has dropped its end; with the request goes the reply, which says so.
        let _ = self.requests.send(Request::Refuse(Box::new((actor, order, refusal)), Reply(Some(answer))));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.watch.take();
        let _ = self.requests.send(Request::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been told by the panic hook already.
            let _ = thread.join();
        }
    }
}

/// Tells everybody when the thread ends, also by a panic.
struct Alive<'a>(&'a Published);

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.alive.store(false, Ordering::Release);
        self.0.publish(self.0.view());
    }
}
