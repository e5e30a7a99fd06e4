//! The page stack: push, pop, home.

use crate::state::State;
use crate::state::page::{Body, Page, each_page};
use crate::update::jumps;
use crate::update::lists;
use crate::update::page::PageUpdate;

pub(super) fn push(state: &mut State, page: Page) {
    jumps::note(state);
    state.pages.push(page);
    state.marks.clear();
    lists::show(state);
}

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

fn park(state: &mut State, page: Option<Page>) {
    if let Some(page) = page {
        each_page!(page, page => page.park(state));
    }
}

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

/// Pages with input that is stored anyway.
fn is_form(page: &Page) -> bool {
    page.row().body == Body::Form
}
