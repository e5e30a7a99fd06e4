//! Why a command is off right now, if it is.

use crate::console::model::Model;
use crate::console::model::page::{Fold, Page};
use crate::console::{subject, update};

pub(super) fn has_row(model: &Model) -> Result<(), String> {
    match subject::of(model) {
        Some(_) => Ok(()),
        None => Err("there is no row under the cursor".to_owned()),
    }
}

pub(super) fn can_tell_why(model: &Model) -> Result<(), String> {
    match model.page() {
        Page::Queues(_) | Page::Apps(_) | Page::App(_) => has_row(model),
        _ => Err("only on a queue or an application".to_owned()),
    }
}

pub(super) fn can_open(model: &Model) -> Result<(), String> {
    if matches!(model.page(), Page::Events(_)) {
        return update::events::can_jump(model);
    }
    if matches!(model.page(), Page::Audit(_)) {
        return update::audit::can_jump(model);
    }
    has_row(model)?;
    match model.page() {
        Page::App(page) if subject::node_of_ask(page).is_none() => Err("a pending ask has no node yet".to_owned()),
        _ => Ok(()),
    }
}

pub(super) fn on_list(model: &Model) -> Result<(), String> {
    if matches!(model.page(), Page::Details(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_)) {
        Err("there is no list on this page".to_owned())
    } else {
        Ok(())
    }
}

pub(super) fn on_apps(model: &Model) -> Result<(), String> {
    if matches!(model.page(), Page::Apps(_)) { Ok(()) } else { Err("only in a list of applications".to_owned()) }
}

pub(super) fn on_nodes(model: &Model) -> Result<(), String> {
    if matches!(model.page(), Page::Nodes(_)) { Ok(()) } else { Err("only in the list of nodes".to_owned()) }
}

pub(super) fn no_filter(model: &Model) -> Result<(), String> {
    match model.page() {
        Page::Queues(page) if page.list.filter.is_empty() => Ok(()),
        Page::Queues(_) => Err("while a filter is on, everything that matches is unfolded".to_owned()),
        _ => Err("only in the queue tree".to_owned()),
    }
}

pub(super) fn can_fold(model: &Model) -> Result<(), String> {
    no_filter(model)?;
    match update::queues::line_at_cursor(model) {
        Some(line) if line.fold == Fold::Leaf => Err("no queues below this one".to_owned()),
        _ => Ok(()),
    }
}

pub(super) fn several_partitions(model: &Model) -> Result<(), String> {
    if model.cluster.view.partitions.len() > 1 { Ok(()) } else { Err("there is only one partition".to_owned()) }
}

pub(super) fn some_context(model: &Model) -> Result<(), String> {
    if model.contexts.is_empty() {
        Err("no contexts: `[contexts.NAME]` in your settings names one".to_owned())
    } else {
        Ok(())
    }
}
