//! Identifies the product and release.

use std::sync::Arc;
use std::time::Duration;

use super::{Message, Worker};
use crate::remote::plan::Query;
use client::{Client, ClientResponse, Fault, Release, Remote, encode_once, release};
use serde::Deserialize;
use view::NoticeWeight;
use wire::convert::read::RemoteState;
use wire::dto;

const DEFAULT: &str = "default";
pub(super) const IDENTIFY_AGAIN: Duration = Duration::from_secs(5);
/// How long a screen waits for the product before it shows other answers.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

pub(crate) struct Identified {
    pub remote: Remote,
    /// Why it may be a kornsole server: its answer to this question was lost. The server must be identified again.
    pub doubt: Option<Fault>,
    /// The partitions of a server whose list of partitions has no answer, and why.
    pub without_list: Option<(Vec<dto::Partition>, Fault)>,
}

/// `None` while it has no partition.
pub(crate) type Identity = Result<ClientResponse<Option<Identified>>, Fault>;

impl Identified {
    pub fn of(remote: Remote) -> Self {
        Self { remote, doubt: None, without_list: None }
    }
}

/// The unknown capacity of each partition of a state without a list of partitions.
pub(crate) fn no_capacity(state: &RemoteState, why: &str) -> Vec<dto::Unknown> {
    let unknown = |name: Arc<str>| dto::Unknown {
        kind: "partition",
        name: name.to_string(),
        path: "capacity".to_owned(),
        reason: why.to_owned(),
    };
    state.partition_names().into_iter().map(unknown).collect()
}

/// Identifies the server (`rest.md` section 8). If it does not say within `patience` whether it is kornsole, its other
/// answers are read.
pub(crate) async fn identify(client: &Client, patience: Duration) -> Identity {
    let request = client.json::<release::Server>("kornsole/v1/server");
    let late = |_| Err(Fault::Slow("answer", patience));
    match tokio::time::timeout(patience, request).await.unwrap_or_else(late) {
        Ok(got) if got.value.product == "kornsole" => Ok(ClientResponse {
            value: Some(Identified::of(Remote::Kornsole(got.value))),
            rtt: got.rtt,
            took: got.took,
            date: got.date,
        }),
        // Unreachable: do not ask twice.
        Err(fault @ (Fault::Unreachable(_) | Fault::Elsewhere(..) | Fault::Cluster(_))) => Err(fault),
        // A server that does not answer now may be kornsole. Its other answers do not tell.
        Err(fault) if is_passing(&fault) => match by_partitions(client).await {
            Ok(ClientResponse { value, rtt, took, date }) => {
                let value = value.map(|found| Identified { doubt: Some(fault), ..found });
                Ok(ClientResponse { value, rtt, took, date })
            }
            Err(_) => Err(fault),
        },
        // Apache YuniKorn has no such endpoint, and a proxy may answer in its own way.
        Ok(_) | Err(_) => match by_partitions(client).await {
            Err(fault) if fault.is_about_this() => by_queues(client, fault).await,
            found => found,
        },
    }
}

fn is_passing(fault: &Fault) -> bool {
    match fault {
        Fault::Slow(..) | Fault::Cut(_) => true,
        Fault::Refused(status, _) | Fault::Foreign(status, ..) => *status == 429 || *status >= 500,
        _ => false,
    }
}

async fn by_partitions(client: &Client) -> Identity {
    let partitions = client.get("ws/v1/partitions").await?;
    let list: Vec<dto::Partition> = dto::salvage_list(&partitions.value, &mut Vec::new())
        .map_err(|why| Fault::Unreadable("/ws/v1/partitions".to_owned(), why.to_string()))?;
    let queues = match list.first() {
        Some(partition) => match client.get(&queues_of(partition)).await {
            Ok(got) => Some(got.value),
            Err(fault) if fault.is_unreachable() || fault.is_final() => return Err(fault),
            // The partitions tell a new release from an old one.
            Err(_) => None,
        },
        None => None,
    };
    let found = match release::detect(&partitions.value, queues.as_deref())? {
        Some(found) => Some(Identified::of(Remote::YuniKorn(newest(client, found).await?))),
        None => None,
    };
    Ok(partitions.with(found))
}

