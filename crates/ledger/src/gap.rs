//! When nothing was counted.

use model::Time;

/// A time in which nothing was counted.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Gap {
    /// When the counting stopped.
    pub from: Time,
    /// When it restarted: before `from` where the clock was set back; `None` while it has not.
    pub to: Option<Time>,
    /// Why, in a sentence for people.
    pub why: String,
}

impl Gap {
    /// Whether some of it is in a period.
    pub(super) fn is_within(&self, from: Time, to: Time) -> bool {
        self.from.max(self.to.unwrap_or(to)) > from && self.from < to
    }
}
