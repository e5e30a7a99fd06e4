//! Conditions of forms on a queue.

use std::sync::Arc;

use crate::present::subject;
use crate::state::State;
use crate::state::change::{ChangePage, Kind};
use crate::state::editor::CheckResult;
use crate::state::page::Page;
use model::QueuePath;
use view::QueueRow;
use view::act::{Act, ConfigRights, Refusal};
use view::placement::access;

/// The selected queue, if configured.
pub fn target(state: &State) -> Result<&Arc<QueueRow>, String> {
    if !matches!(state.page(), Page::Queues(_) | Page::Details(_) | Page::Change(_)) {
        return Err("only on a queue".to_owned());
    }
    let path = subject::queue(state).ok_or("only on a queue")?;
    let row = state.cluster.part().and_then(|part| part.queue_at(&path)).ok_or("the queue no longer exists")?;
    if row.managed {
        Ok(row)
    } else {
        Err(format!("{path} is dynamic: it is not in the configuration; its settings are from a parent's template"))
    }
}

/// Whether the ACLs allow the form.
///
/// # Errors
/// The missing access.
pub fn may(state: &State, kind: Kind) -> Result<(), String> {
    let row = target(state)?;
    let actor = state.cluster.actor()?;
    let act = Act::Configure { text: String::new(), base: None, dry_run: true };
    if let Some(refusal) = Refusal::read_only(actor, &act) {
        return Err(refusal.reason());
    }
    state.cluster.newest.may(actor, &act).map_err(|refusal| refusal.reason())?;
    if state.cluster.newest.configuration.is_none() {
        return Err("the active configuration is not available".to_owned());
    }
    // A queue requires admin access to its parent, a root the scheduler ACL (ACL-040).
    let touched = match (kind, row.path.parent()) {
        (Kind::Remove, None) => return Err("the root of a partition cannot be removed".to_owned()),
        (Kind::Guaranteed, None) => {
            return Err("the root of a partition has the capacity of its nodes: it cannot have a guarantee".to_owned());
        }
        (Kind::Child, _) if row.leaf && row.app_count > 0 => {
            return Err(format!("{} is a leaf with applications in it", row.path));
        }
        (Kind::Child, _) => Some(row.path.clone()),
        (_, parent) => parent,
    };
    let part = state.cluster.part().ok_or_else(|| state.cluster.why_no_part())?;
    let admin = |touched: &QueuePath| access::admin(part, touched.as_str(), &actor.identity).is_some();
    if actor.scheduler_admin || touched.as_ref().is_some_and(admin) {
        return Ok(());
    }
    let (scheduler_acl, admin) =
        touched.map_or((true, Vec::new()), |touched| (false, vec![(part.name.to_string(), touched)]));
    let shortfall = ConfigRights { scheduler_acl, admin };
    Err(Refusal::no_config_rights(actor, &act, &shortfall).reason())
}

/// Whether the active configuration has changed since the check.
pub fn is_behind(state: &State, page: &ChangePage) -> bool {
    match (&page.drafted.base, &state.cluster.newest.configuration) {
        (Some(base), Some(running)) => base.checksum != running.checksum,
        _ => false,
    }
}

/// Whether the form could be applied.
pub fn can_apply(state: &State, page: &ChangePage) -> Result<(), String> {
    if page.applying.is_some() {
        return Err("it is being applied".to_owned());
    }
    if !page.is_drafted() || is_behind(state, page) {
        return Err("the form is still being checked".to_owned());
    }
    if page.drafted.problem.is_some() {
        return Err("it cannot be applied; see the reason below the form".to_owned());
    }
    if page.drafted.text.is_none() || !page.drafted.checked.differs {
        return Err("no changes".to_owned());
    }
    sound(&page.drafted.checked)
}

/// Whether a text is valid and may be applied.
pub fn sound(checked: &CheckResult) -> Result<(), String> {
    match (checked.errors(), &checked.refused) {
        (0, None) => Ok(()),
        (0, Some(why)) => Err(format!("it would be rejected: {why}")),
        (1, _) => Err("an error prevents it".to_owned()),
        (more, _) => Err(format!("{more} errors prevent it")),
    }
}
