//! The overview: opens, requests, and takes it.

use std::sync::Arc;
use std::time::Duration;

use crate::present::board::is_shown;
use crate::present::{layout, trends};
use crate::state::explain::{ExplainPage, Explained};
use crate::state::page::{Page, Subject};
use crate::state::reply::OverviewMade;
use crate::state::work::Work;
use crate::state::{Cluster, State};
use crate::update::board;
use crate::update::stack::{home, push};
use alerts::{Alert, Severity};
use model::Time;
use view::act::Refusal;
use view::overview::Given;
use view::waiting::SheetLine;

/// Other inputs than the view change too.
const AGAIN: Duration = Duration::from_secs(10);
const OF_NEWS: Duration = Duration::from_secs(1);
/// Overviews use 1/SHARE of a worker's time.
const SHARE: u32 = 10;
/// Up to this many applications and nodes, it is made in the draw loop: the whole frame then has one time.
const AT_ONCE: usize = 2_000;
const ROWS: usize = 60;

/// Opens or refreshes the overview. With a dashboard, that is the overview.
pub fn open(state: &mut State) {
    if state.board.is_some() {
        return open_board(state);
    }
    if let Page::Explain(page) = state.page_mut()
        && matches!(page.of, Explained::Overview(_))
    {
        page.asked = None;
        return;
    }
    home(state);
    let visited = state.overviewed.replace(state.cluster.at);
    push(state, Page::Explain(Box::new(ExplainPage::new(Explained::Overview(visited)))));
}

fn open_board(state: &mut State) {
    let was = matches!(state.page(), Page::Queues(_));
    home(state);
    let Some(board) = state.board.as_mut() else { return };
    board.focused = was && !board.focused && !board::items(board).is_empty();
    board.overview.index = 0;
}

/// Whether it is shown, as a page or as the dashboard.
pub fn is_open(state: &State) -> bool {
    let page = matches!(state.page(), Page::Explain(page) if matches!(page.of, Explained::Overview(_)));
    page || is_shown(state)
}

/// Their list, the overview, and the timeline.
pub fn reads_events(state: &State) -> bool {
    let has_time_line = matches!(state.page(), Page::Details(page) if matches!(page.subject, Subject::App(_)));
    matches!(state.page(), Page::Events(_) | Page::Pod(_) | Page::App(_)) || has_time_line || is_open(state)
}

pub(super) fn outdate(state: &mut State) {
    if let Some(board) = &mut state.board {
        board.overview.asked = None;
    }
    for page in &mut state.pages {
        if let Page::Explain(page) = page
            && matches!(page.of, Explained::Overview(_))
        {
            page.asked = None;
        }
    }
}

pub(super) fn want_board(state: &mut State) {
    if !is_shown(state) {
        return;
    }
    let Some(part) = state.cluster.part() else { return };
    let at_once = part.apps.len() + part.nodes.len() <= AT_ONCE;
    let Some(board) = &state.board else { return };
    let page = &board.overview;
    let of_another = page.view.as_ref().is_none_or(|view| !Arc::ptr_eq(view, &state.cluster.view));
    let is_stopped = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    let pause = if at_once && of_another { Duration::ZERO } else { again(state, page) };
    let due = |asked: Duration| if is_stopped { of_another } else { state.now >= asked + pause };
    if page.awaited || !page.asked.is_none_or(due) {
        return;
    }
    let given = Given { rows: ROWS, ..given(state, None) };
    let now = state.now;
    let Some(board) = &mut state.board else { return };
    board.overview.asked = Some(now);
    if at_once {
        let made = OverviewMade::of(given);
        return board::take(state, made);
    }
    board.overview.awaited = true;
    state.emit(Work::Overview(Box::new(given)));
}

pub(super) fn want(state: &mut State, visited: Option<Time>) {
    let now = state.now;
    let is_stopped = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    let Page::Explain(page) = state.page() else { return };
    // The source has not responded yet.
    if state.cluster.part().is_none() {
        return;
    }
    // Frozen or in the past: only another view requires a new overview.
    let due = |asked: Duration| if is_stopped { is_of_another(state, page) } else { now >= asked + again(state, page) };
    let old = page.asked.is_none_or(due);
    if page.awaited || !old {
        return;
    }
    let given = given(state, visited);
    if let Page::Explain(page) = state.page_mut() {
        (page.asked, page.awaited) = (Some(now), true);
    }
    state.emit(Work::Overview(Box::new(given)));
}

pub(super) fn is_of_another(state: &State, page: &ExplainPage) -> bool {
    page.view.as_ref().is_some_and(|view| !Arc::ptr_eq(view, &state.cluster.view))
}

/// The refresh interval is longer for a large cluster.
pub(super) fn again(state: &State, page: &ExplainPage) -> Duration {
    (if page.view.is_none() || is_of_another(state, page) { OF_NEWS } else { AGAIN })
        .max(page.pace.saturating_mul(SHARE))
}

pub(super) fn given(state: &State, visited: Option<Time>) -> Given {
    let cluster = &state.cluster;
    let until = cluster.until();
    let matters = |record: &&Arc<_>| matters(record, until);
    Given {
        view: Arc::clone(&cluster.view),
        partition: cluster.part().map(|part| Arc::clone(&part.name)).unwrap_or_default(),
        at: until.unwrap_or(cluster.at),
        happened: cluster.events.iter().map(|(_, record)| record).filter(matters).cloned().collect(),
        cycle: cluster.cycle.filter(|_| until.is_none()),
        unread: cluster.unread.clone(),
        connection: cluster.link.problem(),
        health: cluster.health.failed(),
        faults: state.config_faults.clone(),
        alerts: if until.is_none() { alerts(cluster) } else { Vec::new() },
        rows: layout::rows_on_screen(state).saturating_sub(usize::from(state.size.width < 100)),
        trends: trends::rings(state).cloned(),
        visited: visited.or(cluster.trends.visited).filter(|visited| until.is_none_or(|until| *visited < until)),
    }
}

const ALERTS: usize = 5;

fn alerts(cluster: &Cluster) -> Vec<(bool, SheetLine)> {
    let on: Vec<&Alert> = cluster.alerts.iter().flat_map(|snapshot| snapshot.on()).collect();
    let line = |alert: &&Alert| {
        let line = SheetLine::new("alert", format!("{}: {}", alert.title(), alert.text));
        (alert.severity > Severity::Info, line.since(Some(alert.since)).to(alert.subject.target()))
    };
    let mut lines: Vec<(bool, SheetLine)> = on.iter().take(ALERTS).map(line).collect();
    if on.len() > ALERTS {
        lines.push((false, SheetLine::new("alert", format!("and {} more (:alerts)", on.len() - ALERTS))));
    }
    lines
}

fn matters(record: &view::Record, until: Option<Time>) -> bool {
    record.is_important() && until.is_none_or(|until| record.at <= until)
}

/// Takes an overview if its page still exists.
pub fn take(state: &mut State, made: OverviewMade) {
    if state.board.is_some() {
        return board::take(state, made);
    }
    state.config_faults = made.faults;
    let (partition, now) = (state.cluster.partition.to_string(), state.now);
    let page = state.pages.iter_mut().rev().find_map(|page| match page {
        Page::Explain(page) if matches!(page.of, Explained::Overview(_)) => Some(page),
        _ => None,
    });
    if let Some(page) = page {
        page.awaited = false;
        page.pace = page.asked.map_or(Duration::ZERO, |asked| now.saturating_sub(asked));
        page.view = Some(made.view);
        page.take(made.sheet.map(|sheet| *sheet).ok_or_else(|| Refusal::not_found("partition", &partition)));
    }
}
