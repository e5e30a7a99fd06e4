//! The comparison of limits along the tree in the releases before 1.9.0 (switch `limit_root_name`, N-08): a table of
//! limits for each path, in which a queue *named* `root` in the root replaces the root.

use std::collections::HashMap;

use super::limits::LimitAbove;
use crate::raw::RawQueue;
use model::Profile;

const ROOT: &str = "root";

/// For users and for groups: the limits of the ancestors for each name, from the root down.
pub(super) type Given<'r> = [HashMap<&'r str, Vec<LimitAbove<'r>>>; 2];

/// The limits by path.
#[derive(Default)]
pub(super) struct LimitTables<'r> {
    by_path: HashMap<String, Given<'r>>,
}

impl<'r> LimitTables<'r> {
    /// The tables, if they can give another result than the walk from parent to child.
    pub(super) fn where_needed(root: &RawQueue, profile: Profile) -> Option<Self> {
        let by_name = match profile {
            Profile::V1_5_1 | Profile::V1_8_0 => true,
            Profile::V1_9_0 | Profile::Kornsole => false,
        };
        (by_name && has_root_below(root)).then(Self::default)
    }

    /// The path of a queue in `parent`, and the limits that it is compared with.
    pub(super) fn open(&mut self, queue: &RawQueue, parent: &str) -> (String, Given<'r>) {
        let path = match queue.name.value.as_str() {
            ROOT => ROOT.to_owned(),
            name => format!("{parent}.{name}"),
        };
        // Its own table is emptied first; for a `root` directly in the root that is also the parent's table.
        self.by_path.insert(path.clone(), Given::default());
        let given = self.by_path.get(parent).cloned().unwrap_or_default();
        (path, given)
    }

    /// Stores the limits for the children of a queue.
    pub(super) fn close(&mut self, path: &str, given: &Given<'r>) {
        self.by_path.insert(path.to_owned(), given.clone());
    }
}

fn has_root_below(queue: &RawQueue) -> bool {
    queue.children.iter().any(|child| child.name.value == ROOT || has_root_below(child))
}
