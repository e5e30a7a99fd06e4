//! Events (`rest.md` 5.10 to 5.12). Unknown numbers are kept unchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lenient::{is_empty, read};
use super::{EventGrounds, EventResource, List, Other, Unreadable, grounds, plain, salvage};

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

impl EventBatch {
    /// Reads an answer. An event with an invalid value stays at its place, so that the others keep their ids, and its
    /// message has the reason.
    ///
    /// # Errors
    /// Invalid JSON, or invalid ids.
    pub fn salvaged(bytes: &[u8]) -> Result<Self, Unreadable> {
        let wrong = |error: serde_json::Error| {
            let (line, column) = (error.line().max(1), error.column().max(1));
            Unreadable { line, column, reason: plain(&error) }
        };
        if let Ok(batch) = serde_json::from_slice(bytes) {
            return Ok(batch);
        }
        // Without the numbers that fit no type.
        let mut lost = Vec::new();
        let mut whole: Value = salvage(bytes, &mut lost)?;
        let records = whole.get_mut("EventRecords").and_then(Value::as_array_mut).map(std::mem::take);
        let mut batch: Self = serde_json::from_value(whole).map_err(wrong)?;
        let mut read: Vec<EventRecord> = Vec::new();
        for (index, record) in records.unwrap_or_default().into_iter().enumerate() {
            let before = read.last().map_or(0, |one| one.timestamp_nano);
            let at = format!("EventRecords.{index}.");
            let of = lost.iter().filter_map(|one| Some((one.path.strip_prefix(&at)?.to_owned(), one.reason.clone())));
            read.push(EventRecord::salvaged(&record, of.collect(), before));
        }
        batch.event_records = Some(read).filter(|records| !records.is_empty());
        Ok(batch)
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

impl EventRecord {
    /// Adds the invalid parts to the message. An event without a time gets the time of the one `before`.
    fn salvaged(record: &Value, mut lost: Vec<(String, String)>, before: i64) -> Self {
        let mut unknown = Vec::new();
        let mut event: Self = salvage(record.to_string().as_bytes(), &mut unknown)
            .unwrap_or_else(|why| Self { message: format!("invalid event: {}", why.reason), ..Self::default() });
        lost.extend(unknown.into_iter().map(|one| (one.path, one.reason)));
        for (path, reason) in lost {
            let between = if event.message.is_empty() { "" } else { "; " };
            event.message += &format!("{between}invalid event: {path}: {reason}");
        }
        if event.timestamp_nano == 0 {
            event.timestamp_nano = before;
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_with_an_invalid_value_stays_at_its_place_and_says_why() {
        let text = r#"{"InstanceUUID":"i","LowestID":3,"HighestID":8,"EventRecords":[
            {"type":2,"objectID":"a","message":"m","timestampNano":7},
            {"type":2,"objectID":"b","message":"n","timestampNano":9223372036854775808,"eventChangeType":"x"},
            5, {"type":2,"objectID":7,"timestampNano":8}, ["x"], {"type":3,"objectID":"f","timestampNano":9}]}"#;
        let batch = EventBatch::salvaged(text.as_bytes()).unwrap();
        let records = batch.event_records.unwrap();
        let shown: Vec<_> = records.iter().map(|one| (one.object_id.as_str(), one.timestamp_nano)).collect();
        assert_eq!(shown, [("a", 7), ("b", 7), ("", 7), ("", 8), ("", 8), ("f", 9)]);
        assert_eq!((batch.lowest_id, batch.highest_id, records[0].message.as_str()), (3, 8, "m"));
        for (at, reported) in
            [(1, "n; invalid event: eventChangeType: "), (1, "timestampNano: "), (3, "invalid event: objectID: ")]
        {
            assert!(records[at].message.contains(reported), "{records:?}");
        }
        assert!(records[2].message.starts_with("invalid event: ") && records[4].message.starts_with("invalid event: "));
    }

    #[test]
    fn ids_that_are_invalid_are_an_error() {
        for text in [r#"{"LowestID":-1,"EventRecords":[{"message":"a"}]}"#, r#"{"EventRecords":5}"#, "[]x", ""] {
            assert!(EventBatch::salvaged(text.as_bytes()).is_err(), "{text}");
        }
    }
}
