//! Priorities of requests, applications, and queues.

use std::fmt;

use crate::allowed_values;

/// A priority (SCH-060): larger is more important. A queue without requests has [`Priority::MIN`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Priority(pub i32);

impl Priority {
    /// The priority of an application or queue without pending requests (SCH-061, SCH-064).
    pub const MIN: Self = Self(i32::MIN);
    /// The largest priority, where sums with offsets saturate.
    pub const MAX: Self = Self(i32::MAX);

    /// The priority that the parent sees, from the highest one inside the queue (SCH-063).
    pub fn seen_outside(self, policy: PriorityPolicy, offset: i32) -> Self {
        if self == Self::MIN {
            return Self::MIN;
        }
        match policy {
            PriorityPolicy::Fence => Self(offset),
            PriorityPolicy::Default => Self(self.0.saturating_add(offset)),
        }
    }
}

impl fmt::Display for Priority {
    /// `-` for a queue without requests (SCH-064).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::MIN { f.pad("-") } else { fmt::Display::fmt(&self.0, f) }
    }
}

/// The visibility of the priorities inside a queue (`priority.policy`, SCH-066).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PriorityPolicy {
    /// The highest priority inside, plus the offset.
    #[default]
    Default,
    /// Only the offset is visible.
    Fence,
}

allowed_values!(PriorityPolicy, any_case, {
    Default: All "default", [], "the highest priority in the queue, plus the offset, applies outside";
    Fence: All "fence", [], "only the offset applies outside, not the priorities in the queue";
});

impl PriorityPolicy {
    /// Whether the priorities inside are hidden from the parents (SCH-066).
    pub const fn is_fence(self) -> bool {
        match self {
            Self::Default => false,
            Self::Fence => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_example_ex_04() {
        use PriorityPolicy::{Default, Fence};
        assert_eq!(Priority(10).seen_outside(Default, i32::MAX), Priority::MAX);
        assert_eq!(Priority(-10).seen_outside(Default, i32::MAX), Priority(2_147_483_637));
        assert_eq!(Priority(-5).seen_outside(Default, i32::MIN), Priority::MIN);
        assert_eq!(Priority(5).seen_outside(Default, i32::MIN), Priority(-2_147_483_643));
        assert_eq!(Priority::MIN.seen_outside(Fence, -7), Priority::MIN);
        assert_eq!(Priority(i32::MIN + 1).seen_outside(Fence, -7), Priority(-7));
    }
}
