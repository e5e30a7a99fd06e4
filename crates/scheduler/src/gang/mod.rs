//! Gangs: placeholders that hold room for a task group until its real asks take it over (`scheduler.md` section 13).
//!
//! Invariants:
//! - a replacement under way is known on both sides, with the ask that takes over and with the placeholder that gives way; the
//!   ask is neither pending nor allocated then, and the placeholder counts everywhere as before;
//! - on the placeholder's own node nothing more is charged for the ask, on another node its room is charged at once; its queue,
//!   user and group are charged only when the placeholder no longer exists;
//! - any other change of one of the two (withdrawn, released, killed, its node removed) first breaks the tie: the ask is
//!   pending again;
//! - the timer of a gang runs only while a placeholder is allocated.
//!
//! Where to read: `admit` has the checks of a submission and a move, `replace` how asks take over, `timeout` the timer and the
//! consequences of ended placeholders, `left_behind` what stays on nodes without an application.

mod admit;
mod left_behind;
mod replace;
#[cfg(test)]
mod tests;
mod timeout;

use std::sync::Arc;

use crate::state::app::Application;
use crate::state::ask::Ask;
use crate::state::task_group::TaskGroup;

impl Application {
    /// A placeholder was requested: its task group counts it.
    pub(crate) fn expect(&mut self, ask: &Ask) {
        if let Some(name) = ask.rare.task_group.as_ref().filter(|_| ask.placeholder) {
            let group = self.task_groups.entry(Arc::clone(name)).or_default();
            if group.count == 0 {
                group.min_resource.clone_from(&ask.resource);
            }
            group.count += 1;
        }
    }

    /// A placeholder is requested again under the same id: it counts once.
    pub(crate) fn expect_less(&mut self, ask: &Ask) {
        if let Some(group) = self.group_of(ask) {
            group.count = group.count.saturating_sub(1);
        }
    }

    /// The task group of a placeholder.
    fn group_of(&mut self, ask: &Ask) -> Option<&mut TaskGroup> {
        self.task_groups.get_mut(ask.rare.task_group.as_ref().filter(|_| ask.placeholder)?)
    }
}
