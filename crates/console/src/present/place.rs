//! Locations in texts: file or revision, and line.

use crate::state::State;
use config::Place;
use view::act::{Configuration, LoadedBy};

/// The configuration that line numbers refer to.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a>(Option<&'a Configuration>);

impl<'a> Source<'a> {
    /// Active, or at the selected past time.
    pub fn of(state: &'a State) -> Self {
        Self(state.cluster.configuration().map(|running| &**running))
    }

    /// `queues.yaml:31`, `line 31 of revision 3`; without space only the line.
    pub fn place(self, at: Place) -> Option<String> {
        match (at.line, self.0) {
            (0, _) => None,
            (_, Some(running)) if running.file.is_some() && running.by != LoadedBy::Workload => Some(running.place(at)),
            (line, Some(running)) => Some(format!("line {line} of {}", running.source())),
            (line, None) => Some(format!("line {line} of the configuration")),
        }
    }
}
