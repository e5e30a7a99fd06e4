//! The task groups of an application, and its placeholders that give way.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::AskKey;
use crate::state::ask::Ask;
use model::Resource;

/// What an application knows of one of its task groups (SCH-141).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct TaskGroup {
    /// The number of requested placeholders.
    pub count: u64,
    /// Placeholders that gave way to a real ask.
    pub replaced: u64,
    /// Placeholders that ended, or never came, without giving way.
    pub timed_out: u64,
    /// The size of the first placeholder requested.
    pub min_resource: Resource,
    /// The placeholders allocated, in order of allocation.
    pub(crate) placeholders: BTreeMap<u64, AskKey>,
    /// Real asks that are pending.
    pub(crate) waiting: u64,
}

impl TaskGroup {
    /// Whether it may be worth a look: a real ask waits, and a placeholder is there.
    pub(crate) fn may_replace(&self) -> bool {
        self.waiting > 0 && !self.placeholders.is_empty()
    }

    /// One placeholder less will come or give way.
    pub(crate) fn note_timed_out(&mut self) {
        if self.timed_out < self.count {
            self.timed_out += 1;
        }
    }
}

/// Whether an ask is left to the replacement of placeholders, because there are or will be some of its task group (SCH-082).
pub(crate) fn can_replace(groups: &BTreeMap<Arc<str>, TaskGroup>, ask: &Ask) -> bool {
    let group = ask.replaces_in().and_then(|name| groups.get(name));
    group.is_some_and(|group| group.count > group.replaced + group.timed_out)
}
