//! Explanations of the queue columns.

use crate::present::format;
use crate::present::metrics::{share, sum_of};
use crate::present::place::Source;
use crate::present::trend_cells;
use crate::present::words::in_state_for;
use crate::state::State;
use crate::state::column::QueueColumn;
use model::{MEMORY, Priority, PriorityPolicy, QueueState, Resource, VCORE};
use view::units::show_amount;
use view::{PartitionView, QueueRow};

/// The explanation of a queue column.
pub fn why(state: &State, part: &PartitionView, row: &QueueRow, column: QueueColumn) -> String {
    match column {
        QueueColumn::Queue => name(state, row),
        QueueColumn::State => state_words(state, row),
        QueueColumn::Priority => priority(part, row),
        QueueColumn::Apps => applications(part, row),
        QueueColumn::Pending => pending(part, row, VCORE),
        QueueColumn::PendingMemory => pending(part, row, MEMORY),
        QueueColumn::Cpu => usage(part, row, VCORE),
        QueueColumn::Memory => usage(part, row, MEMORY),
        QueueColumn::Trend => trend_cells::OF_QUEUE.to_owned(),
        QueueColumn::Other => "allocated resources without their own column".to_owned(),
        QueueColumn::Live => "active applications in it and its children, in any state".to_owned(),
        QueueColumn::Waiting => "active applications in it and its children with a pending request".to_owned(),
        QueueColumn::WaitP95 => "95% of its waiting applications have waited at most this long".to_owned(),
        QueueColumn::MemoryShare => {
            "the used part of its maximum of memory, or of the smallest maximum of its parents".to_owned()
        }
        QueueColumn::MaxApps => "the maximum of running applications".to_owned(),
        QueueColumn::CpuGuaranteed | QueueColumn::MemoryGuaranteed => {
            "the resources that preemption can restore for the queue".to_owned()
        }
        QueueColumn::CpuMax | QueueColumn::MemoryMax => {
            "its own maximum, otherwise the smallest of its parents, otherwise the cluster".to_owned()
        }
        QueueColumn::Headroom => space(part, row, VCORE),
        QueueColumn::HeadroomMemory => space(part, row, MEMORY),
    }
}

fn name(state: &State, row: &QueueRow) -> String {
    let kind = if row.leaf { "a leaf: contains applications" } else { "a parent: contains queues" };
    let from = match row.settings.at {
        Some(at) if at.line > 0 => {
            format!("configured in {}; O goes there", Source::of(state).place(at).unwrap_or_default())
        }
        _ if row.managed => "configured".to_owned(),
        _ => "created by a placement rule, removed when empty".to_owned(),
    };
    format!("{kind}; {from}")
}

fn state_words(state: &State, row: &QueueRow) -> String {
    let age = in_state_for(row, state.cluster.at);
    match row.state {
        QueueState::Active if row.managed => "active: it or its children accept applications".to_owned(),
        QueueState::Active => "active and dynamic: created by a placement rule, not in the configuration".to_owned(),
        QueueState::Draining => {
            let stuck = state.cluster.view.is_stuck(row, state.cluster.at);
            let after = format::duration(state.cluster.view.stuck_after);
            let stuck = if stuck {
                format!(
                    ", longer than {after}, so it is reported as stuck \
                (!)"
                )
            } else {
                String::new()
            };
            format!(
                "draining for {age}{stuck}: removed from the configuration, rejects new applications, is removed after its {} complete",
                format::count(row.app_count, "application")
            )
        }
        QueueState::Stopped => format!("stopped for {age}: no allocations are made in it"),
    }
}

/// `17 = 12 own work (batch-1) + 5 offset of root.eng; fenced at root.tenants` (SCH-062, SCH-063).
fn priority(part: &PartitionView, row: &QueueRow) -> String {
    let of = &row.priority;
    if of.raw == Priority::MIN {
        return "no pending requests in this subtree: no priority to compare".to_owned();
    }
    let from = match (row.leaf, highest(part, row)) {
        (true, Some(app)) => format!("its own requests (the highest pending request of {app})"),
        (false, Some(queue)) => format!("from {queue} (the highest child)"),
        (_, None) => "the highest here and below".to_owned(),
    };
    let offset = |sign: &str| format!("{sign} {} offset of {}", i64::from(of.offset).abs(), row.path);
    let mut message = match (of.policy, of.offset) {
        (PriorityPolicy::Fence, by) => {
            format!(
                "{} = the offset {by} of {}: it is a fence, so the {} {from} does not apply outside",
                of.current, row.path, of.raw
            )
        }
        (PriorityPolicy::Default, 0) => format!("{} = {} {from}, no offset", of.current, of.raw),
        (PriorityPolicy::Default, by) => {
            format!("{} = {} {from} {}", of.current, of.raw, offset(if by > 0 { "+" } else { "-" }))
        }
    };
    if let Some(fence) = part.path_up(row).skip(1).find(|above| above.priority.policy.is_fence()) {
        message = format!("{message}; fenced at {}, so parents see {}", fence.path, fence.priority.current);
    }
    message
}

