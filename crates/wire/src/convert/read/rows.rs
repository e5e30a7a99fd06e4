//! Converts one wire object to one row, from that object alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use super::Shapes;
use crate::dto;
use config::properties::QueueProperties;
use model::{AppId, AppState, AskId, Identity, NodeId, Priority, QueuePath, QueueState, Resource, Tags, Time};
use view::rows::{ByInstance, TaskGroupRow, TrackedResources};
use view::{
    AppRow, AskRow, AskState, ForeignAllocation, NodeAllocation, NodeRow, PendingReason, PriorityRow, StateChange,
};

/// Converts ns since 1970; 0 and earlier become the start.
pub fn time(nanos: i64) -> Time {
    Time(u64::try_from(nanos).unwrap_or(0) / 1000)
}

/// 0 means none.
fn some_time(nanos: i64) -> Option<Time> {
    (nanos > 0).then(|| time(nanos))
}

/// Resources that are unset if empty.
pub fn set(map: &dto::ResourceMap) -> Option<Resource> {
    (!map.0.is_empty()).then(|| map.0.clone())
}

/// Unknown words count as active.
pub fn queue_state(word: &str) -> QueueState {
    match word {
        "Draining" => QueueState::Draining,
        "Stopped" => QueueState::Stopped,
        _ => QueueState::Active,
    }
}

const STATES: [AppState; 11] = [
    AppState::New,
    AppState::Accepted,
    AppState::Starting,
    AppState::Running,
    AppState::Resuming,
    AppState::Completing,
    AppState::Completed,
    AppState::Failing,
    AppState::Failed,
    AppState::Rejected,
    AppState::Expired,
];

/// Parses the state of an application.
pub fn app_state(word: &str) -> Option<AppState> {
    STATES.into_iter().find(|state| state.name() == word)
}

/// Converts an application without slot, group, blockers, and reserved nodes. Requests are numbered by age.
pub fn app(app: dto::Application, shapes: Shapes) -> AppRow {
    let log = state_log(&app);
    let started = match app.start_time {
        // In ms; a negative value means not yet.
        Some(ms) => u64::try_from(ms).ok().filter(|ms| *ms > 0).map(Time::from_millis),
        None => {
            let runs = |change: &&StateChange| matches!(change.state, AppState::Starting | AppState::Running);
            log.iter().find(runs).map(|change| change.at)
        }
    };
    let sum = |placeholder: bool| {
        let mut sum = Resource::new();
        let local = app.allocations.iter().filter(|allocation| allocation.placeholder == placeholder);
        local.for_each(|allocation| sum.add_assign(&allocation.resource));
        sum
    };
    let (allocated, placeholder) = (sum(false), sum(true));
    let known = app_state(&app.state);
    let (state, foreign) = match known {
        Some(state) => (state, None),
        // An unknown state of a future release is derived.
        None if allocated.is_zero() => (AppState::Accepted, Some(&app.state)),
        None => (AppState::Running, Some(&app.state)),
    };
    let message = match foreign {
        Some(word) if !word.is_empty() => Some(format!("the scheduler reports the state {word}")),
        _ => (!app.rejected_message.is_empty()).then(|| app.rejected_message.clone()),
    };
    let pending_asks: i64 = app.requests.iter().map(|request| i64::from(request.pending_count.max(1))).sum();
    AppRow {
        backoff_until: app.backoff_deadline.as_ref().and_then(dto::Deadline::nanos).and_then(some_time),
        id: AppId::from(app.application_id.as_str()),
        queue: if app.queue_name.is_empty() { QueuePath::default() } else { QueuePath::new(&app.queue_name) },
        who: Identity { user: app.user.clone(), groups: app.groups.clone() },
        state,
        submitted: time(app.submission_time),
        started,
        finished: some_time(app.finished_time),
        priority: Priority(if app.requests.is_empty() { i32::MIN } else { app.max_request_priority }),
        allocated,
        placeholder,
        pending: app.pending_resource.0.clone().pruned(),
        max_allocated: app.max_used_resource.0.clone(),
        past: app.resource_history.as_ref().map(past).unwrap_or_default(),
        task_groups: task_groups(&app.placeholder_data),
        asks: asks(&app, shapes),
        pending_asks: u32::try_from(pending_asks).unwrap_or(u32::MAX),
        log: log.into(),
        message: message.map(Arc::from),
        requested: labeled_queue(&app),
        ..AppRow::default()
    }
}

