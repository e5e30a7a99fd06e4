//! Events of a kornsole server by ID (`rest.md` E10): pages, then the stream.

use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::sync::mpsc::Sender;

use super::{BATCH, EventMessage, OFF, PAST, STREAM_HEADER};
use crate::remote::link::Chance;
use client::{Client, Fault, Lines};
use wire::dto;
use wire::dto::native::{Events, NumberedEvent};

/// A stream sends a keepalive every 15 s; after this silence it is dead.
const SILENCE: Duration = Duration::from_secs(40);
/// How long lines are collected before they are passed on.
const GATHER: Duration = Duration::from_millis(50);
const AT_ONCE: usize = 2000;

/// The position in the events of a kornsole server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    instance: Option<String>,
    next: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Head {
        #[serde(rename = "instanceUUID")]
        instance: String,
        lowest: u64,
    },
    Gap {
        gap: Ends,
    },
    Heartbeat {
        #[serde(rename = "heartbeat")]
        _at: i64,
    },
    End {
        #[serde(rename = "end")]
        _reason: String,
    },
    Event(NumberedEvent),
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Ends {
    from: u64,
    to: u64,
}

impl Position {
    /// The next request: the first id and the count.
    pub fn ask(&self) -> (u64, u64) {
        // The first request only finds the position.
        self.next.map_or((u64::MAX, 1), |next| (next, BATCH))
    }

    /// Interprets a page for [`Position::ask`]; returns whether to continue at once.
    pub fn take(&mut self, page: Events) -> (Vec<EventMessage>, bool) {
        let mut messages = Vec::new();
        if self.is_another(&page.instance_uuid, page.lowest, &mut messages) {
            // For a new run, only the last part of a long past is needed.
            if messages.is_empty() {
                self.next = Some(page.lowest.max((page.highest + 1).saturating_sub(PAST)));
            }
            return (messages, true);
        }
        if let Some(next) = self.next.filter(|next| *next < page.lowest) {
            self.lost(next, page.lowest - 1, &mut messages);
        }
        let arrived = !page.events.is_empty();
        self.put(page.events, &mut messages);
        let more = arrived && self.next.is_some_and(|next| next <= page.highest);
        (messages, more)
    }

    fn read(&mut self, lines: &[Vec<u8>]) -> (Vec<EventMessage>, bool) {
        let (mut messages, mut events) = (Vec::new(), Vec::new());
        for line in lines {
            let Ok(line) = serde_json::from_slice(line) else { continue };
            match line {
                Line::Event(event) => events.push(event),
                Line::Head { instance, lowest } => {
                    self.is_another(&instance, lowest, &mut messages);
                }
                Line::Gap { gap } => {
                    self.put(std::mem::take(&mut events), &mut messages);
                    self.lost(gap.from, gap.to, &mut messages);
                }
                Line::Heartbeat { .. } => {}
                Line::End { .. } => {
                    self.put(events, &mut messages);
                    return (messages, true);
                }
            }
        }
        self.put(events, &mut messages);
        // A stream from an id of another run is useless: read again from the start of that run.
        let restarted = messages.contains(&EventMessage::Restarted);
        (messages, restarted)
    }

    /// Whether the scheduler was restarted; the position is then its start.
    fn is_another(&mut self, instance: &str, lowest: u64, messages: &mut Vec<EventMessage>) -> bool {
        if self.instance.as_deref() == Some(instance) {
            return false;
        }
        if self.instance.replace(instance.to_owned()).is_some() {
            messages.push(EventMessage::Restarted);
        }
        self.next = Some(lowest);
        true
    }

    fn lost(&mut self, from: u64, to: u64, messages: &mut Vec<EventMessage>) {
        messages.push(EventMessage::Gap(from, to));
        self.next = Some(to + 1);
    }

