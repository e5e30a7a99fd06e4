//! The text of a configuration while it is looked at and edited: the text itself with its folds, its colours, what a word could
//! become, and what the whole would mean.
//!
//! Invariants:
//! - pure: no IO, no clock; [`crate::console::present::edit_check::check`] is meant for another thread;
//! - a key costs what is near the cursor and on the screen, never a look at the whole text's meaning.

pub(crate) mod buffer;
pub(crate) mod checked;
pub(crate) mod fold;
pub(crate) mod merge;

pub use buffer::{Buffer, TextStep};
pub use checked::{CheckJob, CheckResult, Completion, QuotaPreview, Removed};
pub use fold::{Folds, item};
pub use merge::merge;
