//! What a shadow found next to the scheduler that it watches, as a person sees it.

use std::fmt;
use std::sync::Arc;

use model::{AppId, AskId, NodeId, QueuePath, Time};

/// How often both decided alike, with the numbers that the rates are of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowRates {
    /// Decisions of the scheduler that is watched.
    pub decisions: u64,
    /// Those of them that what is seen does not decide; they are in no rate.
    pub unsettled: u64,
    /// The part of the others that both made alike, 0 to 1; `None` where there is none.
    pub agreement: Option<f64>,
    /// The part of the others that kornsole does not forbid, 0 to 1; `None` where there is none.
    pub legality: Option<f64>,
    /// Decisions of kornsole that the other one has not made.
    pub missed: u64,
    /// Preemptions with the same victims, and those with others.
    pub preemptions: (u64, u64),
}

/// The rates of a span of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowSpan {
    /// When it started.
    pub from: Time,
    /// What was decided in it.
    pub rates: ShadowRates,
}

/// A decision that does not agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShadowDifference {
    /// Differences are counted from 1 on.
    pub number: u64,
    /// When it was made; of a missed one, since when kornsole would have made it.
    pub at: Time,
    /// `node`, `order`, `illegal`, `unsettled` or `missed`.
    pub verdict: String,
    /// The leaf of the application; empty where it is unknown.
    pub queue: QueuePath,
    /// The id of the application.
    pub app: AppId,
    /// The ask: the UID of the pod.
    pub ask: AskId,
    /// The namespace and name of the pod; empty where they are unknown.
    pub pod: String,
    /// Where it was put; `None` of a missed one.
    pub node: Option<NodeId>,
    /// What kornsole would have decided: an ask of an application, and its node.
    pub ours: Option<(AppId, AskId, NodeId)>,
    /// The rule that forbids an illegal one; empty for others.
    pub rule: String,
    /// Why it is not the same, in words.
    pub cause: String,
}

/// Everything that a shadow found so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowSheet {
    /// Since when it watches.
    pub since: Time,
    /// Over all that time.
    pub total: ShadowRates,
    /// Each leaf by itself.
    pub queues: Vec<(QueuePath, ShadowRates)>,
    /// The last day in spans of ten minutes, the oldest first; those without a decision are omitted.
    pub spans: Vec<ShadowSpan>,
    /// The last differences, the latest last.
    pub differences: Vec<Arc<ShadowDifference>>,
}

/// Where a server takes the sheet of its shadow.
#[derive(Clone)]
pub struct ShadowSource(pub Arc<dyn Fn() -> ShadowSheet + Send + Sync>);

impl fmt::Debug for ShadowSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShadowSource")
    }
}
