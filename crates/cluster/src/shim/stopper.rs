//! A way to end a scheduler or a shadow from elsewhere.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// A way to end pending requests for messages.
#[derive(Clone)]
pub struct Stopper(Arc<dyn Fn() + Send + Sync>);

impl Stopper {
    /// Ends it by what `message` makes.
    pub(super) fn new<M: Send + 'static>(inbox: Sender<M>, message: fn() -> M) -> Self {
        // It may have ended.
        Self(Arc::new(move || drop(inbox.send(message()))))
    }

    /// Has it end: what is under way is finished, and what is reserved for it alone is given back.
    pub fn stop(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopper")
    }
}
