//! The subject on the screen, so that the source fetches this first.

use crate::present::page::Present;
use crate::state::State;
use crate::state::page::{Page, each_page};
use source::Focus;

/// What is on the screen.
pub fn of(state: &State) -> Focus {
    let partition = state.cluster.part().map(|part| part.name.clone()).unwrap_or_default();
    Focus { partition, kind: each_page!(state.page(), page => page.focus(state)) }
}
