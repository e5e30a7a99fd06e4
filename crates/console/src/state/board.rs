//! The dashboard of the first page.

use std::sync::Arc;

use crate::state::explain::{ExplainPage, Explained};
use view::overview::WaitingNow;

/// The panels next to the queue tree.
#[derive(Clone, Debug)]
pub struct Board {
    /// Its cursor is used while `focused`.
    pub overview: ExplainPage,
    /// Pending applications in the overview's view; `None` until loaded.
    pub waiting: Option<Arc<WaitingNow>>,
    /// The cursor is in the overview.
    pub focused: bool,
}

impl Default for Board {
    fn default() -> Self {
        Self { overview: ExplainPage::new(Explained::Overview(None)), waiting: None, focused: false }
    }
}
