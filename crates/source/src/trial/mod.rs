//! A what-if as a source: a copy of a cluster for changes, and an unchanged copy.
//!
//! Invariants:
//! - a what-if has no access to the cluster that it copies;
//! - both sides are at the same time, and only the changed one gets orders;
//! - long work runs on its own thread; meanwhile orders are rejected, and the display does not change.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

mod interface;
mod sides;

pub use self::interface::{Trial, TrialChange, TrialStatus};
use self::sides::{Origin, Sides, TrialStep, is_change, words};
use super::{About, Link, Records, Source, SourcePlace, TextAnswer, Trends, explained};
use engine::{Core, EventLog, Numbering, Progress, Published};
use forecast::twin::Twin;
pub use forecast::whatif::{AppTally, Comparison, Effect, FirstDifference, Metrics, NodeTally};
use forecast::whatif::{Change, Fork, HistoryKey, RuntimeRule, Runtimes};
use model::{Identity, Time};
use view::act::{Act, Actor, Answer, Code, Done, Order, Refusal};
use view::waiting::{Question, SheetAnswer};
use view::{EventPage, Record, View};

/// The memory limit of two copies of a state: more than any cluster seen so far.
pub(crate) const MOST_BYTES: usize = 4 << 30;
/// The cycles and commands between checks whether the result is still needed.
const AT_ONCE: usize = 2_000;

struct Shared {
    fork: Fork,
    runtimes: Mutex<Runtimes>,
    sides: Mutex<Sides>,
    published: Published,
    generation: AtomicU64,
    now: AtomicU64,
    shows_changed: AtomicBool,
    busy: AtomicBool,
    changes: Mutex<Vec<TrialChange>>,
    comparison: Mutex<Option<Arc<Comparison>>>,
    /// The events of both sides, the changed one first.
    logs: Mutex<[Arc<EventLog>; 2]>,
    left: AtomicBool,
    actor: Actor,
}

/// A what-if that someone examines.
pub struct WhatIf {
    shared: Arc<Shared>,
    about: About,
    assumed: Arc<str>,
    /// Time advances on a thread; otherwise before the call returns, for tests and tapes.
    in_background: bool,
    /// The trends of both sides, the changed one first.
    trends: [OnceLock<Arc<Trends>>; 2],
}

impl WhatIf {
    /// Creates a what-if on a fork of the cluster `name`, in which `who` has all rights.
    pub fn new(fork: Fork, name: &str, who: &Identity, in_background: bool) -> Self {
        let rules = [RuntimeRule::History(HistoryKey::Queue)];
        let runtimes = fork.partition().map(|part| Runtimes::new(&rules, part, None)).unwrap_or_default();
        let assumed = Arc::from(runtimes.model());
        let sides = Sides::new(&fork, &runtimes);
        let actor = Actor::from(who.clone()).scheduler_admin(true);
        let now = AtomicU64::new(fork.now().0);
        let logs = Mutex::new(sides.logs());
        let shared = Shared {
            fork,
            runtimes: Mutex::new(runtimes),
            sides: Mutex::new(sides),
            published: Published::new(Arc::default()),
            generation: AtomicU64::new(0),
            now,
            shows_changed: AtomicBool::new(true),
            busy: AtomicBool::new(false),
            changes: Mutex::default(),
            comparison: Mutex::default(),
            logs,
            left: AtomicBool::new(false),
            actor,
        };
        shared.publish(&mut locked(&shared.sides));
        let about = About { place: SourcePlace::WhatIf, name: name.to_owned(), notes: Vec::new() };
        Self { shared: Arc::new(shared), about, assumed, in_background, trends: Default::default() }
    }

    /// Fails if the copy differs or is too large.
    pub fn of_twin(twin: &Twin, name: &str, who: &Identity) -> Result<Arc<dyn Source>, String> {
        let fork = twin.trusted_fork(MOST_BYTES)?;
        let mut what_if = Self::new(fork, name, who, true);
        what_if.about.notes = twin.unknown().iter().map(|one| format!("Unknown in the cluster: {one}.")).collect();
        Ok(Arc::new(what_if))
    }

    fn work(&self, work: impl FnOnce(&Shared, &mut Sides) + Send + 'static) {
        let shared = Arc::clone(&self.shared);
        let all = move || {
            let mut sides = locked(&shared.sides);
            work(&shared, &mut sides);
            shared.publish(&mut sides);
            drop(sides);
            shared.busy.store(false, Ordering::Release);
            shared.published.publish(shared.published.view());
        };
        self.shared.busy.store(true, Ordering::Release);
        if !self.in_background {
            return all();
        }
        if std::thread::Builder::new().name("what-if".to_owned()).spawn(all).is_err() {
            self.shared.busy.store(false, Ordering::Release);
        }
    }

