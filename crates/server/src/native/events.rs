//! Events with IDs: pages and streams (E10).

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde_json::json;
use tokio::sync::{mpsc, watch};

use super::caller::{LAPSED, lapsed};
use super::{NativeApi, NativeRequest, Reply, body};
use crate::auth::TokenMark;
use crate::listen::stopped;
use ::wire::convert::{Wall, native as convert};
use ::wire::dto::json as wire;
use ::wire::dto::native as dto;
use config::settings::EventConfig;
use engine::{EventLog, Numbering};
use view::act::{Code, Refusal};
use view::record::Record;

const USUAL: usize = 1000;
const MOST: usize = 10_000;
const PART: usize = 256;
/// Parts that a client may lag before the stream waits; missed events are a gap.
const WAITING: usize = 4;

pub(super) struct Listeners {
    most: usize,
    most_of_one: usize,
    open: Mutex<BTreeMap<String, usize>>,
}

impl Listeners {
    /// The limits of the YuniKorn API, applied by user.
    pub fn new(config: &EventConfig) -> Self {
        let bound = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let (most, most_of_one) = (bound(config.max_streams), bound(config.max_streams_per_host));
        Self { most, most_of_one, open: Mutex::default() }
    }

    /// # Errors
    /// Too many open streams.
    fn enter(native: &Arc<NativeApi>, user: &str) -> Result<Place, Refusal> {
        let Self { most, most_of_one, open } = &native.listeners;
        let full = |count: usize, owner: &str| {
            Err(Refusal::new(Code::Unavailable, "not now", format!("{count} streams of events are open{owner}")))
        };
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.values().sum::<usize>() >= *most {
            return full(*most, "");
        }
        let own = open.get(user).copied().unwrap_or_default();
        if own >= *most_of_one {
            return full(own, " for this user");
        }
        open.insert(user.to_owned(), own + 1);
        Ok(Place { native: Arc::clone(native), user: user.to_owned() })
    }
}

/// A stream's slot, released on drop.
struct Place {
    native: Arc<NativeApi>,
    user: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.native.listeners.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = open.get_mut(&self.user) {
            *own -= 1;
            if *own == 0 {
                open.remove(&self.user);
            }
        }
    }
}

#[derive(Clone, Default)]
struct Filter {
    kind: Option<u32>,
    object: Option<String>,
    detail: Option<u32>,
}

impl Filter {
    fn of(request: &NativeRequest) -> Result<Self, Refusal> {
        Ok(Self {
            kind: number(request, "type")?,
            object: request.query("object").map(str::to_owned),
            detail: number(request, "detail")?,
        })
    }

    fn accepts_all(&self) -> bool {
        self.kind.is_none() && self.detail.is_none() && self.object.is_none()
    }

    fn accepts(&self, record: &Record) -> bool {
        self.kind.is_none_or(|kind| kind == record.kind.0)
            && self.detail.is_none_or(|detail| detail == record.detail.0)
            && self.object.as_deref().is_none_or(|object| *record.object == *object)
    }
}

fn number<T: std::str::FromStr>(request: &NativeRequest, name: &str) -> Result<Option<T>, Refusal> {
    let message = |text: &str| body::wrong("query", format!("{name}: {text:?} is not a number"));
    request.query(name).map(|text| text.parse().map_err(|_| message(text))).transpose()
}

pub(super) fn list(request: &NativeRequest) -> Result<Reply, Refusal> {
    let since = number(request, "since")?.unwrap_or(0);
    let limit = number(request, "limit")?.unwrap_or(USUAL).min(MOST);
    let filter = Filter::of(request)?;
    // Some examined events may not match the filter.
    let examined = if filter.accepts_all() { limit } else { MOST };
    let page = request.native.engine.events().page(Numbering::All, since, examined);
    let passed = page.records.iter().filter(|(_, record)| filter.accepts(record)).take(limit);
    let numbered = |(id, record): &(u64, Arc<Record>)| dto::NumberedEvent {
        id: *id,
        event: convert::event(record, &request.native.wall),
    };
    Ok(Reply::ok(&dto::Events {
        instance_uuid: page.instance.to_string(),
        lowest: page.lowest,
        highest: page.next.saturating_sub(1),
        events: passed.map(numbered).collect(),
    }))
}

