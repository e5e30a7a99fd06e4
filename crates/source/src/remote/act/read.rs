//! Converts answers of the native API to results and rejections.

use serde::de::DeserializeOwned;
use serde_json::Value;

use client::ErrorBody;
use config::diff::What;
use config::{Place, Removal, Severity};
use model::{AskId, QueuePath};
use view::act::{
    AclKind, Act, ChangeLine, Cleaned, Code, Configured, Details, Done, DrainingQueue, FoundFault, Killed, Moved,
    NodeDone, PendingAsks, Reason, Released, Submitted,
};
use wire::convert::read::{app_state, time};
use wire::dto;
use wire::dto::native;

/// Reads a result; `None` if the answer does not contain it.
pub type ReadDone = fn(&Act, Value) -> Option<Done>;

/// An answer must name its object.
fn named<T: DeserializeOwned>(value: Value, name: impl Fn(&T) -> &str) -> Option<T> {
    let read: T = serde_json::from_value(value).ok()?;
    (!name(&read).is_empty()).then_some(read)
}

fn asks(keys: Vec<String>) -> Vec<AskId> {
    keys.into_iter().map(AskId::from).collect()
}

fn killed_app(value: Value) -> Option<Killed> {
    let killed: native::KilledApplication = named(value, |killed: &native::KilledApplication| &killed.application_id)?;
    Some(Killed {
        app: killed.application_id.into(),
        queue: QueuePath::new(&killed.queue),
        state: app_state(&killed.state).unwrap_or_default(),
        released: asks(killed.released_allocations),
        canceled: asks(killed.canceled_requests),
        left: usize::try_from(killed.left).unwrap_or(usize::MAX),
        pods: Vec::new(),
    })
}

pub fn killed(_act: &Act, value: Value) -> Option<Done> {
    killed_app(value).map(Done::Killed)
}

pub fn removed(_act: &Act, value: Value) -> Option<Done> {
    killed_app(value).map(Done::Removed)
}

pub fn moved(act: &Act, value: Value) -> Option<Done> {
    let moved: native::MovedApplication = named(value, |moved: &native::MovedApplication| &moved.application_id)?;
    Some(Done::Moved(Moved {
        app: moved.application_id.into(),
        from: QueuePath::new(&moved.from),
        to: QueuePath::new(&moved.to),
        state: app_state(&moved.state).unwrap_or_default(),
        effects: moved.effects,
        dry_run: act.is_dry_run(),
    }))
}

pub fn cleaned(act: &Act, value: Value) -> Option<Done> {
    value.get("removedApplications")?;
    let cleaned: native::CleanupResult = serde_json::from_value(value).ok()?;
    let retained =
        |retained: native::RetainedQueue| DrainingQueue { queue: QueuePath::new(&retained.queue), why: retained.why };
    Some(Done::Cleaned(Cleaned {
        removed_queues: cleaned.removed_queues.iter().map(|path| QueuePath::new(path)).collect(),
        retained: cleaned.retained.into_iter().map(retained).collect(),
        removed_applications: cleaned.removed_applications,
        dry_run: act.is_dry_run(),
    }))
}

pub fn submitted(_act: &Act, value: Value) -> Option<Done> {
    let done: native::SubmittedApplication = named(value, |done: &native::SubmittedApplication| &done.application_id)?;
    Some(Done::Submitted(Submitted { app: done.application_id.into(), queue: QueuePath::new(&done.queue) }))
}

pub fn asked(_act: &Act, value: Value) -> Option<Done> {
    let done: native::AddedAsks = named(value, |done: &native::AddedAsks| &done.application_id)?;
    Some(Done::Asked(PendingAsks { app: done.application_id.into(), asks: asks(done.asks) }))
}

pub fn released(_act: &Act, value: Value) -> Option<Done> {
    let done: native::ReleasedAllocation = named(value, |done: &native::ReleasedAllocation| &done.application_id)?;
    let (app, ask) = (done.application_id.into(), done.allocation_key.into());
    Some(Done::Released(Released { app, ask, allocated: done.allocated }))
}

pub fn node_done(_act: &Act, value: Value) -> Option<Done> {
    let done: native::NodeChange = named(value, |done: &native::NodeChange| &done.node_id)?;
    let released = done.released.into_iter().map(|one| (one.application_id.into(), one.allocation_key.into()));
    Some(Done::Node(NodeDone { node: done.node_id.into(), released: released.collect() }))
}

