//! Nodes and their utilization (`rest.md` 5.5, 5.15).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::Context;
use super::app::allocation;
use crate::dto;
use model::{AppId, AskId, Resource};
use view::{AppRow, AskNotes, AskRow, ForeignAllocation, NodeRow, PartitionView};

const NODE_PARTITION: &str = "si/node-partition";
const BUCKETS: [&str; 10] =
    ["0-10%", "10-20%", "20-30%", "30-40%", "40-50%", "50-60%", "60-70%", "70-80%", "80-90%", "90-100%"];

/// Converts all nodes of a partition, by ID.
pub fn nodes(context: &Context, partition: &PartitionView) -> Vec<dto::Node> {
    let asks = asks(partition.apps.iter().flatten());
    partition.nodes.values().map(|row| one(context, partition, row, &asks)).collect()
}

/// Converts a node with its allocations and foreign ones.
pub fn node(context: &Context, partition: &PartitionView, row: &NodeRow) -> dto::Node {
    // One pass over all applications.
    let here: BTreeSet<&AppId> = row.allocations.values().map(|allocation| &allocation.app).collect();
    let live = partition.apps.iter().flatten().filter(|app| here.contains(&app.id));
    one(context, partition, row, &asks(live))
}

type Asks<'a> = HashMap<(&'a AppId, &'a AskId), (&'a AskRow, Option<&'a Arc<AskNotes>>)>;

fn asks<'a>(apps: impl Iterator<Item = &'a Arc<AppRow>>) -> Asks<'a> {
    let of_app = |app: &'a Arc<AppRow>| {
        let noted = |(arrival, ask): (&'a u64, &'a Arc<AskRow>)| ((&app.id, &ask.id), (&**ask, app.notes.get(arrival)));
        app.asks.iter().map(noted)
    };
    apps.flat_map(of_app).collect()
}

fn one(context: &Context, partition: &PartitionView, row: &NodeRow, asks: &Asks<'_>) -> dto::Node {
    let attribute = |key: &str| row.attributes.get(key).cloned().unwrap_or_default();
    let mut attributes = BTreeMap::clone(&row.attributes);
    let place = format!("[{}]{}", context.cluster_id, partition.name);
    // The data of a remote scheduler contains it already.
    if !context.cluster_id.is_empty() || !attributes.contains_key(NODE_PARTITION) {
        attributes.insert(NODE_PARTITION.to_owned(), place);
    }
    let mut allocations: Vec<dto::Allocation> = Vec::with_capacity(row.allocations.len());
    for entry in row.allocations.values() {
        let found = asks.get(&(&entry.app, &entry.ask));
        allocations.extend(found.and_then(|(ask, notes)| allocation(context, &entry.app, ask, *notes)));
    }
    allocations.sort_by(|a, b| (&a.allocation_key, &a.application_id).cmp(&(&b.allocation_key, &b.application_id)));
    let mut reservations: Vec<dto::Reservation> =
        row.reservations.iter().map(|(_, ask)| dto::Reservation { of: None, key: ask.as_str().to_owned() }).collect();
    reservations.sort_by(|a, b| a.key.cmp(&b.key));
    dto::Node {
        node_id: row.id.as_str().to_owned(),
        host_name: attribute("si/hostname"),
        rack_name: attribute("si/rackname"),
        attributes,
        capacity: (&row.capacity).into(),
        allocated: (&row.allocated).into(),
        occupied: (&row.occupied).into(),
        available: available(row).into(),
        utilized: row.capacity.used_percent(&row.allocated).into(),
        allocations,
        foreign_allocations: row.foreign.iter().map(|one| foreign(context, row, one)).collect(),
        schedulable: row.schedulable,
        is_reserved: !reservations.is_empty(),
        reservations,
        other: BTreeMap::new(),
    }
}

/// Converts a foreign allocation, which kornsole never preempts.
fn foreign(context: &Context, row: &NodeRow, one: &ForeignAllocation) -> dto::ForeignAllocation {
    let mut tags =
        BTreeMap::from([("foreign".to_owned(), if one.is_static { "static" } else { "default" }.to_owned())]);
    if let Some((namespace, pod)) = one.name.split_once('/') {
        tags.insert("kubernetes.io/meta/namespace".to_owned(), namespace.to_owned());
        tags.insert("kubernetes.io/meta/podName".to_owned(), pod.to_owned());
    }
    dto::ForeignAllocation {
        allocation_key: one.id.clone(),
        allocation_tags: tags,
        allocation_time: one.since.map_or(0, |at| context.wall.nanos(at)),
        resource: (&one.resource).into(),
        priority: one.priority,
        node_id: row.id.as_str().to_owned(),
        preemptable: false,
        other: BTreeMap::new(),
    }
}

/// The free resources of a node without zeros.
fn available(row: &NodeRow) -> Resource {
    let mut left = row.available();
    left.prune();
    left
}

/// The utilization of the nodes of each partition.
pub fn utilizations(context: &Context, partitions: &[PartitionView]) -> Vec<dto::PartitionUtilization> {
    let of = |partition: &PartitionView| dto::PartitionUtilization {
        cluster_id: context.cluster_id.clone(),
        partition: partition.name.to_string(),
        utilizations: types(partition).into_iter().map(|kind| of_type(partition, &kind)).collect(),
    };
    partitions.iter().map(of).collect()
}

/// The utilization of the most used resource type; empty without nodes.
pub fn utilization(partition: &PartitionView) -> dto::NodeUtilization {
    let share = |(name, capacity): (&str, i64)| (percent(capacity, partition.allocated.amount(name)), name.to_owned());
    let most = partition.capacity.iter().map(share).max();
    most.filter(|_| !partition.nodes.is_empty()).map(|(_, kind)| of_type(partition, &kind)).unwrap_or_default()
}

fn types(partition: &PartitionView) -> BTreeSet<String> {
    let names = partition.nodes.values().flat_map(|node| node.capacity.iter().map(|(name, _)| name.to_owned()));
    names.collect()
}

fn of_type(partition: &PartitionView, kind: &str) -> dto::NodeUtilization {
    let mut buckets: Vec<Vec<String>> = vec![Vec::new(); BUCKETS.len()];
    for node in partition.nodes.values() {
        if let Some(capacity) = node.capacity.get(kind) {
            let percent = percent(capacity, node.allocated.amount(kind));
            let at = usize::try_from((percent - 1).max(0) / 10).unwrap_or(usize::MAX).min(BUCKETS.len() - 1);
            buckets[at].push(node.id.as_str().to_owned());
        }
    }
    let bucket = |(name, nodes): (&'static str, Vec<String>)| dto::Bucket {
        bucket_name: Cow::Borrowed(name),
        num_of_nodes: i64::try_from(nodes.len()).unwrap_or(i64::MAX),
        node_names: nodes,
    };
    dto::NodeUtilization { kind: kind.to_owned(), utilization: BUCKETS.into_iter().zip(buckets).map(bucket).collect() }
}

/// Used share of a capacity in percent, rounded down.
fn percent(capacity: i64, used: i64) -> i64 {
    let of = |amount| {
        let mut one = Resource::new();
        one.set("", amount);
        one
    };
    of(capacity).used_percent(&of(used)).amount("")
}
