//! What an engine has to say to the user, next to what the rows show.

use model::Time;

/// Something worth a message once.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Notice {
    /// Counts up over all notices, from 1.
    pub number: u64,
    /// When, by the cluster's time.
    pub at: Time,
    /// How much it matters.
    pub weight: NoticeWeight,
    /// What happened, in one line.
    pub title: String,
    /// More of it, in lines; may be empty.
    pub text: String,
}

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum NoticeWeight {
    /// Went as it should.
    Info,
    /// Should be examined.
    Warning,
    /// Something was refused or has failed.
    Error,
}
