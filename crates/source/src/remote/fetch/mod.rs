//! One HTTP request of the plan. The remote's state is not changed here.

mod parse;

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Deserialize;

use crate::cycles::of_metrics;
use crate::remote::act::{checksum_of, entry, keep, seen_by};
use crate::remote::follow::{EventMessage, Reader};
use crate::remote::plan::Query;
use client::{Client, ClientResponse, Fault, Release, Remote, encode_once, encode_twice};
use model::{AppId, Identity, QueuePath, Time};
use view::QuotaForecast;
use view::act::{ConfigMapEntry, Configuration};
use view::audit::{AuditPage, Revision};
use wire::convert::read::{AppReader, Ended, NodeMarks, NodeReader, RemoteState, Scope};
use wire::dto;

const RECORDS: usize = 1000;

/// A parsed answer.
pub enum FetchedData {
    /// The partitions with their counters.
    Partitions(Vec<dto::Partition>),
    /// A tree of queues.
    Queues(Box<dto::Queue>),
    /// Active applications, read row by row.
    Apps(AppReader, Scope),
    /// Applications that ended.
    Ended(Ended, AppReader),
    /// Nodes, whether they are complete, and the data of the cluster about them.
    Nodes(NodeReader, bool, Option<NodeMarks>),
    /// The usage and limits of users.
    Users(Vec<dto::UserUsage>),
    /// The usage and limits of groups.
    Groups(Vec<dto::GroupUsage>),
    /// The configuration as Apache YuniKorn serializes it.
    Config(String),
    /// The active text from its ConfigMap, with its location and its local revision.
    WrittenConfig(String, ConfigMapEntry, Option<u64>),
    /// The configuration of a kornsole server.
    OwnConfig(Box<Configuration>),
    /// Who one is.
    WhoAmI(WhoAmI),
    /// Whether the scheduler is paused.
    Resting(bool),
    /// Who did what.
    Audit(AuditPage),
    /// The revisions without their texts.
    History(Vec<Arc<Revision>>),
    /// The start of each drain.
    Draining(Vec<(QueuePath, Time)>),
    /// The forecasts of quota preemption.
    Quotas(Vec<QuotaForecast>),
    /// The permissions per queue.
    Permissions(dto::native::Permissions),
    /// Whether an application may be killed.
    MayKill(AppId, dto::native::CheckResult),
    /// The reported health.
    Health(dto::Health),
    /// The number and total duration of cycles; `None` if not in the metrics.
    Metrics(Option<(u64, Duration)>),
    /// The events, and the reader after them.
    Events(Reader, Vec<EventMessage>),
}

/// The user of a kornsole server (E3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WhoAmI {
    /// Authenticated with a token.
    pub authenticated: bool,
    /// The user name.
    pub user: String,
    /// The groups of that user.
    pub groups: Vec<String>,
    /// Member of the scheduler ACL.
    pub scheduler_admin: bool,
    /// The token or the server is read-only.
    pub read_only: bool,
}

impl WhoAmI {
    /// The user and the groups.
    pub fn identity(&self) -> Identity {
        Identity { user: self.user.clone(), groups: self.groups.clone() }
    }
}

/// The result of a request.
pub struct FetchResult {
    /// What was asked.
    pub query: Query,
    /// The start, by the clock of the connection.
    pub started: Duration,
    /// The answer or the failure.
    pub result: Result<ClientResponse<FetchedData>, Fault>,
    /// The invalid values of the answer.
    pub unknown: Vec<dto::Unknown>,
    /// The processor time for reading it.
    pub cost: Duration,
}

/// A prepared request.
pub struct Fetch {
    query: Query,
    path: String,
    kind: FetchKind,
}

enum FetchKind {
    Json(fn(&[u8], &mut Vec<dto::Unknown>) -> Result<FetchedData, String>),
    Object(fn(&[u8], ObjectReader) -> Result<FetchedData, String>, ObjectReader),
    Apps(AppReader, Scope),
    /// The lists of all leaves, which together are all applications (1.4).
    Leaves(AppReader, Vec<String>),
    Ended(AppReader, Ended),
    Nodes(NodeReader),
    Yaml,
    Metrics,
    /// Whether an application may be killed; contains the request body.
    MayKill(AppId, Vec<u8>),
    Events(Reader),
}

