//! The attempts of a placement in order, recorded by `walk` and `decide`.

use std::sync::Arc;

use smallvec::SmallVec;

use config::RuleKind;
use model::QueuePath;

use super::access::Grant;
use super::filter::FilterVerdict;
use super::tree::QueueState;

/// The walk through the rules up to the deciding one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Trace {
    /// Whether the application is forced (PLC-090).
    pub forced: bool,
    /// One entry for each rule that ran, in order.
    pub rules: Vec<RuleTrace>,
}

/// A rule of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum RuleRef {
    /// A configured rule, or the default one; from 0.
    Rule(usize),
    /// The recovery rule after the list (PLC-003).
    Recovery,
    /// `root.default`, tried last by 1.8 (PLC-004).
    Fallback,
}

/// One rule that ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct RuleTrace {
    /// The rule, by its number in the list and its name.
    pub rule: RuleRef,
    /// The rule, its parent, and so on, as far as they ran. Empty for recovery and fallback.
    #[serde(with = "model::saved::list")]
    pub steps: SmallVec<[LinkTrace; 1]>,
    /// The resulting path, if any.
    pub path: Option<QueuePath>,
    /// The queue at the path, if it exists.
    pub queue: Option<QueueState>,
    /// The check of submit access, if it ran (PLC-061, PLC-063).
    pub asked: Option<AccessCheck>,
    /// The queues that this placement creates, top down (PLC-070).
    pub create: Vec<QueuePath>,
    /// The result of the rule.
    pub end: RuleEnd,
}

/// A check of submit access.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct AccessCheck {
    /// The checked queue: that of the path, or the nearest existing one.
    pub queue: QueuePath,
    /// The access; `None` is a denial.
    pub grant: Option<Grant>,
}

/// How a rule ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum RuleEnd {
    /// It places the application.
    Placed,
    /// The next rule runs.
    Next(SkipReason),
    /// The placement ends with a rejection (PLC-005, PLC-071).
    Refused,
}

/// Why the next rule runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum SkipReason {
    /// The rule has no result; the first step has the reason.
    NoResult,
    /// The queue is a parent (PLC-060).
    IsParent,
    /// No submit access (PLC-061, PLC-063).
    NoAccess,
    /// This queue on the path drains (PLC-062).
    Draining(QueuePath),
    /// The path is the recovery queue (PLC-064).
    RecoveryClosed,
    /// The path does not start at the root (PLC-021, for `fixed` in the releases).
    NotBelowRoot,
    /// The recovery rule places forced applications only (PLC-095).
    NotForced,
    /// `root.default` does not exist (PLC-004).
    NoFallback,
}

/// One rule of a chain (`placement.md` section 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct LinkTrace {
    /// The kind of the rule.
    pub kind: RuleKind,
    /// Whether the queue may be created.
    pub create: bool,
    /// The fixed queue or the name of the tag.
    #[serde(with = "model::saved::text")]
    pub value: Arc<str>,
    /// The input, if any (PLC-030).
    pub input: Option<Box<str>>,
    /// The result of the filter.
    pub filter: FilterVerdict,
    /// Whether the input is the whole path (PLC-032).
    pub qualified: bool,
    /// The input with its dots replaced, if it has any (PLC-022).
    pub replaced: Option<Box<str>>,
    /// The parent rule's path, if it ran.
    pub parent: Option<QueuePath>,
    /// The resulting path, if any.
    pub path: Option<QueuePath>,
    /// The queue at the path, if it exists.
    pub queue: Option<QueueState>,
    /// The result of the step.
    pub end: LinkEnd,
}

/// The results of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum LinkEnd {
    /// It yields its path.
    Yields,
    /// No input (PLC-030).
    NoInput,
    /// The filter stops the user (PLC-031).
    Filtered,
    /// The parent rule has no result (PLC-033).
    NoParent,
    /// The parent rule failed (PLC-033).
    ParentFailed,
    /// The parent's path is a leaf: an error (PLC-035).
    ParentIsLeaf,
    /// The path does not exist and the rule has no create (PLC-037).
    Missing,
    /// 1.8: an error (PLC-023).
    IllegalName,
}

impl RuleTrace {
    pub(super) fn new(rule: RuleRef) -> Self {
        Self {
            rule,
            steps: SmallVec::new(),
            path: None,
            queue: None,
            asked: None,
            create: Vec::new(),
            end: RuleEnd::Refused,
        }
    }
}
