//! How the releases before 1.9.0 compare limits down the tree (switch `limit_root_name`, N-08): a table of limits for each path, in
//! which a queue *named* `root` below the root takes the root's place.

use std::collections::HashMap;

use super::limits::LimitAbove;
use crate::raw::RawQueue;
use model::Profile;

/// The name that is taken for the root's.
const ROOT: &str = "root";

/// For users and for groups: the limits on the way that name each, from the root down.
pub(super) type Given<'r> = [HashMap<&'r str, Vec<LimitAbove<'r>>>; 2];

/// The limits that hold at each path, as far as the check has come.
#[derive(Default)]
pub(super) struct LimitTables<'r> {
    by_path: HashMap<String, Given<'r>>,
}

impl<'r> LimitTables<'r> {
    /// The tables, where they decide otherwise than the way from parent to child does.
    pub(super) fn where_needed(root: &RawQueue, profile: Profile) -> Option<Self> {
        let by_name = match profile {
            Profile::V1_5_1 | Profile::V1_8_0 => true,
            Profile::V1_9_0 | Profile::Kornsole => false,
        };
        (by_name && has_root_below(root)).then(Self::default)
    }

    /// The path that a queue below `parent` has here, and the limits that it is compared with.
    pub(super) fn open(&mut self, queue: &RawQueue, parent: &str) -> (String, Given<'r>) {
        let path = match queue.name.value.as_str() {
            ROOT => ROOT.to_owned(),
            name => format!("{parent}.{name}"),
        };
        // Its own table is emptied first, which is the parent's at the same time for a `root` right below the root.
        self.by_path.insert(path.clone(), Given::default());
        let given = self.by_path.get(parent).cloned().unwrap_or_default();
        (path, given)
    }

    /// What holds below a queue.
    pub(super) fn close(&mut self, path: &str, given: &Given<'r>) {
        self.by_path.insert(path.to_owned(), given.clone());
    }
}

fn has_root_below(queue: &RawQueue) -> bool {
    queue.children.iter().any(|child| child.name.value == ROOT || has_root_below(child))
}
