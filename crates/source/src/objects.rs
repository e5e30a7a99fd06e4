//! Objects of a Kubernetes cluster that are read when a person requests them. Every call returns at once.

use std::sync::Arc;

use view::kubernetes::{EventsOf, LogName, LogPart, ObjectEvent, ObjectName};

/// Where the text of an object goes, as YAML, or why there is none. Called once, from any thread.
pub type ObjectTextAnswer = Box<dyn FnOnce(Result<String, String>) + Send>;

/// Where the events of an object go, the oldest first, or why they are unknown. Called once, from any thread.
pub type ObjectEventsAnswer = Box<dyn FnOnce(Result<Vec<ObjectEvent>, String>) + Send>;

/// Where the next part of a log goes, or why there is none. Called once, from any thread; not at all when the log is dropped before.
pub type LogAnswer = Box<dyn FnOnce(Result<LogPart, String>) + Send>;

/// The cluster that a scheduler is in.
pub trait Objects: Send + Sync {
    /// Has an object read as YAML.
    fn text(&self, of: ObjectName, answer: ObjectTextAnswer);

    /// Has the events of a pod read.
    fn events(&self, of: EventsOf, answer: ObjectEventsAnswer);

    /// Opens the log of a container. What is dropped reads nothing more.
    fn log(&self, of: LogName) -> Arc<dyn LogStream>;
}

/// A log that is read part by part. What is not requested is not read, so a fast container fills no memory here.
pub trait LogStream: Send + Sync {
    /// Asks for the next part; the answer waits until there is one.
    fn next(&self, answer: LogAnswer);
}
