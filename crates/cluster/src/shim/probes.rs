//! Health and readiness for the kubelet: `/livez` while the process works, `/readyz` while it decides.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use tokio::net::TcpListener;

/// How far a scheduler is. All copies are the same one.
#[derive(Clone, Debug, Default)]
pub struct Health(Arc<AtomicU8>);

const STARTING: u8 = 0;
const STANDBY: u8 = 1;
const READY: u8 = 2;
const STOPPED: u8 = 3;

impl Health {
    /// It has everything, and another one holds the lease.
    pub fn stands_by(&self) {
        self.0.store(STANDBY, Ordering::Release);
    }

    /// Everything is taken over, and it decides from now on.
    pub fn is_ready(&self) {
        self.0.store(READY, Ordering::Release);
    }

    /// It decides no more.
    pub fn has_stopped(&self) {
        self.0.store(STOPPED, Ordering::Release);
    }

    fn ready(&self) -> (StatusCode, &'static str) {
        match self.0.load(Ordering::Acquire) {
            STARTING => (StatusCode::SERVICE_UNAVAILABLE, "starting: the state of the cluster is loading\n"),
            STANDBY => (StatusCode::SERVICE_UNAVAILABLE, "standby: another instance has the lease\n"),
            READY => (StatusCode::OK, "ok\n"),
            _ => (StatusCode::SERVICE_UNAVAILABLE, "stopped\n"),
        }
    }

    fn live(&self) -> (StatusCode, &'static str) {
        match self.0.load(Ordering::Acquire) {
            STOPPED => (StatusCode::SERVICE_UNAVAILABLE, "stopped\n"),
            _ => (StatusCode::OK, "ok\n"),
        }
    }
}

/// Answers on an address until the runtime ends.
///
/// # Errors
/// The address is taken, or is none of this machine.
pub async fn serve(address: SocketAddr, health: Health) -> std::io::Result<SocketAddr> {
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
}
