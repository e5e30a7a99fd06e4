//! `kornsole serve` after the recorded scenario, like 1.8.0 except for [`DIFFERENCES`], each of which must be needed.

use std::collections::{BTreeMap, BTreeSet};

use model::Profile;
use serde_json::Value;
use wire::convert;
use wire::dto::json;

use super::recorded::exchanges;
use super::stage::Stage;

const DIFFERENCES: &[(&str, &str)] = &[
    ("**/partition", "section 10: filled in on all queues"),
    ("**/clusterName", "section 10: kornsole"),
    ("*/default/rmBuildInformation/0/*", "section 10: what this process says of itself"),
    ("*/clusterInfo/default/rmBuildInformation/0/*", "the same in the state dump"),
    ("**/clusterId", "an id"),
    ("**/si~node-partition", "an id is part of it"),
    ("**/InstanceUUID", "an id"),
    ("**/allocationDelay", "section 10: allocationTime is when it was allocated, and this is the difference"),
    ("**/rejectedMessage", "our words"),
    ("**/DiagnosisMessage", "our words"),
    ("07/message", "our words"),
    ("07/description", "our words"),
    ("15/message", "our words, in a fixed order"),
    ("15/description", "our words, in a fixed order"),
    ("46/reason", "our words, with the place"),
    ("*/faults/**", "section 10: all faults, with their places"),
    ("31/EventRecords/*/message", "our words"),
];

/// Times differ. An unset start time is omitted (section 10).
const TIMES: [&str; 10] = [
    "time",
    "submissionTime",
    "finishedTime",
    "startTime",
    "requestTime",
    "allocationTime",
    "lastOccurrence",
    "timestamp",
    "timestampNano",
    "lastStateTransitionTime",
];

pub(super) fn are_times(name: &str, remote: Option<&Value>, local: Option<&Value>) -> bool {
    const NOT_YET: i64 = -62_135_596_800_000;
    let number = |value: Option<&Value>| value.and_then(Value::as_i64);
    TIMES.contains(&name)
        && match (number(remote), number(local)) {
            (Some(NOT_YET), None) => name == "startTime",
            (Some(remote), Some(local)) => remote > 0 && local > remote,
            _ => false,
        }
}

/// Lists with a significant order.
const ORDERED: [&str; 7] =
    ["stateLog", "EventRecords", "HealthChecks", "rules", "utilization", "PlacementRules", "Queues"];

/// The keys that identify objects in a list.
const NAMES: [&str; 12] = [
    "queuename",
    "applicationID",
    "allocationKey",
    "nodeID",
    "userName",
    "groupName",
    "queuePath",
    "bucketName",
    "type",
    "message",
    "partitionName",
    "partition",
];

/// A Go map orders the limits of `*` randomly.
pub(super) fn in_order(mut answer: Value) -> Value {
    if let Some(events) = answer.get_mut("EventRecords").and_then(Value::as_array_mut) {
        let limited = |event: &Value| event["eventChangeDetail"] == 600 && event["referenceID"] == "root";
        for run in events.chunk_by_mut(|one, next| limited(one) && limited(next)) {
            run.sort_by_key(|event| event["objectID"].as_str().map(str::to_owned));
        }
    }
    answer
}

pub(super) fn leaves(at: &str, value: &Value, out: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(key, value)| leaves(&format!("{at}/{}", key.replace('/', "~")), value, out));
        }
        Value::Array(items) if !items.is_empty() => {
            let ordered = ORDERED.iter().any(|name| at.ends_with(&format!("/{name}")));
            let mut named: Vec<(String, &Value)> = items.iter().map(|item| (name_of(item), item)).collect();
            if !ordered {
                named.sort_by(|a, b| a.0.cmp(&b.0));
            }
            for (index, (name, item)) in named.into_iter().enumerate() {
                let name = if ordered || name.is_empty() { index.to_string() } else { name.replace('/', "~") };
                leaves(&format!("{at}/{name}"), item, out);
            }
        }
        leaf => {
            out.insert(at.to_owned(), leaf.clone());
        }
    }
}

fn name_of(item: &Value) -> String {
    let name = NAMES.iter().find_map(|key| item.get(key)?.as_str()).or(item.as_str());
    name.unwrap_or_default().to_owned()
}

