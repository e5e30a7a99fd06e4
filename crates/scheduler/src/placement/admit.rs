//! All checks of a submission (`placement.md` section 8), also for its preview.

use std::collections::BTreeMap;

use model::{AppId, Identity};

use super::decide::{Placement, PlacementOutcome};
use super::refusal::Refusal;
use super::rules::Rules;
use super::submission::{Submission, identify, is_forced, no_resolver};
use super::trace::Trace;
use super::tree::QueueTree;

/// A submission as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The requested queue; may be empty.
    pub queue: &'a str,
    /// The user; an empty one is rejected.
    pub user: &'a str,
    /// The user's groups, primary group first; if empty, they are resolved (USR-003).
    pub groups: &'a [String],
    /// The tags of the application, for the rule `tag` and namespaces.
    pub tags: &'a BTreeMap<String, String>,
}

/// The state of a partition that decides whether it accepts an application.
#[derive(Clone, Copy, Debug)]
pub struct Gate<'a> {
    /// The partition's name.
    pub partition: &'a str,
    /// Whether the partition accepts applications.
    pub active: bool,
    /// An active application with the same id.
    pub taken: Option<&'a AppId>,
}

/// The answer to a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The submitter: with groups resolved, or unchanged if that failed.
    pub who: Identity,
    /// The queue or the rejection. The trace is empty if no rule ran.
    pub placement: Placement,
}

impl Rules {
    /// The user, the partition, the id, then the rules (section 8). Without the checks of gangs.
    pub fn admit<T: QueueTree + ?Sized>(&self, request: &Request<'_>, gate: &Gate<'_>, tree: &T) -> Admission {
        let Request { queue, user, groups, tags } = *request;
        let who = match identify(user, groups, is_forced(tags), self.switches, no_resolver) {
            Ok(who) => who,
            Err(refusal) => return refused(Identity::new(user, groups), refusal),
        };
        if !gate.active {
            return refused(who, Refusal::PartitionStopped { partition: gate.partition.to_owned() });
        }
        if let Some(app) = gate.taken {
            return refused(who, Refusal::DuplicateId { app: app.to_string() });
        }
        let placement = self.place(&Submission { queue, identity: &who, tags }, tree);
        Admission { who, placement }
    }
}

fn refused(who: Identity, refusal: Refusal) -> Admission {
    Admission {
        who,
        placement: Placement { outcome: PlacementOutcome::Refused(refusal.into()), trace: Trace::default() },
    }
}
