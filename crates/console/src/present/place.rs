//! Where something is written: the text, and the line in it.

use crate::state::State;
use config::Place;
use view::act::{Configuration, LoadedBy};

/// The text that lines are counted in: that of the configuration page.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a>(Option<&'a Configuration>);

impl<'a> Source<'a> {
    /// The active configuration, or the one of the moment that is examined.
    pub fn of(state: &'a State) -> Self {
        Self(state.cluster.configuration().map(|running| &**running))
    }

    /// `queues.yaml:31`, `line 31 of revision 3, of the workload`; `None` for what is written nowhere. Where there is no room for all of it,
    /// the line stays.
    pub fn place(self, at: Place) -> Option<String> {
        match (at.line, self.0) {
            (0, _) => None,
            (_, Some(running)) if running.file.is_some() && running.by != LoadedBy::Workload => Some(running.place(at)),
            (line, Some(running)) => Some(format!("line {line} of {}", running.source())),
            (line, None) => Some(format!("line {line} of the configuration")),
        }
    }
}
