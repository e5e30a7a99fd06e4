//! Reads the events of YuniKorn: the response of `/ws/v1/events/batch`, or lines of `/ws/v1/events/stream`.
//!
//! Requests, allocations, and their ends have times and resources there. Users, priorities, and placeholders are not in
//! events: an allocation that was replaced was a placeholder, and is left out.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::Reading;
use crate::simulate::job::{Job, Task, Workload};
use config::Place;
use model::{AppId, Identity, NodeId, Resource, Time};
use scheduler::NodeSpec;

const HINT: &str = "use the response of /ws/v1/events/batch, or lines of /ws/v1/events/stream";

/// The list of a batch; it may be cut off.
const BATCH: &str = "\"EventRecords\"";

/// Numbers of `type`, `eventChangeType`, and `eventChangeDetail` (`rest.md`, 5.12).
mod number {
    pub const APP: u64 = 2;
    pub const NODE: u64 = 3;
    pub const QUEUE: u64 = 4;
    pub const SET: u64 = 1;
    pub const ADD: u64 = 2;
    pub const REMOVE: u64 = 3;
    pub const ALLOCATION: u64 = 200;
    pub const REQUEST: u64 = 201;
    pub const NEW: u64 = 203;
    pub const CAPACITY: u64 = 304;
    pub const QUEUE_APP: u64 = 405;
    pub const REPLACED: u64 = 503;
}

/// Returns true for a batch, and for lines with an event each.
pub fn is_events(text: &str) -> bool {
    let is_event = |value: &Value| value["timestampNano"].is_u64() && value["type"].is_u64();
    let first = || serde_json::from_str::<Value>(text.lines().next().unwrap_or_default());
    text.contains(BATCH) || text.contains("\"timestampNano\"") && first().is_ok_and(|one| is_event(&one))
}

/// Reads the events in their order.
pub fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut records = Vec::new();
    match serde_json::from_str::<Value>(text) {
        Ok(mut whole) => match whole.get_mut("EventRecords").map(Value::take) {
            Some(Value::Array(all)) => records = all,
            _ => records.push(whole),
        },
        Err(error) if text.contains(BATCH) => {
            let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            let at = Place { line: number(error.line()), column: number(error.column()) };
            reading.fault(at, config::input::json_error(&error), HINT);
        }
        Err(_) => {
            for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
                match serde_json::from_str::<Value>(line) {
                    Ok(record) => records.push(record),
                    Err(error) => {
                        let column = u32::try_from(error.column()).unwrap_or(u32::MAX);
                        reading.fault(Place { line: number, column }, config::input::json_error(&error), HINT);
                    }
                }
            }
        }
    }
    let mut trace = Trace::default();
    let start = records.iter().find_map(|record| record["timestampNano"].as_u64()).unwrap_or(0);
    for record in &records {
        let nanos = record["timestampNano"].as_u64().unwrap_or(start);
        trace.take(Duration::from_nanos(nanos.saturating_sub(start)), record);
    }
    reading.workload = trace.workload();
    if reading.workload.jobs.is_empty() && reading.faults.is_empty() {
        reading.fault(Place { line: 1, column: 1 }, "no event of a request found", HINT);
    }
    reading
}

struct Asked {
    app: usize,
    at: Duration,
    resource: Resource,
    started: Option<Duration>,
    ended: Option<Duration>,
    taken_back: Option<Duration>,
    is_replaced: bool,
}

#[derive(Default)]
struct Trace {
    nodes: BTreeMap<String, Resource>,
    queues: BTreeMap<String, String>,
    /// Applications with the time of their first event.
    apps: Vec<(String, Duration)>,
    known: BTreeMap<String, usize>,
    asks: Vec<Asked>,
    /// The last request of an application with an id.
    by_id: BTreeMap<(usize, String), usize>,
    unknown: u64,
    removed_nodes: u64,
}

