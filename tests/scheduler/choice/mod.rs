//! No index and no skipped work may change a decision. [`model`] derives a cycle from plain counters; [`shortcuts`]
//! compares with a scheduler that forgets failures.

mod model;
mod order;
mod shortcuts;
mod stream;
