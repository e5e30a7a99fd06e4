//! Whether the past is on the screen.

use crate::state::State;

/// Checks that the past is shown.
///
/// # Errors
/// It is the present.
pub fn is_past(state: &State) -> Result<(), String> {
    match state.cluster.past.shown {
        Some(_) => Ok(()),
        None => Err("this is the present; [ and :back go to the past".to_owned()),
    }
}
