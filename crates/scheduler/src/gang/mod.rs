//! Gangs: placeholders reserve resources for a task group until its real requests replace them (`scheduler.md` section
//! 13).
//!
//! Invariants:
//! - a replacement in progress is recorded with both the request and the placeholder. The request is neither pending
//!   nor allocated, and the placeholder counts everywhere;
//! - only a node other than the placeholder's is charged at once. Queue, user, and group are charged when the
//!   placeholder is removed;
//! - any other change of one of the two first breaks the tie: the request is pending again;
//! - the timer of a gang runs only while a placeholder is allocated.

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
    pub(crate) fn expect(&mut self, ask: &Ask) {
        if let Some(name) = ask.rare.task_group.as_ref().filter(|_| ask.placeholder) {
            let group = self.task_groups.entry(Arc::clone(name)).or_default();
            if group.count == 0 {
                group.min_resource.clone_from(&ask.resource);
            }
            group.count += 1;
        }
    }

    /// A repeated id counts once.
    pub(crate) fn expect_less(&mut self, ask: &Ask) {
        if let Some(group) = self.group_of(ask) {
            group.count = group.count.saturating_sub(1);
        }
    }

    fn group_of(&mut self, ask: &Ask) -> Option<&mut TaskGroup> {
        self.task_groups.get_mut(ask.rare.task_group.as_ref().filter(|_| ask.placeholder)?)
    }
}
