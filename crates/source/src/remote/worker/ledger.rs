//! Passes events and lists from the worker to the local ledger of an Apache YuniKorn.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::{Message, Worker};
use crate::UsageAnswer;
use crate::book::{Book, Dialect, Fed, Lists, Rows, change};
use crate::remote::usage;
use crate::trends::Storage;
use crate::usage::{of_followed, of_view};
use client::{Release, Remote};
use model::Time;
use view::AppGroup;
use view::used::UsageQuestion;
use wire::convert::read::record;
use wire::dto;

const MARKS: usize = 1_000;

/// The maximum wait for the lists of users and groups.
const GROUPS: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(super) struct Tap {
    /// The times at which events up to a number were known, by the clock of the connection.
    marks: VecDeque<(Duration, u64)>,
    next: Option<u64>,
    /// The first request for lists of applications.
    first: Option<Duration>,
    /// Per partition: the first event and time that the lists may miss, and when they were read.
    lists: BTreeMap<Arc<str>, Listed>,
}

struct Listed {
    number: u64,
    at: Time,
    rows: Rows,
}

impl Worker {
    /// Answers usage over time: from the local ledger, from the reports of Apache YuniKorn, or from a kornsole server.
    pub(super) fn used(&mut self, question: UsageQuestion, answer: UsageAnswer) {
        let (client, now) = (self.client.clone(), SystemTime::now());
        let seen = matches!(self.remote, Some(Remote::YuniKorn(_))).then(|| self.shared.view.load_full());
        let book = self.shared.book.get();
        let followed = book.map(|book| book.followed()).filter(|one| one.since().is_some());
        let problem = match book.map(|book| book.storage()).as_deref() {
            Some(Storage::Stopped(why)) => {
                Some(format!("cannot write the ledger; counting continues in memory: {why}"))
            }
            _ => None,
        };
        self.in_background(Message::TextFetched, async move {
            answer(match (followed, seen) {
                (Some(followed), Some(_)) => of_followed(&followed, &question, now).map(|mut used| {
                    used.notes.extend(problem);
                    used
                }),
                (None, Some(view)) => of_view(&view, &question),
                (_, None) => usage::usage(&client, &question, now).await,
            });
        });
    }

    /// `None` without one, or if the remote has its own.
    fn book(&self) -> Option<Arc<Book>> {
        let book = self.shared.book.get()?;
        // During a new identification, the last known server counts.
        let last = self.shared.remote.load();
        let remote = self.remote.as_ref().or(last.as_deref());
        matches!(remote, Some(Remote::YuniKorn(_))).then(|| Arc::clone(book))
    }

    fn dialect(&self) -> Dialect {
        let last = self.shared.remote.load();
        let release = self.remote.as_ref().or(last.as_deref()).map_or(Release::V1_8, Remote::release);
        Dialect { numbers_allocations: release <= Release::V1_5, counts_ended: release >= Release::V1_6 }
    }

    pub(super) fn feed_events(&mut self, first: u64, records: &[dto::EventRecord]) {
        let Some(book) = self.book() else { return };
        if self.tap.next.is_some_and(|next| next != first) {
            // They are read again from an earlier number, or some are missing.
            self.feed_lost("the source of events has changed".to_owned());
        }
        let (next, dialect) = (first + records.len() as u64, self.dialect());
        let numbered = (first..).zip(records).filter_map(|(number, event)| {
            let record = record(event);
            Some((number, record.at, change(&record, dialect)?))
        });
        book.feed(Fed::Events(first, numbered.collect()));
        self.tap.next = Some(next);
        self.mark(self.now());
    }

    pub(super) fn feed_received(&mut self, asked: Instant, next: Option<u64>) {
        let Some(book) = self.book() else { return };
        if let Some(next) = next.filter(|_| self.tap.next.is_none()) {
            // Nothing has happened since the start.
            self.tap.next = Some(next);
            book.feed(Fed::Events(next, Vec::new()));
        }
        let ago = if self.shared.clock.is_stepped() { Duration::ZERO } else { asked.elapsed() };
        let at = self.now().saturating_sub(ago);
        if self.tap.next.is_some() {
            self.mark(at);
            book.feed(Fed::Received(at, self.shared.cluster_time() - ago));
        }
    }

    pub(super) fn feed_lost(&mut self, why: String) {
        self.tap = Tap::default();
        if let Some(book) = self.book() {
            book.feed(Fed::Lost(why));
        }
    }

    fn mark(&mut self, at: Duration) {
        let Some(next) = self.tap.next else { return };
        self.tap.marks.push_back((at, next));
        if self.tap.marks.len() > MARKS {
            self.tap.marks.pop_front();
        }
    }

    /// All active applications of a partition were read; `started` is the time of the request.
    pub(super) fn feed_apps(&mut self, partition: &Arc<str>, started: Duration) {
        let Some(book) = self.book() else { return };
        let before = self.tap.marks.iter().rev().find(|(at, _)| *at <= started);
        let Some(number) = before.map(|(_, number)| *number) else { return };
        let view = self.remote_state.view();
        let Some(part) = view.partitions.iter().find(|part| part.name == *partition) else { return };
        let rows = Rows {
            name: Arc::clone(partition),
            apps: part.apps.clone(),
            queues: part.queues.clone(),
            ended: part.ended.clone(),
        };
        let first = *self.tap.first.get_or_insert(started);
        let grouped = rows.apps.iter().flatten().all(|row| row.group != AppGroup::Undecided);
        let known = part.root().is_some() && (grouped || started > first + GROUPS);
        let all: Vec<Arc<str>> = view.partitions.iter().map(|part| Arc::clone(&part.name)).collect();
        let now = self.now();
        let at = self.shared.cluster_time() - now.saturating_sub(started);
        if known {
            self.tap.lists.insert(Arc::clone(partition), Listed { number, at, rows });
        }
        self.tap.lists.retain(|name, _| all.contains(name));
        if self.tap.lists.len() < all.len() {
            return;
        }
        let lists = std::mem::take(&mut self.tap.lists);
        let (mut number, mut at) = (u64::MAX, Time(u64::MAX));
        let mut rows = Vec::new();
        for listed in lists.into_values() {
            (number, at) = (number.min(listed.number), at.min(listed.at));
            rows.push(listed.rows);
        }
        book.feed(Fed::Lists(Lists { number, at, read: now, rows, dialect: self.dialect() }));
    }
}
