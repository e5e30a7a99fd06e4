//! Writes objects of any kind, for the scheduler only.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use http_body_util::{BodyExt as _, Limited};
use kube::client::Body;
use serde_json::Value;
use tokio::time::timeout;

use super::{Asked, Cluster, KubeFault};
use crate::Answer;

const ANSWER: Duration = Duration::from_secs(30);
const LONGEST: usize = 8 << 20;

/// The type of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A whole object.
    Object,
    /// A merge patch; null removes a field.
    MergePatch,
    /// A strategic merge patch, with keyed lists.
    StrategicPatch,
}

impl Content {
    const fn name(self) -> &'static str {
        match self {
            Self::Object => "application/json",
            Self::MergePatch => "application/merge-patch+json",
            Self::StrategicPatch => "application/strategic-merge-patch+json",
        }
    }
}

/// Writes objects of a cluster.
#[derive(Clone, Debug)]
pub struct Writer {
    cluster: Arc<Cluster>,
}

impl Writer {
    /// Writes with the rights of the context.
    pub fn new(cluster: Arc<Cluster>) -> Self {
        Self { cluster }
    }

    /// Sends a request once; `path` may have a query. `asked` is its name in faults.
    ///
    /// # Errors
    /// The API server rejects it, or does not answer: then it may have had an effect.
    pub fn send<'a>(
        &'a self,
        method: Method,
        path: &'a str,
        body: Option<(Content, &'a Value)>,
        asked: &'a Asked,
    ) -> Answer<'a, Result<Value, KubeFault>> {
        Box::pin(async move {
            let who = self.cluster.user();
            let client = self.cluster.client().await?;
            let mut request = http::Request::builder().method(method).uri(path);
            let bytes = match body {
                Some((content, value)) => {
                    request = request.header("content-type", content.name());
                    serde_json::to_vec(value).map_err(|error| KubeFault::new(error.to_string()))?
                }
                None => Vec::new(),
            };
            let request = request.body(Body::from(bytes)).map_err(|error| KubeFault::new(error.to_string()))?;
            let silent = |_| KubeFault::new("the API server does not answer");
            let sent = timeout(ANSWER, client.send(request)).await.map_err(silent)?;
            let response = sent.map_err(|error| KubeFault::of(error, asked, who.as_deref()))?;
            let status = response.status();
            let whole = timeout(ANSWER, Limited::new(response.into_body(), LONGEST).collect()).await.map_err(silent)?;
            let whole = whole
                .map_err(|error| KubeFault::new(format!("the response of the API server ended too early: {error}")))?;
            let value: Value = serde_json::from_slice(&whole.to_bytes()).unwrap_or_default();
            if status.is_success() {
                return Ok(value);
            }
            let reported = value["message"].as_str().unwrap_or_default();
            Err(KubeFault::answered(status.as_u16(), reported, asked, who.as_deref()))
        })
    }
}
