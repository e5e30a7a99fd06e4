//! Conditions of what-if commands.

use crate::present::guard::config;
use crate::state::State;
use crate::state::layer::{Confirm, Layer, Question};
use crate::state::page::Page;
use source::TrialStatus;

/// Fails outside a what-if.
pub fn in_one(state: &State) -> Result<&TrialStatus, String> {
    state.cluster.trial.as_ref().ok_or_else(|| "only in a what-if; :whatif opens one".to_owned())
}

/// Whether a what-if can be opened.
///
/// # Errors
/// Why not.
pub fn can_open(state: &State) -> Result<(), String> {
    if state.cluster.trial.is_some() {
        return Err("this is already a what-if".to_owned());
    }
    if state.cluster.past.shown.is_some() {
        return Err("a what-if starts from the present; :live returns to it".to_owned());
    }
    if !state.orders.open.is_empty() {
        return Err("an operation is in progress; wait for its result".to_owned());
    }
    Ok(())
}

/// Whether the question or the configuration can be tested.
///
/// # Errors
/// Why not.
pub fn can_try_this(state: &State) -> Result<(), String> {
    can_open(state)?;
    match state.layers.last() {
        Some(Layer::Confirm(Confirm { what: Question::Order(_) | Question::Orders(_) | Question::Apply, .. })) => {
            Ok(())
        }
        Some(_) => Err("nothing to try here".to_owned()),
        None => config::can_apply(state),
    }
}

/// Whether changes exist.
pub fn has_changes(state: &State) -> Result<(), String> {
    let trial = in_one(state)?;
    match (trial.changes.is_empty(), trial.busy) {
        (true, _) => Err("no changes here yet".to_owned()),
        (_, true) => Err("the what-if is running".to_owned()),
        _ => Ok(()),
    }
}

/// Whether a change can be added.
///
/// # Errors
/// Why not.
pub fn can_suppose(state: &State) -> Result<(), String> {
    match in_one(state)?.busy {
        true => Err("the what-if is running".to_owned()),
        false => Ok(()),
    }
}

/// `apply` means the what-if, except in the configuration editor.
pub fn applies(state: &State) -> bool {
    state.cluster.trial.is_some() && !matches!(state.page(), Page::Config(_) | Page::Change(_))
}
