//! Events of a remote: for Apache YuniKorn the batch is the source and the stream only a wake-up (`rest.md` section 9,
//! rules 15 and 16); those of a kornsole server are read by their ids, in [`own`].
//!
//! The types [`Follow`] and [`own::Position`] interpret answers without time or network; [`run`] sends the requests.

pub mod own;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;
use tokio::sync::{Notify, mpsc};

use super::link::Chance;
use client::{Client, Fault, Release, Remote};
use wire::dto;

const BATCH: u64 = 5000;
/// The number of past events to read first: they contain the start times of the current state.
const PAST: u64 = 20_000;
/// The limit for the response header of a stream; 1.5 sends none on a quiet cluster.
const STREAM_HEADER: Duration = Duration::from_secs(3);
const STREAM_AGAIN: Duration = Duration::from_secs(15);
/// The pause if the remote records no events.
const OFF: Duration = Duration::from_secs(60);

/// A message from the event reader.
#[derive(Clone, Debug, PartialEq)]
pub enum EventMessage {
    /// Events in order, with the id of the first.
    Events(u64, Vec<dto::EventRecord>),
    /// The events between two ids (inclusive) are lost.
    Gap(u64, u64),
    /// The scheduler was restarted.
    Restarted,
    /// No further events at this time; the next number, if known.
    Current(Instant, Option<u64>),
}

/// The position in the events of a scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follow {
    instance: Option<String>,
    next: Option<u64>,
}

impl Follow {
    /// The next request: the first id and the count.
    pub fn ask(&self) -> (u64, u64) {
        // The first request only finds the position.
        self.next.map_or((0, 1), |next| (next, BATCH))
    }

    /// Interprets an answer to [`Follow::ask`]; returns whether to continue at once.
    pub fn take(&mut self, batch: dto::EventBatch) -> (Vec<EventMessage>, bool) {
        let mut messages = Vec::new();
        let first = batch.event_records.is_some() || batch.highest_id > 0;
        let end = if first { batch.highest_id + 1 } else { 0 };
        if self.instance.as_ref() != Some(&batch.instance_uuid) {
            if self.instance.is_some() {
                messages.push(EventMessage::Restarted);
                // A new run is read from its start.
                self.next = Some(batch.lowest_id);
            } else {
                self.next = Some(batch.lowest_id.max(end.saturating_sub(PAST)));
            }
            self.instance = Some(batch.instance_uuid);
            return (messages, self.next < Some(end));
        }
        let next = self.next.unwrap_or(end);
        match batch.event_records {
            Some(records) if !records.is_empty() => {
                let after = next + records.len() as u64;
                messages.push(EventMessage::Events(next, records));
                self.next = Some(after);
                (messages, after < end)
            }
            _ if batch.lowest_id > next => {
                messages.push(EventMessage::Gap(next, batch.lowest_id - 1));
                self.next = Some(batch.lowest_id);
                (messages, true)
            }
            _ => (messages, false),
        }
    }
}

/// The source of a remote's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// By id, from a kornsole server with a token.
    Own,
    /// In batches, from Apache YuniKorn, with an optional stream for wake-ups.
    Batches {
        /// Not in 1.4.
        stream: bool,
    },
}

impl Feed {
    /// The best source of a remote.
    pub fn of(remote: &Remote, has_token: bool) -> Self {
        match remote.kornsole() {
            Some(server) if has_token && server.can("events") => Self::Own,
            _ => Self::Batches { stream: remote.release() >= Release::V1_5 },
        }
    }
}

/// Reads events page by page.
#[derive(Clone, Debug)]
pub struct Reader {
    feed: Feed,
    follow: Follow,
    position: own::Position,
}

impl Reader {
    /// Starts with the oldest requested event.
    pub fn new(feed: Feed) -> Self {
        Self { feed, follow: Follow::default(), position: own::Position::default() }
    }

    /// `None` if unknown, and for a kornsole server.
    pub fn next(&self) -> Option<u64> {
        self.follow.next
    }

    /// Requests the next page. Returns its messages, and whether to continue immediately.
    ///
    /// # Errors
    /// Returns an error if it cannot be fetched; the position is unchanged.
    pub async fn ask(&mut self, client: &Client) -> Result<(Vec<EventMessage>, bool), Fault> {
        if self.feed == Feed::Own {
            return own::page(client, &mut self.position).await;
        }
        let batch = batch(client, self.follow.ask()).await?;
        Ok(self.follow.take(batch))
    }
}

async fn batch(client: &Client, (start, count): (u64, u64)) -> Result<dto::EventBatch, Fault> {
    let path = format!("ws/v1/events/batch?start={start}&count={count}");
    let got = client.get(&path).await?;
    dto::EventBatch::salvaged(&got.value).map_err(|why| Fault::Unreadable(format!("/{path}"), why.to_string()))
}

/// Reads events until the receiver is dropped. `every` is the poll interval without a stream.
pub async fn run(client: Client, every: Duration, feed: Feed, seed: u64, messages: Sender<EventMessage>) {
    match feed {
        Feed::Own => own::run(client, every, seed, messages).await,
        Feed::Batches { stream } => batches(client, every, stream, seed, messages).await,
    }
}

