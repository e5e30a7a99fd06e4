//! Stops a scheduler or a shadow from another thread.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// Stops a scheduler or a shadow.
#[derive(Clone)]
pub struct Stopper(Arc<dyn Fn() + Send + Sync>);

impl Stopper {
    pub(super) fn new<M: Send + 'static>(inbox: Sender<M>, message: fn() -> M) -> Self {
        // It may have ended.
        Self(Arc::new(move || drop(inbox.send(message()))))
    }

    /// Finishes running requests, and releases the lease.
    pub fn stop(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopper")
    }
}
