//! The configuration page.

mod apply;
mod page;
mod walk;
mod write;

pub use apply::{apply, ask_apply, order, ordered, question, replaced};
pub use page::{
    checked, due, edit_outside, edited, follow, forecast, history, merge, next_due, open, open_at_line, open_at_place,
    page_mut, preview_quotas, rebase, restore, revert, side_pane,
};
pub use walk::{find, fold_all, go, next, select_at, to_fault, toggle_fold};
pub use write::{choose, complete, end, key, paste, write};
