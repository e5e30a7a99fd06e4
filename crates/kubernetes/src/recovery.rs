//! Maps a cluster to commands (K8S-201): unschedulable nodes; applications with their requests in pod order; running
//! allocations; then schedulable nodes. Nothing is decided before all is loaded.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::application::{self, Users};
use super::ask::ask;
use super::cluster::Cluster;
use super::gang::{self, TaskGroup};
use super::gang_hints;
use super::making::{Making, Member, is_placeholder, members, missing_placeholders, originator};
use super::moment::moment;
use super::not_yet::not_yet;
use super::objects::Pod;
use super::pod_resources::{SidecarSum, pod_resources};
use super::predicates::{Snapshot, Storage};
use super::{namespace, node};
use model::{AppId, AskId, NodeId, Profile, Time};
use scheduler::{AskSpec, NodeSpec, PartitionCommand, Submission};

/// How a cluster is mapped.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The release whose shim is followed.
    pub profile: Profile,
    /// Pods with other `schedulerName`s are foreign (K8S-110).
    pub scheduler_names: Vec<String>,
    /// A pod without an ID is its own application (K8S-112).
    pub unique_ids: bool,
    /// Task groups are read (K8S-130).
    pub gangs: bool,
    /// Whether user annotations are trusted.
    pub users: Users,
    /// Retains the node conditions of running pods, which a what-if may copy.
    pub copies: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let scheduler_names = vec!["yunikorn".to_owned(), "kornsole".to_owned()];
        let (profile, users) = (Profile::default(), Users::default());
        Self { profile, scheduler_names, unique_ids: false, gangs: true, users, copies: false }
    }
}

/// A pod that is not requested.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LeftAlone {
    /// Namespace and name.
    pub pod: String,
    /// The missing dependency, or the error.
    pub reason: String,
}

/// A requested pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Namespace and name.
    pub pod: String,
    /// The id of its application.
    pub app: AppId,
    /// It may not be in the cluster yet.
    pub placeholder: bool,
}

/// Requested when its placeholders are allocated (K8S-221).
#[derive(Clone, Debug)]
pub struct WaitingGang {
    /// The application of the gang.
    pub app: AppId,
    /// Required number of placeholders by group.
    pub needed: BTreeMap<String, u64>,
    /// The waiting requests.
    pub gang_members: Vec<AskSpec>,
}

/// Brings a scheduler to the state of a cluster.
#[derive(Clone, Debug)]
pub struct Recovery {
    /// Creation of the newest pod. All times are since 1970.
    pub now: Time,
    /// Unschedulable nodes with the usage of foreign pods.
    pub nodes: Vec<NodeSpec>,
    /// Submissions and requests by time.
    pub steps: Vec<(Time, PartitionCommand)>,
    /// Running allocations in the order of creation.
    pub running: Vec<(AppId, AskId, NodeId)>,
    /// Nodes that become schedulable at the end.
    pub open: Vec<NodeId>,
    /// Gangs that have not come together.
    pub gangs: Vec<WaitingGang>,
    /// All requested pods by UID.
    pub asked: BTreeMap<AskId, Asked>,
    /// Pods that are not requested.
    pub left_alone: Vec<LeftAlone>,
    /// Warnings with their objects.
    pub notices: Vec<String>,
    /// Number of foreign pods on nodes.
    pub foreign: u64,
    /// The cluster as the predicates see it.
    pub snapshot: Snapshot,
}

impl Recovery {
    /// Maps a cluster.
    pub fn of(cluster: &Cluster, settings: &Settings) -> Self {
        let mut mapping = Mapping::new(cluster, settings);
        let mut by_age: Vec<(Time, &Arc<Pod>)> = cluster.pods.values().map(|pod| (mapping.created(pod), pod)).collect();
        by_age.sort_by_key(|(at, pod)| (*at, pod.metadata.namespace.as_str(), pod.metadata.name.as_str()));
        for (at, pod) in by_age.into_iter().filter(|(_, pod)| !pod.is_terminated()) {
            if settings.scheduler_names.contains(&pod.spec.scheduler_name) {
                mapping.managed(at, pod);
            } else {
                mapping.foreign(pod);
            }
        }
        mapping.finish()
    }
}

#[derive(Default)]
struct Outcome {
    steps: Vec<(Time, PartitionCommand)>,
    running: Vec<(Time, AppId, AskId, NodeId)>,
    gangs: Vec<WaitingGang>,
    asked: BTreeMap<AskId, Asked>,
    made: Vec<Arc<Pod>>,
}

impl Outcome {
    fn note(&mut self, pod: &Pod, app: &AppId, spec: &AskSpec) {
        let entry = Asked { pod: pod.metadata.path(), app: app.clone(), placeholder: spec.placeholder };
        self.asked.insert(spec.id.clone(), entry);
    }
}

