//! Applications, their requests and allocations (`rest.md` 5.4).

use std::collections::BTreeMap;
use std::fmt;

use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, number, read};
use super::{Deadline, Other, ResourceMap, UsageByType, Word};

/// An application, live or ended, as `/ws/v1/…/applications` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", remote = "Self")]
pub struct Application {
    /// The id that it was submitted with, unique in its partition.
    #[serde(rename = "applicationID", deserialize_with = "read")]
    pub application_id: String,
    /// In use now.
    #[serde(skip_serializing_if = "is_empty")]
    pub used_resource: ResourceMap,
    /// The highest use so far, per type.
    #[serde(skip_serializing_if = "is_empty")]
    pub max_used_resource: ResourceMap,
    /// Asked for and not allocated.
    #[serde(skip_serializing_if = "is_empty")]
    pub pending_resource: ResourceMap,
    /// The partition's name without the cluster id.
    #[serde(deserialize_with = "read")]
    pub partition: String,
    /// The queue's full path; empty when placement refused it.
    #[serde(deserialize_with = "read")]
    pub queue_name: String,
    /// When it was submitted, in nanoseconds since 1970.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub submission_time: i64,
    /// In nanoseconds; 0 while it is not over.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub finished_time: i64,
    /// What is not allocated.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub requests: Vec<Request>,
    /// What is allocated.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocations: Vec<Allocation>,
    /// The state; `Starting` in 1.5 and here.
    #[serde(rename = "applicationState", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub state: Word,
    /// Who submitted it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub user: String,
    /// The groups of the user.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub groups: Vec<String>,
    /// Why it was rejected.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub rejected_message: String,
    /// The states entered, the oldest first.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub state_log: Vec<StateChange>,
    /// Task groups of a gang.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder_data: Vec<PlaceholderData>,
    /// Whether nodes are kept for it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub has_reserved: bool,
    /// For which of its requests.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub reservations: Vec<Reservation>,
    /// The highest priority of its requests; -2147483648: nothing is pending.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_request_priority: i32,
    /// When it first ran, in **milliseconds**; negative: not yet. `None` before 1.6, and here while it has not.
    #[serde(deserialize_with = "read", skip_serializing_if = "Option::is_none")]
    pub start_time: Option<i64>,
    /// Amounts times seconds of ended allocations; `None` before 1.6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_history: Option<ResourceHistory>,
    /// Until then nothing of it is tried (1.8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_deadline: Option<Deadline>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

impl Serialize for Application {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The derived function, which `remote` makes an inherent one.
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Application {
    /// 1.6 has the three parts of the resource history directly in the application.
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

/// A request: an ask that has no node yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Request {
    /// The key, which will be the allocation's.
    #[serde(deserialize_with = "read")]
    pub allocation_key: String,
    /// What the resource manager said of it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_tags: BTreeMap<String, String>,
    /// When it was created, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub request_time: i64,
    /// What is wanted, for each of the pending count.
    #[serde(skip_serializing_if = "is_empty")]
    pub resource: ResourceMap,
    /// How many of it are wanted (up to 1.5); 0 represents one.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub pending_count: i32,
    /// The priority, as text on the wire.
    #[serde(serialize_with = "as_text", deserialize_with = "number")]
    pub priority: i32,
    /// The only node that will do.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub required_node_id: String,
    /// The application whose ask this is.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub application_id: String,
    /// Holds room for a gang.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder: bool,
    /// The task group.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub task_group_name: String,
    /// Why it has no node: one entry for each different message, the oldest `last_occurrence` first.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_log: Vec<LogEntry>,
    /// Something is to be preempted for it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub triggered_preemption: bool,
    /// The first request of the application.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub originator: bool,
    /// A node was looked for (1.5 on).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub scheduling_attempted: bool,
    /// Nodes were requested because of it (1.5 on).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub triggered_scale_up: bool,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// Why a request has no node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LogEntry {
    /// The reason as the scheduler words it; equal ones are counted, not repeated.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub message: Word,
    /// When it last held, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub last_occurrence: i64,
    /// How often it held.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub count: i32,
}

/// An allocation: an ask that has a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Allocation {
    /// The id of its ask, unique only within its application.
    #[serde(deserialize_with = "read")]
    pub allocation_key: String,
    /// What the resource manager said of it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_tags: BTreeMap<String, String>,
    /// When its request was created, or its placeholder's, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub request_time: i64,
    /// When it was allocated (up to 1.5 and here); 1.6 on: when its request was created.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_time: i64,
    /// Between the two, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_delay: i64,
    /// What it uses.
    #[serde(skip_serializing_if = "is_empty")]
    pub resource: ResourceMap,
    /// The priority, as text on the wire.
    #[serde(serialize_with = "as_text", deserialize_with = "number")]
    pub priority: i32,
    /// Where it runs.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub node_id: String,
    /// The application that it belongs to.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub application_id: String,
    /// Holds room for a gang.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder: bool,
    /// Took over from a placeholder.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder_used: bool,
    /// The task group.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub task_group_name: String,
    /// Is being preempted.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub preempted: bool,
    /// The first one of the application (1.6 on).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub originator: bool,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// One task group of a gang.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PlaceholderData {
    /// The task group as the application names it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub task_group_name: String,
    /// The number of requested placeholders.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub count: i64,
    /// The size of one.
    #[serde(skip_serializing_if = "is_empty")]
    pub min_resource: ResourceMap,
    /// Placeholders that a real allocation took over from.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub replaced: i64,
    /// Placeholders that ended otherwise.
    #[serde(rename = "timedout", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub timed_out: i64,
}

/// A state entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StateChange {
    /// When, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub time: i64,
    /// The state that was entered, as `Running`.
    #[serde(rename = "applicationState", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub state: Word,
}

/// Amounts times seconds, by instance type, of ended allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ResourceHistory {
    /// By allocations: for each instance type, resource times seconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub resource_usage: UsageByType,
    /// Of allocations that were preempted.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub preempted_resource: UsageByType,
    /// By placeholders: for each instance type, resource times seconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placeholder_resource: UsageByType,
}

/// A node that is kept for a request: the request's key, and up to 1.6 the other side before it.
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

/// A number that stands as text on the wire.
pub(super) fn as_text<S: Serializer>(number: &i32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}