    /// Adds events in order, without known ones; missing ids are lost events.
    fn put(&mut self, events: Vec<NumberedEvent>, messages: &mut Vec<EventMessage>) {
        let mut run: Vec<dto::EventRecord> = Vec::new();
        let mut first = self.next.unwrap_or_default();
        for NumberedEvent { id, event } in events {
            let next = first + run.len() as u64;
            if id < next {
                continue;
            }
            if id > next {
                if !run.is_empty() {
                    messages.push(EventMessage::Events(first, std::mem::take(&mut run)));
                }
                self.lost(next, id - 1, messages);
                first = id;
            }
            run.push(event);
        }
        if !run.is_empty() {
            self.next = Some(first + run.len() as u64);
            messages.push(EventMessage::Events(first, run));
        }
    }
}

/// Requests and interprets a page.
pub async fn page(client: &Client, position: &mut Position) -> Result<(Vec<EventMessage>, bool), Fault> {
    let (since, limit) = position.ask();
    let path = format!("kornsole/v1/events?since={since}&limit={limit}");
    Ok(position.take(client.json::<Events>(&path).await?.value))
}

/// Reads events until the receiver is dropped. `every` is the first pause after a failure.
pub async fn run(client: Client, every: Duration, seed: u64, messages: Sender<EventMessage>) {
    let (mut position, mut chance, mut failures) = (Position::default(), Chance::new(seed), 0_u32);
    while !messages.is_closed() {
        let pause = match follow((&client, every), &mut position, &messages, &mut failures).await {
            Ok(()) => every,
            // Denied or unsupported. After events were read, a proxy may say so for a moment.
            Err(fault) if fault.is_answer() && position.instance.is_none() => OFF,
            Err(_) => {
                failures += 1;
                chance.within(every, failures)
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = messages.closed() => {}
        }
    }
}

async fn follow(
    (client, every): (&Client, Duration),
    position: &mut Position,
    messages: &Sender<EventMessage>,
    failures: &mut u32,
) -> Result<(), Fault> {
    loop {
        let (report, more) = page(client, position).await?;
        hand_on(messages, report).await;
        if !more {
            break;
        }
    }
    *failures = 0;
    let since = position.next.unwrap_or_default();
    let mut stream = client.lines(&format!("kornsole/v1/events/stream?since={since}"), STREAM_HEADER).await?;
    let mut last = Instant::now();
    while !messages.is_closed() {
        hand_on(messages, vec![EventMessage::Current(Instant::now(), None)]).await;
        let first = match tokio::time::timeout(every, stream.next()).await {
            Ok(first) => first?,
            Err(_) if last.elapsed() >= SILENCE => return Err(Fault::Slow("an event of the stream", SILENCE)),
            Err(_) => continue,
        };
        last = Instant::now();
        let Some(first) = first else { return Ok(()) };
        let (report, ends) = position.read(&gathered(first, &mut stream).await);
        hand_on(messages, report).await;
        if ends {
            return Ok(());
        }
    }
    Ok(())
}

async fn hand_on(messages: &Sender<EventMessage>, report: Vec<EventMessage>) {
    for one in report {
        // A dropped receiver is detected before the next request.
        let _ = messages.send(one).await;
    }
}

async fn gathered(first: Vec<u8>, stream: &mut Lines) -> Vec<Vec<u8>> {
    let mut lines = vec![first];
    let until = tokio::time::Instant::now() + GATHER;
    while lines.len() < AT_ONCE {
        match tokio::time::timeout_at(until, stream.next()).await {
            Ok(Ok(Some(line))) => lines.push(line),
            // The failure occurs again at the next line.
            Ok(Ok(None) | Err(_)) | Err(_) => break,
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: u64) -> NumberedEvent {
        let event = dto::EventRecord { message: id.to_string(), ..dto::EventRecord::default() };
        NumberedEvent { id, event }
    }

    fn page(instance: &str, lowest: u64, highest: u64, events: std::ops::Range<u64>) -> Events {
        Events { instance_uuid: instance.to_owned(), lowest, highest, events: events.map(event).collect() }
    }

    fn short(messages: &[EventMessage]) -> Vec<String> {
        let short = |one: &EventMessage| match one {
            EventMessage::Events(first, records) => {
                for (id, record) in (*first..).zip(records) {
                    assert_eq!(record.message, id.to_string(), "the id is that of the record");
                }
                format!("{first}-{}", first + records.len() as u64 - 1)
            }
            EventMessage::Gap(from, to) => format!("lost {from}-{to}"),
            EventMessage::Restarted => "restarted".to_owned(),
            EventMessage::Current(..) => "current".to_owned(),
        };
        messages.iter().map(short).collect()
    }

    fn lines(text: &str) -> Vec<Vec<u8>> {
        text.lines().map(|line| line.as_bytes().to_vec()).collect()
    }

    #[test]
    fn pages_are_read_to_the_end_and_no_further() {
        let mut at = Position::default();
        assert_eq!(at.ask(), (u64::MAX, 1));
        assert_eq!(at.take(page("a", 5, 7, 0..0)), (vec![], true));
        assert_eq!(at.ask(), (5, BATCH));
        let (messages, more) = at.take(page("a", 5, 9, 5..8));
        assert_eq!((short(&messages), more), (vec!["5-7".to_owned()], true));
        let (messages, more) = at.take(page("a", 5, 9, 8..10));
        assert_eq!((short(&messages), more), (vec!["8-9".to_owned()], false));
        assert_eq!(at.take(page("a", 5, 9, 0..0)), (vec![], false));
        let mut empty = Position::default();
        empty.take(page("a", 0, 0, 0..0));
        assert_eq!(empty.take(page("a", 0, 0, 0..0)), (vec![], false), "an empty log is asked once");
        let mut late = Position::default();
        late.take(page("a", 1000, 149_999, 0..0));
        assert_eq!(late.ask().0, 130_000, "only the last of a long past");
    }

    #[test]
    fn losses_are_reported_and_another_run_starts_over() {
        let mut at = Position::default();
        at.take(page("a", 0, 3, 0..0));
        at.take(page("a", 0, 3, 0..4));
        let (messages, more) = at.take(page("a", 10, 12, 10..13));
        assert_eq!((short(&messages), more), (vec!["lost 4-9".to_owned(), "10-12".to_owned()], false));
        let (messages, more) = at.take(page("b", 0, 1, 0..0));
        assert_eq!((short(&messages), more), (vec!["restarted".to_owned()], true));
        assert_eq!(short(&at.take(page("b", 0, 1, 0..2)).0), ["0-1"]);
    }

    #[test]
    fn a_stream_continues_where_the_pages_ended() {
        let mut at = Position::default();
        at.take(page("a", 0, 1, 0..0));
        at.take(page("a", 0, 1, 0..2));
        let text = r#"{"instanceUUID":"a","lowest":0,"highest":1}
{"id":1,"type":2,"objectID":"seen","message":"1"}
{"id":2,"type":4,"objectID":"root","eventChangeDetail":900,"message":"2"}
no json
{"heartbeat":1790000000000000000}
{"id":3,"message":"3"}
{"gap":{"from":4,"to":6}}
{"id":7,"message":"7"}
{"id":9,"message":"9"}
{"end":"the scheduler has stopped"}
{"id":10,"message":"10"}"#;
        let (messages, ends) = at.read(&lines(text));
        assert_eq!(
            (short(&messages), ends),
            (["2-3", "lost 4-6", "7-7", "lost 8-8", "9-9"].map(str::to_owned).into(), true)
        );
        let EventMessage::Events(_, records) = &messages[0] else { panic!() };
        assert_eq!(records[0].event_change_detail, 900);
        let (messages, ends) = at.read(&lines(r#"{"instanceUUID":"b","lowest":0,"highest":1}"#));
        assert_eq!((short(&messages), ends, at.ask().0), (vec!["restarted".to_owned()], true, 0));
    }
}
