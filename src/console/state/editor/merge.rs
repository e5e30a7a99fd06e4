//! Two edits of one text brought together.

pub use crate::config::merge::merge;
