//! Converts the queues of a view to a configuration, including dynamic queues.

use std::collections::BTreeMap;

use config::{Config, PartitionConfig, Place, Placed, QueueConfig};
use model::{Acl, QueueState};
use view::{PartitionView, QueueRow};

/// All users may submit everywhere, because existing applications were already admitted.
pub(super) fn config(part: &PartitionView) -> Result<Config, String> {
    let root = part.root().ok_or("its queues are not loaded yet")?;
    let mut root = queue(part, root);
    root.submit_acl.value = Acl { all_users: true, ..Acl::default() };
    // The root's maximum is the capacity of the nodes.
    root.max = None;
    let partition = PartitionConfig {
        name: part.name.to_string(),
        root,
        node_sort: (*part.node_sort).clone(),
        preemption: part.preemption,
        quota_preemption: part.quota_preemption,
        ..PartitionConfig::default()
    };
    Ok(Config { partitions: vec![partition], checksum: String::new() })
}

pub(super) fn without_draining(config: &Config, part: &PartitionView) -> Option<Config> {
    let drains = |path: &QueueConfig| {
        let row = path.path.as_ref().and_then(|path| part.queue_at(path));
        row.is_some_and(|row| row.state == QueueState::Draining)
    };
    if !part.walk().any(|row| row.state == QueueState::Draining) {
        return None;
    }
    let mut config = config.clone();
    for partition in &mut config.partitions {
        prune(&mut partition.root, &drains);
    }
    Some(config)
}

fn prune(queue: &mut QueueConfig, drains: &dyn Fn(&QueueConfig) -> bool) {
    queue.children.retain(|child| !drains(child));
    for child in &mut queue.children {
        prune(child, drains);
    }
}

fn queue(part: &PartitionView, row: &QueueRow) -> QueueConfig {
    let settings = &row.settings;
    let at = settings.at.unwrap_or_default();
    let children = row.children.iter().filter_map(|slot| part.queue(*slot));
    let properties: BTreeMap<String, Placed<String>> =
        settings.properties.iter().map(|one| (one.key.clone(), placed(one.value.clone(), at))).collect();
    let template = settings.template.as_ref().filter(|(from, _)| *from == row.path);
    QueueConfig {
        name: row.path.name().to_owned(),
        path: Some(row.path.clone()),
        capitals: false,
        at,
        parent: !row.leaf,
        children: children.map(|child| queue(part, child)).collect(),
        max_applications: row.max_running.map(|max| placed(max, at)),
        properties,
        admin_acl: placed(settings.admin_acl.clone(), at),
        submit_acl: placed(settings.submit_acl.clone(), at),
        guaranteed: row.guaranteed.clone().map(|amount| placed(amount, at)),
        max: row.max.clone().map(|amount| placed(amount, at)),
        limits: settings.limits.list().iter().map(|limit| (**limit).clone()).collect(),
        template: template.map(|(_, template)| (**template).clone()),
    }
}

const fn placed<T>(value: T, at: Place) -> Placed<T> {
    Placed { value, at }
}
