//! An application of a remote scheduler, request by request.

use std::sync::Arc;

use imbl::OrdMap;

use super::saved::Ended;
use super::spans::{Owner, Span};
use super::{Followed, In};
use crate::meter::Rates;
use model::{AppId, AskId, Priority, QueuePath, Resource, Time};
use scheduler::state::bands::Band;

#[derive(Clone, Debug, Default)]
pub(super) struct Ask {
    pub priority: Option<Priority>,
    pub pending: Option<Resource>,
    pub allocated: Option<Resource>,
    /// The allocation time; `None` if before the start of the ledger.
    pub allocated_since: Option<Time>,
    /// The start of the current quantities, while the priority or the owner is unknown.
    pub since: Time,
    pub spans: Vec<Span>,
}

impl Ask {
    pub fn is_empty(&self) -> bool {
        self.pending.is_none() && self.allocated.is_none()
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct App {
    pub partition: Option<Arc<str>>,
    pub queue: Option<QueuePath>,
    pub user: Option<Arc<str>>,
    pub group: Option<Arc<str>>,
    /// An event reported the group: lists of groups may be older.
    pub grouped: bool,
    pub submitted: Option<Time>,
    pub asks: OrdMap<AskId, Ask>,
    /// The sums of requests with a known priority, by priority, the lowest first; empty while the owner is unknown.
    pub sums: Vec<Band>,
    /// The usage of requests that ended before the owner was known.
    pub used: Vec<Span>,
    pub ended: Ended,
    /// Unchanged since a look agreed with it.
    pub agrees: bool,
}

impl App {
    pub const fn is_named(&self) -> bool {
        self.partition.is_some() && self.queue.is_some() && self.user.is_some()
    }

    pub fn owner(&self) -> Owner {
        Owner { queue: self.queue.clone().unwrap_or_default(), group: self.group.clone() }
    }

    pub fn start(&mut self, at: Time) {
        let ids: Vec<AskId> = self.asks.keys().cloned().collect();
        for id in ids {
            if let Some(ask) = self.asks.get_mut(&id) {
                (ask.since, ask.allocated_since) = (at, None);
                ask.spans.clear();
            }
        }
        self.used.clear();
    }

    /// Whether it has usage with an unknown owner or priority.
    pub fn is_holding(&self) -> bool {
        !self.used.is_empty() || !self.is_named() || self.asks.values().any(|ask| ask.priority.is_none())
    }

    pub fn sum(&mut self, ask: &Ask, sign: bool) {
        let Some(priority) = ask.priority.filter(|_| self.is_named()) else { return };
        let at = match self.sums.binary_search_by_key(&priority, |band| band.priority) {
            Ok(at) => at,
            Err(at) => {
                let (allocated, pending) = (Resource::new(), Resource::new());
                self.sums.insert(at, Band { priority, allocated, pending });
                at
            }
        };
        let band = &mut self.sums[at];
        for (sum, amount) in [(&mut band.allocated, &ask.allocated), (&mut band.pending, &ask.pending)] {
            let Some(amount) = amount else { continue };
            if sign {
                sum.add_assign(amount);
            } else {
                sum.sub_assign(amount);
                sum.prune();
            }
        }
        if band.allocated.is_zero() && band.pending.is_zero() {
            self.sums.remove(at);
        }
    }

    pub fn count_ended(&mut self, id: &AskId, at: Time) {
        let Some(ask) = self.asks.get(id) else { return };
        let Some(allocated) = &ask.allocated else { return };
        match ask.allocated_since {
            Some(since) => {
                self.ended.used.add(allocated, at.since(since));
                self.ended.second.add(allocated, std::time::Duration::from_secs(1));
                self.ended.allocations += 1;
            }
            None => self.ended.before += 1,
        }
    }
}

impl Followed {
    pub(super) fn enter(&mut self, id: AppId, queue: QueuePath, at: Time) {
        let only = match self.partitions.as_slice() {
            [only] => Some(Arc::clone(only)),
            _ => None,
        };
        match self.apps.get(&id) {
            None => {
                self.apps.insert(id.clone(), App { partition: only, queue: Some(queue), ..App::default() });
                self.unnamed.insert(id);
            }
            Some(app) if app.queue.as_ref() != Some(&queue) => self.rename(&id, at, |app| app.queue = Some(queue)),
            Some(_) => {}
        }
    }

    pub(super) fn leave(&mut self, id: &AppId, at: Time) {
        let asks: Vec<AskId> = self.apps.get(id).map(|app| app.asks.keys().cloned().collect()).unwrap_or_default();
        for ask in asks {
            self.change(id, &ask, at, |ask| (ask.pending, ask.allocated) = (None, None));
        }
        if let Some(app) = self.apps.remove(id) {
            self.ended.remove(id);
            self.drop_meter(id, &app, at);
            self.keep_used(id, app, at);
        }
    }

    pub(super) fn regroup(&mut self, id: &AppId, group: Option<Arc<str>>, at: Time) {
        if let Some(app) = self.apps.get_mut(id) {
            app.grouped = true;
        }
        if self.apps.get(id).is_some_and(|app| app.group != group) {
            self.rename(id, at, |app| app.group = group);
        }
    }

    pub(super) fn rename(&mut self, id: &AppId, at: Time, change: impl FnOnce(&mut App)) {
        self.close_spans(id, at);
        let Some(app) = self.apps.get_mut(id) else { return };
        let before = app.clone();
        change(app);
        app.agrees = false;
        let (moved, named) = (before.queue != app.queue || before.partition != app.partition, app.is_named());
        app.sums.clear();
        let asks: Vec<Ask> = app.asks.values().cloned().collect();
        asks.iter().for_each(|ask| app.sum(ask, true));
        let after = app.clone();
        if moved {
            for (place, more) in [(&before, false), (&after, true)] {
                let Some(place) = place.partition.as_ref().zip(place.queue.as_ref()) else { continue };
                asks.iter()
                    .filter_map(|ask| ask.allocated.as_ref())
                    .for_each(|one| self.use_queues(place, one, more, at));
            }
        }
        if before.is_named() && before.partition != after.partition {
            self.drop_meter(id, &before, at);
        }
        if named {
            self.read(id, at);
        }
    }

    pub(super) fn change(&mut self, id: &AppId, ask_id: &AskId, at: Time, change: impl FnOnce(&mut Ask)) {
        let counting = self.counting;
        let Some(app) = self.apps.get_mut(id) else { return };
        let mut ask = app.asks.get(ask_id).cloned().unwrap_or_else(|| Ask { since: at, ..Ask::default() });
        let (named, before) = (app.is_named() && ask.priority.is_some(), ask.clone());
        if !named && counting {
            ask.close(&app.owner(), at);
        }
        app.sum(&before, false);
        app.agrees = false;
        change(&mut ask);
        if ask.allocated.is_none() {
            ask.allocated_since = None;
        }
        app.sum(&ask, true);
        let (was, has) = (before.allocated, ask.allocated.clone());
        let place = app.partition.clone().zip(app.queue.clone());
        if ask.is_empty() {
            app.asks.remove(ask_id);
            app.used.extend(ask.spans);
        } else {
            let unknown = ask.priority.is_none();
            app.asks.insert(ask_id.clone(), ask);
            if unknown {
                self.unnamed.insert(id.clone());
            }
        }
        // The priority of an ended request will remain unknown.
        let over = app.is_named() && !app.used.is_empty();
        if let Some((partition, queue)) = place.filter(|_| was != has) {
            was.iter().for_each(|was| self.use_queues((&partition, &queue), was, false, at));
            has.iter().for_each(|has| self.use_queues((&partition, &queue), has, true, at));
        }
        if over {
            self.release_app(id);
        }
        self.read(id, at);
    }

    pub(super) fn read(&mut self, id: &AppId, at: Time) {
        let Some(app) = self.apps.get(id).filter(|_| self.counting) else { return };
        let (Some(partition), Some(queue), Some(user)) = (&app.partition, &app.queue, &app.user) else { return };
        let rates = Rates::new((queue.clone(), Arc::clone(user), app.group.clone()), app.sums.clone());
        self.ledger.set_app(at, (Arc::clone(partition), id.clone()), Some(rates));
    }

    fn drop_meter(&mut self, id: &AppId, app: &App, at: Time) {
        if let Some(partition) = app.partition.as_ref().filter(|_| self.counting) {
            self.ledger.set_app(at, (Arc::clone(partition), id.clone()), None);
        }
    }

    pub(super) fn use_queues(
        &mut self,
        (partition, queue): (&Arc<str>, &QueuePath),
        amount: &Resource,
        more: bool,
        at: Time,
    ) {
        for path in std::iter::successors(Some(queue.clone()), QueuePath::parent) {
            let key = (Arc::clone(partition), path);
            let queue = self.queues.entry(key.clone()).or_default();
            if more {
                queue.allocated.add_assign(amount);
            } else {
                queue.allocated.sub_assign(amount);
                queue.allocated.prune();
            }
            if queue.guaranteed.is_some() {
                self.read_queue(&key, at);
            }
        }
    }

    /// Sets the guaranteed resources of a queue. An event names no partition: if there are several, only lists are
    /// used.
    pub(super) fn guarantee(&mut self, queue: &QueuePath, guaranteed: Option<Resource>, at: Time) {
        if let [only] = self.partitions.as_slice() {
            let key = (Arc::clone(only), queue.clone());
            self.set_guarantee(&key, guaranteed, at);
        }
    }

    pub(super) fn set_guarantee(&mut self, key: &In<QueuePath>, guaranteed: Option<Resource>, at: Time) {
        let guaranteed = guaranteed.filter(|guaranteed| !guaranteed.is_empty());
        if guaranteed.is_none() && !self.queues.contains_key(key) {
            return;
        }
        self.queues.entry(key.clone()).or_default().guaranteed = guaranteed;
        self.read_queue(key, at);
    }

    pub(super) fn read_queue(&mut self, key: &In<QueuePath>, at: Time) {
        let Some(queue) = self.queues.get(key).filter(|_| self.counting) else { return };
        let has = queue.guaranteed.as_ref().map(|guaranteed| (&queue.allocated, guaranteed));
        self.ledger.set_queue(at, key.clone(), has);
    }
}
