//! Which product and which release answers.

use std::time::Duration;

use super::Worker;
use crate::api::client::{Client, ClientResponse, Fault, Release, Remote, encode_once, release};
use crate::api::dto;
use crate::source::remote::follow::{self, Feed, Reader};
use crate::source::remote::plan::Query;
use crate::view::NoticeWeight;

/// Finds out who answers (`rest.md` section 8); `None` while there is no partition to see it by.
pub(crate) async fn identify(client: &Client) -> Result<ClientResponse<Option<Remote>>, Fault> {
    match client.json::<release::Server>("kornsole/v1/server").await {
        Ok(got) if got.value.product == "kornsole" => {
            return Ok(ClientResponse {
                value: Some(Remote::Kornsole(got.value)),
                rtt: got.rtt,
                took: got.took,
                date: got.date,
            });
        }
        // Nobody is there, or nobody answers in time: that is not to be asked twice.
        Err(fault @ (Fault::Unreachable(_) | Fault::Slow(..) | Fault::Cut(_) | Fault::Elsewhere(..))) => {
            return Err(fault);
        }
        // Whatever else: an Apache YuniKorn has no such thing, and what stands before it may say so in its own way.
        Ok(_) | Err(_) => {}
    }
    let partitions = client.get("ws/v1/partitions").await?;
    let first: dto::List<dto::Partition> = serde_json::from_slice(&partitions.value)
        .map_err(|error| Fault::Unreadable("/ws/v1/partitions".to_owned(), error.to_string()))?;
    let queues = match first.0.first() {
        Some(partition) => {
            let path = format!("ws/v1/partition/{}/queues", encode_once(&partition.name));
            Some(client.get(&path).await?.value)
        }
        None => None,
    };
    let mut found = release::detect(&partitions.value, queues.as_deref())?;
    if found == Some(Release::V1_8) && is_gone(client.get("ws/v1/scheduler/node-utilization").await)? {
        found = Some(Release::V1_9);
    }
    Ok(partitions.with(found.map(Remote::YuniKorn)))
}

/// Whether an answer says that there is no such endpoint. Who cannot be reached says nothing; whatever else is an answer.
fn is_gone<T>(answer: Result<T, Fault>) -> Result<bool, Fault> {
    match answer {
        Err(Fault::NoEndpoint(_)) => Ok(true),
        Err(fault @ (Fault::Unreachable(_) | Fault::Slow(..) | Fault::Cut(_))) => Err(fault),
        Ok(_) | Err(_) => Ok(false),
    }
}

impl Worker {
    /// Reports who answers, when that is another than before.
    pub(super) fn report_identity(&mut self, before: Option<&Remote>, remote: &Remote) {
        let title = match before {
            None => format!("connected: {remote}"),
            Some(before) if before.to_string() == remote.to_string() => return,
            Some(before) => format!("{remote} answers now, where {before} did"),
        };
        let hints = self.hints_at_token && remote.kornsole().is_some();
        let hint = if hints { "Read only: no token. --token-file or KORNSOLE_TOKEN names one." } else { "" };
        self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Info, title, hint.to_owned());
    }

    /// Follows the events of who answers.
    pub(super) fn follow(&mut self, remote: &Remote) {
        if let Some(before) = self.follower.take() {
            before.abort();
        }
        if self.shared.clock.is_stepped() {
            let feed = Feed::of(remote, self.has_token);
            self.reader.get_or_insert_with(|| Reader::new(feed));
            self.plan.add(Query::Events, self.now());
            return;
        }
        let (messages, events) = follow::channel();
        let feed = Feed::of(remote, self.has_token);
        let every = self.every.max(Duration::from_millis(50));
        self.follower = Some(tokio::spawn(follow::run(self.client.clone(), every, feed, self.seed, messages)));
        self.events = Some(events);
    }
}
