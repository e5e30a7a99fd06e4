//! Kubernetes objects that are read on demand. No call blocks.

use std::sync::Arc;

use view::kubernetes::{EventsOf, LogName, LogPart, ObjectEvent, ObjectName};

/// Receives the YAML of an object or an error, once, from any thread.
pub type ObjectTextAnswer = Box<dyn FnOnce(Result<String, String>) + Send>;

/// Receives the events of an object, the oldest first, or an error, once, from any thread.
pub type ObjectEventsAnswer = Box<dyn FnOnce(Result<Vec<ObjectEvent>, String>) + Send>;

/// Receives the next part of a log or an error, once, from any thread; never after the log is dropped.
pub type LogAnswer = Box<dyn FnOnce(Result<LogPart, String>) + Send>;

/// The cluster of a scheduler.
pub trait Objects: Send + Sync {
    /// Reads an object as YAML.
    fn text(&self, of: ObjectName, answer: ObjectTextAnswer);

    /// Reads the events of a pod.
    fn events(&self, of: EventsOf, answer: ObjectEventsAnswer);

    /// Dropping it stops the reads.
    fn log(&self, of: LogName) -> Arc<dyn LogStream>;
}

/// A log, read part by part on demand, so that a fast container fills no memory.
pub trait LogStream: Send + Sync {
    /// Requests the next part; the answer waits for one.
    fn next(&self, answer: LogAnswer);
}
