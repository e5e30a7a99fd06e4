//! The connection state of a source.

use std::time::Duration;

/// The connection of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// No data yet.
    Connecting {
        /// Why the last try failed, if it did.
        cause: Option<String>,
        /// The time until the next try, in whole seconds.
        retry_in: Option<Duration>,
    },
    /// The view is what is.
    Live {
        /// `None` for an embedded scheduler.
        rtt: Option<Duration>,
    },
    /// The data is outdated.
    Stale {
        /// The age of the data.
        age: Duration,
        /// Why there is no newer data.
        cause: String,
        /// The time until the next try, in whole seconds; `None` during a try.
        retry_in: Option<Duration>,
    },
    /// The other side does not let one in.
    Refused {
        /// The reason with the remedy.
        why: String,
        /// `None` without data.
        age: Option<Duration>,
    },
}

/// A part of the data that is older than the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StalePart {
    /// The name: `the list of nodes`.
    pub what: &'static str,
    /// The time since its last complete read.
    pub age: Duration,
    /// Why there is no newer data.
    pub cause: String,
}

impl Link {
    /// A source in this process with current data.
    pub const LIVE: Self = Self::Live { rtt: None };

    /// The connection problem, in words; `None` if connected.
    pub fn problem(&self) -> Option<String> {
        match self {
            Self::Live { .. } => None,
            Self::Connecting { cause: Some(cause), .. } => Some(format!("not connected yet: {cause}")),
            Self::Connecting { cause: None, .. } => Some("not connected yet".to_owned()),
            Self::Stale { cause, .. } => Some(format!("connection lost: {cause}")),
            Self::Refused { why, .. } => Some(why.clone()),
        }
    }

    /// Whether the data is current.
    pub const fn is_live(&self) -> bool {
        matches!(self, Self::Live { .. })
    }
}
