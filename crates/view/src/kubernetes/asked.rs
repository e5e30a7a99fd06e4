//! What is read of an object only when a person requests it: its text, its events, the logs of its containers.

use std::sync::Arc;

use model::Time;

/// An object of the API server, by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectName {
    /// A pod: its namespace and its name.
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
    /// Of its run before the last restart.
    pub previous: bool,
    /// How often the log was opened before: a container that was started again has a new one.
    pub opened: u32,
}

/// What came of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPart {
    /// The bytes as the container wrote them.
    pub bytes: Vec<u8>,
    /// Nothing follows: the container has ended.
    pub ended: bool,
}

/// The pod whose events are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventsOf {
    /// The namespace, by whose rights they are listed.
    pub namespace: Arc<str>,
    /// The UID of the pod.
    pub uid: Arc<str>,
}

/// An event that Kubernetes keeps about an object, for an hour as a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectEvent {
    /// When it was seen last.
    pub at: Time,
    /// It is a warning.
    pub warning: bool,
    /// The reason in one word: `FailedMount`.
    pub reason: Arc<str>,
    /// The same in words.
    pub note: Arc<str>,
    /// How often it was seen.
    pub count: u32,
    /// Who reports it: `kubelet`, `yunikorn`.
    pub by: Arc<str>,
}
