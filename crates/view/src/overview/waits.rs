//! What applications wait for, one line for each cause: causes that time does not take away are first.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Concern, Rank};
use crate::waiting::{SheetLine, Target};
use crate::{AppRow, AskState, PartitionView, PendingReason};
use model::Time;

/// Applications that wait, by what the last cycle found.
#[derive(Default)]
struct Cause<'v> {
    apps: u64,
    oldest: Option<(Time, &'v AppRow)>,
}

/// What the oldest applications wait for, one line a cause.
pub(super) fn of_waiting(part: &PartitionView) -> Vec<Concern> {
    let mut causes: BTreeMap<(bool, Arc<str>), Cause<'_>> = BTreeMap::new();
    for app in part.apps.iter().flatten().filter(|app| app.pending_asks > 0) {
        let never = part.never_of(app).map(|(ask, never)| ((false, Arc::from(never.to_string())), ask.created));
        let Some((cause, since)) = never.or_else(|| cause(app).map(|(cause, since)| ((true, cause.into()), since)))
        else {
            continue;
        };
        let known = causes.entry(cause).or_default();
        known.apps += 1;
        if known.oldest.is_none_or(|(oldest, _)| since < oldest) {
            known.oldest = Some((since, app));
        }
    }
    let mut causes: Vec<_> =
        causes.into_iter().filter_map(|(cause, all)| Some((cause, all.apps, all.oldest?))).collect();
    // What time does not mend comes first.
    causes.sort_by_key(|((mends, _), _, (since, _))| (*mends, *since));
    let line = |((mends, cause), apps, (since, app)): ((bool, Arc<str>), u64, (Time, &AppRow))| {
        let waits = if mends { " for" } else { ":" };
        let text = match apps {
            1 => format!("{}{waits} {cause}", app.id),
            _ => format!("{apps}{waits} {cause}, first {}", app.id),
        };
        (Rank::Known, SheetLine::new("waits", text).since(Some(since)).to(Some(Target::Why(app.id.clone()))))
    };
    causes.into_iter().map(line).collect()
}

/// What the oldest ask of an application that a cycle has tried waits for, and since when.
pub(super) fn cause(app: &AppRow) -> Option<(&'static str, Time)> {
    let waiting = |(reason, since): (PendingReason, Time)| {
        let cause = match reason {
            _ if app.held_by_queue => "a maximum of applications",
            _ if app.held_by_limits => "a limit of applications",
            PendingReason::QueueQuota => "room in a queue",
            PendingReason::UserQuota => "a limit of a user or group",
            PendingReason::NoNode => "room on a node",
            PendingReason::Placeholder => "a placeholder",
            PendingReason::NotTried => "its turn",
        };
        (cause, since)
    };
    let asks = app.asks.values().filter_map(|ask| match &ask.state {
        AskState::Pending { reason, .. } => Some((*reason, ask.created)),
        AskState::Allocated { .. } => None,
    });
    asks.min_by_key(|(reason, since)| (*reason == PendingReason::NotTried, *since)).map(waiting)
}