fn highest(part: &PartitionView, row: &QueueRow) -> Option<String> {
    if row.leaf {
        let apps = row.apps.iter().filter_map(|slot| part.app(*slot));
        return apps.filter(|app| app.priority == row.priority.raw).map(|app| app.id.to_string()).min();
    }
    let below = row.children.iter().filter_map(|slot| part.queue(*slot));
    let mut same = below.filter(|child| child.priority.current == row.priority.raw);
    same.next().map(|child| child.path.name().to_owned())
}

fn applications(part: &PartitionView, row: &QueueRow) -> String {
    let mut message = format!("{} run here and in children, {} active in any state", row.running, row.app_count);
    if row.allocating_accepted > 0 {
        message = format!("{message}; {} about to run, each counts", row.allocating_accepted);
    }
    let own =
        row.max_running.map_or("no maximum of its own".to_owned(), |max| format!("at most {max} by its own maximum"));
    message = format!("{message}; {own}");
    let full =
        |above: &&QueueRow| above.max_running.is_some_and(|max| above.running + above.allocating_accepted >= max);
    if let Some(above) = part.path_up(row).find(full) {
        let max = above.max_running.unwrap_or_default();
        message = format!(
            "{message}; none may start: {} has {} of {max}",
            above.path,
            above.running + above.allocating_accepted
        );
    }
    message
}

fn pending(part: &PartitionView, row: &QueueRow, name: &str) -> String {
    let made = made_of(part, row, name, |app| app.pending.amount(name), |below| below.pending.amount(name));
    if made.is_empty() {
        return format!("no pending request in this subtree needs {}", format::resource_name(name));
    }
    format!("pending: {made}")
}

fn usage(part: &PartitionView, row: &QueueRow, name: &str) -> String {
    let allocated = |app: &view::AppRow| app.allocated.amount(name).saturating_add(app.placeholder.amount(name));
    let made = made_of(part, row, name, allocated, |below| below.allocated.amount(name));
    let used = match made.as_str() {
        "" => "nothing used".to_owned(),
        made => format!("used = {made}"),
    };
    let of = |resource: &Option<Resource>| resource.as_ref().and_then(|resource| resource.get(name));
    let guaranteed = match of(&row.guaranteed) {
        None | Some(0) => "nothing guaranteed".to_owned(),
        Some(amount) => {
            let met = if row.allocated.amount(name) >= amount { "met" } else { "not met" };
            format!("{} guaranteed to it, {met}", show_amount(name, amount))
        }
    };
    let root = row.parent.is_none();
    let max = match (of(&row.max), part.effective_max(row, name), part.capacity.get(name)) {
        (Some(max), _, _) if root => format!("max {} is the sum of the nodes", show_amount(name, max)),
        (Some(max), _, _) => format!("max {} is its own maximum", show_amount(name, max)),
        (None, Some((queue, max)), _) => {
            format!("max ({}) is that of {queue}, the smallest of its parents", show_amount(name, max))
        }
        (None, None, Some(all)) => format!("no maximum on its path: ({}) is the cluster", show_amount(name, all)),
        (None, None, None) => "no maximum, and no node has this resource".to_owned(),
    };
    let base = of(&row.max).or_else(|| part.effective_max(row, name).map(|(_, max)| max));
    let share = base.or_else(|| part.capacity.get(name)).and_then(|all| share(row.allocated.amount(name), all));
    let share = share.map_or_else(String::new, |share| format!("; {share} of it used"));
    let full = |above: &&QueueRow| of(&above.max).is_some_and(|max| above.allocated.amount(name) >= max);
    let bound = part.path_up(row).find(full).map_or_else(String::new, |above| format!("; {} is full", above.path));
    format!("{used}; {guaranteed}; {max}{share}{bound}")
}

/// The smallest headroom on the path (SCH-100).
fn space(part: &PartitionView, row: &QueueRow, name: &str) -> String {
    let rest = |above: &QueueRow| {
        let max = above.max.as_ref()?.get(name)?;
        Some((max.saturating_sub(above.allocated.amount(name)), max, above.allocated.amount(name), above.path.clone()))
    };
    match part.path_up(row).filter_map(rest).min_by_key(|(left, ..)| *left) {
        None => format!("no queue on its path has a maximum of {}", format::resource_name(name)),
        Some((left, max, used, path)) => format!(
            "{} = {} max minus {} used in {path}, the smallest headroom on its path",
            show_amount(name, left),
            show_amount(name, max),
            show_amount(name, used)
        ),
    }
}

fn made_of(
    part: &PartitionView,
    row: &QueueRow,
    name: &str,
    of_app: impl Fn(&view::AppRow) -> i64,
    of_queue: impl Fn(&QueueRow) -> i64,
) -> String {
    let parts = if row.leaf {
        let apps = row.apps.iter().filter_map(|slot| part.app(*slot));
        apps.map(|app| (of_app(app), app.id.to_string())).collect()
    } else {
        let below = row.children.iter().filter_map(|slot| part.queue(*slot));
        below.map(|child| (of_queue(child), child.path.name().to_owned())).collect()
    };
    sum_of(parts, name)
}
