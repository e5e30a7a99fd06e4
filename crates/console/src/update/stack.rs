//! The pages on top of each other: putting one on, taking it off, going back to the queues.

use crate::state::State;
use crate::state::page::{Body, Page, each_page};
use crate::update::jumps;
use crate::update::lists;
use crate::update::page::PageUpdate;

/// Puts a page on top.
pub(super) fn push(state: &mut State, page: Page) {
    jumps::note(state);
    state.pages.push(page);
    state.marks.clear();
    lists::show(state);
}

/// Takes the page on top off; the queues stay.
pub(super) fn pop(state: &mut State) {
    if state.pages.len() > 1 {
        jumps::note(state);
        let left = state.pages.pop();
        if state.pages.len() == 1 || left.as_ref().is_some_and(is_form) {
            park(state, left);
        }
        state.marks.clear();
        lists::show(state);
    }
}

/// Keeps a page for when one returns to it.
fn park(state: &mut State, page: Option<Page>) {
    if let Some(page) = page {
        each_page!(page, page => page.park(state));
    }
}

/// Goes back to the queues.
pub(super) fn home(state: &mut State) {
    jumps::note(state);
    let mut left = state.pages.split_off(1).into_iter();
    park(state, left.next());
    for page in left.filter(is_form) {
        park(state, Some(page));
    }
    state.marks.clear();
    lists::show(state);
}

/// What is written in a form is kept, wherever it stands.
fn is_form(page: &Page) -> bool {
    page.row().body == Body::Form
}
