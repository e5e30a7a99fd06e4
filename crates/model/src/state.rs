//! The states that queues, partitions and applications can be in.

use std::fmt;

/// The state of a queue or partition (SCH-176).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum QueueState {
    /// Accepts applications and schedules.
    #[default]
    Active,
    /// Removed from the configuration: schedules its applications, rejects new ones, is deleted when empty.
    Draining,
    /// Rejects applications and schedules nothing.
    Stopped,
}

impl fmt::Display for QueueState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Active => "Active",
            Self::Draining => "Draining",
            Self::Stopped => "Stopped",
        })
    }
}

/// The state of an application (SCH-170).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum AppState {
    /// Submitted, has never requested anything.
    #[default]
    New,
    /// Has asked, nothing allocated yet (placeholders apart).
    Accepted,
    /// Has its first allocation. Not in 1.8.0.
    Starting,
    /// Has allocations, and its start has ended.
    Running,
    /// Its gang was not complete in time; runs without it.
    Resuming,
    /// Has nothing left; may still ask again for a while.
    Completing,
    /// Ended without a failure.
    Completed,
    /// On its way to Failed.
    Failing,
    /// Over, killed or failed.
    Failed,
    /// Refused when it was submitted.
    Rejected,
    /// Ended long ago; about to be deleted.
    Expired,
}

impl AppState {
    /// Whether the application has left its queue permanently.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Rejected | Self::Expired)
    }

    /// The name, as upstream writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "New",
            Self::Accepted => "Accepted",
            Self::Starting => "Starting",
            Self::Running => "Running",
            Self::Resuming => "Resuming",
            Self::Completing => "Completing",
            Self::Completed => "Completed",
            Self::Failing => "Failing",
            Self::Failed => "Failed",
            Self::Rejected => "Rejected",
            Self::Expired => "Expired",
        }
    }
}

impl fmt::Display for AppState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
