//! The text of a configuration while it is looked at and edited: the text itself with its folds, its colours, what a word could
//! become, and what the whole would mean.
//!
//! Invariants:
//! - pure: no IO, no clock; [`check`] is meant for another thread;
//! - a key costs what is near the cursor and on the screen, never a look at the whole text's meaning.

mod buffer;
mod check;
mod complete;
mod fold;
mod merge;
mod syntax;

pub use buffer::Buffer;
pub use check::{Checked, Job, check};
pub use complete::{Completion, completions, values_of};
pub use fold::{Folds, item};
pub use merge::merge;
pub use syntax::{Kind, Token, tokens};
