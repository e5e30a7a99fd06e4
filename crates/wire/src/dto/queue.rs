//! Queues (`rest.md` 5.3).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{Other, ResourceMap, Word};

/// A queue, optionally with its subtree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Queue {
    /// The full path in lowercase.
    #[serde(rename = "queuename", deserialize_with = "read")]
    pub queue_name: String,
    /// `Active`, `Draining`, or `Stopped`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub status: Word,
    /// YuniKorn sets it only at the top, so use the requested one.
    #[serde(deserialize_with = "read")]
    pub partition: String,
    /// Pending resources of the subtree.
    #[serde(skip_serializing_if = "is_empty")]
    pub pending_resource: ResourceMap,
    /// The queue's own maximum; the root's is the sum of the nodes.
    #[serde(skip_serializing_if = "is_empty")]
    pub max_resource: ResourceMap,
    /// The queue's own guaranteed resources.
    #[serde(skip_serializing_if = "is_empty")]
    pub guaranteed_resource: ResourceMap,
    /// Usage of the subtree.
    #[serde(skip_serializing_if = "is_empty")]
    pub allocated_resource: ResourceMap,
    /// Resources being preempted in the subtree.
    #[serde(skip_serializing_if = "is_empty")]
    pub preempting_resource: ResourceMap,
    /// The headroom over the path, the minimum per type; may be negative. Since 1.5.
    #[serde(skip_serializing_if = "is_empty")]
    pub headroom: ResourceMap,
    /// Whether it accepts applications; otherwise it accepts queues.
    #[serde(deserialize_with = "read")]
    pub is_leaf: bool,
    /// Whether it is configured; otherwise a placement rule created it.
    #[serde(deserialize_with = "read")]
    pub is_managed: bool,
    /// Configured and inherited properties.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub properties: BTreeMap<String, String>,
    /// The parent's full path; empty for the root.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub parent: String,
    /// The template of dynamic child queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<Template>,
    /// The child queues.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub children: Vec<Queue>,
    /// Full paths of the direct children. Reads 1.5's `childrenNames`; absent before.
    #[serde(alias = "childrenNames", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub child_names: Vec<String>,
    /// Used share of the maximum, in percent, for its types.
    #[serde(skip_serializing_if = "is_empty")]
    pub abs_used_capacity: ResourceMap,
    /// Maximum of running applications; 0: no limit.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_running_apps: u64,
    /// Running applications of the subtree.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub running_apps: u64,
    /// The priority visible to the parent; -2147483648 without pending requests.
    #[serde(deserialize_with = "read")]
    pub current_priority: i32,
    /// Accepted applications that already count against the maximum.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocating_accepted_apps: Vec<String>,
    /// `fifo`, `fair`, `stateaware`. Since 1.7, like all that follows.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub sorting_policy: Word,
    /// Whether priority is compared first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority_sorting: Option<bool>,
    /// Whether the queue's own preemption policy is not `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption_enabled: Option<bool>,
    /// Whether it is a preemption fence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_preemption_fence: Option<bool>,
    /// The delay before a request may preempt, in Go's duration form.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub preemption_delay: Word,
    /// The delay of quota preemption; `0s`: never. Since 1.8.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub quota_preemption_delay: Word,
    /// Whether only the offset is visible outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_priority_fence: Option<bool>,
    /// The number that is added to priorities inside.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub priority_offset: i32,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// The template of dynamic child queues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Template {
    /// Maximum of running applications; 0: no limit. Since 1.5.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
    /// The maximum of a dynamic queue.
    #[serde(skip_serializing_if = "is_empty")]
    pub max_resource: ResourceMap,
    /// The guaranteed resources of a dynamic queue.
    #[serde(skip_serializing_if = "is_empty")]
    pub guaranteed_resource: ResourceMap,
    /// The properties of a dynamic queue, by key.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub properties: BTreeMap<String, String>,
}
