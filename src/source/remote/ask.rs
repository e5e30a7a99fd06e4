//! One request of the plan: which address, and what comes of the answer. Everything is read here, beside the picture.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::follow::{EventNews, Reader};
use super::plan::Ask;
use crate::api::client::{Client, Fault, Got, Release, Remote, encode_once, encode_twice};
use crate::api::convert::ledger;
use crate::api::convert::read::{AppReader, Ended, NodeReader, Picture, Scope, time};
use crate::api::dto;
use crate::config;
use crate::model::{AppId, Identity, QueuePath, Time};
use crate::view::act::{Configuration, LoadedBy};
use crate::view::audit::{AuditPage, Revision};

/// How many entries and revisions are asked for at once.
const RECORDS: usize = 1000;

/// What was answered, read.
pub enum Answer {
    /// The partitions.
    Partitions(Vec<dto::Partition>),
    /// A tree of queues.
    Queues(Box<dto::Queue>),
    /// Live applications.
    Apps(AppReader, Scope),
    /// Applications that ended.
    Ended(Ended, AppReader),
    /// Nodes, and whether they are all.
    Nodes(NodeReader, bool),
    /// Users.
    Users(Vec<dto::UserUsage>),
    /// Groups.
    Groups(Vec<dto::GroupUsage>),
    /// The configuration as an Apache YuniKorn writes it anew.
    Config(String),
    /// The configuration of a kornsole as somebody wrote it.
    OwnConfig(Box<Configuration>),
    /// Who one is.
    WhoAmI(WhoAmI),
    /// Whether the scheduler rests.
    Resting(bool),
    /// Who did what.
    Audit(AuditPage),
    /// The configurations that were in force, without their texts.
    History(Vec<Arc<Revision>>),
    /// Since when queues drain.
    Draining(Vec<(QueuePath, Time)>),
    /// What one may do in every queue.
    Permissions(dto::ours::Permissions),
    /// Whether an application may be killed.
    MayKill(AppId, dto::ours::CheckResult),
    /// What the scheduler says of its own health.
    Health(dto::Health),
    /// What has happened, and where one is in that now.
    Events(Reader, Vec<EventNews>),
}

/// Who one is to a kornsole (E3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WhoAmI {
    /// A token was taken.
    pub authenticated: bool,
    /// The user.
    pub user: String,
    /// The groups.
    pub groups: Vec<String>,
    /// In the scheduler ACL.
    pub scheduler_admin: bool,
    /// The token, or the server, takes no actions.
    pub read_only: bool,
}

impl WhoAmI {
    /// The identity.
    pub fn identity(&self) -> Identity {
        Identity { user: self.user.clone(), groups: self.groups.clone() }
    }
}

/// What came of a request.
pub struct Outcome {
    /// What was asked.
    pub ask: Ask,
    /// When.
    pub started: Duration,
    /// The answer, or why there is none.
    pub result: Result<Got<Answer>, Fault>,
    /// What reading it cost.
    pub cost: Duration,
}

/// A request that is ready to go.
pub struct Request {
    ask: Ask,
    path: String,
    kind: Kind,
}

enum Kind {
    Json(fn(&[u8]) -> Result<Answer, String>),
    One(fn(&[u8], One) -> Result<Answer, String>, One),
    Apps(AppReader, Scope),
    /// Lists of leaves, which together are all applications (1.4).
    Leaves(AppReader, Vec<String>),
    Ended(AppReader, Ended),
    Nodes(NodeReader),
    Yaml,
    /// Whether this application may be killed; what is asked is sent.
    MayKill(AppId, Vec<u8>),
    Events(Reader),
}

/// A reader for an answer of one object.
enum One {
    App(AppReader, Scope),
    Node(NodeReader),
}

