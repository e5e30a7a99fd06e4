//! The pages of the first row, in their order.

use crate::console::state::State;
use crate::console::state::page::Page;
use crate::console::update::config;
use crate::console::update::events;
use crate::console::update::navigate::{apps, nodes, queues, users};
use crate::console::update::placement;

/// The next page of the first row, or the one before.
pub fn step_tab(state: &mut State, step: isize) {
    let here = match state.pages.get(1) {
        Some(Page::Apps(page)) if page.scope.is_none() && !page.draining => 1,
        Some(Page::Nodes(_)) => 2,
        Some(Page::Users(_)) => 3,
        Some(Page::Placement(_)) => 4,
        Some(Page::Config(_)) => 5,
        Some(Page::Events(_)) => 6,
        _ => 0,
    };
    match (here + step).rem_euclid(7) {
        0 => queues(state, None),
        1 => apps(state, None),
        2 => nodes(state),
        3 => users(state),
        4 => placement::open(state, None),
        5 => config::open(state),
        _ => events::open(state, None),
    }
}