/// `*` is any part, a trailing `**` any rest, a leading one any prefix.
pub(super) fn covers(pattern: &str, path: &str) -> bool {
    if let Some(last) = pattern.strip_prefix("**/") {
        return path.rsplit('/').next() == Some(last);
    }
    let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
    loop {
        match (pattern.next(), path.next()) {
            (Some("**"), _) => return true,
            (Some("*"), Some(_)) => {}
            (Some(wanted), Some(part)) if wanted == part => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

#[test]
fn answers_are_those_of_1_8_0_but_for_what_is_listed() {
    answers_as(Profile::V1_8_0);
}

/// N-10: gzip, the removed route, and the content type of metrics.
#[test]
fn answers_are_those_of_1_9_0_but_for_what_is_listed() {
    answers_as(Profile::V1_9_0);
    let stage = Stage::recorded(Profile::V1_9_0);
    let about = stage.get("/ws/v1/clusters").json();
    assert!(about[0]["rmBuildInformation"][0].get("isPluginVersion").is_none(), "{about}");
    assert_eq!(stage.get("/kornsole/v1/server").json()["compat"], "1.9.0");
}

fn answers_as(profile: Profile) {
    let stage = Stage::recorded(profile);
    let mut wrong = Vec::new();
    let mut needed = BTreeSet::new();
    for exchange in exchanges(profile.name()) {
        let headers: Vec<(&str, &str)> =
            exchange.request_headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let body = exchange.request_body.clone().unwrap_or_default();
        let mut local = stage.ask(&exchange.method, &exchange.path, &headers, body.as_bytes());
        if local.status == 301 {
            // The recorder followed redirects.
            local = stage.ask(&exchange.method, local.header("location").unwrap(), &headers, body.as_bytes());
        }
        let what = format!("{} {} {}", exchange.file, exchange.method, exchange.path);
        assert_eq!(local.status, exchange.status, "{what}: {}", local.text());
        for (name, value) in &exchange.headers {
            let local =
                local.header(name).map(|local| if name == "Vary" { local.to_lowercase() } else { local.to_owned() });
            let remote = if name == "Vary" { value.to_lowercase() } else { value.clone() };
            assert_eq!(local, Some(remote), "{what}: {name}");
        }
        if local.header("content-encoding") == Some("gzip") {
            assert_eq!(local.body[..2], [0x1f, 0x8b], "{what}");
            continue;
        }
        if local.header("content-encoding") == Some("gzip") {
            assert_eq!(local.body[..2], [0x1f, 0x8b], "{what}");
            continue;
        }
        if !exchange.file.ends_with(".json") {
            if !exchange.path.ends_with("/metrics") {
                let lines = exchange.body.lines().zip(local.text().lines()).filter(|(remote, local)| remote != local);
                wrong.extend(lines.map(|(remote, local)| format!("{what}: {remote:?} here {local:?}")));
                let (local, remote) = (local.text().lines().count(), exchange.body.lines().count());
                wrong.extend((local != remote).then(|| format!("{what}: {remote} lines here {local}")));
            }
            continue;
        }
        let (mut expected_leaves, mut our_leaves) = (BTreeMap::new(), BTreeMap::new());
        leaves("", &in_order(serde_json::from_str(&exchange.body).unwrap()), &mut expected_leaves);
        leaves("", &in_order(local.json()), &mut our_leaves);
        let paths: BTreeSet<&String> = expected_leaves.keys().chain(our_leaves.keys()).collect();
        for path in paths {
            let (remote, local) = (expected_leaves.get(path), our_leaves.get(path));
            if remote == local {
                continue;
            }
            let last = path.rsplit('/').next().unwrap();
            if are_times(last, remote, local) {
                continue;
            }
            let full = format!("{}{path}", exchange.file.trim_end_matches(".json"));
            match DIFFERENCES.iter().position(|(pattern, _)| covers(pattern, &full)) {
                Some(at) => drop(needed.insert(at)),
                None => wrong.push(format!("{full}: {remote:?} here {local:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    let idle = DIFFERENCES.iter().enumerate().filter(|(at, _)| !needed.contains(at));
    let idle: Vec<&str> = idle.map(|(_, (pattern, _))| *pattern).collect();
    assert!(idle.is_empty(), "nothing differs any more at {idle:?}");
}

/// The tree has its own, faster serializer.
#[test]
fn a_tree_is_written_as_its_transfer_objects_would_be() {
    let stage = Stage::recorded(Profile::V1_8_0);
    let view = stage.engine.published().view();
    let partition = &view.partitions[0];
    let objects = |row| json::to_bytes(&convert::queue_tree(partition, row));
    let root = partition.root().unwrap();
    assert!(!root.allocated.is_empty() && !root.pending.is_empty(), "something is in use, something is asked for");
    assert_eq!(stage.get("/ws/v1/partition/default/queues").body, objects(root));
    for row in partition.queues.iter().flatten() {
        let path = format!("/ws/v1/partition/default/queue/{}?subtree", row.path);
        assert_eq!(stage.get(&path).body, objects(row), "{path}");
    }
}

#[test]
fn a_configuration_sent_the_old_way_needs_a_token() {
    let stage = Stage::recorded(Profile::V1_8_0);
    let before = stage.get("/ws/v1/config");
    let refused = stage.ask("PUT", "/ws/v1/config", &[], &before.body);
    assert_eq!((refused.status, &refused.json()["code"]), (401, &serde_json::json!("UNAUTHENTICATED")));
    assert!(refused.header("access-control-allow-origin").is_none(), "no page may drive this");
    assert_eq!(stage.get("/ws/v1/config").body, before.body);
    assert_eq!(stage.ask("PUT", "/ws/v1/validate-conf", &[], b"").status, 405);
}
