//! The Kubernetes objects of the displayed cluster: pods, nodes, namespaces, priority classes.
//!
//! Only displayed data is stored, and common texts are shared: 50,000 pods are some tens of megabytes. Cloning is
//! cheap.

mod asked;
mod killing;
pub mod owners;
mod pod;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

pub use self::asked::{EventsOf, LogName, LogPart, ObjectEvent, ObjectName};
pub use self::owners::{Chain, OwnerDone, OwnerObject};
pub use self::pod::{Condition, OwnerName, PodPhase, PodRow};
use crate::AppRow;
use model::{AppId, AppState, AskId, NodeId, Time};

/// The objects of a cluster at one time.
#[derive(Clone, Debug, Default)]
pub struct Kubernetes {
    /// The age of each list.
    pub lists: Lists,
    pods: OrdMap<Arc<str>, Arc<PodRow>>,
    groups: OrdSet<(Group, Arc<str>)>,
    /// The nodes by name.
    pub nodes: OrdMap<NodeId, Arc<NodeObject>>,
    /// The namespaces by name.
    pub namespaces: OrdMap<Arc<str>, Arc<NamespaceRow>>,
    /// The names of the priority classes by their value.
    pub priorities: OrdMap<i32, Vec<Arc<str>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    App(Arc<str>),
    /// Foreign pods on a node.
    Foreign(Arc<str>),
}

/// The watched kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    /// `pods` of the core API.
    Pods,
    /// `nodes` of the core API.
    Nodes,
    /// `namespaces` of the core API.
    Namespaces,
    /// `scheduling.k8s.io/v1` priority classes.
    PriorityClasses,
}

impl ObjectKind {
    /// All kinds, in order.
    pub const ALL: [Self; 4] = [Self::Pods, Self::Nodes, Self::Namespaces, Self::PriorityClasses];

    /// A description of the displayed data, for messages about outdated parts.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Pods => "the pods of Kubernetes",
            Self::Nodes => "the nodes of Kubernetes",
            Self::Namespaces => "the namespaces of Kubernetes",
            Self::PriorityClasses => "the priority classes of Kubernetes",
        }
    }
}

/// The state of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListState {
    /// Not loaded yet.
    #[default]
    Awaited,
    /// It is followed: each change arrives by itself.
    Live,
    /// Outdated: the time of the data (`None`: never loaded), and why there is no newer data.
    Stale(Option<Time>, Arc<str>),
    /// Access denied, with the missing right.
    Refused(Arc<str>),
}

/// The states of all lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists([ListState; 4]);

impl Lists {
    /// The state of a list.
    pub fn get(&self, kind: ObjectKind) -> &ListState {
        &self.0[kind as usize]
    }

    /// The mutable state of a list.
    pub fn get_mut(&mut self, kind: ObjectKind) -> &mut ListState {
        &mut self.0[kind as usize]
    }
}

/// A Kubernetes node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeObject {
    /// Whether it is cordoned.
    pub cordoned: bool,
    /// The conditions in the order of the status.
    pub conditions: Box<[Condition]>,
    /// Taints in the form of kubectl: `key=value:NoSchedule`.
    pub taints: Box<[Arc<str>]>,
    /// Labels by their full keys.
    pub labels: BTreeMap<Arc<str>, Arc<str>>,
    /// The version of its kubelet.
    pub kubelet: Arc<str>,
    /// When it was made.
    pub created: Time,
}

impl NodeObject {
    /// A node without conditions has not reported yet.
    pub fn closed(&self) -> Option<&'static str> {
        let ready = self.conditions.iter().find(|condition| &*condition.kind == "Ready");
        match (self.cordoned, ready.is_some_and(|ready| !ready.is_true())) {
            (true, true) => Some("cordoned, not ready"),
            (true, false) => Some("cordoned"),
            (false, true) => Some("not ready"),
            (false, false) => None,
        }
    }
}

/// The queue-related data of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespaceRow {
    /// The YuniKorn annotations without prefix: `namespace.quota`, `parentqueue`.
    pub annotations: BTreeMap<Arc<str>, Arc<str>>,
}

impl Kubernetes {
    /// The pods that a kill of an application deletes: those of its requests, and those that the scheduler did not get.
    /// Not included are completed pods, pods that a node runs by itself (K8S-098), and a pod that reuses the name of a
    /// pod known to the scheduler.
    pub fn doomed(&self, app: &AppRow) -> Vec<Arc<PodRow>> {
        let mut all: BTreeMap<&str, &Arc<PodRow>> = BTreeMap::new();
        let asks = app.asks.values().filter_map(|ask| self.pod_of(&ask.id));
        let ends = |pod: &&Arc<PodRow>| !pod.phase.is_over() && pod.retained_by().is_none();
        let names: BTreeSet<String> = app.asks.values().filter_map(|ask| ask.tags.pod()).collect();
        let later = |pod: &&Arc<PodRow>| {
            !app.asks.values().any(|ask| ask.id.as_str() == &*pod.uid)
                && names.contains(&format!("{}/{}", pod.namespace, pod.name))
        };
        let others = self.pods_of(&app.id).filter(|pod| !later(pod));
        for pod in asks.chain(others).filter(ends) {
            all.insert(&pod.uid, pod);
        }
        all.into_values().cloned().collect()
    }

    /// The number of an owner's pods in other applications.
    pub fn count_of_others(&self, namespace: &str, owner: &OwnerName, app: &AppId) -> usize {
        let of_it = |pod: &&Arc<PodRow>| {
            pod.owner.as_ref() == Some(owner)
                && *pod.namespace == *namespace
                && pod.app.as_deref() != Some(app.as_str())
                && !pod.phase.is_over()
        };
        self.pods.values().filter(of_it).count()
    }