    fn free(&self) -> Result<MutexGuard<'_, Sides>, Refusal> {
        let busy = || Refusal::new(Code::Unavailable, "not now", "this what-if is running");
        if self.shared.busy.load(Ordering::Acquire) {
            return Err(busy());
        }
        match self.shared.sides.try_lock() {
            Ok(sides) => Ok(sides),
            Err(TryLockError::Poisoned(sides)) => Ok(sides.into_inner()),
            Err(TryLockError::WouldBlock) => Err(busy()),
        }
    }

    fn carry_out(&self, order: &Order) -> Result<Done, Refusal> {
        if matches!(order.act, Act::Pause | Act::Resume) {
            let why = "the what-if clock is stopped; advance it explicitly";
            return Err(Refusal::new(Code::NotSupported, format!("cannot {}", order.act), why));
        }
        if matches!(order.act, Act::Silence { .. } | Act::EndSilence { .. }) {
            let why = "a what-if does not evaluate rules";
            return Err(Refusal::new(Code::NotSupported, format!("cannot {}", order.act), why));
        }
        let mut sides = self.free()?;
        let outcome = sides.changed.perform(&self.shared.actor, order);
        if outcome.is_ok() && is_change(&order.act) {
            sides.settle();
            let change = TrialChange { words: words(&order.act), orders: vec![sides.lasting(order)] };
            self.shared.changed(&mut sides, TrialStep::Ordered(Box::new(order.clone())), change);
        }
        self.shared.publish(&mut sides);
        outcome
    }

    fn log(&self) -> Arc<EventLog> {
        let [changed, unchanged] = &*locked(&self.shared.logs);
        Arc::clone(if self.shared.shows_changed.load(Ordering::Relaxed) { changed } else { unchanged })
    }

    /// `None` during work.
    fn shown<T>(&self, look: impl FnOnce(&Core) -> T) -> Option<T> {
        let sides = self.free().ok()?;
        Some(look(if self.shared.shows_changed.load(Ordering::Relaxed) { &sides.changed } else { &sides.unchanged }))
    }
}

impl Drop for WhatIf {
    fn drop(&mut self) {
        self.shared.left.store(true, Ordering::Relaxed);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn publish(&self, sides: &mut Sides) {
        let core = if self.shows_changed.load(Ordering::Relaxed) { &mut sides.changed } else { &mut sides.unchanged };
        let view = core.whole_view();
        self.now.store(core.now().0, Ordering::Relaxed);
        // Each side has its own generations; the screen needs increasing ones.
        let generation = self.generation.fetch_add(1, Ordering::Relaxed) + 1;
        self.published.publish(Arc::new(View { generation, at: core.now(), ..View::clone(&view) }));
    }

    fn origin<'a>(&'a self, runtimes: &'a Runtimes) -> Origin<'a> {
        Origin { fork: &self.fork, runtimes, actor: &self.actor }
    }

    fn changed(&self, sides: &mut Sides, step: TrialStep, change: TrialChange) {
        sides.log.push(step);
        locked(&self.changes).push(change);
        *locked(&self.comparison) = None;
        self.shows_changed.store(true, Ordering::Relaxed);
    }

    fn run_until(&self, sides: &mut Sides, until: Time) {
        for core in [&mut sides.changed, &mut sides.unchanged] {
            while core.run_until(until, AT_ONCE) == Progress::Busy {
                if self.left.load(Ordering::Relaxed) {
                    return;
                }
            }
        }
    }
}

impl Trial for WhatIf {
    fn status(&self) -> TrialStatus {
        TrialStatus {
            started_at: self.shared.fork.now(),
            now: Time(self.shared.now.load(Ordering::Relaxed)),
            changes: locked(&self.shared.changes).iter().map(|change| change.words.clone()).collect(),
            changed_side: self.shared.shows_changed.load(Ordering::Relaxed),
            busy: self.shared.busy.load(Ordering::Acquire),
            assumed: Arc::clone(&self.assumed),
            comparison: locked(&self.shared.comparison).clone(),
        }
    }

    fn advance(&self, by: Duration) {
        if self.shared.busy.load(Ordering::Acquire) {
            return;
        }
        self.work(move |shared, sides| {
            let until = sides.changed.now() + by;
            shared.run_until(sides, until);
            sides.log.push(TrialStep::Advanced(until));
            *locked(&shared.comparison) = None;
        });
    }

    fn suppose(&self, change: &str) -> Result<(), String> {
        let change: Change = change.parse()?;
        let mut sides = self.free().map_err(|refusal| refusal.to_string())?;
        let orders = sides.changed.suppose(&self.shared.actor, self.shared.fork.partition_name(), &change)?;
        sides.settle();
        let made = TrialChange { words: change.to_string(), orders };
        self.shared.changed(&mut sides, TrialStep::Supposed(Box::new(change)), made);
        self.shared.publish(&mut sides);
        Ok(())
    }

