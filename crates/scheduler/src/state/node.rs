//! One node, and its score.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::{AppKey, AskKey, NodeKey};
use crate::interface::command::ForeignAllocation;
use crate::state::share::ordered;
use config::{NodeSortConfig, NodeSortPolicy};
use model::resource::{MEMORY, VCORE};
use model::{AppId, AskId, NodeId, Resource};

/// A node (SCH-015).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Node {
    /// Its own key.
    pub key: NodeKey,
    /// The registered ID.
    pub id: NodeId,
    /// Its capacity: memory in bytes, vcore in millicores.
    pub total: Resource,
    /// The occupied resources.
    pub occupied: Resource,
    /// The allocated resources.
    pub allocated: Resource,
    /// Total minus allocated minus occupied; may be negative.
    pub available: Resource,
    /// Whether it accepts new allocations.
    pub schedulable: bool,
    /// The node attributes.
    #[serde(with = "model::saved::arc")]
    pub attributes: Arc<BTreeMap<String, String>>,
    /// Its allocations in the order of allocation.
    pub allocations: BTreeMap<u64, (AppKey, AskKey)>,
    /// The requests with a reservation: at most one, or any number of required-node requests (SCH-016).
    pub reservations: Vec<(AppKey, AskKey)>,
    pub(super) for_required: bool,
    #[serde(skip)]
    pub(super) score: Score,
    pub(super) rank: u64,
    /// The foreign pods; they decide nothing.
    #[serde(default, with = "model::saved::arc")]
    pub foreign: Arc<Vec<ForeignAllocation>>,
    /// If outdated (`Nodes::resize`).
    #[serde(default)]
    pub(super) stale: Option<Score>,
    /// Charged allocations that belong to no application (P-22, D-23).
    #[serde(default)]
    pub left_behind: Vec<LeftBehind>,
}

/// An allocation without an application on a node, until the node is removed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LeftBehind {
    /// Its former application.
    pub app: AppId,
    /// Which ask of it.
    pub ask: AskId,
    /// Its resources: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// Whether the node lists it; otherwise it is only counted.
    pub listed: bool,
}

impl Node {
    /// For requests without a required node.
    pub(super) fn is_open(&self) -> bool {
        self.schedulable && self.reservations.is_empty()
    }

    /// Whether only ids order the two nodes (SCH-090).
    pub fn is_level_with(&self, other: &Self) -> bool {
        self.score == other.score
    }

    /// Whether it is reserved for required-node requests.
    pub fn reserved_by_required(&self) -> bool {
        !self.reservations.is_empty() && self.for_required
    }

    /// The score at which the releases leave a node after an allocation was resized (D-23), as an integer of their
    /// order; `None` if up to date.
    pub fn stale_place(&self) -> Option<i64> {
        self.stale.map(|Score(place)| place)
    }

    pub(crate) fn reserve(&mut self, app: AppKey, ask: AskKey, required: bool) {
        self.reservations.push((app, ask));
        self.for_required = required;
    }
}

/// A node's score as an integer of the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(super) struct Score(i64);

impl Score {
    pub(super) fn of(score: f64) -> Self {
        Self(ordered(score + 0.0))
    }
}

/// Almost every node has memory and vcore.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnWeights {
    memory: f64,
    vcore: f64,
}

impl OwnWeights {
    pub(super) fn of(sort: &NodeSortConfig) -> Self {
        let weight = |name| sort.weights.get(name).copied().unwrap_or(0.0);
        Self { memory: weight(MEMORY), vcore: weight(VCORE) }
    }
}

/// Lower scores are tried first (SCH-090).
pub(super) fn score(node: &Node, sort: &NodeSortConfig, own: OwnWeights) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    node.total.each_pair(&node.available, |name, total, available| {
        let weight = match name {
            MEMORY => own.memory,
            VCORE => own.vcore,
            _ => sort.weights.get(name).copied().unwrap_or(0.0),
        };
        // Floats, as in the real core.
        let share = 1.0 - available.unwrap_or(0) as f64 / total as f64;
        // 0/0 is NaN and is skipped.
        if weight != 0.0 && !share.is_nan() {
            sum += share * weight;
            weights += weight;
        }
    });
    let usage = if weights == 0.0 { 0.0 } else { sum / weights };
    match sort.policy {
        NodeSortPolicy::Fair => usage,
        NodeSortPolicy::BinPacking => 1.0 - usage,
    }
}
