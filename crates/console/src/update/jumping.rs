//! Goes back and forward in the jump history.

use crate::state::command::GoCommand;
use crate::state::saved::Stop;
use crate::state::{Grade, State};
use crate::update::jumps::{is_same, keep, place};
use crate::update::lists;
use crate::update::stack::{home, push};
use crate::update::{config, placement};

/// The previous location, or the one returned from.
pub fn go(state: &mut State, forward: bool) {
    let here = place(state);
    let places = if forward { &mut state.jumps.forward } else { &mut state.jumps.back };
    while places.last().is_some_and(|last| is_same(last, &here)) {
        places.pop();
    }
    let Some(next) = places.pop() else {
        let words = if forward { "no later location" } else { "no earlier location" };
        return state.report(Grade::Refusal, words);
    };
    keep(if forward { &mut state.jumps.back } else { &mut state.jumps.forward }, here);
    state.jumps.moving = true;
    restore(state, next);
    state.jumps.moving = false;
}

fn restore(state: &mut State, place: Vec<Stop>) {
    home(state);
    for (at, stop) in place.into_iter().enumerate() {
        match stop {
            Stop::Page(page) if at == 0 => state.pages[0] = *page,
            Stop::Page(page) => push(state, *page),
            Stop::Retained(GoCommand::Config) => config::open(state),
            Stop::Retained(_) => placement::open(state, None),
        }
    }
    lists::show(state);
}
