//! Pods in the kill question.

use std::sync::Arc;

use crate::present::guard::orders::part;
use crate::state::State;
use crate::state::effect::{Effect, OwnersWork};
use crate::state::orders::FoundOwners;
use model::AppId;
use view::AppRow;
use view::kubernetes::{ListState, ObjectKind};

/// Looks up owners once the pods are loaded.
pub(super) fn look_up(state: &mut State, app: &AppId) {
    state.orders.owners = None;
    state.orders.owners_asked = None;
    ask_for(state, app);
}

pub(super) fn ask_for(state: &mut State, app: &AppId) {
    let Some(part) = part(state).map(|part| Arc::clone(&part.name)) else { return };
    if known(state).is_ok_and(|known| known) {
        state.orders.owners_asked = Some(app.clone());
        state.emit(Effect::Owners(OwnersWork::LookUp(part, app.clone())));
    }
}

/// Whether pods are loaded, if operations go to a cluster.
///
/// # Errors
/// Why not.
pub(super) fn known(state: &State) -> Result<bool, String> {
    match state.cluster.newest.kubernetes.as_ref().map(|all| all.lists.get(ObjectKind::Pods)) {
        None | Some(ListState::Awaited) => Ok(false),
        Some(ListState::Live | ListState::Stale(Some(_), _)) => Ok(true),
        Some(ListState::Refused(why) | ListState::Stale(None, why)) => Err(why.to_string()),
    }
}

pub(super) fn kill_lines(state: &State, app: &AppRow) -> Vec<String> {
    if !state.cluster.actor.as_ref().is_ok_and(|actor| actor.cluster.is_some()) {
        return Vec::new();
    }
    match known(state) {
        Ok(true) => {}
        Ok(false) => return vec!["The pods and the controllers that recreate them are not loaded yet.".to_owned()],
        Err(why) => {
            return vec![format!(
                "Deletes the pods that the scheduler lists; the controllers that recreate them are unknown: {why}."
            )];
        }
    }
    let Some(all) = &state.cluster.newest.kubernetes else { return Vec::new() };
    let found = state.orders.owners.as_ref().filter(|found| found.app == app.id);
    let chains = found.and_then(|found| found.chains.as_deref().ok());
    let mut lines = all.kill_lines(std::iter::once(app), chains);
    let owned = all.doomed(app).iter().any(|pod| pod.owner.is_some());
    match found {
        Some(FoundOwners { chains: Err(why), .. }) => lines.push(format!("Their owners are unknown: {why}.")),
        None if owned => lines.push("Loading their owners.".to_owned()),
        _ => {}
    }
    lines
}
