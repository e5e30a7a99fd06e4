//! The recorded answers, and those of other releases by `rest.md` sections 4 to 7.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::remote::serve::{Answer, Set};

/// The recorded answers of a release.
pub fn recorded(release: &str) -> Set {
    let dir = Path::new("tests/conformance/rest").join(release);
    let index: Vec<Value> = serde_json::from_slice(&fs::read(dir.join("index.json")).unwrap()).unwrap();
    let mut set = Set::new();
    for entry in index {
        let text = |key: &str| entry[key].as_str().unwrap().to_owned();
        let json = entry["requestHeaders"].get("Accept").is_some();
        if json || text("method") != "GET" {
            // The JSON has the same path as the YAML, and the client does not request it.
            continue;
        }
        let headers = entry["headers"].as_object().unwrap();
        if headers.contains_key("Content-Encoding") {
            continue;
        }
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect();
        let status = u16::try_from(entry["status"].as_u64().unwrap()).unwrap();
        let body = fs::read(dir.join(text("file"))).unwrap();
        set.insert((text("method"), text("path")), Answer { status, headers, body });
    }
    // The client requests the batch in other steps than the recording.
    let batch = set[&get("/ws/v1/events/batch")].clone();
    set.insert(get("/ws/v1/events/batch?start=0&count=1"), batch.clone());
    set.insert(get("/ws/v1/events/batch?start=0&count=5000"), batch.clone());
    let seen: Value = serde_json::from_slice(&batch.body).unwrap();
    let next = seen["HighestID"].as_u64().unwrap() + 1;
    let nothing =
        json!({"InstanceUUID": seen["InstanceUUID"], "LowestID": 0, "HighestID": next - 1, "EventRecords": null});
    set.insert(get(&format!("/ws/v1/events/batch?start={next}&count=5000")), Answer::json(nothing.to_string()));
    set
}

pub fn get(path: &str) -> (String, String) {
    ("GET".to_owned(), path.to_owned())
}

/// The answers of a release, recorded or derived.
pub fn of(release: &str) -> Set {
    match release {
        "1.4" => v1_4(),
        "1.5.1" | "1.8.0" | "1.9.0" => recorded(release),
        "1.6" => v1_6(),
        "1.7" => v1_7(),
        _ => panic!("no set for {release}"),
    }
}

fn change(set: &mut Set, change: impl Fn(&str, &mut Value)) {
    for ((_, path), answer) in set.iter_mut() {
        let is_json = answer.headers.iter().any(|(_, value)| value.contains("json"));
        if is_json && answer.status == 200 {
            let mut value: Value = serde_json::from_slice(&answer.body).unwrap();
            change(path, &mut value);
            answer.body = value.to_string().into_bytes();
        }
    }
}

fn objects(value: &mut Value, each: &impl Fn(&mut Map<String, Value>)) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|value| objects(value, each)),
        Value::Object(map) => {
            each(map);
            map.values_mut().for_each(|value| objects(value, each));
        }
        _ => {}
    }
}

fn without(set: &mut Set, keys: &[&str]) {
    change(set, |_, value| objects(value, &|map| keys.iter().for_each(|key| drop(map.remove(*key)))));
}

/// 1.7: without quota preemption and backoff.
fn v1_7() -> Set {
    let mut set = recorded("1.8.0");
    without(&mut set, &["quotaPreemptionEnabled", "quotaPreemptionDelay", "backoffDeadline"]);
    set
}

/// 1.6: usage in `Resources`, the history in the application, reservations in two parts, no queue policies.
fn v1_6() -> Set {
    let mut set = v1_7();
    without(
        &mut set,
        &[
            "sortingPolicy",
            "prioritySorting",
            "preemptionEnabled",
            "isPreemptionFence",
            "preemptionDelay",
            "isPriorityFence",
            "priorityOffset",
            "foreignAllocations",
        ],
    );
    change(&mut set, |path, value| {
        objects(value, &|map| {
            for key in ["resourceUsage", "maxResources"] {
                if let Some(amounts) = map.get_mut(key).filter(|_| path.contains("/usage/")) {
                    *amounts = json!({"Resources": amounts.take()});
                }
            }
            if map.remove("resourceHistory").is_some() {
                for key in ["resourceUsage", "preemptedResource", "placeholderResource"] {
                    map.insert(key.to_owned(), json!({"TrackedResourceMap": {"m5": {"Resources": {"vcore": 1}}}}));
                }
            }
            if map.contains_key("allocationKey") {
                map.remove("originator");
            }
        });
    });
    set.insert(get("/debug/fullstatedump"), Answer::no_endpoint());
    set
}

/// 1.4: no lists of a partition, no single queue, no stream; unknown paths are 400.
fn v1_4() -> Set {
    let mut set = recorded("1.5.1");
    let active: Vec<Value> =
        serde_json::from_slice(&set[&get("/ws/v1/partition/default/applications/active")].body).unwrap();
    without(&mut set, &["headroom", "childrenNames", "schedulingAttempted", "triggeredScaleUp"]);
    set.retain(|(_, path), _| {
        let gone = ["/partition/default/applications/", "/partition/default/application/", "/partition/default/queue/"];
        !gone.iter().any(|part| path.contains(part))
    });
    for leaf in leaves(&set) {
        let here: Vec<&Value> = active.iter().filter(|app| app["queueName"] == leaf.as_str()).collect();
        let path = format!("/ws/v1/partition/default/queue/{leaf}/applications");
        set.insert(get(&path), Answer::json(json!(here).to_string()));
    }
    change(&mut set, |_, value| objects(value, &|map| drop(map.remove("schedulingAttempted"))));
    for answer in set.values_mut().filter(|answer| answer.status == 404 && answer.body.starts_with(b"{")) {
        answer.status = 400;
    }
    set
}

fn leaves(set: &Set) -> Vec<String> {
    fn walk(queue: &Value, leaves: &mut Vec<String>) {
        if queue["isLeaf"] == true {
            leaves.push(queue["queuename"].as_str().unwrap().to_owned());
        }
        queue["children"].as_array().into_iter().flatten().for_each(|child| walk(child, leaves));
    }
    let root: Value = serde_json::from_slice(&set[&get("/ws/v1/partition/default/queues")].body).unwrap();
    let mut found = Vec::new();
    walk(&root, &mut found);
    found
}
