//! Conditions of configuration commands.

use crate::present::config::{is_behind, page_of};
use crate::state::State;
use crate::state::page::Page;
use view::act::Act;

/// Whether the configuration is on the screen.
pub fn on_page(state: &State) -> Result<(), String> {
    if matches!(state.page(), Page::Config(_)) { Ok(()) } else { Err("only on the configuration".to_owned()) }
}

/// Whether its text can be edited.
pub fn can_edit(state: &State) -> Result<(), String> {
    on_page(state)?;
    state.cluster.past.why_off().map_or(Ok(()), Err)?;
    match page_of(state) {
        Some(page) if page.base.is_some() => Ok(()),
        _ => Err("the active configuration is not available".to_owned()),
    }
}

/// Whether an error exists.
pub fn has_faults(state: &State) -> Result<(), String> {
    on_page(state)?;
    match page_of(state) {
        Some(page) if !page.checked.faults.is_empty() || !page.find.is_empty() => Ok(()),
        _ => Err("no errors".to_owned()),
    }
}

/// Whether an edit exists.
pub fn can_revert(state: &State) -> Result<(), String> {
    can_edit(state)?;
    if page_of(state).is_some_and(|page| page.modified) { Ok(()) } else { Err("no changes".to_owned()) }
}

/// Whether a previous version exists.
pub fn can_restore(state: &State) -> Result<(), String> {
    can_edit(state)?;
    match page_of(state).and_then(|page| page.before.as_ref()) {
        Some(_) => Ok(()),
        None => Err("no configuration was applied from here yet".to_owned()),
    }
}

/// Whether the active configuration has changed since.
pub fn can_merge(state: &State) -> Result<(), String> {
    can_edit(state)?;
    match page_of(state) {
        Some(page) if is_behind(state, page) => Ok(()),
        _ => Err("no changes by others".to_owned()),
    }
}

/// Whether the text could be applied.
pub fn can_apply(state: &State) -> Result<(), String> {
    state.cluster.past.why_off().map_or(Ok(()), Err)?;
    let page = match state.page() {
        Page::Config(page) => page,
        Page::Change(page) => return crate::present::guard::change::can_apply(state, page),
        _ => return Err("only on the configuration, or in a form on a queue".to_owned()),
    };
    if page.base.is_none() {
        return Err("the active configuration is not available".to_owned());
    }
    if let Ok(actor) = state.cluster.actor() {
        let act = Act::Configure { text: String::new(), base: None, dry_run: true };
        state.cluster.newest.may(actor, &act).map_err(|refusal| refusal.reason())?;
    }
    if page.applying.is_some() {
        return Err("it is being applied".to_owned());
    }
    if !page.modified {
        return Err("no changes".to_owned());
    }
    if !page.is_checked() {
        return Err("the text is still being checked".to_owned());
    }
    if is_behind(state, page) && page.checked.errors() == 0 {
        return Err("another configuration is active; use :merge to combine both, or :rebase to keep yours".to_owned());
    }
    crate::present::guard::change::sound(&page.checked).map_err(|why| match page.checked.errors() {
        0 => why,
        _ => format!("{why}; n goes there"),
    })
}
