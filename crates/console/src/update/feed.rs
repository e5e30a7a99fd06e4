//! Updates of the cluster and the passing of time.

use std::sync::Arc;
use std::time::Duration;

use crate::present::board::is_shown;
use crate::present::layout;
use crate::state::page::{Page, Subject, each_page};
use crate::state::work::{Discarded, Work};
use crate::state::{Grade, State};
use crate::update::action::Feed;
use crate::update::alerts;
use crate::update::attempt;
use crate::update::change;
use crate::update::config;
use crate::update::explain;
use crate::update::job;
use crate::update::job_names;
use crate::update::lists;
use crate::update::notices;
use crate::update::overview;
use crate::update::owners;
use crate::update::page::PageUpdate;
use crate::update::pod;
use crate::update::refresh;
use crate::update::shown_metrics;
use view::View;

/// Takes an update, which is stored while the screen is frozen.
pub fn take(state: &mut State, news: Feed) {
    let other = state.cluster.estimates != news.estimates;
    let relinked = state.cluster.link != news.link || news.identity.is_some() || news.about.is_some() || other;
    state.cluster.estimates = news.estimates;
    let asked = matches!(state.page(), Page::Details(page) if matches!(page.subject, Subject::Health(_)));
    let relinked = relinked || asked && state.cluster.health != news.health;
    state.cluster.health = news.health;
    state.cluster.cycle = news.cycle;
    state.cluster.link = news.link;
    let relinked = relinked
        || state.cluster.stale != news.stale
        || state.cluster.unread != news.unread
        || state.cluster.apps_lag != news.apps_lag
        || state.cluster.trial != news.trial;
    state.cluster.trial = news.trial;
    if state.cluster.unread != news.unread {
        overview::outdate(state);
    }
    (state.cluster.stale, state.cluster.unread, state.cluster.apps_lag) = (news.stale, news.unread, news.apps_lag);
    state.cluster.actor = news.actor;
    if let Some(about) = news.about {
        state.cluster.about = *about;
    }
    if let Some(identity) = news.identity {
        state.cluster.identity = identity;
    }
    state.cluster.newest = news.view;
    let present = &mut state.cluster;
    present.past.live = news.at.max(present.newest.at);
    present.past.see(&present.newest, news.next_event);
    let gone = present.past.take_gone();
    if !gone.is_empty() {
        state.emit(Work::Discard(Discarded::of(gone)));
    }
    let message = notices::take(state) | alerts::take(state, news.alerts);
    config::follow(state);
    change::due(state);
    owners::follow(state);
    if state.cluster.frozen.is_some() || state.cluster.past.shown.is_some() {
        if relinked || message {
            state.redraw();
        }
        return;
    }
    if refresh::waits(state) {
        if relinked || message {
            state.redraw();
        }
        return;
    }
    state.refreshed = state.now;
    let second = state.cluster.at.as_millis() / 1000;
    state.cluster.at = news.at.max(state.cluster.newest.at);
    let aged = second != state.cluster.at.as_millis() / 1000 && ages_on_screen(state);
    let changed = show_newest(state, true);
    if relinked || message || aged || changed {
        state.redraw();
    }
}

pub(super) fn show_newest(state: &mut State, mark: bool) -> bool {
    if Arc::ptr_eq(&state.cluster.view, &state.cluster.newest) {
        return false;
    }
    let before = state.cluster.set_view(Arc::clone(&state.cluster.newest));
    if state.cluster.partition.is_empty()
        && let Some(first) = state.cluster.view.partitions.first()
    {
        state.cluster.partition = Arc::clone(&first.name);
    }
    if mark && state.options.mark_changes {
        mark_changes(state, &before);
    }
    lists::rebuild(state, false);
    shown_metrics::follow(state);
    true
}

/// Removes expired messages, and rebuilds due lists.
pub fn clock(state: &mut State, now: Duration) {
    let before = state.now;
    state.now = state.now.max(now);
    let now = state.now;
    let mut redraw = state.marks.expire(now) | notices::fade(state);
    if state.toast.as_ref().is_some_and(|toast| toast.until <= now) {
        state.toast = None;
        redraw = true;
    }
    if state.note.as_ref().is_some_and(|note| note.until <= now) {
        state.note = None;
        redraw = true;
    }
    state.quit_armed_until = state.quit_armed_until.filter(|until| *until > now);
    let is_stopped = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    if is_stopped && before.as_secs() != now.as_secs() {
        redraw = true;
    }
    config::due(state);
    change::due(state);
    attempt::due(state);
    let news = !Arc::ptr_eq(&state.cluster.view, &state.cluster.newest);
    if news && !is_stopped && state.options.refresh > Duration::ZERO && !refresh::waits(state) {
        state.refreshed = now;
        state.cluster.at = state.cluster.at.max(state.cluster.past.live);
        redraw |= show_newest(state, true);
    }
    if lists::next_rebuild(state).is_some_and(|due| due <= now) {
        lists::rebuild(state, false);
        redraw = true;
    }
    if redraw {
        state.redraw();
    }
}

/// The next wake-up, on the console's clock.
pub fn next_wake(state: &State) -> Option<Duration> {
    let is_stopped = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    let second = (ages_on_screen(state) || is_stopped || !state.cluster.link.is_live())
        .then(|| state.now + Duration::from_secs(1));
    [
        second,
        state.marks.next_end(state.now),
        state.toast.as_ref().map(|toast| toast.until),
        state.notice.as_ref().and_then(|shown| shown.until),
        state.note.as_ref().map(|note| note.until),
        lists::next_rebuild(state),
        Some(refresh::due(state)).filter(|due| state.options.refresh > Duration::ZERO && *due > state.now),
        config::next_due(state),
        change::next_due(state),
        attempt::next_due(state),
        explain::next_due(state),
        job::next_due(state),
        job_names::next_due(state),
        pod::next_due(state),
    ]
    .into_iter()
    .flatten()
    .min()
}

fn ages_on_screen(state: &State) -> bool {
    is_shown(state) || each_page!(state.page(), page => page.has_ages())
}

/// Toggles the frozen screen.
pub fn toggle_freeze(state: &mut State) {
    if state.cluster.past.shown.is_some() {
        return state.report(Grade::Refusal, "the past is read-only; :live returns to the present");
    }
    if state.cluster.frozen.take().is_some() {
        state.cluster.at = state.cluster.at.max(state.cluster.newest.at);
        show_newest(state, false);
        state.marks.clear();
    } else {
        state.cluster.frozen = Some(state.now);
    }
}

/// Toggles highlights of changes.
pub fn toggle_marks(state: &mut State) {
    state.options.mark_changes = !state.options.mark_changes;
    state.marks.clear();
    state.report(
        Grade::Info,
        if state.options.mark_changes { "changed cells are marked" } else { "changed cells are not marked" },
    );
}

fn mark_changes(state: &mut State, before: &View) {
    let height = layout::rows_on_screen(state);
    let State { pages, cluster, marks, now, .. } = state;
    let Some(new) = cluster.part() else { return };
    let Some(old) = before.partitions.iter().find(|part| part.name == new.name) else { return };
    let mut mark = |row, facets| marks.add(row, facets, *now);
    if let Some(page) = pages.last() {
        each_page!(page, page => page.mark_changes(old, new, height, &mut mark));
    }
}
