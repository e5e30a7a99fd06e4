//! The queue tree as placement sees it.

use std::sync::Arc;

use ::model::{self, Acl, QueuePath};
use config::TemplateConfig;

/// A tree of queues, as placement and access checks see it.
pub trait QueueTree {
    /// The queue at this path, which is in lower case but may be anything else: empty parts, no root at its front.
    fn queue(&self, path: &str) -> Option<QueueFacts<'_>>;
}

/// One queue of the tree.
#[derive(Clone, Copy, Debug)]
pub struct QueueFacts<'a> {
    /// The full path.
    pub path: &'a QueuePath,
    /// What kind of queue it is.
    pub state: QueueState,
    /// Its own submit access list; names no one for dynamic queues (ACL-025).
    pub submit_acl: &'a Acl,
    /// Its own admin access list; names no one for dynamic queues (ACL-025).
    pub admin_acl: &'a Acl,
    /// What a dynamic leaf right below it takes, with the queue that it is written on (SCH-186). Placement does not look at it.
    pub template: Option<&'a (QueuePath, Arc<TemplateConfig>)>,
}

/// The kind of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct QueueState {
    /// Takes applications; otherwise it is a parent.
    pub leaf: bool,
    /// From the configuration; otherwise made by placement.
    pub managed: bool,
    /// Drains itself; its ancestors do not count.
    pub draining: bool,
}

impl QueueState {
    /// The kind of a queue of the scheduler, and of its row in a view. Only a queue that drains is closed to placement (PLC-062).
    pub fn of(leaf: bool, managed: bool, state: model::QueueState) -> Self {
        Self { leaf, managed, draining: state == model::QueueState::Draining }
    }
}

/// `path` and the paths above it, from below.
pub fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(parent, _)| parent))
}