enum ObjectReader {
    App(AppReader, Scope),
    Node(NodeReader),
}

impl Fetch {
    /// Prepares a query for a remote; `None` if the remote does not support it. `state` is the data so far.
    pub fn of(query: Query, remote: &Remote, has_token: bool, remote_state: &RemoteState) -> Option<Self> {
        let release = remote.release();
        let at = |partition: &Arc<str>, rest: &str| format!("ws/v1/partition/{}/{rest}", encode_once(partition));
        let lists = release >= Release::V1_5;
        let (path, kind) = match &query {
            // Each page depends on the previous one: see `Request::events`.
            Query::Events => return None,
            Query::Partitions => ("ws/v1/partitions".to_owned(), FetchKind::Json(parse::partitions)),
            Query::Queues(partition) => (at(partition, "queues"), FetchKind::Json(parse::queues)),
            Query::App(partition, id) => {
                if !lists {
                    return None;
                }
                let reader = remote_state.app_reader(partition);
                let path = at(partition, &format!("application/{}", encode_once(id.as_str())));
                (path, FetchKind::Object(parse::one, ObjectReader::App(reader, Scope::One(id.clone()))))
            }
            Query::Node(partition, id) => {
                let path = at(partition, &format!("node/{}", encode_once(id.as_str())));
                (path, FetchKind::Object(parse::one, ObjectReader::Node(remote_state.node_reader(partition))))
            }
            Query::QueueApps(partition, leaf) => {
                let path = at(partition, &format!("queue/{}/applications", encode_twice(leaf.as_str())));
                (path, FetchKind::Apps(remote_state.app_reader(partition), Scope::Leaf(leaf.clone())))
            }
            Query::Apps(partition) if lists => {
                (at(partition, "applications/active"), FetchKind::Apps(remote_state.app_reader(partition), Scope::All))
            }
            Query::Apps(partition) => {
                let view = remote_state.view().partitions.iter().find(|view| view.name == *partition)?;
                let leaves = view.walk().filter(|row| row.leaf);
                let paths =
                    leaves.map(|row| at(partition, &format!("queue/{}/applications", encode_twice(row.path.as_str()))));
                (String::new(), FetchKind::Leaves(remote_state.app_reader(partition), paths.collect()))
            }
            Query::Completed(_) | Query::Rejected(_) if !lists => return None,
            Query::Completed(partition) => {
                let reader = remote_state.ended_reader(partition, Ended::Completed);
                (at(partition, "applications/completed"), FetchKind::Ended(reader, Ended::Completed))
            }
            Query::Rejected(partition) => {
                let reader = remote_state.ended_reader(partition, Ended::Rejected);
                (at(partition, "applications/rejected"), FetchKind::Ended(reader, Ended::Rejected))
            }
            Query::Nodes(partition) => (at(partition, "nodes"), FetchKind::Nodes(remote_state.node_reader(partition))),
            Query::Users(partition) => (at(partition, "usage/users"), FetchKind::Json(parse::users)),
            Query::Groups(partition) => (at(partition, "usage/groups"), FetchKind::Json(parse::groups)),
            Query::Config if remote.kornsole().is_some() && has_token => {
                ("kornsole/v1/config".to_owned(), FetchKind::Json(parse::own_config))
            }
            Query::Config => ("ws/v1/config".to_owned(), FetchKind::Yaml),
            Query::Health => ("ws/v1/scheduler/healthcheck".to_owned(), FetchKind::Json(parse::health)),
            Query::Metrics => ("ws/v1/metrics".to_owned(), FetchKind::Metrics),
            Query::WhoAmI
            | Query::Resting
            | Query::Audit
            | Query::History
            | Query::Draining(_)
            | Query::Quotas(_)
            | Query::Permissions(_)
            | Query::MayKill(..) => native(&query, remote, has_token)?,
        };
        Some(Self { query, path, kind })
    }

