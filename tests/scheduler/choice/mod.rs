//! No index and no skipped work may change a decision under any profile.
//!
//! [`model`] derives the next cycle's result from the plain counters with insertion sort. [`shortcuts`] compares a
//! scheduler that remembers failures with one that forgets them.

mod model;
mod order;
mod shortcuts;
mod stream;
