//! The ledger of a remote scheduler: [`Followed::start`] with a look, [`Followed::happened`] per event,
//! [`Followed::compare`] with later looks, [`Followed::stop`] at lost events.
//!
//! Requests are tracked separately, so a repeated event changes nothing. Only lists contain users and priorities:
//! earlier usage is counted later (`spans`).
//!
//! Invariants:
//! - pure, and exact from the start as far as events report everything;
//! - time never goes back: each moment counts once, whatever the clock does;
//! - nothing is counted while it is stopped; a gap has both ends.

mod app;
mod compare;
mod look;
pub mod saved;
mod spans;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use imbl::{OrdMap, OrdSet, Vector};

use self::app::App;
pub use self::compare::Against;
pub use self::look::{Look, SeenApp, SeenAsk, SeenPartition};
use super::hours::HOUR;
use super::report::{Question, Report};
use super::{Gap, In, Ledger, MOST_GAPS};
use model::{AppId, AskId, Priority, QueuePath, Resource, Time};

/// The priority of a request that ended before it was in a list.
pub const UNKNOWN_PRIORITY: Priority = Priority::MIN;
const MOST_RECENT: usize = 200_000;
/// How much earlier than its predecessor an event may be, in microseconds: several threads write events.
const OUT_OF_ORDER: u64 = 1_000_000;

/// The change from one event.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// An application entered a leaf.
    Entered(AppId, QueuePath),
    /// An application was removed permanently.
    Left(AppId),
    /// A new pending request.
    Asked(AppId, AskId, Resource),
    /// A pending request was canceled.
    Canceled(AppId, AskId),
    /// A request was allocated.
    Allocated(AppId, AskId, Resource),
    /// An allocation was released.
    Released(AppId, AskId),
    /// The group of an application.
    Grouped(AppId, Option<Arc<str>>),
    /// The guaranteed resources of a queue.
    Guaranteed(QueuePath, Resource),
    /// A queue was removed.
    QueueGone(QueuePath),
}

/// The object of a change, which a look of about that time may show before or after it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Touched {
    App(AppId),
    Ask(AppId, AskId),
    Queue(QueuePath),
}

#[derive(Clone, Debug, Default)]
struct Queue {
    allocated: Resource,
    guaranteed: Option<Resource>,
}

/// The ledger of a remote scheduler.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    ledger: Ledger,
    started: bool,
    counting: bool,
    apps: OrdMap<AppId, App>,
    queues: OrdMap<In<QueuePath>, Queue>,
    partitions: Vec<Arc<str>>,
    /// Applications with usage without an owner or priority.
    unnamed: OrdSet<AppId>,
    /// Removed applications with usage without an owner, and their end.
    gone: OrdMap<AppId, (Time, App)>,
    newest: Time,
    /// The time up to which all events are received.
    until: Time,
    agreed: Time,
    recent: Vector<(u64, Time, Touched)>,
    gaps: Vector<Gap>,
    /// Differences without an event that looks found, by hour.
    inexact: OrdMap<u64, u64>,
    /// The usage of ended allocations at the last stop.
    ended: OrdMap<AppId, saved::Ended>,
}

impl Followed {
    /// Whether it is counting.
    pub const fn is_counting(&self) -> bool {
        self.counting
    }

    /// Starts with a look and the events since about its time.
    ///
    /// Counting starts at the newest of them: later events report what the look did not show.
    pub fn start(&mut self, look: &Look, since: impl IntoIterator<Item = (u64, Time, Change)>) {
        self.clear();
        self.partitions = look.partitions.iter().map(|part| Arc::clone(&part.name)).collect();
        for part in &look.partitions {
            part.apps.iter().for_each(|seen| self.insert(&part.name, seen));
            self.set_guarantees(part, |_| true, Time::ZERO);
        }
        for (number, at, change) in since {
            self.happened(number, at, change);
        }
        let from = self.gaps.back().map_or(Time::ZERO, |gap| gap.from);
        let at = look.at.max(self.newest).max(from);
        (self.newest, self.until, self.agreed, self.counting) = (at, at, at, true);
        if !std::mem::replace(&mut self.started, true) {
            self.ledger.hours.start(at);
        }
        if let Some(gap) = self.gaps.back_mut() {
            gap.to.get_or_insert(at);
        }
        let ids: Vec<AppId> = self.apps.keys().cloned().collect();
        for id in ids {
            if let Some(app) = self.apps.get_mut(&id) {
                app.start(at);
            }
            self.read(&id, at);
        }
        let queues: Vec<In<QueuePath>> = self.queues.keys().cloned().collect();
        queues.iter().for_each(|key| self.read_queue(key, at));
    }

