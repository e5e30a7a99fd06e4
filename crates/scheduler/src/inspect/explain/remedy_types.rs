//! Remedies, which would let an ask run, as data.

use std::sync::Arc;

use super::place::Place;
use model::{AppId, AskId, Priority, QueuePath, Resource, Time};

/// Changes that let an ask run.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// What to do, all of it.
    pub steps: Vec<RemedyKind>,
    /// It is all that is needed. Otherwise it is needed together with the others that are not enough.
    pub enough: bool,
    /// What it causes in addition, where it was tried in a fork; `None`: it only follows from the checks.
    pub effects: Option<Vec<RemedyEffect>>,
}

/// What to change.
#[derive(Clone, Debug, PartialEq)]
pub enum RemedyKind {
    /// Raise the maximum of a queue, or a limit, in one resource.
    Raise {
        /// Queue, user or group whose maximum it is.
        place: Place,
        /// Which resource; `None`: the number of applications.
        resource: Option<Arc<str>>,
        /// By how much.
        by: i64,
        /// To how much.
        to: i64,
    },
    /// End an application.
    End {
        /// Which: the smallest one whose end is enough.
        app: AppId,
        /// How much of the missing resource it has.
        amount: i64,
    },
    /// Move an application to another leaf.
    Move {
        /// The application that moves.
        app: AppId,
        /// The leaf that takes it.
        to: QueuePath,
    },
    /// Wait until an application has ended by itself.
    Wait {
        /// The application that is waited for.
        app: AppId,
        /// When that is, by what applications took so far in its queue; `None`: not known.
        at: Option<Time>,
    },
    /// Do nothing: the next cycles serve it, after this many other decisions.
    Turn(u64),
    /// Add a node with at least this.
    AddNode {
        /// What it has to have.
        size: Resource,
        /// What of that no node has.
        absent: Vec<Arc<str>>,
        /// How many nodes there are.
        nodes: u64,
    },
    /// Give the ask another priority.
    Priority {
        /// Which it has.
        from: Priority,
        /// Which it would need.
        to: Priority,
        /// It runs when this application ends; `None`: at once.
        when: Option<AppId>,
    },
    /// Change an ask that can never be served, or withdraw it.
    ChangeAsk(AppId, AskId),
}

/// What a remedy causes in addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemedyEffect {
    /// Asks of this application wait that would be served without it.
    Waits(AppId, u64),
    /// Allocations of this application are preempted.
    Preempted(AppId, u64),
    /// Allocations of this application end with it.
    Loses(AppId, u64),
    /// Asks of this application are served that would wait without it.
    Gets(AppId, u64),
}
