//! Compares a look at the lists with the events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::app::{App, Ask};
use super::look::{Look, SeenApp, SeenAsk, SeenPartition};
use super::saved::Ended;
use super::{Followed, In, Touched};
use crate::hours::HOUR;
use crate::{Integral, Question};
use model::{AppId, AskId, QueuePath, Resource, Time};

/// Queues are not read together with applications: an event about a queue has precedence for this long, in
/// microseconds.
const QUEUES_SETTLE: u64 = 60_000_000;

/// Objects to exclude from a comparison: a look may show them before or after an event of about that time.
#[derive(Default)]
struct Moving {
    apps: BTreeSet<AppId>,
    asks: BTreeSet<(AppId, AskId)>,
    /// Applications with events about them or about their requests.
    any: BTreeSet<AppId>,
    queues: BTreeSet<QueuePath>,
}

/// The usage of ended allocations of an active application, by this ledger and by the scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Against {
    /// The id that it was submitted with.
    pub app: AppId,
    /// The partition that it was submitted to.
    pub partition: Arc<str>,
    /// The leaf that it is in.
    pub queue: QueuePath,
    /// Who submitted it.
    pub user: Arc<str>,
    /// The ledger's sum, of allocations with a known start and end.
    pub local: Integral,
    /// The number of these allocations.
    pub allocations: u64,
    /// The number of ended allocations with an unknown start or a changed size.
    pub before: u64,
    /// One second of each of them, the rounding error of the scheduler, which counts whole seconds.
    pub second: Integral,
    /// The scheduler's sum since the ledger first saw the application, in base units times seconds.
    pub remote: BTreeMap<Box<str>, u64>,
}

impl Followed {
    /// Compares with a look: attributes usage without an owner, and counts differences without an event from now on.
    ///
    /// All events from before the time of the look must have been received.
    pub fn compare(&mut self, look: &Look) {
        if !self.counting {
            return;
        }
        let (at, moving) = (look.at.max(self.newest), self.moving(look));
        self.newest = at;
        self.until = self.until.max(at);
        let (mut differences, mut there) =
            (0, look.partitions.iter().flat_map(|part| &part.same).collect::<BTreeSet<_>>());
        self.partitions = look.partitions.iter().map(|part| Arc::clone(&part.name)).collect();
        for part in &look.partitions {
            for seen in &part.apps {
                there.insert(&seen.id);
                differences += self.compare_app(&part.name, seen, &moving, at);
            }
            part.ended.iter().for_each(|(id, user)| self.name_gone(id, &part.name, user));
            differences += self.set_guarantees(part, |queue| !moving.queues.contains(queue), at);
        }
        let lost = self.apps.keys().filter(|id| !there.contains(id) && !moving.any.contains(*id));
        let lost: Vec<AppId> = lost.cloned().collect();
        for id in lost {
            differences += u64::from(self.apps.get(&id).is_some_and(|app| !app.asks.is_empty()));
            self.leave(&id, at);
        }
        if differences > 0 {
            for hour in self.agreed.0 / HOUR..=at.0 / HOUR {
                *self.inexact.entry(hour).or_default() += differences;
            }
        }
        self.ended.clear();
        self.agreed = at;
        self.give_up(at);
        let old = |(number, time, _): &(u64, Time, Touched)| *number < look.number && time.0 + QUEUES_SETTLE < at.0;
        while self.recent.front().is_some_and(old) {
            self.recent.pop_front();
        }
    }

    fn moving(&self, look: &Look) -> Moving {
        let mut moving = Moving::default();
        for (number, at, touched) in &self.recent {
            let since = *number >= look.number;
            match touched {
                Touched::App(app) if since => {
                    moving.any.insert(app.clone());
                    moving.apps.insert(app.clone());
                }
                Touched::Ask(app, ask) if since => {
                    moving.any.insert(app.clone());
                    moving.asks.insert((app.clone(), ask.clone()));
                }
                Touched::Queue(queue) if since || at.0 + QUEUES_SETTLE >= look.at.0 => {
                    moving.queues.insert(queue.clone());
                }
                _ => {}
            }
        }
        moving
    }

