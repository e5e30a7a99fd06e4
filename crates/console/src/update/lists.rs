//! Movement, sort, and rebuilding of lists.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use crate::present::layout;
use crate::present::text;
use crate::present::value::Value;
use crate::state::column::Column;
use crate::state::cursor::Move;
use crate::state::layer::{Layer, Metrics};
use crate::state::page::{Page, Stamp, each_page};
use crate::state::{Cluster, Grade, State};
use crate::update::board;
use crate::update::list_job;
use crate::update::page::PageUpdate;

/// The refresh interval of an order by values that change.
pub const PERIOD: Duration = Duration::from_millis(250);
const LONG_PERIOD: Duration = Duration::from_secs(1);
const LONG: usize = crate::state::jobs::LONG;
/// Lists up to this length are rebuilt at every change of their set.
const SHORT: usize = 2_000;

/// Moves in the list, or scrolls the top layer.
pub fn go(state: &mut State, by: Move) {
    let space = layout::overlay_space(state);
    match state.layers.last_mut() {
        Some(Layer::Help(help)) => return help.top = by.from(help.top, usize::MAX, space),
        Some(Layer::Messages { top } | Layer::Tour { top } | Layer::Metrics(Metrics { top, .. })) => {
            return *top = by.from(*top, usize::MAX, space);
        }
        Some(Layer::Columns(picker)) => return picker.at = by.from(picker.at, picker.rows.len(), space),
        _ => {}
    }
    if board::go(state, by) {
        return;
    }
    let height = layout::rows_on_screen(state);
    let State { pages, cluster, .. } = state;
    let Some(page) = pages.last_mut() else { return };
    match page.list().map(|list| (list.index(), list.rows())) {
        Some((index, len)) => select(page, cluster, by.from(index, len, height)),
        None => each_page!(page, page => page.go(by, height)),
    }
}

/// Returns whether the row exists.
pub fn select_at(state: &mut State, line: usize) -> bool {
    let State { pages, cluster, .. } = state;
    let Some(page) = pages.last_mut() else { return false };
    let Some((top, len)) = page.list().map(|list| (list.top(), list.rows())) else {
        return each_page!(page, page => page.select_at(line));
    };
    let there = top + line < len;
    if there {
        select(page, cluster, top + line);
    }
    there
}

/// Moves to a row, at most the last.
pub fn go_to(state: &mut State, index: usize) {
    go(state, Move::Top);
    go(state, Move::Rows(isize::try_from(index).unwrap_or(isize::MAX)));
    state.redraw();
}

/// Moves the cursor of a list.
pub fn select(page: &mut Page, cluster: &Cluster, index: usize) {
    let Some(part) = cluster.part() else { return };
    each_page!(page, page => page.select(part, index));
}

/// Scrolls so that the cursor is visible.
pub fn scroll(state: &mut State, height: usize) {
    if let Some(list) = state.page_mut().list_mut() {
        list.scroll(height);
    }
}

/// Sorts by the column `step` further.
pub fn step_sort(state: &mut State, step: isize) {
    if let Some(list) = state.page_mut().list_mut() {
        list.step_sort(step);
    }
    rebuild(state, true);
}

/// Reverses the order.
pub fn reverse_sort(state: &mut State) {
    if let Some(list) = state.page_mut().list_mut() {
        list.reverse_sort();
    }
    rebuild(state, true);
}

/// The current column is reversed.
pub fn sort_by(state: &mut State, name: &str) {
    match state.page_mut().list_mut().map_or(Ok(()), |list| list.sort_by(name)) {
        Ok(()) => rebuild(state, true),
        Err(reason) => state.report(Grade::Refusal, reason),
    }
}

/// The column names of the list on the screen.
pub fn columns(state: &State) -> Vec<&'static str> {
    state.page().list().map_or_else(Vec::new, |list| list.columns())
}

/// The filter, or the search text of the configuration.
pub fn filter(state: &State) -> &str {
    match state.page() {
        Page::Config(page) => &page.find,
        Page::Pod(page) => &page.find,
        page => page.list().map_or("", |list| list.filter()),
    }
}

/// Sets the filter of the list on the screen.
pub fn set_filter(state: &mut State, text: &str) {
    let page = state.page_mut();
    match page.list_mut() {
        Some(list) => list.set_filter(text),
        None => return each_page!(page, page => page.search(text)),
    }
    rebuild(state, true);
}

/// Starts or ends filtering; with `adopting` the cursor stays on the match.
pub fn seek(state: &mut State, on: bool, adopting: bool) {
    let mut later = false;
    if let Some(list) = state.page_mut().list_mut() {
        list.set_seeking(on);
        later = list.awaited();
        list.set_adopts(adopting && later);
    }
    if adopting && !later {
        adopt(state);
    }
}

