//! Edits of a configuration's text that change only what is necessary: comments, order, quoting, and indentation of the
//! rest stay, byte for byte. In a ConfigMap manifest only the block with the configuration changes.
//!
//! Each function returns the new text, or an error with the location of the obstacle:
//!
//! | code | |
//! |---|---|
//! | EDT-001 | the object to change does not exist |
//! | EDT-002 | the value comes from another place in the file through an alias |
//! | EDT-003 | an alias uses the value elsewhere too |
//! | EDT-004 | the notation cannot be changed without rewriting more |
//! | EDT-005 | the new value is invalid |
//!
//! or the reader's error for invalid YAML.
//!
//! Invariants:
//! - an edit knows the format, not its rules: the caller that stores the text reads it first;
//! - the new text is compared with the expected tree, and never returned if it differs.

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

/// The queue to edit.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Selects the entry `NAME.yaml` of a manifest; see [`super::DEFAULT_POLICY_GROUP`].
    pub policy_group: &'a str,
    /// The name of the partition.
    pub partition: &'a str,
    /// The full path of the queue.
    pub queue: &'a QueuePath,
}

/// A resource setting of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// `resources.guaranteed`, what preemption may restore.
    Guaranteed,
    /// `resources.max`, what the queue may use.
    Max,
}

/// An access list of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `adminacl`, which applies to the subtree.
    Admin,
    /// `submitacl`, which applies to the subtree.
    Submit,
}

/// Empty values are not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewQueue {
    /// The name, one part of the path.
    pub name: String,
    /// Whether `parent: true` is written.
    pub parent: bool,
    /// `adminacl` in the notation of the file.
    pub admin_acl: String,
    /// `submitacl` in the notation of the file.
    pub submit_acl: String,
    /// The limit of running applications.
    pub max_applications: Option<u64>,
    /// Keys with their values.
    pub properties: Vec<(String, String)>,
    /// Resource names with quantities as in the file.
    pub guaranteed: Vec<(String, String)>,
    /// Resource names with quantities as in the file.
    pub max: Vec<(String, String)>,
    /// Limits of users and groups.
    pub limits: Vec<NewLimit>,
}

/// Empty values are not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewLimit {
    /// The description (`limit`).
    pub description: String,
    /// User names, or `*` alone.
    pub users: Vec<String>,
    /// Group names, or `*` alone.
    pub groups: Vec<String>,
    /// The limit of running applications per user or per group.
    pub max_applications: Option<u64>,
    /// Resource names with quantities as in the file.
    pub max_resources: Vec<(String, String)>,
}
