//! Requests about the owners of pods.

use std::sync::Arc;

use model::{AppId, QueuePath};
use view::act::Refusal;
use view::kubernetes::{Chain, OwnerDone, OwnerObject};

/// Suspends or resumes the owners of an application's pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuspendOrder {
    /// The partition of the application.
    pub partition: Arc<str>,
    /// The application whose pods they made.
    pub app: AppId,
    /// The current or last queue of the application: its access list decides.
    pub queue: QueuePath,
    /// The owners as read; a recreated object of the same name is not changed.
    pub owners: Vec<OwnerObject>,
    /// Suspend; otherwise resume.
    pub suspended: bool,
    /// The reason, for the record; may be empty.
    pub reason: String,
}

/// Receives the owners of an application's pods or an error, once, from any thread.
pub type OwnersAnswer = Box<dyn FnOnce(Result<Vec<Chain>, String>) + Send>;

/// Receives the result per owner or a rejection, once, from any thread.
pub type SuspendAnswer = Box<dyn FnOnce(Result<Vec<OwnerDone>, Refusal>) + Send>;
