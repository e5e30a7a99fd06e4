//! Storage of trends: the state directory of the scheduler or of the user.

use std::path::Path;
use std::sync::Arc;

use super::attach::AttachTarget;
use source::Trends;
use source::book::Book;
use source::remote::stored;

/// The trends of an embedded scheduler: in its state directory, or in memory.
pub fn embedded(state: Option<&Path>) -> Arc<Trends> {
    state.map_or_else(Trends::in_memory, Trends::retained_in)
}

/// The context's name in the settings, or its host.
pub fn context(found: &AttachTarget) -> String {
    found.options.name.clone().unwrap_or_else(|| found.target.host())
}

/// The followed ledger of a remote scheduler, in the same directory.
pub fn book(found: &AttachTarget) -> Arc<Book> {
    Book::start(stored::dir(&context(found)).as_deref())
}

/// The trends of a remote scheduler: `$XDG_STATE_HOME/kornsole/CONTEXT`.
pub fn attached(found: &AttachTarget) -> Arc<Trends> {
    stored::dir(&context(found)).as_deref().map_or_else(Trends::in_memory, Trends::retained_in)
}
