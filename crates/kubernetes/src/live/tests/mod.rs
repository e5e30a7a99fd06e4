//! The live mapping: any order of changes ends in the state of a recovery from the final cluster.

mod checked;
mod decisions;
mod gangs;
mod property;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Deed, Failure, Input, Live, LiveObject, ObjectKey, Outcome, PARTITION, PodName, Sink};
use crate::predicates::Snapshot;
use crate::{Cluster, Settings, Users};
use model::{AskId, Profile, Time};
use scheduler::{Command, Event, Partition, PartitionCommand, Scheduler, Tuning};

pub(super) const NOW: Time = Time(1_793_527_200_000_000);
pub(super) const QUEUES: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}, \
     {name: small, resources: {max: {vcore: '2'}}}]}]}]";

pub(super) struct Fed {
    pub scheduler: Scheduler,
    pub now: Time,
    events: Vec<Event>,
}

impl Fed {
    pub fn new(queues: &str) -> Self {
        let config = config::read(queues, Profile::Kornsole).config.map(Arc::new).expect("it is valid");
        let mut scheduler = Scheduler::tuned(Profile::Kornsole, Tuning { awaits_stops: true, ..Tuning::default() });
        scheduler.apply(NOW, &Command::Configure(config));
        Self { scheduler, now: NOW, events: Vec::new() }
    }

    pub fn give(&mut self, command: &Command) {
        let events = self.scheduler.apply(self.now, command);
        self.events.extend(events);
    }

    pub fn part(&self) -> &Partition {
        &self.scheduler.partitions()[0]
    }
}

impl Sink for Fed {
    fn apply(&mut self, command: PartitionCommand) {
        self.give(&Command::In { partition: Some(Arc::from(PARTITION)), command });
    }

    fn set_filters(&mut self, filters: Snapshot) {
        self.scheduler.partitions_mut()[0].nodes.set_predicates(Arc::new(filters));
    }

    fn filters(&mut self, change: &mut dyn FnMut(&mut Snapshot)) {
        self.scheduler.partitions_mut()[0].nodes.change_predicates(|predicates| {
            change(predicates.as_any().expect("they are ours").downcast_mut().expect("they are filters"));
        });
    }

    fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

pub(super) struct World {
    pub live: Live,
    pub fed: Fed,
    pub deeds: Vec<Deed>,
}

impl World {
    pub fn new(queues: &str) -> Self {
        let mut fed = Fed::new(queues);
        let settings = Settings { profile: Profile::Kornsole, users: Users::Trusted, ..Settings::default() };
        let live = Live::start(Cluster::default(), settings, NOW, &mut fed);
        Self { live, fed, deeds: Vec::new() }
    }

    pub fn batch(&mut self, inputs: Vec<Input>) {
        let deeds = self.live.batch(self.fed.now, inputs, &mut self.fed);
        self.deeds.extend(deeds);
    }

    pub fn put(&mut self, kind: &'static str, object: Value) {
        self.batch(vec![Input::Put(LiveObject::read(kind, object).expect("it reads"))]);
    }

    pub fn gone(&mut self, kind: &'static str, namespace: &str, name: &str) {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        self.batch(vec![Input::Gone(ObjectKey { kind, namespace, name })]);
    }

    /// Runs until nothing is decided; then handles the events.
    pub fn cycles(&mut self) {
        for _ in 0..20 {
            self.fed.give(&Command::Cycle);
        }
        self.batch(Vec::new());
    }

    pub fn wait(&mut self, seconds: u64) {
        self.fed.now = self.fed.now + Duration::from_secs(seconds);
        self.fed.give(&Command::Tick);
        self.batch(Vec::new());
    }

    /// Returns `pod>node`, since the last call.
    pub fn taken_bindings(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        self.deeds.retain(|deed| match deed {
            Deed::Bind { pod, node } => {
                found.push(format!("{}>{node}", pod.name));
                false
            }
            _ => true,
        });
        found.sort();
        found
    }

    /// Returns the deletions since the last call.
    pub fn taken_deletions(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        self.deeds.retain(|deed| match deed {
            Deed::Delete { pod } => {
                found.push(pod.name.clone());
                false
            }
            _ => true,
        });
        found.sort();
        found
    }

    /// Returns `pod reason: message`, since the last call.
    pub fn taken_words(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        self.deeds.retain(|deed| match deed {
            Deed::Report(reported) => {
                found.push(format!("{} {}: {}", reported.pod.name, reported.reason, reported.message));
                false
            }
            _ => true,
        });
        found
    }

    /// Binds like the API server and the watch.
    pub fn bind_all(&mut self) -> Vec<String> {
        let bindings = self.taken_bindings();
        for binding in &bindings {
            let (pod, node) = binding.split_once('>').expect("a binding");
            self.bound(pod, node, Ok(()));
        }
        bindings
    }

    pub fn bound(&mut self, pod: &str, node: &str, done: Result<(), Failure>) {
        let pod = PodName { namespace: "ns".to_owned(), name: pod.to_owned(), uid: format!("uid-{pod}") };
        self.batch(vec![Input::Done(Outcome::Bound { pod, node: node.to_owned(), done })]);
    }

    /// Returns nodes; `-` for a pending request.
    pub fn asks(&self) -> BTreeMap<String, String> {
        asks(self.fed.part())
    }

    pub fn vcore(&self, queue: &str) -> i64 {
        let part = self.fed.part();
        let key = part.queues.find(&queue.into()).expect("it is there");
        part.queues[key].allocated.amount("vcore")
    }

    /// Checks all counters with a recount.
    pub fn check(&self) {
        let faults = scheduler::inspect::invariants::violations(&self.fed.scheduler);
        assert!(faults.is_empty(), "{faults:?}");
    }
}

pub(super) fn asks(part: &Partition) -> BTreeMap<String, String> {
    let asks = part.apps.iter().flat_map(|(_, app)| app.asks.iter().map(|(_, ask)| ask));
    let node = |ask: &scheduler::state::ask::Ask| {
        ask.allocation.map_or_else(|| "-".to_owned(), |allocation| part.nodes[allocation.node].id.to_string())
    };
    asks.map(|ask| (ask.id.to_string(), node(ask))).collect()
}

pub(super) fn node(name: &str, cpu: &str) -> Value {
    json!({"metadata": {"name": name}, "status": {"allocatable": {"cpu": cpu, "memory": "64Gi", "pods": 100}}})
}

/// A pending pod: namespace `ns`, UID `uid-NAME`, a core, queue `root.a`, application `app`.
pub(super) fn pod(name: &str) -> Value {
    json!({
        "metadata": {
            "namespace": "ns", "name": name, "uid": format!("uid-{name}"), "creationTimestamp": "2026-11-01T10:00:00Z",
            "labels": {"applicationId": "app", "queue": "root.a"},
        },
        "spec": {"schedulerName": "kornsole", "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
    })
}

pub(super) fn on(mut pod: Value, node: &str) -> Value {
    pod["spec"]["nodeName"] = json!(node);
    pod
}

pub(super) fn with(mut pod: Value, path: &str, value: Value) -> Value {
    *pod.pointer_mut(path).expect("it is there") = value;
    pod
}

pub(super) fn ask(name: &str) -> AskId {
    AskId::from(format!("uid-{name}"))
}
