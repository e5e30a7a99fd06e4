//! For the kubelet: `/livez` while the process works, `/readyz` while it decides.

use crate::Answer;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use tokio::net::TcpListener;

/// The progress of a scheduler; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Health(Arc<Progress>);

#[derive(Debug, Default)]
struct Progress {
    step: AtomicU8,
    leader: Arc<Mutex<String>>,
}

const STARTING: u8 = 0;
const STANDBY: u8 = 1;
const READY: u8 = 2;
const STOPPED: u8 = 3;

impl Health {
    /// Records that it is loaded, but another instance has the lease.
    pub fn enter_standby(&self) {
        self.0.step.store(STANDBY, Ordering::Release);
    }

    /// Records the leader.
    pub fn follows(&self, leader: &str) {
        leader.clone_into(&mut self.0.leader.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the current leader.
    pub fn leader(&self) -> Arc<Mutex<String>> {
        Arc::clone(&self.0.leader)
    }

    /// Records that it decides from now on.
    pub fn is_ready(&self) {
        self.0.step.store(READY, Ordering::Release);
    }

    /// Records that it no longer decides.
    pub fn has_stopped(&self) {
        self.0.step.store(STOPPED, Ordering::Release);
    }

    pub(super) fn ready(&self) -> (StatusCode, String) {
        let not_yet = |words: &str| (StatusCode::SERVICE_UNAVAILABLE, words.to_owned());
        match self.0.step.load(Ordering::Acquire) {
            STARTING => not_yet("starting: the state of the cluster is loading\n"),
            STANDBY => {
                let leader = self.0.leader.lock().unwrap_or_else(PoisonError::into_inner);
                let leader = if leader.is_empty() { "unknown" } else { &leader };
                (StatusCode::SERVICE_UNAVAILABLE, format!("standby, leader is {leader}\n"))
            }
            READY => (StatusCode::OK, "ok\n".to_owned()),
            _ => not_yet("stopped\n"),
        }
    }

    fn live(&self) -> (StatusCode, &'static str) {
        match self.0.step.load(Ordering::Acquire) {
            STOPPED => (StatusCode::SERVICE_UNAVAILABLE, "stopped\n"),
            _ => (StatusCode::OK, "ok\n"),
        }
    }
}

/// Serves until the runtime ends; fails for an unavailable address.
pub fn serve(address: SocketAddr, health: Health) -> Answer<'static, std::io::Result<SocketAddr>> {
    Box::pin(async move {
        let listener = TcpListener::bind(address).await?;
        let bound = listener.local_addr()?;
        let live = health.clone();
        let router = Router::new()
            .route("/livez", get(move || async move { live.live() }))
            .route("/readyz", get(move || async move { health.ready() }));
        tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!("cannot answer probes: {error}");
            }
        });
        Ok(bound)
    })
}
