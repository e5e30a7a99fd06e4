//! Conditions of a rollback.

use crate::state::State;
use view::act::Act;

/// Whether a rollback is possible.
pub fn can_roll_back(state: &State) -> Result<(), String> {
    let actor = state.cluster.actor()?;
    let act = Act::Rollback { revision: 0, base: None, dry_run: true };
    state.cluster.newest.may(actor, &act).map_err(|refusal| refusal.reason())?;
    match &state.cluster.newest.configuration {
        Some(_) => Ok(()),
        None => Err("the active configuration is not available".to_owned()),
    }
}
