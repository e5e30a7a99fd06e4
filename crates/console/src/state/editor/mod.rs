//! The configuration editor.
//!
//! Invariants:
//! - pure: no IO, no clock; [`crate::present::edit_check::check`] runs in another thread;
//! - a key costs only work near the cursor and on the screen.

pub(crate) mod buffer;
pub(crate) mod checked;
pub(crate) mod fold;
pub(crate) mod merge;

pub use buffer::{Buffer, TextStep};
pub use checked::{CheckJob, CheckResult, Completion, QuotaPreview, Removed};
pub use fold::{Folds, item};
pub use merge::merge;
