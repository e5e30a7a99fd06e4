//! Connections: limited in number, each with timeouts.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use super::{FINISH, Limits, Shared, Tls, guard, reply, routes};

const HEADERS: usize = 64;
/// Without file descriptors, accepting pauses.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections until the server stops, then waits for current answers.
pub(super) async fn serve(
    listener: std::net::TcpListener,
    shared: Arc<Shared>,
    tls: Option<Arc<Tls>>,
    mut stopping: watch::Receiver<bool>,
) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "the server cannot accept connections"),
    };
    let peers = Arc::new(Peers::new(shared.options.limits.clone()));
    let router = routes(Arc::clone(&shared));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => match Peers::enter(&peers, peer.ip()) {
                    Some(seat) => {
                        let connection = Connection {
                            router: router.clone(),
                            shared: Arc::clone(&shared),
                            peer,
                            stopping: stopping.clone(),
                        };
                        let tls = tls.as_ref().map(|tls| TlsAcceptor::from(tls.config()));
                        connections.spawn(async move {
                            connection.run(stream, tls).await;
                            drop(seat);
                        });
                    }
                    None => tracing::debug!(%peer, "rejected: too many connections"),
                },
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
    drop(listener);
    let finish = async { while connections.join_next().await.is_some() {} };
    if timeout(FINISH, finish).await.is_err() {
        tracing::warn!("connections that did not end were closed");
    }
}

pub(super) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A dropped sender means stopped, too.
    let _ = stopping.wait_for(|stop| *stop).await;
}

struct Peers {
    limits: Limits,
    seats: Mutex<(usize, HashMap<IpAddr, usize>)>,
}

/// The slot of a connection, released on drop.
struct Seat {
    peers: Arc<Peers>,
    peer: IpAddr,
}

impl Peers {
    fn new(limits: Limits) -> Self {
        Self { limits, seats: Mutex::default() }
    }

    fn enter(peers: &Arc<Self>, peer: IpAddr) -> Option<Seat> {
        let mut seats = peers.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, by_peer) = &mut *seats;
        let own = by_peer.get(&peer).copied().unwrap_or_default();
        if *all >= peers.limits.connections || own >= peers.limits.connections_per_peer {
            return None;
        }
        *all += 1;
        by_peer.insert(peer, own + 1);
        Some(Seat { peers: Arc::clone(peers), peer })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut seats = self.peers.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, by_peer) = &mut *seats;
        *all -= 1;
        if let Some(own) = by_peer.get_mut(&self.peer) {
            *own -= 1;
            if *own == 0 {
                by_peer.remove(&self.peer);
            }
        }
    }
}

struct Connection {
    router: Router,
    shared: Arc<Shared>,
    peer: SocketAddr,
    stopping: watch::Receiver<bool>,
}

impl Connection {
    async fn run(self, stream: TcpStream, tls: Option<TlsAcceptor>) {
        // Answers are written whole, so buffering has no benefit.
        let _ = stream.set_nodelay(true);
        let Some(tls) = tls else { return self.serve_stream(stream).await };
        let peer = self.peer;
        match timeout(self.shared.options.limits.header, tls.accept(stream)).await {
            Ok(Ok(stream)) => self.serve_stream(stream).await,
            Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS"),
            Err(_) => tracing::debug!(%peer, "the TLS handshake timed out"),
        }
    }

    async fn serve_stream<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(self, stream: S) {
        let Self { router, shared, peer, mut stopping } = self;
        let limits = shared.options.limits.clone();
        let streams = Arc::new(Streaming::default());
        let io = TokioIo::new(Timed::new(stream, &limits, Arc::clone(&streams)));
        let answer_within = limits.answer;
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(Arc::clone(&streams));
            let wrong = reply::wrong_host(request.version(), request.headers());
            let router = router.clone();
            guard::guarded(answer_within, async move {
                match wrong {
                    Some(answer) => Ok(answer),
                    None => router.oneshot(request).await,
                }
            })
        });
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(limits.header);
        builder.max_buf_size(limits.header_bytes).max_headers(HEADERS);
        let connection = builder.serve_connection(io, service);
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = stopped(&mut stopping) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%peer, %error, "a connection ended");
        }
    }
}

/// An event stream has a shorter write timeout.
#[derive(Debug, Default)]
pub(super) struct Streaming(AtomicBool);

impl Streaming {
    pub fn start(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A connection with a timeout for writes without progress.
struct Timed<S> {
    stream: S,
    limit: Duration,
    stream_limit: Duration,
    streaming: Arc<Streaming>,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Timed<S> {
    fn new(stream: S, limits: &Limits, streaming: Arc<Streaming>) -> Self {
        Self { stream, limit: limits.write, stream_limit: limits.stream_write, streaming, waiting: None }
    }

    fn timed<T>(&mut self, cx: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.waiting = None;
            return poll;
        }
        let limit = if self.streaming.0.load(Ordering::Acquire) { self.stream_limit } else { self.limit };
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        ready!(waiting.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client has stopped reading")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.timed(cx, poll)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_flush(cx);
        self.timed(cx, poll)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.timed(cx, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.timed(cx, poll)
    }
}
