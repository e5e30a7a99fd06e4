//! Notices: messages of the engine to the user.

use model::Time;

/// A message that is shown once.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Notice {
    /// The number, from 1.
    pub number: u64,
    /// The cluster time.
    pub at: Time,
    /// How much it matters.
    pub weight: NoticeWeight,
    /// The message, in one line.
    pub title: String,
    /// Further lines; may be empty.
    pub text: String,
}

/// The severity of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum NoticeWeight {
    /// Went as it should.
    Info,
    /// Should be examined.
    Warning,
    /// A rejection or a failure.
    Error,
}