pub(super) fn adopt(state: &mut State) {
    let State { pages, cluster, .. } = state;
    let Some(page) = pages.last_mut() else { return };
    let index = page.list().map_or(0, |list| list.index());
    select(page, cluster, index);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    /// An update, or time.
    News,
    Showing,
    /// The user changed the order, filter, folds, or scope.
    Choice,
}

/// Rebuilds rows that are outdated or `asked`.
pub fn rebuild(state: &mut State, asked: bool) {
    renew(state, if asked { For::Choice } else { For::News });
}

/// Rebuilds outdated rows.
pub fn show(state: &mut State) {
    renew(state, For::Showing);
}

fn renew(state: &mut State, why: For) {
    let State { pages, cluster, now, options, .. } = state;
    let Some(page) = pages.last_mut() else { return };
    let Some(part) = cluster.part() else { return };
    each_page!(page, page => page.resolve(part, why != For::News));
    let stamp = Stamp {
        partition: Arc::clone(&cluster.partition),
        generation: generation(page, cluster),
        until: cluster.until(),
        at: *now,
    };
    let (total, there) = page.list().map_or((0, true), |list| (list.total(), list.built().is_some()));
    let asked = why == For::Choice || (why == For::Showing && total <= SHORT);
    if !asked && due_at(page, cluster, stamp.generation).is_none_or(|due| due > *now) {
        return;
    }
    if let Some(list) = page.list_mut() {
        list.set_now(cluster.at);
    }
    if list_job::is_long(page, part, options.long) {
        if let Some(list) = page.list_mut().filter(|_| why == For::Choice || !there) {
            list.await_rows();
        }
        return list_job::want(state, stamp, why == For::Choice);
    }
    each_page!(page, page => page.rebuild(cluster, part));
    made(page, stamp);
}

pub(super) fn made(page: &mut Page, stamp: Stamp) {
    each_page!(page, page => page.find_cursor());
    if let Some(list) = page.list_mut() {
        list.set_built(stamp);
    }
}

/// `None` if current or being made.
pub fn next_rebuild(state: &State) -> Option<Duration> {
    let part = state.cluster.part()?;
    let page = state.page();
    if state.list_job.is_some() && list_job::is_long(page, part, state.options.long) {
        return None;
    }
    due_at(page, &state.cluster, generation(page, &state.cluster))
}

fn generation(page: &Page, cluster: &Cluster) -> u64 {
    let Some(part) = cluster.part() else { return 0 };
    each_page!(page, page => page.generation(cluster, part))
}

fn due_at(page: &Page, cluster: &Cluster, generation: u64) -> Option<Duration> {
    let list = page.list()?;
    let same = |stamp: &&Stamp| stamp.partition == cluster.partition && stamp.until == cluster.until();
    let Some(stamp) = list.built().filter(same).filter(|_| !list.awaited()) else { return Some(Duration::ZERO) };
    if stamp.generation == generation {
        return None;
    }
    let rows = list.total();
    let at_once = if list.is_live() {
        rows <= SHORT && !cluster.part().is_none_or(|part| each_page!(page, page => page.is_complete(part)))
    } else {
        rows <= SHORT || each_page!(page, page => page.at_once())
    };
    Some(if at_once { Duration::ZERO } else { stamp.at + if rows > LONG { LONG_PERIOD } else { PERIOD } })
}

const MEASURED: usize = 5_000;

/// The widths of three columns, rounded up so that columns seldom move.
pub fn widest<'a>(rows: impl Iterator<Item = [Cow<'a, str>; 3]>) -> [u16; 3] {
    let mut widest = [0; 3];
    for texts in rows.take(MEASURED) {
        for (widest, text) in widest.iter_mut().zip(texts) {
            // ASCII text has one column per byte.
            let plain = |text: &str| text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
            if text.len() > *widest || !plain(&text) {
                *widest = (*widest).max(text::width(&text::escape(&text)));
            }
        }
    }
    widest.map(|columns| u16::try_from(columns.next_multiple_of(2)).unwrap_or(u16::MAX))
}

/// The tie breaker is always ascending.
pub fn order<'a, R, C: Column>(sort: crate::state::column::Sort<C>, rows: &mut [(Value<'a>, Value<'a>, R)]) {
    rows.sort_unstable_by(|a, b| match sort.turn(a.0.cmp(&b.0)) {
        Ordering::Equal => a.1.cmp(&b.1),
        unequal => unequal,
    });
}
