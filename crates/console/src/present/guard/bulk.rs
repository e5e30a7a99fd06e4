//! Which applications are marked, and which were moved from here and could be moved back.

use std::sync::Arc;

use crate::state::State;
use crate::state::page::Page;
use model::{AppId, QueuePath};
use view::{AppRow, AppSlot};

/// Up to how many applications a plain question is enough; for more a name is to be typed.
pub const PLAIN: usize = 10;

/// The live applications that are marked, by their ids. Empty without marks.
pub fn marked(state: &State) -> Vec<Arc<AppRow>> {
    let (Page::Apps(page), Some(part)) = (state.page(), state.cluster.part()) else { return Vec::new() };
    let row = |(id, slot): (&AppId, &AppSlot)| part.app(*slot).filter(|row| row.id == *id && !row.state.is_ended());
    page.marked.iter().filter_map(row).cloned().collect()
}

/// Whether there are marks, also such on applications that have ended: what is done next is about those marked, never about the one under
/// the cursor.
pub fn has_marks(state: &State) -> bool {
    matches!(state.page(), Page::Apps(page) if !page.marked.is_empty())
}

/// How many of the marked applications are live, and how many have ended.
pub fn counted(state: &State) -> (usize, usize) {
    let all = if let Page::Apps(page) = state.page() { page.marked.len() } else { 0 };
    let live = marked(state).len();
    (live, all - live)
}

/// The applications of the last move that are still where it brought them, each with where it was.
pub fn moved_here(state: &State) -> Vec<(Arc<AppRow>, QueuePath)> {
    let Some(part) = state.cluster.part() else { return Vec::new() };
    let still = |(app, from, to): &(AppId, QueuePath, QueuePath)| {
        let row = part.app_by_id(app).filter(|row| row.queue == *to && !row.state.is_ended())?;
        Some((Arc::clone(row), from.clone()))
    };
    state.orders.moved.iter().filter_map(still).collect()
}

/// Whether there is a move to undo.
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
