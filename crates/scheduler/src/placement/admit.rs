//! Everything around placement at submission (`placement.md` section 8), for a submission and for its preview.

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
    /// The queue requested; may be empty.
    pub queue: &'a str,
    /// The user; may be empty, which is refused.
    pub user: &'a str,
    /// The user's groups, primary group first; none are resolved (USR-003).
    pub groups: &'a [String],
    /// The tags of the application, which the rule `tag` and namespaces read.
    pub tags: &'a BTreeMap<String, String>,
}

/// What of a partition decides whether it takes an application at all.
#[derive(Clone, Copy, Debug)]
pub struct Gate<'a> {
    /// The partition's name.
    pub partition: &'a str,
    /// Whether the partition takes applications.
    pub active: bool,
    /// A live application that has the id already.
    pub taken: Option<&'a AppId>,
}

/// The answer to a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Who submits: with groups resolved, or as given where that failed.
    pub who: Identity,
    /// Where it goes, or why nowhere. What is refused before any rule ran has an empty trace.
    pub placement: Placement,
}

impl Rules {
    /// Answers a submission: the user, the partition, the id, then the rules (section 8). What creation needs is part of the
    /// placement; the checks of gangs are not in it.
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