impl Request {
    /// What is asked for, of this remote; `None` when it has no such thing. `picture` tells what was read before.
    pub fn of(ask: Ask, remote: &Remote, has_token: bool, picture: &Picture) -> Option<Self> {
        let release = remote.release();
        let at = |partition: &Arc<str>, rest: &str| format!("ws/v1/partition/{}/{rest}", encode_once(partition));
        let own = |partition: &Arc<str>, rest: &str| format!("kornsole/v1/partition/{}/{rest}", encode_once(partition));
        let lists = release >= Release::V1_5;
        let (path, kind) = match &ask {
            // Its answers follow from each other: see `Request::events`.
            Ask::Events => return None,
            Ask::Partitions => ("ws/v1/partitions".to_owned(), Kind::Json(partitions)),
            Ask::Queues(partition) => (at(partition, "queues"), Kind::Json(queues)),
            Ask::App(partition, id) => {
                if !lists {
                    return None;
                }
                let reader = picture.app_reader(partition);
                let path = at(partition, &format!("application/{}", encode_once(id.as_str())));
                (path, Kind::One(one, One::App(reader, Scope::One(id.clone()))))
            }
            Ask::Node(partition, id) => {
                let path = at(partition, &format!("node/{}", encode_once(id.as_str())));
                (path, Kind::One(one, One::Node(picture.node_reader(partition))))
            }
            Ask::QueueApps(partition, leaf) => {
                let path = at(partition, &format!("queue/{}/applications", encode_twice(leaf.as_str())));
                (path, Kind::Apps(picture.app_reader(partition), Scope::Leaf(leaf.clone())))
            }
            Ask::Apps(partition) if lists => {
                (at(partition, "applications/active"), Kind::Apps(picture.app_reader(partition), Scope::All))
            }
            Ask::Apps(partition) => {
                let view = picture.view().partitions.iter().find(|view| view.name == *partition)?;
                let leaves = view.walk().filter(|row| row.leaf);
                let paths =
                    leaves.map(|row| at(partition, &format!("queue/{}/applications", encode_twice(row.path.as_str()))));
                (String::new(), Kind::Leaves(picture.app_reader(partition), paths.collect()))
            }
            Ask::Completed(_) | Ask::Rejected(_) if !lists => return None,
            Ask::Completed(partition) => {
                let reader = picture.ended_reader(partition, Ended::Completed);
                (at(partition, "applications/completed"), Kind::Ended(reader, Ended::Completed))
            }
            Ask::Rejected(partition) => {
                let reader = picture.ended_reader(partition, Ended::Rejected);
                (at(partition, "applications/rejected"), Kind::Ended(reader, Ended::Rejected))
            }
            Ask::Nodes(partition) => (at(partition, "nodes"), Kind::Nodes(picture.node_reader(partition))),
            Ask::Users(partition) => (at(partition, "usage/users"), Kind::Json(users)),
            Ask::Groups(partition) => (at(partition, "usage/groups"), Kind::Json(groups)),
            Ask::Config if remote.kornsole().is_some() && has_token => {
                ("kornsole/v1/config".to_owned(), Kind::Json(own_config))
            }
            Ask::Config => ("ws/v1/config".to_owned(), Kind::Yaml),
            Ask::WhoAmI => {
                remote.kornsole()?;
                ("kornsole/v1/whoami".to_owned(), Kind::Json(whoami))
            }
            Ask::Resting => {
                remote.kornsole()?;
                ("kornsole/v1/server".to_owned(), Kind::Json(resting))
            }
            Ask::Audit | Ask::History => {
                remote.kornsole().filter(|server| has_token && server.can("audit"))?;
                match ask {
                    Ask::Audit => (format!("kornsole/v1/audit?limit={RECORDS}"), Kind::Json(audit)),
                    _ => (format!("kornsole/v1/config/history?limit={RECORDS}"), Kind::Json(history)),
                }
            }
            Ask::Health => ("ws/v1/scheduler/healthcheck".to_owned(), Kind::Json(health)),
            Ask::Draining(partition) => {
                remote.kornsole().filter(|server| has_token && server.can("draining"))?;
                (own(partition, "draining"), Kind::Json(draining))
            }
            Ask::Permissions(partition) => {
                remote.kornsole().filter(|_| has_token)?;
                (own(partition, "permissions"), Kind::Json(permissions))
            }
            Ask::MayKill(partition, app) => {
                remote.kornsole().filter(|_| has_token)?;
                let check = dto::ours::Check {
                    action: "kill".to_owned(),
                    application: Some(app.to_string()),
                    partition: Some(partition.to_string()),
                    ..Default::default()
                };
                let body = dto::json::to_bytes(&dto::ours::Checks { checks: vec![check] });
                ("kornsole/v1/permissions".to_owned(), Kind::MayKill(app.clone(), body))
            }
        };
        Some(Self { ask, path, kind })
    }