/// Events from a number on, until the client disconnects, the token becomes invalid, or the server stops.
///
/// # Errors
/// An invalid parameter, or too many open streams.
pub(super) fn stream(request: &NativeRequest) -> Result<Response, Refusal> {
    let (lines, body) = mpsc::channel(WAITING);
    let log = Arc::clone(request.native.engine.events());
    let since = number(request, "since")?;
    let filter = Filter::of(request)?;
    let place = Listeners::enter(&request.native, request.who.actor.user())?;
    if let Some(connection) = &request.connection {
        connection.start();
    }
    let ending = request.native.ending.subscribe();
    let (wall, heartbeat) = (request.native.wall, request.native.options.limits.heartbeat);
    let mark = request.who.mark.clone();
    let writer = EventWriter { log, wall, filter, heartbeat, lines, ending, mark, place };
    tokio::spawn(writer.run(since));
    let mut response = Response::new(Body::new(Lines(body)));
    let kind = HeaderValue::from_static("application/x-ndjson; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

struct EventWriter {
    log: Arc<EventLog>,
    wall: Wall,
    filter: Filter,
    heartbeat: Duration,
    lines: mpsc::Sender<Bytes>,
    ending: watch::Receiver<bool>,
    mark: Option<TokenMark>,
    place: Place,
}

impl EventWriter {
    /// Writes until the client disconnects, the server stops, or the token becomes invalid, even while the client reads
    /// nothing.
    async fn run(self, since: Option<u64>) {
        tokio::select! {
            () = self.feed(since) => {}
            () = lapsed(&self.place.native, self.mark.as_ref()) => {
                // A client that reads nothing need not receive the reason.
                let _ = self.lines.try_send(wire::to_bytes(&json!({ "end": LAPSED })).into());
            }
        }
    }

    async fn feed(&self, since: Option<u64>) {
        let (mut news, mut ending) = (self.log.follow(), self.ending.clone());
        let start = self.log.page(Numbering::All, u64::MAX, 0);
        let mut next = since.unwrap_or(start.next);
        let head = json!({
            "instanceUUID": &*start.instance, "lowest": start.lowest, "highest": start.next.saturating_sub(1),
        });
        if !self.line(&head).await {
            return;
        }
        loop {
            let page = self.log.page(Numbering::All, next, PART);
            if next < page.lowest {
                let gap = json!({ "gap": { "from": next, "to": page.lowest - 1 } });
                if !self.line(&gap).await {
                    return;
                }
                next = page.lowest;
            }
            let mut part = Vec::new();
            for (id, record) in &page.records {
                next = id + 1;
                if self.filter.accepts(record) {
                    let event = convert::event(record, &self.wall);
                    wire::append(&mut part, &dto::NumberedEvent { id: *id, event });
                }
            }
            if !part.is_empty() && !self.send(part).await {
                return;
            }
            if next < page.next {
                continue;
            }
            tokio::select! {
                () = self.lines.closed() => return,
                () = stopped(&mut ending) => {
                    self.line(&json!({ "end": "the server is stopping" })).await;
                    return;
                }
                changed = news.changed() => if changed.is_err() {
                    self.line(&json!({ "end": "the scheduler has stopped" })).await;
                    return;
                },
                () = tokio::time::sleep(self.heartbeat) => {
                    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
                    if !self.line(&json!({ "heartbeat": u64::try_from(now).unwrap_or(u64::MAX) })).await {
                        return;
                    }
                }
            }
        }
    }

    async fn line<T: serde::Serialize>(&self, value: &T) -> bool {
        self.send(wire::to_bytes(value)).await
    }

    async fn send(&self, lines: Vec<u8>) -> bool {
        self.lines.send(lines.into()).await.is_ok()
    }
}

struct Lines(mpsc::Receiver<Bytes>);

impl HttpBody for Lines {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(cx).map(|line| line.map(|line| Ok(hyper::body::Frame::data(line))))
    }
}
