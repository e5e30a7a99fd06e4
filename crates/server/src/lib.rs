//! The REST server: YuniKorn's API under `/ws/v1`, and the native API next to it.
//!
//! It has a runtime of its own: nothing here runs on the scheduler's thread, and the scheduler never waits for a client. Reads
//! answer from the published view; big ones are put together on threads of their own, a few at a time.
//!
//! Where to read: [`listen`] accepts connections and holds them to their time limits, [`yunikorn`] answers the YuniKorn API,
//! `guard` is what all requests pass. The native API is nested in [`routes`].
//!
//! Invariants:
//! - every phase of a request has a time limit, and everything that a client can make grow has an upper bound;
//! - a panic in a handler is one answer with status 500 and a line in the log;
//! - nothing but an order (the native API) changes the scheduler.

pub mod auth;
mod budget;
mod escape;
mod guard;
mod listen;
pub mod native;
mod options;
mod private_file;
mod reply;
mod tls;
mod work_budget;
mod yunikorn;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use axum::routing::get;
use thiserror::Error;
use tokio::sync::{Semaphore, watch};

use crate::auth::Tokens;
use budget::Budget;
use engine::Host;
use native::{NativeApi, NativeOptions};
pub use options::{Access, Leader, Limits, Options, TlsFiles, WhatIfLimits};
pub use tls::Tls;
use wire::convert::{Context, Wall};
use yunikorn::Streams;

/// How long a server that stops waits for answers that are under way.
const FINISH: Duration = Duration::from_secs(3);

/// Why a server does not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// The address and port that were requested.
        address: SocketAddr,
        /// What the system says, as `Address already in use`.
        cause: std::io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error("{0}")]
    Tls(String),
    /// The file of tokens cannot be used.
    #[error("{0}")]
    Tokens(String),
    /// The operating system gives no thread.
    #[error("cannot start the threads of the server: {0}")]
    Threads(std::io::Error),
}

/// What all handlers see.
pub struct Shared {
    /// The scheduler whose views are shown and that takes the orders.
    pub engine: Arc<dyn Host>,
    /// What answers say next to what the view knows.
    pub context: Context,
    /// How it was set up.
    pub options: Options,
    /// How many big answers are put together at the same time.
    heavy: Semaphore,
    /// One state dump at a time.
    dump: Semaphore,
    /// Bodies that are being read.
    bodies: Arc<Budget>,
    /// Answers that are not taken yet.
    answers: Arc<Budget>,
    /// Who listens to events.
    streams: Streams,
    /// Whether the server stops.
    stopping: watch::Receiver<bool>,
    /// The native API, which knows who asks.
    native: Arc<NativeApi>,
}

/// A running server. Dropping it stops it: answers that are under way are finished, for a few seconds.
pub struct Server {
    address: SocketAddr,
    tls: Option<Arc<Tls>>,
    native: Arc<NativeApi>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts to serve a scheduler.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn start(options: Options, engine: Arc<impl Host + 'static>) -> Result<Self, StartError> {
        let failed = |cause| StartError::Listen { address: options.listen, cause };
        let tls =
            options.tls.as_ref().map(|files| Tls::read(files).map_err(StartError::Tls)).transpose()?.map(Arc::new);
        let listener = TcpListener::bind(options.listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(options.limits.workers)
            .max_blocking_threads(options.limits.heavy + 2)
            .thread_name("rest")
            // A queue tree may be deep, and is written by recursion.
            .thread_stack_size(options.limits.stack)
            .enable_all()
            .build()
            .map_err(StartError::Threads)?;
        let (stop, stopping) = watch::channel(false);
        let wall = Wall::new(engine.began(), engine.speed());
        let (bodies, answers) = (Budget::of(options.limits.bodies), Budget::of(options.limits.answers));
        let own = native_options(&options).map_err(StartError::Tokens)?;
        let native = NativeApi::new(Arc::clone(&engine), wall, own);
        let shared = Arc::new(Shared {
            engine,
            context: Context { cluster_id: options.cluster_id.clone(), wall },
            heavy: Semaphore::new(options.limits.heavy),
            dump: Semaphore::new(1),
            bodies,
            answers,
            streams: Streams::new(&options.events),
            options,
            stopping: stopping.clone(),
            native: Arc::clone(&native),
        });
        let certificates = tls.clone();
        let serve = move || {
            runtime.block_on(listen::serve(listener, shared, certificates, stopping));
            runtime.shutdown_timeout(FINISH);
        };
        let thread = std::thread::Builder::new().name("rest-main".to_owned()).spawn(serve);
        Ok(Self { address, tls, native, stop, thread: Some(thread.map_err(StartError::Threads)?) })
    }

    /// Where it listens; the port is the real one where any free one was requested.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether connections are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Reads certificate and key again. Connections that stand keep theirs.
    ///
    /// # Errors
    /// Why they cannot be used; the ones before stay.
    pub fn reload_certificates(&self) -> Result<(), String> {
        self.tls.as_ref().map_or(Ok(()), |tls| tls.reload())
    }

    /// Reads the tokens again.
    ///
    /// # Errors
    /// What is wrong with their file; the ones before stay.
    pub fn reload_tokens(&self) -> Result<(), String> {
        self.native.reload_tokens()
    }

    /// Starts to stop: no connection is accepted any more, answers that are under way are finished.
    pub fn begin_to_stop(&self) {
        // No one listens any more when it has stopped already.
        let _ = self.stop.send(true);
        self.native.end_streams();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.begin_to_stop();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported by the panic hook already.
            let _ = thread.join();
        }
    }
}

