//! A chapter of a past that is kept: what happened in it.

use model::Time;

use super::Record;

/// In which direction of time something is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// Before a time.
    Earlier,
    /// The next moment after it.
    Later,
}

/// What happened between two times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chapter {
    /// After this time. Some records of this very time may be in the chapter before.
    pub from: Time,
    /// Up to this time.
    pub to: Time,
    /// No earlier record is kept.
    pub first: bool,
    /// It reaches up to what was written last.
    pub last: bool,
    /// Those that were requested, the oldest first.
    pub records: Vec<Record>,
    /// When the scheduler was started again.
    pub starts: Vec<Time>,
}
