//! The reasons for rejecting a submission (`placement.md` section 8).

use model::QueuePath;

use super::trace::RuleRef;

/// The reason for a rejection. [`Refusal::code`] is for programs, [`crate::placement::Placement::reason`] the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Refusal {
    /// No rule matched (PLC-004).
    NoRuleMatched {
        /// The requested queue.
        queue: String,
    },
    /// A rule's parent rule yields a leaf (PLC-035).
    ParentIsLeaf {
        /// The rule that chose the queue.
        rule: RuleRef,
        /// The full path of the leaf that was chosen.
        leaf: QueuePath,
    },
    /// The parent of the new queue would be a leaf (PLC-071).
    CreateBelowLeaf {
        /// The queue to create.
        path: QueuePath,
        /// The full path of the leaf that was chosen.
        leaf: QueuePath,
    },
    /// A parent of the new queue drains (PLC-071).
    CreateBelowDraining {
        /// The queue to create.
        path: QueuePath,
        /// The draining queue.
        draining: QueuePath,
    },
    /// A part of the path is not a legal name (PLC-071; 1.8: also PLC-005).
    IllegalName {
        /// The resulting path, or in a rule the name.
        path: String,
        /// The illegal part.
        part: String,
    },
    /// The nearest existing queue denies submit access (PLC-073).
    CreateDenied {
        /// The queue to create.
        path: QueuePath,
        /// The queue that was checked.
        ancestor: QueuePath,
    },
    /// No user name (USR-005).
    NoUser,
    /// The resolver does not know the user (USR-007).
    UnknownUser {
        /// The submitted name.
        user: String,
        /// The resolver's message.
        reason: String,
    },
    /// The user name is not legal (USR-009).
    IllegalUser {
        /// The submitted name.
        user: String,
    },
    /// The partition does not exist.
    UnknownPartition {
        /// The submitted name.
        partition: String,
    },
    /// The partition drains or is stopped.
    PartitionStopped {
        /// The submitted name.
        partition: String,
    },
    /// An active application has this id.
    DuplicateId {
        /// The duplicate id.
        app: String,
    },
}

impl Refusal {
    /// The code of section 8.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoRuleMatched { .. } => "no-rule-matched",
            Self::ParentIsLeaf { .. } => "parent-is-leaf",
            Self::CreateBelowLeaf { .. } => "create-below-leaf",
            Self::CreateBelowDraining { .. } => "create-below-draining",
            Self::IllegalName { .. } => "illegal-name",
            Self::CreateDenied { .. } => "create-denied",
            Self::NoUser | Self::UnknownUser { .. } | Self::IllegalUser { .. } => "no-user",
            Self::UnknownPartition { .. } => "unknown-partition",
            Self::PartitionStopped { .. } => "partition-stopped",
            Self::DuplicateId { .. } => "duplicate-id",
        }
    }
}

/// A rejection and its side effects.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Refused {
    /// The failed check, with the names for its message.
    pub refusal: Refusal,
    /// Created by 1.5.1 before it finds an illegal part, top down (PLC-072, switch `partial_path`).
    pub left_behind: Vec<QueuePath>,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, left_behind: Vec::new() }
    }
}