    /// The number of pods.
    pub fn pod_count(&self) -> usize {
        self.pods.len()
    }

    /// The pod of a request, whose key is the UID.
    pub fn pod_of(&self, ask: &AskId) -> Option<&Arc<PodRow>> {
        self.pods.get(ask.as_str())
    }

    /// The pod with a UID.
    pub fn pod(&self, uid: &str) -> Option<&Arc<PodRow>> {
        self.pods.get(uid)
    }

    /// The pods of an application by UID, including those unknown to the scheduler.
    pub fn pods_of(&self, app: &AppId) -> impl Iterator<Item = &Arc<PodRow>> {
        self.group(Group::App(Arc::from(app.as_str())))
    }

    /// The foreign pods on a node.
    pub fn foreign_on(&self, node: &NodeId) -> impl Iterator<Item = &Arc<PodRow>> {
        self.group(Group::Foreign(Arc::from(node.as_str())))
    }

    fn group(&self, group: Group) -> impl Iterator<Item = &Arc<PodRow>> {
        let from = (group.clone(), Arc::from(""));
        let inside = self.groups.range(from..).take_while(move |(of, _)| *of == group);
        inside.filter_map(|(_, uid)| self.pods.get(uid))
    }

    /// Inserts or updates a pod.
    pub fn put_pod(&mut self, pod: Arc<PodRow>) {
        let group = group_of(&pod);
        if let Some(before) = self.pods.insert(Arc::clone(&pod.uid), Arc::clone(&pod)) {
            let old = group_of(&before);
            if old == group {
                return;
            }
            self.ungroup(old, &pod.uid);
        }
        if let Some(group) = group {
            self.groups.insert((group, Arc::clone(&pod.uid)));
        }
    }

    /// Removes a pod.
    pub fn remove_pod(&mut self, uid: &str) {
        if let Some(before) = self.pods.remove(uid) {
            self.ungroup(group_of(&before), &before.uid);
        }
    }

    fn ungroup(&mut self, group: Option<Group>, uid: &Arc<str>) {
        if let Some(group) = group {
            self.groups.remove(&(group, Arc::clone(uid)));
        }
    }

    /// UIDs of all pods.
    pub fn uids(&self) -> impl Iterator<Item = &Arc<str>> {
        self.pods.keys()
    }

    /// The problems of an application's pods in short form: `2 pods ImagePullBackOff`.
    pub fn problem_words(&self, app: &AppRow) -> Option<String> {
        let reasons = self.reasons(app);
        let words = |(reason, (count, _)): (&&str, &(usize, &PodRow))| match count {
            1 => format!("1 pod {reason}"),
            count => format!("{count} pods {reason}"),
        };
        let all: Vec<String> = reasons.iter().map(words).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// The problems that Kubernetes reports for an application's pods, with counts: an image that cannot be pulled, a
    /// missing claim. `None` without a problem.
    pub fn problem(&self, app: &AppRow) -> Option<String> {
        let words = |(reason, (count, pod)): (&str, (usize, &PodRow))| {
            let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
            let why = pod.message.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            format!("{reason}: pod {}{more}{why}", pod.full_name())
        };
        let all: Vec<String> = self.reasons(app).into_iter().map(words).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    fn reasons(&self, app: &AppRow) -> BTreeMap<&str, (usize, &PodRow)> {
        let mut reasons: BTreeMap<&str, (usize, &PodRow)> = BTreeMap::new();
        for pod in self.pods_of(&app.id).filter(|_| !app.state.is_ended()) {
            if let Some(reason) = pod.problem(app.state == AppState::New) {
                reasons.entry(reason).or_insert((0, pod)).0 += 1;
            }
        }
        reasons
    }
}

fn group_of(pod: &PodRow) -> Option<Group> {
    match (&pod.app, &pod.node) {
        (Some(app), _) => Some(Group::App(Arc::clone(app))),
        (None, Some(node)) => Some(Group::Foreign(Arc::clone(node))),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(uid: &str, app: Option<&str>, node: Option<&str>) -> Arc<PodRow> {
        let text = |text: &str| Arc::from(text);
        Arc::new(PodRow { uid: text(uid), app: app.map(text), node: node.map(text), ..PodRow::default() })
    }

    fn uids<'p>(pods: impl Iterator<Item = &'p Arc<PodRow>>) -> Vec<String> {
        pods.map(|pod| pod.uid.to_string()).collect()
    }

    #[test]
    fn a_pod_is_found_by_its_uid_its_application_and_its_node() {
        let mut all = Kubernetes::default();
        for one in [pod("1", Some("a"), None), pod("2", Some("b"), Some("n")), pod("3", Some("a"), Some("n"))] {
            all.put_pod(one);
        }
        all.put_pod(pod("4", None, None));
        assert_eq!(uids(all.pods_of(&AppId::from("a"))), ["1", "3"]);
        assert_eq!(uids(all.foreign_on(&NodeId::from("n"))), [""; 0], "a pod without a node is on none");
        all.put_pod(pod("4", None, Some("n")));
        assert_eq!(uids(all.foreign_on(&NodeId::from("n"))), ["4"]);
        all.put_pod(pod("4", None, Some("m")));
        all.remove_pod("3");
        assert_eq!((uids(all.foreign_on(&NodeId::from("n"))).len(), all.pod_count()), (0, 3));
        assert_eq!(uids(all.pods_of(&AppId::from("a"))), ["1"]);
        assert_eq!(all.groups.len(), 3, "no group keeps what is gone");
    }
}