impl Trace {
    fn take(&mut self, at: Duration, record: &Value) {
        let of = |key: &str| record[key].as_u64().unwrap_or(0);
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        let (object, reference) = (text("objectID"), text("referenceID"));
        match (of("type"), of("eventChangeType"), of("eventChangeDetail")) {
            (number::NODE, number::ADD, 0) | (number::NODE, number::SET, number::CAPACITY) => {
                self.nodes.insert(object, resource(record));
            }
            (number::NODE, number::REMOVE, _) if reference.is_empty() => self.removed_nodes += 1,
            (number::QUEUE, number::ADD, number::QUEUE_APP) => {
                self.queues.insert(reference, object);
            }
            (number::APP, number::ADD, number::NEW) => {
                self.app(object, at);
            }
            (number::APP, number::ADD, number::REQUEST) => {
                let app = self.app(object, at);
                self.by_id.insert((app, reference), self.asks.len());
                let resource = resource(record);
                let (started, ended, taken_back) = (None, None, None);
                self.asks.push(Asked { app, at, resource, started, ended, taken_back, is_replaced: false });
            }
            (number::APP, number::ADD, number::ALLOCATION) => match self.asked(&object, &reference) {
                Some(asked) => asked.started = Some(at),
                None => self.unknown += 1,
            },
            (number::APP, number::REMOVE, detail @ 500..=504) => {
                if let Some(asked) = self.asked(&object, &reference) {
                    asked.ended = Some(at);
                    asked.is_replaced = detail == number::REPLACED;
                }
            }
            (number::APP, number::REMOVE, 100 | 102) => {
                if let Some(asked) = self.asked(&object, &reference).filter(|asked| asked.started.is_none()) {
                    asked.taken_back = Some(at.saturating_sub(asked.at));
                }
            }
            _ => {}
        }
    }

    fn app(&mut self, id: String, at: Duration) -> usize {
        let next = self.apps.len();
        let number = *self.known.entry(id.clone()).or_insert(next);
        if number == next {
            self.apps.push((id, at));
        }
        number
    }

    /// 1.5 adds a number to the id of a request: `KEY-0`.
    fn asked(&mut self, app: &str, id: &str) -> Option<&mut Asked> {
        let app = *self.known.get(app)?;
        let of_1_5 = || id.rsplit_once('-').map(|(key, _)| key.to_owned());
        let found = self.by_id.get(&(app, id.to_owned())).copied();
        let found = found.or_else(|| self.by_id.get(&(app, of_1_5()?)).copied())?;
        self.asks.get_mut(found)
    }

    fn workload(self) -> Workload {
        let mut workload = Workload::default();
        for (id, capacity) in self.nodes {
            workload.nodes.push(NodeSpec { id: NodeId::from(id), capacity, ..NodeSpec::default() });
        }
        for (id, at) in &self.apps {
            let queue = self.queues.get(id).cloned().unwrap_or_default();
            let (app, at, who) =
                (AppId::from(id.as_str()), Time::ZERO + *at, Identity::new("unknown", Vec::<String>::new()));
            workload.jobs.push(Job { app, at, queue, who, ..Job::default() });
        }
        for asked in self.asks {
            let (id, since) = &self.apps[asked.app];
            if asked.is_replaced {
                workload.leave_out("allocations that were replaced, which are placeholders", || id.clone());
                continue;
            }
            workload.jobs[asked.app].tasks.push(Task {
                after: asked.at.saturating_sub(*since),
                count: 1,
                resource: asked.resource,
                runs: asked.started.zip(asked.ended).map(|(from, to)| to.saturating_sub(from)),
                taken_back: asked.taken_back,
                ..Task::default()
            });
        }
        workload.jobs.retain(|job| !job.tasks.is_empty());
        workload.sort();
        workload.notes.push(
            "events do not name users, priorities, and gangs: all requests are of the user `unknown`, with one priority".to_owned(),
        );
        for (count, what) in [
            (self.unknown, "allocations without the event of their request"),
            (self.removed_nodes, "removals of nodes: all nodes exist from the start"),
        ] {
            (0..count).for_each(|_| workload.leave_out(what, || "events".to_owned()));
        }
        workload
    }
}

