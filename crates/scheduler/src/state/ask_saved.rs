//! The saved form of a request: a sequence whose order never changes, so new fields come last and have a default.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::index::AskKey;
use crate::interface::event::ReleaseReason;
use crate::state::ask::{Allocation, Ask};
use crate::state::ask_log::{AskLog, TryResult};
use crate::state::ask_rare::{RareParts, Takeover};
use model::{AppId, AskId, NodeId, Priority, Resource, Tags, Time};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Ask")]
struct SavedAsk {
    id: AskId,
    arrival: u64,
    resource: Resource,
    priority: Priority,
    created: Time,
    #[serde(getter = "required_node")]
    required_node: Option<NodeId>,
    allow_preempt_self: bool,
    allow_preempt_other: bool,
    originator: bool,
    placeholder: bool,
    #[serde(getter = "task_group", with = "model::saved::text_option")]
    task_group: Option<Arc<str>>,
    superseded: bool,
    allocation: Option<Allocation>,
    released: bool,
    #[serde(getter = "takes_over")]
    takes_over: Option<Takeover>,
    #[serde(getter = "gives_way")]
    gives_way: Option<AskKey>,
    tried: TryResult,
    log: AskLog,
    #[serde(getter = "replaced")]
    replaced: Option<Time>,
    fits_queue: bool,
    fits_limits: bool,
    preempted_others: bool,
    #[serde(getter = "preemption_tried")]
    preemption_tried: Option<Time>,
    #[serde(getter = "no_victim_reported")]
    no_victim_reported: Option<Time>,
    #[serde(getter = "predicates_reported")]
    predicates_reported: Option<Time>,
    #[serde(default, getter = "tags")]
    tags: Tags,
    #[serde(default, getter = "reserved_since")]
    reserved_since: Option<Time>,
    #[serde(default, getter = "stopping")]
    stopping: Option<ReleaseReason>,
    #[serde(default, getter = "shadowed")]
    shadowed: bool,
    #[serde(default, getter = "unlisted")]
    unlisted: bool,
    #[serde(default, getter = "limit")]
    limit: Option<Duration>,
    #[serde(default, getter = "behind")]
    behind: Option<AppId>,
}

macro_rules! getters {
    ($($name:ident: $type:ty,)*) => {
        $(fn $name(ask: &Ask) -> &$type {
            &ask.rare.$name
        })*
    };
}

getters! {
    required_node: Option<NodeId>,
    task_group: Option<Arc<str>>,
    takes_over: Option<Takeover>,
    gives_way: Option<AskKey>,
    replaced: Option<Time>,
    preemption_tried: Option<Time>,
    no_victim_reported: Option<Time>,
    predicates_reported: Option<Time>,
    tags: Tags,
    reserved_since: Option<Time>,
    stopping: Option<ReleaseReason>,
    shadowed: bool,
    unlisted: bool,
    limit: Option<Duration>,
    behind: Option<AppId>,
}

impl From<SavedAsk> for Ask {
    fn from(saved: SavedAsk) -> Self {
        let rare = RareParts {
            required_node: saved.required_node,
            task_group: saved.task_group,
            takes_over: saved.takes_over,
            gives_way: saved.gives_way,
            replaced: saved.replaced,
            preemption_tried: saved.preemption_tried,
            no_victim_reported: saved.no_victim_reported,
            predicates_reported: saved.predicates_reported,
            tags: saved.tags,
            reserved_since: saved.reserved_since,
            stopping: saved.stopping,
            shadowed: saved.shadowed,
            unlisted: saved.unlisted,
            limit: saved.limit,
            behind: saved.behind,
        };
        Self {
            id: saved.id,
            arrival: saved.arrival,
            resource: saved.resource,
            priority: saved.priority,
            created: saved.created,
            allow_preempt_self: saved.allow_preempt_self,
            allow_preempt_other: saved.allow_preempt_other,
            originator: saved.originator,
            placeholder: saved.placeholder,
            superseded: saved.superseded,
            allocation: saved.allocation,
            released: saved.released,
            tried: saved.tried,
            log: saved.log,
            fits_queue: saved.fits_queue,
            fits_limits: saved.fits_limits,
            preempted_others: saved.preempted_others,
            rare: rare.into(),
        }
    }
}

impl Serialize for Ask {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        SavedAsk::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for Ask {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        SavedAsk::deserialize(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::command::AskSpec;

    #[test]
    fn an_ask_is_written_as_it_always_was() {
        let spec = AskSpec { required_node: Some("n1".into()), task_group: Some("tg".into()), ..AskSpec::default() };
        let mut ask = Ask::new("t1".into(), 7, Time(5), &spec);
        ask.rare.gives_way = Some(AskKey(3));
        ask.rare.reserved_since = Some(Time(9));
        ask.rare.limit = Some(Duration::from_secs(60));
        let written = serde_json::to_value(&ask).unwrap();
        let names: Vec<&str> = written.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names.len(), 32);
        let bytes = rmp_serde::to_vec(&ask).unwrap();
        type Head = (String, u64, serde_json::Value, i32, u64, Option<String>);
        let values: Vec<serde_json::Value> = rmp_serde::from_slice(&bytes).unwrap();
        let head: Head = serde_json::from_value(values[..6].to_vec().into()).unwrap();
        assert_eq!((head.0.as_str(), head.1, head.4, head.5.as_deref()), ("t1", 7, 5, Some("n1")));
        assert_eq!((&values[10], &values[15], &values[26]), (&"tg".into(), &3.into(), &9.into()));
        let read: Ask = rmp_serde::from_slice(&bytes).unwrap();
        assert_eq!(rmp_serde::to_vec(&read).unwrap(), bytes);
        let short: Ask = rmp_serde::from_slice(&rmp_serde::to_vec(&values[..25]).unwrap()).unwrap();
        assert_eq!((short.id.as_str(), short.rare.reserved_since), ("t1", None));
        let earlier: Ask = rmp_serde::from_slice(&rmp_serde::to_vec(&values[..30]).unwrap()).unwrap();
        assert_eq!(
            (earlier.rare.reserved_since, earlier.rare.limit, read.rare.limit),
            (Some(Time(9)), None, ask.rare.limit)
        );
    }

    #[test]
    fn an_ask_is_small() {
        assert!(size_of::<Ask>() <= 128, "{} bytes", size_of::<Ask>());
        let plain = Ask::new("t1".into(), 7, Time(5), &AskSpec::default());
        assert_eq!(*plain.rare, RareParts::default());
    }
}
