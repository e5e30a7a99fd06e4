//! Why a command is off right now, if it is.

use crate::console::present::subject;
use crate::console::state::State;
use crate::console::state::page::{Fold, Page};
use crate::console::update;

pub(super) fn has_row(state: &State) -> Result<(), String> {
    match subject::of(state) {
        Some(_) => Ok(()),
        None => Err("there is no row under the cursor".to_owned()),
    }
}

pub(super) fn can_tell_why(state: &State) -> Result<(), String> {
    match state.page() {
        Page::Queues(_) | Page::Apps(_) | Page::App(_) => has_row(state),
        _ => Err("only on a queue or an application".to_owned()),
    }
}

pub(super) fn can_open(state: &State) -> Result<(), String> {
    if matches!(state.page(), Page::Events(_)) {
        return update::events::can_jump(state);
    }
    if matches!(state.page(), Page::Audit(_)) {
        return update::audit::can_jump(state);
    }
    has_row(state)?;
    match state.page() {
        Page::App(page) if subject::node_of_ask(page).is_none() => Err("a pending ask has no node yet".to_owned()),
        _ => Ok(()),
    }
}

pub(super) fn on_list(state: &State) -> Result<(), String> {
    if matches!(state.page(), Page::Details(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_)) {
        Err("there is no list on this page".to_owned())
    } else {
        Ok(())
    }
}

pub(super) fn on_apps(state: &State) -> Result<(), String> {
    if matches!(state.page(), Page::Apps(_)) { Ok(()) } else { Err("only in a list of applications".to_owned()) }
}

pub(super) fn on_nodes(state: &State) -> Result<(), String> {
    if matches!(state.page(), Page::Nodes(_)) { Ok(()) } else { Err("only in the list of nodes".to_owned()) }
}

pub(super) fn no_filter(state: &State) -> Result<(), String> {
    match state.page() {
        Page::Queues(page) if page.list.filter.is_empty() => Ok(()),
        Page::Queues(_) => Err("while a filter is on, everything that matches is unfolded".to_owned()),
        _ => Err("only in the queue tree".to_owned()),
    }
}

pub(super) fn can_fold(state: &State) -> Result<(), String> {
    no_filter(state)?;
    match update::queues::line_at_cursor(state) {
        Some(line) if line.fold == Fold::Leaf => Err("no queues below this one".to_owned()),
        _ => Ok(()),
    }
}

pub(super) fn several_partitions(state: &State) -> Result<(), String> {
    if state.cluster.view.partitions.len() > 1 { Ok(()) } else { Err("there is only one partition".to_owned()) }
}

pub(super) fn some_context(state: &State) -> Result<(), String> {
    if state.contexts.is_empty() {
        Err("no contexts: `[contexts.NAME]` in your settings names one".to_owned())
    } else {
        Ok(())
    }
}
