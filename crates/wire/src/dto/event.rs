//! Events (`rest.md` 5.10 to 5.12). Unknown numbers are kept unchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{EventGrounds, EventResource, List, Other, grounds};

/// A sequence of events.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct EventBatch {
    /// The ID of this run of the scheduler.
    #[serde(rename = "InstanceUUID")]
    pub instance_uuid: String,
    /// The lowest retained ID.
    #[serde(rename = "LowestID")]
    pub lowest_id: u64,
    /// The highest ID.
    #[serde(rename = "HighestID")]
    pub highest_id: u64,
    /// `None` if the first requested event is not retained.
    pub event_records: Option<Vec<EventRecord>>,
}

impl<'de> Deserialize<'de> for EventBatch {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Wire {
            #[serde(rename = "InstanceUUID", deserialize_with = "read")]
            instance_uuid: String,
            #[serde(rename = "LowestID", deserialize_with = "read")]
            lowest_id: u64,
            #[serde(rename = "HighestID", deserialize_with = "read")]
            highest_id: u64,
            #[serde(rename = "EventRecords")]
            event_records: Option<List<EventRecord>>,
        }
        let Wire { instance_uuid, lowest_id, highest_id, event_records } = Wire::deserialize(deserializer)?;
        let event_records = event_records.map(|list| list.0).filter(|records| !records.is_empty());
        Ok(Self { instance_uuid, lowest_id, highest_id, event_records })
    }
}

/// The first line of an event stream (since 1.6).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamStart {
    /// The ID of this run of the scheduler.
    #[serde(rename = "InstanceUUID")]
    pub instance_uuid: String,
}

/// An event with the numbers of YuniKorn's protocol for its kinds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct EventRecord {
    /// The kind of `object_id`: 1 request, 2 application, 3 node, 4 queue, 5 user or group.
    #[serde(rename = "type", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub kind: i32,
    /// The object of the event.
    #[serde(rename = "objectID", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub object_id: String,
    /// The message for users.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub message: String,
    /// Time in ns since 1970.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub timestamp_nano: i64,
    /// 0 none, 1 set, 2 add, 3 remove.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub event_change_type: i32,
    /// The detail, a number of `rest.md` 5.12.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub event_change_detail: i32,
    /// The second object.
    #[serde(rename = "referenceID", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub reference_id: String,
    /// The resources of the event, possibly empty.
    #[schemars(with = "Other")]
    pub resource: EventResource,
    /// The inputs of a preemption; Apache YuniKorn does not send them.
    #[serde(deserialize_with = "grounds::read", skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Box<EventGrounds>>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}
