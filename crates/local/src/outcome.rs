use std::fmt;

use serde::{Deserialize, Serialize};

/// How an attempt or a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// With this exit status.
    Exited(i32),
    /// By a signal that the daemon did not send.
    Signalled(i32),
    /// Exceeded its time limit.
    TimeLimit,
    /// Exceeded its memory.
    MemoryLimit,
    /// Canceled by this user.
    Cancelled(String),
    /// Preempted by the scheduler.
    Preempted,
    /// Unknown end, for this reason.
    Lost(String),
    /// Not started, for this reason.
    NotStarted(String),
}

impl Outcome {
    /// Returns the job's own status, 128 plus the signal, 124 for the time limit (like timeout(1)), otherwise 125.
    pub fn status(&self) -> u8 {
        match self {
            Self::Exited(status) => u8::try_from(status & 0xff).unwrap_or(u8::MAX),
            Self::Signalled(signal) => u8::try_from((128 + signal) & 0xff).unwrap_or(u8::MAX),
            Self::TimeLimit => 124,
            Self::MemoryLimit => 137,
            Self::Cancelled(_) | Self::Preempted | Self::Lost(_) | Self::NotStarted(_) => 125,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(0) => f.write_str("ok"),
            Self::Exited(status) => write!(f, "exit {status}"),
            Self::Signalled(signal) => write!(f, "signal {signal}"),
            Self::TimeLimit => f.write_str("time limit"),
            Self::MemoryLimit => f.write_str("memory limit"),
            Self::Cancelled(by) => write!(f, "canceled by {by}"),
            Self::Preempted => f.write_str("preempted"),
            Self::Lost(why) => write!(f, "lost: {why}"),
            Self::NotStarted(why) => write!(f, "not started: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_jobs_own() {
        let status = |outcome: Outcome| outcome.status();
        assert_eq!([status(Outcome::Exited(0)), status(Outcome::Exited(7))], [0, 7]);
        assert_eq!([status(Outcome::Signalled(9)), status(Outcome::TimeLimit)], [137, 124]);
        assert_eq!(status(Outcome::Cancelled("sue".to_owned())), 125);
    }
}
