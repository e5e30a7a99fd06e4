//! The merge of two edits of one text.

pub use config::merge::merge;
