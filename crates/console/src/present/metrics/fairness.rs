//! Explanations of fairness, limits, and explain sheets.

use crate::present::metrics::metric;
use crate::state::column::{FairnessColumn, LimitColumn};
use crate::state::layer::Metric;
use view::fairness::FairnessRow;
use view::limits_used::LimitUsed;
use view::units::show_amount;
use view::waiting::SheetLine;

/// The explanation of a fairness column.
pub fn why(row: &FairnessRow, column: FairnessColumn) -> String {
    let show = |amount: i64| show_amount(&row.resource, amount);
    let demand = show(row.used.saturating_add(row.pending));
    match column {
        FairnessColumn::Queue => "a queue, leaf or parent; one row for each guaranteed or used resource".to_owned(),
        FairnessColumn::Resource => "the resource that the row counts".to_owned(),
        FairnessColumn::Shortage => {
            format!("the deficit of {} as a share of the {} guaranteed", show(row.deficit()), show(row.guaranteed))
        }
        FairnessColumn::Guaranteed => "the guaranteed resources of the queue in the configuration".to_owned(),
        FairnessColumn::Used => "allocated in the queue and its children".to_owned(),
        FairnessColumn::Pending => "pending in the queue and its children".to_owned(),
        FairnessColumn::Deficit => format!(
            "the smaller of its demand {demand} and its guarantee {}, minus {} used",
            show(row.guaranteed),
            show(row.used)
        ),
        FairnessColumn::Fair => format!(
            "its share of its parent's {} by guarantees among the siblings with demand: first each demand within \
             its guarantee, the rest by guarantee; no queue gets more than its demand",
            show(row.of_parent)
        ),
        FairnessColumn::Borrowed => format!("{} used minus {} guaranteed", show(row.used), show(row.guaranteed)),
        FairnessColumn::Idle => format!("{} guaranteed minus {demand} used or requested", show(row.guaranteed)),
        FairnessColumn::Since => "how long it has had a deficit, from the samples of the history: a minimum".to_owned(),
        FairnessColumn::BlockedBy => "the siblings that use more than their guarantee, largest first".to_owned(),
    }
}

/// The explanation of a limit column.
pub fn of_limit(row: &LimitUsed, column: LimitColumn) -> String {
    let show =
        |amount: i64| row.resource.as_deref().map_or_else(|| amount.to_string(), |name| show_amount(name, amount));
    match column {
        LimitColumn::Name => "a user or group with a limit; one row for each resource of each limit".to_owned(),
        LimitColumn::Kind => "whether it is a user or a group".to_owned(),
        LimitColumn::Queue => "the queue of the limit".to_owned(),
        LimitColumn::Resource => "the resource that the row counts; apps: applications that run".to_owned(),
        LimitColumn::Limit => "the limit in that queue and its children".to_owned(),
        LimitColumn::Used => "usage there".to_owned(),
        LimitColumn::Part => format!("{} used of {}", show(row.used), show(row.limit)),
        LimitColumn::Pending => {
            "further pending requests of applications that count there; for applications, those that have not started"
                .to_owned()
        }
        LimitColumn::Blocked => format!(
            "{} requested, minus the {} left in the limit",
            show(row.pending),
            show(row.limit.saturating_sub(row.used).max(0))
        ),
        LimitColumn::Beyond => {
            format!("{} blocked as a share of the limit of {}", show(row.blocked()), show(row.limit))
        }
        LimitColumn::Line => "the line of the limit in the configuration".to_owned(),
    }
}

/// The meaning of the lines of an explain sheet.
pub fn sheet(lines: &[SheetLine]) -> Vec<Metric> {
    by_label(lines, words)
}

/// The explanations of the overview.
pub fn overview(lines: &[SheetLine]) -> Vec<Metric> {
    by_label(lines, overview_words)
}

