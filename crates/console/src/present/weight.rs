//! The importance of an event.

use crate::theme::Role;
use view::{ChangeDetail, ChangeType, ObjectType, Record};

/// The importance of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Requests, allocations, starts, ends.
    Routine,
    /// A change of configuration, node, queue, limit, or placement.
    Notable,
    /// A loss or a rejection.
    Grave,
}

/// The importance of an event.
pub fn weight(record: &Record) -> Weight {
    match (record.kind, record.change, record.detail) {
        (ObjectType::UNKNOWN, ..) => Weight::Grave,
        (
            ..,
            ChangeDetail::ALLOC_PREEMPT
            | ChangeDetail::ALLOC_NODE_REMOVED
            | ChangeDetail::ALLOC_TIMEOUT
            | ChangeDetail::APP_KILLED
            | ChangeDetail::APP_REJECT
            | ChangeDetail::APP_FAILING
            | ChangeDetail::APP_FAILED
            | ChangeDetail::NODE_DECOMMISSION
            | ChangeDetail::CONFIG_REFUSED
            | ChangeDetail::QUEUE_DRAIN_ALERT,
        ) => Weight::Grave,
        (ObjectType::NODE, ChangeType::REMOVE, ChangeDetail::NONE) => Weight::Grave,
        (ObjectType::NODE | ObjectType::QUEUE, _, ChangeDetail::NONE) => Weight::Notable,
        (
            ..,
            ChangeDetail::APP_CANNOTRUN_QUEUE
            | ChangeDetail::APP_CANNOTRUN_QUOTA
            | ChangeDetail::APP_MOVED
            | ChangeDetail::APP_QUEUE_DRAINING
            | ChangeDetail::NODE_SCHEDULABLE
            | ChangeDetail::NODE_CAPACITY
            | ChangeDetail::QUEUE_TYPE
            | ChangeDetail::QUEUE_MAX
            | ChangeDetail::QUEUE_GUARANTEED
            | ChangeDetail::QUEUE_STATE
            | ChangeDetail::QUEUE_PREEMPTION
            | ChangeDetail::UG_USER_LIMIT
            | ChangeDetail::UG_GROUP_LIMIT
            | ChangeDetail::CONFIG_LOADED
            | ChangeDetail::CONFIG_ROLLED_BACK,
        ) => Weight::Notable,
        _ => Weight::Routine,
    }
}

/// The color: grave events are highlighted, routine ones dim.
pub fn role(record: &Record) -> Role {
    match (weight(record), record.change) {
        (Weight::Grave, _) => Role::Danger,
        (Weight::Notable, _) => Role::Warning,
        (Weight::Routine, ChangeType::REMOVE) => Role::Dim,
        (Weight::Routine, _) => Role::Text,
    }
}
