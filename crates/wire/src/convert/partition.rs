//! Clusters and partitions (`rest.md` 5.1, 5.2).

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Context;
use super::queue::state;
use crate::dto;
use model::Profile;
use view::{PartitionView, View};

/// Converts the view to one object per partition.
pub fn clusters(context: &Context, view: &View) -> Vec<dto::Cluster> {
    let about = [
        ("arch", std::env::consts::ARCH),
        ("buildVersion", env!("CARGO_PKG_VERSION")),
        ("isPluginVersion", "false"),
        ("rmId", &context.cluster_id),
    ];
    // 1.9.0 has no plugin version.
    let is_reported =
        |key: &str, part: &PartitionView| key != "isPluginVersion" || part.rules.profile() != Profile::V1_9_0;
    let of = |partition: &PartitionView| dto::Cluster {
        start_time: context.wall.start(),
        rm_build_information: vec![
            about
                .iter()
                .filter(|(key, _)| is_reported(key, partition))
                .map(|(key, text)| ((*key).into(), (*text).into()))
                .collect(),
        ],
        partition: partition.name.to_string(),
        cluster_name: Cow::Borrowed("kornsole"),
        other: BTreeMap::new(),
    };
    view.partitions.iter().map(of).collect()
}

/// Converts all partitions in the order of the view.
pub fn partitions(context: &Context, view: &View) -> Vec<dto::Partition> {
    view.partitions.iter().map(|row| partition(context, row)).collect()
}

/// Converts a partition with its counters of applications, containers, and nodes.
pub fn partition(context: &Context, row: &PartitionView) -> dto::Partition {
    let allocations: usize = row.nodes.values().map(|node| node.allocations.len()).sum();
    let since = row.root().map(|root| root.state_since).unwrap_or_default();
    dto::Partition {
        cluster_id: context.cluster_id.clone(),
        name: row.name.to_string(),
        capacity: dto::Capacity {
            capacity: (&row.capacity).into(),
            used_capacity: (&row.allocated).into(),
            utilization: row.capacity.used_percent(&row.allocated).into(),
        },
        node_sorting_policy: dto::NodeSortingPolicy {
            kind: Cow::Borrowed(row.node_sort.policy.name()),
            resource_weights: row.node_sort.weights.clone(),
        },
        preemption_enabled: Some(row.preemption),
        quota_preemption_enabled: Some(row.quota_preemption),
        total_nodes: i64::try_from(row.nodes.len()).unwrap_or(i64::MAX),
        applications: by_state(row),
        total_containers: i64::try_from(allocations).unwrap_or(i64::MAX),
        state: state(row.state),
        last_state_transition_time: context.wall.nanos(since),
        other: BTreeMap::new(),
    }
}

/// The number of retained applications by state, and `total`.
fn by_state(row: &PartitionView) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    let mut total = 0;
    for app in row.apps.iter().flatten().chain(&row.ended) {
        *counts.entry(app.state.name()).or_insert(0) += 1;
        total += 1;
    }
    let named = counts.into_iter().map(|(state, count)| (state.to_owned(), count));
    named.chain([("total".to_owned(), total)]).collect()
}
