//! The owners of pods, as a source is requested them.

use std::sync::Arc;

use model::{AppId, QueuePath};
use view::act::Refusal;
use view::kubernetes::{Chain, OwnerDone, OwnerObject};

/// Owners of the pods of an application that are to be suspended, or to run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuspendOrder {
    /// The partition that the application is in, or was.
    pub partition: Arc<str>,
    /// The application whose pods they made.
    pub app: AppId,
    /// The queue that it is in, or was: its access list decides.
    pub queue: QueuePath,
    /// The owners, as they were read; another one of the same name is unchanged.
    pub owners: Vec<OwnerObject>,
    /// Suspend them, or let them run again.
    pub suspended: bool,
    /// Why, for the record; may be empty.
    pub reason: String,
}

/// Where it goes who owns the pods of an application, or why that is unknown. Called once, from any thread.
pub type OwnersAnswer = Box<dyn FnOnce(Result<Vec<Chain>, String>) + Send>;

/// Where it goes what was done to owners, one by one. Called once, from any thread.
pub type SuspendAnswer = Box<dyn FnOnce(Result<Vec<OwnerDone>, Refusal>) + Send>;
