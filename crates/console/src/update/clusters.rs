//! The page of all clusters.

use std::sync::Arc;

use crate::present::column_filter::ColumnFilter;
use crate::present::lists::clusters::{unit, value};
use crate::present::value::Value;
use crate::state::State;
use crate::state::clusters::{ClusterRow, ClustersPage};
use crate::state::page::Page;
use crate::update::stack::{home, push};
use crate::update::{lists, navigate};

/// The session opens the clusters.
pub fn open(state: &mut State) {
    home(state);
    push(state, Page::Clusters(ClustersPage::default()));
}

/// Takes the state of the clusters.
pub fn take(state: &mut State, rows: Vec<Arc<ClusterRow>>) {
    let Page::Clusters(page) = state.page_mut() else { return };
    page.known = rows;
    page.list.built = None;
    lists::rebuild(state, true);
    state.redraw();
}

/// Makes the rows.
pub fn rebuild(page: &mut ClustersPage) {
    let mut shown = page.known.clone();
    page.list.total = shown.len();
    page.list.widest = lists::widest(shown.iter().map(|row| [(&*row.name).into(), "".into(), "".into()]));
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, unit) {
        filter.retain(&mut shown, |row| [&*row.name, row.version.as_str()], |row, column| value(row, column));
    }
    let column = page.list.sort.column;
    let mut keyed: Vec<_> = shown
        .iter()
        .enumerate()
        .map(|(at, row)| (value(row, column).into_owned(), Value::count(at), Arc::clone(row)))
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, row)| row).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| name(rows, index), None, filtered);
}

fn name(rows: &[Arc<ClusterRow>], index: usize) -> Option<Arc<str>> {
    rows.get(index).map(|row| Arc::clone(&row.name))
}

/// Moves the cursor to a row.
pub fn select(page: &mut ClustersPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| name(rows, index));
}

/// Opens the cluster; for the one on the screen, its queues.
pub fn jump(state: &mut State) {
    let Page::Clusters(page) = state.page() else { return };
    let Some(row) = page.list.rows.get(page.list.cursor.index).map(Arc::clone) else { return };
    match row.here {
        true => home(state),
        false => navigate::context(state, &row.name),
    }
}
