//! Edits of a configuration's text that change what they must and nothing else: comments, order, quoting and indentation
//! of the rest stay, byte for byte. In a ConfigMap manifest only the block with the configuration changes.
//!
//! Each function takes the text and gives the new one, or a fault with the place that is in the way:
//!
//! | code | |
//! |---|---|
//! | EDT-001 | what is to be changed is not there |
//! | EDT-002 | it stands elsewhere in the file, and an alias brings it here |
//! | EDT-003 | it is here, and an alias takes it elsewhere too |
//! | EDT-004 | it is written in a way that cannot be changed without rewriting more of it |
//! | EDT-005 | the new value is not legal |
//!
//! or the reader's own fault when the text is no YAML. What was there already is no fault: the text returns unchanged.
//!
//! Invariants:
//! - an edit knows the format, not its rules: the caller that stores the text reads it first;
//! - the new text is compared with the tree that it should give; a text that gives another tree is not returned.

mod change;
mod draft;
mod flow;
mod limit;
mod lines;
mod locate;
mod patch;
mod queue;
mod refusal;
mod syntax;
#[cfg(test)]
mod tests;
mod value;

pub use self::limit::{add_limit, change_limit, limits, remove_limit};
pub use self::queue::{add_queue, remove_queue, set_acl, set_amount, set_max_applications, set_parent, set_property};
use model::QueuePath;

/// The queue that an edit is about.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// In a manifest the entry `NAME.yaml` is edited; see [`super::DEFAULT_POLICY_GROUP`].
    pub policy_group: &'a str,
    /// The name of the partition.
    pub partition: &'a str,
    /// The full path of the queue.
    pub queue: &'a QueuePath,
}

/// Which amounts of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// `resources.guaranteed`, what preemption may restore.
    Guaranteed,
    /// `resources.max`, what the queue may use.
    Max,
}

/// Which access list of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `adminacl`, also of everything below the queue.
    Admin,
    /// `submitacl`, also of everything below the queue.
    Submit,
}

/// A queue to add. What is empty is not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewQueue {
    /// The name, one part of the path.
    pub name: String,
    /// Whether `parent: true` is written.
    pub parent: bool,
    /// The access list `adminacl`, as written in a file.
    pub admin_acl: String,
    /// The access list `submitacl`, as written in a file.
    pub submit_acl: String,
    /// The most applications that run.
    pub max_applications: Option<u64>,
    /// Keys with their values.
    pub properties: Vec<(String, String)>,
    /// Resource names with quantities, as written in a file.
    pub guaranteed: Vec<(String, String)>,
    /// Resource names with quantities, as written in a file.
    pub max: Vec<(String, String)>,
    /// Limits of users and groups.
    pub limits: Vec<NewLimit>,
}

/// A limit to write. What is empty is not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewLimit {
    /// The description (`limit`), which has no effect.
    pub description: String,
    /// User names, or `*` alone.
    pub users: Vec<String>,
    /// Group names, or `*` alone.
    pub groups: Vec<String>,
    /// The most applications that run, per user or per group.
    pub max_applications: Option<u64>,
    /// Resource names with quantities, as written in a file.
    pub max_resources: Vec<(String, String)>,
}
