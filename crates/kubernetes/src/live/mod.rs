//! A cluster that changes, as commands of a scheduler: objects that come, change and go, and what the scheduler decides, in their order; commands
//! and [`Deed`]s out.
//!
//! ```text
//!  objects of the API server ─┐                        ┌─> commands ──> scheduler ──> events ─┐
//!  outcomes of deeds ─────────┼──> Live ───────────────┤                                      │
//!  events of the scheduler ───┘                        └─> deeds: bind, delete, create, say   │
//!         ^────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Invariants:
//! - pure: no clock, no IO; the same inputs in the same order give the same commands and deeds;
//! - the cluster is the truth: a pod with a node is an allocation there, no matter who bound it and whether it fits;
//! - the snapshot of the filters has what a command is about before the command, and every pod that is on a node or is to go there;
//! - nothing is decided before everything is taken over that is there at the start (K8S-201);
//! - what a node has of pods that are no allocations of kornsole is in `occupied`; one with a pod whose use cannot be read is closed.
//!
//! Where to read: [`Live::batch`] takes inputs; `stage` has the stages of a pod and `pods` the steps between them, `apps` applications and gangs, `nodes` nodes and what others
//! use of them, `decisions` what the scheduler says, `deeds` what is to be done.

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

pub use self::deeds::{Deed, Failure, Outcome, Placeholder, PodName, Said, Weight};
use super::cluster::Cluster;
use super::objects::Object;
use super::pod_resources::SidecarSum;
use super::predicates::Snapshot;
use super::recovery::{LeftAlone, Settings};
use model::{AppId, AskId, Time};
use scheduler::{Event, PartitionCommand};

/// The partition that pods are in (K8S-124).
pub const PARTITION: &str = "default";

/// The scheduler that a live mapping feeds.
pub trait Sink {
    /// Returns a command, for the partition of pods.
    fn apply(&mut self, command: PartitionCommand);

    /// From now on these filters decide.
    fn set_filters(&mut self, filters: Snapshot);

    /// Changes the filters.
    fn filters(&mut self, change: &mut dyn FnMut(&mut Snapshot));

    /// The filters are to forget a pod: it no longer exists.
    fn forget_pod(&mut self, uid: &str) {
        self.filters(&mut |filters| filters.drop_pod(uid));
    }

    /// What the scheduler said since this was last asked, in its order.
    fn take_events(&mut self) -> Vec<Event>;
}

/// An object of the API server that scheduling examines, by its JSON.
#[derive(Clone, Debug)]
pub struct LiveObject(pub(super) Object);

/// A pod that is on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodBinding {
    /// The UID of the pod.
    pub ask: AskId,
    /// By its condition `PodScheduled`: when it was bound, to a second.
    pub scheduled: Option<Time>,
}

/// What an object is found by: its kind, its namespace (empty for what has none), its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// As a manifest names it: `Pod`, `Node`.
    pub kind: &'static str,
    /// Empty for what is in no namespace.
    pub namespace: String,
    /// The name within the namespace.
    pub name: String,
}

/// What a live mapping is given.
#[derive(Clone, Debug)]
pub enum Input {
    /// An object is there, as it is now.
    Put(LiveObject),
    /// An object no longer exists.
    Gone(ObjectKey),
    /// What came of a deed.
    Done(Outcome),
    /// The queues are others: what was refused is tried again.
    Configured,
}

/// The live mapping: what of the cluster the scheduler has been given.
#[derive(Clone, Debug)]
pub struct Live {
    settings: Settings,
    sidecars: SidecarSum,
    now: Time,
    cluster: Cluster,
    /// Everything that was there at the start has been taken over.
    started: bool,
    nodes: BTreeMap<String, nodes::NodeMark>,
    /// Pods of kornsole by UID.
    tasks: BTreeMap<AskId, stage::Task>,
    apps: BTreeMap<AppId, apps::App>,
    /// Pods of kornsole that wait for a time.
    later: BTreeSet<(Time, AskId)>,
    /// The filters have to be made again.
    stale: bool,
    /// Volumes are attached or detached, or it is known by now which they are, or their node: the filters have to be reported.
    reattach: bool,
    deeds: Vec<Deed>,
}

impl Live {
    /// Takes inputs in their order, after what the scheduler has said meanwhile. `now` counts from 1970. Returns what is to be done.
    pub fn batch(&mut self, now: Time, inputs: Vec<Input>, sink: &mut dyn Sink) -> Vec<Deed> {
        self.now = self.now.max(now);
        self.hear(sink);
        for input in inputs {
            match input {
                Input::Put(object) => self.put(object.0, sink),
                Input::Gone(key) => self.gone(&key, sink),
                Input::Done(outcome) => self.done(outcome, sink),
                Input::Configured => self.try_refused_again(sink),
            }
            self.hear(sink);
        }
        self.ask_those_due(sink);
        self.renew_filters(sink);
        self.hear(sink);
        std::mem::take(&mut self.deeds)
    }

    /// When it has to be examined again without any input.
    pub fn next_due(&self) -> Option<Time> {
        self.later.first().map(|(due, _)| *due)
    }

    /// The cluster unchanged.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The pods of kornsole that nothing is requested, each with why.
    pub fn left_alone(&self) -> Vec<LeftAlone> {
        let why = |task: &stage::Task| {
            let reason = task.stage.why_not_asked()?.to_owned();
            Some(LeftAlone { pod: task.pod.metadata.path(), reason })
        };
        self.tasks.values().filter_map(why).collect()
    }

    /// The namespace, name and UID of a pod of kornsole.
    pub fn pod_of(&self, ask: &AskId) -> Option<PodName> {
        self.tasks.get(ask).map(|task| PodName::of(&task.pod.metadata))
    }

    /// Which pod of kornsole an ask is, of those that wait for the scheduler.
    pub fn is_pending(&self, ask: &AskId) -> bool {
        self.tasks.get(ask).is_some_and(|task| matches!(task.stage, stage::Stage::Pending))
    }

    /// How many pods of kornsole there are, and how many of those are on nodes.
    pub fn counts(&self) -> (usize, usize) {
        (self.tasks.len(), self.tasks.values().filter(|task| task.stage.node().is_some()).count())
    }

    /// The pods of kornsole that are on nodes.
    pub fn on_nodes(&self) -> BTreeSet<AskId> {
        let on_node = self.tasks.iter().filter(|(_, task)| task.pod.node().is_some());
        on_node.map(|(uid, _)| uid.clone()).collect()
    }

    /// The pods of kornsole, each with its namespace and name.
    pub fn names(&self) -> impl Iterator<Item = (AskId, String)> {
        self.tasks.iter().map(|(uid, task)| (uid.clone(), task.pod.metadata.path()))
    }

    fn do_later(&mut self, deed: Deed) {
        // What is there at the start was reported by who ran before.
        if self.started || !matches!(deed, Deed::Say(_)) {
            self.deeds.push(deed);
        }
    }

    /// The pods that the filters have to know.
    fn seen(&self) -> Vec<&Arc<super::objects::Pod>> {
        let ours = self.tasks.values().filter(|task| task.stage.is_seen()).map(|task| &task.pod);
        let others = self.cluster.pods.values().filter(|pod| !self.is_own(pod));
        ours.chain(others.filter(|pod| pod.node().is_some_and(|node| self.nodes.contains_key(node)))).collect()
    }

    /// Makes the filters again if they have to be.
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
        let nodes = self.nodes.keys().filter_map(|name| cluster.nodes.get(name));
        Snapshot::of(nodes, &self.seen(), &cluster.namespace_labels(), cluster.storage(), self.settings.copies)
    }
}
