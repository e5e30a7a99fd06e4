//! Marked applications, and moves to undo.

use std::sync::Arc;

use crate::state::State;
use crate::state::page::Page;
use model::{AppId, QueuePath};
use view::{AppRow, AppSlot};

/// More applications than this require typing a name.
pub const PLAIN: usize = 10;

/// The marked active applications.
pub fn marked(state: &State) -> Vec<Arc<AppRow>> {
    let (Page::Apps(page), Some(part)) = (state.page(), state.cluster.part()) else { return Vec::new() };
    let row = |(id, slot): (&AppId, &AppSlot)| part.app(*slot).filter(|row| row.id == *id && !row.state.is_ended());
    page.marked.iter().filter_map(row).cloned().collect()
}

/// Marks of completed applications count too, so that an operation never uses the selected row instead.
pub fn has_marks(state: &State) -> bool {
    matches!(state.page(), Page::Apps(page) if !page.marked.is_empty())
}

/// The numbers of marked active and completed applications.
pub fn counted(state: &State) -> (usize, usize) {
    let all = if let Page::Apps(page) = state.page() { page.marked.len() } else { 0 };
    let live = marked(state).len();
    (live, all - live)
}

/// Those still in its target, with their origin.
pub fn moved_here(state: &State) -> Vec<(Arc<AppRow>, QueuePath)> {
    let Some(part) = state.cluster.part() else { return Vec::new() };
    let still = |(app, from, to): &(AppId, QueuePath, QueuePath)| {
        let row = part.app_by_id(app).filter(|row| row.queue == *to && !row.state.is_ended())?;
        Some((Arc::clone(row), from.clone()))
    };
    state.orders.moved.iter().filter_map(still).collect()
}

/// Whether a move can be undone.
///
/// # Errors
/// Why not.
pub fn can_move_back(state: &State) -> Result<(), String> {
    match (state.orders.moved.is_empty(), moved_here(state).is_empty()) {
        (true, _) => Err("no moves from this console".to_owned()),
        (false, true) => Err("the last moved application ended, or is in another queue".to_owned()),
        (false, false) => state.cluster.actor().map(|_| ()),
    }
}
