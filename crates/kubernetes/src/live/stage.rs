//! Where a pod of kornsole is between the cluster and the scheduler.

use std::sync::Arc;

use crate::gang;
use crate::objects::Pod;
use model::{AppId, Resource, Time};

/// Where a pod of kornsole stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing is requested, and why.
    Left(String),
    /// It names a node that is not there.
    Orphan,
    /// It is requested once the placeholders of its gang stand (K8S-202).
    Held,
    /// It is requested, and has no node.
    Pending,
    /// The scheduler has decided for this node; it is being bound (K8S-210).
    Assumed(String),
    /// It is on this node, as an allocation.
    Bound(String),
    /// It is on this node, and is no allocation any more, or could not become one.
    Leftover(String),
    /// It could not be bound, and is requested again at this time (K8S-214).
    Later(Time),
    /// The scheduler refuses it, and why.
    Refused(String),
}

impl Stage {
    /// The node that it is on, or is to go to.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Assumed(node) | Self::Bound(node) | Self::Leftover(node) => Some(node),
            _ => None,
        }
    }

    /// Whether the scheduler has an ask of it.
    pub fn is_asked(&self) -> bool {
        matches!(self, Self::Pending | Self::Assumed(_) | Self::Bound(_))
    }

    /// Whether the filters have to know it.
    pub fn is_seen(&self) -> bool {
        self.is_asked() || matches!(self, Self::Leftover(_))
    }

    /// Why nothing is requested, if so.
    pub fn why_not_asked(&self) -> Option<&str> {
        match self {
            Self::Left(why) | Self::Refused(why) => Some(why),
            Self::Orphan => Some("it names a node that does not exist"),
            Self::Held => Some("its gang is incomplete: it is requested after the placeholders are allocated"),
            Self::Later(_) => Some("binding failed; a retry follows"),
            _ => None,
        }
    }
}

/// A pod of kornsole.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub pod: Arc<Pod>,
    pub app: AppId,
    /// What the scheduler was requested.
    pub resource: Resource,
    pub stage: Stage,
    /// Its deletion was requested by us.
    pub deleting: bool,
    /// That failed, and is to be done again.
    pub delete_again: bool,
    /// Why it is to make room, once that is known.
    pub victim: Option<String>,
    /// How often in a row it could not be bound.
    pub failures: u32,
    /// How often it could not be bound to a node, and until when a node is omitted.
    pub bad_nodes: Vec<(String, u32, Option<Time>)>,
}

impl Task {
    pub fn is_placeholder(&self) -> bool {
        gang::is_placeholder(&self.pod.metadata)
    }
}
