//! Maps a changing cluster to scheduler commands: objects, outcomes, and events in; commands and deeds out.
//!
//! Invariants:
//! - pure: the same inputs in the same order give the same commands and deeds;
//! - the cluster is the truth: a pod with a node is an allocation there, even if it does not fit;
//! - the filters get an object before the command about it, and know every pod on a node or assigned to one;
//! - nothing is decided before the initial state is loaded (K8S-201);
//! - `occupied` contains the usage of other pods; a node with unreadable usage is unschedulable.

mod apps;
mod decisions;
mod deeds;
mod nodes;
mod objects;
mod outcomes;
mod placeholder;
mod pods;
mod stage;
mod start;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use self::deeds::{Deed, Failure, Outcome, Placeholder, PodName, Report, Weight};
use super::cluster::Cluster;
use super::objects::Object;
use super::pod_resources::SidecarSum;
use super::predicates::Snapshot;
use super::recovery::{LeftAlone, Settings};
use model::{AppId, AskId, Time};
use scheduler::{Event, PartitionCommand};

/// The partition of pods (K8S-124).
pub const PARTITION: &str = "default";

/// The scheduler of a live mapping.
pub trait Sink {
    /// Applies a command to the partition of pods.
    fn apply(&mut self, command: PartitionCommand);

    /// Sets the filters.
    fn set_filters(&mut self, filters: Snapshot);

    /// Changes the filters.
    fn filters(&mut self, change: &mut dyn FnMut(&mut Snapshot));

    /// Removes a deleted pod from the filters.
    fn forget_pod(&mut self, uid: &str) {
        self.filters(&mut |filters| filters.drop_pod(uid));
    }

    /// Returns the events since the last call, in order.
    fn take_events(&mut self) -> Vec<Event>;
}

/// A parsed object.
#[derive(Clone, Debug)]
pub struct LiveObject(pub(super) Object);

/// A pod on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodBinding {
    /// UID of the pod.
    pub ask: AskId,
    /// To the second, from `PodScheduled`.
    pub scheduled: Option<Time>,
}

/// The key of an object: kind, namespace, name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// Name as in a manifest: `Pod`, `Node`.
    pub kind: &'static str,
    /// Empty for objects without a namespace.
    pub namespace: String,
    /// The name within the namespace.
    pub name: String,
}

/// An input of a live mapping.
#[derive(Clone, Debug)]
pub enum Input {
    /// An object was added or changed.
    Put(LiveObject),
    /// An object was removed.
    Gone(ObjectKey),
    /// The result of a deed.
    Done(Outcome),
    /// The queues changed: retry rejections.
    Configured,
}

/// What of the cluster the scheduler has.
#[derive(Clone, Debug)]
pub struct Live {
    settings: Settings,
    sidecars: SidecarSum,
    now: Time,
    cluster: Cluster,
    started: bool,
    nodes: BTreeMap<String, nodes::NodeMark>,
    tasks: BTreeMap<AskId, stage::Task>,
    apps: BTreeMap<AppId, apps::App>,
    later: BTreeSet<(Time, AskId)>,
    /// The filters must be rebuilt.
    stale: bool,
    reattach: bool,
    deeds: Vec<Deed>,
}

impl Live {
    /// Handles inputs in order, after the scheduler's events. `now` is since 1970. Returns the operations.
    pub fn batch(&mut self, now: Time, inputs: Vec<Input>, sink: &mut dyn Sink) -> Vec<Deed> {
        self.now = self.now.max(now);
        self.handle(sink);
        for input in inputs {
            match input {
                Input::Put(object) => self.put(object.0, sink),
                Input::Gone(key) => self.gone(&key, sink),
                Input::Done(outcome) => self.done(outcome, sink),
                Input::Configured => self.try_refused_again(sink),
            }
            self.handle(sink);
        }
        self.ask_those_due(sink);
        self.renew_filters(sink);
        self.handle(sink);
        std::mem::take(&mut self.deeds)
    }

    /// Returns when it must run again without an input.
    pub fn next_due(&self) -> Option<Time> {
        self.later.first().map(|(due, _)| *due)
    }

    /// Returns the cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns pods with reasons.
    pub fn left_alone(&self) -> Vec<LeftAlone> {
        let why = |task: &stage::Task| {
            let reason = task.stage.why_not_asked()?.to_owned();
            Some(LeftAlone { pod: task.pod.metadata.path(), reason })
        };
        self.tasks.values().filter_map(why).collect()
    }

    /// Returns the name of a pod of kornsole.
    pub fn pod_of(&self, ask: &AskId) -> Option<PodName> {
        self.tasks.get(ask).map(|task| PodName::of(&task.pod.metadata))
    }

    /// Waits for the scheduler.
    pub fn is_pending(&self, ask: &AskId) -> bool {
        self.tasks.get(ask).is_some_and(|task| matches!(task.stage, stage::Stage::Pending))
    }

    /// Counts the pods of kornsole, and those on nodes.
    pub fn counts(&self) -> (usize, usize) {
        (self.tasks.len(), self.tasks.values().filter(|task| task.stage.node().is_some()).count())
    }

    /// Returns the pods of kornsole on nodes.
    pub fn on_nodes(&self) -> BTreeSet<AskId> {
        let on_node = self.tasks.iter().filter(|(_, task)| task.pod.node().is_some());
        on_node.map(|(uid, _)| uid.clone()).collect()
    }

    /// Returns `namespace/name` of the pods of kornsole.
    pub fn names(&self) -> impl Iterator<Item = (AskId, String)> {
        self.tasks.iter().map(|(uid, task)| (uid.clone(), task.pod.metadata.path()))
    }

    fn do_later(&mut self, deed: Deed) {
        // The previous instance reported the initial state already.
        if self.started || !matches!(deed, Deed::Report(_)) {
            self.deeds.push(deed);
        }
    }

    fn seen(&self) -> Vec<&Arc<super::objects::Pod>> {
        let local = self.tasks.values().filter(|task| task.stage.is_seen()).map(|task| &task.pod);
        let others = self.cluster.pods.values().filter(|pod| !self.is_own(pod));
        local.chain(others.filter(|pod| pod.node().is_some_and(|node| self.nodes.contains_key(node)))).collect()
    }

    fn renew_filters(&mut self, sink: &mut dyn Sink) {
        let mut old = None;
        let mut stale = self.stale;
        sink.filters(&mut |filters| {
            stale |= filters.is_stale();
            old = stale.then(|| filters.clone());
        });
        if let Some(old) = old {
            let mut filters = self.filters();
            filters.take_places(&old);
            sink.set_filters(filters);
        } else if self.reattach {
            let storage = self.cluster.storage();
            sink.filters(&mut |filters| filters.put_attachments(storage));
        }
        (self.stale, self.reattach) = (false, false);
    }

    fn filters(&self) -> Snapshot {
        let cluster = &self.cluster;
        let nodes = self.nodes.keys().filter_map(|name| cluster.nodes.get(name)).map(AsRef::as_ref);
        Snapshot::of(nodes, &self.seen(), &cluster.namespace_labels(), cluster.storage(), self.settings.copies)
    }
}
