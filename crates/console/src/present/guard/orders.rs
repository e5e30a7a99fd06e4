//! Conditions and targets of operations.

use std::sync::Arc;

use crate::present::subject;
use crate::state::State;
use crate::state::page::{Page, Subject};
use view::act::{Act, Code, PartitionAct, Refusal};
use view::{AppRow, PartitionView};

/// The application of the command line, or under the cursor.
pub fn target(state: &State) -> Option<Arc<AppRow>> {
    match &state.command_target {
        Some(row) => {
            let part = state.cluster.part()?;
            let live = part.app(row.slot).filter(|now| now.id == row.id && !row.state.is_ended());
            // An active application keeps its slot.
            let ended = || part.ended.iter().rev().find(|ended| ended.id == row.id);
            live.or_else(ended).or_else(|| part.app_by_id(&row.id)).cloned()
        }
        None => match subject::of(state)? {
            Subject::App(row) | Subject::Why(row) => Some(row),
            _ => None,
        },
    }
}

/// The current partition, even if the screen is frozen.
pub fn part(state: &State) -> Option<&PartitionView> {
    let shown = state.cluster.part()?;
    state.cluster.newest.partitions.iter().find(|part| part.name == shown.name)
}

/// An act in the partition on the screen.
pub fn within(state: &State, act: PartitionAct) -> Option<Act> {
    part(state).map(|part| Act::within(&part.name, act))
}

/// The act that kills an application.
pub fn kill_of(app: &AppRow) -> PartitionAct {
    PartitionAct::Kill { app: app.id.clone(), expect_queue: Some(app.queue.clone()) }
}

/// Whether its queue allows kill or move.
///
/// # Errors
/// Why not.
pub fn may(state: &State, verb: &str) -> Result<(), String> {
    if crate::present::guard::bulk::has_marks(state) {
        return state.cluster.actor().map(|_| ());
    }
    let Some(app) = target(state) else {
        let empty = matches!(state.page(), Page::Apps(page) if page.list.rows.is_empty());
        return Err(if empty {
            "no application selected".to_owned()
        } else {
            format!("only an application can be {verb}")
        });
    };
    if let Some(doing) = state.orders.under_way(&app.id) {
        return Err(format!("{}: {doing}", app.id));
    }
    let (Some(part), Some(act)) = (part(state), within(state, kill_of(&app))) else {
        return Err(state.cluster.why_no_part().to_owned());
    };
    let actor = state.cluster.actor()?;
    let words = |refusal: Refusal| match refusal.code {
        Code::AclDenied => format!("{}: {}", app.id, refusal.description),
        Code::ReadOnly => refusal.description,
        _ => refusal.to_string(),
    };
    if let Some(rights) = &actor.cluster {
        let wanted =
            if verb == MOVED { within(state, move_of(&app)).unwrap_or_else(|| act.clone()) } else { act.clone() };
        rights.may(&state.cluster.newest, actor, &wanted).map_err(words)?;
    }
    part.may_administer(actor, &act, &app).map_err(words)
}

/// The verb of a move.
pub const MOVED: &str = "moved";

/// A move without a target, to check whether moves are possible.
fn move_of(app: &AppRow) -> PartitionAct {
    PartitionAct::Move { app: app.id.clone(), to: app.queue.clone(), expect_queue: None, dry_run: true }
}

/// Whether the owners of its pods may be suspended.
///
/// # Errors
/// Why not.
pub fn may_suspend(state: &State) -> Result<(), String> {
    let app = target(state).ok_or("only the owner of an application can be suspended")?;
    let actor = state.cluster.actor()?;
    if actor.cluster.is_none() || state.cluster.newest.kubernetes.is_none() {
        return Err("only pods in Kubernetes have owners that can be suspended".to_owned());
    }
    let (Some(part), Some(act)) = (part(state), within(state, kill_of(&app))) else {
        return Err(state.cluster.why_no_part().to_owned());
    };
    part.may_administer(actor, &act, &app).map_err(|refusal| format!("{}: {}", app.id, refusal.reason()))
}

/// Whether owners can be resumed.
pub fn may_unsuspend(state: &State) -> Result<(), String> {
    match &state.orders.suspended {
        None => Err("no suspended owners from this console".to_owned()),
        Some(_) => state.cluster.actor().map(|_| ()),
    }
}

/// Whether pause or resume is allowed.
pub fn may_rest(state: &State, rest: bool) -> Result<(), String> {
    match (state.cluster.newest.paused, rest) {
        (true, true) => return Err("the scheduler is already paused".to_owned()),
        (false, false) => return Err("the scheduler is not paused".to_owned()),
        _ => {}
    }
    let act = if rest { Act::Pause } else { Act::Resume };
    state.cluster.newest.may(state.cluster.actor()?, &act).map_err(|refusal| refusal.to_string())
}
