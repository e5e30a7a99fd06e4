//! The pages of the strip.

use crate::present::guard;
use crate::present::strip::{TABS, here};
use crate::state::State;
use crate::state::command::{CommandId, GoCommand};
use crate::update::{audit, config, events, navigate, placement, revisions};

/// Moves to the next available page.
pub fn step_tab(state: &mut State, step: isize) {
    let len = TABS.len();
    let mut at = here(state);
    for _ in 0..len {
        at = (at + len).saturating_add_signed(step) % len;
        if guard::check(state, CommandId::Go(TABS[at].id)).is_ok() {
            return open(state, TABS[at].id);
        }
    }
}

/// Opens a page of the strip by its command.
pub fn open(state: &mut State, id: GoCommand) {
    match id {
        GoCommand::Apps => navigate::apps(state, None),
        GoCommand::Nodes => navigate::nodes(state),
        GoCommand::Users => navigate::users(state),
        GoCommand::Placement => placement::open(state, None),
        GoCommand::Config => config::open(state),
        GoCommand::Events => events::open(state, None),
        GoCommand::History => navigate::history(state, None),
        GoCommand::Health => navigate::health(state),
        GoCommand::Draining => navigate::draining(state),
        GoCommand::Audit => audit::open(state, None),
        GoCommand::Revisions => revisions::open(state),
        _ => navigate::queues(state, None),
    }
}
