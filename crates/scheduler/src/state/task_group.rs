//! The task groups of an application and their placeholders.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::AskKey;
use crate::state::ask::Ask;
use model::Resource;

/// A task group of an application (SCH-141).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct TaskGroup {
    /// The number of requested placeholders.
    pub count: u64,
    /// Placeholders that were replaced by a real request.
    pub replaced: u64,
    /// Placeholders that ended, or were never allocated, without a replacement.
    pub timed_out: u64,
    /// The size of the first requested placeholder.
    pub min_resource: Resource,
    pub(crate) placeholders: BTreeMap<u64, AskKey>,
    pub(crate) waiting: u64,
}

impl TaskGroup {
    pub(crate) fn may_replace(&self) -> bool {
        self.waiting > 0 && !self.placeholders.is_empty()
    }

    pub(crate) fn note_timed_out(&mut self) {
        if self.timed_out < self.count {
            self.timed_out += 1;
        }
    }
}

/// For placeholders of its task group, present or future (SCH-082).
pub(crate) fn can_replace(groups: &BTreeMap<Arc<str>, TaskGroup>, ask: &Ask) -> bool {
    let group = ask.replaces_in().and_then(|name| groups.get(name));
    group.is_some_and(|group| group.count > group.replaced + group.timed_out)
}
