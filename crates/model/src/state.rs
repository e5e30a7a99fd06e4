//! The states of queues, partitions, and applications.

use std::fmt;

/// The state of a queue or partition (SCH-176).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum QueueState {
    /// Accepts applications and schedules.
    #[default]
    Active,
    /// Removed from the configuration: schedules its applications, rejects new ones, and is deleted when empty.
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
    /// Submitted, without any request yet.
    #[default]
    New,
    /// Has had a request, but nothing is allocated except placeholders.
    Accepted,
    /// Has its first allocation. Not in 1.8.0.
    Starting,
    /// Has allocations, and its start is over.
    Running,
    /// Its gang was not complete in time; runs without it.
    Resuming,
    /// Has nothing left, but may still send requests for some time.
    Completing,
    /// Ended without a failure.
    Completed,
    /// On its way to Failed.
    Failing,
    /// Killed or failed.
    Failed,
    /// Rejected at submission.
    Rejected,
    /// Ended long ago and is about to be removed.
    Expired,
}

impl AppState {
    /// Whether the application has left its queue permanently.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Rejected | Self::Expired)
    }

    /// The name in YuniKorn.
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
