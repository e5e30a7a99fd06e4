//! The subject that the source fetches first.

use crate::present::page::Present;
use crate::state::State;
use crate::state::page::{Page, each_page};
use source::Focus;

/// The subject on the screen.
pub fn of(state: &State) -> Focus {
    let partition = state.cluster.part().map(|part| part.name.clone()).unwrap_or_default();
    Focus { partition, kind: each_page!(state.page(), page => page.focus(state)) }
}
