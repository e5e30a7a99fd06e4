//! The text of a configuration while it is looked at and edited: the text itself with its folds, its colours, what a word could
//! become, and what the whole would mean.
//!
//! Invariants:
//! - pure: no IO, no clock; [`check`] is meant for another thread;
//! - a key costs what is near the cursor and on the screen, never a look at the whole text's meaning.

pub(crate) mod buffer;
pub(crate) mod fold;
pub(crate) mod merge;

pub use crate::console::present::edit_check::{Checked, Job, check};
pub use crate::console::present::edit_completion::{Completion, completions, values_of};
pub use crate::console::present::yaml_syntax::{Kind, Token, tokens};
pub use buffer::Buffer;
pub use fold::{Folds, item};
pub use merge::merge;