async fn batches(client: Client, every: Duration, streams: bool, seed: u64, messages: Sender<EventMessage>) {
    let woken = Arc::new(Notify::new());
    let stream = streams.then(|| tokio::spawn(wake(client.clone(), Arc::clone(&woken))));
    let (mut follow, mut chance, mut failures) = (Follow::default(), Chance::new(seed), 0_u32);
    while !messages.is_closed() {
        let asked = Instant::now();
        let got = batch(&client, follow.ask()).await;
        let pause = match got {
            Ok(got) => {
                failures = 0;
                let (report, more) = follow.take(got);
                for one in report.into_iter().chain((!more).then_some(EventMessage::Current(asked, follow.next))) {
                    if messages.send(one).await.is_err() {
                        break;
                    }
                }
                if more { Duration::ZERO } else { every }
            }
            // Disabled or unsupported there. After events were read, a proxy may say so for a moment.
            Err(fault)
                if follow.instance.is_none() && (fault.is_answer() || matches!(fault, Fault::Refused(500, _))) =>
            {
                OFF
            }
            Err(_) => {
                failures += 1;
                chance.within(every, failures)
            }
        };
        if pause.is_zero() {
            continue;
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = woken.notified() => {
                // One request for a burst.
                tokio::time::sleep(every / 8).await;
            }
            () = messages.closed() => {}
        }
    }
    if let Some(stream) = stream {
        stream.abort();
    }
}

/// Passes on the stored events.
///
/// # Errors
/// Returns an error if they cannot be fetched.
pub async fn past(client: &Client, feed: Feed, each: &mut impl FnMut(EventMessage)) -> Result<(), Fault> {
    let mut reader = Reader::new(feed);
    loop {
        let (report, more) = reader.ask(client).await?;
        report.into_iter().for_each(&mut *each);
        if !more {
            return Ok(());
        }
    }
}

async fn wake(client: Client, woken: Arc<Notify>) {
    loop {
        if let Ok(mut lines) = client.lines("ws/v1/events/stream", STREAM_HEADER).await {
            while let Ok(Some(_)) = lines.next().await {
                woken.notify_one();
            }
        }
        tokio::time::sleep(STREAM_AGAIN).await;
    }
}

/// A bounded channel of events: the reader waits when it is full.
pub fn channel() -> (Sender<EventMessage>, mpsc::Receiver<EventMessage>) {
    mpsc::channel(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(follow: &Follow, instance: &str, retained: Option<(u64, u64)>) -> dto::EventBatch {
        let (start, count) = follow.ask();
        let (lowest, highest) = retained.unwrap_or_default();
        let there = retained.is_some() && (lowest..=highest).contains(&start);
        let record = |id: u64| dto::EventRecord { message: id.to_string(), ..dto::EventRecord::default() };
        let end = highest.min(start.saturating_add(count - 1));
        dto::EventBatch {
            instance_uuid: instance.to_owned(),
            lowest_id: lowest,
            highest_id: highest,
            event_records: there.then(|| (start..=end).map(record).collect()),
        }
    }

    fn all(follow: &mut Follow, instance: &str, retained: Option<(u64, u64)>) -> (Vec<u64>, Vec<EventMessage>) {
        let (mut ids, mut other) = (Vec::new(), Vec::new());
        loop {
            let (messages, more) = follow.take(answer(follow, instance, retained));
            for one in messages {
                match one {
                    EventMessage::Events(first, records) => {
                        for (id, record) in (first..).zip(&records) {
                            assert_eq!(record.message, id.to_string(), "the id is that of the record");
                            ids.push(id);
                        }
                    }
                    report => other.push(report),
                }
            }
            if !more {
                return (ids, other);
            }
        }
    }

    #[test]
    fn every_event_is_seen_once_and_in_order() {
        let mut follow = Follow::default();
        assert_eq!(all(&mut follow, "a", None), (vec![], vec![]), "an empty buffer");
        assert_eq!(all(&mut follow, "a", Some((0, 0))).0, [0], "one event looks like none but for the list");
        let (ids, report) = all(&mut follow, "a", Some((0, 12_345)));
        assert_eq!((ids, report), ((1..=12_345).collect(), vec![]));
        assert_eq!(all(&mut follow, "a", Some((5, 12_345))), (vec![], vec![]));
        assert_eq!(all(&mut follow, "a", Some((5, 12_346))).0, [12_346]);
    }

    #[test]
    fn a_gap_is_reported_with_its_limits_and_a_restart_starts_over() {
        let mut follow = Follow::default();
        all(&mut follow, "a", Some((0, 10)));
        let (ids, report) = all(&mut follow, "a", Some((100, 120)));
        assert_eq!((ids, report), ((100..=120).collect(), vec![EventMessage::Gap(11, 99)]));
        let (ids, report) = all(&mut follow, "b", Some((0, 3)));
        assert_eq!((ids, report), ((0..=3).collect(), vec![EventMessage::Restarted]));
        let mut late = Follow::default();
        let (ids, report) = all(&mut late, "a", Some((50_000, 150_000)));
        assert_eq!((ids.first(), ids.len(), report), (Some(&130_001), 20_000, vec![]), "only the last of a long past");
    }
}