    /// The paths to request.
    pub fn into_paths(self) -> Vec<String> {
        match self.kind {
            FetchKind::Leaves(_, paths) => paths,
            _ => vec![self.path],
        }
    }

    /// Prepares the next events of a reader.
    pub fn events(reader: Reader) -> Self {
        Self { query: Query::Events, path: String::new(), kind: FetchKind::Events(reader) }
    }

    /// Sends the request and reads the answer.
    pub async fn run(self, client: Client, started: Duration) -> FetchResult {
        let mut cost = Duration::ZERO;
        let mut unknown = Vec::new();
        let mut result = answer(&client, &self.path, self.kind, &mut cost, &mut unknown).await;
        if let Ok(got) = &mut result {
            match &mut got.value {
                FetchedData::Apps(reader, _) | FetchedData::Ended(_, reader) => unknown.append(&mut reader.unknown),
                FetchedData::Nodes(reader, ..) => unknown.append(&mut reader.unknown),
                _ => {}
            }
        }
        FetchResult { query: self.query, started, result, unknown, cost }
    }
}

/// The path and kind of a query for a kornsole server, mostly with a token; `None` if the remote does not answer it.
fn native(query: &Query, remote: &Remote, has_token: bool) -> Option<(String, FetchKind)> {
    let own = |partition: &Arc<str>, rest: &str| format!("kornsole/v1/partition/{}/{rest}", encode_once(partition));
    Some(match query {
        Query::WhoAmI => {
            remote.kornsole()?;
            ("kornsole/v1/whoami".to_owned(), FetchKind::Json(parse::whoami))
        }
        Query::Resting => {
            remote.kornsole()?;
            ("kornsole/v1/server".to_owned(), FetchKind::Json(parse::resting))
        }
        Query::Audit | Query::History => {
            remote.kornsole().filter(|server| has_token && server.can("audit"))?;
            match query {
                Query::Audit => (format!("kornsole/v1/audit?limit={RECORDS}"), FetchKind::Json(parse::audit)),
                _ => (format!("kornsole/v1/config/history?limit={RECORDS}"), FetchKind::Json(parse::history)),
            }
        }
        Query::Draining(partition) => {
            remote.kornsole().filter(|server| has_token && server.can("draining"))?;
            (own(partition, "draining"), FetchKind::Json(parse::draining))
        }
        Query::Quotas(partition) => {
            remote.kornsole().filter(|server| has_token && server.can("quotas"))?;
            (own(partition, "quotas"), FetchKind::Json(parse::quotas))
        }
        Query::Permissions(partition) => {
            remote.kornsole().filter(|_| has_token)?;
            (own(partition, "permissions"), FetchKind::Json(parse::permissions))
        }
        Query::MayKill(partition, app) => {
            remote.kornsole().filter(|_| has_token)?;
            let check = dto::native::Check {
                action: "kill".to_owned(),
                application: Some(app.to_string()),
                partition: Some(partition.to_string()),
                ..Default::default()
            };
            let body = dto::json::to_bytes(&dto::native::Checks { checks: vec![check] });
            ("kornsole/v1/permissions".to_owned(), FetchKind::MayKill(app.clone(), body))
        }
        _ => return None,
    })
}

