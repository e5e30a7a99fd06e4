//! The two sides of a limit.

/// Whose usage is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The user's.
    User,
    /// The group's.
    Group,
}
