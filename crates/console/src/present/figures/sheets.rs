//! The figures of pages that are no lists: details, history, health, partitions, the forms, the configuration.

use crate::present::details;
use crate::present::figures::apps;
use crate::present::figures::figure;
use crate::present::figures::nodes;
use crate::present::figures::queues;
use crate::present::format;
use crate::present::value::heading;
use crate::state::State;
use crate::state::column::{AppColumn, Column, NodeColumn, QueueColumn};
use crate::state::config::ConfigPage;
use crate::state::layer::Figure;
use crate::state::page::Subject;
use source::OwnHealth;
use view::history::SAMPLE_EVERY;

/// The columns of the lists that a sheet is about, worked out once more for it.
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

/// The figures of a sheet.
pub fn details(state: &State, subject: &Subject) -> (String, Vec<Figure>) {
    let of = crate::present::subject::name(state).unwrap_or_else(|| title(subject).to_owned());
    let mut list = worked_out(state, subject);
    if let Subject::Health(checkup) = subject {
        let check = |check: &view::HealthCheck| {
            let shown = if check.succeeded { "passed" } else { "failed" };
            let found = check.diagnosis.strip_suffix(": []").unwrap_or(&check.diagnosis);
            let found = if found.is_empty() { String::new() } else { format!("; found: {found}") };
            figure(&check.name, shown, format!("{}{found}", check.description))
        };
        let said = if let OwnHealth::Reported(health, _) = &state.cluster.health { &health.checks[..] } else { &[] };
        list.extend(said.iter().chain(&checkup.health.checks).map(check));
    }
    let mut known: Vec<String> = Vec::new();
    for (label, shown) in details::labels(state, subject) {
        // A plot stands for itself, and all peaks mean the same.
        let plot = matches!(subject, Subject::History(_));
        let shown = if plot { String::new() } else { shown };
        let label = if plot && label.starts_with("peak") { "peak".to_owned() } else { label };
        if known.contains(&label) {
            continue;
        }
        list.push(figure(&label, shown, words(subject, &label).unwrap_or_default()));
        known.push(label);
    }
    list.extend(beside(subject));
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

/// The figures that are worked out from the rows, as in the lists.
fn worked_out(state: &State, subject: &Subject) -> Vec<Figure> {
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

/// Columns of a list, each with how its figure is computed.
fn explained<C: Column>(columns: &[C], why: impl Fn(C) -> String) -> Vec<Figure> {
    columns.iter().map(|column| figure(&heading(column.name()), "", why(*column))).collect()
}

/// What a label of a run of a simulation stands for.
fn simulated(label: &str) -> Option<&'static str> {
    Some(match label {
        "wait" => "from the ask to the allocation; asks that wait at the end count with the time up to then",
        "at the end" => "asks that wait when the run ends",
        "preempted" => "allocations that others took",
        "rejected" => "applications that were refused",
        "fairness" => "Jain's index of the users' dominant shares over the whole run",
        _ => return None,
    })
}

/// What a label of a sheet stands for.
fn words(subject: &Subject, label: &str) -> Option<String> {
    if let Subject::History(queue) = subject {
        return history(queue.is_some(), label);
    }
    let words = match (subject, label) {
        (Subject::Entry(_), "when") => {
            "on the clock of the machine that the scheduler runs on; entries count up by one"
        }
        (Subject::Simulated(_), label) => return simulated(label).map(str::to_owned),
        (Subject::Event(_), "when") => "on the scheduler's clock, from its beginning",
        (Subject::Event(_), "resource") => "how much it is about",
        (Subject::Event(_), "message") => "what the scheduler says of it",
        (Subject::Entry(_), _) => "as the act found it, and as it left it where that is another value",
        (Subject::Partitions, _) => return partition(label),
        (_, "blocked by") => "each application that is still in the queue, its usage, and its user",
        (_, "over") => "when the last of them ends by itself: a completing one after 30 s without anything",
        (_, "seen above") => {
            "the priority, queue by queue on the way up: a fence shows only its own offset, others add theirs to it"
        }
        (_, "resources") => {
            "used and pending here and below; guaranteed and max as written on it; headroom: the least that is left on the path up, and the queue that binds"
        }
        (_, "applications") => "running of the most that may run; live: in any state",
        (_, "children") => "the queues directly below",
        (_, "limits") => "each limit on the path with its line, and who uses how much of it",
        (_, "template") => "what queues made below it by a placement rule are given",
        (_, "properties") => "each with the queue or the template that it is taken from",
        (_, "preempting") => "being taken back from running allocations, still counted as used",
        (_, "submit" | "admin" | "may submit" | "administers" | "may act") => {
            "the access lists on its path, with queue and line"
        }
        (_, "states") => "each state it entered, and how long after it was submitted",
        (_, "submitted" | "ended") => "how long ago, on the scheduler's clock",
        (_, "allocated") => "the sum of its allocations",
        (_, "placeholders") => "resources reserved by placeholders of a gang until the real asks come",
        (_, "pending") => "the sum of its pending asks",
        (_, "task group") => "placeholders asked for, replaced by real asks, and timed out",
        (_, "priority") => "the highest priority of its pending asks",
        (_, "runs") => "running, of all active ones",
        (_, "uses") => "allocated to it in all queues together",
        (_, "binds now") => "limits that are fully used: nothing more starts under them",
        (_, "waits for it") => "applications of which asks wait for room under these limits",
        (_, "reserved for") => "asks that this node is reserved for: they had waited, and come first here",
        (_, "held back" | "this ask" | "message" | "note") => {
            "what keeps it, in the scheduler's words, with the figures it found"
        }
        (_, "sorts") => "the order in which its applications are served",
        (_, "tags" | "attributes" | "asked for" | "submitted by") => "as they were submitted",
        (Subject::Why(_), rule) if rule.starts_with(|c: char| c.is_ascii_digit()) => {
            "the placement rules in the order of evaluation, with their results"
        }
        (Subject::Info, _) => "what a report of a fault needs",
        _ => return None,
    };
    Some(words.to_owned())
}

fn history(of_queue: bool, label: &str) -> Option<String> {
    let whole = if of_queue { "the smallest maximum on its path" } else { "the sum of the nodes" };
    let every = format::duration(SAMPLE_EVERY);
    let said = match label {
        "cpu used" | "mem used" => {
            format!("allocated, sampled every {every}; the height of the plot is {whole}, and the share is of it")
        }
        "cpu pending" | "mem pending" => {
            format!("asked for and not allocated, sampled every {every}; the height is the most that was seen")
        }
        "running" => format!("running applications, sampled every {every}; the height is the most that was seen"),
        "pending asks" => format!("pending asks, sampled every {every}; the height is the most that was seen"),
        "alloc/s" => {
            "allocations made between two looks, counted for a second; the height is the most that was seen".to_owned()
        }
        label if label.starts_with("peak") => "the most that was seen in the time that the plot shows".to_owned(),
        _ => return None,
    };
    Some(said)
}

fn partition(label: &str) -> Option<String> {
    let words = match label {
        "nodes" => "the nodes, and in which order they are tried",
        "queues" => "all queues of the tree, and how many of them drain",
        "applications" => "live: in any state; ended ones are kept for a while to look at",
        "placement" => "the rules that decide where a submission goes; 5 tries them",
        "preemption" => "whether asks of queues below their guarantee may take from those above theirs",
        "cpu" | "mem" => "allocated on all nodes, of the sum of their capacities",
        _ => return None,
    };
    Some(words.to_owned())
}

/// What stands on a sheet without a label.
fn beside(subject: &Subject) -> Option<Figure> {
    match subject {
        Subject::Revision(_) => {
            Some(figure("the numbers", "", "the lines of the text, as faults and limits name them"))
        }
        Subject::Compare(..) => {
            Some(figure("~ old → new", "", "what a value was in the one revision, and what it is in the other"))
        }
        Subject::History(_) => {
            Some(figure("a column", "", "is the span shown at the top; the last sample of that span is shown"))
        }
        _ => None,
    }
}

/// The figures of the placement.
pub fn placement() -> Vec<Figure> {
    vec![
        figure(
            "1, 2, …",
            "",
            "the rules in the order they are tried; the first that gives a queue that takes it ends the walk",
        ),
        figure(
            "placed of reached",
            "",
            "the submissions that the rule placed, of those that it evaluated, since it is active",
        ),
        figure("line", "", "where the rule is written in the configuration"),
        figure("refused", "", "submissions that no rule placed, since these rules are active"),
        figure("max, guaranteed", "", "what a new queue would get from the template of the queue above it"),
        figure("the limits", "", "of the user and of the group that it would count under: used now, of the most"),
    ]
}

/// The figures of the configuration.
pub fn config(page: &ConfigPage) -> Vec<Figure> {
    let (errors, faults) = (page.checked.errors(), page.checked.faults.len());
    let base = page.base.as_ref().map_or_else(String::new, |base| base.revision.to_string());
    vec![
        figure(
            "revision",
            base,
            "the revision that the edit is based on; each applied configuration increases it by one",
        ),
        figure("faults", errors.to_string(), "what keeps the text from being applied; n and N go from one to the next"),
        figure("warnings", faults.saturating_sub(errors).to_string(), "what is allowed and probably not meant"),
        figure("the numbers", "", "the lines of the text; the number behind a folded queue is how many it hides"),
        figure("old → new", "", "next to the text: an active setting, and its value in the edit"),
        figure(
            "uses … now",
            "",
            "currently allocated in that subtree; if it is above the new maximum, running allocations stay",
        ),
        figure("drains", "", "applications that hold a queue which the edit takes away, and what they hold now"),
    ]
}

/// The figures of a form on a queue.
pub fn change() -> Vec<Figure> {
    vec![
        figure("the fields", "", "start with the values of the queue; an empty field means no value"),
        figure("old → new", "", "an active setting, and its value in the form"),
        figure("uses … now", "", "allocated in that queue and below at this moment"),
        figure("the numbers", "", "lines of the configuration that the form changes, with their context"),
        figure("revision", "", "the revision that the form is based on"),
    ]
}
