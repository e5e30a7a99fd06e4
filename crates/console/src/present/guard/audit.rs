//! Conditions of audit commands.

use crate::present::subject;
use crate::present::subject::entry;
use crate::state::State;
use crate::state::page::{AppPage, NodePage, Page};
use model::{AppId, NodeId};
use view::audit::AuditObject;

/// Whether the audit can be filtered.
///
/// # Errors
/// Why not.
pub fn can_narrow(state: &State) -> Result<(), String> {
    let Page::Audit(page) = state.page() else { return Err("only in the audit".to_owned()) };
    let narrowed = page.user.is_some() || page.action.is_some() || page.object.is_some();
    if narrowed || entry(page).is_some() { Ok(()) } else { Err("no row selected".to_owned()) }
}

/// Why an entry has no target.
pub const GONE: &str = "its object no longer exists";

/// The page of the selected entry's object.
pub fn object(state: &State, opened: bool) -> Option<Page> {
    let Page::Audit(page) = state.page() else { return None };
    let entry = entry(page)?;
    let part = state.cluster.part()?;
    match entry.kind() {
        AuditObject::Application => {
            let id = AppId::from(entry.object.as_str());
            subject::is_listed(part, &id, opened, state.options.long).then(|| Page::App(AppPage::new(id, None)))
        }
        AuditObject::Node => {
            let id = NodeId::from(entry.object.as_str());
            part.nodes.contains_key(&id).then(|| Page::Node(NodePage::new(id)))
        }
        AuditObject::Configuration | AuditObject::Whole => None,
    }
}

/// Whether the entry's object exists.
///
/// # Errors
/// Why not.
pub fn can_jump(state: &State) -> Result<(), String> {
    let Page::Audit(page) = state.page() else { return Ok(()) };
    match entry(page).map(|entry| entry.kind()) {
        None => Err("no row selected".to_owned()),
        Some(AuditObject::Configuration) => Ok(()),
        Some(AuditObject::Whole) => Err("it applies to the whole scheduler".to_owned()),
        Some(_) if object(state, false).is_some() => Ok(()),
        Some(_) => Err(GONE.to_owned()),
    }
}
