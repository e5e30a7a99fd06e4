//! How another scheduler is opened from inside the console. The console does not know how that is done.

use std::fmt;
use std::sync::Arc;

use crate::source::Source;

/// Opens a scheduler by the name of a context. It may wait for files, so it is not called where frames are drawn.
#[derive(Clone)]
pub struct Opener(Arc<Open>);

type Open = dyn Fn(&str) -> Result<Arc<dyn Source>, String> + Send + Sync;

impl Opener {
    /// What opens; it gives the reason when it cannot.
    pub fn new(open: impl Fn(&str) -> Result<Arc<dyn Source>, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(open))
    }

    /// Opens a context.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub fn open(&self, name: &str) -> Result<Arc<dyn Source>, String> {
        (self.0)(name)
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opener")
    }
}
