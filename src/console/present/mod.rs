//! Data derived from the state for showing and for acting: layout, labels, figures, the subject under the cursor, the changes of a form.
//!
//! Invariants: nothing here changes the state or does IO; `update` and `draw` ask the same functions, so that they agree.

pub mod arrange;
pub mod blocker;
pub mod change;
pub mod config;
pub(crate) mod config_pane;
pub mod details;
pub(crate) mod edit_check;
pub(crate) mod edit_completion;
pub mod explain;
pub mod export;
pub mod figures;
pub mod filter;
pub(crate) mod focus;
pub(crate) mod form;
pub mod format;
pub mod guard;
pub mod hints;
pub mod job;
pub mod layout;
pub mod limits;
pub mod lists;
pub mod meter;
pub mod overlay;
pub mod page;
mod pages;
pub mod pieces;
pub mod place;
pub mod placement;
pub mod queue_form;
pub mod said;
pub mod strip;
pub(crate) mod subject;
pub(crate) mod suggestions;
pub mod table;
pub mod text;
pub mod trends;
pub mod unreached;
pub mod value;
pub(crate) mod walk;
pub mod weight;
pub mod words;
pub mod written;
pub(crate) mod yaml_syntax;
