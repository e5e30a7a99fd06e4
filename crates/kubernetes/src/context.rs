//! Adds what pods and nodes say about a remote scheduler's requests, for a simulation copy.
//!
//! Invariants:
//! - what is unknown lets a request pass and is reported once, with the number of requests;
//! - the scheduler decides where a request is: its pod may be outdated.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::application;
use super::ask::{may_be_preempted, required_node};
use super::blocked;
use super::blocked::BlockedPod;
use super::cluster::Cluster;
use super::gang::{TaskGroup, is_placeholder, task_groups};
use super::gang_hints;
use super::making::{Making, originator};
use super::moment::moment;
use super::objects::{Meta, Plain, Pod, Texts, Toleration, Volume};
use super::pod_resources::SidecarSum;
use super::predicates::{Snapshot, Storage, chosen_late, waits_for};
use super::unlisted;
use model::{AppId, AskId, NodeId, Tags, Time};
use scheduler::{AskSpec, Predicates};

const MOST: usize = 3;
const LABEL: &str = "kubernetes.io/label/";

/// As far as they could be listed.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// The objects that were listed.
    pub cluster: Cluster,
    /// Kinds that could not be listed.
    pub missing: Vec<NotListed>,
    /// With reasons; they count as missing.
    pub unreadable: Vec<String>,
}

/// Could not be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotListed {
    /// Name as in a manifest: `PersistentVolume`.
    pub kind: &'static str,
    /// The error; `None`: not permitted.
    pub why: Option<String>,
}

/// Pending or allocated.
#[derive(Clone, Copy, Debug)]
pub struct AskSeen<'a> {
    /// UID of its pod.
    pub id: &'a AskId,
    /// Tags that the scheduler reports.
    pub tags: &'a Tags,
    /// It has no node.
    pub pending: bool,
}

/// From Kubernetes, for the requests and nodes of a remote scheduler.
#[derive(Clone, Debug, Default)]
pub struct ClusterContext {
    filters: Option<Snapshot>,
    pods: BTreeMap<AskId, Arc<Pod>>,
    classes: BTreeMap<String, Plain>,
    unknown: Vec<String>,
    hints: BTreeMap<AskId, Vec<String>>,
    blocked: BTreeMap<AppId, Vec<BlockedPod>>,
}

impl ClusterContext {
    /// Creates filters that know all requests and nodes.
    pub fn of<'a>(listed: Listed, asks: &[AskSeen<'a>], nodes: impl Iterator<Item = &'a NodeId>) -> Self {
        let Listed { mut cluster, missing, unreadable } = listed;
        let is_missing = |kind: &str| missing.iter().any(|one| one.kind == kind);
        let mut unknown = unlisted::words(&missing, &cluster, &pods_of(&cluster, asks));
        unknown.extend(unreadable.into_iter().map(|why| format!("not read: {why}")));
        let has_volumes = !unlisted::VOLUME_LISTS.into_iter().any(is_missing);
        if !has_volumes {
            cluster.pods = cluster.pods.iter().map(|(key, pod)| (key.clone(), without_claims(pod))).collect();
        }
        let classes = std::mem::take(&mut cluster.classes);
        let pods = pods_of(&cluster, asks);
        let hints = hints(&cluster, asks, &pods);
        let blocked = blocked::pods(&cluster, asks);
        let mut context = Self { filters: None, pods, classes, unknown, hints, blocked };
        if is_missing("Pod") {
            return context;
        }
        context.unknown.extend(without_pod(asks, &context.pods));
        if is_missing("Node") {
            return context;
        }
        if has_volumes {
            context.unknown.extend(unbound(&cluster, asks, &context.pods));
        }
        cluster.nodes.values_mut().for_each(super::node::taint_if_not_ready);
        context.unknown.extend(gone(&cluster, nodes));
        context.filters = Some(filters(&cluster, asks, &context.pods));
        context
    }

    /// Returns `None` if pods or nodes could not be listed.
    pub fn filters(&self) -> Option<Arc<dyn Predicates>> {
        let filters = self.filters.clone()?;
        Some(Arc::new(filters))
    }

    /// Returns what is unknown, one line each.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Returns ineffective or misleading gang settings by pending request.
    pub fn hints(&self) -> &BTreeMap<AskId, Vec<String>> {
        &self.hints
    }

    /// Returns pods that cannot be requested yet.
    pub fn blocked(&self) -> &BTreeMap<AppId, Vec<BlockedPod>> {
        &self.blocked
    }

    /// Sets preemption and the required node; without a pod nothing changes.
    pub fn complete(&self, ask: &mut AskSpec) {
        let Some(pod) = self.pods.get(&ask.id) else { return };
        ask.allow_preempt_self = may_be_preempted(pod, self.classes.get(&pod.spec.priority_class_name));
        ask.allow_preempt_other = pod.spec.preemption_policy != "Never";
        if ask.required_node.is_none() {
            ask.required_node = required_node(pod).map(NodeId::from);
        }
    }

    /// Returns the originator, by the oldest pod (K8S-127).
    pub fn originator<'a>(&self, asks: impl Iterator<Item = &'a AskId>) -> Option<AskId> {
        fn age(pod: &Pod) -> (Time, &str, &str) {
            (created(pod), &pod.metadata.namespace, &pod.metadata.name)
        }
        let pods = asks.filter_map(|ask| self.pods.get(ask));
        let first = pods.min_by(|one, other| age(one).cmp(&age(other)))?;
        let making = Making { first, first_at: created(first), members: Vec::new() };
        originator(&making).map(|uid| AskId::from(uid.as_str()))
    }
}

