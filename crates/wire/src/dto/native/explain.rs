//! Why an application waits (E4).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cause::Cause;
use crate::dto::ResourceMap;

/// Why an application waits (E4). What stands at the top is about the ask that waits for the worst cause, by `cause.kind`; of several about
/// the one that is tried first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Explained {
    /// The profile that decides; empty: it was not said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub core: String,
    /// What of its gang is written so that it has no effect, or not the one that is meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The application that was asked about.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The moment for which it holds.
    pub at: i64,
    /// The full path of its leaf, as `root.prod.etl`.
    pub queue_name: String,
    /// The state of the application, as `Accepted`.
    pub state: String,
    /// When it was submitted.
    pub submitted: i64,
    /// Whether numbers of applications, and the order in which they start, let it run.
    pub runnable: bool,
    /// Whether something of it waits that the next cycle does not serve.
    pub waits: bool,
    /// One sentence for people.
    pub text: String,
    /// What it waits for, in short; missing: it waits for nothing, or is next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Everything that stands in the way of that ask, in the order of `cause.kind`, then as a cycle finds it. Of an application that ended: how.
    pub blocked_by: Vec<BlockedBy>,
    /// Of an application that was rejected, or is in the recovery queue: what each placement rule came to.
    pub submission: Vec<BlockedBy>,
    /// Why nodes do not take that ask.
    pub nodes: Vec<NodeFailure>,
    /// What is tried before that ask.
    pub position: Position,
    /// Whether others would be preempted for it.
    pub preemption: PreemptionAnswer,
    /// What would let it run.
    pub remedies: Vec<RemedyText>,
    /// Its asks in the order in which they are tried; of those that are alike the first.
    pub asks: Vec<ExplainedAsk>,
    /// How many asks are neither among them nor like one of them.
    pub left_out: u64,
    /// What it got: its first allocations.
    pub got: Vec<GotAllocation>,
    /// What could not be known.
    pub unknown: Vec<String>,
}

/// What an application got.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct GotAllocation {
    /// The id of the ask, unique only within its application.
    pub allocation_key: String,
    /// The namespace and name of the pod that it stands for, in Kubernetes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// On which node.
    #[serde(rename = "nodeID")]
    pub node_id: String,
    /// When it was allocated, in nanoseconds since 1970.
    pub since: i64,
    /// What the allocation holds.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub resource: ResourceMap,
    /// It only holds the place of a task.
    pub placeholder: bool,
}

/// What all that waits waits for: each ask under its first blocker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Waiting {
    /// The profile that decides; empty: it was not said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub core: String,
    /// The moment for which it holds.
    pub at: i64,
    /// Only what waits in this queue and below it; empty: in the partition.
    pub queue_name: String,
    /// One sentence for people.
    pub text: String,
    /// How many applications wait.
    pub applications: u64,
    /// How many asks wait.
    pub asks: u64,
    /// What they wait for: that for which most asks wait first.
    pub groups: Vec<WaitingGroup>,
    /// How many groups more there are.
    pub left_out: u64,
    /// What could not be known.
    pub unknown: Vec<String>,
}

/// Asks with the same first blocker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WaitingGroup {
    /// How many wait for what, in words.
    pub text: String,
    /// What it waits for, in short; missing: it waits for nothing, or is next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// What they wait for, as the first of them; missing: they are next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<BlockedBy>,
    /// How many applications.
    pub applications: u64,
    /// How many asks.
    pub asks: u64,
    /// What they ask for in all.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub wanted: ResourceMap,
    /// When the oldest of them was asked.
    pub since: i64,
    /// The first few applications.
    pub examples: Vec<WaitingExample>,
}

/// An application that waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WaitingExample {
    /// The id of an application that waits for this cause.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The full path of its leaf, as `root.prod.etl`.
    pub queue_name: String,
    /// How many of its asks wait for this.
    pub asks: u64,
}

/// What a text is about; at most one kind of thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Named {
    /// The full path of a queue, where one is meant.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub queue: String,
    /// A user, whose limit it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// A group, whose limit it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The id of a node, where one is meant.
    #[serde(skip_serializing_if = "String::is_empty", rename = "nodeID")]
    pub node_id: String,
    /// The id of an application, where one is meant.
    #[serde(skip_serializing_if = "String::is_empty", rename = "applicationID")]
    pub application_id: String,
    /// One of its asks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub allocation_key: String,
}

/// Why one ask waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ExplainedAsk {
    /// The id of the ask, unique only within its application.
    pub allocation_key: String,
    /// The namespace and name of the pod that it stands for, in Kubernetes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// How many of the application are like it, this one included.
    pub alike: u64,
    /// `waits`, `runs`, or `replaces` for one that takes over from a placeholder.
    pub status: String,
    /// What it wants.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub resource: ResourceMap,
    /// The priority that it asks with, before fences and offsets.
    pub priority: i32,
    /// When it was asked.
    pub since: i64,
    /// One sentence for people.
    pub text: String,
    /// What it waits for, in short; missing: it waits for nothing, or is next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Everything that stands in its way, in the order of `cause.kind`, then as a cycle finds it. Empty: the next cycle serves it.
    pub blocked_by: Vec<BlockedBy>,
    /// Why nodes do not take it.
    pub nodes: Vec<NodeFailure>,
    /// The nodes that lack least.
    pub closest: Vec<ClosestNode>,
    /// The node that is reserved for it, or on which it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// What the next cycle does for it, where that is not to allocate it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What time brings by itself: a reservation that stands, and until when cycles pass the application by.
    pub waiting: Vec<String>,
    /// What is tried before it.
    pub position: Position,
    /// Whether others would be preempted for it.
    pub preemption: PreemptionAnswer,
    /// What would let it run.
    pub remedies: Vec<RemedyText>,
    /// Why no node took it, in the words of the scheduler that was asked, where another one explains for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What cycles found so far, in the order in which each was found first.
    pub causes: Vec<EarlierCause>,
    /// How what cycles found has changed, the oldest first; the last one holds since then. At most eight.
    pub changes: Vec<CauseChange>,
}

