//! Opens and contacts other schedulers. The console does not know how.

use std::fmt;
use std::sync::Arc;

use crate::state::contexts::ContextFacts;
use source::Source;

/// Both functions may block: not for the draw loop.
#[derive(Clone)]
pub struct Opener {
    open: Arc<Open>,
    ask: Arc<Ask>,
}

type Open = dyn Fn(&str) -> Result<Arc<dyn Source>, String> + Send + Sync;
type Ask = dyn Fn(&str) -> Result<ContextFacts, String> + Send + Sync;

impl Opener {
    /// Sets the function that opens.
    pub fn new(open: impl Fn(&str) -> Result<Arc<dyn Source>, String> + Send + Sync + 'static) -> Self {
        Self { open: Arc::new(open), ask: Arc::new(|_| Err("it cannot be contacted from here".to_owned())) }
    }

    /// Adds the function that contacts.
    #[must_use]
    pub fn asking(self, ask: impl Fn(&str) -> Result<ContextFacts, String> + Send + Sync + 'static) -> Self {
        Self { ask: Arc::new(ask), ..self }
    }

    /// Opens a context.
    ///
    /// # Errors
    /// Why not.
    pub fn open(&self, name: &str) -> Result<Arc<dyn Source>, String> {
        (self.open)(name)
    }

    /// Contacts a context.
    ///
    /// # Errors
    /// Why not.
    pub fn ask(&self, name: &str) -> Result<ContextFacts, String> {
        (self.ask)(name)
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opener")
    }
}
