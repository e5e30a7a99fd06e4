//! Remedies for a request, as data.

use std::sync::Arc;

use super::place::Place;
use model::{AppId, AskId, Priority, QueuePath, Resource, Time};

/// Changes that let a request run.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// All changes together.
    pub steps: Vec<RemedyKind>,
    /// Whether it is enough; otherwise all that are not enough are needed together.
    pub enough: bool,
    /// Side effects, if tried in a fork.
    pub effects: Option<Vec<RemedyEffect>>,
}

/// What to change.
#[derive(Clone, Debug, PartialEq)]
pub enum RemedyKind {
    /// Raise a maximum or a limit in one resource.
    Raise {
        /// The queue, user, or group of the maximum.
        place: Place,
        /// The resource; `None` for the number of applications.
        resource: Option<Arc<str>>,
        /// By how much.
        by: i64,
        /// The new value.
        to: i64,
    },
    /// End an application.
    End {
        /// The smallest application that is enough.
        app: AppId,
        /// Its usage of the missing resource.
        amount: i64,
    },
    /// Move an application to another leaf.
    Move {
        /// The application to move.
        app: AppId,
        /// The target leaf.
        to: QueuePath,
    },
    /// Wait until an application completes.
    Wait {
        /// The application that is waited for.
        app: AppId,
        /// The estimate from earlier applications of its queue; `None` if unknown.
        at: Option<Time>,
    },
    /// A next cycle allocates it, after this number of other decisions.
    Turn(u64),
    /// Add a node of at least this size.
    AddNode {
        /// What it has to have.
        size: Resource,
        /// The resources that no node has.
        absent: Vec<Arc<str>>,
        /// The number of nodes.
        nodes: u64,
    },
    /// Change the priority of the request.
    Priority {
        /// The present priority.
        from: Priority,
        /// The necessary priority.
        to: Priority,
        /// It runs when this application ends; `None`: at once.
        when: Option<AppId>,
    },
    /// Change or withdraw a request that can never be allocated.
    ChangeAsk(AppId, AskId),
}

/// A side effect of a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemedyEffect {
    /// Requests become pending.
    Waits(AppId, u64),
    /// Allocations of this application are preempted.
    Preempted(AppId, u64),
    /// Allocations of this application end with it.
    Loses(AppId, u64),
    /// Requests are allocated that would be pending.
    Gets(AppId, u64),
}
