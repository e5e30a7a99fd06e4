//! The connection as text, for the header and linear mode.

use std::time::Duration;

use crate::present::format;
use source::Link;

const OLD: Duration = Duration::from_secs(2);

/// A connection problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its name, as a badge.
    pub badge: String,
    /// The message about it.
    pub story: String,
    /// When the next attempt is; empty if unknown.
    pub again: String,
}

/// `None` for a brief interruption.
pub fn problem(link: &Link) -> Option<Problem> {
    let again = |retry_in: &Option<Duration>| match retry_in {
        Some(retry_in) if retry_in.is_zero() => ", trying again".to_owned(),
        Some(retry_in) => format!(", again in {}", format::duration(*retry_in)),
        None => String::new(),
    };
    let old = |age: &Duration| format!(" {} OLD ", format::duration(*age));
    let (badge, story, again) = match link {
        Link::Live { .. } => return None,
        Link::Connecting { cause: None, .. } => {
            (" CONNECTING ".to_owned(), "waiting for the first response".to_owned(), String::new())
        }
        Link::Connecting { cause: Some(cause), retry_in } => {
            (" CONNECTING ".to_owned(), cause.clone(), again(retry_in))
        }
        Link::Stale { age, cause, retry_in } if *age > OLD => (old(age), cause.clone(), again(retry_in)),
        Link::Stale { .. } => return None,
        Link::Refused { why, age: None } => (" REJECTED ".to_owned(), why.clone(), String::new()),
        Link::Refused { why, age: Some(age) } => {
            (format!(" REJECTED {}", old(age).trim_start()), why.clone(), String::new())
        }
    };
    Some(Problem { badge, story, again })
}

/// The connection in a sentence.
pub fn words(link: &Link) -> String {
    match problem(link) {
        None => "connected".to_owned(),
        Some(Problem { badge, story, again }) => format!("{}: {story}{again}", badge.trim().to_lowercase()),
    }
}
