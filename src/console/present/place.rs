//! Where something is written: the line, and the text that it is a line of.

use crate::config::Place;
use crate::console::present::subject;
use crate::console::state::State;

/// A place with its source: `line 31 of queues.yaml`, `line 31 of the configuration` where that is in no file.
pub fn words(state: &State, at: Place) -> String {
    format!("line {} of {}", at.line, source(state))
}

/// The text whose lines are counted: that of the configuration page.
pub fn source(state: &State) -> String {
    let file = state.cluster.configuration().and_then(|running| running.file.as_ref()?.file_name());
    file.map_or_else(|| "the configuration".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Where the queue under the cursor is written.
///
/// # Errors
/// It is written nowhere, or there is no queue.
pub fn written(state: &State) -> Result<Place, String> {
    let path = subject::queue(state).ok_or("there is no queue under the cursor")?;
    let row = state.cluster.part().and_then(|part| part.queue_at(&path));
    let at = row.and_then(|row| row.settings.at).filter(|at| at.line > 0);
    at.ok_or_else(|| format!("{path} is not written in the configuration"))
}