fn past(history: &dto::ResourceHistory) -> Arc<TrackedResources> {
    let by_instance = |used: &dto::UsageByType| -> ByInstance {
        used.0.iter().map(|(kind, sum)| (Arc::from(kind.as_str()), sum.0.clone())).collect()
    };
    Arc::new(TrackedResources {
        used: by_instance(&history.resource_usage),
        preempted: by_instance(&history.preempted_resource),
        placeholders: by_instance(&history.placeholder_resource),
    })
}

fn state_log(app: &dto::Application) -> Vec<StateChange> {
    let changes = app.state_log.iter();
    changes.filter_map(|change| Some(StateChange { at: time(change.time), state: app_state(&change.state)? })).collect()
}

fn task_groups(groups: &[dto::PlaceholderData]) -> imbl::Vector<TaskGroupRow> {
    let count = |count: i64| u64::try_from(count).unwrap_or(0);
    let mut rows: Vec<TaskGroupRow> = groups
        .iter()
        .map(|group| TaskGroupRow {
            name: Arc::from(group.task_group_name.as_str()),
            count: count(group.count),
            replaced: count(group.replaced),
            timed_out: count(group.timed_out),
            min_resource: group.min_resource.0.clone(),
        })
        .collect();
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    rows.into()
}

/// Lists are not sorted: by age, then by key.
fn asks(app: &dto::Application, shapes: Shapes) -> OrdMap<u64, Arc<AskRow>> {
    let keys = app.allocations.iter().map(|allocation| allocation.allocation_key.as_str());
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    keys.for_each(|key| *seen.entry(key).or_default() += 1);
    let mut rows: Vec<AskRow> = app.requests.iter().map(|request| pending(request, app)).collect();
    rows.extend(app.allocations.iter().map(|one| allocated(one, seen.get(one.allocation_key.as_str()), shapes)));
    rows.sort_by(|one, other| (one.created, &one.id).cmp(&(other.created, &other.id)));
    (1_u64..).zip(rows.into_iter().map(Arc::new)).collect()
}

fn pending(request: &dto::Request, app: &dto::Application) -> AskRow {
    let node = app
        .reservations
        .iter()
        .find(|retained| retained.key == request.allocation_key)
        .and_then(|retained| retained.of.as_deref());
    let count = request.pending_count.max(1);
    let resource = if count == 1 { request.resource.0.clone() } else { request.resource.multiply(f64::from(count)) };
    AskRow {
        id: AskId::from(request.allocation_key.as_str()),
        resource,
        priority: Priority(request.priority),
        created: time(request.request_time),
        state: AskState::Pending { reason: reason(request), reserved: node.map(NodeId::from) },
        placeholder: request.placeholder,
        task_group: text(&request.task_group_name),
        required_node: (!request.required_node_id.is_empty()).then(|| NodeId::from(request.required_node_id.as_str())),
        tags: request.allocation_tags.clone().into(),
        reported: reported(request),
    }
}

/// About nodes (`rest.md` 5.4), not about quotas and preemption.
fn reported(request: &dto::Request) -> Option<Arc<str>> {
    let of_nodes = |message: &str| !message.starts_with("Preemption ") && !message.starts_with("Not enough ");
    let log = request.allocation_log.iter().filter(|entry| !entry.message.is_empty() && of_nodes(&entry.message));
    log.max_by_key(|entry| entry.last_occurrence).map(|entry| Arc::from(&*entry.message))
}

