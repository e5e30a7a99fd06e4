//! Recorded scenarios as Kubernetes objects that lead to the same commands.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use model::{AppId, AskId, NodeId, Resource, Time};
use scenario::{Scenario, StepKind};
use scheduler::{AskSpec, NodeSpec, PartitionCommand, Submission};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

const DOMAIN: &str = "yunikorn.apache.org";
const NAMESPACE: &str = "default";

/// A change of a Kubernetes cluster.
pub enum Change {
    /// An object of a kind in its current state.
    Put(&'static str, Value),
    /// A removed object: its kind, namespace, and name.
    Gone(&'static str, String, String),
}

/// Returns why a scenario cannot be expressed as pods; `None` if it can.
pub fn why_not(scenario: &Scenario) -> Option<&'static str> {
    let mut apps: BTreeMap<&AppId, &Submission> = BTreeMap::new();
    let (mut asks, mut nodes): (BTreeMap<AskId, &AppId>, BTreeSet<&NodeId>) = Default::default();
    let mut late: BTreeSet<&AppId> = BTreeSet::new();
    let mut silent: BTreeSet<&AppId> = BTreeSet::new();
    let text = scenario.config_text().unwrap_or_default().to_lowercase();
    for step in &scenario.steps {
        let StepKind::Command(command) = &step.kind else {
            late.append(&mut silent);
            continue;
        };
        match command {
            PartitionCommand::AddNode(node) if !nodes.insert(&node.id) => return Some("a node is registered twice"),
            PartitionCommand::RemoveNode(node) => drop(nodes.remove(node)),
            PartitionCommand::Submit(app) => {
                if apps.insert(&app.app, app).is_some() {
                    return Some("an id is submitted twice: pods of one id are one application while it lasts");
                }
                let of_namespace = |tag: &String| tag == "namespace";
                if !app.tags.keys().all(of_namespace) {
                    return Some("an application has tags that no pod gives it");
                }
                if app.tags.is_empty() && text.contains("tag") {
                    return Some("an application has no namespace, and a rule places by it: each pod has one");
                }
                silent.insert(&app.app);
                if !app.placeholder_ask.is_zero() {
                    return Some(
                        "a gang is declared by its whole and not by groups, for which the mapping holds its pods back",
                    );
                }
            }
            PartitionCommand::Ask(ask) => {
                if !apps.contains_key(&ask.app) {
                    return Some("an ask is of an application that was not submitted: a pod submits its own");
                }
                if late.contains(&ask.app) {
                    return Some(
                        "an application asks long after it was submitted: pods submit theirs with the first ask",
                    );
                }
                silent.remove(&ask.app);
                if ask.ids().any(|id| asks.insert(id, &ask.app).is_some_and(|before| *before != ask.app)) {
                    return Some("two applications use one id for an ask: UIDs of pods are unique");
                }
                if ask.resource.iter().any(|(_, amount)| amount < 0) {
                    return Some("an amount is below zero, which is no request of a pod");
                }
            }
            PartitionCommand::Remove { .. } => {
                return Some("an application is removed at once: that of pods ends 30 s after its last pod");
            }
            _ => {}
        }
    }
    None
}

/// The objects of a scenario.
#[derive(Default)]
pub struct AsPods {
    apps: BTreeMap<AppId, (Submission, u64)>,
    nodes: BTreeMap<NodeId, (NodeSpec, bool)>,
    pods: BTreeMap<AskId, Value>,
    scheduler: &'static str,
}

impl AsPods {
    pub fn of(scheduler: &'static str) -> Self {
        Self { scheduler, ..Self::default() }
    }

    /// Returns the changes of a command. Pod times in seconds order applications, so each starts in a second of its
    /// own.
    pub fn changes(&mut self, command: &PartitionCommand, now: Time) -> Vec<Change> {
        match command {
            PartitionCommand::AddNode(node) => {
                self.nodes.insert(node.id.clone(), (node.clone(), false));
                self.node(&node.id)
            }
            PartitionCommand::UpdateNode { id, capacity, occupied } => {
                if let Some((node, _)) = self.nodes.get_mut(id) {
                    node.capacity = capacity.clone().unwrap_or_else(|| node.capacity.clone());
                    node.occupied = occupied.clone().unwrap_or_else(|| node.occupied.clone());
                }
                self.node(id)
            }
            PartitionCommand::RemoveNode(id) => {
                self.nodes.remove(id);
                vec![Change::Gone("Node", String::new(), id.to_string())]
            }
            PartitionCommand::DrainNode(id) | PartitionCommand::ResumeNode(id) => {
                if let Some((_, cordoned)) = self.nodes.get_mut(id) {
                    *cordoned = matches!(command, PartitionCommand::DrainNode(_));
                }
                self.node(id)
            }
            PartitionCommand::Submit(app) => {
                let before = self.apps.len() as u64;
                self.apps.insert(app.app.clone(), (app.clone(), before));
                Vec::new()
            }
            PartitionCommand::Ask(ask) => {
                let (app, before) = self.apps[&ask.app].clone();
                let second = second(now + Duration::from_secs(before));
                let put = |id: AskId| {
                    let before = self.pods.get(&id).cloned();
                    let pod = pod(&app, ask, &id, self.scheduler, before.as_ref(), &second);
                    self.pods.insert(id, pod.clone());
                    Change::Put("Pod", pod)
                };
                ask.ids().map(put).collect()
            }
            PartitionCommand::Release { ask, .. } => self.gone(ask),
            _ => Vec::new(),
        }
    }

