//! How other schedulers are opened and asked from inside the console. The console does not know how that is done.

use std::fmt;
use std::sync::Arc;

use crate::state::contexts::ContextFacts;
use source::Source;

/// Opens a scheduler by the name of a context, or asks it what it is. Both may wait for files and answers, so they are not called where
/// frames are drawn.
#[derive(Clone)]
pub struct Opener {
    open: Arc<Open>,
    ask: Arc<Ask>,
}

type Open = dyn Fn(&str) -> Result<Arc<dyn Source>, String> + Send + Sync;
type Ask = dyn Fn(&str) -> Result<ContextFacts, String> + Send + Sync;

impl Opener {
    /// What opens; it gives the reason when it cannot.
    pub fn new(open: impl Fn(&str) -> Result<Arc<dyn Source>, String> + Send + Sync + 'static) -> Self {
        Self { open: Arc::new(open), ask: Arc::new(|_| Err("it cannot be contacted from here".to_owned())) }
    }

    /// The same with what asks.
    #[must_use]
    pub fn asking(self, ask: impl Fn(&str) -> Result<ContextFacts, String> + Send + Sync + 'static) -> Self {
        Self { ask: Arc::new(ask), ..self }
    }

    /// Opens a context.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub fn open(&self, name: &str) -> Result<Arc<dyn Source>, String> {
        (self.open)(name)
    }

    /// Asks a context what it is.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask(&self, name: &str) -> Result<ContextFacts, String> {
        (self.ask)(name)
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opener")
    }
}