    fn compare_app(&mut self, partition: &Arc<str>, seen: &SeenApp, moving: &Moving, at: Time) -> u64 {
        let id = &seen.id;
        let still = !moving.apps.contains(id);
        // An event names no partition: of two applications with the same id, the first is used.
        if self.apps.get(id).and_then(|app| app.partition.as_ref()).is_some_and(|of| of != partition) {
            return 0;
        }
        if !self.apps.contains_key(id) {
            if moving.any.contains(id) {
                return 0;
            }
            self.insert(partition, seen);
            if let Some(app) = self.apps.get_mut(id) {
                app.start(at);
            }
            self.read(id, at);
            return u64::from(!seen.asks.is_empty());
        }
        if self.unnamed.contains(id) {
            self.learn(partition, seen, at);
        }
        let mut differences = 0;
        if still && self.apps.get(id).is_some_and(|app| app.queue.as_ref() != Some(&seen.queue)) {
            self.rename(id, at, |app| app.queue = Some(seen.queue.clone()));
            differences += 1;
        }
        // The lists of groups are read later than others, so the group may have been unknown.
        let learns = |app: &App| !app.grouped && app.group != seen.group;
        if still && seen.group.is_some() && self.apps.get(id).is_some_and(learns) {
            self.rename(id, at, |app| app.group.clone_from(&seen.group));
        }
        differences += self.compare_asks(seen, moving, at);
        if let Some(app) = self.apps.get_mut(id).filter(|_| !moving.any.contains(id)) {
            app.submitted = Some(seen.submitted);
            app.agrees = app.asks.values().all(|ask| ask.priority.is_some());
            app.ended.compare(seen.counted.as_ref());
        }
        differences
    }

    fn compare_asks(&mut self, seen: &SeenApp, moving: &Moving, at: Time) -> u64 {
        let Some(app) = self.apps.get(&seen.id) else { return 0 };
        let still = |ask: &AskId| !moving.asks.contains(&(seen.id.clone(), ask.clone()));
        let nothing = SeenAsk::default();
        let mut different: Vec<(AskId, &SeenAsk)> = Vec::new();
        for (id, ask) in app.asks.iter() {
            let shown = seen.asks.get(id).unwrap_or(&nothing);
            if (&ask.pending, &ask.allocated) != (&shown.pending, &shown.allocated) && still(id) {
                different.push((id.clone(), shown));
            }
        }
        let new = seen.asks.iter().filter(|(id, _)| !app.asks.contains_key(*id) && still(id));
        different.extend(new.map(|(id, shown)| (id.clone(), shown)));
        for (ask, shown) in &different {
            if let Some(app) = self.apps.get_mut(&seen.id).filter(|_| shown.allocated.is_none()) {
                app.ended.before += u64::from(app.asks.get(ask).is_some_and(|ask| ask.allocated.is_some()));
            }
            self.change(&seen.id, ask, at, |ask| {
                if ask.allocated != shown.allocated {
                    ask.allocated_since = None;
                }
                (ask.pending, ask.allocated) = (shown.pending.clone(), shown.allocated.clone());
            });
        }
        if !different.is_empty() && self.unnamed.contains(&seen.id) {
            self.name_asks(seen, at);
        }
        different.len() as u64
    }

    fn learn(&mut self, partition: &Arc<str>, seen: &SeenApp, at: Time) {
        self.rename(&seen.id, at, |app| {
            app.partition = Some(Arc::clone(partition));
            app.user = Some(Arc::clone(&seen.user));
            app.queue.get_or_insert_with(|| seen.queue.clone());
            app.submitted.get_or_insert(seen.submitted);
        });
        self.name_asks(seen, at);
    }

    fn name_asks(&mut self, seen: &SeenApp, at: Time) {
        self.close_spans(&seen.id, at);
        let Some(app) = self.apps.get_mut(&seen.id) else { return };
        let unknown = app.asks.iter().filter(|(id, ask)| ask.priority.is_none() && seen.asks.contains_key(*id));
        let ids: Vec<AskId> = unknown.map(|(id, _)| id.clone()).collect();
        for id in ids {
            let Some(ask) = app.asks.get_mut(&id) else { continue };
            ask.priority = seen.asks.get(&id).map(|seen| seen.priority);
            let ask = ask.clone();
            app.sum(&ask, true);
        }
        self.release_app(&seen.id);
        self.read(&seen.id, at);
    }

