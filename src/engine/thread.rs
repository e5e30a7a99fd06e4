//! The engine on a thread of its own, by a clock.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use super::clock::Clock;
use super::core::{Core, Progress};
use super::counters::Counters;
use super::events::EventLog;
use super::ledger::Ledger;
use super::tell::{Hook, Tell};
use super::watch::FileWatch;
use crate::model::Time;
use crate::scheduler::{Command, Event};
use crate::view::act::{Actor, Answer, Done, Order, Refusal};
use crate::view::{NoticeWeight, View};

/// How many cycles and commands are done before others are heard again: few, for in a large cluster one may take milliseconds.
const SLICE: usize = 8;
/// How many requests are heard before the scheduler has its turn again.
const HEARD: usize = 256;
/// The shortest time between two published views while there is always something new.
const PUBLISH_EVERY: Duration = Duration::from_millis(33);

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

    fn mark_current(&self, idle: bool) {
        let ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.current_at.store(ms, Ordering::Release);
        self.idle.store(idle, Ordering::Release);
    }
}

/// What others ask of the engine's thread.
enum Request {
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
    /// Come to an end.
    Stop,
}

/// Where an answer goes. When the engine ends before there is one, that is the answer.
struct Reply(Option<Answer>);

impl Reply {
    fn give(mut self, outcome: Result<Done, Refusal>) {
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
    published: Arc<Published>,
    events: Arc<EventLog>,
    counters: Arc<Counters>,
    ledger: Arc<Ledger>,
    clock: Clock,
    thread: Option<JoinHandle<()>>,
    watch: Option<FileWatch>,
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
    pub fn start_telling(mut core: Core, speed: f64, hook: Option<Hook>) -> std::io::Result<Self> {
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
        let published = Arc::new(Published::new(core.take_view().unwrap_or_default()));
        let shown = Arc::clone(&published);
        let (events, counters) = (Arc::clone(core.events()), Arc::clone(core.counters()));
        let clock = Clock::new(speed);
        core.runs_by(&clock);
        let ledger = Arc::clone(core.ledger());
        let owned = clock.clone();
        let thread = std::thread::Builder::new().name("scheduler".to_owned()).spawn(move || {
            let _alive = Alive(&shown);
            let answers = Vec::new();
            Owner { core, clock: owned, inbox, published: &shown, last_publish: None, tell, answers }.run();
        })?;
        Ok(Self { requests, published, events, counters, ledger, clock, thread: Some(thread), watch: None })
    }

    /// Reloads a configuration file whenever its content changes; `known` is what was loaded.
    ///
    /// # Errors
    /// The file's folder cannot be watched.
    pub fn watch(&mut self, file: &Path, known: Vec<u8>) -> Result<(), String> {
        let (requests, name) = (self.requests.clone(), file.display().to_string());
        let changed = move |content| {
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
        // A stopped engine has dropped its end; with the request goes the reply, which says so.
        let _ = self.requests.send(Request::Perform(Box::new((actor, order)), Reply(Some(answer))));
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

struct Owner<'a> {
    core: Core,
    clock: Clock,
    inbox: Receiver<Request>,
    published: &'a Published,
    last_publish: Option<Instant>,
    tell: Option<Tell>,
    /// Outcomes of orders that are answered once their view is published.
    answers: Vec<(Reply, Result<Done, Refusal>)>,
}

impl Owner<'_> {
    fn run(&mut self) {
        loop {
            let goes_on = self.hear_some();
            self.give_answers();
            if !goes_on {
                return;
            }
            let progress = self.core.run_until(self.clock.now(), SLICE);
            self.set_clock();
            self.tell_admins();
            let due = self.last_publish.is_none_or(|last| last.elapsed() >= PUBLISH_EVERY);
            if progress == Progress::Reached || due {
                self.publish(progress == Progress::Reached);
            }
            if progress == Progress::Reached && !self.wait() {
                return;
            }
        }
    }

    /// Hands on what there is to tell of draining queues.
    fn tell_admins(&mut self) {
        let Some(tell) = &self.tell else { return };
        for report in self.core.take_reports() {
            if let Err(full) = tell.tell(&report, self.clock.wall(report.draining.since)) {
                self.core.notice(NoticeWeight::Warning, full, String::new());
            }
        }
    }

    fn publish(&mut self, idle: bool) {
        // While views come in quick succession the latest waits for its time; the wait below ends then.
        if self.last_publish.is_none_or(|last| last.elapsed() >= PUBLISH_EVERY)
            && let Some(view) = self.core.take_view()
        {
            self.published.publish(view);
            self.last_publish = Some(Instant::now());
        }
        self.published.mark_current(idle);
    }

    /// The clock stands while the scheduler rests.
    fn set_clock(&self) {
        match (self.core.rests(), self.clock.runs()) {
            (true, true) => self.clock.stop(self.core.now()),
            (false, false) => self.clock.start(),
            _ => {}
        }
    }

    /// Publishes what came of the orders that were heard, and answers them: whoever has an answer sees it in the view.
    fn give_answers(&mut self) {
        if self.answers.is_empty() {
            return;
        }
        if let Some(view) = self.core.take_view() {
            self.published.publish(view);
            self.last_publish = Some(Instant::now());
        }
        for (reply, outcome) in self.answers.drain(..) {
            reply.give(outcome);
        }
    }

    /// Carries out what others ask, without waiting. Gives whether to go on.
    fn hear_some(&mut self) -> bool {
        for _ in 0..HEARD {
            match self.inbox.try_recv() {
                Ok(request) => {
                    if !self.answer(request) {
                        return false;
                    }
                }
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
        true
    }

    /// Waits until something is due or asked. Gives whether to go on.
    fn wait(&mut self) -> bool {
        let due = self.core.next_wake().and_then(|due| self.clock.until(due));
        let publish = self.last_publish.map(|last| PUBLISH_EVERY.saturating_sub(last.elapsed()));
        let publish = publish.filter(|wait| !wait.is_zero());
        let wait = [due, publish].into_iter().flatten().min().unwrap_or(Duration::from_secs(60));
        match self.inbox.recv_timeout(wait) {
            Ok(request) => self.answer(request),
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    fn answer(&mut self, request: Request) -> bool {
        match request {
            Request::Stop => false,
            Request::Reload(name, content) => {
                self.core.run_until(self.clock.now(), SLICE);
                match content {
                    Ok(bytes) => self.core.reload(&name, &bytes),
                    Err(why) => self.core.notice(NoticeWeight::Warning, why, String::new()),
                }
                true
            }
            Request::Warn(title, text) => {
                self.core.notice(NoticeWeight::Warning, title, text);
                true
            }
            Request::Perform(wanted, reply) => {
                self.core.run_until(self.clock.now(), SLICE);
                self.set_clock();
                let (actor, order) = *wanted;
                let outcome = self.core.perform(&actor, &order);
                self.set_clock();
                self.answers.push((reply, outcome));
                true
            }
            Request::Refuse(what, reply) => {
                self.core.run_until(self.clock.now(), SLICE);
                let (actor, order, refusal) = *what;
                self.core.refused(&actor, &order, &refusal);
                self.answers.push((reply, Err(refusal)));
                true
            }
            Request::Apply(command, answer) => {
                // The time of a command is when it is heard, after everything that was due before.
                self.core.run_until(self.clock.now(), SLICE);
                let events = self.core.apply(&command);
                // Whoever asked may have gone; the command stands all the same.
                let _ = answer.send(events);
                true
            }
        }
    }
}
