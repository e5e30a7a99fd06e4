//! What-if (E7): requests and results.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dto::ResourceMap;

/// The changes to test, and the duration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct WhatIf {
    /// The partition; default: the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// A new queue configuration, active before all changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// Changes, one text each: `set root.a.max.vcore=+8`, `node drain n1`, `kill app`, `move app root.b`, `submit app 3`, `demand root.a x2`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// Steps in the form of a scenario, applied after the changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Value>,
    /// The duration of both runs.
    pub run: WhatIfRun,
    /// Runtimes of allocations: `10m`, `never`, `user:NAME=5m`, `queue:PATH=5m`, `app:NAME*=5m`, `history:user`, `history:queue`,
    /// `history:name`. Without a rule, allocations do not end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runtimes: Vec<String>,
    /// A seed to draw the times of the history, instead of their median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The number of pairs of runs, from 2 to 100, with seeds from `seed`. Requires a `history:` rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// The minimum duration of a long wait; default: `10m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_wait: Option<String>,
    /// Nodes that an autoscaler adds and removes in both runs, one group each: `m5.xlarge: cpu=4, memory=16Gi, max=10, delay=90s, price=0.2`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub node_groups: Vec<String>,
    /// The compared objects: `queues`, `applications`, `nodes`, `users`; default: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compare: Vec<String>,
}

/// The duration of both runs: a time, a number of cycles, or until nothing changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct WhatIfRun {
    /// A number of cycles, or `idle`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Value>,
    /// A time, for example `30m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advance: Option<String>,
}

/// The differences between the runs without and with the changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WhatIfResult {
    /// The profile of both runs; empty: the profile of the server.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub core: String,
    /// The result as a sentence.
    pub verdict: String,
    /// The start of the runs, by the scheduler's clock.
    #[serde(rename = "began")]
    pub started_at: i64,
    /// The end of the runs.
    pub ended: i64,
    /// The reason of the end: `idle`, `cycles` or `time`.
    pub stopped: String,
    /// The cycles of the run with the changes.
    pub cycles: u64,
    /// The assumed runtimes, and their source.
    pub runtimes: String,
    /// The assumed arrivals.
    pub arrivals: String,
    /// The minimum duration of a long wait, in nanoseconds.
    pub long_wait: i64,
    /// The results of several pairs of runs; all other fields describe the first pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub several: Option<WhatIfSeveral>,
    /// The rejected changes and steps; the others were applied.
    pub refused: Vec<WhatIfRefused>,
    /// The partition at the start.
    pub before: WhatIfMetrics,
    /// The partition at the end, without the changes.
    pub without: WhatIfMetrics,
    /// The partition at the end, with the changes.
    pub after: WhatIfMetrics,
    /// The first different decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<WhatIfFirst>,
    /// The differences; unchanged objects are omitted.
    pub diff: WhatIfDiff,
    /// The node groups, without and with the changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub node_groups: Vec<WhatIfNodeGroup>,
    /// The requests that fit no node and no node group, with the changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never_fit: Vec<WhatIfNeverFits>,
    /// The trace of the run with the changes, as for a scenario.
    pub trace: Vec<Value>,
    /// Whether the trace is truncated.
    pub truncated: bool,
    /// The unknown data of the cluster, for runs of a simulation copy.
    pub unknown: Vec<String>,
}

/// A group of nodes that an autoscaler adds and removes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfNodeGroup {
    /// The name of the group.
    pub name: String,
    /// Its nodes without the changes.
    pub without: WhatIfNodeHours,
    /// Its nodes with the changes.
    pub with: WhatIfNodeHours,
}

/// The nodes of a group in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WhatIfNodeHours {
    /// The hours of all its nodes, from the request of each to its removal.
    pub node_hours: f64,
    /// The cost of the nodes; missing without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The most nodes at one time.
    pub peak: u32,
    /// The number of added nodes.
    pub added: u32,
    /// The number of removed nodes.
    pub removed: u32,
}

/// A request that fits no node and no node group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfNeverFits {
    /// The application of the request.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The requested amounts.
    pub resource: BTreeMap<String, i64>,
}

/// The 10th percentile, the median and the 90th percentile over several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfSpread {
    /// The 10th percentile.
    pub p10: f64,
    /// The median of the runs.
    pub median: f64,
    /// The 90th percentile.
    pub p90: f64,
}

