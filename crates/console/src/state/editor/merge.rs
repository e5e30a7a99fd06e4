//! Two edits of one text brought together.

pub use config::merge::merge;