    /// What has happened since one was in the events as the reader says.
    pub fn events(reader: Reader) -> Self {
        Self { ask: Ask::Events, path: String::new(), kind: Kind::Events(reader) }
    }

    /// Asks, and reads the answer.
    pub async fn run(self, client: Client, started: Duration) -> Outcome {
        let mut cost = Duration::ZERO;
        let result = answer(&client, &self.path, self.kind, &mut cost).await;
        Outcome { ask: self.ask, started, result, cost }
    }
}

async fn answer(client: &Client, path: &str, kind: Kind, cost: &mut Duration) -> Result<Got<Answer>, Fault> {
    Ok(match kind {
        Kind::Json(read) => {
            let got = client.get(path).await?;
            let answer = timed(cost, || read(&got.value)).map_err(|why| unreadable(path, why))?;
            got.with(answer)
        }
        Kind::One(read, reader) => {
            let got = client.get(path).await?;
            let answer = timed(cost, || read(&got.value, reader)).map_err(|why| unreadable(path, why))?;
            got.with(answer)
        }
        Kind::Apps(mut reader, scope) => {
            let got = client.elements(path, |bytes| timed(cost, || reader.take(bytes))).await?;
            got.with(Answer::Apps(reader, scope))
        }
        Kind::Leaves(mut reader, paths) => {
            leaves(client, &mut reader, &paths, cost).await?.with(Answer::Apps(reader, Scope::All))
        }
        Kind::Ended(mut reader, which) => {
            let got = client.elements(path, |bytes| timed(cost, || reader.take(bytes))).await?;
            got.with(Answer::Ended(which, reader))
        }
        Kind::Nodes(mut reader) => {
            let got = client.elements(path, |bytes| timed(cost, || reader.take(bytes))).await?;
            got.with(Answer::Nodes(reader, true))
        }
        Kind::Events(mut reader) => {
            let mut news = Vec::new();
            loop {
                let (told, more) = reader.ask(client).await?;
                news.extend(told);
                if !more {
                    break;
                }
            }
            let (rtt, took, date) = (Duration::ZERO, Duration::ZERO, None);
            Got { value: Answer::Events(reader, news), rtt, took, date }
        }
        Kind::MayKill(app, body) => {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
            let got = client.send_json::<dto::ours::CheckResults>(Method::POST, path, headers, body).await?;
            let first = got.value.results.first().cloned();
            let result = first.ok_or_else(|| unreadable(path, "there is no result".to_owned()))?;
            got.with(Answer::MayKill(app, result))
        }
        Kind::Yaml => {
            let got = client.text(path).await?;
            let text = String::from_utf8_lossy(&got.value).into_owned();
            got.with(Answer::Config(text))
        }
    })
}

