//! Explanations for pages without lists.

use crate::present::details;
use crate::present::format;
use crate::present::metrics::apps;
use crate::present::metrics::metric;
use crate::present::metrics::nodes;
use crate::present::metrics::queues;
use crate::present::value::heading;
use crate::state::State;
use crate::state::column::{AppColumn, Column, NodeColumn, QueueColumn};
use crate::state::config::ConfigPage;
use crate::state::layer::Metric;
use crate::state::page::Subject;
use source::OwnHealth;
use view::history::SAMPLE_EVERY;

const QUEUE: [QueueColumn; 8] = [
    QueueColumn::Priority,
    QueueColumn::Apps,
    QueueColumn::Pending,
    QueueColumn::PendingMemory,
    QueueColumn::Cpu,
    QueueColumn::Memory,
    QueueColumn::Headroom,
    QueueColumn::HeadroomMemory,
];
const APP: [AppColumn; 7] = [
    AppColumn::Priority,
    AppColumn::Pending,
    AppColumn::Allocations,
    AppColumn::Cpu,
    AppColumn::Memory,
    AppColumn::AskedCpu,
    AppColumn::Submitted,
];
const NODE: [NodeColumn; 5] =
    [NodeColumn::Allocations, NodeColumn::Cpu, NodeColumn::Memory, NodeColumn::CpuFree, NodeColumn::MemoryFree];

/// The explanations of a sheet.
pub fn details(state: &State, subject: &Subject) -> (String, Vec<Metric>) {
    let of = crate::present::subject::name(state).unwrap_or_else(|| title(subject).to_owned());
    let mut list = worked_out(state, subject);
    if let Subject::Health(checkup) = subject {
        let check = |check: &view::HealthCheck| {
            let shown = if check.succeeded { "passed" } else { "failed" };
            let found = check.diagnosis.strip_suffix(": []").unwrap_or(&check.diagnosis);
            let found = if found.is_empty() { String::new() } else { format!("; found: {found}") };
            metric(&check.name, shown, format!("{}{found}", check.description))
        };
        let reported =
            if let OwnHealth::Reported(health, _) = &state.cluster.health { &health.checks[..] } else { &[] };
        list.extend(reported.iter().chain(checkup.health.iter().flat_map(|health| &health.checks)).map(check));
    }
    let mut known: Vec<String> = Vec::new();
    for (label, shown) in details::labels(state, subject) {
        let plot = matches!(subject, Subject::History(_));
        let shown = if plot { String::new() } else { shown };
        let label = if plot && label.starts_with("peak") { "peak".to_owned() } else { label };
        if known.contains(&label) {
            continue;
        }
        list.push(metric(&label, shown, words(subject, &label).unwrap_or_default()));
        known.push(label);
    }
    list.extend(side_value(subject));
    (of, list)
}

fn title(subject: &Subject) -> &'static str {
    match subject {
        Subject::Health(_) => "the health",
        Subject::Partitions => "the partitions",
        Subject::Info => "this console",
        Subject::History(_) => "the history",
        Subject::Sides => "both sides of this what-if",
        _ => "this sheet",
    }
}

fn worked_out(state: &State, subject: &Subject) -> Vec<Metric> {
    let Some(part) = state.cluster.part() else { return Vec::new() };
    match subject {
        Subject::Queue(path) => {
            let row = part.queue_at(path);
            row.map_or_else(Vec::new, |row| explained(&QUEUE, |column| queues::why(state, part, row, column)))
        }
        Subject::App(row) => explained(&APP, |column| apps::why(state, part, row, column)),
        Subject::Node(id) => {
            part.nodes.get(id).map_or_else(Vec::new, |node| explained(&NODE, |column| nodes::why(node, column)))
        }
        _ => Vec::new(),
    }
}

fn explained<C: Column>(columns: &[C], why: impl Fn(C) -> String) -> Vec<Metric> {
    columns.iter().map(|column| metric(&heading(column.name()), "", why(*column))).collect()
}

fn simulated(label: &str) -> Option<&'static str> {
    Some(match label {
        "wait" => "from request to allocation; pending requests count up to the end",
        "at the end" => "requests that are pending at the end",
        "preempted" => "preempted allocations",
        "rejected" => "rejected applications",
        "fairness" => "Jain's index of the users' dominant shares over the whole run",
        _ => return None,
    })
}

