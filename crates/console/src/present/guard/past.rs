//! Whether the past is on the screen.

use crate::state::State;

/// Whether the past is shown.
pub fn is_past(state: &State) -> Result<(), String> {
    match state.cluster.past.shown {
        Some(_) => Ok(()),
        None => Err("this is the present; [ and :back go to the past".to_owned()),
    }
}