    pub(super) fn insert(&mut self, partition: &Arc<str>, seen: &SeenApp) {
        let known = self.ended.get(&seen.id).filter(|ended| ended.submitted == Some(seen.submitted)).cloned();
        let ended =
            known.unwrap_or_else(|| Ended { base: seen.counted.clone().unwrap_or_default(), ..Ended::default() });
        let mut app = App {
            partition: Some(Arc::clone(partition)),
            queue: Some(seen.queue.clone()),
            user: Some(Arc::clone(&seen.user)),
            group: seen.group.clone(),
            submitted: Some(seen.submitted),
            ended,
            ..App::default()
        };
        for (id, shown) in &seen.asks {
            let ask = Ask {
                priority: Some(shown.priority),
                pending: shown.pending.clone(),
                allocated: shown.allocated.clone(),
                ..Ask::default()
            };
            app.sum(&ask, true);
            app.asks.insert(id.clone(), ask);
        }
        let at = self.newest;
        for allocated in seen.asks.values().filter_map(|ask| ask.allocated.as_ref()) {
            self.use_queues((partition, &seen.queue), allocated, true, at);
        }
        self.apps.insert(seen.id.clone(), app);
    }

    /// Returns the number of differences.
    pub(super) fn set_guarantees(
        &mut self,
        part: &SeenPartition,
        is_still: impl Fn(&QueuePath) -> bool,
        at: Time,
    ) -> u64 {
        let of = |key: &In<QueuePath>| key.0 == part.name;
        let known = self.queues.iter().filter(|(key, queue)| of(key) && queue.guaranteed.is_some());
        let known: BTreeMap<QueuePath, Resource> =
            known.filter_map(|(key, queue)| Some((key.1.clone(), queue.guaranteed.clone()?))).collect();
        let paths: BTreeSet<&QueuePath> = known.keys().chain(part.guarantees.keys()).collect();
        let mut differences = 0;
        for path in paths {
            let shown = part.guarantees.get(path).filter(|guaranteed| !guaranteed.is_empty());
            if known.get(path) != shown && is_still(path) {
                self.set_guarantee(&(Arc::clone(&part.name), path.clone()), shown.cloned(), at);
                differences += 1;
            }
        }
        differences
    }

    /// Whether an application is unchanged since a look agreed with it.
    pub fn agrees(&self, id: &AppId) -> bool {
        self.apps.get(id).is_some_and(|app| app.agrees)
    }

    /// Filters ended applications, with their users, to those with an unknown owner.
    pub fn nameless<'a>(&self, ended: impl Iterator<Item = (&'a AppId, &'a str)>) -> Vec<(AppId, Arc<str>)> {
        if self.gone.is_empty() {
            return Vec::new();
        }
        let gone = ended.filter(|(id, user)| self.gone.contains_key(*id) && !user.is_empty());
        gone.map(|(id, user)| (id.clone(), Arc::from(user))).collect()
    }

    /// The usage of ended allocations of active applications by both counts, as of the last look, for a question.
    pub fn against(&self, question: &Question) -> Vec<Against> {
        let live = self.apps.iter().map(|(id, app)| (id.clone(), app.ended_now()));
        let retained = self.ended.iter().map(|(id, ended)| (id.clone(), ended.clone()));
        let all = live.chain(retained.filter(|(id, _)| !self.apps.contains_key(id)));
        let row = |(app, ended): (AppId, Ended)| {
            let ((local, remote), (partition, queue, user)) = (ended.compared?, ended.of?);
            let asked = question.queue.as_ref().is_none_or(|of| queue.is_within(of))
                && question.user.as_ref().is_none_or(|of| **of == *user);
            let (allocations, before, second) = (ended.allocations, ended.before, ended.second);
            (asked && (!local.is_empty() || !remote.is_empty())).then(|| Against {
                app,
                partition: Arc::from(&*partition),
                queue,
                user: Arc::from(&*user),
                local,
                allocations,
                before,
                second,
                remote,
            })
        };
        all.filter_map(row).collect()
    }
}