/// The applications of every leaf, one list after the other.
async fn leaves(
    client: &Client,
    reader: &mut AppReader,
    paths: &[String],
    cost: &mut Duration,
) -> Result<Got<()>, Fault> {
    let started = Instant::now();
    let mut last = Got { value: (), rtt: Duration::ZERO, took: Duration::ZERO, date: None };
    for path in paths {
        match client.elements(path, |bytes| timed(cost, || reader.take(bytes))).await {
            Ok(got) => last = got.with(()),
            // A dynamic queue may go between the tree and this; before 1.5 what is not there is a 400.
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

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

fn partitions(bytes: &[u8]) -> Result<Answer, String> {
    parsed::<dto::List<dto::Partition>>(bytes).map(|list| Answer::Partitions(list.0))
}

fn queues(bytes: &[u8]) -> Result<Answer, String> {
    let root: dto::Queue = parsed(bytes)?;
    if root.queue_name.is_empty() {
        return Err("it has no queuename".to_owned());
    }
    Ok(Answer::Queues(Box::new(root)))
}

fn users(bytes: &[u8]) -> Result<Answer, String> {
    parsed::<dto::List<dto::UserUsage>>(bytes).map(|list| Answer::Users(list.0))
}

fn groups(bytes: &[u8]) -> Result<Answer, String> {
    parsed::<dto::List<dto::GroupUsage>>(bytes).map(|list| Answer::Groups(list.0))
}

fn one(bytes: &[u8], reader: One) -> Result<Answer, String> {
    Ok(match reader {
        One::App(mut reader, scope) => {
            reader.take(bytes)?;
            Answer::Apps(reader, scope)
        }
        One::Node(mut reader) => {
            reader.take(bytes)?;
            Answer::Nodes(reader, false)
        }
    })
}

fn permissions(bytes: &[u8]) -> Result<Answer, String> {
    parsed(bytes).map(Answer::Permissions)
}

fn whoami(bytes: &[u8]) -> Result<Answer, String> {
    parsed(bytes).map(Answer::WhoAmI)
}

fn resting(bytes: &[u8]) -> Result<Answer, String> {
    #[derive(Deserialize)]
    struct Server {
        #[serde(default)]
        paused: bool,
    }
    parsed(bytes).map(|Server { paused }| Answer::Resting(paused))
}

fn audit(bytes: &[u8]) -> Result<Answer, String> {
    let dto::ledger::Audit { entries, only } = parsed(bytes)?;
    let entries = entries.into_iter().map(|entry| Arc::new(ledger::read_audit_entry(entry))).collect();
    Ok(Answer::Audit(AuditPage { entries, only }))
}

fn history(bytes: &[u8]) -> Result<Answer, String> {
    let dto::ledger::Revisions { revisions } = parsed(bytes)?;
    Ok(Answer::History(revisions.into_iter().map(|one| Arc::new(ledger::read_revision(one))).collect()))
}

fn health(bytes: &[u8]) -> Result<Answer, String> {
    parsed(bytes).map(Answer::Health)
}

fn own_config(bytes: &[u8]) -> Result<Answer, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Own {
        checksum: String,
        text: String,
        #[serde(default)]
        source: String,
        #[serde(default)]
        revision: u64,
        #[serde(default)]
        loaded_at: i64,
        loaded_by: Option<String>,
        file: Option<PathBuf>,
        #[serde(default)]
        policy_group: String,
    }
    let own: Own = parsed(bytes)?;
    let by = match (own.source.as_str(), own.loaded_by.filter(|user| !user.is_empty())) {
        ("file", _) => LoadedBy::File,
        ("start", _) => LoadedBy::Start,
        ("rollback", Some(user)) => LoadedBy::RolledBack(user),
        (_, Some(user)) => LoadedBy::User(user),
        (_, None) => LoadedBy::Workload,
    };
    let policy_group = Some(own.policy_group).filter(|group| !group.is_empty());
    let policy_group = policy_group.unwrap_or_else(|| config::DEFAULT_POLICY_GROUP.to_owned());
    let text: Arc<str> = Arc::from(own.text);
    let queues = config::manifest::queues_of(&text, &policy_group).map_or_else(|| Arc::clone(&text), Arc::from);
    let (checksum, revision, at, file) = (own.checksum, own.revision, time(own.loaded_at), own.file);
    Ok(Answer::OwnConfig(Box::new(Configuration { text, queues, checksum, file, revision, at, by, policy_group })))
}

fn draining(bytes: &[u8]) -> Result<Answer, String> {
    #[derive(Deserialize)]
    struct All {
        #[serde(default)]
        queues: Vec<Draining>,
    }
    #[derive(Deserialize)]
    struct Draining {
        queue: String,
        since: i64,
    }
    let all: All = parsed(bytes)?;
    Ok(Answer::Draining(all.queues.iter().map(|one| (QueuePath::new(&one.queue), time(one.since))).collect()))
}
