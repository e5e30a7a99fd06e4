//! Creates the rows of a view from scheduler objects.

use std::sync::Arc;

use imbl::OrdMap;

use super::rows::{
    AppGroup, AppRow, AskLog, AskNotes, AskRow, AskState, NodeAllocation, NodeRow, Origin, PendingReason, PriorityRow,
    PropertyRow, QueueRow, QueueSettings, StateChange, TaskGroupRow,
};
use config::properties::Property;
use model::NodeId;
use scheduler::Partition;
use scheduler::index::{AppKey, AskKey, QueueKey};
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;
use scheduler::state::ask_log::TryResult;
use scheduler::state::node::Node;
use scheduler::state::queue::{Queue, Settings};
use scheduler::state::task_group::TaskGroup;

pub(super) fn ask_notes(ask: &Ask) -> Option<Arc<AskNotes>> {
    let notes = AskNotes {
        log: if ask.allocation.is_none() { ask.log.clone() } else { AskLog::default() },
        replaced: ask.rare.replaced,
        originator: ask.originator,
        offers_itself: ask.allow_preempt_self,
        released: ask.released,
        preempted: ask.allocation.is_some_and(|allocation| allocation.preempted),
        preempted_others: ask.preempted_others,
        behind: ask.rare.behind.clone().filter(|_| ask.tried == TryResult::Turn),
    };
    (notes != AskNotes::default()).then(|| Arc::new(notes))
}

pub(super) fn queue_row(queue: &Queue, settings: Arc<QueueSettings>, children: Arc<[QueueKey]>) -> QueueRow {
    let properties = &queue.settings.properties;
    QueueRow {
        slot: queue.key,
        path: queue.path.clone(),
        parent: queue.parent,
        children,
        leaf: queue.leaf,
        managed: queue.managed,
        state: queue.state,
        state_before: false,
        state_since: queue.state_since,
        priority: PriorityRow {
            raw: queue.raw_priority,
            current: queue.current_priority(),
            offset: properties.priority_offset,
            policy: properties.priority_policy,
        },
        running: queue.running,
        max_running: queue.settings.max_applications,
        allocating_accepted: queue.allocating_accepted.len() as u64,
        allocating_apps: queue.allocating_accepted.iter().cloned().collect(),
        app_count: queue.app_count,
        apps: queue.apps.clone(),
        allocated: queue.allocated.clone(),
        pending: queue.pending.clone(),
        preempting: queue.preempting.clone(),
        quota_due: queue.quota_due,
        guaranteed: queue.guaranteed.clone(),
        max: queue.max.clone(),
        settings,
    }
}

pub(super) fn settings_of(settings: &Settings) -> QueueSettings {
    let property = |(key, value): (&String, &Property)| PropertyRow {
        key: key.clone(),
        value: value.value.clone(),
        from: if value.template {
            Origin::Template(value.from.clone())
        } else {
            Origin::Queue(value.from.clone(), value.at)
        },
    };
    QueueSettings {
        at: settings.at,
        properties: settings.merged.iter().map(property).collect(),
        app_sort: settings.properties.app_sort,
        sort_by_priority: settings.properties.sort_by_priority,
        preemption_policy: settings.properties.preemption_policy,
        preemption_delay: settings.properties.preemption_delay,
        quota_preemption_delay: settings.properties.quota_preemption_delay,
        admin_acl: settings.admin_acl.clone(),
        submit_acl: settings.submit_acl.clone(),
        template: settings.template.clone(),
        limits: Arc::clone(&settings.limits),
    }
}

pub(super) fn group_of(app: &Application, partition: &Partition) -> AppGroup {
    match app.account.group.and_then(|group| partition.usage.groups.get(group)) {
        Some(group) => AppGroup::Group(Arc::clone(&group.name)),
        None if app.account.bounds.is_none() => AppGroup::Undecided,
        None => AppGroup::Ungrouped,
    }
}

