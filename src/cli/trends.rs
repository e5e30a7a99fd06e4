//! Where trends are kept: next to the state of a scheduler in this process, in the state directory of the user for one elsewhere.

use std::path::Path;
use std::sync::Arc;

use super::attach::AttachTarget;
use source::Trends;
use source::book::Book;
use source::remote::kept;

/// The trends of a scheduler in this process: in its state directory; without one in memory.
pub fn embedded(state: Option<&Path>) -> Arc<Trends> {
    state.map_or_else(Trends::in_memory, Trends::retained_in)
}

/// The context of a scheduler elsewhere: its name in the settings, or its host.
pub fn context(found: &AttachTarget) -> String {
    found.options.name.clone().unwrap_or_else(|| found.target.host())
}

/// The ledger that is followed of a scheduler elsewhere, in the same directory.
pub fn book(found: &AttachTarget) -> Arc<Book> {
    Book::start(kept::folder(&context(found)).as_deref())
}

/// The trends of a scheduler elsewhere: `$XDG_STATE_HOME/kornsole/CONTEXT`.
pub fn attached(found: &AttachTarget) -> Arc<Trends> {
    kept::folder(&context(found)).as_deref().map_or_else(Trends::in_memory, Trends::retained_in)
}
