//! Records the jump history. Going back and forward is in [`super::jumping`].

use crate::present::page::Present;
use crate::state::State;
use crate::state::command::GoCommand;
use crate::state::page::{Page, each_page};
use crate::state::saved::Stop;

const RETAINED: usize = 50;

/// Records a location once per user action.
pub fn note(state: &mut State) {
    if state.jumps.moving || state.jumps.turn == Some(state.turn) {
        return;
    }
    state.jumps.turn = Some(state.turn);
    state.jumps.forward.clear();
    let place = place(state);
    keep(&mut state.jumps.back, place);
}

/// Adds a location as the nearest one.
pub fn keep(places: &mut Vec<Vec<Stop>>, place: Vec<Stop>) {
    if places.last().is_some_and(|last| is_same(last, &place)) {
        places.pop();
    }
    places.push(place);
    let over = places.len().saturating_sub(RETAINED);
    places.drain(..over);
}

/// Closing a form stores its input, so it is not a location.
pub fn place(state: &State) -> Vec<Stop> {
    state.pages.iter().filter_map(stop).collect()
}

fn stop(page: &Page) -> Option<Stop> {
    match page {
        Page::Config(_) => Some(Stop::Retained(GoCommand::Config)),
        Page::Placement(_) => Some(Stop::Retained(GoCommand::Placement)),
        Page::Change(_) => None,
        page => {
            let mut page = page.clone();
            if let Some(list) = page.list_mut() {
                list.forget_rows();
            }
            Some(Stop::Page(Box::new(page)))
        }
    }
}

/// Whether two locations are equal, ignoring cursors.
pub fn is_same(one: &[Stop], other: &[Stop]) -> bool {
    let name = |stop: &Stop| match stop {
        Stop::Retained(id) => vec![format!("{id:?}")],
        Stop::Page(page) => {
            let title = page.row().title;
            let mut name = each_page!(&**page, content => content.crumbs(title, None));
            name.push(page.name().to_owned());
            name
        }
    };
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| name(one) == name(other))
}
