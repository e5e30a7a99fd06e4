//! Placement previews of the REST API (`rest.md` E6).
//!
//! Rules count from 0, then come the recovery rule and the default queue of 1.8. `placed` in a parent rule means that
//! it returns its candidate. Limits do not affect a placement (LIM-009); the answer reports their effect with the
//! current usage.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use model::QueuePath;
use view::PartitionView;
use view::placement::{
    AccessCheck, Admission, LinkEnd, LinkTrace, Placement, PlacementOutcome, Refusal, RuleEnd, RuleRef, RuleTrace,
    SkipReason,
};

/// The answer, serialized directly with sorted keys, because a batch writes millions.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlacementPreview")]
pub struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    as_expected: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<&'static str>,
    #[schemars(with = "Vec<String>")]
    creates: Paths<'a>,
    exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<&'a str>,
    limits: Vec<LimitStep>,
    placed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<&'static str>,
    #[schemars(with = "Vec<RuleStep<'a>>")]
    steps: Steps<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    submission: Option<Submitted<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct LimitStep {
    what: String,
    would: String,
}

/// A submission of a batch.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Submission")]
pub struct Submitted<'a> {
    /// The groups, primary group first.
    pub groups: &'a [String],
    /// The line in the batch.
    pub line: u32,
    /// The requested queue; may be empty.
    pub queue: &'a str,
    /// The tags of the application, for the rule `tag`.
    pub tags: &'a BTreeMap<String, String>,
    /// The submitting user; rules and filters compare it as written.
    pub user: &'a str,
}

impl<'a> Answer<'a> {
    /// The answer for one submission.
    pub fn of(part: &'a PartitionView, admission: &'a Admission) -> Self {
        let placement = &admission.placement;
        let placed = placement.placed();
        let limits = placed.map(|placed| part.limits_for(&admission.who, &placed.path)).unwrap_or_default();
        let rejected = match &placement.outcome {
            PlacementOutcome::Placed(_) => None,
            PlacementOutcome::Refused(refused) => Some(refused.refusal.code()),
        };
        Self {
            as_expected: None,
            core: None,
            creates: Paths(placed.map_or(&[], |placed| &placed.create)),
            exists: placed.is_some_and(|placed| placed.create.is_empty()),
            expect: None,
            limits: limits.iter().map(|limit| LimitStep { what: limit.what(), would: limit.would() }).collect(),
            placed: placed.is_some(),
            queue: placed.map(|placed| placed.path.as_str()),
            rejected,
            steps: Steps { part, placement },
            submission: None,
            via: placed.map(|placed| index(part, placed.rule)),
        }
    }

    /// Adds the profile, for answers without a server.
    #[must_use]
    pub fn naming_core(self) -> Self {
        let core = Some(self.steps.part.rules.profile().name());
        Self { core, ..self }
    }

    /// Adds the submission, and in `met` whether its expectation was met.
    #[must_use]
    pub fn to(self, submission: Submitted<'a>, expect: &'a str, met: Option<bool>) -> Self {
        Self { as_expected: met, expect: met.map(|_| expect), submission: Some(submission), ..self }
    }
}

struct Paths<'a>(&'a [QueuePath]);

impl Serialize for Paths<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(QueuePath::as_str))
    }
}

struct Steps<'a> {
    part: &'a PartitionView,
    placement: &'a Placement,
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rules = self.placement.trace.rules.iter();
        serializer.collect_seq(rules.map(|entry| RuleStep::of(self.part, self.placement, entry)))
    }
}

fn index(part: &PartitionView, rule: RuleRef) -> usize {
    match rule {
        RuleRef::Rule(number) => number,
        RuleRef::Recovery => part.rules.len(),
        RuleRef::Fallback => part.rules.len() + 1,
    }
}

#[derive(Serialize, JsonSchema)]
struct RuleStep<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    acl: Option<AclStep<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate: Option<&'a str>,
    index: usize,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Parents::is_empty")]
    #[schemars(with = "BTreeMap<String, Vec<RuleStep<'a>>>")]
    parent: Parents<'a>,
    rule: &'static str,
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct AclStep<'a> {
    allowed: bool,
    queue: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'a str>,
}

impl<'a> RuleStep<'a> {
    fn of(part: &PartitionView, placement: &Placement, entry: &'a RuleTrace) -> Self {
        let name = match entry.rule {
            RuleRef::Rule(_) => entry.steps.first().map_or("", LinkTrace::kind_name),
            RuleRef::Recovery => "recovery",
            RuleRef::Fallback => "default-queue",
        };
        let path = entry.path.as_ref().map(QueuePath::as_str);
        let acl = |AccessCheck { queue, grant }: &'a AccessCheck| AclStep {
            allowed: grant.is_some(),
            queue: queue.as_str(),
            via: grant.as_ref().map(|grant| grant.queue.as_str()),
        };
        Self {
            acl: entry.asked.as_ref().map(acl),
            candidate: path.or_else(|| entry.steps.first().and_then(candidate)),
            index: index(part, entry.rule),
            outcome: outcome(placement, entry),
            parent: Parents(entry.steps.get(1..).unwrap_or_default()),
            rule: name,
            text: entry.message(placement),
        }
    }
}

struct Parents<'a>(&'a [LinkTrace]);

impl Parents<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Parents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_struct("Parents", 1)?;
        let steps = self.0.split_first().map(|(step, above)| {
            [RuleStep {
                acl: None,
                candidate: candidate(step),
                index: 0,
                outcome: step_outcome(step),
                parent: Parents(above),
                rule: step.kind_name(),
                text: step.message(),
            }]
        });
        message.serialize_field("steps", steps.as_ref().map_or(&[][..], |steps| steps))?;
        message.end()
    }
}

fn outcome(placement: &Placement, entry: &RuleTrace) -> &'static str {
    match &entry.end {
        RuleEnd::Placed => "placed",
        RuleEnd::Next(SkipReason::NoResult) => entry.steps.first().map_or("no-value", step_outcome),
        RuleEnd::Next(SkipReason::NotForced) => "no-value",
        RuleEnd::Next(SkipReason::IsParent) => "not-leaf",
        RuleEnd::Next(SkipReason::NoAccess) => "denied",
        RuleEnd::Next(SkipReason::Draining(_)) => "draining",
        RuleEnd::Next(SkipReason::RecoveryClosed | SkipReason::NotBelowRoot | SkipReason::NoFallback) => "missing",
        RuleEnd::Refused => match placement.refused().map(|refused| &refused.refusal) {
            // Illegal in the rule, but not when the queue would be created (PLC-005, PLC-071).
            Some(Refusal::IllegalName { .. }) if entry.path.is_some() => "bad-name",
            Some(Refusal::CreateBelowDraining { .. }) => "draining",
            Some(Refusal::CreateDenied { .. }) => "denied",
            _ => "error",
        },
    }
}

fn candidate(step: &LinkTrace) -> Option<&str> {
    let name = Some(step.name()).filter(|name| !name.is_empty());
    step.path.as_ref().map(|path| path.as_str()).or(name)
}

fn step_outcome(step: &LinkTrace) -> &'static str {
    match step.end {
        LinkEnd::Yields => "placed",
        LinkEnd::NoInput | LinkEnd::NoParent => "no-value",
        LinkEnd::Filtered => "filtered",
        LinkEnd::Missing => "missing",
        LinkEnd::ParentFailed | LinkEnd::ParentIsLeaf | LinkEnd::IllegalName => "error",
    }
}
