//! How a source is connected, and what of it is old.

use std::time::Duration;

use view::drain::span;

/// How the connection of a source is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// Nothing has come yet.
    Connecting {
        /// Why the last try failed, if one did.
        cause: Option<String>,
        /// When the next try comes, in whole seconds.
        retry_in: Option<Duration>,
    },
    /// The view is what is.
    Live {
        /// How long an answer takes; `None` where no one has to be asked.
        rtt: Option<Duration>,
    },
    /// The view was true this long ago.
    Stale {
        /// How old the view is.
        age: Duration,
        /// Why nothing newer is there.
        cause: String,
        /// When the next try comes, in whole seconds; `None` while one is under way.
        retry_in: Option<Duration>,
    },
    /// The other side does not let one in.
    Refused {
        /// The refusal in words, with what would be right.
        why: String,
        /// How old the view is; `None` without one.
        age: Option<Duration>,
    },
}

/// A part of the shown data that is older than the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StalePart {
    /// What: `the list of nodes`.
    pub what: &'static str,
    /// How long ago it last came whole.
    pub age: Duration,
    /// Why nothing newer is there.
    pub cause: String,
}

impl Link {
    /// A source in this process that has nothing newer to show.
    pub const LIVE: Self = Self::Live { rtt: None };

    /// What is wrong with the connection, in words; `None` while the view is what is.
    pub fn trouble(&self) -> Option<String> {
        match self {
            Self::Live { .. } => None,
            Self::Connecting { cause: Some(cause), .. } => Some(format!("not connected yet: {cause}")),
            Self::Connecting { cause: None, .. } => Some("not connected yet".to_owned()),
            Self::Stale { age, cause, .. } => {
                Some(format!("the connection is lost; data is {} old: {cause}", span(*age)))
            }
            Self::Refused { why, .. } => Some(why.clone()),
        }
    }

    /// Whether the shown state is the present one.
    pub const fn is_live(&self) -> bool {
        matches!(self, Self::Live { .. })
    }
}
