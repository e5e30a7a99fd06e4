//! Why an application is rejected at submission (`placement.md` section 8).

use model::QueuePath;

use super::trace::RuleRef;

/// The reason of a rejection. [`Refusal::code`] is for programs, the text for people is made by
/// [`crate::placement::Placement::reason`] or, without a placement, by `Display`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Refusal {
    /// No rule is left (PLC-004).
    NoRuleMatched {
        /// The queue requested.
        queue: String,
    },
    /// A rule's parent rule yields a leaf (PLC-035).
    ParentIsLeaf {
        /// The rule that chose the queue.
        rule: RuleRef,
        /// The full path of the leaf that was chosen.
        leaf: QueuePath,
    },
    /// The queue would be below a leaf (PLC-071).
    CreateBelowLeaf {
        /// The queue to create.
        path: QueuePath,
        /// The full path of the leaf that was chosen.
        leaf: QueuePath,
    },
    /// The queue would be below a draining queue (PLC-071).
    CreateBelowDraining {
        /// The queue to create.
        path: QueuePath,
        /// The queue that drains.
        draining: QueuePath,
    },
    /// A part of the path is no legal name (PLC-071; 1.8: also PLC-005).
    IllegalName {
        /// The path, or in a rule the name, as it would be.
        path: String,
        /// The part at fault.
        part: String,
    },
    /// The nearest existing queue does not let the user submit (PLC-073).
    CreateDenied {
        /// The queue to create.
        path: QueuePath,
        /// The queue that was asked.
        ancestor: QueuePath,
    },
    /// No user name was given (USR-005).
    NoUser,
    /// The resolver does not know the user (USR-007).
    UnknownUser {
        /// The name given.
        user: String,
        /// What the resolver says.
        reason: String,
    },
    /// The user name is not legal (USR-009).
    IllegalUser {
        /// The name given.
        user: String,
    },
    /// There is no such partition.
    UnknownPartition {
        /// The name given.
        partition: String,
    },
    /// The partition drains or is stopped.
    PartitionStopped {
        /// The name that the submission gave.
        partition: String,
    },
    /// A live application has this id.
    DuplicateId {
        /// The id that is in use already.
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

/// A rejection, and what it leaves behind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Refused {
    /// Which check refused it, with the names for its message.
    pub refusal: Refusal,
    /// Parents that are made all the same before an illegal part is found, top down (PLC-072, switch `partial_path`);
    /// empty but under 1.5.1.
    pub left_behind: Vec<QueuePath>,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, left_behind: Vec::new() }
    }
}
