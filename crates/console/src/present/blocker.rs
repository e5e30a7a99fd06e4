//! The reason why an application waits, in three words: what keeps one of its asks from running for ever, else the reason of its first
//! pending ask.

use crate::present::limits;
use model::Time;
use view::{AppRow, AskRow, AskState, LimitUse, PartitionView, PendingReason, QueueRow, Side};

/// The most asks of one application that are examined for the first that waits.
const ASKS: usize = 1_000;

/// The first ask that waits; asks are in the order of their arrival.
pub fn first_pending(row: &AppRow) -> Option<&AskRow> {
    if row.pending_asks == 0 || row.state.is_ended() {
        return None;
    }
    row.asks.values().take(ASKS).map(AsRef::as_ref).find(|ask| matches!(ask.state, AskState::Pending { .. }))
}

/// Since when an application waits; `None` while it does not.
pub fn since(row: &AppRow) -> Option<Time> {
    first_pending(row).map(|ask| ask.created)
}

/// What it waits for: `max of etl`, `group limit guests`, `no node fits`. `None` while it does not wait.
pub fn words(part: &PartitionView, row: &AppRow) -> Option<String> {
    let ask = first_pending(row)?;
    // What time does not mend comes first.
    if let Some((_, never)) = part.never_of(row) {
        return Some(never.to_string());
    }
    let AskState::Pending { reason, reserved } = &ask.state else { return None };
    if let Some(node) = reserved {
        return Some(format!("reserved on {node}"));
    }
    if let Some(held) = held(part, row) {
        return Some(held);
    }
    Some(match reason {
        PendingReason::NotTried => "other requests are first".to_owned(),
        PendingReason::QueueQuota => {
            let queue = part.queue_at(&row.queue).and_then(|queue| part.too_full_for(queue, &ask.resource));
            queue.map_or_else(|| "queue is full".to_owned(), |(path, _)| format!("max of {}", path.name()))
        }
        PendingReason::UserQuota => part
            .limit_too_full_for(row, &ask.resource)
            .map_or_else(|| "limit is reached".to_owned(), |limit| format!("{} {}", kind(&limit), whose(&limit))),
        // The scheduler's own words, where it has some: which condition no node meets.
        PendingReason::NoNode => {
            ask.said.as_deref().map_or("no node fits", |said| said.strip_prefix("node(s) ").unwrap_or(said)).to_owned()
        }
        PendingReason::Placeholder => "waits for placeholder".to_owned(),
        PendingReason::Turn => "other requests are first".to_owned(),
    })
}

/// What keeps it from starting to run.
fn held(part: &PartitionView, row: &AppRow) -> Option<String> {
    if row.blocked_by_limits
        && let Some(limit) = part.limit_that_holds_back(row)
    {
        return Some(format!("app limit {}", whose(&limit)));
    }
    let full =
        |queue: &&QueueRow| queue.max_running.is_some_and(|max| queue.running + queue.allocating_accepted >= max);
    let queue = row.blocked_by_queue.then(|| part.queue_at(&row.queue)).flatten()?;
    part.path_up(queue).find(full).map(|queue| format!("app maximum {}", queue.path.name()))
}

fn kind(limit: &LimitUse) -> &'static str {
    match limit.side {
        Side::User => "user limit",
        Side::Group => "group limit",
    }
}

fn whose(limit: &LimitUse) -> String {
    limits::name(limit.side, &limit.name)
}
