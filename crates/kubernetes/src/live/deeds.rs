//! Operations in the cluster, and their results.

use crate::objects::{Meta, Pod};
use model::AskId;

/// A pod by name and UID.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodName {
    /// The namespace that it is in.
    pub namespace: String,
    /// Its name there.
    pub name: String,
    /// UID, the request ID.
    pub uid: String,
}

impl PodName {
    pub(crate) fn of(meta: &Meta) -> Self {
        let Meta { namespace, name, uid, .. } = meta;
        Self { namespace: namespace.clone(), name: name.clone(), uid: uid.clone() }
    }

    /// Returns the request of the pod.
    pub fn ask(&self) -> AskId {
        AskId::from(self.uid.as_str())
    }
}

/// The type of a Kubernetes Event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Nothing has to be done about it.
    Normal,
    /// Something is wrong.
    Warning,
}

/// A Kubernetes Event about a pod (K8S-230).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Report {
    /// The pod that it is about.
    pub pod: PodName,
    /// Whether something is wrong.
    pub weight: Weight,
    /// One word, by which tools know it.
    pub reason: &'static str,
    /// One word for what was done.
    pub action: &'static str,
    /// Message for the user.
    pub message: String,
}

/// An operation in the cluster.
#[derive(Clone, Debug)]
pub enum Deed {
    /// Bind a pod to a node.
    Bind {
        /// The unbound pod.
        pod: PodName,
        /// The node that it is to run on.
        node: String,
    },
    /// Delete a pod, with its own grace period.
    Delete {
        /// The pod, identified by UID.
        pod: PodName,
    },
    /// Create a placeholder pod.
    Create(Box<Placeholder>),
    /// Set the phase of a pod to Failed.
    Fail {
        /// The unbound pod.
        pod: PodName,
        /// One word for why.
        reason: &'static str,
        /// Message for the user.
        message: String,
    },
    /// Write an Event.
    Report(Report),
}

/// A placeholder pod to be created.
#[derive(Clone, Debug)]
pub struct Placeholder {
    pub(crate) pod: Pod,
    /// Its owner: the originator of the application.
    pub owner: PodName,
    /// The application whose gang it is of.
    pub app: String,
    /// The task group, verbatim.
    pub group: serde_json::Value,
    /// Image pull secrets of its owner.
    pub pull_secrets: Vec<String>,
}

/// Why an operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Replaced, being deleted, or bound: the watch reports the new state (K8S-214).
    Overtaken(String),
    /// It does not exist.
    Gone,
    /// Rejected by the API server, or without an answer.
    Failed(String),
}

/// The result of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Result of a binding.
    Bound {
        /// The pod that was to be bound.
        pod: PodName,
        /// The node of the deed.
        node: String,
        /// Success, or the failure.
        done: Result<(), Failure>,
    },
    /// Result of a deletion.
    Deleted {
        /// The pod that was to be deleted.
        pod: PodName,
        /// Success: it is being deleted.
        done: Result<(), Failure>,
    },
    /// Result of the creation of a placeholder.
    Created {
        /// Application of the gang.
        app: String,
        /// Its owner, which gets an Event.
        owner: PodName,
        /// Success, or the failure.
        done: Result<(), Failure>,
    },
}
