//! The configuration page.
//!
//! [`write`] edits, [`walk`] moves, [`apply`] applies.

use std::sync::Arc;
use std::time::Duration;

use crate::present::config::{is_behind, is_unfolded, page_of};
use crate::present::layout;
use crate::present::written;
use crate::state::config::{ConfigPage, Forecast, SidePane};
use crate::state::editor;
use crate::state::editor::{CheckJob, CheckResult, Completion};
use crate::state::effect::Effect;
use crate::state::page::Page;
use crate::state::work::{Discarded, Work};
use crate::state::{Grade, State};
use crate::update::stack::{home, push};
use config::manifest;
use view::act::Configuration;

/// Opens the page with its edit.
pub fn open(state: &mut State) {
    home(state);
    let running = state.cluster.configuration().cloned();
    let page = state.parked.config.take().unwrap_or_else(|| Box::new(ConfigPage::new(running)));
    push(state, Page::Config(page));
    follow(state);
}

/// Opens the page at the selected queue.
pub fn open_at_place(state: &mut State) {
    let at = match written::place(state) {
        Ok(at) => at,
        Err(why) => return state.report(Grade::Refusal, why),
    };
    open_at(state, at.line, at.column);
}

/// Opens the page at a line.
pub fn open_at_line(state: &mut State, line: u32) {
    open_at(state, line, 1);
}

fn open_at(state: &mut State, line: u32, column: u32) {
    open(state);
    let index = |number: u32| usize::try_from(number).unwrap_or(1).saturating_sub(1);
    if let Some(page) = shown(state) {
        page.buffer.go(index(line), index(column));
    }
}

/// The page, open or parked.
pub fn page_mut(state: &mut State) -> Option<&mut ConfigPage> {
    let on_stack = state.pages.iter_mut().find_map(|page| match page {
        Page::Config(page) => Some(page),
        _ => None,
    });
    on_stack.or(state.parked.config.as_mut()).map(Box::as_mut)
}

pub(super) fn shown(state: &mut State) -> Option<&mut ConfigPage> {
    match state.page_mut() {
        Page::Config(page) => Some(page),
        _ => None,
    }
}

/// Loads the active configuration unless an edit would be lost.
pub fn follow(state: &mut State) {
    let running = state.cluster.configuration().cloned();
    let now = state.now;
    let past = state.cluster.past.shown.is_some();
    let Some(page) = page_mut(state) else { return };
    if past && running.is_none() && !page.modified && page.base.take().is_some() {
        page.buffer.reset("");
        page.due = None;
    }
    let (Some(running), None) = (running, &page.applying) else { return };
    if page.base.as_ref().is_some_and(|base| base.revision == running.revision && base.checksum == running.checksum) {
        return;
    }
    if page.modified && *running.text != *page.buffer.text() {
        if page.applied.take_if(|applied| *running.text == **applied).is_some() {
            (page.base, page.due) = (Some(running), Some(now));
        }
        return;
    }
    page.applied = None;
    if *running.text != *page.buffer.text() {
        page.buffer.reset(&running.text);
    }
    page.base = Some(running);
    page.modified = false;
    page.due = Some(now);
}

pub(super) fn changed(state: &mut State) {
    let now = state.now;
    if let Some(page) = shown(state) {
        page.modified = true;
        page.due = Some(now + ConfigPage::PAUSE);
        if page.forecast.take().is_some_and(|forecast| forecast.found.is_none()) {
            state.emit(Effect::StopForecast);
        }
    }
}

/// Requests a forecast if the text is valid and changes something.
fn try_on_copy(state: &mut State) {
    let partition = Arc::clone(&state.cluster.partition);
    let Some(page) = page_mut(state) else { return };
    let (version, checked) = (page.buffer.version(), &page.checked);
    let known = page.forecast.as_ref().is_some_and(|forecast| forecast.version == version);
    if checked.version != version || !checked.differs || checked.errors() > 0 || checked.changes.is_empty() || known {
        return;
    }
    let Some(text) = queues_of(&page.buffer.text(), page.base.as_deref()) else { return };
    page.forecast = Some(Forecast { version, found: None });
    state.emit(Effect::Forecast(version, partition, Arc::from(text)));
}

fn queues_of(text: &str, base: Option<&Configuration>) -> Option<String> {
    let in_manifest = base.is_some_and(|base| base.queues != base.text);
    if in_manifest { manifest::queues_of(text, &base?.policy_group) } else { Some(text.to_owned()) }
}

/// Takes a forecast.
pub fn forecast(state: &mut State, version: u64, found: Result<Vec<String>, String>) {
    let Some(page) = page_mut(state) else { return };
    if let Some(forecast) = page.forecast.as_mut().filter(|forecast| forecast.version == version) {
        forecast.found = Some(found);
    }
}

/// Requests a check if due.
pub fn due(state: &mut State) {
    let (now, view) = (state.now, Arc::clone(&state.cluster.newest));
    let profile = state.cluster.part().map(|part| part.rules.profile()).unwrap_or_default();
    let (actor, at) = (state.cluster.actor.clone(), state.cluster.at);
    let preview = state.cluster.quota_preview.clone();
    let Some(page) = page_mut(state) else { return };
    if page.checking || page.due.is_none_or(|due| due > now) {
        return;
    }
    page.due = None;
    let Some(base) = &page.base else { return };
    let job = CheckJob {
        at,
        version: page.buffer.version(),
        text: page.buffer.text(),
        base: Arc::clone(&base.text),
        view,
        profile,
        actor,
        preview,
    };
    page.checking = true;
    state.emit(Work::Check(Box::new(job)));
}

