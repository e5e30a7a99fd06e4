//! Explains an event: its message, its rule, the usage of the queue against its guaranteed resources at that time, and
//! related events.

use super::grounds_words::{self, rule_sentence};
use super::words::{amounts, count};
use super::{Sheet, SheetLine, Target};
use crate::record::{PreemptionGrounds, PreemptionRule};
use crate::{ChangeDetail, ObjectType, PartitionView, Record, Sample, View};
use model::{AppId, AskId, NodeId, QueuePath, Resource, Time};

const MOST: usize = 8;

/// Explains an event from the event itself, the events around it, and the samples of the history.
///
/// `around` are the events of about the same time, in order, and those that selected preempted allocations.
pub fn event_sheet<'r>(
    view: &View,
    part: &PartitionView,
    record: &Record,
    around: impl Iterator<Item = &'r Record>,
) -> Sheet {
    let what = record.detail.word().unwrap_or("another event");
    let of = if record.reference.is_empty() { String::new() } else { format!(" ({})", record.reference) };
    let message = if record.message.is_empty() { String::new() } else { format!(": {}", record.message) };
    let sentence = format!("{} {}{of}: {what}{message}", record.kind, record.object);
    let mut lines = Vec::new();
    let around: Vec<&Record> = around.collect();
    let grounds = grounds(record, &around);
    if grounds.is_none() {
        lines.extend(rule(record.detail).map(|rule| SheetLine::new("rule", rule)));
    }
    lines.extend(things(record));
    let cause = preemptor(&record.message);
    if let Some((app, queue)) = &cause {
        let text = format!("it was preempted for application {app} in {queue}");
        lines.push(SheetLine::new("requester", text).to(Some(Target::App(app.clone(), None))));
        if grounds.is_none() {
            lines.extend(usage_state("its queue", view, part, queue, record.at));
        }
    }
    lines.extend(grounds.into_iter().flat_map(grounds_words::lines));
    let app = app_of(record);
    let row = app.as_ref().and_then(|app| part.app_by_id(app));
    if let Some(row) = row.filter(|row| !row.queue.as_str().is_empty()) {
        lines.push(
            SheetLine::new("queue", format!("{} is in {}", row.id, row.queue))
                .to(Some(Target::Queue(row.queue.clone()))),
        );
        if record.detail == ChangeDetail::ALLOC_PREEMPT && grounds.is_none() {
            lines.extend(usage_state("victim", view, part, &row.queue, record.at));
        }
    }
    if app.is_some() && row.is_none() {
        lines.push(SheetLine::new("unknown", "the application no longer exists, so its state at that time is unknown"));
    }
    if record.detail == ChangeDetail::ALLOC_PREEMPT {
        lines.extend(others(record, &around));
        if grounds.is_none() {
            let text = "unknown: which other allocations were considered and why they were not selected; events do not report it";
            lines.push(SheetLine::new("unknown", text));
        }
    }
    Sheet { at: record.at, title: record.object.to_string(), sentence, waits: false, lines, ..Sheet::default() }
}

/// The preemption grounds of the event, or of the event that selected its allocation.
fn grounds<'r>(record: &'r Record, around: &[&'r Record]) -> Option<&'r PreemptionGrounds> {
    let of = |other: &&&Record| {
        record.detail == ChangeDetail::ALLOC_PREEMPT
            && other.kind == ObjectType::REQUEST
            && (&other.object, &other.reference) == (&record.reference, &record.object)
            && other.at <= record.at
    };
    let chosen = || around.iter().filter(of).rev().find_map(|other| other.grounds.as_deref());
    record.grounds.as_deref().or_else(chosen)
}

fn rule(detail: ChangeDetail) -> Option<&'static str> {
    Some(match detail {
        ChangeDetail::ALLOC_PREEMPT => rule_sentence(PreemptionRule::Guarantee),
        ChangeDetail::QUEUE_PREEMPTION => rule_sentence(PreemptionRule::Maximum),
        ChangeDetail::APP_REJECT => "no placement rule selected a queue that the submitter can use",
        ChangeDetail::APP_KILLED => {
            "an administrator of its queue killed it: its requests and allocations were released"
        }
        ChangeDetail::APP_MOVED => {
            "an administrator of its queue moved it: its allocations continue and count in the new queue"
        }
        ChangeDetail::APP_CANNOTRUN_QUEUE => "maxapplications of a queue is reached",
        ChangeDetail::APP_CANNOTRUN_QUOTA => "maxapplications of a limit of its user or group is reached",
        ChangeDetail::REQUEST_TIMEOUT | ChangeDetail::ALLOC_TIMEOUT => {
            "the placeholders of a gang are released when the gang times out"
        }
        ChangeDetail::ALLOC_REPLACED => "a real request of its task group replaces a placeholder",
        ChangeDetail::ALLOC_NODE_REMOVED => "allocations are removed with their node",
        ChangeDetail::APP_COMPLETING => "it has no requests and no allocations left",
        ChangeDetail::APP_QUEUE_DRAINING | ChangeDetail::QUEUE_DRAIN_ALERT => {
            "its queue is not in the configuration: its applications complete, new applications are rejected"
        }
        ChangeDetail::NODE_RESERVATION => "a node is reserved for a waiting request; no other request can use the node",
        _ => return None,
    })
}