/// The differences of the values with the changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WhatIfMoreBy {
    /// The path of the queue; missing for the whole partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The number of applications that start.
    pub started: WhatIfSpread,
    /// The number of applications that end.
    pub ended: WhatIfSpread,
    /// The number of preempted allocations.
    pub preempted: WhatIfSpread,
    /// The number of pending requests at the end.
    pub waiting: WhatIfSpread,
    /// The average wait of a request, in seconds.
    pub mean_wait_seconds: WhatIfSpread,
    /// The number of requests that waited longer than `longWait`.
    pub long_waits: WhatIfSpread,
    /// The time below its guarantee with pending requests, in seconds.
    pub below_guarantee_seconds: WhatIfSpread,
}

/// The effects on an application in several runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WhatIfAppSpread {
    /// The application whose times are spread.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The number of runs with each effect.
    pub effects: BTreeMap<String, u64>,
    /// The delay of its start in seconds, for runs with a later or earlier start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later_by_seconds: Option<WhatIfSpread>,
}

/// The results of several pairs of runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfSeveral {
    /// How many pairs.
    pub runs: u64,
    /// In how many of them something differs.
    pub differing: u64,
    /// The whole partition.
    pub total: WhatIfMoreBy,
    /// Queues in which something differs in one of the runs.
    pub queues: Vec<WhatIfMoreBy>,
    /// Applications that differ in one of the runs.
    pub applications: Vec<WhatIfAppSpread>,
}

/// A change that was not made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfRefused {
    /// Its place, from 0: the configuration, then the changes, then the steps.
    pub step: u64,
    /// What it was.
    pub what: String,
    /// The refusal, as the scheduler or the reader words it.
    pub why: String,
}

/// The first decision that is another one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WhatIfFirst {
    /// When, in nanoseconds since 1970; of the two runs the earlier.
    pub at: i64,
    /// Without the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// What is decided with the changes; not there where nothing is any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Why what is decided with the changes is not decided without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not_without: Option<String>,
    /// Why what is decided without the changes is not decided with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not_with: Option<String>,
}

/// Figures of a queue, a user or a partition. Times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WhatIfMetrics {
    /// In use at the end.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub allocated: ResourceMap,
    /// Wanted at the end.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub pending: ResourceMap,
    /// In use on average.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub used: ResourceMap,
    /// Applications that first got something.
    pub started: u64,
    /// Applications that ended.
    pub ended: u64,
    /// Allocations that others took.
    pub preempted: u64,
    /// Asks that wait at the end.
    pub waiting: u64,
    /// How long an ask waited on average.
    pub mean_wait: i64,
    /// How many asks waited longer than `longWait`.
    pub long_waits: u64,
    /// How long it had less than its guarantee and requested more of that; of a queue only.
    pub below_guarantee: i64,
}

/// What differs, with the changes and without.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfDiff {
    /// Queues with other figures, by path.
    pub queues: Vec<WhatIfShare>,
    /// Users with other figures, by name.
    pub users: Vec<WhatIfShare>,
    /// Applications, by what becomes of them.
    pub applications: Vec<WhatIfApplication>,
    /// Nodes with other usage, by id.
    pub nodes: Vec<WhatIfNode>,
}

/// A queue or user that differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfShare {
    /// The path of the queue, or the name of the user.
    pub name: String,
    /// Without the changes; missing if it is only there with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<WhatIfMetrics>,
    /// Its figures with the changes; not there where it no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<WhatIfMetrics>,
}

/// An application that differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfApplication {
    /// The application with another course.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// `rejected`, `killed`, `preempted`, `notStarted`, `started`, `later`, `sooner`, `spared`, `endsLater`, `endsSooner`, `waitsLonger`,
    /// `waitsLess` or `other`.
    pub effect: String,
    /// By how much it starts later or sooner, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<i64>,
    /// Without the changes; missing if it is only there with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<WhatIfCourse>,
    /// Its course with the changes; not there where it never came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<WhatIfCourse>,
}

/// What becomes of an application in one of the runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfCourse {
    /// The full path of the leaf that it is in at the end.
    pub queue: String,
    /// Who submitted it.
    pub user: String,
    /// When it first got something, if it had nothing at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<i64>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<i64>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
    /// Allocations that were made.
    pub allocations: u64,
    /// Allocations that others took.
    pub preempted: u64,
    /// Allocations at the end.
    pub running: u64,
    /// Asks that wait at the end.
    pub waiting: u64,
}

/// A node that differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfNode {
    /// The id of the node.
    pub node: String,
    /// In use at the end without the changes; missing if it is only there with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, i64>>")]
    pub without: Option<ResourceMap>,
    /// What is in use with the changes; not there where the node no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, i64>>")]
    pub with: Option<ResourceMap>,
}