async fn answer(
    client: &Client,
    path: &str,
    kind: FetchKind,
    cost: &mut Duration,
    unknown: &mut Vec<dto::Unknown>,
) -> Result<ClientResponse<FetchedData>, Fault> {
    Ok(match kind {
        FetchKind::Json(read) => {
            let got = client.get(path).await?;
            let answer = timed(cost, || read(&got.value, unknown)).map_err(|why| unreadable(path, why))?;
            got.with(answer)
        }
        FetchKind::Object(read, reader) => {
            let got = client.get(path).await?;
            let answer = timed(cost, || read(&got.value, reader)).map_err(|why| unreadable(path, why))?;
            got.with(answer)
        }
        FetchKind::Apps(mut reader, scope) => {
            let got = client.elements(path, |bytes| timed(cost, || reader.take(bytes))).await?;
            got.with(FetchedData::Apps(reader.finished().map_err(|why| unreadable(path, why))?, scope))
        }
        FetchKind::Leaves(mut reader, paths) => {
            let got = leaves(client, &mut reader, &paths, cost).await?;
            let reader = reader.finished().map_err(|why| unreadable("ws/v1/…/applications", why))?;
            got.with(FetchedData::Apps(reader, Scope::All))
        }
        FetchKind::Ended(mut reader, which) => {
            let got = client.elements(path, |bytes| timed(cost, || reader.take(bytes))).await?;
            got.with(FetchedData::Ended(which, reader.finished().map_err(|why| unreadable(path, why))?))
        }
        FetchKind::Nodes(mut reader) => {
            let got = client.elements(path, |bytes| timed(cost, || reader.take(bytes))).await?;
            let reader = reader.finished().map_err(|why| unreadable(path, why))?;
            let marks = marks(client).await;
            got.with(FetchedData::Nodes(reader, true, marks))
        }
        FetchKind::Events(mut reader) => {
            let mut messages = Vec::new();
            loop {
                let (message, more) = reader.ask(client).await?;
                messages.extend(message);
                if !more {
                    break;
                }
            }
            let (rtt, took, date) = (Duration::ZERO, Duration::ZERO, None);
            ClientResponse { value: FetchedData::Events(reader, messages), rtt, took, date }
        }
        FetchKind::MayKill(app, body) => {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
            let got = client.send_json::<dto::native::CheckResults>(Method::POST, path, headers, body).await?;
            let first = got.value.results.first().cloned();
            let result = first.ok_or_else(|| unreadable(path, "no result".to_owned()))?;
            got.with(FetchedData::MayKill(app, result))
        }
        FetchKind::Metrics => {
            let got = client.text(path).await?;
            let found = timed(cost, || of_metrics(&String::from_utf8_lossy(&got.value)));
            got.with(FetchedData::Metrics(found))
        }
        FetchKind::Yaml => {
            let got = client.text(path).await?;
            let text = String::from_utf8_lossy(&got.value).into_owned();
            got.with(written(client, text).await)
        }
    })
}

/// The data of the cluster about its nodes, if any. Without the right to list nodes, the data of the scheduler is used.
async fn marks(client: &Client) -> Option<NodeMarks> {
    // Watched nodes are known already.
    let cluster = client.cluster().filter(|cluster| !cluster.follows())?;
    let all = cluster.closed_nodes().await.ok()?;
    Some(all.into_iter().map(|(name, why)| (name.as_str().into(), why.into())).collect())
}

async fn written(client: &Client, answer: String) -> FetchedData {
    let written = match client.cluster() {
        Some(cluster) => cluster.written_config().await.ok(),
        None => None,
    };
    let sum = checksum_of(&answer);
    let same =
        |text: &str| sum.as_deref().is_some_and(|sum| sum.eq_ignore_ascii_case(&config::checksum(text.as_bytes())));
    let (Some(written), Some(cluster)) = (written.filter(|written| same(&written.text)), client.cluster()) else {
        return FetchedData::Config(answer);
    };
    let number = keep(cluster, &written.text, seen_by(&written)).await;
    FetchedData::WrittenConfig(written.text.clone(), entry(&written), number)
}

async fn leaves(
    client: &Client,
    reader: &mut AppReader,
    paths: &[String],
    cost: &mut Duration,
) -> Result<ClientResponse<()>, Fault> {
    let started = Instant::now();
    let mut last = ClientResponse { value: (), rtt: Duration::ZERO, took: Duration::ZERO, date: None };
    for path in paths {
        match client.elements(path, |bytes| timed(cost, || reader.take(bytes))).await {
            Ok(got) => last = got.with(()),
            // A dynamic queue may be gone; before 1.5, that is a 400.
            Err(Fault::Missing(_) | Fault::Refused(400, _)) => {}
            Err(fault) => return Err(fault),
        }
    }
    last.took = started.elapsed();
    Ok(last)
}

fn timed<T>(cost: &mut Duration, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = work();
    *cost += started.elapsed();
    result
}

fn unreadable(path: &str, why: String) -> Fault {
    Fault::Unreadable(format!("/{path}"), why)
}
