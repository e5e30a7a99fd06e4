//! The pages of the strip, in their order.

use crate::console::present::guard;
use crate::console::present::strip::{TABS, here};
use crate::console::state::State;
use crate::console::state::command::CommandId;
use crate::console::update::{audit, config, events, navigate, placement, revisions};

/// The next page of the strip, or the one before; those that are off are left out.
pub fn step_tab(state: &mut State, step: isize) {
    let len = TABS.len();
    let mut at = here(state);
    for _ in 0..len {
        at = (at + len).saturating_add_signed(step) % len;
        if guard::check(state, TABS[at].id).is_ok() {
            return open(state, TABS[at].id);
        }
    }
}

/// Opens a page of the strip by its command.
pub fn open(state: &mut State, id: CommandId) {
    match id {
        CommandId::Apps => navigate::apps(state, None),
        CommandId::Nodes => navigate::nodes(state),
        CommandId::Users => navigate::users(state),
        CommandId::Placement => placement::open(state, None),
        CommandId::Config => config::open(state),
        CommandId::Events => events::open(state, None),
        CommandId::History => navigate::history(state, None),
        CommandId::Health => navigate::health(state),
        CommandId::Draining => navigate::draining(state),
        CommandId::Audit => audit::open(state, None),
        CommandId::Revisions => revisions::open(state),
        _ => navigate::queues(state, None),
    }
}
