//! Results of a shadow, compared with the scheduler that it follows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The results of a shadow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowReport {
    /// The start of the shadow.
    pub since: i64,
    /// The rates over the whole time.
    pub total: ShadowCounts,
    /// The rates of each leaf, by path.
    pub queues: Vec<ShadowQueue>,
    /// The last day in steps of ten minutes, oldest first; steps without a decision are omitted.
    pub spans: Vec<ShadowTime>,
    /// The last differences, newest last; at most 1000.
    pub differences: Vec<ShadowDecision>,
}

/// The agreement of the decisions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowCounts {
    /// Decisions of the watched scheduler.
    pub decisions: u64,
    /// Decisions that the visible data does not settle; they count in no rate.
    pub unsettled: u64,
    /// The share of the settled decisions that kornsole makes too, 0 to 1; missing without decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// The share of the settled decisions that the rules of kornsole allow, 0 to 1; missing without decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legality: Option<f64>,
    /// Decisions of kornsole that the watched scheduler has not made.
    pub missed: u64,
    /// Preemptions with the same victims.
    pub same_victims: u64,
    /// Preemptions with other victims.
    pub other_victims: u64,
}

/// The decisions of one leaf.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowQueue {
    /// Its path; empty for decisions with an unknown queue.
    pub queue: String,
    /// The agreement in this leaf.
    pub counts: ShadowCounts,
}

/// The decisions of ten minutes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowTime {
    /// The start of the ten minutes.
    pub from: i64,
    /// The agreement in these ten minutes.
    pub counts: ShadowCounts,
}

/// A difference between the decisions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowDecision {
    /// The number of the difference, from 1.
    pub number: u64,
    /// The time of the decision; for a missed one, the time since kornsole would have made it.
    pub at: i64,
    /// `node`, `order`, `illegal`, `unsettled` or `missed`.
    pub verdict: String,
    /// The leaf of the application; empty if unknown.
    pub queue: String,
    /// The id of the application.
    pub application: String,
    /// The request: the UID of the pod.
    pub allocation_key: String,
    /// The namespace and name of the pod; empty if unknown.
    pub pod: String,
    /// The selected node; missing for a missed decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The decision of kornsole; missing if it would decide nothing.
    #[serde(rename = "ours", skip_serializing_if = "Option::is_none")]
    pub local: Option<ShadowChoice>,
    /// The rule that forbids an illegal one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// The reason, as text.
    pub cause: String,
}

/// The decision of kornsole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowChoice {
    /// The id of the application.
    pub application: String,
    /// The request: the UID of the pod.
    pub allocation_key: String,
    /// The node of the allocation.
    pub node: String,
}