    /// Adds an event; events must come in the order of their numbers.
    pub fn happened(&mut self, number: u64, at: Time, change: Change) {
        let at = self.clock(at);
        self.newest = at;
        self.until = self.until.max(at);
        self.recent.push_back((number, at, touched(&change)));
        if self.recent.len() > MOST_RECENT {
            self.recent.pop_front();
        }
        match change {
            Change::Entered(app, queue) => self.enter(app, queue, at),
            Change::Left(app) => self.leave(&app, at),
            Change::Asked(app, ask, wanted) => self.change(&app, &ask, at, |ask| ask.pending = Some(wanted)),
            Change::Canceled(app, ask) => self.change(&app, &ask, at, |ask| ask.pending = None),
            Change::Allocated(app, ask, resource) => self.change(&app, &ask, at, |ask| {
                (ask.pending, ask.allocated, ask.allocated_since) = (None, Some(resource), Some(at));
            }),
            Change::Released(app, ask) => {
                if let Some(app) = self.apps.get_mut(&app) {
                    app.count_ended(&ask, at);
                }
                self.change(&app, &ask, at, |ask| ask.allocated = None);
            }
            Change::Grouped(app, group) => self.regroup(&app, group, at),
            Change::Guaranteed(queue, guaranteed) => self.guarantee(&queue, Some(guaranteed), at),
            Change::QueueGone(queue) => self.guarantee(&queue, None, at),
        }
    }

    /// All events before this time are received.
    pub fn received_until(&mut self, at: Time) {
        if self.counting {
            self.until = self.until.max(at);
        }
    }

    /// Stops, because events are lost: usage is counted up to now. `why` is in words.
    pub fn stop(&mut self, why: String) {
        if std::mem::take(&mut self.counting) {
            let until = self.until.max(self.newest);
            self.close(until);
            self.note_gap(Gap { from: until, to: None, why });
        }
        self.clear();
    }

    /// Sums up final values in advance, so that a report is fast.
    pub fn settle(&mut self) {
        if self.counting {
            // A delayed event is less than an hour old.
            self.newest = self.newest.max(Time(self.until.0.saturating_sub(HOUR)));
            self.ledger.read_all(self.newest);
        }
    }

    /// Answers a question as of now.
    pub fn report(&self, question: &Question) -> Report {
        let mut all = self.clone();
        let until = all.until.max(all.newest);
        all.release_held(until);
        all.ledger.gaps = all.gaps;
        all.ledger.report(until, question)
    }

    /// The gaps, the oldest first; the last one may lack an end.
    pub fn gaps(&self) -> impl Iterator<Item = &Gap> {
        self.gaps.iter()
    }

    /// The starts of inexact hours, each with the number of differences.
    pub fn inexact(&self) -> impl Iterator<Item = (Time, u64)> {
        self.inexact.iter().map(|(hour, count)| (Time(hour * HOUR), *count))
    }

    /// The end of the count.
    pub fn until(&self) -> Time {
        self.until.max(self.newest)
    }

    /// The start of the count; `None` before it.
    pub fn since(&self) -> Option<Time> {
        self.started.then_some(self.ledger.hours.since)
    }

    /// The time of an event, never before the last one: after a clock setback, no moment counts twice.
    fn clock(&mut self, at: Time) -> Time {
        if !self.counting || at.0.saturating_add(OUT_OF_ORDER) >= self.newest.0 {
            return at.max(self.newest);
        }
        let since = self.newest;
        self.close(since);
        // A setback of an hour or more means that the clock was wrong before: drop the hours after the new time, and
        // the rest of its hour.
        let end = Time((at.0 / HOUR + 1).saturating_mul(HOUR));
        if since.0 - at.0 >= HOUR {
            self.ledger.hours.forget_from(end.0 / HOUR);
            self.inexact = self.inexact.split(&(end.0 / HOUR)).0;
        }
        if end < since && since.0 - at.0 >= HOUR {
            (self.newest, self.until, self.agreed) = (end, end, end);
        }
        let why = "the clock of the scheduler was set back: usage is counted again when the clock passes its last time"
            .to_owned();
        self.note_gap(Gap { from: since, to: Some(at), why });
        let now = self.newest;
        self.start_again(now);
        now
    }

    fn note_gap(&mut self, gap: Gap) {
        self.gaps.push_back(gap);
        if self.gaps.len() > MOST_GAPS {
            self.gaps.pop_front();
        }
    }
}

fn touched(change: &Change) -> Touched {
    match change {
        Change::Entered(app, _) | Change::Left(app) | Change::Grouped(app, _) => Touched::App(app.clone()),
        Change::Asked(app, ask, _)
        | Change::Canceled(app, ask)
        | Change::Allocated(app, ask, _)
        | Change::Released(app, ask) => Touched::Ask(app.clone(), ask.clone()),
        Change::Guaranteed(queue, _) | Change::QueueGone(queue) => Touched::Queue(queue.clone()),
    }
}
