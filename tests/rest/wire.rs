//! Documents of 1.8.0 are written again byte for byte; others keep their value.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wire::dto::{
    ApiError, AppSample, Application, Cluster, Config, ContainerSample, Deadline, EventBatch, EventRecord, GroupUsage,
    Health, List, Node, NodeUtilization, Partition, PartitionUtilization, PlacementRule, Queue, ResourceMap, StateDump,
    UserUsage, Validation, json,
};

use super::recorded::{Exchange, body, exchanges};

fn again<T: DeserializeOwned + Serialize>(text: &str) -> Result<String, serde_json::Error> {
    let value: T = serde_json::from_str(text)?;
    Ok(String::from_utf8(json::to_indented(&value, " ")).unwrap())
}

fn read_and_written(exchange: &Exchange) -> Option<Result<String, serde_json::Error>> {
    if !exchange.file.ends_with(".json") {
        return None;
    }
    let text = exchange.body.as_str();
    if exchange.status != 200 {
        return Some(again::<ApiError>(text));
    }
    let path = exchange.path.split('?').next().unwrap().trim_end_matches('/');
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    Some(match parts.as_slice() {
        ["ws", "v1", "clusters"] => again::<List<Cluster>>(text),
        ["ws", "v1", "partitions"] => again::<List<Partition>>(text),
        ["ws", "v1", "config"] => again::<Config>(text),
        ["ws", "v1", "validate-conf"] => again::<Validation>(text),
        ["ws", "v1", "events", "batch"] => again::<EventBatch>(text),
        ["ws", "v1", "history", "apps"] => again::<List<AppSample>>(text),
        ["ws", "v1", "history", "containers"] => again::<List<ContainerSample>>(text),
        ["ws", "v1", "scheduler", "healthcheck"] => again::<Health>(text),
        ["ws", "v1", "scheduler", "node-utilization"] => again::<NodeUtilization>(text),
        ["ws", "v1", "scheduler", "node-utilizations"] => again::<List<PartitionUtilization>>(text),
        [.., "fullstatedump"] => again::<StateDump>(text),
        [.., "queues"] | [.., "queue", _] => again::<Queue>(text),
        [.., "applications"] | [.., "applications", _] => again::<List<Application>>(text),
        [.., "application", _] => again::<Application>(text),
        [.., "nodes"] => again::<List<Node>>(text),
        [.., "node", _] => again::<Node>(text),
        [.., "placementrules"] => again::<List<PlacementRule>>(text),
        [.., "usage", "users"] => again::<List<UserUsage>>(text),
        [.., "usage", "user", _] => again::<UserUsage>(text),
        [.., "usage", "groups"] => again::<List<GroupUsage>>(text),
        [.., "usage", "group", _] => again::<GroupUsage>(text),
        _ => panic!("no type for {path}"),
    })
}

#[test]
fn answers_of_1_8_0_are_written_again_byte_for_byte() {
    for exchange in exchanges("1.8.0") {
        if let Some(written) = read_and_written(&exchange) {
            let written = written.unwrap_or_else(|error| panic!("{} {}: {error}", exchange.file, exchange.path));
            assert!(written == exchange.body, "{} {}:\n{written}", exchange.file, exchange.path);
        }
    }
}

#[test]
fn every_part_of_an_answer_is_checked() {
    let dump: StateDump = serde_json::from_str(&body("1.8.0", "/debug/fullstatedump")).unwrap();
    assert!(dump.other.is_empty() && dump.config.unwrap().other.is_empty());
    for app in &dump.applications {
        assert!(app.other.is_empty(), "{:?}", app.other);
        assert!(app.requests.iter().all(|request| request.other.is_empty()));
        assert!(app.allocations.iter().all(|allocation| allocation.other.is_empty()));
    }
    let mut queues = dump.queues;
    while let Some(queue) = queues.pop() {
        assert!(queue.other.is_empty(), "{:?}", queue.other);
        queues.extend(queue.children);
    }
    let batch: EventBatch = serde_json::from_str(&body("1.8.0", "/ws/v1/events/batch")).unwrap();
    assert!(batch.event_records.unwrap().iter().all(|event| event.other.is_empty()));
}

#[test]
fn answers_of_1_5_1_are_read_whole() {
    for exchange in exchanges("1.5.1") {
        if let Some(Err(error)) = read_and_written(&exchange) {
            panic!("{} {}: {error}", exchange.file, exchange.path);
        }
    }
    let root: Queue = serde_json::from_str(&body("1.5.1", "/ws/v1/partition/default/queues")).unwrap();
    assert_eq!(root.child_names.len(), root.children.len(), "1.5 calls them childrenNames");
    assert!(root.preemption_enabled.is_none(), "1.5 does not say");
    let sue: UserUsage = serde_json::from_str(&body("1.5.1", "/ws/v1/partition/default/usage/user/sue")).unwrap();
    let again: UserUsage = serde_json::from_str(&body("1.8.0", "/ws/v1/partition/default/usage/user/sue")).unwrap();
    assert_eq!(sue, again, "usage stands under Resources in 1.5");
    let app: Application = serde_json::from_str(&body("1.5.1", "/ws/v1/partition/default/application/ml-2")).unwrap();
    assert_eq!((app.requests[0].pending_count, app.start_time), (1, None));
}

