//! Gaps: times that were not counted.

use model::Time;

/// A time that was not counted.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Gap {
    /// When the counting stopped.
    pub from: Time,
    /// `None` while the gap lasts.
    pub to: Option<Time>,
    /// The reason, in a sentence.
    pub why: String,
}

impl Gap {
    pub(super) fn is_within(&self, from: Time, to: Time) -> bool {
        self.from.max(self.to.unwrap_or(to)) > from && self.from < to
    }
}
