//! Leaves a page, an edit, or the console.

use crate::present::format;
use crate::state::effect::Effect;
use crate::state::layer::{Confirm, Layer, Question};
use crate::state::{Grade, State};
use crate::update::change;
use crate::update::lists;
use crate::update::stack::pop;
use crate::update::trial;
use source::SourcePlace;
use std::time::Duration;

const AGAIN: Duration = Duration::from_secs(2);

/// Closes a notice, hint, filter, or page. Never exits.
pub fn back(state: &mut State) {
    if state.notice.take().is_some() || state.note.take().is_some() {
        return;
    }
    if !lists::filter(state).is_empty() {
        return lists::set_filter(state, "");
    }
    if state.pages.len() > 1 {
        return pop(state);
    }
    if state.cluster.trial.is_some() {
        return trial::leave(state);
    }
    state.toast = None;
}

/// Closes the top layer or page, finally the console.
pub fn leave(state: &mut State) {
    if let Some(layer) = state.layers.last_mut() {
        match layer {
            Layer::Help(help) if !help.filter.is_empty() => help.filter.clear(),
            _ => {
                state.layers.pop();
            }
        }
        return state.redraw();
    }
    if state.pages.len() > 1 {
        pop(state);
        return state.redraw();
    }
    quit(state)
}

/// Whether an input or question is open, or input followed an action: nothing may replace it without asking.
pub fn is_busy(state: &State, since: u64) -> bool {
    !state.layers.is_empty() || state.turn != since && !unsaved(state).is_empty()
}

pub(super) fn unsaved(state: &State) -> Vec<String> {
    let mut lines = Vec::new();
    if crate::present::config::page_of(state).is_some_and(|page| page.modified) {
        lines.push("The edited configuration is not applied; the edit would be lost.".to_owned());
    }
    if let Some(page) = change::written(state) {
        let (form, queue) = (page.kind.title(), &page.queue);
        lines.push(format!("The input of the form \"{form}\" on {queue} would be lost."));
    }
    lines
}

/// Asks if exiting ends an embedded scheduler with active applications, unless it is a simulation.
pub fn quit(state: &mut State) {
    if state.cluster.trial.is_some() {
        // A what-if loses nothing of the cluster.
        return trial::leave(state);
    }
    let partitions = &state.cluster.newest.partitions;
    let apps: usize = partitions.iter().map(|part| part.live_apps).sum();
    let nodes: usize = partitions.iter().map(|part| part.nodes.len()).sum();
    let mut lines = Vec::new();
    if state.cluster.about.place == SourcePlace::Embedded && apps > 0 && !state.simulated {
        let (apps, nodes) = (format::count(apps as u64, "active application"), format::count(nodes as u64, "node"));
        lines.push("The scheduler runs inside this console and ends with it:".to_owned());
        lines.push(format!("{apps} on {nodes} would be lost."));
    }
    lines.extend(unsaved(state));
    if lines.is_empty() {
        return state.emit(Effect::Quit);
    }
    state.ask(Confirm::new("Quit kornsole?".to_owned(), lines, "Quit", Question::Quit));
    state.redraw();
}

/// Quits at the second press.
pub fn quit_again(state: &mut State) {
    if state.quit_armed_until.is_some_and(|until| until > state.now) {
        return state.emit(Effect::Quit);
    }
    state.report(Grade::Info, "press again to quit now");
    state.quit_armed_until = Some(state.now + AGAIN);
    state.redraw();
}
