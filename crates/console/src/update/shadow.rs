//! The page of a shadow's findings.

use std::sync::Arc;
use std::time::Duration;

use crate::present::filter::Filter;
use crate::present::lists::shadow::{pod, value};
use crate::present::value::Value;
use crate::state::State;
use crate::state::effect::Effect;
use crate::state::page::{AppPage, Page};
use crate::state::shadow::ShadowPage;
use crate::update::lists;
use crate::update::stack::{home, push};
use view::shadowed::{ShadowDifference, ShadowSheet};

const AGAIN: Duration = Duration::from_secs(2);

/// Opens the page.
pub fn open(state: &mut State) {
    home(state);
    push(state, Page::Shadow(ShadowPage::default()));
}

/// Requests the answer if it is missing or old.
pub fn want(state: &mut State) {
    let now = state.now;
    let is_stopped = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    if state.cluster.part().is_none() {
        return;
    }
    let Page::Shadow(page) = state.page_mut() else { return };
    let old = page.asked.is_none_or(|asked| now >= asked + AGAIN && !is_stopped);
    if page.awaited || !old {
        return;
    }
    (page.asked, page.awaited) = (Some(now), true);
    state.emit(Effect::AskShadow);
}

/// Takes an answer.
pub fn take(state: &mut State, answer: Result<ShadowSheet, String>) {
    let found = state.pages.iter_mut().rev().find_map(|page| match page {
        Page::Shadow(page) if page.awaited => Some(page),
        _ => None,
    });
    let Some(page) = found else { return };
    page.awaited = false;
    page.answer = Some(answer.map(Arc::new));
    page.list.built = None;
    lists::rebuild(state, true);
}

/// Makes the rows.
pub fn rebuild(page: &mut ShadowPage) {
    let mut shown: Vec<Arc<ShadowDifference>> = page.found().map(|sheet| sheet.differences.clone()).unwrap_or_default();
    page.list.total = shown.len();
    let names = |row: &Arc<ShadowDifference>| [row.queue.to_string().into(), pod(row).to_owned().into(), "".into()];
    page.list.widest = lists::widest(shown.iter().map(names));
    if let Some(filter) = Filter::parse(&page.list.filter) {
        let texts: Vec<[String; 4]> = shown
            .iter()
            .map(|row| [row.verdict.clone(), row.queue.to_string(), pod(row).to_owned(), row.cause.clone()])
            .collect();
        let mut retained = filter.select(texts.iter(), |row| [&*row[0], &*row[1], &*row[2], &*row[3]]).into_iter();
        shown.retain(|_| retained.next().unwrap_or(false));
    }
    let column = page.list.sort.column;
    let mut keyed: Vec<_> =
        shown.iter().map(|row| (value(row, column).into_owned(), Value::count(row.number), Arc::clone(row))).collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, row)| row).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| rows.get(index).map(|row| row.number), None, filtered);
}

/// Moves the cursor to a row.
pub fn select(page: &mut ShadowPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).map(|row| row.number));
}

/// Opens the selected row's application at its pod.
pub fn enter(state: &mut State) {
    let Page::Shadow(page) = state.page() else { return };
    let Some(row) = page.list.rows.get(page.list.cursor.index) else { return };
    let page = AppPage::new(row.app.clone(), Some(row.ask.clone()));
    push(state, Page::App(page));
}