pub(super) fn app_row(app: &Application, old: Option<&AppRow>) -> AppRow {
    let log = match old {
        Some(old) if old.log.len() == app.log.len() => old.log.clone(),
        _ => app.log.iter().map(|(at, state)| StateChange { at: *at, state: *state }).collect(),
    };
    AppRow {
        // Only for remote schedulers: kornsole explains the backoff itself.
        backoff_until: None,
        slot: app.key,
        id: app.id.clone(),
        queue: app.queue_path.clone(),
        who: app.who.clone(),
        group: AppGroup::Undecided,
        blocked_by_queue: !app.runnable_in_queue,
        blocked_by_limits: !app.runnable_by_limits,
        state: app.state,
        submitted: app.submitted,
        started: app.started,
        finished: app.finished,
        priority: app.priority(),
        allocated: app.allocated.clone(),
        placeholder: app.allocated_placeholder.clone(),
        pending: app.pending.clone(),
        task_groups: app.task_groups.iter().filter(|(_, group)| group.count > 0).map(task_group_row).collect(),
        tags: Arc::clone(&app.tags),
        asks: old.map(|old| old.asks.clone()).unwrap_or_default(),
        notes: old.map(|old| old.notes.clone()).unwrap_or_default(),
        max_allocated: app.max_allocated.clone(),
        past: Arc::clone(&app.tracked_resources),
        pending_asks: u32::try_from(app.pending_order.len()).unwrap_or(u32::MAX),
        log,
        message: app.message.clone(),
        requested: Arc::clone(&app.requested_queue),
        placement: Some(Arc::clone(&app.placement)),
    }
}

fn task_group_row((name, group): (&Arc<str>, &TaskGroup)) -> TaskGroupRow {
    TaskGroupRow {
        name: Arc::clone(name),
        count: group.count,
        replaced: group.replaced,
        timed_out: group.timed_out,
        min_resource: group.min_resource.clone(),
    }
}

pub(super) fn ask_row(ask: &Ask, reserved: Option<NodeId>, partition: &Partition) -> AskRow {
    let state = match &ask.allocation {
        Some(allocation) => {
            let (since, number) = (Some(allocation.since), allocation.number);
            AskState::Allocated { node: partition.nodes[allocation.node].id.clone(), since, number }
        }
        None => AskState::Pending {
            reason: match ask.tried {
                TryResult::Never => PendingReason::NotTried,
                TryResult::UserQuota => PendingReason::UserQuota,
                TryResult::QueueQuota => PendingReason::QueueQuota,
                TryResult::NoNode => PendingReason::NoNode,
                TryResult::Placeholder => PendingReason::Placeholder,
                TryResult::Turn => PendingReason::Turn,
            },
            reserved,
        },
    };
    AskRow {
        id: ask.id.clone(),
        resource: ask.resource.clone(),
        priority: ask.priority,
        created: ask.created,
        state,
        placeholder: ask.placeholder,
        task_group: ask.rare.task_group.clone(),
        required_node: ask.rare.required_node.clone(),
        tags: ask.rare.tags.clone(),
        reported: None,
    }
}

pub(super) fn node_row(node: &Node, allocations: OrdMap<u64, NodeAllocation>, partition: &Partition) -> NodeRow {
    let retained_for = |(app, ask): &(AppKey, AskKey)| {
        let app = partition.apps.get(*app)?;
        Some((app.id.clone(), app.asks.get(*ask)?.id.clone()))
    };
    NodeRow {
        id: node.id.clone(),
        capacity: node.total.clone(),
        allocated: node.allocated.clone(),
        occupied: node.occupied.clone(),
        schedulable: node.schedulable,
        closed: None,
        attributes: Arc::clone(&node.attributes),
        allocations,
        foreign: Arc::clone(&node.foreign),
        reservations: node.reservations.iter().filter_map(retained_for).collect(),
    }
}
