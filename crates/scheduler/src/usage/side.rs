//! The two sides of a limit.

/// Whose usage is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// A user's: counted for who submitted.
    User,
    /// A group's: counted for the one group that the application is under.
    Group,
}
