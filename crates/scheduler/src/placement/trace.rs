//! The tries of a placement, in order. Filled by `walk` and `decide` while they decide.

use std::sync::Arc;

use smallvec::SmallVec;

use config::RuleKind;
use model::QueuePath;

use super::access::Grant;
use super::filter::FilterVerdict;
use super::tree::QueueState;

/// The walk through the rules, up to the one that decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Trace {
    /// Whether the application is forced (PLC-090).
    pub forced: bool,
    /// One entry for each rule that ran, in order.
    pub rules: Vec<RuleTrace>,
}

/// Which rule of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum RuleRef {
    /// A configured rule, or the default one; counted from 0.
    Rule(usize),
    /// The recovery rule behind the list (PLC-003).
    Recovery,
    /// `root.default`, tried last by 1.8 (PLC-004).
    Fallback,
}

/// One rule that ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct RuleTrace {
    /// The rule, by its number in the list and its name.
    pub rule: RuleRef,
    /// The rule itself, then its parent rule and so on, as far as they were run. Recovery and fallback have none.
    #[serde(with = "model::saved::list")]
    pub steps: SmallVec<[LinkTrace; 1]>,
    /// The path that the rule yields; `None` without result.
    pub path: Option<QueuePath>,
    /// The queue at the path; `None` if there is none.
    pub queue: Option<QueueState>,
    /// The question for submit access, if that was asked (PLC-061, PLC-063).
    pub asked: Option<AccessCheck>,
    /// The queues that placing here creates, top down (PLC-070).
    pub create: Vec<QueuePath>,
    /// The result of the rule.
    pub end: RuleEnd,
}

/// A question for submit access.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct AccessCheck {
    /// The queue asked: the one of the path, or the nearest that exists.
    pub queue: QueuePath,
    /// What lets the user in; `None` is a denial.
    pub grant: Option<Grant>,
}

/// How a rule ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum RuleEnd {
    /// It places the application.
    Placed,
    /// The next rule runs.
    Next(SkipReason),
    /// It ends the placement; the outcome says why (PLC-005, PLC-071).
    Refused,
}

/// Why the next rule runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum SkipReason {
    /// The rule has no result; the first step says why.
    NoResult,
    /// The queue is a parent (PLC-060).
    IsParent,
    /// No submit access (PLC-061, PLC-063).
    NoAccess,
    /// This queue drains, and the path is in it (PLC-062).
    Draining(QueuePath),
    /// The path is the recovery queue (PLC-064).
    RecoveryClosed,
    /// The path does not start at the root (PLC-021, as the releases read `fixed`).
    NotBelowRoot,
    /// The recovery rule places forced applications only (PLC-095).
    NotForced,
    /// There is no `root.default` (PLC-004).
    NoFallback,
}

/// One rule of a chain (`placement.md` section 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct LinkTrace {
    /// Which of the placement rules it is.
    pub kind: RuleKind,
    /// Whether it may yield a queue that does not exist.
    pub create: bool,
    /// The fixed queue or the name of the tag.
    #[serde(with = "model::saved::text")]
    pub value: Arc<str>,
    /// The input; `None` without one (PLC-030).
    pub input: Option<Box<str>>,
    /// What the filter says.
    pub filter: FilterVerdict,
    /// Whether the input is the whole path (PLC-032).
    pub qualified: bool,
    /// The input with its dots replaced, if it had any to replace (PLC-022).
    pub replaced: Option<Box<str>>,
    /// The path of the parent rule's result; `None` where no parent rule ran.
    pub parent: Option<QueuePath>,
    /// The path; `None` if it did not lead to one.
    pub path: Option<QueuePath>,
    /// The queue at the path; `None` if there is none.
    pub queue: Option<QueueState>,
    /// How the step ended.
    pub end: LinkEnd,
}

/// How a step ended.
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
    /// 1.8: a part of the name is illegal: an error (PLC-023).
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
