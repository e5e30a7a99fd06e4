//! What is to be done in the cluster, and what came of it.

use crate::objects::{Meta, Pod};
use model::AskId;

/// A pod by its name, and by the UID that no other pod of that name has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodName {
    /// The namespace that it is in.
    pub namespace: String,
    /// Its name there.
    pub name: String,
    /// By it the scheduler knows the pod.
    pub uid: String,
}

impl PodName {
    pub(crate) fn of(meta: &Meta) -> Self {
        let Meta { namespace, name, uid, .. } = meta;
        Self { namespace: namespace.clone(), name: name.clone(), uid: uid.clone() }
    }

    /// The ask of the pod.
    pub fn ask(&self) -> AskId {
        AskId::from(self.uid.as_str())
    }
}

/// How an Event of Kubernetes is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Nothing has to be done about it.
    Normal,
    /// Something is wrong.
    Warning,
}

/// An Event of Kubernetes about a pod (K8S-230).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Said {
    /// The pod that it is about.
    pub pod: PodName,
    /// Whether something is wrong.
    pub weight: Weight,
    /// One word, by which tools know it.
    pub reason: &'static str,
    /// One word for what was done.
    pub action: &'static str,
    /// The words for a person.
    pub message: String,
}

/// Something to be done in the cluster.
#[derive(Clone, Debug)]
pub enum Deed {
    /// Bind a pod to a node.
    Bind {
        /// The pod, which is on no node yet.
        pod: PodName,
        /// The node that it is to run on.
        node: String,
    },
    /// Delete a pod, with its own grace period.
    Delete {
        /// The pod, by its UID too.
        pod: PodName,
    },
    /// Create a pod that holds room for a gang.
    Create(Box<Placeholder>),
    /// Set the phase of a pod to Failed.
    Fail {
        /// The pod, which is on no node.
        pod: PodName,
        /// One word for why.
        reason: &'static str,
        /// The words for a person.
        message: String,
    },
    /// Write an Event.
    Say(Said),
}

/// A pod that holds room for a member of a gang, to be created.
#[derive(Clone, Debug)]
pub struct Placeholder {
    pub(crate) pod: Pod,
    /// The pod that owns it: the one that its application started with.
    pub owner: PodName,
    /// The application whose gang it is of.
    pub app: String,
    /// The group as its application declares it, word by word.
    pub group: serde_json::Value,
    /// The secrets by which its image is pulled: those of its owner.
    pub pull_secrets: Vec<String>,
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The pod is another one by now, is being deleted, or has a node: the watch will say how it is (K8S-214).
    Overtaken(String),
    /// It is not there.
    Gone,
    /// The API server refused it, or did not answer.
    Failed(String),
}

/// What came of a deed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A pod was to be bound to a node.
    Bound {
        /// The pod that was to be bound.
        pod: PodName,
        /// The node of the deed.
        node: String,
        /// Whether the API server took it.
        done: Result<(), Failure>,
    },
    /// Of a deletion.
    Deleted {
        /// The pod that was to be deleted.
        pod: PodName,
        /// Whether it is being deleted.
        done: Result<(), Failure>,
    },
    /// Of the creation of a placeholder.
    Created {
        /// The application of the gang.
        app: String,
        /// The pod that was to own it, which gets an Event.
        owner: PodName,
        /// Whether it is there.
        done: Result<(), Failure>,
    },
}
