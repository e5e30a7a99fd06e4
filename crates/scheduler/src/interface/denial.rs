//! Why a kill or a move is refused: the check, and the fact that decided it (SCH-200, ACL-029).

use std::fmt;

use crate::placement::RECOVERY_QUEUE;
use crate::placement::access::AclKind;
use model::{AppId, AppState, QueuePath, QueueState};

/// Why a kill or a move is refused. Its text is in traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial {
    /// There is no such application.
    NoApp(AppId),
    /// The application has ended, or about to be.
    Ended {
        /// The id that the command named.
        app: AppId,
        /// The state it is in.
        state: AppState,
    },
    /// The identity lacks access to a queue.
    NoAccess {
        /// The queue that was requested.
        queue: QueuePath,
        /// Which access is missing; submit access comes with admin access too.
        access: AclKind,
        /// Who gave the command.
        user: String,
    },
    /// The target is not there.
    NoQueue(QueuePath),
    /// The target takes queues, not applications.
    NotLeaf(QueuePath),
    /// The application is in the target already.
    SameQueue(QueuePath),
    /// The target is the recovery queue (ACL-026).
    RecoveryQueue,
    /// The target, or a queue above it, takes nothing new.
    Closed {
        /// The queue that does not.
        queue: QueuePath,
        /// Its state: draining or stopped.
        state: QueueState,
    },
    /// The application does not fit the target: everything that does not (SCH-203 checks 6 to 9); never empty.
    Misfits(Vec<Misfit>),
}

/// Something of an application that does not fit a queue on the way to its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// What does not fit.
    pub kind: MisfitKind,
    /// The queue that it does not fit into.
    pub queue: QueuePath,
    /// In words, with the values.
    pub text: String,
}

/// What does not fit (SCH-203).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MisfitKind {
    /// Check 6: the gang.
    Gang,
    /// Check 7: what it holds, into the queue's maximum.
    Quota,
    /// Check 8: one application more.
    Applications,
    /// Check 9: into a limit of its user or group.
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
