//! Where something is written: the text, and the line in it.

use crate::config::Place;
use crate::console::state::State;
use crate::view::act::Configuration;

/// The text that lines are counted in: that of the configuration page.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a>(Option<&'a Configuration>);

impl<'a> Source<'a> {
    /// The configuration in force, or the one of the moment that is looked at.
    pub fn of(state: &'a State) -> Self {
        Self(state.cluster.configuration().map(|running| &**running))
    }

    /// `queues.yaml:31`, `revision 3, of the workload, line 31`; `None` for what is written nowhere.
    pub fn place(self, at: Place) -> Option<String> {
        match (at.line, self.0) {
            (0, _) => None,
            (_, Some(running)) => Some(running.place(at)),
            (line, None) => Some(format!("line {line} of the configuration")),
        }
    }
}
