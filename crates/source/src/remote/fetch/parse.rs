//! Answers of one JSON document each, read.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{FetchedData, ObjectReader};
use model::QueuePath;
use view::act::{Configuration, LoadedBy};
use view::audit::AuditPage;
use wire::convert::audit;
use wire::convert::read::quota_forecast;
use wire::convert::read::time;
use wire::dto;

fn parsed<T: DeserializeOwned>(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<T, String> {
    dto::salvage(bytes, unknown).map_err(|why| why.to_string())
}

fn list<T: DeserializeOwned>(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<Vec<T>, String> {
    dto::salvage_list(bytes, unknown).map_err(|why| why.to_string())
}

pub(super) fn partitions(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    list(bytes, unknown).map(FetchedData::Partitions)
}

pub(super) fn queues(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    let root: dto::Queue = parsed(bytes, unknown)?;
    if root.queue_name.is_empty() {
        return Err("missing field queuename".to_owned());
    }
    Ok(FetchedData::Queues(Box::new(root)))
}

pub(super) fn users(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    list(bytes, unknown).map(FetchedData::Users)
}

pub(super) fn groups(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    list(bytes, unknown).map(FetchedData::Groups)
}

pub(super) fn one(bytes: &[u8], reader: ObjectReader) -> Result<FetchedData, String> {
    Ok(match reader {
        ObjectReader::App(mut reader, scope) => {
            reader.take(bytes)?;
            FetchedData::Apps(reader, scope)
        }
        ObjectReader::Node(mut reader) => {
            reader.take(bytes)?;
            FetchedData::Nodes(reader, false, None)
        }
    })
}

pub(super) fn permissions(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    parsed(bytes, unknown).map(FetchedData::Permissions)
}

pub(super) fn whoami(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    parsed(bytes, unknown).map(FetchedData::WhoAmI)
}

pub(super) fn resting(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    #[derive(Deserialize)]
    struct Server {
        #[serde(default)]
        paused: bool,
    }
    parsed(bytes, unknown).map(|Server { paused }| FetchedData::Resting(paused))
}

pub(super) fn audit(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    let dto::audit::Audit { entries, only } = parsed(bytes, unknown)?;
    let entries = entries.into_iter().map(|entry| Arc::new(audit::read_audit_entry(entry))).collect();
    Ok(FetchedData::Audit(AuditPage { entries, only }))
}

pub(super) fn history(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    let dto::audit::Revisions { revisions } = parsed(bytes, unknown)?;
    Ok(FetchedData::History(revisions.into_iter().map(|one| Arc::new(audit::read_revision(one))).collect()))
}

pub(super) fn health(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    parsed(bytes, unknown).map(FetchedData::Health)
}

pub(super) fn own_config(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
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
    let own: Own = parsed(bytes, unknown)?;
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
    Ok(FetchedData::OwnConfig(Box::new(Configuration {
        text,
        queues,
        checksum,
        file,
        revision,
        at,
        by,
        policy_group,
        config_map: None,
    })))
}

pub(super) fn draining(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
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
    let all: All = parsed(bytes, unknown)?;
    Ok(FetchedData::Draining(all.queues.iter().map(|one| (QueuePath::new(&one.queue), time(one.since))).collect()))
}

pub(super) fn quotas(bytes: &[u8], unknown: &mut Vec<dto::Unknown>) -> Result<FetchedData, String> {
    let all: dto::native::ExceededQuotas = parsed(bytes, unknown)?;
    Ok(FetchedData::Quotas(all.queues.into_iter().filter_map(quota_forecast).collect()))
}
