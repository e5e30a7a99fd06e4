//! Requests names of visible jobs: unknown ones immediately, all periodically, because users can change them.

use std::time::Duration;

use crate::state::State;
use crate::state::effect::Effect;
use crate::state::page::Page;
use model::AppId;

const AGAIN: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(200);

fn on_screen(state: &State) -> Vec<&AppId> {
    match state.page() {
        Page::Apps(page) if state.cluster.has_jobs => {
            let rows = page.list.rows.iter().skip(page.list.cursor.top);
            rows.take(usize::from(state.size.height)).map(|line| line.id()).collect()
        }
        _ => Vec::new(),
    }
}

/// The next request, on the console's clock; `None` while awaited, and without jobs.
pub fn next_due(state: &State) -> Option<Duration> {
    let shown = on_screen(state);
    if shown.is_empty() || state.job_names.awaited {
        return None;
    }
    let unknown = shown.iter().any(|app| state.job_names.of(app).is_none()) && !state.job_names.unanswered;
    Some(state.job_names.asked.map_or(state.now, |asked| asked + if unknown { PAUSE } else { AGAIN }))
}

/// Requests names if due.
pub fn want(state: &mut State) {
    if next_due(state).is_none_or(|due| due > state.now) {
        return;
    }
    let apps: Vec<AppId> = on_screen(state).into_iter().cloned().collect();
    (state.job_names.asked, state.job_names.awaited) = (Some(state.now), true);
    state.emit(Effect::NameJobs(apps));
}

/// Takes names; without an answer the request is repeated.
pub fn take(state: &mut State, named: Option<Vec<(AppId, String)>>) {
    (state.job_names.awaited, state.job_names.unanswered) = (false, named.is_none());
    state.job_names.take(named.unwrap_or_default());
}
