//! The Kubernetes objects of a subject.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::present::details::sheet::{labeled, labeled_text};
use crate::present::format;
use crate::present::pieces::{Lines, dim, piece, plain};
use crate::present::text;
use crate::state::State;
use crate::theme::Role;
use config::{RuleConfig, RuleKind};
use model::{AskId, Time};
use view::kubernetes::{Condition, Kubernetes, ListState, ObjectKind, OwnerName, PodRow};
use view::{AppRow, NodeRow, PartitionView, QueueRow};

const NAMED: usize = 5;

fn known(state: &State) -> Option<&Arc<Kubernetes>> {
    state.cluster.view.kubernetes.as_ref()
}

fn missing(lines: &mut Lines, all: &Kubernetes, kind: ObjectKind, label: &str, width: usize) {
    let why = match all.lists.get(kind) {
        ListState::Live | ListState::Stale(Some(_), _) => return,
        ListState::Awaited => format!("waiting for {}", kind.words()),
        ListState::Stale(None, why) | ListState::Refused(why) => format!("unknown: {why}"),
    };
    labeled_text(lines, label, &why, width, Role::Dim);
}

/// The pod of a request.
pub fn ask(lines: &mut Lines, state: &State, id: &AskId, width: usize) {
    let Some(pod) = known(state).and_then(|all| all.pod_of(id)) else { return };
    let text = pod_words(pod);
    let role = if pod.problem(false).is_some() { Role::Warning } else { Role::Text };
    labeled_text(lines, "its pod", &text, width, role);
    if let Some(message) = pod.message.as_deref() {
        labeled_text(lines, "", message, width, role);
    }
    if let Some(owner) = &pod.owner {
        labeled_text(lines, "made by", &owner_words(owner, &pod.namespace), width, Role::Text);
    }
    if let Some(class) = &pod.priority_class {
        labeled_text(lines, "class", class, width, Role::Text);
    }
    conditions(lines, &pod.conditions, state.cluster.at, width);
}

/// Status, node, ready containers, restarts.
pub fn pod_words(pod: &PodRow) -> String {
    let node = pod.node.as_deref().map_or_else(|| "on no node".to_owned(), |node| format!("on {node}"));
    let restarts = match pod.restarts {
        0 => String::new(),
        times => format!(", {}", format::count(times.into(), "restart")),
    };
    let own = pod.containers.len().saturating_sub(usize::from(pod.init_containers));
    format!("{} {node}, {}/{own} ready{restarts}", pod.status, pod.ready)
}

/// The owner by kind and name.
pub fn owner_words(owner: &OwnerName, namespace: &str) -> String {
    format!("{} {namespace}/{}", owner.kind, owner.name)
}

/// Conditions; true ones in one line.
pub fn conditions(lines: &mut Lines, all: &[Condition], now: Time, width: usize) {
    let good = |one: &&Condition| one.is_true() != bad_news(&one.kind);
    let fulfilled: Vec<&str> = all.iter().filter(good).filter(|one| one.is_true()).map(|one| &*one.kind).collect();
    let mut label = "conditions";
    if !fulfilled.is_empty() {
        labeled_text(lines, label, &fulfilled.join(", "), width, Role::Text);
        label = "";
    }
    for one in all.iter().filter(|one| !good(one)) {
        let since = one.since.map(|since| format!(" for {}", format::duration(now.since(since)))).unwrap_or_default();
        let why: Vec<&str> = [&*one.reason, &*one.message].into_iter().filter(|text| !text.is_empty()).collect();
        let why = if why.is_empty() { String::new() } else { format!(": {}", why.join(", ")) };
        labeled_text(lines, label, &format!("{} {}{since}{why}", one.kind, one.status), width, Role::Warning);
        label = "";
    }
}

fn bad_news(kind: &str) -> bool {
    kind.ends_with("Pressure") || kind.ends_with("Unavailable")
}

/// Status, owners, and pods without a request.
pub fn app(lines: &mut Lines, state: &State, row: &AppRow, width: usize) {
    let Some(all) = known(state) else { return };
    missing(lines, all, ObjectKind::Pods, "pods", width);
    if let Some(problem) = all.problem(row) {
        labeled_text(lines, "trouble", &problem, width, Role::Warning);
    }
    let pods: Vec<&Arc<PodRow>> = all.pods_of(&row.id).collect();
    if pods.is_empty() {
        return;
    }
    let (mut statuses, mut owners) = (BTreeMap::<&str, usize>::new(), BTreeMap::<String, usize>::new());
    for pod in &pods {
        *statuses.entry(&pod.status).or_default() += 1;
        let owner = pod.owner.as_ref().map(|owner| owner_words(owner, &pod.namespace));
        *owners.entry(owner.unwrap_or_else(|| "none, they are not recreated".to_owned())).or_default() += 1;
    }
    let statuses: Vec<String> = statuses.into_iter().map(|(status, count)| format!("{count} {status}")).collect();
    let restarts: u64 = pods.iter().map(|pod| u64::from(pod.restarts)).sum();
    let restarts = if restarts == 0 { String::new() } else { format!("; {}", format::count(restarts, "restart")) };
    labeled_text(lines, "pods", &format!("{}{restarts}", statuses.join(", ")), width, Role::Text);
    for (at, (owner, count)) in owners.into_iter().enumerate() {
        let text = format!("{owner} ({})", format::count(count as u64, "pod"));
        labeled_text(lines, if at == 0 { "made by" } else { "" }, &text, width, Role::Text);
    }
    not_given(lines, row, &pods, width);
}

