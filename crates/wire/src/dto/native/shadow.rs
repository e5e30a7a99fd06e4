//! What a shadow found beside the scheduler that it watches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that a shadow found so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowReport {
    /// Since when it watches.
    pub since: i64,
    /// Over all that time.
    pub total: ShadowCounts,
    /// Each leaf by itself, by its path.
    pub queues: Vec<ShadowQueue>,
    /// The last day in spans of ten minutes, the oldest first; those without a decision are left out.
    pub spans: Vec<ShadowTime>,
    /// The last differences, the latest last; at most 1000.
    pub differences: Vec<ShadowDecision>,
}

/// How often both decided alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowCounts {
    /// Decisions of the scheduler that is watched.
    pub decisions: u64,
    /// Those of them that what is seen does not decide; they are in no rate.
    pub unsettled: u64,
    /// The part of the others that both made alike, 0 to 1; missing where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// The part of the others that ours does not forbid, 0 to 1; missing where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legality: Option<f64>,
    /// Decisions of ours that the other one has not made.
    pub missed: u64,
    /// Preemptions with the same victims.
    pub same_victims: u64,
    /// Preemptions with other victims.
    pub other_victims: u64,
}

/// What was decided in one leaf.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowQueue {
    /// Its path; empty for decisions whose queue is not known.
    pub queue: String,
    /// How often both decided alike there.
    pub counts: ShadowCounts,
}

/// What was decided in ten minutes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowTime {
    /// When they began.
    pub from: i64,
    /// How often both decided alike in them.
    pub counts: ShadowCounts,
}

/// A decision that does not agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowDecision {
    /// Differences are counted from 1 on.
    pub number: u64,
    /// When it was made; of a missed one, since when ours would have made it.
    pub at: i64,
    /// `node`, `order`, `illegal`, `unsettled` or `missed`.
    pub verdict: String,
    /// The leaf of the application; empty where it is not known.
    pub queue: String,
    /// The id of the application.
    pub application: String,
    /// The ask: the UID of the pod.
    pub allocation_key: String,
    /// The namespace and name of the pod; empty where they are not known.
    pub pod: String,
    /// Where it was put; missing of a missed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// What ours would have decided; missing where that is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours: Option<ShadowChoice>,
    /// The rule that forbids an illegal one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// Why it is not the same, in words.
    pub cause: String,
}

/// What ours would have decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ShadowChoice {
    /// The id of the application.
    pub application: String,
    /// The ask: the UID of the pod.
    pub allocation_key: String,
    /// Where it would go.
    pub node: String,
}