/// Without the list of partitions, the queues tell the release, and the clusters name the partitions.
async fn by_queues(client: &Client, fault: Fault) -> Identity {
    let partitions = named(client).await;
    let first = partitions.first().map(queues_of).unwrap_or_default();
    // Without the queues, the server is what does not answer.
    let Ok(queues) = client.get(&first).await else { return Err(fault) };
    let Ok(found) = release::detect_by_queues(&queues.value) else { return Err(fault) };
    let remote = Remote::YuniKorn(newest(client, found).await?);
    Ok(queues.with(Some(Identified { without_list: Some((partitions, fault)), ..Identified::of(remote) })))
}

async fn named(client: &Client) -> Vec<dto::Partition> {
    #[derive(Deserialize)]
    struct Cluster {
        partition: String,
    }
    let clusters = client.json::<dto::List<Cluster>>("ws/v1/clusters").await.map(|got| got.value.0);
    let mut names: Vec<String> = clusters.unwrap_or_default().into_iter().map(|cluster| cluster.partition).collect();
    names.retain(|name| !name.is_empty());
    if names.is_empty() {
        names.push(DEFAULT.to_owned());
    }
    names.into_iter().map(|name| dto::Partition { name, ..dto::Partition::default() }).collect()
}

fn queues_of(partition: &dto::Partition) -> String {
    format!("ws/v1/partition/{}/queues", encode_once(&partition.name))
}

/// 1.9 differs from 1.8 by an endpoint that it does not have.
async fn newest(client: &Client, found: Release) -> Result<Release, Fault> {
    if found != Release::V1_8 {
        return Ok(found);
    }
    match client.get("ws/v1/scheduler/node-utilization").await {
        Err(Fault::NoEndpoint(_)) => Ok(Release::V1_9),
        Err(fault) if fault.is_unreachable() => Err(fault),
        Ok(_) | Err(_) => Ok(found),
    }
}

impl Worker {
    /// Identifies a server again that may be kornsole, in parallel with the other requests.
    pub(super) fn identify_again(&mut self, now: Duration) {
        if self.doubt.is_none_or(|at| now < at) {
            return;
        }
        self.doubt = None;
        self.acting += 1;
        let (client, messages) = (self.client.clone(), self.messages_in.clone());
        tokio::spawn(async move {
            let result = identify(&client, Duration::MAX).await;
            // The worker may have ended.
            let _ = messages.send(Message::IdentifiedAgain(Box::new(result)));
        });
    }

    /// Continues with the known product unless the answer is certain.
    pub(super) fn identified_again(&mut self, result: Identity) {
        self.acting = self.acting.saturating_sub(1);
        match result {
            Ok(ClientResponse { value: Some(Identified { doubt: None, ref remote, .. }), .. })
                if self.remote.as_ref() == Some(remote) => {}
            Ok(got) if got.value.as_ref().is_some_and(|found| found.doubt.is_none()) => self.identified(got),
            _ => self.doubt = Some(self.now() + IDENTIFY_AGAIN),
        }
    }

    /// The list of partitions has no answer: the known ones are shown, or those that other answers name.
    pub(super) fn take_partitions(&mut self, without_list: Option<(Vec<dto::Partition>, Fault)>) {
        self.without_list = without_list.is_some();
        let Some((named, fault)) = without_list else { return };
        if self.remote_state.partition_names().is_empty() {
            self.remote_state.partitions(named);
            self.plan_partitions(self.now());
        }
        self.take_without_list(&fault);
    }

    pub(super) fn take_without_list(&mut self, fault: &Fault) {
        let query = Query::Partitions;
        self.plan.failed(&query, self.now() + self.every * 5);
        self.with_link(|link| link.part_failed(query.part(), fault));
        let why = format!("cannot fetch {}: {fault}", query.words());
        let unknown = no_capacity(&self.remote_state, &why);
        if self.unknown.get(&query) != Some(&unknown) {
            self.unknown.insert(query.clone(), unknown);
            self.mark_unknown(&query);
            self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Warning, why, String::new());
        }
    }
}
