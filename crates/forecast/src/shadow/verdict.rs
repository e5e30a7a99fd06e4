//! The result of a comparison.

use crate::shadow::seen::Source;
use model::{AppId, AskId, NodeId, QueuePath, Time};
use scheduler::inspect::explain::judged::Objections;
use scheduler::inspect::explain::types::{BlockLevel, Blocker, NodeReason};
use view::waiting::BlockerWords;
use view::waiting::Sentence;

/// Comparison of a decision with kornsole (K8S-303).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// kornsole makes the same decision.
    Same,
    /// Equal: only IDs differ, or times that count as equal.
    Equal,
    /// Legal, but kornsole prefers another node.
    Node,
    /// Legal, but kornsole prefers another request.
    Order,
    /// kornsole forbids it.
    Illegal,
    /// The visible inputs do not determine it.
    Unsettled,
    /// The other scheduler has not made kornsole's decision for long.
    Missed,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Same, Self::Equal, Self::Node, Self::Order, Self::Illegal, Self::Unsettled, Self::Missed];

    /// Returns the name in reports, metrics, and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Equal => "equal",
            Self::Node => "node",
            Self::Order => "order",
            Self::Illegal => "illegal",
            Self::Unsettled => "unsettled",
            Self::Missed => "missed",
        }
    }

    /// Returns true if both decided equally.
    pub const fn agrees(self) -> bool {
        matches!(self, Self::Same | Self::Equal)
    }
}

/// The decision of kornsole.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LocalDecision {
    /// The application of the ask.
    pub app: AppId,
    /// Request ID: the UID of the pod.
    pub ask: AskId,
    /// Where it would go.
    pub node: NodeId,
}

/// A decision, or a missed one, compared with kornsole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// If missed: since when kornsole would have made it.
    pub at: Time,
    /// What came out.
    pub verdict: Verdict,
    /// Whose ask it is.
    pub app: AppId,
    /// Request: the UID of the pod.
    pub ask: AskId,
    /// Leaf of the application; empty if unknown.
    pub queue: QueuePath,
    /// `None` if missed.
    pub node: Option<NodeId>,
    /// `None` for nothing.
    pub local: Option<LocalDecision>,
    /// The violated rule.
    pub rule: Option<&'static str>,
    /// Reason of the difference; empty without one.
    pub cause: String,
    /// `None` if missed.
    pub source: Option<Source>,
}

/// A preemption, compared with kornsole's victims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreemptionCheck {
    /// When the victims ended.
    pub at: Time,
    /// Victims of the other scheduler.
    pub victims: Vec<(AppId, AskId)>,
    /// Victims of kornsole.
    pub local: Vec<(AppId, AskId)>,
    /// Leaf of the first victim; empty if unknown.
    pub queue: QueuePath,
}

impl PreemptionCheck {
    /// Returns true if both sets are equal.
    pub fn is_same(&self) -> bool {
        self.victims == self.local
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ruling {
    pub verdict: Verdict,
    pub rule: Option<&'static str>,
    pub cause: String,
}

impl Ruling {
    pub fn new(verdict: Verdict, cause: impl Into<String>) -> Self {
        Self { verdict, rule: None, cause: cause.into() }
    }

    pub fn illegal(objections: &Objections) -> Self {
        let first = objections.first();
        let node = objections.node.as_ref().filter(|_| objections.checks.is_empty()).map(|(reason, _)| *reason);
        let rule = node.map_or_else(|| first.map_or("state", |blocker| of_level(blocker.level)), of_node);
        Self { verdict: Verdict::Illegal, rule: Some(rule), cause: first.map(words).unwrap_or_default() }
    }
}

const fn of_level(level: BlockLevel) -> &'static str {
    match level {
        BlockLevel::Submission => "placement",
        BlockLevel::Queue => "queue-maximum",
        BlockLevel::User => "user-limit",
        BlockLevel::Group => "group-limit",
        BlockLevel::QueueApps => "queue-applications",
        BlockLevel::UserApps => "user-applications",
        BlockLevel::GroupApps => "group-applications",
        BlockLevel::Gang => "gang",
        BlockLevel::Draining => "queue-stopped",
        BlockLevel::Partition => "partition",
        BlockLevel::Node => "node",
        BlockLevel::Ended
        | BlockLevel::Pod
        | BlockLevel::Nothing
        | BlockLevel::Backoff
        | BlockLevel::State
        | BlockLevel::Stalled
        | BlockLevel::Priority => "state",
    }
}

const fn of_node(reason: NodeReason) -> &'static str {
    match reason {
        NodeReason::Required => "required-node",
        NodeReason::Unschedulable => "node-unschedulable",
        NodeReason::Reserved => "node-reserved",
        NodeReason::Capacity | NodeReason::Free => "node-resources",
        NodeReason::Predicate => "predicate",
    }
}

fn words(blocker: &Blocker) -> String {
    match (&blocker.level, &blocker.resource) {
        (BlockLevel::Node, Some(_)) => format!("{}: {}", blocker.detail, blocker.shortage()),
        (BlockLevel::Node, None) => blocker.detail.replace('\n', " "),
        _ => format!("it would wait for {}", blocker.sentence()),
    }
}
