//! Rows of fairness.

use std::sync::Arc;

use imbl::Vector;

use crate::present::column_filter::ColumnFilter;
use crate::present::lists::fairness::{unit, value};
use crate::present::subject;
use crate::present::value::Value;
use crate::state::State;
use crate::state::page::{FairnessPage, Page, Subject};
use crate::update::explain::to_queue;
use crate::update::lists;
use crate::update::stack::{home, push};
use model::Time;
use view::fairness::FairnessRow;
use view::{PartitionView, Sample};

/// Opens the page.
pub fn open(state: &mut State) {
    home(state);
    push(state, Page::Fairness(FairnessPage::default()));
}

/// Makes the rows.
pub fn rebuild(page: &mut FairnessPage, history: &Vector<Arc<Sample>>, now: Time, part: &PartitionView) {
    let mut shown: Vec<Arc<FairnessRow>> = part.fairness(history, now).into_iter().map(Arc::new).collect();
    page.list.total = shown.len();
    page.list.widest =
        lists::widest(shown.iter().map(|row| [row.queue.as_str().into(), (&*row.resource).into(), "".into()]));
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, unit) {
        filter.retain(&mut shown, |row| [row.queue.as_str(), &*row.resource], |row, column| value(row, column, now));
    }
    let column = page.list.sort.column;
    let mut keyed: Vec<_> = shown
        .iter()
        .enumerate()
        // Equal rows keep their original order.
        .map(|(at, row)| (value(row, column, now).into_owned(), Value::count(at), Arc::clone(row)))
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, row)| row).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| identity(rows, index), None, filtered);
}

fn identity(rows: &[Arc<FairnessRow>], index: usize) -> Option<(model::QueuePath, Arc<str>)> {
    rows.get(index).map(|row| (row.queue.clone(), Arc::clone(&row.resource)))
}

/// Moves the cursor to a row.
pub fn select(page: &mut FairnessPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| identity(rows, index));
}

/// Opens the queue of the selected row.
pub fn jump(state: &mut State) {
    if let Some(Subject::Queue(path)) = subject::of(state) {
        to_queue(state, &path);
    }
}
