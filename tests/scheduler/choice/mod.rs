//! Decisions of a cycle, compared with a slow model of the specification, and shortcuts compared with their absence.
//!
//! No index and no skipped work may change a decision under any profile. [`model`] derives the next cycle's result from
//! the plain counters of a scheduler and sorts everything with insertion sort. [`shortcuts`] compares a scheduler that
//! remembers failures with one that forgets them before every cycle.

mod model;
mod order;
mod shortcuts;
mod stream;
