//! The overview: opening it, having it made, taking it.

use std::sync::Arc;
use std::time::Duration;

use crate::console::present::{layout, trends};
use crate::console::state::State;
use crate::console::state::explain::{ExplainPage, Explained};
use crate::console::state::page::Page;
use crate::console::state::work::Work;
use crate::console::update::stack::{home, push};
use crate::model::Time;
use crate::source::{Link, OwnHealth};
use crate::view::act::Refusal;
use crate::view::drain::span;
use crate::view::overview::{ConfigFaults, Given};
use crate::view::waiting::Sheet;

/// How long an overview stands, which looks at everything.
pub const AGAIN: Duration = Duration::from_secs(10);

/// Opens the overview; on the page itself: makes it again.
pub fn open(state: &mut State) {
    if let Page::Explain(page) = state.page_mut()
        && matches!(page.of, Explained::Overview(_))
    {
        page.asked = None;
        return;
    }
    home(state);
    let looked = state.overviewed.replace(state.cluster.at);
    push(state, Page::Explain(Box::new(ExplainPage::new(Explained::Overview(looked)))));
}

/// Whether a page needs the last events: the list of them, and the overview.
pub fn reads_events(page: &Page) -> bool {
    let overview = |page: &ExplainPage| matches!(page.of, Explained::Overview(_));
    matches!(page, Page::Events(_) | Page::Pod(_)) || matches!(page, Page::Explain(page) if overview(page))
}

/// Has the overview made, where it is missing or old.
pub(super) fn want(state: &mut State, looked: Option<Time>) {
    let now = state.now;
    let stands = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    let Page::Explain(page) = state.page() else { return };
    // Nothing has come from the other side yet.
    if state.cluster.part().is_none() {
        return;
    }
    let old = page.asked.is_none_or(|asked| now >= asked + AGAIN && !stands);
    if page.awaited || !old {
        return;
    }
    let given = given(state, looked);
    if let Page::Explain(page) = state.page_mut() {
        (page.asked, page.awaited) = (Some(now), true);
    }
    state.emit(Work::Overview(Box::new(given)));
}

fn given(state: &State, looked: Option<Time>) -> Given {
    let cluster = &state.cluster;
    let until = cluster.until();
    let matters = |record: &&Arc<_>| is_shown(record, until);
    Given {
        view: Arc::clone(&cluster.view),
        partition: cluster.part().map(|part| Arc::clone(&part.name)).unwrap_or_default(),
        at: until.unwrap_or(cluster.at),
        happened: cluster.events.iter().map(|(_, record)| record).filter(matters).cloned().collect(),
        connection: connection(&cluster.link),
        health: health(&cluster.health),
        faults: state.config_faults.clone(),
        // On a narrow screen some lines take two rows.
        rows: layout::rows_on_screen(state).saturating_sub(usize::from(state.size.width < 100)),
        trends: trends::rings(state).cloned(),
        looked: looked.filter(|looked| until.is_none_or(|until| *looked < until)),
    }
}

fn is_shown(record: &crate::view::Record, until: Option<Time>) -> bool {
    record.is_important() && until.is_none_or(|until| record.at <= until)
}

fn connection(link: &Link) -> Option<String> {
    match link {
        Link::Live { .. } => None,
        Link::Connecting { cause: Some(cause), .. } => Some(format!("not connected yet: {cause}")),
        Link::Connecting { cause: None, .. } => Some("not connected yet".to_owned()),
        Link::Stale { age, cause, .. } => {
            Some(format!("the connection is down, all this is {} old: {cause}", span(*age)))
        }
        Link::Refused { why, .. } => Some(why.clone()),
    }
}

/// The checks of the scheduler that failed; `None` where they are not known.
fn health(health: &OwnHealth) -> Option<Vec<String>> {
    match health {
        OwnHealth::Here => Some(Vec::new()),
        OwnHealth::Reported(health, _) => {
            let failed = health.checks.iter().filter(|check| !check.succeeded);
            Some(failed.map(|check| format!("{}: {}", check.name, check.diagnosis)).collect())
        }
        OwnHealth::Unknown(_) => None,
    }
}

/// Takes an overview for its page, where that is still there.
pub fn take(state: &mut State, sheet: Option<Sheet>, faults: Option<Arc<ConfigFaults>>) {
    state.config_faults = faults;
    let partition = state.cluster.partition.to_string();
    let page = state.pages.iter_mut().rev().find_map(|page| match page {
        Page::Explain(page) if matches!(page.of, Explained::Overview(_)) => Some(page),
        _ => None,
    });
    if let Some(page) = page {
        page.awaited = false;
        page.take(sheet.ok_or_else(|| Refusal::not_found("partition", &partition)));
    }
}