/// Memory in bytes, vcore in millicores. A missing value is 0.
fn resource(record: &Value) -> Resource {
    let amounts = record["resource"]["resources"].as_object().into_iter().flatten();
    amounts.map(|(name, amount)| (name.as_str(), amount["value"].as_i64().unwrap_or(0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &str = r#"{"InstanceUUID": "x", "LowestID": 0, "HighestID": 9, "EventRecords": [
        {"type": 3, "objectID": "n1", "timestampNano": 1000000000, "eventChangeType": 2, "resource": {"resources": {"vcore": {"value": 4000}, "gpu": {}}}},
        {"type": 2, "objectID": "a", "timestampNano": 2000000000, "eventChangeType": 2, "eventChangeDetail": 203, "resource": {}},
        {"type": 4, "objectID": "root.etl", "timestampNano": 2000000000, "eventChangeType": 2, "eventChangeDetail": 405, "referenceID": "a", "resource": {}},
        {"type": 2, "objectID": "a", "timestampNano": 3000000000, "eventChangeType": 2, "eventChangeDetail": 201, "referenceID": "k-1", "resource": {"resources": {"vcore": {"value": 1000}}}},
        {"type": 2, "objectID": "a", "timestampNano": 3000000000, "eventChangeType": 2, "eventChangeDetail": 201, "referenceID": "k-2", "resource": {"resources": {"vcore": {"value": 500}}}},
        {"type": 2, "objectID": "a", "timestampNano": 3000000000, "eventChangeType": 2, "eventChangeDetail": 201, "referenceID": "p", "resource": {"resources": {"vcore": {"value": 9}}}},
        {"type": 2, "objectID": "a", "timestampNano": 5000000000, "eventChangeType": 2, "eventChangeDetail": 200, "referenceID": "k-1-0", "resource": {}},
        {"type": 2, "objectID": "a", "timestampNano": 8000000000, "eventChangeType": 3, "eventChangeDetail": 500, "referenceID": "k-1-0", "resource": {}},
        {"type": 2, "objectID": "a", "timestampNano": 8000000000, "eventChangeType": 3, "eventChangeDetail": 503, "referenceID": "p", "resource": {}},
        {"type": 2, "objectID": "a", "timestampNano": 9000000000, "eventChangeType": 3, "eventChangeDetail": 100, "referenceID": "k-2", "resource": {}}]}"#;

    #[test]
    fn requests_have_the_times_of_their_events() {
        assert!(is_events(EVENTS));
        let Reading { workload, faults } = read(EVENTS);
        assert_eq!(faults, []);
        assert_eq!(workload.nodes[0].capacity.amount("vcore"), 4000);
        let [job] = workload.jobs.as_slice() else { panic!("{:?}", workload.jobs) };
        assert_eq!((job.app.as_str(), job.queue.as_str(), job.at), ("a", "root.etl", Time(1_000_000)));
        let tasks: Vec<_> = job.tasks.iter().map(|task| (task.after.as_secs(), task.runs, task.taken_back)).collect();
        let seconds = |number| Some(Duration::from_secs(number));
        assert_eq!(tasks, [(1, seconds(3), None), (1, None, seconds(6))]);
        assert_eq!(workload.left_out[0].count, 1, "the placeholder");
    }

    #[test]
    fn lines_of_the_stream_give_the_same() {
        let all: Value = serde_json::from_str(EVENTS).unwrap();
        let lines: Vec<String> = all["EventRecords"].as_array().unwrap().iter().map(Value::to_string).collect();
        let text = lines.join("\n");
        assert!(is_events(&text));
        assert_eq!(format!("{:?}", read(&text).workload.jobs), format!("{:?}", read(EVENTS).workload.jobs));
        assert!(read(&format!("{text}\n{{\"type\"")).faults[0].to_string().starts_with("11:"));
        let cut = read(&EVENTS[..EVENTS.len() - 9]).faults;
        assert!(
            cut.len() == 1 && cut[0].to_string().starts_with("11:") && cut[0].hint.contains("events/batch"),
            "{cut:?}"
        );
    }

    #[test]
    fn events_without_requests_are_named() {
        assert!(read(r#"{"EventRecords": []}"#).faults[0].message.contains("no event of a request"));
        assert!(!is_events("{\"items\": []}") && !is_events("x") && !is_events(""));
    }
}
