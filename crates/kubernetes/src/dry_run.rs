//! Schedules a stopped cluster until nothing more is decided.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::cluster::Cluster;
use super::recovery::{Asked, LeftAlone, Recovery, Settings, WaitingGang};
use config::Config;
use model::{AppId, AppState, AskId, NodeId, Resource, Time};
use scheduler::state::ask::Ask;
use scheduler::{Adopted, Command, Event, EventKind, Partition, PartitionCommand, ReleaseReason, Scheduler};
use view::waiting::AskWords;
use view::waiting::Sentence;

const PARTITION: &str = "default";
/// Ages of the newest pod in seconds at which cycles run: immediately, after the reservation delay, after the
/// preemption delays.
const AGES: [u64; 4] = [1, 4, 35, 65];

/// A pod that would be bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// Namespace and name.
    pub pod: String,
    /// The id of its application.
    pub app: String,
    /// Leaf of its application.
    pub queue: String,
    /// The node that it would be bound to.
    pub node: String,
    /// It is a placeholder.
    pub placeholder: bool,
}

/// A pod that stays pending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Namespace and name.
    pub pod: String,
    /// The id of its application.
    pub app: String,
    /// Empty if no queue accepts it.
    pub queue: String,
    /// The first failed check, in words.
    pub reason: String,
}

/// A pod that would be preempted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evicted {
    /// Namespace and name.
    pub pod: String,
    /// Where it is.
    pub node: String,
    /// The pod that needs the resources, or the queue above its maximum.
    pub by: String,
}

/// The result of scheduling a cluster.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Plan {
    /// Bound pods in the order of the decisions.
    pub bound: Vec<Bound>,
    /// What stays pending.
    pub waiting: Vec<Waiting>,
    /// Pods that are not requested.
    pub left_alone: Vec<LeftAlone>,
    /// What would be deleted to make room.
    pub evicted: Vec<Evicted>,
    /// What is odd and stops nothing.
    pub notices: Vec<String>,
    /// Number of running pods of kornsole.
    pub running: usize,
    /// Number of foreign pods on nodes.
    pub foreign: u64,
    /// Number of nodes.
    pub nodes: usize,
}

/// Fails without a valid configuration and pod partition.
pub fn plan(cluster: &Cluster, settings: &Settings, config: Arc<Config>) -> Result<Plan, String> {
    let recovery = Recovery::of(cluster, settings);
    let mut run = Run::start(recovery, settings, config)?;
    run.settle();
    Ok(run.finish())
}

/// Applications, without scheduling.
#[derive(Clone, Debug, Default)]
pub struct Submitted {
    /// Rejections, and ineffective or insufficient gang settings.
    pub notices: Vec<String>,
    /// Pending and running pods: queue, name, and request.
    pub pods: Vec<(String, String, Resource)>,
    /// Total capacity; `None` without a node.
    pub nodes: Option<Resource>,
}

/// Submits applications without scheduling.
///
/// # Errors
/// The configuration is rejected, or has no partition for pods.
pub fn submitted(cluster: &Cluster, settings: &Settings, config: Arc<Config>) -> Result<Submitted, String> {
    let mut run = Run::start(Recovery::of(cluster, settings), settings, config)?;
    let mut found = Submitted { notices: std::mem::take(&mut run.plan.notices), ..Submitted::default() };
    let Some(part) = run.scheduler.partitions().iter().find(|part| *part.name == *PARTITION) else { return Ok(found) };
    for app in part.ended.iter().filter(|app| app.state == AppState::Rejected) {
        found.notices.push(format!("application {}: rejected: {}", app.id, app.message.as_deref().unwrap_or_default()));
    }
    for (_, app) in part.apps.iter() {
        let pods = app.asks.iter().filter(|(_, ask)| !ask.placeholder);
        let pod = |ask: &Ask| (app.queue_path.as_str().to_owned(), run.name(&ask.id), ask.resource.clone());
        found.pods.extend(pods.map(|(_, ask)| pod(ask)));
    }
    for node in part.nodes.iter() {
        found.nodes.get_or_insert_default().add_assign(&node.total);
    }
    Ok(found)
}

pub(super) struct Run {
    pub scheduler: Scheduler,
    pub now: Time,
    asked: BTreeMap<AskId, Asked>,
    gangs: Vec<WaitingGang>,
    bound: BTreeMap<u64, (AskId, NodeId)>,
    number_of: BTreeMap<AskId, u64>,
    decisions: u64,
    pub rejected: BTreeMap<AskId, String>,
    leaving: BTreeMap<AskId, String>,
    pub plan: Plan,
    running: BTreeMap<AskId, NodeId>,
    snapshot: super::predicates::Snapshot,
}

