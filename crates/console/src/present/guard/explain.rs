//! Conditions of explanations.

use crate::present::subject;
use crate::state::State;
use crate::state::page::{Page, Subject};

/// Whether the selected object can be explained.
///
/// # Errors
/// Why not.
pub fn can(state: &State) -> Result<(), String> {
    let of = match state.page() {
        Page::Explain(_) => return in_present(state),
        _ => subject::of(state).ok_or("no row selected")?,
    };
    match of {
        Subject::Queue(_) | Subject::Access(_) | Subject::App(_) | Subject::Why(_) => in_present(state),
        Subject::Node(_) | Subject::Event(_) => Ok(()),
        _ => Err("only on an application, a request, a queue, a node, or an event".to_owned()),
    }
}

/// The scheduler explains only the present.
///
/// # Errors
/// The past is shown.
pub fn in_present(state: &State) -> Result<(), String> {
    match state.cluster.past.shown {
        Some(_) => Err("this is the past; explanations need the present".to_owned()),
        None => Ok(()),
    }
}
