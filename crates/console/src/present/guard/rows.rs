//! Conditions of commands on rows, lists, and pages.

use crate::present::contexts;
use crate::present::guard::audit;
use crate::present::guard::events;
use crate::present::subject;
use crate::state::State;
use crate::state::layer::Layer;
use crate::state::page::{Fold, Page};

/// Whether a row is selected.
pub fn has_row(state: &State) -> Result<(), String> {
    match subject::of(state) {
        Some(_) => Ok(()),
        None => Err("no row selected".to_owned()),
    }
}

/// Whether a reason exists.
pub fn can_explain(state: &State) -> Result<(), String> {
    match state.page() {
        Page::Queues(_) | Page::Apps(_) | Page::App(_) => has_row(state),
        _ => Err("only on a queue or an application".to_owned()),
    }
}

/// Whether the row can be opened.
///
/// # Errors
/// Why not.
pub fn can_open(state: &State) -> Result<(), String> {
    if matches!(state.page(), Page::Events(_)) {
        return events::can_jump(state);
    }
    if matches!(state.page(), Page::Audit(_)) {
        return audit::can_jump(state);
    }
    if let Page::Clusters(page) = state.page() {
        return if page.list.rows.is_empty() { Err("no cluster".to_owned()) } else { Ok(()) };
    }
    if let Page::Explain(page) = state.page()
        && page.lines().get(page.index).is_some_and(|line| line.to.is_some())
    {
        return Ok(());
    }
    if let Page::Contexts(page) = state.page() {
        return contexts::at(state, page.index).map(|_| ()).ok_or_else(|| "no context".to_owned());
    }
    has_row(state)?;
    match state.page() {
        Page::App(page) if subject::node_of_ask(page).is_none() => Err("a pending request has no node yet".to_owned()),
        _ => Ok(()),
    }
}

/// Whether the page has a list.
///
/// # Errors
/// Why not.
pub fn on_list(state: &State) -> Result<(), String> {
    state.page().list().map(|_| ()).ok_or_else(|| "this page has no list".to_owned())
}

/// Whether applications are shown.
pub fn on_apps(state: &State) -> Result<(), String> {
    if matches!(state.page(), Page::Apps(_)) { Ok(()) } else { Err("only in a list of applications".to_owned()) }
}

/// Whether nodes are shown.
pub fn on_nodes(state: &State) -> Result<(), String> {
    if matches!(state.page(), Page::Nodes(_)) { Ok(()) } else { Err("only in the list of nodes".to_owned()) }
}

/// Whether the unfiltered queue tree is shown, which folding requires.
///
/// # Errors
/// Why not.
pub fn no_filter(state: &State) -> Result<(), String> {
    match state.page() {
        Page::Queues(page) if page.list.filter.is_empty() => Ok(()),
        Page::Queues(_) => Err("a filter unfolds all matches".to_owned()),
        _ => Err("only in the queue tree".to_owned()),
    }
}

/// Whether the queue has children.
///
/// # Errors
/// Why not.
pub fn can_fold(state: &State) -> Result<(), String> {
    no_filter(state)?;
    match crate::present::subject::line_at_cursor(state) {
        Some(line) if line.fold == Fold::Leaf => Err("this queue has no children".to_owned()),
        _ => Ok(()),
    }
}

/// Whether another partition exists.
pub fn several_partitions(state: &State) -> Result<(), String> {
    if state.cluster.view.partitions.len() > 1 { Ok(()) } else { Err("there is only one partition".to_owned()) }
}

/// Whether the settings name another scheduler.
pub fn some_context(state: &State) -> Result<(), String> {
    if state.contexts.all.is_empty() && state.contexts.fault.is_none() {
        Err("no contexts: add `[contexts.NAME]` to your settings, or use a kubeconfig".to_owned())
    } else {
        Ok(())
    }
}

/// Whether the audit records a reason.
pub fn accepts_reason(state: &State) -> Result<(), String> {
    match state.layers.last() {
        Some(Layer::Confirm(question)) if question.reason.is_some() => Ok(()),
        _ => Err("no open question with a reason".to_owned()),
    }
}

/// Whether usage is shown.
pub fn on_usage(state: &State) -> Result<(), String> {
    match state.page() {
        Page::Usage(_) => Ok(()),
        _ => Err("only on the usage page; :usage opens it".to_owned()),
    }
}