impl Run {
    /// Loads the state of the cluster.
    pub fn start(recovery: Recovery, settings: &Settings, config: Arc<Config>) -> Result<Self, String> {
        let Recovery { now, nodes, steps, running, open, gangs, asked, left_alone, notices, foreign, snapshot } =
            recovery;
        let plan = Plan { left_alone, notices, foreign, nodes: nodes.len(), running: running.len(), ..Plan::default() };
        let mut run = Self {
            scheduler: Scheduler::new(settings.profile),
            now: steps.first().map_or(now, |(at, _)| *at),
            asked,
            gangs,
            bound: BTreeMap::new(),
            number_of: BTreeMap::new(),
            decisions: 0,
            rejected: BTreeMap::new(),
            leaving: BTreeMap::new(),
            plan,
            running: BTreeMap::new(),
            snapshot: snapshot.clone(),
        };
        run.apply(&Command::Configure(config))?;
        let parts = run.scheduler.partitions_mut();
        let part = parts.iter_mut().find(|part| *part.name == *PARTITION);
        let part = part.ok_or("the queue configuration has no partition `default`, which all pods use")?;
        part.nodes.set_predicates(Arc::new(snapshot));
        for node in nodes {
            run.apply(&command(PartitionCommand::AddNode(node)))?;
        }
        for (at, step) in steps {
            run.now = at;
            run.apply(&command(step))?;
        }
        run.now = now;
        for (app, ask, node) in running {
            match run.scheduler.adopt_ask(now, PARTITION, (&app, &ask), &node, Adopted::Allocation) {
                Ok(()) => drop(run.running.insert(ask, node)),
                Err(why) => run.plan.notices.push(format!("pod {} on {node} is skipped: {why}", run.name(&ask))),
            }
        }
        for node in open {
            run.apply(&command(PartitionCommand::ResumeNode(node)))?;
        }
        Ok(run)
    }

    fn apply(&mut self, command: &Command) -> Result<bool, String> {
        let events = self.scheduler.apply(self.now, command);
        let mut decided = false;
        for event in &events {
            decided |= self.note(event)?;
        }
        Ok(decided)
    }

    fn note(&mut self, event: &Event) -> Result<bool, String> {
        match &event.kind {
            EventKind::ConfigRejected { message } => return Err(message.clone()),
            EventKind::NodeRejected { node, message } => self.plan.notices.push(format!("node {node}: {message}")),
            EventKind::AskRejected { ask, message, .. } => drop(self.rejected.insert(ask.clone(), message.clone())),
            EventKind::Allocated { ask, node, .. } => {
                self.decisions += 1;
                self.bound.insert(self.decisions, (ask.clone(), node.clone()));
                self.number_of.insert(ask.clone(), self.decisions);
                return Ok(true);
            }
            EventKind::Released { ask, node, reason, .. } => {
                if let Some(number) = self.number_of.remove(ask) {
                    self.bound.remove(&number);
                }
                if *reason == ReleaseReason::Preempted && self.running.contains_key(ask) {
                    let by = self.leaving.get(ask).cloned().unwrap_or_default();
                    self.plan.evicted.push(Evicted { pod: self.name(ask), node: node.to_string(), by });
                }
                return Ok(true);
            }
            EventKind::Preempted { ask, by_ask, .. } => {
                let by = format!("pod {}", self.name(by_ask));
                self.leaving.insert(ask.clone(), by);
                return Ok(true);
            }
            EventKind::QuotaPreempted { ask, queue, .. } => {
                self.leaving.insert(ask.clone(), format!("the maximum of {queue}"));
                return Ok(true);
            }
            EventKind::Replacing { .. } | EventKind::Reserved { .. } => return Ok(true),
            _ => {}
        }
        Ok(false)
    }

    /// Returns namespace and name by UID.
    pub fn name(&self, ask: &AskId) -> String {
        self.asked.get(ask).map_or_else(|| ask.to_string(), |asked| asked.pod.clone())
    }

    fn settle(&mut self) {
        let start = self.now;
        // Bounds the decisions, whatever the configuration.
        let mut left = (self.asked.len() as u64).saturating_mul(20).saturating_add(1000);
        for age in AGES {
            self.now = start + Duration::from_secs(age);
            while left > 0 {
                left -= 1;
                let decided = self.apply(&Command::Cycle).unwrap_or(false);
                if !decided && !self.release_gangs() {
                    break;
                }
            }
        }
    }

    /// Requests the real pods of complete gangs. Returns true if there are any.
    fn release_gangs(&mut self) -> bool {
        let mut placeholders: BTreeMap<(AppId, String), u64> = BTreeMap::new();
        let here = self.scheduler.partitions().iter().find(|part| *part.name == *PARTITION);
        for gang in &self.gangs {
            let Some(key) = here.and_then(|part| part.app_key(&gang.app)) else { continue };
            let Some(app) = here.map(|part| &part.apps[key]) else { continue };
            for ask in app.allocations.values().map(|key| &app.asks[*key]).filter(|ask| ask.placeholder) {
                let group = ask.rare.task_group.as_deref().unwrap_or_default();
                *placeholders.entry((gang.app.clone(), group.to_owned())).or_default() += 1;
            }
        }
        let is_whole = |gang: &WaitingGang| {
            let count = |group: &String| placeholders.get(&(gang.app.clone(), group.clone())).copied().unwrap_or(0);
            gang.needed.iter().all(|(group, needed)| count(group) >= *needed)
        };
        let (whole, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.gangs).into_iter().partition(is_whole);
        self.gangs = waiting;
        let mut any = false;
        for spec in whole.into_iter().flat_map(|gang| gang.gang_members) {
            any |= self.apply(&command(PartitionCommand::Ask(spec))).is_ok();
        }
        any
    }

