//! Probes the API server: a watch without changes looks like a hanging server.

use std::time::Duration;

use kube::client::Body;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::cluster::Cluster;
use super::page::silent;
use super::{Asked, KubeFault};
use crate::Answer;

const ANSWER: Duration = Duration::from_secs(4);
/// All authenticated users may read it.
const PATH: &str = "/version";

#[derive(Default)]
pub(super) struct Pulse(Mutex<Option<(Instant, Result<(), KubeFault>)>>);

impl Cluster {
    pub(super) fn answers(&self, recently: Duration) -> Answer<'_, Result<(), KubeFault>> {
        Box::pin(async move {
            let mut last = self.pulse.0.lock().await;
            if let Some((_, known)) = last.as_ref().filter(|(at, _)| at.elapsed() < recently) {
                return known.clone();
            }
            let answer = self.ask().await;
            *last = Some((Instant::now(), answer.clone()));
            answer
        })
    }

    async fn ask(&self) -> Result<(), KubeFault> {
        let client = self.client().await?;
        let request = http::Request::get(PATH).body(Body::empty());
        let request = request.map_err(|error| KubeFault::new(error.to_string()))?;
        let sent = timeout(ANSWER, client.send(request)).await.map_err(|_| silent())?;
        // A rejection is also an answer.
        sent.map(drop).map_err(|error| KubeFault::of(error, &Asked::core("get", PATH, None), None))
    }
}
