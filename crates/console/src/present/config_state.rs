//! The configuration page, open or parked.

use crate::state::State;
use crate::state::config::ConfigPage;
use crate::state::page::Page;

/// The page, open or parked.
pub fn page_of(state: &State) -> Option<&ConfigPage> {
    let on_stack = state.pages.iter().find_map(|page| match page {
        Page::Config(page) => Some(page),
        _ => None,
    });
    on_stack.or(state.parked.config.as_ref()).map(Box::as_ref)
}

/// Whether a wide screen shows the pane.
pub fn is_unfolded(state: &State, page: &ConfigPage) -> bool {
    page.unfolded.unwrap_or_else(|| page.modified || !page.checked.faults.is_empty() || is_behind(state, page))
}

/// Whether the active configuration has changed since.
pub fn is_behind(state: &State, page: &ConfigPage) -> bool {
    match (&page.base, &state.cluster.newest.configuration) {
        _ if state.cluster.past.shown.is_some() => false,
        (Some(base), Some(running)) => base.checksum != running.checksum,
        _ => false,
    }
}
