//! The figures of an explanation, and of how queues stand to their guarantees.

use crate::present::figures::figure;
use crate::state::column::{FairnessColumn, LimitColumn};
use crate::state::layer::Figure;
use view::fairness::FairnessRow;
use view::limits_used::LimitUsed;
use view::units::show_amount;
use view::waiting::SheetLine;

/// How the figure of a column is computed.
pub fn why(row: &FairnessRow, column: FairnessColumn) -> String {
    let show = |amount: i64| show_amount(&row.resource, amount);
    let demand = show(row.used.saturating_add(row.pending));
    match column {
        FairnessColumn::Queue => {
            "a queue, leaf or parent; one row for each resource that it is guaranteed or uses".to_owned()
        }
        FairnessColumn::Resource => "the resource that the row counts".to_owned(),
        FairnessColumn::Lack => {
            format!("the deficit of {} as a part of the {} guaranteed", show(row.deficit()), show(row.guaranteed))
        }
        FairnessColumn::Guaranteed => "what the configuration guarantees to the queue itself".to_owned(),
        FairnessColumn::Used => "what is allocated in the queue and below it".to_owned(),
        FairnessColumn::Pending => "what is asked for in the queue and below it and not allocated".to_owned(),
        FairnessColumn::Deficit => format!(
            "the smaller of its demand {demand} and its guarantee {}, less {} used",
            show(row.guaranteed),
            show(row.used)
        ),
        FairnessColumn::Fair => format!(
            "its share of its parent's {} by guarantees among the siblings with demand: first each demand within \
             its guarantee, the rest by guarantee; no queue gets more than its demand",
            show(row.of_parent)
        ),
        FairnessColumn::Borrowed => format!("{} used less {} guaranteed", show(row.used), show(row.guaranteed)),
        FairnessColumn::Idle => format!("{} guaranteed less {demand} used or asked for", show(row.guaranteed)),
        FairnessColumn::Since => {
            "the time since it has a deficit, by the samples of the history: at least this long".to_owned()
        }
        FairnessColumn::HeldBy => "the siblings that use more than their guarantee, those with most first".to_owned(),
    }
}

/// How the figure of a column of a limit is computed.
pub fn of_limit(row: &LimitUsed, column: LimitColumn) -> String {
    let show =
        |amount: i64| row.resource.as_deref().map_or_else(|| amount.to_string(), |name| show_amount(name, amount));
    match column {
        LimitColumn::Name => "a user or group with a limit; one row for each resource of each limit".to_owned(),
        LimitColumn::Kind => "whether it is a user or a group".to_owned(),
        LimitColumn::Queue => "the queue of the limit".to_owned(),
        LimitColumn::Resource => "the resource that the row counts; apps: applications that run".to_owned(),
        LimitColumn::Limit => "how much there may be in that queue and below it".to_owned(),
        LimitColumn::Used => "how much is in use there".to_owned(),
        LimitColumn::Part => format!("{} used of {}", show(row.used), show(row.limit)),
        LimitColumn::Pending => {
            "further pending requests of applications that count there; for applications, those that have not started"
                .to_owned()
        }
        LimitColumn::HeldBack => format!(
            "{} asked for, less the {} that the limit leaves",
            show(row.pending),
            show(row.limit.saturating_sub(row.used).max(0))
        ),
        LimitColumn::Beyond => {
            format!("{} held back as a part of the limit of {}", show(row.held_back()), show(row.limit))
        }
        LimitColumn::Line => "the line of the limit in the configuration".to_owned(),
    }
}

/// What the lines of an explanation stand for.
pub fn sheet(lines: &[SheetLine]) -> Vec<Figure> {
    by_label(lines, words)
}

/// How the figures of the overview are computed.
pub fn overview(lines: &[SheetLine]) -> Vec<Figure> {
    by_label(lines, overview_words)
}

fn by_label(lines: &[SheetLine], words: fn(&str) -> Option<&'static str>) -> Vec<Figure> {
    let mut known: Vec<&str> = Vec::new();
    let mut figures = Vec::new();
    for line in lines {
        let label = line.label.as_str();
        if let Some(words) = words(label).filter(|_| !known.contains(&label)) {
            known.push(label);
            figures.push(figure(label, "", words));
        }
    }
    figures
}

