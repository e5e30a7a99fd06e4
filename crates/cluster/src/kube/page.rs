//! Reads lists page by page, with bounded memory.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use kube::client::Body;
use serde::Deserialize;
use tokio::time::timeout;

use super::cluster::Cluster;
use super::{Asked, KubeFault};
use crate::Answer;

/// Objects per page. An API server reads each page from its store: half the size takes 1.5 times as long for 50,000
/// pods.
const PAGE: usize = 1000;
const LONGEST_PAGE: usize = 256 << 20;
const REFUSAL: usize = 64 << 10;

/// Timeouts and pauses.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Doubles after each failure.
    pub first: Duration,
    /// Maximum pause after a failure.
    pub longest: Duration,
    /// After a rejection, which only a user can fix.
    pub refused: Duration,
    /// Timeout until an answer starts or continues.
    pub answer: Duration,
    /// Silence before the API server is probed.
    pub quiet: Duration,
    /// Duration of one watch.
    pub watch: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            first: seconds(1),
            longest: seconds(30),
            refused: seconds(60),
            answer: seconds(30),
            quiet: seconds(3),
            watch: seconds(240),
        }
    }
}

pub(super) struct Stop {
    pub fault: KubeFault,
    pub after: Option<Duration>,
}

impl From<KubeFault> for Stop {
    fn from(fault: KubeFault) -> Self {
        Self { fault, after: None }
    }
}

#[derive(Deserialize)]
pub(super) struct PageHead {
    #[serde(default)]
    pub metadata: PageMeta,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PageMeta {
    pub resource_version: String,
    #[serde(rename = "continue")]
    pub rest: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Status {
    pub code: u16,
    pub message: String,
}

#[derive(Clone)]
pub(super) struct Request {
    pub cluster: Arc<Cluster>,
    pub pace: Pace,
    pub path: String,
    pub asked: Asked,
}

impl Request {
    /// Reads the first page, or the one after `behind`.
    pub fn page(self, behind: String) -> Answer<'static, Result<Bytes, Stop>> {
        Box::pin(async move {
            let token: String = form_urlencoded::byte_serialize(behind.as_bytes()).collect();
            let token = if token.is_empty() { token } else { format!("&continue={token}") };
            let body = self.get(&format!("limit={PAGE}{token}")).await?;
            let whole = timeout(self.pace.answer, Limited::new(body, LONGEST_PAGE).collect()).await;
            let whole = whole.map_err(|_| silent())?.map_err(|error| broken(&error.to_string()))?;
            Ok(whole.to_bytes())
        })
    }

    /// Returns the body of a successful answer.
    pub fn get<'a>(&'a self, query: &'a str) -> Answer<'a, Result<Body, Stop>> {
        Box::pin(async move {
            let client = self.cluster.client().await?;
            let request = http::Request::get(format!("{}?{query}", self.path)).body(Body::empty());
            let request = request.map_err(|error| KubeFault::new(error.to_string()))?;
            let who = self.cluster.user();
            let sent = timeout(self.pace.answer, client.send(request)).await.map_err(|_| silent())?;
            let response = sent.map_err(|error| KubeFault::of(error, &self.asked, who.as_deref()))?;
            if response.status().is_success() {
                return Ok(response.into_body());
            }
            let status = response.status().as_u16();
            let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
            let body = timeout(self.pace.answer, Limited::new(response.into_body(), REFUSAL).collect()).await;
            let body = body.ok().and_then(Result::ok).map(|body| body.to_bytes()).unwrap_or_default();
            let reported: Status = serde_json::from_slice(&body).unwrap_or_default();
            let fault = KubeFault::answered(status, &reported.message, &self.asked, who.as_deref());
            Err(Stop { fault, after: seconds.map(Duration::from_secs) })
        })
    }
}

pub(super) fn silent() -> KubeFault {
    KubeFault::new("the API server does not answer")
}

pub(super) fn broken(technical: &str) -> KubeFault {
    KubeFault { technical: technical.to_owned(), ..KubeFault::new("the response of the API server ended too early") }
}

/// The parser may quote its input, which may be a secret.
pub(super) fn unreadable(error: &serde_json::Error) -> KubeFault {
    let place = format!("line {}, column {}", error.line(), error.column());
    KubeFault::new(format!("invalid response from the API server ({place})"))
}