struct Mapping<'c> {
    cluster: &'c Cluster,
    settings: &'c Settings,
    sidecars: SidecarSum,
    now: Time,
    nodes: BTreeMap<&'c str, NodeSpec>,
    closed: Vec<&'c str>,
    seen: Vec<&'c Arc<Pod>>,
    apps: BTreeMap<String, Making<'c>>,
    order: Vec<String>,
    left_alone: Vec<LeftAlone>,
    notices: Vec<String>,
    foreign: u64,
}

impl<'c> Mapping<'c> {
    fn new(cluster: &'c Cluster, settings: &'c Settings) -> Self {
        let times = cluster.pods.values().filter_map(|pod| moment(pod.metadata.creation_timestamp.as_deref()?));
        let mut notices = Vec::new();
        let mut nodes = BTreeMap::new();
        for (name, object) in &cluster.nodes {
            match node::node(object) {
                Ok(spec) => drop(nodes.insert(name.as_str(), spec)),
                Err(why) => notices.push(format!("node {name} is skipped: {why}")),
            }
        }
        for (name, object) in &cluster.namespaces {
            let bad = namespace::unreadable(&object.metadata).into_iter();
            notices.extend(bad.map(|why| format!("namespace {name}: {why}")));
        }
        Self {
            cluster,
            settings,
            sidecars: SidecarSum::of(settings.profile),
            now: times.max().unwrap_or(Time(1_000_000)),
            nodes,
            closed: Vec::new(),
            seen: Vec::new(),
            apps: BTreeMap::new(),
            order: Vec::new(),
            left_alone: Vec::new(),
            notices,
            foreign: 0,
        }
    }

