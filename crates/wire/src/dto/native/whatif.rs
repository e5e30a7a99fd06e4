//! What if (E7): what is asked, and what differs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dto::ResourceMap;

/// What is tried, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct WhatIf {
    /// The partition; without it the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// Another queue configuration, in force before everything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// Changes, one text each: `set root.a.max.vcore=+8`, `node drain n1`, `kill app`, `move app root.b`, `submit app 3`, `demand root.a x2`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// Steps as a scenario has them, carried out after the changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Value>,
    /// How long both runs continue.
    pub run: WhatIfRun,
    /// When what runs ends: `10m`, `never`, `user:NAME=5m`, `queue:PATH=5m`, `app:NAME*=5m`, `history:user`, `history:queue`, `history:name`.
    /// Without any nothing ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runtimes: Vec<String>,
    /// Draws times of the history by this seed, instead of their median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Several pairs of runs, from 2 to 100, with seeds from `seed` on. There has to be something to draw: a `history:` rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// From which time on a wait is counted as a long one, such as `10m`, which it is without this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_wait: Option<String>,
    /// What is compared: `queues`, `applications`, `nodes`, `users`. Without any, all of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compare: Vec<String>,
}

/// How long both runs continue: for a time, for cycles, or until nothing changes any more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct WhatIfRun {
    /// A number of cycles, or `idle`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Value>,
    /// A time such as `30m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advance: Option<String>,
}

/// What differs between the run without the changes and the one with them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WhatIfResult {
    /// The profile that both runs decide like; empty: the server's own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub core: String,
    /// All of it in a sentence.
    pub verdict: String,
    /// When the runs begin, by the scheduler's clock.
    pub began: i64,
    /// When they end.
    pub ended: i64,
    /// Why they end: `idle`, `cycles` or `time`.
    pub stopped: String,
    /// The cycles of the run with the changes.
    pub cycles: u64,
    /// What runtimes were assumed, and what that rests on.
    pub runtimes: String,
    /// What was assumed to come in.
    pub arrivals: String,
    /// From which time on a wait is counted as a long one, in nanoseconds.
    pub long_wait: i64,
    /// Several pairs of runs together; everything else here is of the first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub several: Option<WhatIfSeveral>,
    /// The changes and steps that were refused; the others were carried out.
    pub refused: Vec<WhatIfRefused>,
    /// The partition at the beginning.
    pub before: WhatIfFigures,
    /// At the end, without the changes.
    pub without: WhatIfFigures,
    /// At the end, with them.
    pub after: WhatIfFigures,
    /// The first decision that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<WhatIfFirst>,
    /// What differs; what is the same is left out.
    pub diff: WhatIfDiff,
    /// What the run with the changes did, a line of a scenario's trace each.
    pub trace: Vec<Value>,
    /// The trace is cut off.
    pub truncated: bool,
    /// What could not be seen of the cluster, where the runs are those of a twin.
    pub unknown: Vec<String>,
}

/// The 10th percentile, the median and the 90th percentile over several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhatIfSpread {
    /// At most every tenth run gave less.
    pub p10: f64,
    /// As many runs gave less as gave more.
    pub median: f64,
    /// At most every tenth run gave more.
    pub p90: f64,
}

/// By how much figures are larger with the changes than without them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WhatIfMoreBy {
    /// The path of the queue; missing for the whole partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Applications that first got something.
    pub started: WhatIfSpread,
    /// Applications that ended.
    pub ended: WhatIfSpread,
    /// Allocations that others took.
    pub preempted: WhatIfSpread,
    /// Asks that wait at the end.
    pub waiting: WhatIfSpread,
    /// How long an ask waited on average, in seconds.
    pub mean_wait_seconds: WhatIfSpread,
    /// Asks that waited longer than `longWait`.
    pub long_waits: WhatIfSpread,
    /// How long it had less than its guarantee and asked for more of that, in seconds.
    pub below_guarantee_seconds: WhatIfSpread,
}

/// What becomes of an application in several runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WhatIfAppSpread {
    /// The application whose times are spread.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// In how many runs the changes have which effect on it.
    pub effects: BTreeMap<String, u64>,
    /// By how many seconds it begins later, in the runs in which it begins later or sooner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later_by_seconds: Option<WhatIfSpread>,
}

/// Several pairs of runs together.
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
pub struct WhatIfFigures {
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
    /// How long it had less than its guarantee and asked for more of that; of a queue only.
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
    pub without: Option<WhatIfFigures>,
    /// Its figures with the changes; not there where it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<WhatIfFigures>,
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
    /// By how much it begins later or sooner, in nanoseconds.
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
    /// When it first got something, if it had nothing at the beginning.
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
    /// What is in use with the changes; not there where the node is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, i64>>")]
    pub with: Option<ResourceMap>,
}
