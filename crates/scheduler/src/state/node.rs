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
    /// The id that it was registered with.
    pub id: NodeId,
    /// All that it has: memory in bytes, vcore in millicores.
    pub total: Resource,
    /// What others use of it.
    pub occupied: Resource,
    /// What is allocated on it.
    pub allocated: Resource,
    /// What is left: total less allocated less occupied; may be negative.
    pub available: Resource,
    /// Takes new allocations.
    pub schedulable: bool,
    /// Labels, as the resource manager names them.
    #[serde(with = "model::saved::arc")]
    pub attributes: Arc<BTreeMap<String, String>>,
    /// Running allocations there, in order of allocation.
    pub allocations: BTreeMap<u64, (AppKey, AskKey)>,
    /// The asks that it is reserved for: at most one, or any number of such as require it (SCH-016).
    pub reservations: Vec<(AppKey, AskKey)>,
    /// Whether it is reserved for asks that require it.
    pub(super) for_required: bool,
    #[serde(skip)]
    pub(super) score: Score,
    /// A number of the same order as its id.
    pub(super) rank: u64,
    /// What others run there; it decides nothing.
    #[serde(default, with = "model::saved::arc")]
    pub foreign: Arc<Vec<ForeignAllocation>>,
    /// Its score in the order, where that is not the present one (`Nodes::resize`).
    #[serde(default)]
    pub(super) stale: Option<Score>,
    /// What is charged here and belongs to no application any more (P-22, D-23).
    #[serde(default)]
    pub left_behind: Vec<LeftBehind>,
}

/// What an application has left behind on a node: only the end of the node ends it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LeftBehind {
    /// Whose it was.
    pub app: AppId,
    /// Which ask of it.
    pub ask: AskId,
    /// What it takes up: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// Whether the node still lists it, and not only counts it.
    pub listed: bool,
}

impl Node {
    /// Whether asks that require no node may go there.
    pub(super) fn is_open(&self) -> bool {
        self.schedulable && self.reservations.is_empty()
    }

    /// Whether only their ids decide which of the two is tried first (SCH-090).
    pub fn is_level_with(&self, other: &Self) -> bool {
        self.score == other.score
    }

    /// Whether it is reserved for asks that require it.
    pub fn reserved_by_required(&self) -> bool {
        !self.reservations.is_empty() && self.for_required
    }

    /// The place at which the releases leave a node after an allocation on it was resized (D-23), as an integer of the order of the scores;
    /// `None`: its place is that of its score.
    pub fn stale_place(&self) -> Option<i64> {
        self.stale.map(|Score(place)| place)
    }

    /// Keeps it for an ask.
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
        // Adding 0.0 makes a negative zero positive.
        Self(ordered(score + 0.0))
    }
}

/// The weights of memory and vcore, which nearly every node is scored by.
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

/// The score of a node: the lower, the earlier it is tried (SCH-090).
pub(super) fn score(node: &Node, sort: &NodeSortConfig, own: OwnWeights) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    node.total.each_beside(&node.available, |name, total, available| {
        let weight = match name {
            MEMORY => own.memory,
            VCORE => own.vcore,
            _ => sort.weights.get(name).copied().unwrap_or(0.0),
        };
        // Scores are floats in the real core.
        let share = 1.0 - available.unwrap_or(0) as f64 / total as f64;
        // Nothing left of nothing is NaN, which says nothing.
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
