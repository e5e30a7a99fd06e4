//! The two sides of a limit.

/// User or group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Counted for the submitter.
    User,
    /// Counted for the one group of the application.
    Group,
}
