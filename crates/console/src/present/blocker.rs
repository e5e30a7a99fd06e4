//! Why an application is pending, in three words.

use crate::present::limits;
use crate::state::page::Account;
use model::Time;
use view::{AppGroup, AppRow, AskRow, AskState, LimitUse, PartitionView, PendingReason, QueueRow, Side};

const ASKS: usize = 1_000;

/// The first pending request, by arrival.
pub fn first_pending(row: &AppRow) -> Option<&AskRow> {
    if row.pending_asks == 0 || row.state.is_ended() {
        return None;
    }
    row.asks.values().take(ASKS).map(AsRef::as_ref).find(|ask| matches!(ask.state, AskState::Pending { .. }))
}

/// Since when an application is pending.
pub fn since(row: &AppRow) -> Option<Time> {
    first_pending(row).map(|ask| ask.created)
}

/// `max of etl`, `group limit guests`, `no node fits`; `None` if not pending.
pub fn words(part: &PartitionView, row: &AppRow) -> Option<String> {
    let ask = first_pending(row)?;
    // Permanent reasons come first.
    if let Some((_, never)) = part.never_of(row) {
        return Some(never.to_string());
    }
    let AskState::Pending { reason, reserved } = &ask.state else { return None };
    if let Some(node) = reserved {
        return Some(format!("reserved on {node}"));
    }
    if let Some(blocked) = blocked(part, row) {
        return Some(blocked);
    }
    Some(match reason {
        PendingReason::NotTried => "other requests are first".to_owned(),
        PendingReason::QueueQuota => {
            let queue = part.queue_at(&row.queue);
            let full = queue.and_then(|queue| part.too_full_for(queue, &ask.resource)).map(|(path, _)| path);
            // Freed since the last cycle: the nearest maximum that can be the one.
            let nearest = || part.path_up(queue?).find(|row| row.max.is_some()).map(|row| row.path.clone());
            let path = full.or_else(nearest);
            path.map_or_else(|| "queue is full".to_owned(), |path| format!("max of {}", path.name()))
        }
        PendingReason::UserQuota => part
            .limit_too_full_for(row, &ask.resource)
            .or_else(|| part.limits_of(row).into_iter().next())
            .map_or_else(|| "limit is reached".to_owned(), |limit| format!("{} {}", kind(&limit), owner(&limit))),
        PendingReason::NoNode => ask
            .reported
            .as_deref()
            .map_or("no node fits", |reported| reported.strip_prefix("node(s) ").unwrap_or(reported))
            .to_owned(),
        PendingReason::Placeholder => "waits for placeholder".to_owned(),
        PendingReason::Turn => "other requests are first".to_owned(),
    })
}

/// The limits that are reached, or have too little left for a pending request of the account.
pub fn binding(part: &PartitionView, account: &Account, all: &[LimitUse]) -> Vec<LimitUse> {
    let is_of = |app: &AppRow| match (account.side, &app.group) {
        (Side::User, _) => app.who.user == *account.name,
        (Side::Group, AppGroup::Group(group)) => *group == account.name,
        (Side::Group, _) => false,
    };
    let blocks = |app: &AppRow| {
        let ask = first_pending(app)?;
        let by_limit = matches!(ask.state, AskState::Pending { reason: PendingReason::UserQuota, .. });
        part.limit_too_full_for(app, &ask.resource).filter(|_| by_limit)
    };
    let apps = part.apps.iter().flatten().filter(|app| is_of(app));
    let blocking: Vec<LimitUse> = apps.filter_map(|app| blocks(app)).collect();
    let key = |limit: &LimitUse| (limit.side, limit.name.clone(), limit.queue.clone());
    let binds = |limit: &&LimitUse| limit.is_full() || blocking.iter().any(|other| key(other) == key(limit));
    all.iter().filter(binds).cloned().collect()
}

fn blocked(part: &PartitionView, row: &AppRow) -> Option<String> {
    if row.blocked_by_limits
        && let Some(limit) = part.blocking_limit(row)
    {
        return Some(format!("app limit {}", owner(&limit)));
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

fn owner(limit: &LimitUse) -> String {
    limits::name(limit.side, &limit.name)
}