    /// A release binds volumes that wait for their first pod; kornsole does not request such pods (K8S-178).
    fn storage(&self) -> Storage<'c> {
        Storage { binds_late: self.settings.profile != Profile::Kornsole, ..self.cluster.storage() }
    }

    /// By default that of the newest pod.
    fn created(&self, pod: &Pod) -> Time {
        pod.metadata.creation_timestamp.as_deref().and_then(moment).unwrap_or(self.now)
    }

    /// A pod of another scheduler uses room of its node (K8S-155).
    fn foreign(&mut self, pod: &'c Arc<Pod>) {
        let Some(name) = pod.node() else { return };
        let path = pod.metadata.path();
        let Some(node) = self.nodes.get_mut(name) else {
            self.notices.push(format!("pod {path} names node {name}, which does not exist"));
            return;
        };
        self.foreign += 1;
        self.seen.push(pod);
        match pod_resources(pod, self.sidecars) {
            Ok(resource) => node.occupied.add_assign(&resource),
            Err(why) => self.close(path, name, &why),
        }
    }

    fn close(&mut self, pod: String, node: &'c str, why: &str) {
        self.closed.push(node);
        self.notices.push(format!("pod {pod}: {why}; so node {node} accepts no pods"));
    }

    fn managed(&mut self, at: Time, pod: &'c Arc<Pod>) {
        let path = pod.metadata.path();
        let reason = match pod.node() {
            Some(node) if !self.nodes.contains_key(node) => Some(format!("it names node {node}, which does not exist")),
            Some(_) => None,
            None => not_yet(pod, self.storage()),
        };
        if let Some(reason) = reason {
            self.left_alone.push(LeftAlone { pod: path, reason });
            return;
        }
        let resource = match (pod_resources(pod, self.sidecars), pod.node()) {
            (Ok(resource), _) => resource,
            (Err(why), Some(node)) => {
                self.seen.push(pod);
                return self.close(path, node, &why);
            }
            (Err(reason), None) => return self.left_alone.push(LeftAlone { pod: path, reason }),
        };
        self.seen.push(pod);
        if let Some(several) = application::several(&pod.metadata) {
            self.notices.push(format!("pod {path}: {several}"));
        }
        let id = application::id(&pod.metadata, self.settings.unique_ids);
        if !self.apps.contains_key(&id) {
            self.order.push(id.clone());
        }
        let making = self.apps.entry(id).or_insert_with(|| Making { first: pod, first_at: at, members: Vec::new() });
        making.members.push(Member { pod, at, resource });
    }

    fn finish(mut self) -> Recovery {
        let mut out = Outcome::default();
        for id in std::mem::take(&mut self.order) {
            if let Some(making) = self.apps.remove(&id) {
                self.application(&id, &making, &mut out);
            }
        }
        let Outcome { mut steps, mut running, gangs, asked, made } = out;
        steps.sort_by_key(|(at, _)| *at);
        running.sort_by_key(|(at, ..)| *at);
        let (cluster, storage) = (self.cluster, self.storage());
        let mut seen = self.seen;
        seen.extend(&made);
        let nodes = self.nodes.keys().filter_map(|name| cluster.nodes.get(*name)).map(AsRef::as_ref);
        let snapshot = Snapshot::of(nodes, &seen, &cluster.namespace_labels(), storage, self.settings.copies);
        let opens = |name: &&&str| {
            !self.closed.contains(*name)
                && cluster.nodes.get(**name).is_some_and(|object| node::opens(object, self.settings.profile))
        };
        let open = self.nodes.keys().filter(opens).map(|name| NodeId::from(*name)).collect();
        Recovery {
            now: self.now,
            nodes: self.nodes.into_values().collect(),
            steps,
            running: running.into_iter().map(|(_, app, ask, node)| (app, ask, node)).collect(),
            open,
            gangs,
            asked,
            left_alone: self.left_alone,
            notices: self.notices,
            foreign: self.foreign,
            snapshot,
        }
    }

    /// The requests of an incomplete gang wait for its placeholders.
    fn application(&mut self, id: &str, making: &Making<'_>, out: &mut Outcome) {
        let app = AppId::from(id);
        let groups = self.groups(making.first);
        self.hint(making, &groups);
        let has_started = making.members.iter().any(|one| one.pod.node().is_some() && !is_placeholder(one.pod));
        let is_gang = !groups.is_empty() && !has_started;
        let submission = self.submission(&app, making.first, if is_gang { &groups } else { &[] });
        out.steps.push((making.first_at, PartitionCommand::Submit(submission)));
        let mut gang_members = Vec::new();
        let originator = originator(making);
        for member in &making.members {
            let spec = self.ask_of(member, &app, originator.as_deref());
            out.note(member.pod, &app, &spec);
            match member.pod.node() {
                Some(node) => out.running.push((member.at, app.clone(), spec.id.clone(), NodeId::from(node))),
                None if is_gang && !spec.placeholder => {
                    gang_members.push(spec);
                    continue;
                }
                None => {}
            }
            out.steps.push((member.at, PartitionCommand::Ask(spec)));
        }
        if is_gang {
            for pod in missing_placeholders(id, making, &groups) {
                let Ok(resource) = pod_resources(&pod, self.sidecars) else { continue };
                let spec = ask(&pod, &app, resource, self.class_of(&pod), false);
                out.note(&pod, &app, &spec);
                out.steps.push((self.now, PartitionCommand::Ask(spec)));
                out.made.push(Arc::new(pod));
            }
            let needed = groups.iter().map(|group| (group.name.clone(), members(group))).collect();
            out.gangs.push(WaitingGang { app, needed, gang_members });
        }
    }

    /// From the first pod (K8S-131).
    fn groups(&mut self, first: &Pod) -> Vec<TaskGroup> {
        if !self.settings.gangs {
            return Vec::new();
        }
        gang::task_groups(&first.metadata).unwrap_or_else(|why| {
            self.notices.push(format!("pod {}: TaskGroupsError: {why}", first.metadata.path()));
            Vec::new()
        })
    }

    fn hint(&mut self, making: &Making<'_>, groups: &[TaskGroup]) {
        if groups.is_empty() {
            return;
        }
        let first = &making.first.metadata;
        let pods = making.members.iter().map(|member| member.pod);
        let too_small = pods
            .filter(|pod| pod.node().is_none())
            .filter_map(|pod| Some((pod.metadata.path(), gang_hints::too_small(pod, groups, self.sidecars)?, "W-012")));
        let without_effect = gang_hints::parameters(first).into_iter().map(|why| (first.path(), why, "W-013"));
        let reported = without_effect.chain(too_small);
        self.notices.extend(reported.map(|(pod, why, id)| format!("pod {pod}: {why} ({id})")));
    }

    fn submission(&mut self, app: &AppId, first: &Pod, groups: &[TaskGroup]) -> Submission {
        let namespace = self.cluster.namespaces.get(&first.metadata.namespace);
        let (submission, bad) = application::submission(app, first, namespace, groups, self.settings.users);
        self.notices.extend(bad.map(|why| format!("pod {}: {why}", first.metadata.path())));
        submission
    }

    fn ask_of(&self, member: &Member<'_>, app: &AppId, originator: Option<&str>) -> AskSpec {
        let Member { pod, resource, .. } = member;
        let started_at = originator == Some(pod.metadata.uid.as_str()) && !is_placeholder(pod);
        ask(pod, app, resource.clone(), self.class_of(pod), started_at)
    }

    fn class_of(&self, pod: &Pod) -> Option<&'c super::objects::Plain> {
        self.cluster.classes.get(&pod.spec.priority_class_name)
    }
}
