//! Metrics of a shadow for Prometheus: `/metrics`.

use std::net::SocketAddr;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use tokio::net::TcpListener;

use super::Shown;
use super::report;
use crate::Answer;

const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves until the runtime ends; fails for an unavailable address.
pub fn serve(address: SocketAddr, shown: Shown) -> Answer<'static, std::io::Result<SocketAddr>> {
    Box::pin(async move {
        let listener = TcpListener::bind(address).await?;
        let bound = listener.local_addr()?;
        let answer = move || async move { ([(CONTENT_TYPE, FORMAT)], report::metrics(&shown.tally())) };
        let router = Router::new().route("/metrics", get(answer));
        tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!("cannot serve the metrics of the shadow: {error}");
            }
        });
        Ok(bound)
    })
}