fn overview_words(label: &str) -> Option<&'static str> {
    Some(match label {
        "starves" => {
            "the queue has less than its guarantee, and pending requests; for the resource with the largest deficit; borrows: a sibling uses more than its guarantee"
        }
        "alert" => {
            "a rule with a condition that was met long enough, with its values at the last evaluation; :alerts lists all"
        }
        "limit" => "in use of what the limit allows; waits: what is asked for beyond what the limit leaves",
        "maximum" => "in use of the queue's own maximum, where more is pending than it leaves",
        "drains" => "applications that are left in a queue that is being removed or stopped",
        "node" => "nodes that were removed in the last hour, are unschedulable, or are overcommitted",
        "config" => "the errors and warnings of the active configuration, by the rules of the release",
        "preempted" => "allocations that were preempted in the last hour, by the events that are known here",
        "waits" => {
            "applications with pending asks by what the last cycle found for their oldest ask, with the age of that ask"
        }
        "use" => "allocated on all nodes of the partition of what they have",
        "demand" => "pending in the root queue",
        "free" => "the most that one open node has free of each resource",
        "fragments" => {
            "pending requests without a node in the last cycle, although all schedulable nodes together have enough free"
        }
        "rate" => {
            "running applications, allocations a second over the last seconds, and allocations since the first sample of the last hour; how long applications that started in the last 10 minutes had waited: the median, and what 95 % waited at most"
        }
        "trend" => "cpu in use of what the nodes have, by the samples of the last hour; ? where there is none",
        "changed" => {
            "leaves and users by how much use and pending differ from those at the time in brackets, when you looked last, as a part of the cluster, of the resource that differs most"
        }
        _ => return None,
    })
}

fn words(label: &str) -> Option<&'static str> {
    Some(match label {
        "ask" => "a pending request, the first of identical ones; requests are in the order of a cycle",
        "partition" => "the partition is stopped, or has no node",
        "draining" => "a queue on the way is stopped",
        "nothing" => "on balance nothing above 0 is asked for, so that a cycle does not look at it",
        "pod" => "its pod is not asked for yet: it has scheduling gates, or a claim of it is not bound",
        "backoff" => "too many asks of its application found no node, so cycles skip the application for a while",
        "state" => "with stateaware one application of a leaf starts after the other",
        "queue-apps" => "maxapplications of a queue is reached",
        "user-apps" | "group-apps" => "maxapplications of a limit is reached",
        "stalled" => "an ask before it ends every cycle",
        "gang" => "it takes the place of a placeholder of its task group",
        "user" | "group" => "a limit: what is missing is what is wanted less what the limit leaves",
        "queue" => "a maximum: what is missing is what is wanted less what the maximum leaves",
        "node" => "no node has so much, or none has it free; then the figures are those of the node that lacks least",
        "priority" => "a request before it can be allocated",
        "nodes" => "how many nodes fail the same check, the first check that they fail",
        "before it" => {
            "what a cycle tries before it: siblings of its queues, applications of its queue, asks of its application"
        }
        "preemption" => "whether others would be stopped for it, by the search that a cycle makes",
        "next" => "what the next cycle does for it",
        "would help" => "a change that takes a blocker away",
        "cause" | "causes" => "the results of cycles, from the first try on, each with its age",
        "stayed" => "allocations that were looked at and not taken, with the reason",
        "found" => "what cycles found for it so far, in how many of them, and how long ago last",
        "twin" => {
            "a scheduler of this console in the state that the other side shows, compared with the decisions of that one"
        }
        "of" | "the rule" | "the order" | "requester" | "its queue" | "the victim's" | "with it" => {
            "what the event says, and what is known of that moment"
        }
        "most by" | "reserved" | "others" | "waits" => "who has the node, and what of that which waits it could take",
        "it got" => "its allocations, the first ones made",
        "not known" => "what could not be known",
        "note" => "what of its gang is written so that it has no effect, or another one than is meant",
        _ => return None,
    })
}
