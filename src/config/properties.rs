//! Queue properties (stand-in until the reader's branch lands).

/// `application.sort.policy` (SCH-070).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppSortPolicy {
    /// Oldest first.
    #[default]
    Fifo,
    /// Smallest share first.
    Fair,
    /// Oldest first, one starting at a time.
    StateAware,
}