/// How the native API is set up.
///
/// # Errors
/// The tokens cannot be read, or others may read them.
fn native_options(options: &Options) -> Result<NativeOptions, String> {
    let Access { tokens, tokens_later, require_token, read_only, standby, of_jobs, scheduler_acl, owner, pages: _ } =
        options.access.clone();
    let open = if tokens_later { Tokens::awaited } else { Tokens::open };
    let tokens = tokens.as_deref().map(open).transpose()?;
    let (tls, profile, policy_group) = (options.tls.is_some(), options.profile, options.policy_group.clone());
    let (events, limits) = (options.events.clone(), options.limits.clone());
    Ok(NativeOptions {
        tokens,
        require_token,
        of_jobs,
        read_only,
        standby,
        scheduler_acl,
        owner,
        tls,
        profile,
        policy_group,
        events,
        limits,
        alerts: options.alerts.clone(),
        shadow: options.shadow.clone(),
    })
}

/// All routes. What is not matched here is the YuniKorn API, which has rules of its own for paths.
fn routes(shared: Arc<Shared>) -> Router {
    let native = native::routes(Arc::clone(&shared.native));
    Router::new()
        .route("/livez", get(live))
        .route("/readyz", get(ready))
        .fallback(part_one)
        .with_state(shared)
        .nest("/kornsole/v1", native)
        .layer(guard::compression())
}

/// The YuniKorn API is open to everyone, unless the server requests a token.
async fn part_one(State(shared): State<Arc<Shared>>, mut request: Request) -> Response {
    if request.method() == Method::PUT && request.uri().path() == native::legacy_config::PATH {
        return native::legacy_config::replace_config(State(Arc::clone(&shared.native)), request).await;
    }
    let admitted = shared.native.admit((request.headers(), request.extensions())).await;
    match admitted {
        Ok(mark) => {
            if let Some(mark) = mark {
                request.extensions_mut().insert(mark);
            }
            yunikorn::answer(State(shared), request).await
        }
        Err(refused) => *refused,
    }
}

/// Whether the scheduler runs at all.
async fn live(State(shared): State<Arc<Shared>>) -> (StatusCode, &'static str) {
    if shared.engine.published().is_alive() {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the scheduler has stopped\n")
    }
}

/// Whether requests are answered as they should be.
async fn ready(State(shared): State<Arc<Shared>>) -> (StatusCode, String) {
    let not_yet = |words: &str| (StatusCode::SERVICE_UNAVAILABLE, format!("{words}\n"));
    if *shared.stopping.borrow() {
        return not_yet("stopping");
    }
    if let Some(leader) = &shared.options.access.standby {
        return not_yet(&options::standby(leader));
    }
    if shared.engine.published().view().partitions.is_empty() {
        return not_yet("no configuration is loaded");
    }
    let (status, words) = live(State(shared)).await;
    (status, words.to_owned())
}
