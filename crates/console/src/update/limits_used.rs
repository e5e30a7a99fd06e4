//! Rows of limits.

use std::sync::Arc;

use crate::present::filter::Filter;
use crate::present::lists::limits_used::value;
use crate::present::subject;
use crate::present::value::Value;
use crate::state::State;
use crate::state::explain::LimitKey;
use crate::state::page::{AccountPage, LimitsPage, Page, Subject};
use crate::update::lists;
use crate::update::stack::{home, push};
use view::PartitionView;
use view::limits_used::LimitUsed;

/// Opens the page.
pub fn open(state: &mut State) {
    home(state);
    push(state, Page::Limits(LimitsPage::default()));
}

/// Makes the rows.
pub fn rebuild(page: &mut LimitsPage, part: &PartitionView) {
    let mut shown: Vec<Arc<LimitUsed>> = part.limits_used().into_iter().map(Arc::new).collect();
    page.list.total = shown.len();
    page.list.widest =
        lists::widest(shown.iter().map(|row| [(&*row.name).into(), row.queue.as_str().into(), "".into()]));
    if let Some(filter) = Filter::parse(&page.list.filter) {
        let of = |row: &Arc<LimitUsed>| [row.name.to_string(), row.queue.to_string(), row.resource_name().to_owned()];
        let texts: Vec<[String; 3]> = shown.iter().map(of).collect();
        let mut retained =
            filter.select(texts.iter(), |row| [row[0].as_str(), row[1].as_str(), row[2].as_str()]).into_iter();
        shown.retain(|_| retained.next().unwrap_or(false));
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
    page.list.cursor.find(rows.len(), |index| identity(rows, index), None, filtered);
}

fn identity(rows: &[Arc<LimitUsed>], index: usize) -> Option<LimitKey> {
    rows.get(index).map(|row| (row.side, row.name.clone(), row.queue.clone(), row.resource.clone()))
}

/// Moves the cursor to a row.
pub fn select(page: &mut LimitsPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| identity(rows, index));
}

/// Opens the user or group of the selected row.
pub fn jump(state: &mut State) {
    if let Some(Subject::Account(account)) = subject::of(state) {
        push(state, Page::Account(AccountPage::new(account)));
    }
}
