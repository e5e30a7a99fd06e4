//! The breadcrumbs: the names of the open pages.

use crate::present::board;
use crate::present::page::Present;
use crate::state::State;
use crate::state::page::{Page, each_page};

/// The breadcrumbs, from the widest to the nearest.
pub fn crumbs(state: &State) -> Vec<String> {
    let alone = state.pages.get(1).is_some_and(|page| each_page!(page, page => page.is_standalone()));
    let named = |(at, page): (usize, &Page)| {
        let before = at.checked_sub(1).and_then(|at| state.pages.get(at));
        let title = board::title_of_first(state).filter(|_| at == 0).unwrap_or(page.row().title);
        each_page!(page, content => content.crumbs(title, before))
    };
    let mut crumbs: Vec<String> = state.pages.iter().enumerate().skip(usize::from(alone)).flat_map(named).collect();
    // A rejected application has no queue.
    crumbs.retain(|crumb| !crumb.is_empty());
    crumbs.dedup();
    crumbs
}
