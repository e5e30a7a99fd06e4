//! Chapters of a stored past: the records of a time range.

use model::Time;

use super::Record;

/// A direction in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// Before a time.
    Earlier,
    /// After a time.
    Later,
}

/// The records between two times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chapter {
    /// The exclusive start. Some records of exactly this time can be in the previous chapter.
    pub from: Time,
    /// Up to this time.
    pub to: Time,
    /// No earlier record is stored.
    pub first: bool,
    /// The chapter reaches the newest record.
    pub last: bool,
    /// The selected records, the oldest first.
    pub records: Vec<Record>,
    /// The restarts of the scheduler.
    pub starts: Vec<Time>,
}
