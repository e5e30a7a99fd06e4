//! The queue tree as an interface of placement.

use std::sync::Arc;

use ::model::{self, Acl, QueuePath};
use config::TemplateConfig;

/// A tree of queues for placement and access checks.
pub trait QueueTree {
    /// The queue at this path. The path is in lower case but may be invalid: empty parts, no root.
    fn queue(&self, path: &str) -> Option<QueueFacts<'_>>;
}

/// One queue of the tree.
#[derive(Clone, Copy, Debug)]
pub struct QueueFacts<'a> {
    /// The full path.
    pub path: &'a QueuePath,
    /// The kind of the queue.
    pub state: QueueState,
    /// Its own submit ACL; empty for dynamic queues (ACL-025).
    pub submit_acl: &'a Acl,
    /// Its own admin ACL; empty for dynamic queues (ACL-025).
    pub admin_acl: &'a Acl,
    /// For a dynamic leaf in it, with the defining queue (SCH-186). Placement does not use it.
    pub template: Option<&'a (QueuePath, Arc<TemplateConfig>)>,
}

/// The kind of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct QueueState {
    /// Whether it is a leaf, which accepts applications.
    pub leaf: bool,
    /// Whether it is configured; otherwise placement created it.
    pub managed: bool,
    /// Whether the queue itself drains, regardless of its ancestors.
    pub draining: bool,
}

impl QueueState {
    /// The kind of a queue; only draining closes a queue to placement (PLC-062).
    pub fn of(leaf: bool, managed: bool, state: model::QueueState) -> Self {
        Self { leaf, managed, draining: state == model::QueueState::Draining }
    }
}

/// `path` and its parents, from the bottom up.
pub fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(parent, _)| parent))
}