/// Only the requested operation counts as done.
pub fn rests(act: &Act, value: Value) -> Option<Done> {
    let paused = value.get("paused")?.as_bool()?;
    (paused == matches!(act, Act::Pause)).then_some(if paused { Done::Paused } else { Done::Resumed })
}

pub fn silenced(_: &Act, value: Value) -> Option<Done> {
    let done: native::Silence = named(value, |done: &native::Silence| &done.of)?;
    (done.id > 0).then_some(Done::Silenced)
}

pub fn configured(act: &Act, value: Value) -> Option<Done> {
    let done: native::AppliedConfig = named(value, |done: &native::AppliedConfig| &done.checksum)?;
    let queues = |paths: Vec<String>| paths.iter().map(|path| partition_and_queue(path)).collect();
    Some(Done::Configured(Box::new(Configured {
        checksum: done.checksum,
        previous: done.previous,
        revision: done.revision,
        changes: done.changes.into_iter().map(change).collect(),
        touches: Vec::new(),
        outside: false,
        draining: queues(done.draining),
        created: queues(done.created),
        removal: removal(done.removal),
        what_happens: done.what_happens,
        resource_versions: None,
        warning: done.warning,
        dry_run: act.is_dry_run(),
    })))
}

fn change(change: native::ConfigChange) -> ChangeLine {
    // Changes of the partition have the path `partitions[NAME]`.
    let queue = Some(change.path).filter(|path| !path.is_empty() && !path.starts_with("partitions["));
    ChangeLine {
        partition: change.partition,
        queue: queue.as_deref().map(QueuePath::new),
        what: match change.what.as_str() {
            "added" => What::Added,
            "removed" => What::Removed,
            _ => What::Changed,
        },
        key: change.key,
        from: change.from,
        to: change.to,
        effect: change.effect,
    }
}

/// Splits a queue as the server names it: with its partition, unless that is `default`.
fn partition_and_queue(text: &str) -> (String, QueuePath) {
    match text.split_once('/') {
        Some((partition, queue)) if text != "root" && !text.starts_with("root.") => {
            (partition.to_owned(), QueuePath::new(queue))
        }
        _ => ("default".to_owned(), QueuePath::new(text)),
    }
}

/// Invalid details are ignored: the message is sufficient.
pub fn details(reported: &ErrorBody) -> Details {
    let Some(value) = reported.details.clone() else { return Details::default() };
    let details: native::ErrorDetails = serde_json::from_value(value).unwrap_or_default();
    Details {
        queue: details.queue.as_deref().map(QueuePath::new),
        access: match details.access.as_deref() {
            Some("admin") => Some(AclKind::Admin),
            Some("submit") => Some(AclKind::Submit),
            _ => None,
        },
        checked: details.checked.iter().map(|path| QueuePath::new(path)).collect(),
        scheduler_acl: details.scheduler_acl,
        kind: details.kind,
        reasons: details.reasons.into_iter().map(reason).collect(),
        faults: details.faults.into_iter().map(fault).collect(),
        current: details.current,
        changed_by: details.changed_by,
        changed_at: details.changed_at.map(time),
        removal: details.removal.map(removal),
        wait: None,
        put_back: None,
    }
}

fn removal(one: native::Removal) -> Removal {
    Removal { queues: one.queues, of: one.of, partitions: one.partitions, empty: one.empty }
}

fn reason(one: native::Reason) -> Reason {
    let code = Code::named(&one.code).unwrap_or(Code::BadRequest);
    Reason { code, queue: one.queue.as_deref().map(QueuePath::new), text: one.text }
}

fn fault(one: dto::Fault) -> FoundFault {
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    FoundFault {
        severity: if one.severity == "warning" { Severity::Warning } else { Severity::Error },
        at: Place { line: number(one.line), column: number(one.column) },
        code: one.code,
        path: one.path,
        message: one.message,
        hint: one.hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_reported_with_their_partition() {
        let report = |text: &str| {
            let (partition, queue) = partition_and_queue(text);
            format!("{partition} {queue}")
        };
        assert_eq!(report("root.a"), "default root.a");
        assert_eq!(report("root.a/b"), "default root.a/b");
        assert_eq!(report("gpu/root.a/b"), "gpu root.a/b");
        assert_eq!(report("gpu/root"), "gpu root");
    }
}