fn labeled_queue(app: &dto::Application) -> Arc<str> {
    let labels = ["kubernetes.io/label/yunikorn.apache.org/queue", "kubernetes.io/label/queue"];
    let requests = app.requests.iter().map(|request| &request.allocation_tags);
    let tags = requests.chain(app.allocations.iter().map(|one| &one.allocation_tags));
    let named = |tags: &BTreeMap<String, String>| labels.iter().find_map(|label| tags.get(*label)).cloned();
    tags.filter_map(named).next().map_or_else(|| Arc::from(""), Arc::from)
}

/// The newest of the log (`rest.md` 5.4), or the one that is checked before nodes.
fn reason(request: &dto::Request) -> PendingReason {
    let newest = request.allocation_log.iter().map(|entry| entry.last_occurrence).max();
    let now = request.allocation_log.iter().filter(|entry| Some(entry.last_occurrence) == newest);
    let reasons = now.map(|entry| match &*entry.message {
        "Not enough user quota" => PendingReason::UserQuota,
        "Not enough queue quota" => PendingReason::QueueQuota,
        _ => PendingReason::NoNode,
    });
    let rank = |reason: &PendingReason| match reason {
        PendingReason::UserQuota => 0,
        PendingReason::QueueQuota => 1,
        _ => 2,
    };
    let tried = if request.scheduling_attempted { PendingReason::NoNode } else { PendingReason::NotTried };
    reasons.min_by_key(rank).unwrap_or(tried)
}

fn allocated(one: &dto::Allocation, times: Option<&u32>, shapes: Shapes) -> AskRow {
    // Up to 1.5, a repeated request's allocations share its key.
    let other = one.other.get("uuid").or_else(|| one.other.get("allocationID")).and_then(serde_json::Value::as_str);
    let id = match other {
        Some(other) if times.is_some_and(|times| *times > 1) => other,
        _ => &one.allocation_key,
    };
    AskRow {
        id: AskId::from(id),
        resource: one.resource.0.clone(),
        priority: Priority(one.priority),
        created: time(one.request_time),
        state: AskState::Allocated { node: NodeId::from(one.node_id.as_str()), since: since(one, shapes), number: 0 },
        placeholder: one.placeholder,
        task_group: text(&one.task_group_name),
        required_node: None,
        tags: one.allocation_tags.clone().into(),
        reported: None,
    }
}

/// Since 1.6, this field has the request time (rule 17).
fn since(one: &dto::Allocation, shapes: Shapes) -> Option<Time> {
    shapes.has_allocation_time.then(|| some_time(one.allocation_time)).flatten()
}

fn text(text: &str) -> Option<Arc<str>> {
    (!text.is_empty()).then(|| Arc::from(text))
}

/// Converts a node without the applications of its reservations. Allocations are numbered by age.
pub fn node(node: dto::Node, shapes: Shapes) -> NodeRow {
    let mut allocations: Vec<(i64, NodeAllocation)> = node
        .allocations
        .iter()
        .map(|one| {
            let (app, ask) = (AppId::from(one.application_id.as_str()), AskId::from(one.allocation_key.as_str()));
            let pod = Tags::from(one.allocation_tags.clone()).pod().map(Arc::from);
            let (resource, since) = (one.resource.0.clone(), since(one, shapes));
            let allocation = NodeAllocation { app, ask, pod, resource, since };
            (one.allocation_time.max(one.request_time), allocation)
        })
        .collect();
    allocations.sort_by(|one, other| (one.0, &one.1.app, &one.1.ask).cmp(&(other.0, &other.1.app, &other.1.ask)));
    let mut reservations: Vec<(AppId, AskId)> = node
        .reservations
        .iter()
        .map(|retained| (AppId::from(retained.of.as_deref().unwrap_or_default()), AskId::from(retained.key.as_str())))
        .collect();
    reservations.sort();
    let mut foreign: Vec<ForeignAllocation> = node
        .foreign_allocations
        .iter()
        .map(|one| {
            let name = Tags::from(one.allocation_tags.clone()).pod().unwrap_or_else(|| one.allocation_key.clone());
            let since = u64::try_from(one.allocation_time / 1_000).ok().filter(|since| *since > 0).map(Time);
            ForeignAllocation {
                id: one.allocation_key.clone(),
                name,
                resource: one.resource.0.clone(),
                priority: one.priority,
                since,
                is_static: one.allocation_tags.get("foreign").is_some_and(|kind| kind == "static"),
            }
        })
        .collect();
    foreign.sort_by(|one, other| one.name.cmp(&other.name));
    NodeRow {
        id: NodeId::from(node.node_id.as_str()),
        capacity: node.capacity.0.clone(),
        allocated: node.allocated.0.clone(),
        occupied: node.occupied.0.clone(),
        schedulable: node.schedulable,
        closed: None,
        attributes: Arc::new(node.attributes),
        allocations: (1_u64..).zip(allocations.into_iter().map(|(_, allocation)| allocation)).collect(),
        foreign: Arc::new(foreign),
        reservations: reservations.into(),
    }
}