fn not_given(lines: &mut Lines, row: &AppRow, pods: &[&Arc<PodRow>], width: usize) {
    if row.state.is_ended() {
        return;
    }
    let given: BTreeSet<&str> = row.asks.values().map(|ask| ask.id.as_str()).collect();
    let left: Vec<_> = pods.iter().filter(|pod| !pod.phase.is_over() && !given.contains(&*pod.uid)).collect();
    for (at, pod) in left.iter().take(NAMED).enumerate() {
        let text = format!("{} {}", pod.full_name(), pod.status);
        labeled_text(lines, if at == 0 { "not asked" } else { "" }, &text, width, Role::Warning);
        if let Some(message) = &pod.message {
            labeled_text(lines, "", message, width, Role::Dim);
        }
    }
    if left.len() > NAMED {
        labeled(lines, "", vec![dim(format!("and {} more pods without a request", left.len() - NAMED))]);
    }
}

/// The names of the priority classes of a priority.
pub fn classes(state: &State, priority: i32) -> Option<String> {
    Some(known(state)?.priorities.get(&priority)?.join(", "))
}

/// Returns whether foreign pods were listed.
pub fn node(lines: &mut Lines, state: &State, row: &NodeRow, width: usize) -> bool {
    let Some(all) = known(state) else { return false };
    missing(lines, all, ObjectKind::Nodes, "kubernetes", width);
    if let Some(node) = all.nodes.get(&row.id) {
        conditions(lines, &node.conditions, state.cluster.at, width);
        if !node.taints.is_empty() {
            labeled_text(lines, "taints", &node.taints.join(", "), width, Role::Text);
        }
        let age = format::duration(state.cluster.at.since(node.created));
        labeled(
            lines,
            "kubelet",
            vec![plain(text::escape(&node.kubelet).into_owned()), dim(format!("  node for {age}"))],
        );
    }
    let mut named = false;
    for pod in all.foreign_on(&row.id).filter(|pod| !pod.phase.is_over()) {
        let needs =
            if pod.requests.is_empty() { String::new() } else { format!("  {}", format::resource(&pod.requests)) };
        let text = format!("{}{needs}  {}, by {}", pod.full_name(), pod.status, pod.scheduler);
        labeled_text(lines, if named { "" } else { "others run" }, &text, width, Role::Text);
        named = true;
    }
    if let Some(node) = all.nodes.get(&row.id) {
        for (at, (key, value)) in node.labels.iter().enumerate() {
            labeled_text(lines, if at == 0 { "labels" } else { "" }, &format!("{key}={value}"), width, Role::Dim);
        }
    }
    named
}

/// Namespaces with applications here or placed here, with annotations.
pub fn queue(lines: &mut Lines, state: &State, part: &PartitionView, row: &QueueRow, width: usize) {
    let Some(all) = known(state) else { return };
    let by_name = part.rules.source().iter().any(is_by_namespace);
    let in_use: BTreeSet<&str> =
        row.apps.iter().filter_map(|slot| part.app(*slot)?.tags.get("namespace").map(String::as_str)).collect();
    let mut label = "namespaces";
    for (name, namespace) in &all.namespaces {
        let parent = namespace.annotations.get("parentqueue").is_some_and(|queue| **queue == *row.path.as_str());
        let named = by_name && row.leaf && name.replace('.', "_dot_") == row.path.name();
        if !parent && !named && !in_use.contains(&**name) {
            continue;
        }
        labeled(lines, label, vec![piece(Role::Text, name.to_string())]);
        label = "";
        for (key, value) in &namespace.annotations {
            labeled_text(lines, "", &format!("  {key} = {value}"), width, Role::Dim);
        }
    }
}

fn is_by_namespace(rule: &RuleConfig) -> bool {
    let here = rule.kind == RuleKind::Tag && rule.value == "namespace";
    here || rule.parent.as_deref().is_some_and(is_by_namespace)
}
