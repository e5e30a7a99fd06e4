//! The failed check of a rejected kill or move, and its facts (SCH-200, ACL-029).

use std::fmt;

use crate::placement::RECOVERY_QUEUE;
use crate::placement::access::AclKind;
use model::{AppId, AppState, QueuePath, QueueState};

/// Why a kill or a move is rejected. Traces contain the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The application does not exist.
    NoApp(AppId),
    /// The application has ended or is ending.
    Ended {
        /// The application of the command.
        app: AppId,
        /// The state it is in.
        state: AppState,
    },
    /// The identity has no access to a queue.
    NoAccess {
        /// The queue that was requested.
        queue: QueuePath,
        /// The missing access; admin access includes submit access.
        access: AclKind,
        /// The user of the command.
        user: String,
    },
    /// The target does not exist.
    NoQueue(QueuePath),
    /// The target is a parent.
    NotLeaf(QueuePath),
    /// The application is already in the target.
    SameQueue(QueuePath),
    /// The target is the recovery queue (ACL-026).
    RecoveryQueue,
    /// The target, or a parent of it, is draining or stopped.
    Closed {
        /// The queue that does not.
        queue: QueuePath,
        /// Its state: draining or stopped.
        state: QueueState,
    },
    /// The application does not fit the target: all failures of checks 6 to 9 (SCH-203); never empty.
    Misfits(Vec<Misfit>),
}

/// A part of an application that does not fit a queue on the target's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The failed check.
    pub kind: MisfitKind,
    /// The queue that it does not fit into.
    pub queue: QueuePath,
    /// The text with the values.
    pub text: String,
}

/// The checks 6 to 9 (SCH-203).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MisfitKind {
    /// Check 6: the gang.
    Gang,
    /// Check 7: its usage and the queue's maximum.
    Quota,
    /// Check 8: another application.
    Applications,
    /// Check 9: a limit of its user or group.
    Limit,
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoApp(app) => write!(f, "application not found: {app:?}"),
            Self::Ended { app, state } => write!(f, "application {app:?} is already {state}"),
            Self::NoAccess { queue, access: AclKind::Admin, user } => {
                write!(f, "no admin access to {queue} for user {user:?}")
            }
            Self::NoAccess { queue, access: AclKind::Submit, user } => {
                write!(f, "no submit access to {queue} for user {user:?}")
            }
            Self::NoQueue(queue) => write!(f, "queue not found: {queue}"),
            Self::NotLeaf(queue) => write!(f, "not a leaf queue: {queue}"),
            Self::SameQueue(queue) => write!(f, "already there: {queue}"),
            Self::RecoveryQueue => {
                write!(f, "queue not found: {RECOVERY_QUEUE} accepts only recovered applications")
            }
            Self::Closed { queue, state: QueueState::Draining } => write!(f, "queue is draining: {queue}"),
            Self::Closed { queue, .. } => write!(f, "queue is stopped: {queue}"),
            Self::Misfits(misfits) => {
                for (number, misfit) in misfits.iter().enumerate() {
                    let separator = if number > 0 { "; " } else { "" };
                    write!(f, "{separator}{}", misfit.text)?;
                }
                Ok(())
            }
        }
    }
}
