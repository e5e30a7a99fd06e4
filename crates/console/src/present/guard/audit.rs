//! Whether the object of an entry of the audit exists, and whether the audit can be narrowed.

use crate::present::subject;
use crate::present::subject::entry;
use crate::state::State;
use crate::state::page::{AppPage, NodePage, Page};
use model::{AppId, NodeId};
use view::audit::AuditObject;

/// Whether the audit can be narrowed so.
///
/// # Errors
/// Why not.
pub fn can_narrow(state: &State) -> Result<(), String> {
    let Page::Audit(page) = state.page() else { return Err("only in the audit".to_owned()) };
    let narrowed = page.user.is_some() || page.action.is_some() || page.object.is_some();
    if narrowed || entry(page).is_some() { Ok(()) } else { Err("no row selected".to_owned()) }
}

/// Why an entry leads nowhere.
pub const GONE: &str = "its object no longer exists";

/// What the entry under the cursor is about, if it is there.
pub fn object(state: &State, opened: bool) -> Option<Page> {
    let Page::Audit(page) = state.page() else { return None };
    let entry = entry(page)?;
    let part = state.cluster.part()?;
    match entry.kind() {
        AuditObject::Application => {
            let id = AppId::from(entry.object.as_str());
            subject::is_there(part, &id, opened, state.options.long).then(|| Page::App(AppPage::new(id, None)))
        }
        AuditObject::Node => {
            let id = NodeId::from(entry.object.as_str());
            part.nodes.contains_key(&id).then(|| Page::Node(NodePage::new(id)))
        }
        AuditObject::Configuration | AuditObject::Whole => None,
    }
}

/// Whether what the entry under the cursor is about is there.
///
/// # Errors
/// Why there is nothing to go to.
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
