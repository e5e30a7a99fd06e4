//! The important events, which are few and stored apart from routine ones.

use super::types::{ChangeDetail, ChangeType, ObjectType, Record};
use model::AppState;
use scheduler::EventKind;

pub(super) const PREEMPTED_BY: &str = "preempted by ";
pub(super) const LIMITS: &str = "the limits of its user and group";
pub(super) const DOES_NOT_FIT: &str = "does not fit";

/// Whether a scheduler event is important: preemptions, kills, moves, rejections, failures; drains; nodes; the
/// configuration, queues, and limits; reached limits.
pub fn is_important(kind: &EventKind) -> bool {
    match kind {
        EventKind::Preempted { .. }
        | EventKind::QuotaPreempted { .. }
        | EventKind::QuotaEnforced { .. }
        | EventKind::Killed { .. }
        | EventKind::Moved { .. }
        | EventKind::AppRejected { .. }
        | EventKind::AppQueueDraining { .. }
        | EventKind::AppRunnable { runnable: false, .. }
        | EventKind::AskFitsLimits { fits: false, .. }
        | EventKind::QueueState { .. }
        | EventKind::QueueDrainAlert { .. }
        | EventKind::QueueType { .. }
        | EventKind::QueueGuaranteed { .. }
        | EventKind::Limit { .. }
        | EventKind::NodeAdded { .. }
        | EventKind::NodeRemoved { .. }
        | EventKind::NodeSchedulable { .. }
        | EventKind::NodeCapacity { .. }
        | EventKind::ConfigAccepted
        | EventKind::ConfigRejected { .. }
        | EventKind::ConfigRolledBack { .. } => true,
        EventKind::AppState { state, .. } => *state == AppState::Failed,
        EventKind::QueueAdded { managed, .. } | EventKind::QueueRemoved { managed, .. } => *managed,
        // The maximum of the root is the size of the cluster, which the node events report.
        EventKind::QueueMax { queue, .. } => queue.depth() > 0,
        _ => false,
    }
}

impl Record {
    /// The same for a record of any source.
    pub fn is_important(&self) -> bool {
        match self.detail {
            ChangeDetail::APP_REJECT
            | ChangeDetail::APP_FAILED
            | ChangeDetail::APP_CANNOTRUN_QUEUE
            | ChangeDetail::APP_CANNOTRUN_QUOTA
            | ChangeDetail::APP_KILLED
            | ChangeDetail::APP_MOVED
            | ChangeDetail::APP_QUEUE_DRAINING
            | ChangeDetail::ALLOC_PREEMPT
            | ChangeDetail::NODE_DECOMMISSION
            | ChangeDetail::NODE_SCHEDULABLE
            | ChangeDetail::NODE_CAPACITY
            | ChangeDetail::QUEUE_TYPE
            | ChangeDetail::QUEUE_GUARANTEED
            | ChangeDetail::QUEUE_PREEMPTION
            | ChangeDetail::QUEUE_STATE
            | ChangeDetail::QUEUE_DRAIN_ALERT
            | ChangeDetail::UG_USER_LIMIT
            | ChangeDetail::UG_GROUP_LIMIT
            | ChangeDetail::CONFIG_LOADED
            | ChangeDetail::CONFIG_REFUSED
            | ChangeDetail::CONFIG_ROLLED_BACK => true,
            ChangeDetail::QUEUE_MAX => *self.object != *"root",
            ChangeDetail::NONE => match self.kind {
                ObjectType::NODE => self.change == ChangeType::ADD,
                ObjectType::QUEUE => self.change != ChangeType::NONE,
                ObjectType::REQUEST => self.message.starts_with(PREEMPTED_BY) || self.is_blocked_by_limits(),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a user or group limit blocks a request.
    pub fn is_blocked_by_limits(&self) -> bool {
        self.message.split_once(DOES_NOT_FIT).is_some_and(|(_, what)| what.trim_start().starts_with(LIMITS))
    }

    /// The approximate size in bytes, without preemption grounds.
    pub fn bytes(&self) -> usize {
        let texts = self.object.len() + self.reference.len() + self.message.len();
        // Each `Arc` has two counters.
        size_of::<Self>() + texts + 4 * 2 * size_of::<usize>() + self.resource.iter().count() * 2 * size_of::<usize>()
    }

    /// The approximate size in bytes of the preemption grounds, which the records of all victims share.
    pub fn grounds_bytes(&self) -> usize {
        self.grounds.as_ref().map_or(0, |grounds| grounds.bytes())
    }

    /// The record without preemption grounds.
    #[must_use]
    pub fn without_grounds(&self) -> Self {
        Self { grounds: None, ..self.clone() }
    }
}