fn things(record: &Record) -> Vec<SheetLine> {
    let line = |label: &str, text: &str, to| SheetLine::new(label, text).to(Some(to));
    let (object, reference) = (&*record.object, &*record.reference);
    match record.kind {
        ObjectType::APP => {
            let ask = (!reference.is_empty() && !reference.starts_with("root")).then(|| AskId::from(reference));
            vec![line("of", object, Target::App(object.into(), ask))]
        }
        ObjectType::REQUEST => vec![line("of", reference, Target::App(reference.into(), Some(object.into())))],
        ObjectType::NODE => vec![line("node", object, Target::Node(NodeId::from(object)))],
        ObjectType::QUEUE => vec![line("queue", object, Target::Queue(object.into()))],
        _ => Vec::new(),
    }
}

fn app_of(record: &Record) -> Option<AppId> {
    match record.kind {
        ObjectType::APP => Some(AppId::from(&*record.object)),
        ObjectType::REQUEST => Some(AppId::from(&*record.reference)),
        _ => None,
    }
}

fn preemptor(message: &str) -> Option<(AppId, QueuePath)> {
    let (_, after) = message.split_once(" of application ")?;
    let (app, queue) = after.rsplit_once(" in ")?;
    Some((app.into(), queue.into()))
}

/// The usage of a queue in the last sample before a time, against its current guaranteed resources.
fn usage_state(label: &str, view: &View, part: &PartitionView, queue: &QueuePath, at: Time) -> Option<SheetLine> {
    let sample = view.history.iter().rev().find(|sample| sample.at <= at)?;
    let used = used(sample, part, queue)?;
    let guaranteed = part.queue_at(queue).and_then(|row| row.guaranteed.clone());
    let text = match guaranteed.filter(|guaranteed| !guaranteed.is_zero()) {
        Some(guaranteed) => format!("{queue} used {} and is guaranteed {}", amounts(&used), amounts(&guaranteed)),
        None => format!("{queue} used {} and has no guarantee", amounts(&used)),
    };
    let line = SheetLine::new(label, format!("{text}, in the last sample before it"));
    Some(line.to(Some(Target::Queue(queue.clone()))).since(Some(sample.at)))
}

fn used(sample: &Sample, part: &PartitionView, queue: &QueuePath) -> Option<Resource> {
    let of = sample.partitions.iter().find(|one| one.name == part.name)?;
    // Idle queues are not in a sample.
    Some(of.queues.iter().find(|one| one.queue == *queue).map(|one| one.allocated.clone()).unwrap_or_default())
}

fn others(record: &Record, around: &[&Record]) -> Vec<SheetLine> {
    let same = |other: &&&Record| {
        other.detail == ChangeDetail::ALLOC_PREEMPT
            && other.kind == ObjectType::APP
            && other.message == record.message
            && other.at == record.at
            && (&other.object, &other.reference) != (&record.object, &record.reference)
    };
    let found: Vec<&Record> = around.iter().filter(same).copied().collect();
    if found.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![SheetLine::new(
        "with it",
        format!("{} were preempted for the same request", count(found.len() as u64, "allocation")),
    )];
    for other in found.into_iter().take(MOST) {
        let to = Target::App((&*other.object).into(), Some((&*other.reference).into()));
        let text = format!("{} {}: {}", other.object, other.reference, amounts(&other.resource));
        lines.push(SheetLine::new("", text).below(1).to(Some(to)));
    }
    lines
}
