//! Makes the rows of applications and requests.

use std::sync::Arc;

use crate::present::column_filter::ColumnFilter;
use crate::present::format;
use crate::present::lists::apps::{unit, value};
use crate::present::lists::asks;
use crate::present::value::Value;
use crate::present::words::{below, word_of};
use crate::state::State;
use crate::state::column::{AppColumn, AskColumn};
use crate::state::page::{AppLine, AppPage, AppsPage, Page};
use crate::update::lists;
use model::{AppId, AskId, QueueState};
use view::{AppRow, AskRow, AskState, PartitionView, QueueRow};

/// Makes the rows: the applications of the scope, sorted.
pub fn rebuild(page: &mut AppsPage, part: &PartitionView) {
    let mut apps: Vec<(&Arc<AppRow>, bool)> = match &page.scope {
        None => part.apps.iter().flatten().map(|row| (row, true)).collect(),
        Some(path) => {
            let mut below = Vec::new();
            if let Some(queue) = part.queue_at(path) {
                collect(part, queue, &mut below);
            }
            below
        }
    };
    if page.ended {
        let here = |row: &&Arc<AppRow>| page.scope.as_ref().is_none_or(|path| row.queue.is_within(path));
        apps.extend(part.ended.iter().filter(here).map(|row| (row, false)));
    }
    if page.draining {
        apps.retain(|(row, _)| is_held(part, row));
    }
    page.list.total = apps.len();
    let scope = page.scope.as_ref();
    let texts =
        apps.iter().map(|(row, _)| [row.id.as_str().into(), below(scope, row).into(), row.who.user.as_str().into()]);
    page.list.widest = lists::widest(texts);
    let now = page.list.now;
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, unit) {
        filter.retain(
            &mut apps,
            |(row, _)| [row.id.as_str(), row.queue.as_str(), row.who.user.as_str()],
            |(row, _), column| match column {
                // `state:pending` finds waiting applications, as it finds waiting requests.
                AppColumn::State if row.pending_asks > 0 => Value::text(format!("{} pending", row.state.name())),
                _ => value(Some(part), row, column, now),
            },
        );
    }
    let mut keyed: Vec<_> = apps
        .into_iter()
        .map(|(row, live)| {
            let line = if live { AppLine::Live(row.slot, row.id.clone()) } else { AppLine::Ended(Arc::clone(row)) };
            (value(Some(part), row, page.list.sort.column, now), Value::text(row.id.as_str()), line)
        })
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, line)| line).collect());
}

/// Moves the cursor to its application in rebuilt rows.
pub fn find_cursor(page: &mut AppsPage) {
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    let is = |index: usize, id: &AppId| rows.get(index).is_some_and(|line| line.id() == id);
    page.list.cursor.find_by(rows.len(), is, |index| rows.get(index).map(|line| line.id().clone()), None, filtered);
}

fn is_held(part: &PartitionView, row: &AppRow) -> bool {
    part.queue_at(&row.queue).is_some_and(|queue| part.path_up(queue).any(|row| row.state == QueueState::Draining))
}

fn collect<'a>(part: &'a PartitionView, queue: &'a QueueRow, into: &mut Vec<(&'a Arc<AppRow>, bool)>) {
    let mut stack = vec![queue];
    while let Some(row) = stack.pop() {
        into.extend(row.apps.iter().filter_map(|slot| part.app(*slot)).map(|app| (app, true)));
        stack.extend(row.children.iter().filter_map(|slot| part.queue(*slot)).map(AsRef::as_ref));
    }
}

/// Moves the cursor to a row.
pub fn select(page: &mut AppsPage, index: usize) {
    page.list.adopts = false;
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).map(|line| line.id().clone()));
}

/// Shows or hides completed applications.
pub fn toggle_ended(state: &mut State) {
    if let Page::Apps(page) = state.page_mut() {
        page.ended = !page.ended;
    }
    lists::rebuild(state, true);
}

/// Searches all only if an application was added or removed.
pub fn resolve(page: &mut AppPage, part: &PartitionView, asked: bool) {
    let here = page.row.as_ref().and_then(|row| part.app(row.slot)).filter(|row| row.id == page.id);
    if let Some(row) = here {
        page.row = Some(Arc::clone(row));
        page.sought = Some(part.app_generation);
        return;
    }
    let over = page.row.as_ref().is_some_and(|row| row.state.is_ended());
    if asked || (!over && page.sought != Some(part.app_generation)) {
        page.sought = Some(part.app_generation);
        if let Some(row) = part.app_by_id(&page.id) {
            page.row = Some(Arc::clone(row));
        }
    }
}

/// Makes the rows of an application's page.
pub fn rebuild_asks(page: &mut AppPage, part: &PartitionView) {
    page.list.rows = Arc::default();
    let Some(row) = page.row.as_ref() else {
        page.list.total = 0;
        return;
    };
    page.list.total = row.asks.len();
    let texts = row.asks.values().map(|ask| [ask.name(), node_of(ask).into(), format::others(&ask.resource).into()]);
    page.list.widest = lists::widest(texts);
    let mut asks: Vec<(&u64, &Arc<AskRow>)> = row.asks.iter().collect();
    let (now, at) = (page.list.now, |key: u64| Value::count(key));
    let value = |key: u64, ask: &'_ AskRow, column| match column {
        AskColumn::Arrival => at(key),
        AskColumn::Pod | AskColumn::Restarts => asks::of_pod(part.kubernetes.as_deref(), ask, column).into_owned(),
        _ => asks::value(None, row, ask, column, now).into_owned(),
    };
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, asks::unit) {
        let named: Vec<_> = asks.iter().map(|(key, ask)| (**key, ask.name(), *ask)).collect();
        let passed = filter.passed(
            &named,
            |(_, name, ask)| [name.as_ref(), ask.id.as_str(), node_of(ask), word_of(ask)],
            |(key, _, ask), column| value(*key, ask, column),
        );
        let mut passed = passed.into_iter();
        asks.retain(|_| passed.next().unwrap_or(false));
    }
    let column = page.list.sort.column;
    let mut keyed: Vec<_> = asks.into_iter().map(|(key, ask)| (value(*key, ask, column), at(*key), *key)).collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, key)| key).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| ask_at(row, rows, index), None, filtered);
}

fn node_of(ask: &AskRow) -> &str {
    match &ask.state {
        AskState::Allocated { node, .. } => node.as_str(),
        AskState::Pending { .. } => "",
    }
}

fn ask_at(row: &AppRow, rows: &[u64], index: usize) -> Option<AskId> {
    row.asks.get(rows.get(index)?).map(|ask| ask.id.clone())
}

/// Moves the cursor to a request.
pub fn select_ask(page: &mut AppPage, index: usize) {
    let Some(row) = page.row.as_ref() else { return };
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| ask_at(row, rows, index));
}
