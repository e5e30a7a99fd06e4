//! What is derived from the state for showing and for acting: layout, labels, figures, what is under the cursor, what a form would change.
//!
//! Invariants: nothing here changes the state or does IO; `update` and `draw` ask the same functions, so that they agree.

pub(crate) mod edit_check;
pub(crate) mod edit_completion;
pub mod export;
pub mod filter;
pub(crate) mod focus;
pub mod format;
pub mod layout;
pub mod queue_form;
pub(crate) mod subject;
pub(crate) mod suggestions;
pub mod text;
pub(crate) mod yaml_syntax;