fn by_label(lines: &[SheetLine], words: fn(&str) -> Option<&'static str>) -> Vec<Metric> {
    let mut known: Vec<&str> = Vec::new();
    let mut metrics = Vec::new();
    for line in lines {
        let label = line.label.as_str();
        if let Some(words) = words(label).filter(|_| !known.contains(&label)) {
            known.push(label);
            metrics.push(metric(label, "", words));
        }
    }
    metrics
}

fn overview_words(label: &str) -> Option<&'static str> {
    Some(match label {
        "starves" => {
            "the queue has less than its guarantee, and pending requests; for the resource with the largest deficit; borrows: a sibling uses more than its guarantee"
        }
        "alert" => {
            "a rule with a condition that was met long enough, with its values at the last evaluation; :alerts lists all"
        }
        "limit" => "usage of the limit; waits: requests above the rest of the limit",
        "maximum" => "usage of the queue's maximum, if more is pending than is left",
        "drains" => "applications left in a draining or stopped queue",
        "node" => "nodes that were removed in the last hour, are unschedulable, or are overcommitted",
        "config" => "the errors and warnings of the active configuration, by the rules of the release",
        "preempted" => "allocations that were preempted in the last hour, by the events that are known here",
        "waits" => {
            "applications with pending requests, by the result of the last cycle for their oldest request, with the \
                age of that request"
        }
        "use" => "allocated on all nodes of the partition, of their capacity",
        "demand" => "pending in the root queue",
        "free" => "the largest free quantity on one schedulable node, for each resource",
        "fragments" => {
            "pending requests without a node in the last cycle, although all schedulable nodes together have enough free"
        }
        "rate" => {
            "running applications, allocations a second over the last seconds, and allocations since the first sample of the last hour; how long applications that started in the last 10 minutes had waited: the median, and what 95 % waited at most"
        }
        "trend" => "cpu in use of the nodes' capacity, by the samples of the last hour; ? without a sample",
        "changed" => {
            "leaves and users by the change of usage and pending requests since you last looked (the time in brackets), as a share of the cluster"
        }
        _ => return None,
    })
}

fn words(label: &str) -> Option<&'static str> {
    Some(match label {
        "request" => "a pending request, the first of identical ones; in the order of a cycle",
        "partition" => "the partition is stopped or has no nodes",
        "draining" => "a queue on its path is stopped",
        "nothing" => "its requests sum to 0, so cycles skip it",
        "pod" => "its pod is not requested yet: it has scheduling gates or an unbound claim",
        "backoff" => "too many requests of its application found no node, so cycles skip the application for a time",
        "state" => "with stateaware a leaf starts one application at a time",
        "queue-apps" => "maxapplications of a queue is reached",
        "user-apps" | "group-apps" => "maxapplications of a limit is reached",
        "stalled" => "an earlier request ends each cycle",
        "gang" => "it replaces a placeholder of its task group",
        "user" | "group" => "a limit: missing = requested minus the rest of the limit",
        "queue" => "a maximum: missing = requested minus the rest of the maximum",
        "node" => "no node has enough capacity, or enough free; the values are of the closest node",
        "priority" => "an earlier request can be allocated",
        "nodes" => "how many nodes fail the same check, the first check that they fail",
        "before it" => {
            "what a cycle schedules first: sibling queues, applications of its queue, requests of its application"
        }
        "preemption" => "whether a cycle would preempt others for it",
        "next" => "what the next cycle does for it",
        "would help" => "a change that removes a cause",
        "cause" | "causes" => "the results of cycles since the first attempt, each with its age",
        "not chosen" => "allocations that were considered and not selected, with the reason",
        "found" => "what cycles found for it, in how many cycles, and how long ago",
        "copy" => "a scheduler of this console in the state of the remote scheduler, with its decisions compared",
        "of" | "rule" | "order" | "requester" | "its queue" | "victim" | "with it" => {
            "the event, and the known state at that time"
        }
        "most by" | "reserved" | "others" | "waits" => "who uses the node, and which pending requests it could fit",
        "allocated" => "its allocations, oldest first",
        "unknown" => "what is unknown",
        "note" => "gang settings without an effect, or with another effect than intended",
        _ => return None,
    })
}
