//! Queues (`rest.md` 5.3).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use super::duration::go_duration;
use crate::dto;
use config::AppSortPolicy;
use config::TemplateConfig;
use config::properties::DEFAULT_PREEMPTION_DELAY;
use model::Resource;
use view::{PartitionView, QueueRow};

/// Converts a queue without its children.
pub fn queue(partition: &PartitionView, row: &QueueRow) -> dto::Queue {
    one(partition, row, partition.headroom(row).as_ref())
}

/// Converts a queue with its subtree.
pub fn queue_tree(partition: &PartitionView, row: &QueueRow) -> dto::Queue {
    let above = row.parent.and_then(|parent| partition.queue(parent));
    tree(partition, row, above.and_then(|above| partition.headroom(above)).as_ref())
}

fn tree(partition: &PartitionView, row: &QueueRow, above: Option<&Resource>) -> dto::Queue {
    let rest = row.max.as_ref().map(|max| max.sub_only_existing(&row.allocated));
    let headroom = Resource::min_permissive_unset(rest.as_ref(), above);
    let mut queue = one(partition, row, headroom.as_ref());
    // A queue is large, so avoid moves.
    queue.children.reserve_exact(row.children.len());
    let children = row.children.iter().filter_map(|slot| partition.queue(*slot));
    queue.children.extend(children.map(|child| tree(partition, child, headroom.as_ref())));
    queue
}

fn one(partition: &PartitionView, row: &QueueRow, headroom: Option<&Resource>) -> dto::Queue {
    let settings = &row.settings;
    let map = |resource: Option<&Resource>| resource.map(dto::ResourceMap::from).unwrap_or_default();
    let used = row.max.as_ref().map(|max| max.used_percent(&row.allocated));
    let children = row.children.iter().filter_map(|slot| partition.queue(*slot));
    dto::Queue {
        queue_name: row.path.as_str().to_owned(),
        status: state(row.state),
        partition: partition.name.to_string(),
        pending_resource: (&row.pending).into(),
        max_resource: map(row.max.as_ref()),
        guaranteed_resource: map(row.guaranteed.as_ref()),
        allocated_resource: (&row.allocated).into(),
        preempting_resource: (&row.preempting).into(),
        headroom: map(headroom),
        is_leaf: row.leaf,
        is_managed: row.managed,
        properties: settings.properties.iter().map(|row| (row.key.clone(), row.value.clone())).collect(),
        parent: row.path.as_str().rsplit_once('.').map(|(parent, _)| parent.to_owned()).unwrap_or_default(),
        template: settings.template.as_ref().filter(|_| !row.leaf).map(|(_, template)| self::template(template)),
        children: Vec::new(),
        child_names: children.map(|child| child.path.as_str().to_owned()).collect(),
        abs_used_capacity: used.unwrap_or_default().into(),
        max_running_apps: row.max_running.unwrap_or_default(),
        running_apps: row.running,
        current_priority: row.priority.current.0,
        allocating_accepted_apps: row.allocating_apps.iter().map(|app| app.as_str().to_owned()).collect(),
        // A parent has only one sort order.
        sorting_policy: Cow::Borrowed(if row.leaf { settings.app_sort.name() } else { AppSortPolicy::Fair.name() }),
        priority_sorting: Some(settings.sort_by_priority),
        preemption_enabled: Some(settings.preemption_policy.is_enabled()),
        is_preemption_fence: Some(settings.preemption_policy.is_fence()),
        preemption_delay: match settings.preemption_delay {
            DEFAULT_PREEMPTION_DELAY => Cow::Borrowed("30s"),
            delay => Cow::Owned(go_duration(delay)),
        },
        quota_preemption_delay: match settings.quota_preemption_delay {
            Duration::ZERO => Cow::Borrowed("0s"),
            delay => Cow::Owned(go_duration(delay)),
        },
        is_priority_fence: Some(row.priority.policy.is_fence()),
        priority_offset: row.priority.offset,
        other: BTreeMap::new(),
    }
}

pub(super) fn template(template: &TemplateConfig) -> dto::Template {
    dto::Template {
        max_applications: template.max_applications.unwrap_or_default(),
        max_resource: template.max.as_ref().map(dto::ResourceMap::from).unwrap_or_default(),
        guaranteed_resource: template.guaranteed.as_ref().map(dto::ResourceMap::from).unwrap_or_default(),
        properties: template.properties.clone(),
    }
}

pub(super) fn state(state: model::QueueState) -> dto::Word {
    use model::QueueState::{Active, Draining, Stopped};
    Cow::Borrowed(match state {
        Active => "Active",
        Draining => "Draining",
        Stopped => "Stopped",
    })
}
