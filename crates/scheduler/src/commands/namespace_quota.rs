//! Quotas in the tags of an application, for its dynamic leaf (SCH-187, PLC-076).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::configuration::load_queues::report_resources;
use crate::index::QueueKey;
use crate::interface::event::Event;
use crate::interface::switches::RecoveryQueue;
use crate::placement::tag;
use crate::state::partition::Partition;
use crate::state::queue::Settings;
use model::{Resource, Time};

const QUOTA: &str = "namespace.resourcequota";
const GUARANTEED: &str = "namespace.resourceguaranteed";
const MAX_APPS: &str = "namespace.resourcemaxapps";

impl Partition {
    /// Managed queues keep their configuration.
    pub(crate) fn apply_namespace_tags(
        &mut self,
        now: Time,
        leaf: QueueKey,
        recovery: bool,
        tags: &BTreeMap<String, String>,
        events: &mut Vec<Event>,
    ) {
        if self.queues[leaf].managed || (recovery && self.switches.recovery_queue != RecoveryQueue::TemplateAndTags) {
            return;
        }
        let (quota, guaranteed) = (resource_tag(tags, QUOTA), resource_tag(tags, GUARANTEED));
        let together = self.switches.namespace_tags_together && (quota.is_some() || guaranteed.is_some());
        let max_apps = tag(tags, MAX_APPS).and_then(|text| text.parse::<u64>().ok()).filter(|max| *max > 0);
        let queue = &mut self.queues[leaf];
        let before = (queue.max.clone(), queue.guaranteed.clone());
        if together || quota.is_some() {
            queue.max = quota;
        }
        if together || guaranteed.is_some() {
            queue.guaranteed = guaranteed;
        }
        if let Some(max) = max_apps.filter(|_| self.switches.namespace_tags_together) {
            queue.settings = Arc::new(Settings { max_applications: Some(max), ..(*queue.settings).clone() });
        }
        report_resources(now, queue, before, events);
        queue.refresh_share();
        self.share_bases_stale = true;
        self.mark_queue(leaf);
    }
}

/// Parses `{"resources":{"memory":{"value":100}}}`. `None` if it contains nothing positive.
fn resource_tag(tags: &BTreeMap<String, String>, name: &str) -> Option<Resource> {
    let json: serde_json::Value = serde_json::from_str(tag(tags, name)?).ok()?;
    let mut resource = Resource::new();
    for (name, quantity) in json.get("resources")?.as_object()? {
        resource.set(name, quantity.get("value").map_or(Some(0), serde_json::Value::as_i64)?);
    }
    resource.strictly_greater_than_zero().then_some(resource)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Resource> {
        resource_tag(&[("NameSpace.ResourceQuota".to_owned(), text.to_owned())].into(), QUOTA)
    }

    #[test]
    fn reads_a_quota_and_skips_what_is_none() {
        let quota = read(r#"{"resources":{"memory":{"value":100},"vcore":{"value":2000}}}"#);
        assert_eq!(quota, Some([("memory", 100), ("vcore", 2000)].into_iter().collect()));
        for text in [
            "",
            "100",
            r#"{"resources":{}}"#,
            r#"{"resources":{"memory":{"value":0}}}"#,
            r#"{"resources":{"memory":{"value":-1}}}"#,
            r#"{"resources":{"memory":{"value":1.5}}}"#,
            r#"{"resources":{"memory":{"value":99999999999999999999}}}"#,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
