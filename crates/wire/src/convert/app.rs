//! Applications, their requests, and allocations (`rest.md` 5.4).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Context;
use crate::dto;
use model::AppId;
use view::rows::{AskLog, ByInstance, FailureCount, TrackedResources};
use view::{AppRow, AskNotes, AskRow, AskState, Failure, PartitionView};

/// Converts an application of a partition.
pub fn application(context: &Context, partition: &PartitionView, row: &AppRow) -> dto::Application {
    let wall = &context.wall;
    let log = row
        .log
        .iter()
        .map(|change| dto::StateChange { time: wall.nanos(change.at), state: Cow::Borrowed(change.state.name()) });
    let reservations: Vec<dto::Reservation> = row.asks.values().filter_map(|ask| reservation(ask)).collect();
    dto::Application {
        application_id: row.id.as_str().to_owned(),
        used_resource: (&row.allocated).into(),
        max_used_resource: (&row.max_allocated).into(),
        pending_resource: (&row.pending).into(),
        partition: partition.name.to_string(),
        queue_name: row.queue.as_str().to_owned(),
        submission_time: wall.nanos(row.submitted),
        finished_time: row.finished.map(|at| wall.nanos(at)).unwrap_or_default(),
        requests: requests(context, row),
        allocations: allocations(context, row),
        state: Cow::Borrowed(row.state.name()),
        user: row.who.user.clone(),
        groups: row.who.groups.clone(),
        rejected_message: row.message.as_deref().unwrap_or_default().to_owned(),
        state_log: log.collect(),
        placeholder_data: row.task_groups.iter().map(placeholder_data).collect(),
        has_reserved: !reservations.is_empty(),
        reservations,
        max_request_priority: row.priority.0,
        start_time: row.started.map(|at| wall.millis(at)),
        // YuniKorn has no history of a finished application.
        resource_history: Some(if row.state.is_ended() { dto::ResourceHistory::default() } else { past(&row.past) }),
        backoff_deadline: None,
        other: BTreeMap::new(),
    }
}

/// Converts rows to a list: by submission, then by ID.
pub fn applications<'a>(
    context: &Context,
    partition: &PartitionView,
    rows: impl Iterator<Item = &'a Arc<AppRow>>,
) -> Vec<dto::Application> {
    let mut rows: Vec<&Arc<AppRow>> = rows.collect();
    rows.sort_by(|a, b| (a.submitted, &a.id).cmp(&(b.submitted, &b.id)));
    rows.into_iter().map(|row| application(context, partition, row)).collect()
}

/// The active application with this ID, otherwise the last finished one.
pub fn newest<'a>(partition: &'a PartitionView, id: &str) -> Option<&'a Arc<AppRow>> {
    partition.app_by_id(&AppId::from(id))
}

/// Whether an application has the state of an HTTP request, ignoring case.
pub fn is_in_state(row: &AppRow, name: &str) -> bool {
    row.state.name().eq_ignore_ascii_case(name)
}

fn placeholder_data(group: &view::rows::TaskGroupRow) -> dto::PlaceholderData {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    dto::PlaceholderData {
        task_group_name: group.name.to_string(),
        count: count(group.count),
        min_resource: (&group.min_resource).into(),
        replaced: count(group.replaced),
        timed_out: count(group.timed_out),
    }
}

fn reservation(ask: &AskRow) -> Option<dto::Reservation> {
    let AskState::Pending { reserved: Some(_), .. } = ask.state else { return None };
    Some(dto::Reservation { of: None, key: ask.id.as_str().to_owned() })
}

fn requests(context: &Context, row: &AppRow) -> Vec<dto::Request> {
    let pending = row.asks.iter().filter(|(_, ask)| matches!(ask.state, AskState::Pending { .. }));
    let mut requests: Vec<dto::Request> =
        pending.map(|(arrival, ask)| request(context, row, ask, row.notes.get(arrival))).collect();
    requests.sort_by(|a, b| a.allocation_key.cmp(&b.allocation_key));
    requests
}