    fn finish(mut self) -> Plan {
        let mut plan = std::mem::take(&mut self.plan);
        let Some(part) = self.scheduler.partitions().iter().find(|part| *part.name == *PARTITION) else { return plan };
        let queue_of =
            |app: &AppId| part.app_key(app).map_or_else(String::new, |key| part.apps[key].queue_path.to_string());
        for (ask, node) in self.bound.values() {
            let Some(Asked { pod, app, placeholder }) = self.asked.get(ask) else { continue };
            let (pod, node, placeholder) = (pod.clone(), node.to_string(), *placeholder);
            plan.bound.push(Bound { pod, app: app.to_string(), queue: queue_of(app), node, placeholder });
        }
        let mut reasons = Reasons { run: &self, part, known: BTreeMap::new() };
        for (ask, asked) in &self.asked {
            let has_node = self.number_of.contains_key(ask) || self.running.contains_key(ask);
            let was_made = asked.placeholder && self.is_gone(part, ask, &asked.app);
            if has_node || was_made {
                continue;
            }
            let (pod, reason) = (asked.pod.clone(), reasons.of(ask, &asked.app));
            plan.waiting.push(Waiting { pod, app: asked.app.to_string(), queue: queue_of(&asked.app), reason });
        }
        plan.waiting.sort_by(|one, other| one.pod.cmp(&other.pod));
        plan
    }

    fn is_gone(&self, part: &Partition, ask: &AskId, app: &AppId) -> bool {
        !self.rejected.contains_key(ask) && part.app_key(app).is_some_and(|key| part.apps[key].ask_key(ask).is_none())
    }
}

fn command(command: PartitionCommand) -> Command {
    Command::In { partition: Some(Arc::from(PARTITION)), command }
}

/// Why pods are pending; identical pods are explained once.
struct Reasons<'r> {
    run: &'r Run,
    part: &'r Partition,
    known: BTreeMap<AppId, Vec<(AskId, String)>>,
}

impl Reasons<'_> {
    fn of(&mut self, ask: &AskId, app: &AppId) -> String {
        if let Some(gang) = self.run.gangs.iter().find(|gang| gang.app == *app)
            && gang.gang_members.iter().any(|gang_members| gang_members.id == *ask)
        {
            let groups: Vec<String> =
                gang.needed.iter().map(|(group, needed)| format!("{needed} of group {group}")).collect();
            return format!("its gang is incomplete: it needs placeholders, {}", groups.join(", "));
        }
        let Some(key) = self.part.app_key(app) else {
            let ended = self.part.explain(self.run.now, app, None);
            let why = ended.and_then(|ended| ended.blockers.first().map(|blocker| blocker.detail.clone()));
            let why = why.filter(|why| !why.is_empty()).or_else(|| self.run.rejected.get(ask).cloned());
            return why.unwrap_or_else(|| "its application does not exist".to_owned());
        };
        if let Some(why) = self.run.rejected.get(ask) {
            return why.clone();
        }
        let application = &self.part.apps[key];
        let same = |other: &AskId| {
            let pair = application.ask_key(ask).zip(application.ask_key(other));
            pair.is_some_and(|(one, other)| {
                let (one, other) = (&application.asks[one], &application.asks[other]);
                one.resource == other.resource
                    && one.priority == other.priority
                    && one.rare.required_node == other.rare.required_node
                    && one.rare.task_group == other.rare.task_group
                    && self.run.snapshot.treats_identical(&one.id, &other.id)
            })
        };
        let known = self.known.get(app).into_iter().flatten().find(|(other, _)| same(other));
        if let Some((_, reason)) = known {
            return reason.clone();
        }
        let reason = self.explained(ask, app);
        self.known.entry(app.clone()).or_default().push((ask.clone(), reason.clone()));
        reason
    }

    fn explained(&self, ask: &AskId, app: &AppId) -> String {
        let found = self.part.explain(self.run.now, app, Some(ask));
        let Some(found) = found.and_then(|found| found.asks.into_iter().next()) else {
            return "its request was canceled".to_owned();
        };
        match (found.blockers.first(), found.next_step()) {
            (Some(first), _) => format!("waits for {}", first.sentence()),
            (None, Some(step)) => step,
            (None, None) => "it is next".to_owned(),
        }
    }
}
