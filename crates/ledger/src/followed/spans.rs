//! Spans: usage of a request from before its owner or priority is known.

use std::sync::Arc;

use super::app::{App, Ask};
use super::{Followed, UNKNOWN_PRIORITY};
use crate::hours::{Account, Hours};
use model::{AppId, AskId, Priority, QueuePath, Resource, Time};

/// The maximum wait for a list with the user of an application, in microseconds.
const GIVEN_UP_AFTER: u64 = 3_600_000_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Owner {
    pub queue: QueuePath,
    pub group: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
pub(super) struct Span {
    pub owner: Owner,
    pub priority: Option<Priority>,
    pub allocated: Option<Resource>,
    pub pending: Option<Resource>,
    pub from: Time,
    pub until: Time,
}

impl Ask {
    pub fn close(&mut self, owner: &Owner, at: Time) {
        if !self.is_empty() && at > self.since {
            self.spans.push(Span {
                owner: owner.clone(),
                priority: self.priority,
                allocated: self.allocated.clone(),
                pending: self.pending.clone(),
                from: self.since,
                until: at,
            });
        }
        self.since = self.since.max(at);
    }
}

/// Counts spans of an application; `priority` is used for those without one.
fn count(hours: &mut Hours, (id, app): (&AppId, &App), spans: Vec<Span>, priority: Option<Priority>) {
    let nothing = Resource::new();
    for span in spans {
        let priority = priority.or(span.priority).unwrap_or(UNKNOWN_PRIORITY);
        let account = |of: Option<AppId>| Account {
            partition: app.partition.clone().unwrap_or_default(),
            queue: span.owner.queue.clone(),
            user: app.user.clone().unwrap_or_default(),
            group: span.owner.group.clone(),
            app: of,
            priority,
        };
        let amounts = (span.allocated.as_ref().unwrap_or(&nothing), span.pending.as_ref().unwrap_or(&nothing));
        hours.add(id, account, amounts, (span.from, span.until));
    }
}

impl Followed {
    pub(super) fn close_spans(&mut self, id: &AppId, at: Time) {
        let Some(app) = self.apps.get_mut(id).filter(|_| self.counting) else { return };
        let (named, owner) = (app.is_named(), app.owner());
        let unnamed = app.asks.iter().filter(|(_, ask)| !named || ask.priority.is_none());
        let ids: Vec<AskId> = unnamed.map(|(id, _)| id.clone()).collect();
        for ask in ids {
            if let Some(ask) = app.asks.get_mut(&ask) {
                ask.close(&owner, at);
            }
        }
    }

    /// Counts the stored spans with known keys. `all` also counts the rest, without an owner or priority.
    fn count_used(&mut self, id: &AppId, all: bool) {
        let Some(app) = self.apps.get_mut(id).filter(|app| all || app.is_named()) else { return };
        let used = std::mem::take(&mut app.used);
        let ready = app.asks.iter().filter(|(_, ask)| !ask.spans.is_empty() && (all || ask.priority.is_some()));
        let ids: Vec<AskId> = ready.map(|(id, _)| id.clone()).collect();
        let mut spans = Vec::new();
        for ask in ids {
            if let Some(ask) = app.asks.get_mut(&ask) {
                spans.push((ask.priority, std::mem::take(&mut ask.spans)));
            }
        }
        let app = app.clone();
        count(&mut self.ledger.hours, (id, &app), used, None);
        for (priority, spans) in spans {
            count(&mut self.ledger.hours, (id, &app), spans, priority);
        }
    }

    pub(super) fn release_app(&mut self, id: &AppId) {
        self.count_used(id, false);
        if self.apps.get(id).is_none_or(|app| !app.is_holding()) {
            self.unnamed.remove(id);
        }
    }

    /// Counts all stored spans up to now, if needed without an owner or priority.
    pub(super) fn release_held(&mut self, at: Time) {
        let ids: Vec<AppId> = self.unnamed.iter().cloned().collect();
        for id in &ids {
            self.close_spans(id, at);
            self.count_used(id, true);
        }
        for (id, (_, app)) in std::mem::take(&mut self.gone) {
            let used = app.used.clone();
            count(&mut self.ledger.hours, (&id, &app), used, None);
        }
    }

    /// Stores the spans of a removed application until a list names its user.
    pub(super) fn keep_used(&mut self, id: &AppId, app: App, at: Time) {
        self.unnamed.remove(id);
        if app.is_named() {
            let used = app.used.clone();
            count(&mut self.ledger.hours, (id, &app), used, None);
        } else if !app.used.is_empty() {
            self.gone.insert(id.clone(), (at, app));
        }
    }

    pub(super) fn name_gone(&mut self, id: &AppId, partition: &Arc<str>, user: &Arc<str>) {
        if let Some((_, app)) = self.gone.remove(id) {
            let app = App { partition: Some(Arc::clone(partition)), user: Some(Arc::clone(user)), ..app };
            let used = app.used.clone();
            count(&mut self.ledger.hours, (id, &app), used, None);
        }
    }

    pub(super) fn give_up(&mut self, at: Time) {
        let old = |since: &Time| at.0.saturating_sub(since.0) > GIVEN_UP_AFTER;
        let ids: Vec<AppId> = self.gone.iter().filter(|(_, (since, _))| old(since)).map(|(id, _)| id.clone()).collect();
        for id in ids {
            if let Some((_, app)) = self.gone.remove(&id) {
                let used = app.used.clone();
                count(&mut self.ledger.hours, (&id, &app), used, None);
            }
        }
    }

    pub(super) fn close(&mut self, at: Time) {
        self.ledger.read_all(at);
        self.release_held(at);
    }

    /// Restarts all counting at this time, which may be before the current end.
    pub(super) fn start_again(&mut self, at: Time) {
        self.ledger.restart(at);
        let ids: Vec<AppId> = self.unnamed.iter().cloned().collect();
        for app in ids {
            let Some(app) = self.apps.get_mut(&app) else { continue };
            let ids: Vec<AskId> = app.asks.keys().cloned().collect();
            for ask in ids {
                if let Some(ask) = app.asks.get_mut(&ask) {
                    ask.since = at;
                }
            }
        }
    }

    /// Drops the current state, but not the counted usage.
    pub(super) fn clear(&mut self) {
        for (id, app) in std::mem::take(&mut self.apps) {
            let ended = app.ended_now();
            self.ended.insert(id, ended);
        }
        (self.ledger.apps, self.ledger.queues) = Default::default();
        self.queues.clear();
        self.unnamed.clear();
        self.gone.clear();
        self.recent.clear();
    }
}
