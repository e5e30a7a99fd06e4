//! The dashboard around the queue tree of the first page.

use std::sync::Arc;

use crate::state::explain::{ExplainPage, Explained};
use view::overview::WaitingNow;

/// What the page Cluster shows next to the queue tree.
#[derive(Clone, Debug)]
pub struct Board {
    /// The overview, whose first lines need attention, and when it was made. The cursor of its lines is used while `focused`.
    pub overview: ExplainPage,
    /// Who waits, of the view that the overview was made from; `None` until it was made, and where applications are not read yet.
    pub waiting: Option<Arc<WaitingNow>>,
    /// The cursor is in the list of what needs attention, not in the tree.
    pub focused: bool,
}

impl Default for Board {
    fn default() -> Self {
        Self { overview: ExplainPage::new(Explained::Overview(None)), waiting: None, focused: false }
    }
}
