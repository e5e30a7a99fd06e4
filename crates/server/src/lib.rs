//! The REST server: YuniKorn's API in `/ws/v1`, and the native API.
//!
//! It has its own runtime, and the scheduler never waits for a client. Reads use the published view; a few threads
//! create large answers.
//!
//! Where to read: `listen` enforces timeouts, `yunikorn` answers the YuniKorn API, `guard` has the common layers,
//! and `routes` includes the native API.
//!
//! Invariants:
//! - every phase of a request has a timeout, and all resources that clients can use are bounded;
//! - a panic in a handler is one answer with status 500 and a line in the log;
//! - only an operation of the native API changes the scheduler.

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

/// How long a stopping server waits for its current answers.
const FINISH: Duration = Duration::from_secs(3);

/// Why a server cannot start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The address is unavailable.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// The requested address and port.
        address: SocketAddr,
        /// The system's error, for example `Address already in use`.
        cause: std::io::Error,
    },
    /// The certificate or its key is unusable.
    #[error("{0}")]
    Tls(String),
    /// The token file is unusable.
    #[error("{0}")]
    Tokens(String),
    /// The operating system provides no thread.
    #[error("cannot start the threads of the server: {0}")]
    Threads(std::io::Error),
}

/// The state of all handlers.
pub struct Shared {
    /// The scheduler, which provides views and accepts operations.
    pub engine: Arc<dyn Host>,
    /// Data of answers that is not in the view.
    pub context: Context,
    /// The options of the server.
    pub options: Options,
    heavy: Semaphore,
    /// Limits state dumps to one at a time.
    dump: Semaphore,
    bodies: Arc<Budget>,
    answers: Arc<Budget>,
    streams: Streams,
    stopping: watch::Receiver<bool>,
    /// The native API, which authenticates callers.
    native: Arc<NativeApi>,
}

/// A running server. It stops on drop, and finishes current answers for a few seconds.
pub struct Server {
    address: SocketAddr,
    tls: Option<Arc<Tls>>,
    native: Arc<NativeApi>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server for a scheduler.
    ///
    /// # Errors
    /// Why it cannot start.
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
            // A deep queue tree is serialized recursively.
            .thread_stack_size(options.limits.stack)
            .enable_all()
            .build()
            .map_err(StartError::Threads)?;
        let (stop, stopping) = watch::channel(false);
        let wall = Wall::new(engine.started_at(), engine.speed());
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

    /// The listening address with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether connections use TLS.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Reads the certificate and key again. Open connections keep theirs.
    ///
    /// # Errors
    /// Why they are unusable; the previous ones remain.
    pub fn reload_certificates(&self) -> Result<(), String> {
        self.tls.as_ref().map_or(Ok(()), |tls| tls.reload())
    }

    /// Reads the tokens again.
    ///
    /// # Errors
    /// The previous ones remain.
    pub fn reload_tokens(&self) -> Result<(), String> {
        self.native.reload_tokens()
    }

    /// Starts to stop: rejects new connections and finishes current answers.
    pub fn start_to_stop(&self) {
        let _ = self.stop.send(true);
        self.native.end_streams();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.start_to_stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The options of the native API.
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

/// The fallback is the YuniKorn API, which has its own path rules.
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

async fn live(State(shared): State<Arc<Shared>>) -> (StatusCode, &'static str) {
    if shared.engine.published().is_alive() {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the scheduler has stopped\n")
    }
}

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
