/// Why an application waits (E4). The fields at the top describe the request with the worst `cause.kind` that is tried first.
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cause::Cause;
use crate::dto::ResourceMap;

/// Why an application waits (E4). What is at the top is about the ask that waits for the worst cause, by `cause.kind`; of several about
/// the one that is tried first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Explained {
    /// The profile that decides; empty: unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub core: String,
    /// Gang settings without an effect, or with another effect than intended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The explained application.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The time of the explanation.
    pub at: i64,
    /// The full path of its leaf, as `root.prod.etl`.
    pub queue_name: String,
    /// The state of the application, for example `Accepted`.
    pub state: String,
    /// When it was submitted.
    pub submitted: i64,
    /// Whether the application limits and the start order allow it to run.
    pub runnable: bool,
    /// Whether it has pending requests that the next cycle does not allocate.
    pub waits: bool,
    /// One sentence for people.
    pub text: String,
    /// The cause of the wait, in short; missing: it waits for nothing, or is next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// All blockers of that request, in the order of `cause.kind`, then in the order of a cycle. For an application that ended: how it ended.
    pub blocked_by: Vec<BlockedBy>,
    /// For a rejected application, or one in the recovery queue: the result of each placement rule.
    pub submission: Vec<BlockedBy>,
    /// Why nodes do not accept that request.
    pub nodes: Vec<NodeFailure>,
    /// The requests that are tried before that request.
    pub position: Position,
    /// Whether other allocations would be preempted for it.
    pub preemption: PreemptionAnswer,
    /// The changes that would allow it to run.
    pub remedies: Vec<RemedyText>,
    /// Its requests in the order in which they are tried; of identical requests, the first one.
    pub asks: Vec<ExplainedAsk>,
    /// The number of requests that are not in this list and not identical to an entry.
    pub left_out: u64,
    /// Its first allocations.
    pub got: Vec<GotAllocation>,
    /// The unknown facts.
    pub unknown: Vec<String>,
}

/// An allocation of an application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct GotAllocation {
    /// The id of the request, unique only within its application.
    pub allocation_key: String,
    /// The namespace and name of its pod, in Kubernetes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// The node of the allocation.
    #[serde(rename = "nodeID")]
    pub node_id: String,
    /// When it was allocated, in nanoseconds since 1970.
    pub since: i64,
    /// The allocated resources.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub resource: ResourceMap,
    /// Whether it is a placeholder.
    pub placeholder: bool,
}

/// The causes of all pending requests: each request counts under its first blocker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Waiting {
    /// The profile that decides; empty: unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub core: String,
    /// The time of the explanation.
    pub at: i64,
    /// The queue whose subtree is explained; empty: the whole partition.
    pub queue_name: String,
    /// One sentence for people.
    pub text: String,
    /// The number of waiting applications.
    pub applications: u64,
    /// The number of pending requests.
    pub asks: u64,
    /// The causes, the one with the most requests first.
    pub groups: Vec<WaitingGroup>,
    /// The number of groups that are not listed.
    pub left_out: u64,
    /// The unknown facts.
    pub unknown: Vec<String>,
}

/// Requests with the same first blocker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WaitingGroup {
    /// The requests and their cause, as text.
    pub text: String,
    /// The cause, in short; missing: they wait for nothing, or are next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The cause of the first of them; missing: they are next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<BlockedBy>,
    /// The number of applications.
    pub applications: u64,
    /// The number of requests.
    pub asks: u64,
    /// The sum of their requested resources.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub wanted: ResourceMap,
    /// The time of the oldest request.
    pub since: i64,
    /// The first few applications.
    pub examples: Vec<WaitingExample>,
}

/// A waiting application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct WaitingExample {
    /// The id of an application that waits for this cause.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The full path of its leaf, as `root.prod.etl`.
    pub queue_name: String,
    /// The number of its requests with this cause.
    pub asks: u64,
}

/// The object of a text; at most one field is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Named {
    /// The full path of a queue.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub queue: String,
    /// The user of a limit.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// The group of a limit.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The id of a node.
    #[serde(skip_serializing_if = "String::is_empty", rename = "nodeID")]
    pub node_id: String,
    /// The id of an application, where one is meant.
    #[serde(skip_serializing_if = "String::is_empty", rename = "applicationID")]
    pub application_id: String,
    /// The id of a request of the application.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub allocation_key: String,
}

/// Why one request waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ExplainedAsk {
    /// The id of the request, unique only within its application.
    pub allocation_key: String,
    /// The namespace and name of its pod, in Kubernetes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// The number of identical requests of the application, including this one.
    #[serde(rename = "alike")]
    pub identical: u64,
    /// `waits`, `runs`, or `replaces` for a request that replaces a placeholder.
    pub status: String,
    /// The requested resources.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub resource: ResourceMap,
    /// Its own priority, before fences and offsets.
    pub priority: i32,
    /// The time of the request.
    pub since: i64,
    /// One sentence for people.
    pub text: String,
    /// The cause of the wait, in short; missing: it waits for nothing, or is next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// All blockers, in the order of `cause.kind`, then in the order of a cycle. Empty: the next cycle allocates it.
    pub blocked_by: Vec<BlockedBy>,
    /// Why nodes do not accept it.
    pub nodes: Vec<NodeFailure>,
    /// The nodes with the smallest shortfall.
    pub closest: Vec<ClosestNode>,
    /// The node that is reserved for it, or on which it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The effect of the next cycle, if it is not an allocation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What happens without an action: the end of a reservation, or of a time in which cycles skip the application.
    pub waiting: Vec<String>,
    /// The requests that are tried before it.
    pub position: Position,
    /// Whether other allocations would be preempted for it.
    pub preemption: PreemptionAnswer,
    /// The changes that would allow it to run.
    pub remedies: Vec<RemedyText>,
    /// Why no node accepted it, in the words of the scheduler, if another scheduler explains it.
    #[serde(rename = "said", skip_serializing_if = "Option::is_none")]
    pub reported: Option<String>,
    /// The results of the cycles, by the time of the first one of each.
    pub causes: Vec<EarlierCause>,
    /// The history of these results, oldest first; the last one is current. At most eight.
    pub changes: Vec<CauseChange>,
}