/// When to check the text.
pub fn next_due(state: &State) -> Option<Duration> {
    page_of(state).filter(|page| !page.checking).and_then(|page| page.due)
}

/// Takes a check result.
pub fn checked(state: &mut State, checked: CheckResult) {
    let Some(page) = page_mut(state) else { return };
    page.checking = false;
    if checked.version == page.buffer.version() {
        page.modified = checked.differs;
    }
    let before = std::mem::replace(&mut page.checked, checked);
    let asks = page.checked.asks_scheduler && page.checked.version == page.buffer.version();
    let text = asks.then(|| Arc::from(page.buffer.text()));
    state.emit(Work::Discard(Discarded::of(before)));
    text.into_iter().for_each(|text| preview_quotas(state, text));
    try_on_copy(state);
}

/// Requests a preview unless a current one exists.
pub fn preview_quotas(state: &mut State, text: Arc<str>) {
    if !state.cluster.quota_preview.as_ref().is_some_and(|preview| preview.is_of(&text, state.now)) {
        state.emit(Effect::PreviewQuotas(text));
    }
}

/// Undoes or redoes.
pub fn history(state: &mut State, back: bool) {
    let Some(page) = shown(state) else { return };
    let done = if back { page.buffer.undo() } else { page.buffer.redo() };
    page.completion = Completion::default();
    if done {
        changed(state);
    } else {
        state.report(Grade::Info, if back { "nothing to undo" } else { "nothing to redo" });
    }
}

/// Effects, changed lines, changes by others, none; on a narrow screen it replaces the text.
pub fn side_pane(state: &mut State) {
    let behind = shown(state).is_some() && page_of(state).is_some_and(|page| is_behind(state, page));
    let wide = state.size.width >= layout::SIDE_TEXT;
    let unfolded = page_of(state).is_some_and(|page| if wide { is_unfolded(state, page) } else { page.swapped });
    let Some(page) = shown(state) else { return };
    page.side_top = 0;
    let (side_pane, unfolded) = match page.side_pane {
        side_pane if !unfolded => (side_pane, true),
        SidePane::Meaning if page.modified || behind => (SidePane::Lines, true),
        SidePane::Lines if behind => (SidePane::Underneath, true),
        SidePane::Meaning | SidePane::Lines | SidePane::Underneath => (SidePane::Meaning, false),
    };
    page.side_pane = side_pane;
    if wide {
        page.unfolded = Some(unfolded);
    } else {
        page.swapped = unfolded;
    }
}

/// Restores the active configuration.
pub fn revert(state: &mut State) {
    let Some(page) = shown(state) else { return };
    if let Some(base) = &page.base {
        let text = Arc::clone(&base.text);
        page.buffer.replace(&text);
        changed(state);
        follow(state);
        state.report(Grade::Info, "the active text is restored; undo restores the edit");
    }
}

/// Loads the previous configuration into the editor.
pub fn restore(state: &mut State) {
    let Some(page) = shown(state) else { return };
    if let Some(before) = page.before.clone() {
        page.buffer.replace(&before.text);
        changed(state);
        let message = format!("revision {} is in the editor; apply it to make it active", before.revision);
        state.report(Grade::Info, message);
    }
}

/// Edits the text in `$EDITOR`.
pub fn edit_outside(state: &mut State) {
    if let Some(page) = shown(state) {
        let text = page.buffer.text();
        state.emit(Effect::EditText(text));
    }
}

/// Takes the text from `$EDITOR`.
pub fn edited(state: &mut State, text: Result<String, String>) {
    let text = match text {
        Ok(text) => text,
        Err(message) => return state.report(Grade::Refusal, message),
    };
    let Some(page) = shown(state) else { return };
    if page.buffer.text() != text {
        page.buffer.replace(&text);
        changed(state);
    }
}

/// Merges changes that do not touch the same lines.
pub fn merge(state: &mut State) {
    let now = state.cluster.newest.configuration.clone();
    let Some(page) = shown(state) else { return };
    let (Some(base), Some(now)) = (page.base.clone(), now) else { return };
    let own = page.buffer.text();
    match editor::merge(&base.text, &own, &now.text) {
        Ok(text) => {
            page.buffer.reset(&text);
            page.base = Some(now);
            page.side_pane = SidePane::Meaning;
            changed(state);
            state.report(Grade::Info, "the text has both changes; review it before you apply it");
        }
        Err(clashes) => {
            let places: Vec<String> = clashes.iter().map(|line| (line + 1).to_string()).collect();
            page.buffer.go(clashes[0], 0);
            (page.side_pane, page.unfolded) = (SidePane::Underneath, Some(true));
            let message = format!(
                "both change the same lines: at {}; edit yours, or use :rebase to keep yours",
                places.join(", ")
            );
            state.report(Grade::Refusal, message);
        }
    }
}

/// Keeps the text as an edit of the new configuration.
pub fn rebase(state: &mut State) {
    let now = state.cluster.newest.configuration.clone();
    let Some(page) = shown(state) else { return };
    if let Some(now) = now {
        page.base = Some(now);
        page.side_pane = SidePane::Meaning;
        changed(state);
        state.report(Grade::Info, "changes are compared with the active configuration");
    }
}
