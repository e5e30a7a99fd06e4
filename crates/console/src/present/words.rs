//! Words for states, events, users, and revisions.

use std::sync::Arc;

use crate::present::format;
use model::{QueuePath, QueueState, Time};
use view::audit::{AuditEntry, Revision};
use view::{AppRow, AskRow, AskState, ChangeDetail, ChangeType, PartitionView, QueueRow, Record};

/// The draining queues, the longest first.
pub fn draining(part: &PartitionView) -> Vec<&Arc<QueueRow>> {
    let mut all: Vec<_> = part.walk().filter(|row| row.state == QueueState::Draining).collect();
    all.sort_by(|a, b| (a.state_since, &a.path).cmp(&(b.state_since, &b.path)));
    all
}

/// The queue relative to the page's scope.
pub fn below<'a>(scope: Option<&QueuePath>, row: &'a AppRow) -> &'a str {
    let path = row.queue.as_str();
    let scope = scope.map_or("root", QueuePath::as_str);
    path.strip_prefix(scope).and_then(|rest| rest.strip_prefix('.')).unwrap_or(path)
}

/// The state of a request as a word.
pub fn word_of(ask: &AskRow) -> &'static str {
    match (&ask.state, ask.placeholder) {
        (AskState::Pending { reserved: Some(_), .. }, _) => "reserved",
        (AskState::Pending { .. }, false) => "pending",
        (AskState::Pending { .. }, true) => "pending, placeholder",
        (AskState::Allocated { .. }, false) => "allocated",
        (AskState::Allocated { .. }, true) => "placeholder",
    }
}

/// A few words.
///
/// No word without a change: "none held" would be wrong.
pub fn word(record: &Record) -> String {
    match (record.change, record.detail.0) {
        (ChangeType::NONE, 0) => String::new(),
        (ChangeType::NONE, _) => record.detail.to_string(),
        (change, 0) => change.to_string(),
        (change, _) => format!("{change} {}", record.detail),
    }
}

/// What happened, in the fewest words.
pub fn happened(record: &Record) -> String {
    let detail = record.detail;
    let is_part = matches!(
        detail,
        ChangeDetail::APP_ALLOC
            | ChangeDetail::APP_REQUEST
            | ChangeDetail::NODE_ALLOC
            | ChangeDetail::NODE_RESERVATION
            | ChangeDetail::QUEUE_APP
            | ChangeDetail::QUEUE_ALLOC
            | ChangeDetail::QUEUE_DYNAMIC
            | ChangeDetail::UG_APP_LINK
    );
    match (record.change, detail.0) {
        (_, _) if is_flag(record) && record.message.ends_with("false") => format!("un{detail}"),
        (ChangeType::NONE, 0) => "note".to_owned(),
        (ChangeType::ADD, 0) => "added".to_owned(),
        (ChangeType::REMOVE, 0) => "removed".to_owned(),
        (ChangeType::SET, 0) => "changed".to_owned(),
        (ChangeType::ADD, _) if is_part => format!("+ {detail}"),
        (ChangeType::REMOVE, _) if is_part => format!("- {detail}"),
        (_, 0) => word(record),
        _ => detail.to_string(),
    }
}

/// A flag of a node: its message is the new value.
fn is_flag(record: &Record) -> bool {
    record.change == ChangeType::SET && record.detail == ChangeDetail::NODE_SCHEDULABLE
}

/// What follows [`happened`]: who preempted it, the part, or the message.
pub fn about(record: &Record) -> String {
    let preempted = record.detail == ChangeDetail::ALLOC_PREEMPT;
    if let Some((_, by)) = record.message.split_once("of application ").filter(|_| preempted) {
        return format!("by {}", by.split([' ', ',', ';']).next().unwrap_or_default());
    }
    match record.reference.is_empty() {
        false => record.reference.to_string(),
        true if is_flag(record) => String::new(),
        true => record.message.to_string(),
    }
}

/// The acting user or component.
pub fn who(entry: &AuditEntry) -> &str {
    if entry.user.is_empty() { &entry.address } else { &entry.user }
}

/// How a revision became active: `by ann, api, "smaller"`.
pub fn origin(of: &Revision) -> String {
    let by = if of.by.is_empty() { String::new() } else { format!("by {}, ", of.by) };
    let how = match of.source {
        view::audit::RevisionSource::Rollback(old) => format!("rollback to {old}"),
        source => source.name().to_owned(),
    };
    let reason = if of.reason.is_empty() { String::new() } else { format!(": {}", of.reason) };
    format!("{by}{how}{reason}")
}

/// `at least` if the start was not seen.
pub fn in_state_for(row: &QueueRow, now: Time) -> String {
    let least = if row.state_before { "at least " } else { "" };
    format!("{least}{}", format::duration(now.since(row.state_since)))
}