/// A result of cycles for a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EarlierCause {
    /// The cause as a sentence for people.
    pub text: String,
    /// The number of cycles; can be some seconds old.
    pub count: u64,
    /// The time of the last such cycle, in nanoseconds since 1970.
    pub last: i64,
}

/// A blocker. Amounts are in units of `resource`; without a resource, they are numbers of applications or placeholders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct BlockedBy {
    /// The check: `pod`, `submission`, `ended`, `partition`, `draining`, `nothing`, `backoff`, `state`, `queue-apps`, `user-apps`, `group-apps`, `stalled`, `gang`,
    /// `user`, `group`, `queue`, `node`, `priority`.
    pub level: String,
    /// The location: a queue, a limit with its queue, a node, or an application.
    #[serde(rename = "where")]
    pub place: String,
    /// The location, as names.
    pub names: Named,
    /// The line of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The resource of which too little is available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The maximum of the resource.
    pub limit: i64,
    /// The usage of the resource.
    pub used: i64,
    /// The requested amount.
    pub wanted: i64,
    /// The missing amount.
    pub missing: i64,
    /// The time since it is the first blocker, as far as cycles recorded it; otherwise the time of the request.
    pub since: i64,
    /// The time when it ends by itself: until then, cycles skip the application of a `backoff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// The applications that use most of it, largest first.
    pub holders: Vec<HolderOf>,
    /// The blocker as a sentence with its values.
    pub text: String,
}

/// An application that uses some of the missing resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct HolderOf {
    /// An application that uses some of the missing resource.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The full path of its leaf, as `root.prod.etl`.
    pub queue_name: String,
    /// Its usage of the resource: bytes, thousandths of a core, or a count.
    pub amount: i64,
}

/// Nodes that fail the same check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NodeFailure {
    /// `required`, `unschedulable`, `reserved`, `capacity`, `free`, `predicate`.
    pub reason: String,
    /// The number of nodes that fail this check first.
    pub count: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// A node with a small shortfall.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ClosestNode {
    /// The id of the node.
    #[serde(rename = "nodeID")]
    pub node_id: String,
    /// The resources that it lacks now.
    #[schemars(with = "BTreeMap<String, i64>")]
    #[serde(rename = "lacks")]
    pub shortfall: ResourceMap,
    /// The part of these that it also lacks when it is empty.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub too_small: ResourceMap,
}

/// What is tried before a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Position {
    /// The positions of the queues of its path among their siblings, from the root.
    pub queue_order: Vec<QueuePosition>,
    /// The number of applications of its queue before its own.
    pub applications: u64,
    /// The number of requests of its application before it.
    pub asks: u64,
    /// The sum of their requested resources.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub ahead: ResourceMap,
    /// The first applications of its queue before it.
    pub first_applications: Vec<String>,
    /// As text; empty: nothing is before it.
    pub text: String,
}

/// The position of a queue among its siblings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QueuePosition {
    /// The full path of the queue.
    pub queue: String,
    /// Its position, from 1; the first is tried first.
    pub place: u64,
    /// The number of siblings with pending requests, including itself.
    pub of: u64,
    /// Its priority among them.
    pub priority: i32,
    /// Usage divided by guarantee, largest first.
    pub share: Vec<f64>,
}

/// The result of cycles from a time on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CauseChange {
    /// The time of the first such cycle after another result.
    pub since: i64,
    /// `limit`, `queue`, `node` or `gang`: the check that failed.
    pub level: String,
    /// The check, as text.
    pub text: String,
}

/// Allocations that were considered and not selected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RetainedText {
    /// The number of allocations, their queue, and the reason.
    pub text: String,
    /// Their leaf, as a queue.
    pub names: Named,
}

/// Whether other allocations would be preempted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PreemptionAnswer {
    /// Whether some allocations can be preempted.
    pub possible: bool,
    /// The victims, or the first reason why nothing can be preempted; empty if preemption would not help.
    pub why: String,
    /// If nothing can be preempted: the considered allocations, with the reason.
    #[serde(rename = "kept")]
    pub retained: Vec<RetainedText>,
}

/// A change that removes a blocker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RemedyText {
    /// Whether it is sufficient; otherwise the other insufficient changes are needed too.
    pub enough: bool,
    /// The change, as text.
    pub text: String,
    /// The object that is changed or ended.
    pub names: Named,
    /// Whether it was tested on a copy of the state, where the request was allocated.
    pub tried: bool,
    /// Its side effects, one sentence each: applications that wait instead, are preempted, or lose allocations.
    pub effects: Vec<String>,
}
