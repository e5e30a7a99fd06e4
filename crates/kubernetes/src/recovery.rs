//! A cluster unchanged, as commands of the scheduler (K8S-201): nodes, closed; applications with their asks in the order of their pods;
//! running allocations; nodes, opened. Nothing is decided before all of it is in.

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

/// How a cluster is read.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The release whose shim is followed.
    pub profile: Profile,
    /// The pods of these `schedulerName`s are scheduled; all others are foreign (K8S-110).
    pub scheduler_names: Vec<String>,
    /// A pod that names no application is one of its own (K8S-112).
    pub unique_ids: bool,
    /// Task groups are read (K8S-130).
    pub gangs: bool,
    /// Whether the user that a pod names is trusted.
    pub users: Users,
    /// A what-if may ask once more for pods that run: what they say of nodes is kept.
    pub copies: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let scheduler_names = vec!["yunikorn".to_owned(), "kornsole".to_owned()];
        let (profile, users) = (Profile::default(), Users::default());
        Self { profile, scheduler_names, unique_ids: false, gangs: true, users, copies: false }
    }
}

/// A pod that nothing is requested.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LeftAlone {
    /// Its namespace and name.
    pub pod: String,
    /// What it waits for, or what of it cannot be read.
    pub reason: String,
}

/// A pod that is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its namespace and name.
    pub pod: String,
    /// The id of its application.
    pub app: AppId,
    /// It holds room for a gang, and is not in the cluster yet if that says so.
    pub placeholder: bool,
}

/// The real pods of a gang, which are requested once its placeholders stand (K8S-221).
#[derive(Clone, Debug)]
pub struct WaitingGang {
    /// The application of the gang.
    pub app: AppId,
    /// How many placeholders of each group must stand.
    pub needed: BTreeMap<String, u64>,
    /// The asks that wait for them.
    pub held: Vec<AskSpec>,
}

/// What brings a scheduler to the state of a cluster.
#[derive(Clone, Debug)]
pub struct Recovery {
    /// The moment: the newest pod's creation. All times count from 1970.
    pub now: Time,
    /// The nodes with what foreign pods use, closed.
    pub nodes: Vec<NodeSpec>,
    /// Submissions and asks, by time.
    pub steps: Vec<(Time, PartitionCommand)>,
    /// Running allocations, in the order of creation.
    pub running: Vec<(AppId, AskId, NodeId)>,
    /// The nodes that take allocations from then on.
    pub open: Vec<NodeId>,
    /// Gangs that have not come together.
    pub gangs: Vec<WaitingGang>,
    /// Every pod that is requested, by its UID.
    pub asked: BTreeMap<AskId, Asked>,
    /// The pods that nothing is requested.
    pub left_alone: Vec<LeftAlone>,
    /// What is odd and stops nothing, each with its object.
    pub notices: Vec<String>,
    /// How many foreign pods are on nodes.
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

/// What mapped applications gave.
#[derive(Default)]
struct Outcome {
    steps: Vec<(Time, PartitionCommand)>,
    running: Vec<(Time, AppId, AskId, NodeId)>,
    gangs: Vec<WaitingGang>,
    asked: BTreeMap<AskId, Asked>,
    /// Placeholders that are not in the cluster yet.
    made: Vec<Arc<Pod>>,
}

impl Outcome {
    fn note(&mut self, pod: &Pod, app: &AppId, spec: &AskSpec) {
        let entry = Asked { pod: pod.metadata.path(), app: app.clone(), placeholder: spec.placeholder };
        self.asked.insert(spec.id.clone(), entry);
    }
}

/// The state while a cluster is mapped.
struct Mapping<'c> {
    cluster: &'c Cluster,
    settings: &'c Settings,
    sidecars: SidecarSum,
    now: Time,
    nodes: BTreeMap<&'c str, NodeSpec>,
    /// Nodes whose use is unknown.
    closed: Vec<&'c str>,
    /// The pods that filters know.
    seen: Vec<&'c Arc<Pod>>,
    apps: BTreeMap<String, Making<'c>>,
    /// The ids of the applications by age.
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

    /// The objects of volumes. A release has volumes bound that wait for their first pod; kornsole leaves such pods alone (K8S-178).
    fn storage(&self) -> Storage<'c> {
        Storage { binds_late: self.settings.profile != Profile::Kornsole, ..self.cluster.storage() }
    }

    /// When a pod was made; one that does not say is as new as the newest.
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

    /// What a pod uses of a node is unknown, so nothing may go there.
    fn close(&mut self, pod: String, node: &'c str, why: &str) {
        self.closed.push(node);
        self.notices.push(format!("pod {pod}: {why}; so node {node} accepts no pods"));
    }

    /// A pod of kornsole (K8S-110).
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
        let nodes = self.nodes.keys().filter_map(|name| cluster.nodes.get(*name));
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

    /// One application: its submission, and its asks. Those of a gang that has not come together wait for its placeholders.
    fn application(&mut self, id: &str, making: &Making<'_>, out: &mut Outcome) {
        let app = AppId::from(id);
        let groups = self.groups(making.first);
        self.hint(making, &groups);
        let has_begun = making.members.iter().any(|one| one.pod.node().is_some() && !is_placeholder(one.pod));
        let is_gang = !groups.is_empty() && !has_begun;
        let submission = self.submission(&app, making.first, if is_gang { &groups } else { &[] });
        out.steps.push((making.first_at, PartitionCommand::Submit(submission)));
        let mut held = Vec::new();
        let originator = originator(making);
        for member in &making.members {
            let spec = self.ask_of(member, &app, originator.as_deref());
            out.note(member.pod, &app, &spec);
            match member.pod.node() {
                Some(node) => out.running.push((member.at, app.clone(), spec.id.clone(), NodeId::from(node))),
                None if is_gang && !spec.placeholder => {
                    held.push(spec);
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
            out.gangs.push(WaitingGang { app, needed, held });
        }
    }

    /// The task groups of an application, from its first pod (K8S-131).
    fn groups(&mut self, first: &Pod) -> Vec<TaskGroup> {
        if !self.settings.gangs {
            return Vec::new();
        }
        gang::task_groups(&first.metadata).unwrap_or_else(|why| {
            self.notices.push(format!("pod {}: TaskGroupsError: {why}", first.metadata.path()));
            Vec::new()
        })
    }

    /// Says what of a gang has no effect, or is too small.
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
        let said = without_effect.chain(too_small);
        self.notices.extend(said.map(|(pod, why, id)| format!("pod {pod}: {why} ({id})")));
    }

    fn submission(&mut self, app: &AppId, first: &Pod, groups: &[TaskGroup]) -> Submission {
        let namespace = self.cluster.namespaces.get(&first.metadata.namespace);
        let (submission, bad) = application::submission(app, first, namespace, groups, self.settings.users);
        self.notices.extend(bad.map(|why| format!("pod {}: {why}", first.metadata.path())));
        submission
    }

    fn ask_of(&self, member: &Member<'_>, app: &AppId, originator: Option<&str>) -> AskSpec {
        let Member { pod, resource, .. } = member;
        let began = originator == Some(pod.metadata.uid.as_str()) && !is_placeholder(pod);
        ask(pod, app, resource.clone(), self.class_of(pod), began)
    }

    fn class_of(&self, pod: &Pod) -> Option<&'c super::objects::Plain> {
        self.cluster.classes.get(&pod.spec.priority_class_name)
    }
}
