//! The stages of a kornsole pod between the cluster and the scheduler.

use std::sync::Arc;

use crate::gang;
use crate::objects::Pod;
use model::{AppId, Resource, Time};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Left(String),
    Orphan,
    /// Waits for the placeholders of its gang (K8S-202).
    Blocked,
    Pending,
    /// Being bound to this node (K8S-210).
    Assumed(String),
    Bound(String),
    /// On this node, but not an allocation.
    Leftover(String),
    /// Requested again at this time, after a failed binding (K8S-214).
    Later(Time),
    Refused(String),
}

impl Stage {
    /// Returns its current or future node.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Assumed(node) | Self::Bound(node) | Self::Leftover(node) => Some(node),
            _ => None,
        }
    }

    /// Returns true if the scheduler has a request for it.
    pub fn is_asked(&self) -> bool {
        matches!(self, Self::Pending | Self::Assumed(_) | Self::Bound(_))
    }

    /// Returns true if the filters must know it.
    pub fn is_seen(&self) -> bool {
        self.is_asked() || matches!(self, Self::Leftover(_))
    }

    /// Returns why it is not requested.
    pub fn why_not_asked(&self) -> Option<&str> {
        match self {
            Self::Left(why) | Self::Refused(why) => Some(why),
            Self::Orphan => Some("it names a node that does not exist"),
            Self::Blocked => Some("its gang is incomplete: it is requested after the placeholders are allocated"),
            Self::Later(_) => Some("binding failed; a retry follows"),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Task {
    pub pod: Arc<Pod>,
    pub app: AppId,
    pub resource: Resource,
    pub stage: Stage,
    pub deleting: bool,
    /// The deletion failed and must be repeated.
    pub delete_again: bool,
    pub victim: Option<String>,
    /// Number of consecutive binding failures.
    pub failures: u32,
    /// Number of binding failures, and until when the node is excluded.
    pub bad_nodes: Vec<(String, u32, Option<Time>)>,
}

impl Task {
    pub fn is_placeholder(&self) -> bool {
        gang::is_placeholder(&self.pod.metadata)
    }
}