/// Derives a queue's priority from its visible one and its content.
pub fn priority(queue: &dto::Queue, inside: Option<Priority>) -> PriorityRow {
    let pairs = queue.properties.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let properties = QueueProperties::from_map(pairs);
    let (offset, policy) = (properties.priority_offset, properties.priority_policy);
    let current = Priority(queue.current_priority);
    let undone = || match policy {
        model::PriorityPolicy::Default => Priority(current.0.saturating_sub(offset)),
        // A fence hides the inner priority.
        model::PriorityPolicy::Fence => Priority(0),
    };
    let raw = if current == Priority::MIN { Priority::MIN } else { inside.unwrap_or_else(undone) };
    PriorityRow { raw, current, offset, policy }
}

/// Whether two application rows are equal.
pub fn same_app(one: &AppRow, other: &AppRow) -> bool {
    one.slot == other.slot
        && one.id == other.id
        && one.queue == other.queue
        && one.who == other.who
        && one.group == other.group
        && (one.blocked_by_queue, one.blocked_by_limits) == (other.blocked_by_queue, other.blocked_by_limits)
        && (one.state, one.submitted, one.started, one.finished)
            == (other.state, other.submitted, other.started, other.finished)
        && (one.priority, one.pending_asks) == (other.priority, other.pending_asks)
        && one.allocated == other.allocated
        && one.placeholder == other.placeholder
        && one.pending == other.pending
        && one.message == other.message
        && one.log == other.log
        && one.task_groups == other.task_groups
        && one.asks.len() == other.asks.len()
        && one.asks.iter().zip(&other.asks).all(|(one, other)| one.0 == other.0 && same_ask(one.1, other.1))
}

/// Whether two request rows are equal.
pub fn same_ask(one: &Arc<AskRow>, other: &Arc<AskRow>) -> bool {
    Arc::ptr_eq(one, other)
        || (one.id == other.id
            && one.resource == other.resource
            && (one.priority, one.created, one.placeholder) == (other.priority, other.created, other.placeholder)
            && one.state == other.state
            && one.task_group == other.task_group
            && one.required_node == other.required_node
            && one.tags == other.tags
            && one.reported == other.reported)
}

/// Whether two node rows are equal.
pub fn same_node(one: &NodeRow, other: &NodeRow) -> bool {
    one.id == other.id
        && one.capacity == other.capacity
        && one.allocated == other.allocated
        && one.occupied == other.occupied
        && (one.schedulable, &one.closed) == (other.schedulable, &other.closed)
        && one.attributes == other.attributes
        && one.reservations == other.reservations
        && one.foreign == other.foreign
        && one.allocations == other.allocations
}

/// Names as a set.
pub fn ids(names: &[String]) -> OrdSet<AppId> {
    names.iter().map(|name| AppId::from(name.as_str())).collect()
}
