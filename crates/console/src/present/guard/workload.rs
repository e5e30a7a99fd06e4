//! Conditions of resource manager commands.

use std::sync::Arc;

use crate::present::guard::orders::{part, target, within};
use crate::present::subject;
use crate::state::State;
use crate::state::page::{Page, Subject};
use model::{AppId, AskId, NodeId};
use view::act::PartitionAct;
use view::{AppRow, NodeRow};

/// The error is the text of a disabled command.
pub fn allowed(state: &State, act: PartitionAct) -> Result<(), String> {
    let act = within(state, act).ok_or_else(|| state.cluster.why_no_part())?;
    let actor = state.cluster.actor()?;
    state.cluster.newest.may(actor, &act).map_err(|refusal| refusal.reason())
}

/// Whether submissions are possible here.
///
/// # Errors
/// Why not.
pub fn may_submit(state: &State) -> Result<(), String> {
    part(state).ok_or_else(|| state.cluster.why_no_part())?;
    match &state.cluster.actor()?.read_only {
        Some(why) => Err(format!("read-only: {why}")),
        None => Ok(()),
    }
}

/// Whether requests may be added.
///
/// # Errors
/// Why not.
pub fn may_ask(state: &State) -> Result<(), String> {
    let app = target(state).ok_or("only an application has requests")?;
    alive(&app)?;
    allowed(state, PartitionAct::Ask { app: app.id.clone(), asks: Vec::new() })
}

/// Fails for ended applications.
pub fn alive(app: &AppRow) -> Result<(), String> {
    if app.state.is_ended() { Err(format!("{} is already {}", app.id, app.state)) } else { Ok(()) }
}

/// Whether release or cancel is allowed.
pub fn may_release(state: &State) -> Result<(), String> {
    let (app, ask) = ask_under(state).ok_or("only a request can be released: on the page of an application or node")?;
    allowed(state, PartitionAct::Release { app, ask })
}

/// The selected request with its application.
pub fn ask_under(state: &State) -> Option<(AppId, AskId)> {
    match state.page() {
        Page::App(page) => Some((page.id.clone(), subject::ask(page)?.id.clone())),
        Page::Node(page) => subject::app_of_allocation(page),
        _ => None,
    }
}

/// Whether removal is allowed.
pub fn may_remove(state: &State) -> Result<(), String> {
    let app = target(state).ok_or("only an application can be removed")?;
    alive(&app)?;
    allowed(state, PartitionAct::Remove { app: app.id.clone() })
}

/// Whether drain or resume is allowed.
pub fn may_drain(state: &State, drain: bool) -> Result<(), String> {
    let node = node_under(state).ok_or("only a node can be drained and resumed")?;
    // A node that is not ready can only be cordoned.
    let drained = !node.schedulable || node.closed.as_ref().is_some_and(|why| why.contains("cordoned"));
    match (!drained, drain) {
        (false, true) => return Err(format!("{} is already drained", node.id)),
        (true, false) => return Err(format!("{} is not drained", node.id)),
        _ => {}
    }
    allowed(state, drain_act(&node.id, drain))
}

/// The node under the cursor or of the page.
pub fn node_under(state: &State) -> Option<Arc<NodeRow>> {
    let Some(Subject::Node(id)) = subject::of(state) else { return None };
    part(state)?.nodes.get(&id).cloned()
}

/// Drains or resumes a node.
pub fn drain_act(node: &NodeId, drain: bool) -> PartitionAct {
    if drain { PartitionAct::DrainNode(node.clone()) } else { PartitionAct::ResumeNode(node.clone()) }
}

/// Whether cleanup is allowed.
pub fn may_clean(state: &State) -> Result<(), String> {
    allowed(state, clean_act(false))
}

/// A cleanup or its dry run.
pub const fn clean_act(dry_run: bool) -> PartitionAct {
    PartitionAct::Clean { queues: true, applications: true, dry_run }
}
