//! Gangs: placeholders that hold room for a task group until its real asks take it over (`scheduler.md` section 13).
//!
//! Invariants:
//! - a replacement under way is known on both sides, with the ask that takes over and with the placeholder that gives way; the
//!   ask is neither pending nor allocated then, and the placeholder counts everywhere as before;
//! - on the placeholder's own node nothing more is charged for the ask, on another node its room is charged at once; its queue,
//!   user and group are charged only when the placeholder is gone;
//! - whatever else happens to one of the two (withdrawn, released, killed, its node removed) breaks the tie first: the ask is
//!   pending again;
//! - the timer of a gang runs only while a placeholder is allocated.
//!
//! Where to read: `admit` is what a submission and a move ask, `replace` how asks take over, `timeout` the timer and what follows
//! when placeholders go.

mod admit;
mod replace;
#[cfg(test)]
mod tests;
mod timeout;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index::{AskKey, NodeKey};
use crate::model::Resource;
use crate::scheduler::state::app::{Application, Ask};

/// What an application knows of one of its task groups (SCH-141).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct TaskGroup {
    /// Placeholders asked for.
    pub count: u64,
    /// Placeholders that gave way to a real ask.
    pub replaced: u64,
    /// Placeholders that ended, or never came, without giving way.
    pub timed_out: u64,
    /// The size of the first placeholder asked for.
    pub min_resource: Resource,
    /// The placeholders allocated, in order of allocation.
    pub(in crate::scheduler) placeholders: BTreeMap<u64, AskKey>,
    /// Real asks that are pending.
    pub(in crate::scheduler) waiting: u64,
}

impl TaskGroup {
    /// Whether it may be worth a look: a real ask waits, and a placeholder is there.
    pub(in crate::scheduler) fn may_replace(&self) -> bool {
        self.waiting > 0 && !self.placeholders.is_empty()
    }

    /// One placeholder less will come or give way.
    fn note_timed_out(&mut self) {
        if self.timed_out < self.count {
            self.timed_out += 1;
        }
    }
}

/// What an ask takes over (SCH-144).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Takeover {
    /// The placeholder that gives way.
    pub placeholder: AskKey,
    /// Where the ask goes.
    pub node: NodeKey,
    /// The number of the allocation to come.
    pub number: u64,
    /// The node is not the placeholder's own, and has been charged.
    pub charged: bool,
}

impl Application {
    /// A placeholder was asked for: its task group counts it.
    pub(in crate::scheduler) fn expect(&mut self, ask: &Ask) {
        if let Some(name) = ask.task_group.as_ref().filter(|_| ask.placeholder) {
            let group = self.task_groups.entry(Arc::clone(name)).or_default();
            if group.count == 0 {
                group.min_resource.clone_from(&ask.resource);
            }
            group.count += 1;
        }
    }

    /// A placeholder is asked for anew under the same id: it counts once.
    pub(in crate::scheduler) fn expect_less(&mut self, ask: &Ask) {
        if let Some(group) = self.group_of(ask) {
            group.count = group.count.saturating_sub(1);
        }
    }

    /// The task group of a placeholder.
    fn group_of(&mut self, ask: &Ask) -> Option<&mut TaskGroup> {
        self.task_groups.get_mut(ask.task_group.as_ref().filter(|_| ask.placeholder)?)
    }
}

/// Whether an ask is left to the replacement of placeholders, because there are or will be some of its task group (SCH-082).
pub(in crate::scheduler) fn can_replace(groups: &BTreeMap<Arc<str>, TaskGroup>, ask: &Ask) -> bool {
    let group = ask.replaces_in().and_then(|name| groups.get(name));
    group.is_some_and(|group| group.count > group.replaced + group.timed_out)
}