pub(super) fn created(pod: &Pod) -> Time {
    pod.metadata.creation_timestamp.as_deref().and_then(moment).unwrap_or_default()
}

fn pods_of(cluster: &Cluster, asks: &[AskSeen<'_>]) -> BTreeMap<AskId, Arc<Pod>> {
    let asked: BTreeSet<&str> = asks.iter().map(|ask| ask.id.as_str()).collect();
    let pods = cluster.pods.values().filter(|pod| asked.contains(pod.metadata.uid.as_str()));
    pods.map(|pod| (AskId::from(pod.metadata.uid.as_str()), Arc::clone(pod))).collect()
}

/// Over all nodes, with each request and each bound pod of others. The scheduler decides where requests are.
fn filters(cluster: &Cluster, asks: &[AskSeen<'_>], pods: &BTreeMap<AskId, Arc<Pod>>) -> Snapshot {
    let is_other = |pod: &&Arc<Pod>| pod.node().is_some() && !pods.contains_key(pod.metadata.uid.as_str());
    let unseen: Vec<Arc<Pod>> =
        asks.iter().filter(|ask| !pods.contains_key(ask.id)).map(|ask| Arc::new(unseen(ask))).collect();
    let seen: Vec<&Arc<Pod>> = cluster.pods.values().filter(is_other).chain(pods.values()).chain(&unseen).collect();
    let mut filters = Snapshot::of(
        cluster.nodes.values().map(AsRef::as_ref),
        &seen,
        &cluster.namespace_labels(),
        storage(cluster),
        true,
    );
    for (id, pod) in pods {
        pod.node().into_iter().for_each(|node| filters.place(id, node, false));
    }
    filters
}

/// A stand-in for a missing pod, which fits everywhere; other pods may select its labels.
fn unseen(ask: &AskSeen<'_>) -> Pod {
    let mut pod = Pod::default();
    let label = |(name, value): (&str, &str)| Some((name.strip_prefix(LABEL)?.to_owned(), value.to_owned()));
    let text = |name: &str| ask.tags.get(name).unwrap_or_default().to_owned();
    pod.metadata = Meta {
        uid: ask.id.to_string(),
        namespace: text("kubernetes.io/meta/namespace"),
        name: text("kubernetes.io/meta/podName"),
        labels: ask.tags.iter().filter_map(label).collect::<Texts>().into(),
        ..Meta::default()
    };
    pod.spec.tolerations = vec![Toleration { operator: "Exists".to_owned(), ..Toleration::default() }];
    pod
}

/// The remote scheduler binds volumes that wait for their first pod.
pub(super) fn storage(cluster: &Cluster) -> Storage<'_> {
    Storage { binds_late: true, ..cluster.storage() }
}

fn hints(cluster: &Cluster, asks: &[AskSeen<'_>], pods: &BTreeMap<AskId, Arc<Pod>>) -> BTreeMap<AskId, Vec<String>> {
    let mut declared: BTreeMap<String, (&Arc<Pod>, Vec<TaskGroup>)> = BTreeMap::new();
    for pod in cluster.pods.values() {
        let Ok(groups) = task_groups(&pod.metadata) else { continue };
        if groups.is_empty() || is_placeholder(&pod.metadata) {
            continue;
        }
        let entry = declared.entry(application::id(&pod.metadata, false));
        let first = entry.or_insert((pod, Vec::new()));
        if first.1.is_empty() || created(pod) < created(first.0) {
            *first = (pod, groups);
        }
    }
    let mut found = BTreeMap::new();
    for (id, pod) in asks.iter().filter(|ask| ask.pending).filter_map(|ask| pods.get_key_value(ask.id)) {
        let Some((first, groups)) = declared.get(&application::id(&pod.metadata, false)) else { continue };
        let mut reported = gang_hints::parameters(&first.metadata);
        reported.extend(gang_hints::too_small(pod, groups, SidecarSum::default()));
        let path = pod.metadata.path();
        let reported: Vec<String> = reported.into_iter().map(|why| format!("pod {path}: {why}")).collect();
        if !reported.is_empty() {
            found.insert(id.clone(), reported);
        }
    }
    found
}

fn without_pod(asks: &[AskSeen<'_>], pods: &BTreeMap<AskId, Arc<Pod>>) -> Option<String> {
    let unseen = || asks.iter().filter(|ask| !pods.contains_key(ask.id));
    let count = |pending: bool| unseen().filter(|ask| ask.pending == pending).count();
    let (pending, allocated) = (count(true), count(false));
    let words = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let of = match (pending, allocated) {
        (0, 0) => return None,
        (pending, 0) => words(pending, "request"),
        (0, allocated) => words(allocated, "allocation"),
        (pending, allocated) => format!("{} and {}", words(pending, "request"), words(allocated, "allocation")),
    };
    let named = unseen().take(MOST).map(|ask| ask.tags.pod().unwrap_or_else(|| ask.id.to_string()));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = if pending + allocated > MOST { ", ..." } else { "" };
    Some(format!("the pods of {of} ({named}{more}): assumed to fit any node, to preempt, and to be preempted"))
}

fn unbound(cluster: &Cluster, asks: &[AskSeen<'_>], pods: &BTreeMap<AskId, Arc<Pod>>) -> Vec<String> {
    let pending = asks.iter().filter(|ask| ask.pending).filter_map(|ask| pods.get(ask.id));
    let why = |pod: &Arc<Pod>| {
        let chosen = || chosen_late(pod, storage(cluster));
        let late = || chosen().map(|claim| format!("the free volumes for its claim {claim:?} are not evaluated"));
        Some((pod.metadata.path(), waits_for(pod, storage(cluster)).or_else(late)?))
    };
    let mut waiting = pending.filter_map(why);
    let words = |(pod, why): (String, String)| format!("nodes for pod {pod}: {why}");
    let mut found: Vec<String> = waiting.by_ref().take(MOST).map(words).collect();
    let more = waiting.count();
    if more > 0 {
        found.push(format!("nodes for {more} more pods with unbound claims"));
    }
    found
}

fn gone<'a>(cluster: &Cluster, nodes: impl Iterator<Item = &'a NodeId>) -> Option<String> {
    let gone: Vec<&str> = nodes.map(NodeId::as_str).filter(|node| !cluster.nodes.contains_key(*node)).collect();
    let named = gone.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    match gone.len() {
        0 => None,
        1..=MOST => Some(format!("nodes unknown to Kubernetes: {named}; they get no pods")),
        count => Some(format!("{count} nodes unknown to Kubernetes ({named}, ...); they get no pods")),
    }
}

fn without_claims(pod: &Arc<Pod>) -> Arc<Pod> {
    let mut pod = Arc::clone(pod);
    if pod.spec.volumes.iter().any(Volume::is_claimed) {
        Arc::make_mut(&mut pod).spec.volumes.retain(|volume| !volume.is_claimed());
    }
    pod
}
