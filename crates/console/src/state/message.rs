//! Messages to the user.

use std::sync::Arc;
use std::time::Duration;
use view::{Notice, NoticeWeight};

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Information; no action needed.
    Info,
    /// A rejected operation, with the reason.
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
    /// Its end; `None`: until it is closed.
    pub until: Option<Duration>,
    /// Arrived meanwhile; they are in the messages.
    pub others: usize,
    /// How often it was reported.
    pub times: u32,
}

/// A short message in the last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// What is reported, in one line.
    pub text: String,
    /// The severity; determines the color.
    pub grade: Grade,
    /// Its end, on the console's clock.
    pub until: Duration,
}

/// A reported message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Counts up; a repeated message gets a new number.
    pub number: u64,
    /// On the console's clock; `None`: before the start.
    pub at: Option<Duration>,
    /// What, in one line.
    pub text: String,
    /// More lines; may be empty.
    pub more: String,
    /// The severity; determines the color.
    pub grade: Grade,
    /// How often it was reported in a row.
    pub times: u32,
}

/// A hint for new users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// One sentence per line.
    pub lines: Vec<String>,
    /// Its end, on the console's clock.
    pub until: Duration,
}
