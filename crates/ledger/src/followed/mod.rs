//! The ledger of a scheduler elsewhere that keeps none itself: fed by its events, and by its lists.
//!
//! ```text
//!  a look at the lists ── start ──> what each application has ──> meters, hours and reports of a Ledger
//!  events              ── change ──>      |
//!  later looks         ── compare ─>  differences count from the look on, and their hours are not exact
//!  a hole in the events ── stop ───>  a gap, until it restarts with a look
//! ```
//!
//! Each ask is followed by itself, so that an event that is received twice changes nothing. Who an application is of, and the priority of an ask,
//! are in no event but in the lists: what an ask had until they are known is held, and counts under its owner once that is known
//! ([`spans`]).
//!
//! Where to read: [`app`] is what one application has, [`Look`] what lists show, [`compare`] what follows from that, [`saved`] what is kept.
//!
//! Invariants:
//! - pure, and exact from the start on as far as the events report everything;
//! - time never goes back: a moment of the clock counts once, whatever the clock does;
//! - nothing counts while it is stopped; a gap has both its ends.

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

/// The priority of an ask that ended before it was seen in a list.
pub const UNKNOWN_PRIORITY: Priority = Priority::MIN;
/// How many events are remembered for the next look.
const MOST_RECENT: usize = 200_000;
/// How far an event may precede the one that was received before it: several threads write them.
const OUT_OF_ORDER: u64 = 1_000_000;

/// What one event changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// An application is in a leaf from now on.
    Entered(AppId, QueuePath),
    /// The application was removed permanently.
    Left(AppId),
    /// A new pending request.
    Asked(AppId, AskId, Resource),
    /// A pending request was canceled.
    Withdrawn(AppId, AskId),
    /// It got it.
    Allocated(AppId, AskId, Resource),
    /// It has it no more.
    Released(AppId, AskId),
    /// The group that it counts under.
    Grouped(AppId, Option<Arc<str>>),
    /// What a queue is guaranteed from now on.
    Guaranteed(QueuePath, Resource),
    /// A queue no longer exists.
    QueueGone(QueuePath),
}

/// What a change is about: what a look of about that moment may show before or after it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Touched {
    App(AppId),
    Ask(AppId, AskId),
    Queue(QueuePath),
}

/// A queue with what is in use in it and below it.
#[derive(Clone, Debug, Default)]
struct Queue {
    allocated: Resource,
    guaranteed: Option<Resource>,
}

/// The ledger of a scheduler elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    ledger: Ledger,
    begun: bool,
    counting: bool,
    apps: OrdMap<AppId, App>,
    queues: OrdMap<In<QueuePath>, Queue>,
    partitions: Vec<Arc<str>>,
    /// Applications of which something is held: their owner or a priority is unknown.
    unnamed: OrdSet<AppId>,
    /// Applications that have gone, and when, with what is held of them: who they were of is unknown yet.
    gone: OrdMap<AppId, (Time, App)>,
    /// Time of the newest event received.
    newest: Time,
    /// Up to when there is nothing else to receive.
    until: Time,
    /// When a look was compared last.
    agreed: Time,
    recent: Vector<(u64, Time, Touched)>,
    gaps: Vector<Gap>,
    /// By hour, how many differences a look showed that no event had reported.
    inexact: OrdMap<u64, u64>,
    /// What applications had used by allocations that ended, when it was stopped.
    ended: OrdMap<AppId, saved::Ended>,
}

impl Followed {
    /// Whether it counts now.
    pub const fn is_counting(&self) -> bool {
        self.counting
    }

    /// Starts with what a look shows, and with what happened since about the time of the look.
    ///
    /// It counts from the newest of them on: what the look did not show yet is in the events, and what the events did not report yet comes later.
    pub fn begin(&mut self, look: &Look, since: impl IntoIterator<Item = (u64, Time, Change)>) {
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
        if !std::mem::replace(&mut self.begun, true) {
            self.ledger.hours.begin(at);
        }
        if let Some(gap) = self.gaps.back_mut() {
            gap.to.get_or_insert(at);
        }
        let ids: Vec<AppId> = self.apps.keys().cloned().collect();
        for id in ids {
            if let Some(app) = self.apps.get_mut(&id) {
                app.begin(at);
            }
            self.read(&id, at);
        }
        let queues: Vec<In<QueuePath>> = self.queues.keys().cloned().collect();
        queues.iter().for_each(|key| self.read_queue(key, at));
    }

    /// Takes an event with its number, in the order of the numbers.
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
            Change::Withdrawn(app, ask) => self.change(&app, &ask, at, |ask| ask.pending = None),
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

    /// There is nothing else to receive of before this time.
    pub fn received_until(&mut self, at: Time) {
        if self.counting {
            self.until = self.until.max(at);
        }
    }

    /// Events are lost from here on, for a reason in words: what is known counts up to now, and then nothing until it restarts.
    pub fn stop(&mut self, why: String) {
        if std::mem::take(&mut self.counting) {
            let until = self.until.max(self.newest);
            self.close(until);
            self.note_gap(Gap { from: until, to: None, why });
        }
        self.clear();
    }

    /// Adds up final values in advance, so that a report is fast.
    pub fn settle(&mut self) {
        if self.counting {
            // An event that is still on its way is not an hour old.
            self.newest = self.newest.max(Time(self.until.0.saturating_sub(HOUR)));
            self.ledger.read_all(self.newest);
        }
    }

    /// Answers a question about what is known by now.
    pub fn report(&self, question: &Question) -> Report {
        let mut all = self.clone();
        let until = all.until.max(all.newest);
        all.release_held(until);
        all.ledger.gaps = all.gaps;
        all.ledger.report(until, question)
    }

    /// When nothing was counted, the oldest first; the last one lasts where it has no end.
    pub fn gaps(&self) -> impl Iterator<Item = &Gap> {
        self.gaps.iter()
    }

    /// The hours that are not exact by their beginnings, each with how many differences a look showed in it.
    pub fn inexact(&self) -> impl Iterator<Item = (Time, u64)> {
        self.inexact.iter().map(|(hour, count)| (Time(hour * HOUR), *count))
    }

    /// Up to when it counts.
    pub fn until(&self) -> Time {
        self.until.max(self.newest)
    }

    /// From when on it counts; `None` before it started.
    pub fn since(&self) -> Option<Time> {
        self.begun.then_some(self.ledger.hours.since)
    }

    /// The time of an event, never before the one that was received last: of a clock that was set back no moment counts twice.
    fn clock(&mut self, at: Time) -> Time {
        if !self.counting || at.0.saturating_add(OUT_OF_ORDER) >= self.newest.0 {
            return at.max(self.newest);
        }
        let since = self.newest;
        self.close(since);
        // By an hour or more it was wrong before: the hours from here on are forgotten, and what is left of this one counts no more.
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
        self.begin_again(now);
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
        | Change::Withdrawn(app, ask)
        | Change::Allocated(app, ask, _)
        | Change::Released(app, ask) => Touched::Ask(app.clone(), ask.clone()),
        Change::Guaranteed(queue, _) | Change::QueueGone(queue) => Touched::Queue(queue.clone()),
    }
}