    fn take_back(&self, number: usize) -> Result<(), String> {
        let sides = self.free().map_err(|refusal| refusal.to_string())?;
        let all = locked(&self.shared.changes);
        let at = number.checked_sub(1).filter(|at| *at < all.len());
        let at = at.ok_or_else(|| format!("change {number} not found; the what-if has {} changes", all.len()))?;
        let configures = |order: &Order| matches!(order.act, Act::Configure { .. } | Act::Rollback { .. });
        // Textual changes are recomputed from the new state.
        let steps = sides.log.iter().filter(|step| !matches!(step, TrialStep::Advanced(_))).skip(at + 1);
        let mut whole = steps.map(|step| matches!(step, TrialStep::Ordered(order) if configures(order)));
        if all[at].orders.iter().any(configures)
            && let Some(later) = whole.position(|whole| whole)
        {
            return Err(format!("change {} is a later configuration; undo it first", at + later + 2));
        }
        drop((sides, all));
        self.work(move |shared, sides| shared.without(sides, at));
        Ok(())
    }

    fn turn_over(&self) {
        let Ok(mut sides) = self.free() else { return };
        self.shared.shows_changed.fetch_xor(true, Ordering::Relaxed);
        self.shared.publish(&mut sides);
    }

    fn compare(&self) {
        if self.shared.busy.load(Ordering::Acquire) || locked(&self.shared.comparison).is_some() {
            return;
        }
        self.work(|shared, sides| {
            let comparison = sides.compared(shared.origin(&locked(&shared.runtimes)));
            *locked(&shared.comparison) = Some(Arc::new(comparison));
        });
    }

    fn changes(&self) -> Vec<TrialChange> {
        locked(&self.shared.changes).clone()
    }
}

impl Shared {
    /// Replays everything except one change. Changes that are then rejected are omitted too.
    fn without(&self, sides: &mut Sides, at: usize) {
        let log = std::mem::take(&mut sides.log);
        let runtimes = locked(&self.runtimes);
        *sides = Sides::new(&self.fork, &runtimes);
        *locked(&self.logs) = sides.logs();
        *locked(&self.comparison) = None;
        let (mut number, mut left) = (0, Vec::new());
        for done in log {
            let made = match &done {
                TrialStep::Advanced(until) => {
                    self.run_until(sides, *until);
                    sides.log.push(done);
                    continue;
                }
                _ if number == at => None,
                TrialStep::Ordered(order) => {
                    let outcome = sides.changed.perform(&self.actor, order);
                    outcome.ok().map(|_| TrialChange { words: words(&order.act), orders: vec![sides.lasting(order)] })
                }
                TrialStep::Supposed(change) => {
                    let orders = sides.changed.suppose(&self.actor, self.fork.partition_name(), change);
                    orders.ok().map(|orders| TrialChange { words: change.to_string(), orders })
                }
            };
            number += 1;
            if let Some(made) = made {
                sides.settle();
                left.push(made);
                sides.log.push(done);
            }
        }
        *locked(&self.changes) = left;
    }
}

impl Source for WhatIf {
    fn view(&self) -> Arc<View> {
        self.shared.published.view()
    }

    fn now(&self) -> Time {
        Time(self.shared.now.load(Ordering::Relaxed))
    }

    fn events(&self, since: u64, limit: usize) -> EventPage {
        self.log().page(Numbering::All, since, limit)
    }

    fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        self.log().important(until, limit)
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn link(&self) -> Link {
        Link::LIVE
    }

    fn identity(&self) -> &Identity {
        &self.shared.actor.identity
    }

    fn actor(&self) -> Result<Actor, Arc<str>> {
        Ok(self.shared.actor.clone())
    }

    /// Measured now, and for the time before taken from the samples of the view.
    fn trends(&self) -> Option<Arc<Trends>> {
        let side = usize::from(!self.shared.shows_changed.load(Ordering::Relaxed));
        let trends = self.trends[side].get_or_init(Trends::in_memory);
        trends.observe(self);
        Some(Arc::clone(trends))
    }

    fn act(&self, order: Order, answer: Answer) {
        answer(self.carry_out(&order));
    }

    fn explain(&self, question: Question, answer: SheetAnswer) {
        let busy = || Refusal::new(Code::Unavailable, "not now", "this what-if is running");
        let found = self.shown(|core| core.explain(&question)).unwrap_or_else(|| Err(busy()));
        answer(found.map(|found| explained::sheet(&found)));
    }

    fn records(&self, known: u64) -> Option<Records> {
        self.shown(|core| Records::of(core.audit_log(), &self.shared.actor, known)).flatten()
    }

    fn revision_text(&self, number: u64, answer: TextAnswer) {
        let text = self.shown(|core| Records::text_of(core.audit_log(), number));
        answer(text.unwrap_or_else(|| Err("this what-if is running".to_owned())));
    }

    fn trial(&self) -> Option<&dyn Trial> {
        Some(self)
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.shared.published.on_change(wake);
    }
}
