//! A what-if as a source: a copy of a cluster for any change, with an unchanged copy beside it.
//!
//! Invariants:
//! - nothing real is known here: a what-if cannot change the cluster that it copies;
//! - both sides stand at the same time, and only the changed one is given orders;
//! - long work is done on a thread of its own; meanwhile orders are refused, and the shown state stays.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use super::{About, Link, Records, Source, SourcePlace, TextAnswer, Trial, TrialStatus, explained};
use crate::engine::{Core, EventLog, Numbering, Progress, Published};
use crate::model::{Identity, Time};
use crate::twin::Twin;
use crate::view::act::{Act, Actor, Answer, Code, Done, Order, PartitionAct, Refusal};
use crate::view::waiting::{Question, SheetAnswer};
use crate::view::{EventPage, Record, View};
use crate::whatif::{Fork, HistoryKey, RuntimeRule, Runtimes};

/// How much memory two copies of a state may take: more than the state of any cluster seen so far.
pub(crate) const MOST_BYTES: usize = 4 << 30;
/// How many cycles and commands are done before it is asked whether somebody still looks.
const AT_ONCE: usize = 2_000;

/// What was done, to be done again without a part of it.
#[derive(Clone)]
enum TrialStep {
    Changed(Box<Order>),
    Advanced(Time),
}

/// The run with the changes, and the one without.
struct Sides {
    changed: Core,
    unchanged: Core,
    log: Vec<TrialStep>,
}

impl Sides {
    fn logs(&self) -> [Arc<EventLog>; 2] {
        [Arc::clone(self.changed.events()), Arc::clone(self.unchanged.events())]
    }
}

/// The shared data of a what-if's threads.
struct Shared {
    fork: Fork,
    runtimes: Mutex<Runtimes>,
    sides: Mutex<Sides>,
    published: Published,
    generation: AtomicU64,
    now: AtomicU64,
    shows_changed: AtomicBool,
    busy: AtomicBool,
    changes: Mutex<Vec<Order>>,
    /// The events of both sides, the changed one first.
    logs: Mutex<[Arc<EventLog>; 2]>,
    /// Nobody looks any more.
    left: AtomicBool,
    actor: Actor,
}

/// A what-if that somebody looks at.
pub struct WhatIf {
    shared: Arc<Shared>,
    about: About,
    assumed: Arc<str>,
    /// Time moves on a thread of its own; without that, before the call returns: for tests and tapes.
    beside: bool,
}

impl WhatIf {
    /// A what-if on a fork of a cluster, for somebody, who may do everything in it. `name` is that of the cluster.
    pub fn new(fork: Fork, name: &str, who: &Identity, beside: bool) -> Self {
        let rules = [RuntimeRule::History(HistoryKey::Queue)];
        let runtimes = fork.partition().map(|part| Runtimes::new(&rules, part, None)).unwrap_or_default();
        let assumed = Arc::from(runtimes.model());
        let sides = sides(&fork, &runtimes);
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
            logs,
            left: AtomicBool::new(false),
            actor,
        };
        shared.publish(&mut locked(&shared.sides));
        let about = About { place: SourcePlace::WhatIf, name: name.to_owned(), notes: Vec::new() };
        Self { shared: Arc::new(shared), about, assumed, beside }
    }

    /// A what-if on a twin of a cluster elsewhere.
    ///
    /// # Errors
    /// The twin is not as what is reported, or too large.
    pub fn of_twin(twin: &Twin, name: &str, who: &Identity) -> Result<Arc<dyn Source>, String> {
        let fork = twin.trusted_fork(MOST_BYTES)?;
        let mut what_if = Self::new(fork, name, who, true);
        what_if.about.notes = twin.unknown().iter().map(|one| format!("Not known of the cluster: {one}.")).collect();
        Ok(Arc::new(what_if))
    }

    /// Does something that may take long to both sides.
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
        if !self.beside {
            return all();
        }
        if std::thread::Builder::new().name("what-if".to_owned()).spawn(all).is_err() {
            self.shared.busy.store(false, Ordering::Release);
        }
    }

    fn free(&self) -> Result<MutexGuard<'_, Sides>, Refusal> {
        let busy = || Refusal::new(Code::Unavailable, "not now", "time is being moved on in this what-if");
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
            let why = "time stands in a what-if until it is moved on";
            return Err(Refusal::new(Code::NotSupported, format!("cannot {}", order.act), why));
        }
        let mut sides = self.free()?;
        let now = sides.changed.now();
        let outcome = sides.changed.perform(&self.shared.actor, order);
        sides.changed.run_until(now, usize::MAX);
        sides.unchanged.run_until(now, usize::MAX);
        if outcome.is_ok() && changes(&order.act) {
            sides.log.push(TrialStep::Changed(Box::new(order.clone())));
            locked(&self.shared.changes).push(order.clone());
            self.shared.shows_changed.store(true, Ordering::Relaxed);
        }
        self.shared.publish(&mut sides);
        outcome
    }

    /// The events of the side on the screen.
    fn log(&self) -> Arc<EventLog> {
        let [changed, unchanged] = &*locked(&self.shared.logs);
        Arc::clone(if self.shared.shows_changed.load(Ordering::Relaxed) { changed } else { unchanged })
    }

    /// Looks at the side on the screen; `None` while it is being moved on.
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

