//! Limits along the tree in the releases before 1.9.0 (switch `limit_root_name`, N-08): by path, where a queue *named*
//! `root` in the root replaces the root.

use std::collections::HashMap;

use super::limits::LimitAbove;
use crate::raw::RawQueue;
use model::Profile;

const ROOT: &str = "root";

/// For users and groups: the limits of the ancestors by name, from the root down.
pub(super) type Given<'r> = [HashMap<&'r str, Vec<LimitAbove<'r>>>; 2];

#[derive(Default)]
pub(super) struct LimitTables<'r> {
    by_path: HashMap<String, Given<'r>>,
}

impl<'r> LimitTables<'r> {
    /// Only if they can differ from the walk from parent to child.
    pub(super) fn where_needed(root: &RawQueue, profile: Profile) -> Option<Self> {
        let by_name = match profile {
            Profile::V1_5_1 | Profile::V1_8_0 => true,
            Profile::V1_9_0 | Profile::Kornsole => false,
        };
        (by_name && has_root_below(root)).then(Self::default)
    }

    pub(super) fn open(&mut self, queue: &RawQueue, parent: &str) -> (String, Given<'r>) {
        let path = match queue.name.value.as_str() {
            ROOT => ROOT.to_owned(),
            name => format!("{parent}.{name}"),
        };
        // For a `root` directly in the root, its own table is also the parent's.
        self.by_path.insert(path.clone(), Given::default());
        let given = self.by_path.get(parent).cloned().unwrap_or_default();
        (path, given)
    }

    pub(super) fn close(&mut self, path: &str, given: &Given<'r>) {
        self.by_path.insert(path.to_owned(), given.clone());
    }
}

fn has_root_below(queue: &RawQueue) -> bool {
    queue.children.iter().any(|child| child.name.value == ROOT || has_root_below(child))
}
