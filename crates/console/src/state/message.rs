//! Messages to the person: the result of a command, notices of the scheduler, and the kept messages for `:messages`.

use std::sync::Arc;
use std::time::Duration;
use view::{Notice, NoticeWeight};

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Worth knowing; nothing has to be done.
    Info,
    /// Something could not be done, and why.
    Refusal,
    /// Should be examined.
    Warning,
    /// Something has failed.
    Error,
}

impl From<NoticeWeight> for Grade {
    fn from(weight: NoticeWeight) -> Self {
        match weight {
            NoticeWeight::Info => Self::Info,
            NoticeWeight::Warning => Self::Warning,
            NoticeWeight::Error => Self::Error,
        }
    }
}

/// A notice on the screen.
#[derive(Clone, Debug)]
pub struct ShownNotice {
    /// What is reported.
    pub notice: Arc<Notice>,
    /// Until when; `None`: until it is closed.
    pub until: Option<Duration>,
    /// How many others came while one was there; they are among the messages.
    pub others: usize,
    /// How often it was reported.
    pub times: u32,
}

/// Something said in the last line for a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// What is reported, in one line.
    pub text: String,
    /// How grave it is; decides its color.
    pub grade: Grade,
    /// Until when it stays, on the console's clock.
    pub until: Duration,
}

/// Something that was reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Counts up with each message; one that is reported again gets a new number.
    pub number: u64,
    /// When, on the console's clock; `None`: before it started.
    pub at: Option<Duration>,
    /// What, in one line.
    pub text: String,
    /// More of it, in lines; may be empty.
    pub more: String,
    /// How grave it is; decides its color.
    pub grade: Grade,
    /// How often it was reported without anything else between.
    pub times: u32,
}

/// What a newcomer should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The sentences, one in a line.
    pub lines: Vec<String>,
    /// Until when it stays, on the console's clock.
    pub until: Duration,
}
