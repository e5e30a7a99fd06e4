//! Applications, their requests, and allocations (`rest.md` 5.4).

use std::collections::BTreeMap;
use std::fmt;

use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, number, read};
use super::{Deadline, Other, ResourceMap, UsageByType, Word};

/// An active or finished application of `/ws/v1/…/applications`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", remote = "Self")]
pub struct Application {
    /// The ID from its submission, unique in its partition.
    #[serde(rename = "applicationID", deserialize_with = "read")]
    pub application_id: String,
    /// The current usage.
    #[serde(skip_serializing_if = "is_empty")]
    pub used_resource: ResourceMap,
    /// The highest usage per type.
    #[serde(skip_serializing_if = "is_empty")]
    pub max_used_resource: ResourceMap,
    /// The pending resources.
    #[serde(skip_serializing_if = "is_empty")]
    pub pending_resource: ResourceMap,
    /// The partition without the cluster ID.
    #[serde(deserialize_with = "read")]
    pub partition: String,
    /// The queue's full path; empty if placement rejected it.
    #[serde(deserialize_with = "read")]
    pub queue_name: String,
    /// Submission time in ns since 1970.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub submission_time: i64,
    /// In ns; 0 while it is not finished.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub finished_time: i64,
    /// The pending requests.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub requests: Vec<Request>,
    /// The current allocations.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocations: Vec<Allocation>,
    /// The state; `Starting` exists only in 1.5 and in kornsole.
    #[serde(rename = "applicationState", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub state: Word,
    /// The submitting user.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub user: String,
    /// The groups of the user.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub groups: Vec<String>,
    /// The reason of a rejection.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub rejected_message: String,
    /// The states entered, oldest first.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub state_log: Vec<StateChange>,
    /// Task groups of a gang.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder_data: Vec<PlaceholderData>,
    /// Whether it has reservations.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub has_reserved: bool,
    /// The reserved requests.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub reservations: Vec<Reservation>,
    /// The highest priority of its requests; -2147483648 without pending requests.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_request_priority: i32,
    /// First start in **milliseconds**; negative: not yet. `None` before 1.6 and before the start.
    #[serde(deserialize_with = "read", skip_serializing_if = "Option::is_none")]
    pub start_time: Option<i64>,
    /// Resources times seconds of released allocations; `None` before 1.6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_history: Option<ResourceHistory>,
    /// End of its backoff (1.8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_deadline: Option<Deadline>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

impl Serialize for Application {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Calls the derived function, which `remote` makes an inherent one.
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Application {
    /// 1.6 has the parts of the history directly in the application.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut app = Self::deserialize(deserializer)?;
        if app.resource_history.is_none() {
            let mut part = |key: &str| app.other.remove(key).map(read::<UsageByType, _>).transpose();
            let parts = (part("resourceUsage"), part("preemptedResource"), part("placeholderResource"));
            let unreadable = |error: serde_json::Error| serde::de::Error::custom(error);
            let (usage, preempted, placeholder) =
                (parts.0.map_err(unreadable)?, parts.1.map_err(unreadable)?, parts.2.map_err(unreadable)?);
            if usage.is_some() || preempted.is_some() || placeholder.is_some() {
                app.resource_history = Some(ResourceHistory {
                    resource_usage: usage.unwrap_or_default(),
                    preempted_resource: preempted.unwrap_or_default(),
                    placeholder_resource: placeholder.unwrap_or_default(),
                });
            }
        }
        Ok(app)
    }
}

/// A pending request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Request {
    /// The key, which the allocation will have.
    #[serde(deserialize_with = "read")]
    pub allocation_key: String,
    /// Tags from the resource manager.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_tags: BTreeMap<String, String>,
    /// Creation time in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub request_time: i64,
    /// The resources of each of the pending count.
    #[serde(skip_serializing_if = "is_empty")]
    pub resource: ResourceMap,
    /// The number of repetitions (up to 1.5); 0 means 1.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub pending_count: i32,
    /// The priority, as text on the wire.
    #[serde(serialize_with = "as_text", deserialize_with = "number")]
    pub priority: i32,
    /// The only allowed node.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub required_node_id: String,
    /// The application of the request.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub application_id: String,
    /// Whether it is a placeholder.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder: bool,
    /// The task group.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub task_group_name: String,
    /// Reasons of pending, one per message, the oldest `last_occurrence` first.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_log: Vec<LogEntry>,
    /// Whether preemption was triggered.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub triggered_preemption: bool,
    /// The first request of the application.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub originator: bool,
    /// Whether a node was searched (since 1.5).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub scheduling_attempted: bool,
    /// Whether it triggered a scale-up (since 1.5).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub triggered_scale_up: bool,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// A reason of a pending request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LogEntry {
    /// The reason in the scheduler's words; equal ones are counted.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub message: Word,
    /// Last occurrence in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub last_occurrence: i64,
    /// Number of occurrences.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub count: i32,
}

/// An allocation: a request with a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Allocation {
    /// The ID of its request, unique only in its application.
    #[serde(deserialize_with = "read")]
    pub allocation_key: String,
    /// Tags from the resource manager.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_tags: BTreeMap<String, String>,
    /// Creation time of its request or placeholder, in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub request_time: i64,
    /// Allocation time; since 1.6, except in kornsole, the request's creation time.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_time: i64,
    /// The difference in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_delay: i64,
    /// The allocated resources.
    #[serde(skip_serializing_if = "is_empty")]
    pub resource: ResourceMap,
    /// The priority, as text on the wire.
    #[serde(serialize_with = "as_text", deserialize_with = "number")]
    pub priority: i32,
    /// The node's ID.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub node_id: String,
    /// The application of the allocation.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub application_id: String,
    /// Whether it is a placeholder.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder: bool,
    /// Whether it replaced a placeholder.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder_used: bool,
    /// The task group.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub task_group_name: String,
    /// Whether it is being preempted.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub preempted: bool,
    /// The first one of the application (since 1.6).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub originator: bool,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// A task group of a gang.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PlaceholderData {
    /// The name of the task group.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub task_group_name: String,
    /// The number of requested placeholders.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub count: i64,
    /// The size of a placeholder.
    #[serde(skip_serializing_if = "is_empty")]
    pub min_resource: ResourceMap,
    /// Placeholders replaced by real allocations.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub replaced: i64,
    /// Placeholders that ended without replacement.
    #[serde(rename = "timedout", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub timed_out: i64,
}

/// A state that was entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StateChange {
    /// Time in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub time: i64,
    /// The new state, for example `Running`.
    #[serde(rename = "applicationState", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub state: Word,
}

/// Resources times seconds of released allocations, by instance type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ResourceHistory {
    /// Of ordinary allocations: resource times seconds by instance type.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub resource_usage: UsageByType,
    /// Of preempted allocations.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub preempted_resource: UsageByType,
    /// Of placeholders: resource times seconds by instance type.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder_resource: UsageByType,
}

/// A reservation: the request's key, up to 1.6 after the node or application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reservation {
    /// The node (in an application) or the application (in a node); up to 1.6.
    pub of: Option<String>,
    /// The request's key.
    pub key: String,
}

impl fmt::Display for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            Some(of) => write!(f, "{of}|{}", self.key),
            None => f.write_str(&self.key),
        }
    }
}

impl Serialize for Reservation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Reservation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(match text.split_once('|') {
            Some((of, key)) => Self { of: Some(of.to_owned()), key: key.to_owned() },
            None => Self { of: None, key: text },
        })
    }
}

pub(super) fn as_text<S: Serializer>(number: &i32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}