#[test]
fn missing_null_and_empty_are_the_same() {
    let texts =
        ["{}", r#"{"children": null, "properties": null, "headroom": null, "queuename": null, "isLeaf": null}"#];
    let more = [r#"{"children": {}, "properties": [], "headroom": [], "maxRunningApps": null, "childNames": {}}"#];
    for text in texts.into_iter().chain(more) {
        assert_eq!(serde_json::from_str::<Queue>(text).unwrap(), Queue::default(), "{text}");
    }
    for text in ["[]", "{}", "null"] {
        assert_eq!(serde_json::from_str::<List<Node>>(text).unwrap().0, [], "{text}");
    }
    assert!(serde_json::from_str::<List<Node>>(r#"{"a": 1}"#).is_err());
    let empty: EventBatch = serde_json::from_str(r#"{"LowestID": 3, "EventRecords": []}"#).unwrap();
    assert_eq!((empty.lowest_id, empty.event_records), (3, None));
}

#[test]
fn numbers_keep_all_64_bits_and_may_be_text() {
    let amounts = r#"{"memory":9223372036854775807,"vcore":-9007199254740993}"#;
    let map: ResourceMap = serde_json::from_str(amounts).unwrap();
    assert_eq!(String::from_utf8(json::to_bytes(&map)).unwrap().trim_end(), amounts);
    let app: Application = serde_json::from_str(
        r#"{"startTime": "-62135596800000", "requests": [{"priority": 7}, {"priority": "-2147483648"}], "submissionTime": 1790000500000000001}"#,
    )
    .unwrap();
    assert_eq!((app.start_time, app.submission_time), (Some(-62_135_596_800_000), 1_790_000_500_000_000_001));
    assert_eq!((app.requests[0].priority, app.requests[1].priority), (7, i32::MIN));
    assert!(serde_json::from_str::<Queue>(r#"{"currentPriority": 2147483648}"#).is_err(), "out of range is an error");
    assert!(serde_json::from_str::<Queue>(r#"{"currentPriority": 1.5}"#).is_err(), "so is a fraction");
}

#[test]
fn the_forms_of_other_releases_are_read() {
    let old: Application = serde_json::from_str(
        r#"{"resourceUsage": {"TrackedResourceMap": {"m5": {"Resources": {"vcore": 5}}}}, "reservations": ["n1|k1", "k2"], "hasReserved": true}"#,
    )
    .unwrap();
    let history = old.resource_history.unwrap();
    assert_eq!(history.resource_usage.0["m5"].get("vcore"), Some(5));
    assert_eq!((old.reservations[0].of.as_deref(), old.reservations[0].key.as_str()), (Some("n1"), "k1"));
    assert_eq!((old.reservations[1].of.as_deref(), old.reservations[1].key.as_str()), (None, "k2"));
    assert!(old.other.is_empty(), "what was understood is not carried as well");

    let deadline = |text| serde_json::from_str::<Application>(text).unwrap().backoff_deadline.unwrap();
    let text = deadline(r#"{"backoffDeadline": "2026-09-21T14:13:20.5Z"}"#);
    let number = deadline(r#"{"backoffDeadline": 1790000000500000000}"#);
    assert_eq!((text.nanos(), number), (Some(1_790_000_000_500_000_000), Deadline::Nanos(1_790_000_000_500_000_000)));

    let event: EventRecord = serde_json::from_str(
        r#"{"type":77,"eventChangeDetail":999,"resource":{"resources":{"vcore":{"value":3},"hugepages-2Mi":{}}},"new":1}"#,
    )
    .unwrap();
    let written = String::from_utf8(json::to_bytes(&event)).unwrap();
    let resource = r#""resource":{"resources":{"hugepages-2Mi":{},"vcore":{"value":3}}}"#;
    assert_eq!(written.trim_end(), format!(r#"{{"type":77,"eventChangeDetail":999,{resource},"new":1}}"#));
}

#[test]
fn unknown_fields_are_preserved() {
    let text = r#"{"queuename":"root","status":"Dreaming","partition":"","isLeaf":false,"isManaged":true,"currentPriority":0,"askBackoffDelay":"5s","unschedAskBackoff":18446744073709551615}"#;
    let queue: Queue = serde_json::from_str(text).unwrap();
    assert_eq!(String::from_utf8(json::to_bytes(&queue)).unwrap().trim_end(), text);
}