/// Both sides as they begin, after what is due at once.
fn sides(fork: &Fork, runtimes: &Runtimes) -> Sides {
    let side = |name: &str| {
        let mut core = Core::of_fork(fork, runtimes, name);
        core.run_until(fork.now(), usize::MAX);
        core
    };
    Sides { changed: side("what-if"), unchanged: side("what-if, unchanged"), log: Vec::new() }
}

/// Whether an act that was carried out changed something.
fn changes(act: &Act) -> bool {
    !matches!(
        act,
        Act::Configure { dry_run: true, .. }
            | Act::Rollback { dry_run: true, .. }
            | Act::In { act: PartitionAct::Move { dry_run: true, .. } | PartitionAct::Clean { dry_run: true, .. }, .. }
    )
}

/// A change as a person names it.
fn words(act: &Act) -> String {
    match act {
        Act::In { act: PartitionAct::Move { app, to, .. }, .. } => format!("move {app} to {to}"),
        Act::Configure { .. } => "another configuration".to_owned(),
        other => other.to_string(),
    }
}

impl Shared {
    /// Shows the side that is to be on the screen.
    fn publish(&self, sides: &mut Sides) {
        let core = if self.shows_changed.load(Ordering::Relaxed) { &mut sides.changed } else { &mut sides.unchanged };
        let view = core.whole_view();
        self.now.store(core.now().0, Ordering::Relaxed);
        // Each side counts for itself; on the screen they follow each other.
        let generation = self.generation.fetch_add(1, Ordering::Relaxed) + 1;
        self.published.publish(Arc::new(View { generation, at: core.now(), ..View::clone(&view) }));
    }

    /// Moves both sides on to a time, as long as somebody looks.
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
            began: self.shared.fork.now(),
            now: Time(self.shared.now.load(Ordering::Relaxed)),
            changes: locked(&self.shared.changes).iter().map(|order| words(&order.act)).collect(),
            changed_side: self.shared.shows_changed.load(Ordering::Relaxed),
            busy: self.shared.busy.load(Ordering::Acquire),
            assumed: Arc::clone(&self.assumed),
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
        });
    }

    fn take_back(&self, number: usize) -> Result<(), String> {
        let sides = self.free().map_err(|refusal| refusal.to_string())?;
        let all = locked(&self.shared.changes);
        let at = number.checked_sub(1).filter(|at| *at < all.len());
        let at = at.ok_or_else(|| format!("there is no change {number}; there are {}", all.len()))?;
        let whole = |order: &Order| matches!(order.act, Act::Configure { .. } | Act::Rollback { .. });
        if whole(&all[at])
            && let Some(later) = all.iter().skip(at + 1).position(whole)
        {
            return Err(format!(
                "change {} is a configuration that was written after it; take that back first",
                at + later + 2
            ));
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

    fn orders(&self) -> Vec<Order> {
        locked(&self.shared.changes).clone()
    }
}

impl Shared {
    /// Does everything again but one change. What is refused without it is left out too.
    fn without(&self, sides: &mut Sides, at: usize) {
        let log = std::mem::take(&mut sides.log);
        *sides = self::sides(&self.fork, &locked(&self.runtimes));
        *locked(&self.logs) = sides.logs();
        let (mut number, mut left) = (0, Vec::new());
        for done in log {
            match &done {
                TrialStep::Advanced(until) => self.run_until(sides, *until),
                TrialStep::Changed(order) => {
                    number += 1;
                    let now = sides.changed.now();
                    if number == at + 1 || sides.changed.perform(&self.actor, order).is_err() {
                        continue;
                    }
                    sides.changed.run_until(now, usize::MAX);
                    left.push(Order::clone(order));
                }
            }
            sides.log.push(done);
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

    fn act(&self, order: Order, answer: Answer) {
        answer(self.carry_out(&order));
    }

    fn explain(&self, question: Question, answer: SheetAnswer) {
        let busy = || Refusal::new(Code::Unavailable, "not now", "time is being moved on in this what-if");
        let found = self.shown(|core| core.explain(&question)).unwrap_or_else(|| Err(busy()));
        answer(found.map(|found| explained::sheet(&found)));
    }

    fn records(&self, known: u64) -> Option<Records> {
        self.shown(|core| Records::of(core.audit_log(), &self.shared.actor, known)).flatten()
    }

    fn revision_text(&self, number: u64, answer: TextAnswer) {
        let text = self.shown(|core| Records::text_of(core.audit_log(), number));
        answer(text.unwrap_or_else(|| Err("time is being moved on".to_owned())));
    }

    fn trial(&self) -> Option<&dyn Trial> {
        Some(self)
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.shared.published.on_change(wake);
    }
}
