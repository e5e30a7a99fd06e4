//! The text of a configuration on the screen: the text itself with its folds, its colors, the completions of a word, and the
//! check of the whole.
//!
//! Invariants:
//! - pure: no IO, no clock; [`crate::present::edit_check::check`] is meant for another thread;
//! - a key costs only work near the cursor and on the screen, never a check of the whole text.

pub(crate) mod buffer;
pub(crate) mod checked;
pub(crate) mod fold;
pub(crate) mod merge;

pub use buffer::{Buffer, TextStep};
pub use checked::{CheckJob, CheckResult, Completion, QuotaPreview, Removed};
pub use fold::{Folds, item};
pub use merge::merge;
