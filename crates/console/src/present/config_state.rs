//! The page of the configuration, wherever it is: whether it is behind, and whether its pane is shown.

use crate::state::State;
use crate::state::config::ConfigPage;
use crate::state::page::Page;

/// The page, on the screen or left.
pub fn page_of(state: &State) -> Option<&ConfigPage> {
    let on_stack = state.pages.iter().find_map(|page| match page {
        Page::Config(page) => Some(page),
        _ => None,
    });
    on_stack.or(state.parked.config.as_ref()).map(Box::as_ref)
}

/// Whether the pane next to the text is shown on a screen that is wide enough: its own text has the whole width otherwise.
pub fn is_unfolded(state: &State, page: &ConfigPage) -> bool {
    page.unfolded.unwrap_or_else(|| page.modified || !page.checked.faults.is_empty() || is_behind(state, page))
}

/// Whether another configuration is active by now than the one that was edited.
pub fn is_behind(state: &State, page: &ConfigPage) -> bool {
    match (&page.base, &state.cluster.newest.configuration) {
        _ if state.cluster.past.shown.is_some() => false,
        (Some(base), Some(running)) => base.checksum != running.checksum,
        _ => false,
    }
}
