//! What a comparison gives.

use crate::shadow::seen::Source;
use model::{AppId, AskId, NodeId, QueuePath, Time};
use scheduler::inspect::explain::judged::Objections;
use scheduler::inspect::explain::types::{BlockLevel, Blocker, NodeReason};
use view::waiting::BlockerWords;
use view::waiting::Sentence;

/// What a decision of the other scheduler is, next to kornsole (K8S-303).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Ours would have made it.
    Same,
    /// Ours would have made one that is level with it: only ids decide, or times that count as the same.
    Equal,
    /// Ours gives the ask another node first; this one takes it, too.
    Node,
    /// Ours lets it go there, and serves another ask first.
    Order,
    /// Ours forbids it.
    Illegal,
    /// What is seen does not decide it.
    Unsettled,
    /// Ours would have made a decision that the other one has not made for long.
    Missed,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Same, Self::Equal, Self::Node, Self::Order, Self::Illegal, Self::Unsettled, Self::Missed];

    /// As it is in reports, figures and JSON.
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

    /// Whether both decided alike.
    pub const fn agrees(self) -> bool {
        matches!(self, Self::Same | Self::Equal)
    }
}

/// What kornsole would have decided.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Ours {
    /// The application of the ask.
    pub app: AppId,
    /// The id of the ask: the UID of its pod.
    pub ask: AskId,
    /// Where it would go.
    pub node: NodeId,
}

/// A decision of the other scheduler, or one that it missed, next to kornsole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// When the other one decided; of a missed one, since when kornsole would have.
    pub at: Time,
    /// What came out.
    pub verdict: Verdict,
    /// Whose ask it is.
    pub app: AppId,
    /// The ask: the UID of the pod.
    pub ask: AskId,
    /// The leaf of the application; empty where it is unknown.
    pub queue: QueuePath,
    /// Where the other one put it; `None` of a missed one.
    pub node: Option<NodeId>,
    /// What kornsole would have decided; `None`: nothing.
    pub ours: Option<Ours>,
    /// The rule that forbids it, if it is illegal.
    pub rule: Option<&'static str>,
    /// Why it is not the same, in words; empty if it is.
    pub cause: String,
    /// From where the time is known; `None` of a missed one.
    pub source: Option<Source>,
}

/// One preemption of the other scheduler: whether kornsole would have taken the same victims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreemptionCheck {
    /// When they went.
    pub at: Time,
    /// What the other scheduler ended.
    pub victims: Vec<(AppId, AskId)>,
    /// Who would have gone by kornsole.
    pub ours: Vec<(AppId, AskId)>,
    /// The leaf of the first victim's application; empty where it is unknown.
    pub queue: QueuePath,
}

impl PreemptionCheck {
    /// Whether both are the same set.
    pub fn is_same(&self) -> bool {
        self.victims == self.ours
    }
}

/// A verdict before it is put next to its decision.
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

    /// Ours forbids it.
    pub fn illegal(objections: &Objections) -> Self {
        let first = objections.first();
        let node = objections.node.as_ref().filter(|_| objections.checks.is_empty()).map(|(reason, _)| *reason);
        let rule = node.map_or_else(|| first.map_or("state", |blocker| of_level(blocker.level)), of_node);
        Self { verdict: Verdict::Illegal, rule: Some(rule), cause: first.map(words).unwrap_or_default() }
    }
}

/// The name of the rule behind a check.
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

/// The name of the rule behind what a node lacks.
const fn of_node(reason: NodeReason) -> &'static str {
    match reason {
        NodeReason::Required => "required-node",
        NodeReason::Unschedulable => "node-unschedulable",
        NodeReason::Reserved => "node-reserved",
        NodeReason::Capacity | NodeReason::Free => "node-resources",
        NodeReason::Predicate => "predicate",
    }
}

/// A check that fails, in words.
fn words(blocker: &Blocker) -> String {
    match (&blocker.level, &blocker.resource) {
        (BlockLevel::Node, Some(_)) => format!("{}: {}", blocker.detail, blocker.shortage()),
        (BlockLevel::Node, None) => blocker.detail.replace('\n', " "),
        _ => format!("it would wait for {}", blocker.sentence()),
    }
}
