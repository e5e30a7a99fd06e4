//! Data of an object that is read on demand: its YAML, its events, and container logs.

use std::sync::Arc;

use model::Time;

/// The name of an object in the API server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectName {
    /// A pod: namespace and name.
    Pod(Arc<str>, Arc<str>),
    /// A node, which has no namespace.
    Node(Arc<str>),
}

/// The log of one container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogName {
    /// The namespace of the pod.
    pub namespace: Arc<str>,
    /// The name of the pod.
    pub pod: Arc<str>,
    /// The name of the container.
    pub container: Arc<str>,
    /// The log of the run before the last restart.
    pub previous: bool,
    /// How often the log was opened before: a restarted container has a new log.
    pub opened: u32,
}

/// A part of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPart {
    /// The raw bytes of the container.
    pub bytes: Vec<u8>,
    /// The container has ended; nothing follows.
    pub ended: bool,
}

/// The pod of the requested events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventsOf {
    /// The namespace, by whose rights they are listed.
    pub namespace: Arc<str>,
    /// The UID of the pod.
    pub uid: Arc<str>,
}

/// A Kubernetes Event; the cluster deletes it after about an hour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectEvent {
    /// The last occurrence.
    pub at: Time,
    /// Whether it is a warning.
    pub warning: bool,
    /// The reason: `FailedMount`.
    pub reason: Arc<str>,
    /// The same in words.
    pub note: Arc<str>,
    /// The number of occurrences.
    pub count: u32,
    /// The reporting component: `kubelet`, `yunikorn`.
    pub by: Arc<str>,
}
