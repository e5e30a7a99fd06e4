//! The two sides of a limit.

/// The side of a limit: user or group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Counted for the submitter.
    User,
    /// Counted for the one group of the application.
    Group,
}
