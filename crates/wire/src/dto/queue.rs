//! Queues (`rest.md` 5.3).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{Other, ResourceMap, Word};

/// A queue, with its descendants where they were requested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Queue {
    /// The full path, in lower case.
    #[serde(rename = "queuename", deserialize_with = "read")]
    pub queue_name: String,
    /// `Active`, `Draining` or `Stopped`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub status: Word,
    /// The partition. YuniKorn fills it in for the top of a tree only: what was requested holds, not this.
    #[serde(deserialize_with = "read")]
    pub partition: String,
    /// Asked for and not allocated, here and below.
    #[serde(skip_serializing_if = "is_empty")]
    pub pending_resource: ResourceMap,
    /// The queue's own maximum; the root's is the sum of the nodes.
    #[serde(skip_serializing_if = "is_empty")]
    pub max_resource: ResourceMap,
    /// The queue's own guarantee.
    #[serde(skip_serializing_if = "is_empty")]
    pub guaranteed_resource: ResourceMap,
    /// In use, here and below.
    #[serde(skip_serializing_if = "is_empty")]
    pub allocated_resource: ResourceMap,
    /// Marked to be preempted, here and below.
    #[serde(skip_serializing_if = "is_empty")]
    pub preempting_resource: ResourceMap,
    /// What this queue and its ancestors have left, the smallest per type; may be negative. 1.5 on.
    #[serde(skip_serializing_if = "is_empty")]
    pub headroom: ResourceMap,
    /// Takes applications; otherwise it takes queues.
    #[serde(deserialize_with = "read")]
    pub is_leaf: bool,
    /// Stands in the configuration; otherwise a placement rule made it.
    #[serde(deserialize_with = "read")]
    pub is_managed: bool,
    /// Properties as configured or inherited.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub properties: BTreeMap<String, String>,
    /// The parent's full path; empty for the root.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub parent: String,
    /// What dynamic queues below get.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<Template>,
    /// The queues below.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub children: Vec<Queue>,
    /// Full paths of the direct children. Reads 1.5's `childrenNames`; before that it is not there.
    #[serde(alias = "childrenNames", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub child_names: Vec<String>,
    /// Allocated of the maximum, in percent, for the types in it.
    #[serde(skip_serializing_if = "is_empty")]
    pub abs_used_capacity: ResourceMap,
    /// The maximum of running applications; 0: no limit.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_running_apps: u64,
    /// Running applications, here and below.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub running_apps: u64,
    /// The priority that the parent sees; -2147483648: nothing is pending.
    #[serde(deserialize_with = "read")]
    pub current_priority: i32,
    /// Accepted applications that already count against the maximum.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocating_accepted_apps: Vec<String>,
    /// `fifo`, `fair`, `stateaware`. 1.7 on, as all that follows.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub sorting_policy: Word,
    /// Whether priority comes first when sorting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority_sorting: Option<bool>,
    /// Whether the queue's own preemption policy is not `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption_enabled: Option<bool>,
    /// Whether preemption stops at this queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_preemption_fence: Option<bool>,
    /// How long a request waits before it may preempt, in Go's form of durations.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub preemption_delay: Word,
    /// How long a lowered quota waits before it preempts; `0s`: never. 1.8 on.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub quota_preemption_delay: Word,
    /// Whether only the offset is seen outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_priority_fence: Option<bool>,
    /// What is added to priorities inside.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub priority_offset: i32,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// What dynamic queues below a queue get.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Template {
    /// The maximum of running applications; 0: no limit. 1.5 on.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
    /// The maximum that a dynamic queue gets.
    #[serde(skip_serializing_if = "is_empty")]
    pub max_resource: ResourceMap,
    /// The guarantee that a dynamic queue gets.
    #[serde(skip_serializing_if = "is_empty")]
    pub guaranteed_resource: ResourceMap,
    /// The properties that a dynamic queue gets, by key.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub properties: BTreeMap<String, String>,
}
