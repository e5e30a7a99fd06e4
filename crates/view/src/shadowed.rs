//! The results of a shadow.

use std::fmt;
use std::sync::Arc;

use model::{AppId, AskId, NodeId, QueuePath, Time};

/// Agreement and legality, with their counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowRates {
    /// Decisions of the watched scheduler.
    pub decisions: u64,
    /// Decisions that the visible data does not settle; not part of the rates.
    pub unsettled: u64,
    /// The share of the settled decisions that kornsole also made, 0 to 1; `None` without one.
    pub agreement: Option<f64>,
    /// The share of the settled decisions that the rules allow, 0 to 1; `None` without one.
    pub legality: Option<f64>,
    /// Decisions of kornsole that the other scheduler did not make.
    pub missed: u64,
    /// Preemptions with the same victims, and with different ones.
    pub preemptions: (u64, u64),
}

/// The rates of a time range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowSpan {
    /// When it started.
    pub from: Time,
    /// What was decided in it.
    pub rates: ShadowRates,
}

/// A different decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShadowDifference {
    /// The number, from 1.
    pub number: u64,
    /// The time of the decision; for a missed one, the time from which kornsole would have made it.
    pub at: Time,
    /// `node`, `order`, `illegal`, `unsettled` or `missed`.
    pub verdict: String,
    /// The leaf of the application; empty if unknown.
    pub queue: QueuePath,
    /// The id of the application.
    pub app: AppId,
    /// The request: the UID of the pod.
    pub ask: AskId,
    /// The pod, as namespace and name; empty if unknown.
    pub pod: String,
    /// `None` for a missed decision.
    pub node: Option<NodeId>,
    /// kornsole's decision: application, request, node.
    pub local: Option<(AppId, AskId, NodeId)>,
    /// The violated rule of an illegal decision; empty otherwise.
    pub rule: String,
    /// The cause of the difference.
    pub cause: String,
}

/// All results of a shadow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowSheet {
    /// The start of the shadow.
    pub since: Time,
    /// The rates of the whole time.
    pub total: ShadowRates,
    /// The rates per leaf.
    pub queues: Vec<(QueuePath, ShadowRates)>,
    /// The last day in ranges of 10 minutes, the oldest first; ranges without a decision are omitted.
    pub spans: Vec<ShadowSpan>,
    /// The last differences, the newest last.
    pub differences: Vec<Arc<ShadowDifference>>,
}

/// Provides a server with the sheet of its shadow.
#[derive(Clone)]
pub struct ShadowSource(pub Arc<dyn Fn() -> ShadowSheet + Send + Sync>);

impl fmt::Debug for ShadowSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShadowSource")
    }
}
