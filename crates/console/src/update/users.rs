//! Rows of users and groups.

use std::sync::Arc;

use crate::present::column_filter::ColumnFilter;
use crate::present::filter::Filter;
use crate::present::limits;
use crate::present::lists::users::{unit, value};
use crate::present::value::Value;
use crate::state::page::{Account, AccountLine, AccountPage, LineId, UsersPage};
use crate::update::lists;
use view::{AppRow, AskState, PartitionView, PendingReason, QueueUsageRow, Side, UsageRow};

/// Requests per application.
const ASKS: usize = 1_000;

/// Makes the rows of users and groups.
pub fn rebuild(page: &mut UsersPage, part: &PartitionView) {
    let users = part.accounts(Side::User).map(|row| (Side::User, row));
    let mut all: Vec<(Side, &Arc<UsageRow>)> =
        users.chain(part.accounts(Side::Group).map(|row| (Side::Group, row))).collect();
    page.groups = limits::groups_by_user(part);
    page.list.total = all.len();
    page.list.widest = lists::widest(all.iter().map(|(_, row)| [(&*row.name).into(), "".into(), "".into()]));
    let account = |side, row: &UsageRow| Account { side, name: Arc::clone(&row.name) };
    let groups = |side, row: &UsageRow| page.groups_of(&account(side, row));
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, unit) {
        filter.retain(
            &mut all,
            |(_, row)| [&*row.name],
            |(side, row), column| value(part, (*side, row), groups(*side, row), column),
        );
    }
    let column = page.list.sort.column;
    let mut keyed: Vec<_> = all
        .into_iter()
        .map(|(side, row)| {
            let key = value(part, (side, row), groups(side, row), column);
            (key, Value::text(&*row.name), account(side, row))
        })
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, account)| account).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| rows.get(index).cloned(), None, filtered);
}

/// All users and groups of the view.
pub fn is_complete(page: &UsersPage, part: &PartitionView) -> bool {
    let count = [Side::User, Side::Group].map(|side| part.accounts(side).count());
    count.iter().sum::<usize>() == page.list.total
        && page.list.rows.iter().all(|account| part.whole_usage_of(account.side, &account.name).is_some())
}

/// Moves the cursor to a user or group.
pub fn select(page: &mut UsersPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).cloned());
}

/// Without a limit it disappears with the last application.
pub fn resolve(page: &mut AccountPage, part: &PartitionView) {
    page.row = part.whole_usage_of(page.account.side, &page.account.name);
}

/// Queues as a tree, and in leaves the applications that a limit blocks.
pub fn rebuild_levels(page: &mut AccountPage, part: &PartitionView) {
    let mut lines = Vec::new();
    let queues: &[QueueUsageRow] = page.row.as_ref().map_or(&[], |row| &row.queues);
    let mut waiting: Vec<(&Arc<AppRow>, u32)> = match page.row {
        Some(_) => part.apps.iter().flatten().filter_map(|app| Some((app, waits(part, app, &page.account)?))).collect(),
        None => Vec::new(),
    };
    page.groups = limits::groups_of(part, &page.account);
    waiting.sort_by(|a, b| (a.0.submitted, &a.0.id).cmp(&(b.0.submitted, &b.0.id)));
    page.waiting = waiting.len();
    page.list.total = queues.len();
    let mut retained = Filter::parse(&page.list.filter)
        .map(|filter| filter.select(queues.iter(), |row| [row.queue.name(), row.queue.as_str()]).into_iter());
    for row in queues {
        if retained.as_mut().is_some_and(|retained| !retained.next().unwrap_or(false)) {
            continue;
        }
        let depth = u16::try_from(row.queue.depth()).unwrap_or(u16::MAX);
        lines.push(AccountLine { id: LineId::Queue(row.queue.clone()), slot: None, depth, asks: 0 });
        for group in &page.groups {
            let usage = part.whole_usage_of(Side::Group, group);
            if usage.as_ref().and_then(|usage| usage.at(&row.queue)).is_some_and(|level| level.limit.is_some()) {
                let id = LineId::Group(row.queue.clone(), Arc::clone(group));
                lines.push(AccountLine { id, slot: None, depth: depth + 1, asks: 0 });
            }
        }
        for (app, asks) in waiting.iter().filter(|(app, _)| app.queue == row.queue) {
            let id = LineId::App(app.id.clone());
            lines.push(AccountLine { id, slot: Some(app.slot), depth: depth + 1, asks: *asks });
        }
    }
    page.list.rows = Arc::new(lines);
    let texts = page.list.rows.iter().map(|line| match &line.id {
        LineId::Group(_, group) => [format!("group {group}").into(), "".into(), "".into()],
        LineId::Queue(_) | LineId::App(_) => [line.name().into(), "".into(), "".into()],
    });
    let indent = page.list.rows.iter().map(|line| line.depth * 2).max().unwrap_or(0);
    page.list.widest = lists::widest(texts);
    page.list.widest[0] = page.list.widest[0].saturating_add(indent);
}

/// Moves the cursor to its item in rebuilt rows.
pub fn find_line(page: &mut AccountPage) {
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| rows.get(index).map(|line| line.id.clone()), None, filtered);
}

/// Returns `None` for another reason. Group limits also block a user's applications.
fn waits(part: &PartitionView, app: &AppRow, account: &Account) -> Option<u32> {
    if app.pending_asks == 0 || !PartitionView::counts_under(app, account.side, &account.name) {
        return None;
    }
    let binds = |side: Side, name: &str| account.side == Side::User || side == account.side && *name == *account.name;
    if app.blocked_by_limits {
        let limit = part.blocking_limit(app)?;
        return binds(limit.side, &limit.name).then_some(app.pending_asks);
    }
    let message = |state: &AskState| matches!(state, AskState::Pending { reason: PendingReason::UserQuota, .. });
    let asks = app.asks.values().filter(|ask| message(&ask.state)).take(ASKS);
    let here = asks
        .filter(|ask| part.limit_too_full_for(app, &ask.resource).is_none_or(|limit| binds(limit.side, &limit.name)));
    u32::try_from(here.count()).ok().filter(|asks| *asks > 0)
}

/// Moves the cursor to a row.
pub fn select_line(page: &mut AccountPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).map(|line| line.id.clone()));
}
