//! Event streams with one line per event (`rest.md` 5.11).
//!
//! A task per stream is at most a few packets ahead. A slow client is disconnected after too many events.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame};
use tokio::sync::mpsc::{Receiver, Sender, channel, error::TrySendError};

use super::route::Verb;
use super::{RequestError, error, events};
use crate::auth::TokenMark;
use crate::listen::{Streaming, stopped};
use crate::native::{LAPSED, lapsed};
use crate::{Shared, reply};
use config::settings::EventConfig;
use engine::Numbering;
use wire::convert;
use wire::dto::{self, json, time};

const PACKET: usize = 500;
const AHEAD: usize = 2;
/// Maximum lag of a waiting client in events, before it is disconnected.
const BEHIND: u64 = 2000;

/// The event streams and their limits.
pub(crate) struct Streams {
    most: usize,
    most_per_peer: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    by_id: HashMap<u64, (IpAddr, SystemTime)>,
}

impl Streams {
    pub fn new(config: &EventConfig) -> Self {
        let bound = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let (most, most_per_peer) = (bound(config.max_streams), bound(config.max_streams_per_host));
        Self { most, most_per_peer, open: Mutex::default() }
    }

    /// The streams in the form of the state dump, oldest first.
    pub fn list(&self) -> Vec<dto::EventStream> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut streams: Vec<_> = open.by_id.iter().collect();
        streams.sort_unstable();
        let since = |at: &SystemTime| i64::try_from(at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos());
        let report = |(_, (peer, at)): (&u64, &(IpAddr, SystemTime))| dto::EventStream {
            name: peer.to_string(),
            created_at: time::rfc3339(since(at).unwrap_or(i64::MAX)),
        };
        streams.into_iter().map(report).collect()
    }

    fn enter(&self, peer: IpAddr) -> Option<u64> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let own = open.by_id.values().filter(|(other, _)| *other == peer).count();
        if open.by_id.len() >= self.most || own >= self.most_per_peer {
            return None;
        }
        open.next += 1;
        let id = open.next;
        open.by_id.insert(id, (peer, SystemTime::now()));
        Some(id)
    }
}

/// A stream's slot, released on drop.
struct Place {
    shared: Arc<Shared>,
    id: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.streams.open.lock().unwrap_or_else(PoisonError::into_inner).by_id.remove(&self.id);
    }
}

pub(super) struct Caller {
    peer: IpAddr,
    connection: Option<Arc<Streaming>>,
    mark: Option<TokenMark>,
}

impl Caller {
    pub fn of(parts: &mut Parts) -> Self {
        let (connection, mark) = (parts.extensions.remove(), parts.extensions.remove());
        Self { peer: reply::peer(&parts.extensions), connection, mark }
    }
}

/// Starts a stream with `count` past events.
pub(super) fn open(shared: &Arc<Shared>, caller: Caller, query: &[(String, String)]) -> Response {
    match open_stream(shared, caller, query) {
        Ok(body) => {
            let mut response = Response::new(body);
            response.headers_mut().insert(header::CONTENT_TYPE, reply::JSON);
            reply::allow_pages(response.headers_mut(), Verb::Get.methods());
            response
        }
        Err(refused) => error(Verb::Get, refused),
    }
}

fn open_stream(shared: &Arc<Shared>, caller: Caller, query: &[(String, String)]) -> Result<Body, RequestError> {
    let log = shared.engine.events();
    if !log.is_tracking() {
        return Err(RequestError::new(StatusCode::INTERNAL_SERVER_ERROR, "Event tracking is disabled"));
    }
    let count = events::number(query, "count")?.unwrap_or_default();
    let full = || RequestError::new(StatusCode::SERVICE_UNAVAILABLE, "Too many streaming connections");
    let id = shared.streams.enter(caller.peer).ok_or_else(full)?;
    let place = Place { shared: Arc::clone(shared), id };
    if let Some(connection) = caller.connection {
        connection.start();
    }
    let (packets, body) = channel(AHEAD);
    let page = log.page(Numbering::Upstream, u64::MAX, 0);
    let buffered = page.next - page.lowest;
    // After a loss, YuniKorn sends no past events to a client that requests more than the buffer contains.
    let past = if page.lowest > 0 && count > buffered { 0 } else { count.min(buffered) };
    let feed = Feed { place, next: page.next - past, joined: page.next, packets };
    let (shared, mark) = (Arc::clone(shared), caller.mark);
    tokio::spawn(async move { feed.run(lapsed(&shared.native, mark.as_ref())).await });
    Ok(Body::new(Packets(body)))
}

struct Feed {
    place: Place,
    next: u64,
    /// Events before this number do not count as lag.
    joined: u64,
    packets: Sender<Bytes>,
}

enum End {
    Gone,
    /// The server ends it and sends this reason.
    Notice(&'static str),
}

impl Feed {
    /// Sends events at most until `lapsed` completes.
    async fn run(mut self, lapsed: impl Future<Output = ()>) {
        let (end, over) = tokio::select! {
            end = self.feed() => (end, false),
            () = lapsed => (End::Notice(LAPSED), true),
        };
        if let End::Notice(why) = end {
            let line = json::to_bytes(&dto::ApiError {
                status_code: 200,
                message: why.to_owned(),
                description: why.to_owned(),
                ..dto::ApiError::default()
            });
            if over {
                // A client that reads nothing need not receive the reason.
                let _ = self.packets.try_send(Bytes::from(line));
                return;
            }
            // The connection's write timeout ends a client that reads nothing.
            let _ = self.packets.send(Bytes::from(line)).await;
        }
    }

    async fn feed(&mut self) -> End {
        let shared = Arc::clone(&self.place.shared);
        let log = shared.engine.events();
        let mut news = log.follow();
        let mut stopping = shared.stopping.clone();
        let start = dto::StreamStart { instance_uuid: log.instance().to_string() };
        let mut packet = json::to_bytes(&start);
        loop {
            news.mark_unchanged();
            let page = log.page(Numbering::Upstream, self.next, PACKET);
            if page.lowest > self.next {
                return End::Notice("events were overwritten before they could be sent");
            }
            for (_, record) in &page.records {
                json::append(&mut packet, &convert::event(&shared.context, record));
            }
            self.next += page.records.len() as u64;
            let more = self.next < page.next;
            if !packet.is_empty() {
                let waited = match self.packets.try_send(Bytes::from(std::mem::take(&mut packet))) {
                    Ok(()) => false,
                    Err(TrySendError::Closed(_)) => return End::Gone,
                    Err(TrySendError::Full(packet)) => {
                        if self.packets.send(packet).await.is_err() {
                            return End::Gone;
                        }
                        true
                    }
                };
                let behind = log.page(Numbering::Upstream, u64::MAX, 0).next.saturating_sub(self.next.max(self.joined));
                if waited && behind > BEHIND {
                    return End::Notice("the client does not keep up with the events");
                }
            }
            if more {
                tokio::task::yield_now().await;
                continue;
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() {
                    return End::Notice("the scheduler has stopped");
                },
                () = self.packets.closed() => return End::Gone,
                () = stopped(&mut stopping) => return End::Notice("the server is stopping"),
            }
        }
    }
}

struct Packets(Receiver<Bytes>);

impl HttpBody for Packets {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|packet| packet.map(|packet| Ok(Frame::data(packet))))
    }
}