fn words(subject: &Subject, label: &str) -> Option<String> {
    if let Subject::History(queue) = subject {
        return history(queue.is_some(), label);
    }
    let words = match (subject, label) {
        (Subject::Entry(_), "when") => "by the clock of the scheduler's machine; entry numbers increase by one",
        (Subject::Simulated(_), label) => return simulated(label).map(str::to_owned),
        (Subject::Event(_), "when") => "scheduler time since its start",
        (Subject::Event(_), "resource") => "its quantity",
        (Subject::Event(_), "message") => "the message of the scheduler",
        (Subject::Entry(_), _) => "the value before, and after if it changed",
        (Subject::Partitions, _) => return partition(label),
        (_, "blocked by") => "each application that is still in the queue, its usage, and its user",
        (_, "over") => "when the last of them completes: 30 s after its last allocation",
        (_, "seen by parent") => {
            "the priority by queue, up to the root: a fence shows only its offset, others add theirs"
        }
        (_, "resources") => {
            "used and pending here and in children; its guaranteed and max; headroom: the smallest on its path, with the limiting queue"
        }
        (_, "applications") => "running applications, of its maximum; active: in any state",
        (_, "children") => "the queues directly below",
        (_, "limits") => "each limit on the path with its line, and who uses how much of it",
        (_, "template") => "the settings of its dynamic child queues",
        (_, "properties") => "each with the queue or the template that it is taken from",
        (_, "preempting") => "being preempted, still counted as used",
        (_, "submit" | "admin" | "may submit" | "administers" | "may act") => {
            "the access lists on its path, with queue and line"
        }
        (_, "time line") => "when it was submitted, its states, its requests, and its allocations, in scheduler time",
        (_, "submitted" | "ended") => "how long ago, on the scheduler's clock",
        (_, "allocated") => "the sum of its allocations",
        (_, "placeholders") => "resources reserved by placeholders of a gang for its real requests",
        (_, "pending") => "the sum of its pending requests",
        (_, "task group") => "placeholders requested, replaced by real requests, and timed out",
        (_, "priority") => "the highest priority of its pending requests",
        (_, "runs") => "running, of all active ones",
        (_, "uses") => "allocated to it in all queues together",
        (_, "at limit") => "limits that are fully used: nothing more starts under them",
        (_, "waits for it") => "applications with requests that wait for these limits",
        (_, "reserved for") => "requests for which this node is reserved; they are first here",
        (_, "held back" | "this request" | "message" | "note") => "its cause as the scheduler reports it",
        (_, "sorts") => "the order in which its applications are scheduled",
        (_, "tags" | "attributes" | "requested" | "submitted by") => "as submitted",
        (Subject::Why(_), rule) if rule.starts_with(|c: char| c.is_ascii_digit()) => {
            "the placement rules in the order of evaluation, with their results"
        }
        (Subject::Info, _) => "for a bug report",
        _ => return None,
    };
    Some(words.to_owned())
}

fn history(of_queue: bool, label: &str) -> Option<String> {
    let whole = if of_queue { "the smallest maximum on its path" } else { "the sum of the nodes" };
    let every = format::duration(SAMPLE_EVERY);
    let reported = match label {
        "cpu used" | "mem used" => {
            format!("allocated, sampled every {every}; the height of the plot is {whole}, as is 100%")
        }
        "cpu pending" | "mem pending" => {
            format!("pending, sampled every {every}; the height is the maximum")
        }
        "running" => format!("running applications, sampled every {every}; the height is the maximum"),
        "pending requests" => format!("pending requests, sampled every {every}; the height is the maximum"),
        "alloc/s" => "allocations per second between two samples; the height is the maximum".to_owned(),
        label if label.starts_with("peak") => "the maximum in the shown time".to_owned(),
        _ => return None,
    };
    Some(reported)
}

fn partition(label: &str) -> Option<String> {
    let words = match label {
        "nodes" => "the nodes, and their sort policy",
        "queues" => "all queues of the tree, and how many of them drain",
        "applications" => "active: in any state; ended ones are stored for a time",
        "placement" => "the placement rules; 5 previews a placement",
        "preemption" => "whether queues below their guarantee can preempt queues above theirs",
        "cpu" | "mem" => "allocated on all nodes, of the sum of their capacities",
        _ => return None,
    };
    Some(words.to_owned())
}

fn side_value(subject: &Subject) -> Option<Metric> {
    match subject {
        Subject::Revision(_) => Some(metric("the numbers", "", "the line numbers of the text")),
        Subject::Compare(..) => Some(metric("~ old → new", "", "the value in the first revision, and in the second")),
        Subject::History(_) => Some(metric("a column", "", "the time range is at the top; its last sample is shown")),
        _ => None,
    }
}

/// The explanations of the placement.
pub fn placement() -> Vec<Metric> {
    vec![
        metric("1, 2, …", "", "the rules in order; the first that selects a usable queue decides"),
        metric("placed of reached", "", "submissions placed by the rule, of those evaluated, since it is active"),
        metric("line", "", "the line of the rule in the configuration"),
        metric("refused", "", "submissions that no rule placed, since these rules are active"),
        metric("max, guaranteed", "", "the values of a new queue from the template of its parent"),
        metric("the limits", "", "usage now of the user and group limits that would apply"),
    ]
}

/// The explanations of the configuration.
pub fn config(page: &ConfigPage) -> Vec<Metric> {
    let (errors, faults) = (page.checked.errors(), page.checked.faults.len());
    let base = page.base.as_ref().map_or_else(String::new, |base| base.revision.to_string());
    vec![
        metric(
            "revision",
            base,
            "the revision that the edit is based on; each applied configuration increases it by one",
        ),
        metric("faults", errors.to_string(), "errors that prevent applying; n and N go to the next and previous"),
        metric("warnings", faults.saturating_sub(errors).to_string(), "warnings: valid but probably not intended"),
        metric("the numbers", "", "the line numbers; a folded queue shows its number of hidden lines"),
        metric("old → new", "", "next to the text: an active setting, and its edited value"),
        metric("uses … now", "", "allocated in that subtree; above the new maximum, running allocations continue"),
        metric("drains", "", "applications in a queue that the edit removes, and their usage"),
    ]
}

/// The explanations of a form on a queue.
pub fn change() -> Vec<Metric> {
    vec![
        metric("the fields", "", "start with the values of the queue; an empty field means no value"),
        metric("old → new", "", "an active setting, and its value in the form"),
        metric("uses … now", "", "currently allocated in the queue and its subtree"),
        metric("the numbers", "", "lines of the configuration that the form changes, with their context"),
        metric("revision", "", "the revision that the form is based on"),
    ]
}