/// What cycles found for an ask.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EarlierCause {
    /// The cause as a sentence for people.
    pub text: String,
    /// In how many cycles; it may be some seconds behind.
    pub count: u64,
    /// When a cycle found it last, in nanoseconds since 1970.
    pub last: i64,
}

/// One thing that stands in the way. Amounts are those of `resource` (memory in bytes, vcore in thousandths); without one they are
/// numbers of applications or placeholders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct BlockedBy {
    /// The check: `pod`, `submission`, `ended`, `partition`, `draining`, `nothing`, `backoff`, `state`, `queue-apps`, `user-apps`, `group-apps`, `stalled`, `gang`,
    /// `user`, `group`, `queue`, `node`, `priority`.
    pub level: String,
    /// Where: a queue, a limit with its queue, a node, an application.
    #[serde(rename = "where")]
    pub place: String,
    /// The same, as names.
    pub names: Named,
    /// The line of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The resource of which too little is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// How much there may be.
    pub limit: i64,
    /// How much is in use.
    pub used: i64,
    /// How much is wanted.
    pub wanted: i64,
    /// How much more there would have to be.
    pub missing: i64,
    /// Since when it is the first that stands in the way, as far as cycles noted that; else since when the ask waits.
    pub since: i64,
    /// When it ends by time alone: until then cycles skip the application of a `backoff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// Who has most of it, the largest first.
    pub holders: Vec<HolderOf>,
    /// The blocker as a sentence with its figures.
    pub text: String,
}

/// An application that holds some of the missing resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct HolderOf {
    /// An application that holds some of the missing resource.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The full path of its leaf, as `root.prod.etl`.
    pub queue_name: String,
    /// How much of the resource it has: bytes, thousandths of a core, or a count.
    pub amount: i64,
}

/// Nodes that fail the same check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NodeFailure {
    /// `required`, `unschedulable`, `reserved`, `capacity`, `free`, `predicate`.
    pub reason: String,
    /// How many nodes fail this check first.
    pub count: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// A node that lacks little.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ClosestNode {
    /// The id of the node.
    #[serde(rename = "nodeID")]
    pub node_id: String,
    /// What it lacks now.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub lacks: ResourceMap,
    /// What of that it lacks even when empty.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub too_small: ResourceMap,
}

/// What is tried before an ask.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Position {
    /// Where the queues of its path stand among their siblings, from the root down.
    pub queue_order: Vec<QueuePosition>,
    /// How many applications of its queue stand before its own.
    pub applications: u64,
    /// How many asks of its application stand before it.
    pub asks: u64,
    /// What all of that asks for.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub ahead: ResourceMap,
    /// The first few applications of its queue that stand before it.
    pub first_applications: Vec<String>,
    /// In words; empty: nothing stands before it.
    pub text: String,
}

/// Where a queue stands among its siblings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QueuePosition {
    /// The full path of the queue.
    pub queue: String,
    /// Its place among its siblings, from 1; the first is tried first.
    pub place: u64,
    /// How many siblings ask for something, itself included.
    pub of: u64,
    /// Its priority among them.
    pub priority: i32,
    /// Usage over guarantee, the largest first.
    pub share: Vec<f64>,
}

/// What cycles found from a moment on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CauseChange {
    /// When a cycle found it first, after it had found something else or nothing.
    pub since: i64,
    /// `limit`, `queue`, `node` or `gang`: the check that failed.
    pub level: String,
    /// The same in words.
    pub text: String,
}

/// Allocations that were looked at and stay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct KeptText {
    /// How many of which queue, and why they stay.
    pub text: String,
    /// Their leaf, as a queue.
    pub names: Named,
}

/// Whether others would be preempted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PreemptionAnswer {
    /// Whether some may go.
    pub possible: bool,
    /// Who, or the first reason why nobody; empty where preemption would not help.
    pub why: String,
    /// Where nobody may go: what was looked at, with why it stays.
    pub kept: Vec<KeptText>,
}

/// One change that takes something away that stands in the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RemedyText {
    /// It is all that is needed; otherwise the others that are not enough are needed too.
    pub enough: bool,
    /// What to do.
    pub text: String,
    /// What is changed or ended.
    pub names: Named,
    /// It was tried in a copy of the state: there the ask was served.
    pub tried: bool,
    /// What else it would cause, each in words: who waits instead, who is preempted, who loses what it has.
    pub effects: Vec<String>,
}