    /// Removes a pod if it exists.
    pub fn gone(&mut self, ask: &AskId) -> Vec<Change> {
        let Some(pod) = self.pods.remove(ask) else { return Vec::new() };
        let text = |key: &str| pod["metadata"][key].as_str().unwrap().to_owned();
        vec![Change::Gone("Pod", text("namespace"), text("name"))]
    }

    /// Sets the node of a pod if the pod exists.
    pub fn bound(&mut self, ask: &AskId, node: &str) -> Option<Change> {
        let pod = self.pods.get_mut(ask)?;
        pod["spec"]["nodeName"] = json!(node);
        Some(Change::Put("Pod", pod.clone()))
    }

    fn node(&self, id: &NodeId) -> Vec<Change> {
        let Some((node, cordoned)) = self.nodes.get(id) else { return Vec::new() };
        let mut allocatable = amounts(&node.capacity);
        // The number of pods must not limit anything.
        allocatable["pods"] = json!("1000000000");
        let object = json!({
            "metadata": {"name": id.as_str()}, "spec": {"unschedulable": cordoned}, "status": {"allocatable": allocatable},
        });
        let name = format!("others-{id}");
        let others = json!({
            "metadata": {"namespace": "kube-system", "name": name, "uid": name},
            "spec": {"schedulerName": "other", "nodeName": id.as_str(), "containers": [container(&node.occupied)]},
        });
        vec![Change::Put("Node", object), Change::Put("Pod", others)]
    }
}

fn second(now: Time) -> String {
    let at = OffsetDateTime::from_unix_timestamp(i64::try_from(now.0 / 1_000_000).unwrap()).unwrap();
    at.format(&Rfc3339).unwrap()
}

/// Resources in Kubernetes notation.
pub fn amounts(resource: &Resource) -> Value {
    let one = |(name, amount): (&str, i64)| match name {
        "vcore" => ("cpu".to_owned(), json!(format!("{amount}m"))),
        name => (name.to_owned(), json!(amount.to_string())),
    };
    resource.iter().map(one).collect::<serde_json::Map<_, _>>().into()
}

fn container(resource: &Resource) -> Value {
    json!({"name": "main", "image": "x", "resources": {"requests": amounts(resource)}})
}

/// A repeated request keeps its time and its node.
fn pod(app: &Submission, ask: &AskSpec, id: &AskId, scheduler: &str, before: Option<&Value>, second: &str) -> Value {
    let own = |key: &str| format!("{DOMAIN}/{key}");
    let user = json!({"user": app.who.user, "groups": app.who.groups}).to_string();
    let mut annotations = json!({own("user.info"): user, own("allow-preemption"): ask.allow_preempt_self.to_string()});
    let style = format!("gangSchedulingStyle={:?}", app.gang_style);
    let timeout = app.placeholder_timeout.map(|time| format!(" placeholderTimeoutInSeconds={}", time.as_secs()));
    annotations[own("schedulingPolicyParameters")] = json!(style + &timeout.unwrap_or_default());
    if ask.placeholder {
        annotations["internal.yunikorn.apache.org/placeholder"] = json!("true");
    }
    if let Some(group) = &ask.task_group {
        annotations[own("task-group-name")] = json!(&**group);
    }
    let mut spec = json!({
        "schedulerName": scheduler, "priority": ask.priority.0, "containers": [container(&ask.resource)],
        "preemptionPolicy": if ask.allow_preempt_other { "PreemptLowerPriority" } else { "Never" },
    });
    let mut metadata = json!({
        "namespace": app.tags.get("namespace").map_or(NAMESPACE, String::as_str), "name": id.as_str(), "uid": id.as_str(),
        "creationTimestamp": second, "labels": {own("app-id"): app.app.as_str(), own("queue"): app.queue}, "annotations": annotations,
    });
    if let Some(node) = &ask.required_node {
        let field = json!({"key": "metadata.name", "operator": "In", "values": [node.as_str()]});
        let terms = json!([{"matchFields": [field]}]);
        spec["affinity"] =
            json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}});
        metadata["ownerReferences"] = json!([{"kind": "DaemonSet", "uid": "set"}]);
    }
    if let Some(before) = before {
        metadata["creationTimestamp"] = before["metadata"]["creationTimestamp"].clone();
        spec["nodeName"] = before["spec"]["nodeName"].clone();
    }
    json!({"metadata": metadata, "spec": spec})
}