fn request(context: &Context, app: &AppRow, ask: &AskRow, notes: Option<&Arc<AskNotes>>) -> dto::Request {
    let log = notes.map(|notes| &notes.log);
    dto::Request {
        allocation_key: ask.id.as_str().to_owned(),
        allocation_tags: (&ask.tags).into(),
        request_time: context.wall.nanos(ask.created),
        resource: (&ask.resource).into(),
        priority: ask.priority.0,
        required_node_id: ask.required_node.as_ref().map(|node| node.as_str().to_owned()).unwrap_or_default(),
        application_id: app.id.as_str().to_owned(),
        placeholder: ask.placeholder,
        task_group_name: ask.task_group.as_deref().unwrap_or_default().to_owned(),
        allocation_log: log.map(|log| allocation_log(context, log)).unwrap_or_default(),
        triggered_preemption: notes.is_some_and(|notes| notes.preempted_others),
        originator: notes.is_some_and(|notes| notes.originator),
        scheduling_attempted: log.is_some_and(AskLog::attempted),
        ..dto::Request::default()
    }
}

fn allocation_log(context: &Context, log: &AskLog) -> Vec<dto::LogEntry> {
    let mut failures = log.failures().to_vec();
    failures.sort_by_key(|entry| (entry.last, entry.failure));
    let entry = |entry: FailureCount| dto::LogEntry {
        message: Cow::Borrowed(match entry.failure {
            Failure::UserQuota => "Not enough user quota",
            Failure::QueueQuota => "Not enough queue quota",
            Failure::MayNotPreempt => "Preemption preconditions failed",
            Failure::NoAttemptLeft => "Preemption max attempts exhausted",
            Failure::PreemptionHelpsNot => "Preemption does not help",
        }),
        last_occurrence: context.wall.nanos(entry.last),
        count: i32::try_from(entry.count).unwrap_or(i32::MAX),
    };
    failures.into_iter().map(entry).collect()
}

fn past(past: &TrackedResources) -> dto::ResourceHistory {
    let by_type =
        |sums: &ByInstance| dto::UsageByType(sums.iter().map(|(kind, sum)| (kind.to_string(), sum.into())).collect());
    dto::ResourceHistory {
        resource_usage: by_type(&past.used),
        preempted_resource: by_type(&past.preempted),
        placeholder_resource: by_type(&past.placeholders),
    }
}

fn allocations(context: &Context, row: &AppRow) -> Vec<dto::Allocation> {
    let mut allocations: Vec<dto::Allocation> = row
        .asks
        .iter()
        .filter_map(|(arrival, ask)| allocation(context, &row.id, ask, row.notes.get(arrival)))
        .collect();
    allocations.sort_by(|a, b| a.allocation_key.cmp(&b.allocation_key));
    allocations
}

/// Converts an allocated request; `None` while it is pending.
pub(super) fn allocation(
    context: &Context,
    app: &AppId,
    ask: &AskRow,
    notes: Option<&Arc<AskNotes>>,
) -> Option<dto::Allocation> {
    let asked = notes.and_then(|notes| notes.replaced).unwrap_or(ask.created);
    let AskState::Allocated { node, since, .. } = &ask.state else { return None };
    let since = since.unwrap_or(ask.created);
    let wall = &context.wall;
    Some(dto::Allocation {
        allocation_key: ask.id.as_str().to_owned(),
        allocation_tags: (&ask.tags).into(),
        request_time: wall.nanos(asked),
        allocation_time: wall.nanos(since),
        allocation_delay: wall.between(asked, since),
        resource: (&ask.resource).into(),
        priority: ask.priority.0,
        node_id: node.as_str().to_owned(),
        application_id: app.as_str().to_owned(),
        placeholder: ask.placeholder,
        placeholder_used: notes.is_some_and(|notes| notes.replaced.is_some()),
        task_group_name: ask.task_group.as_deref().unwrap_or_default().to_owned(),
        preempted: notes.is_some_and(|notes| notes.preempted),
        originator: notes.is_some_and(|notes| notes.originator),
        ..dto::Allocation::default()
    })
}
