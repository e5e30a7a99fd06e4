//! A tape on a remote scheduler, which uses the wall clock.

use std::sync::Arc;
use std::time::Duration;

use super::attach::{self, WayArgs};
use console::tape::Rig;
use engine::Progress;
use model::Time;
use source::{Remote, Source};

/// A tape's access to a remote scheduler.
pub struct Attached(Arc<Remote>);

impl Attached {
    /// Fails for an invalid address or an unusable file.
    pub fn start(server: &str, read_only: bool) -> Result<Self, String> {
        let way = WayArgs { read_only, ..WayArgs::default() };
        let contexts = attach::contexts(None).map_err(|report| report.message)?;
        let found = attach::find(server, &way, &contexts).map_err(|report| report.message)?;
        let remote = Remote::start(&found.target, found.options).map_err(|fault| fault.to_string())?;
        Ok(Self(Arc::new(remote)))
    }
}

impl Rig for Attached {
    fn source(&self) -> Arc<dyn Source> {
        Arc::<Remote>::clone(&self.0)
    }

    fn now(&self) -> Time {
        Source::now(&*self.0)
    }

    fn advance_until(&self, _until: Time, _steps: usize) -> Progress {
        Progress::Reached
    }

    fn pass(&self, by: Duration) {
        std::thread::sleep(by);
    }
}
