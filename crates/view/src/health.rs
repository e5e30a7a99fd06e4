//! Consistency checks of a cluster (`rest.md` section 5.13), those of YuniKorn.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{AskState, NodeRow, PartitionView, View};
use model::Resource;

/// The results of the checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// All checks passed.
    pub healthy: bool,
    /// The checks, always in the same order.
    pub checks: Vec<HealthCheck>,
}

/// A check with its result, as on YuniKorn's health page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthCheck {
    /// The name; not unique.
    pub name: Cow<'static, str>,
    /// The description; unique together with the name.
    pub description: Cow<'static, str>,
    /// Whether the check passed.
    pub succeeded: bool,
    /// The findings, for people.
    pub diagnosis: String,
}

impl Health {
    /// The failed checks, one sentence each.
    pub fn failed(&self) -> Vec<String> {
        let failed = self.checks.iter().filter(|check| !check.succeeded);
        failed.map(|check| format!("{}: {}", check.name, check.diagnosis)).collect()
    }
}

/// Runs all checks for an embedded scheduler. Reads every allocation: on demand only, not per frame.
pub fn health(view: &View) -> Health {
    let mut checks = vec![
        // Neither can fail here: the scheduler is in the same process.
        check("Scheduling errors", "Check for scheduling error entries in metrics", "scheduling errors", Vec::new()),
        check("Failed nodes", "Check for failed nodes entries in metrics", "failed nodes", Vec::new()),
    ];
    checks.extend(health_of_snapshot(view).checks);
    Health { healthy: checks.iter().all(|check| check.succeeded), checks }
}

/// Runs the checks that need only a view, so without the internal counters of a remote scheduler.
pub fn health_of_snapshot(view: &View) -> Health {
    let partitions = || view.partitions.iter();
    let checks = vec![
        check(
            "Negative resources",
            "Check for negative resources in the partitions",
            "partitions with negative resources",
            partitions().filter(|partition| is_negative(partition)).map(named).collect(),
        ),
        check(
            "Negative resources",
            "Check for negative resources in the nodes",
            "nodes with negative resources",
            nodes(view, |node| [&node.capacity, &node.allocated, &node.occupied].iter().any(|r| r.has_negative())),
        ),
        check(
            "Consistency of data",
            "Check if total partition resource == sum of the node resources from the partition",
            "partitions with a total that differs from their nodes",
            partitions().filter(|partition| !is_sum_of_nodes(partition)).map(named).collect(),
        ),
        check(
            "Consistency of data",
            "Check if node total resource = allocated resource + occupied resource + available resource",
            "nodes with an allocated quantity that differs from their allocations",
            nodes(view, |node| {
                let sum =
                    node.allocations.values().fold(Resource::new(), |sum, allocation| sum.add(&allocation.resource));
                !equal(&sum, &node.allocated)
            }),
        ),
        check(
            "Reservation check",
            "Check the reservation nr compared to the number of nodes",
            "reservations on nodes of no application",
            partitions().flat_map(stray_reservations).collect(),
        ),
        check(
            "Orphan allocation on node check",
            "Check if there are orphan allocations on the nodes",
            "allocations on nodes of no application",
            partitions().flat_map(|partition| missing(&on_nodes(partition), &of_apps(partition))).collect(),
        ),
        check(
            "Orphan allocation on app check",
            "Check if there are orphan allocations on the applications",
            "allocations of applications on no node",
            partitions().flat_map(|partition| missing(&of_apps(partition), &on_nodes(partition))).collect(),
        ),
    ];
    Health { healthy: checks.iter().all(|check| check.succeeded), checks }
}

fn check(name: &'static str, description: &'static str, what: &str, found: Vec<String>) -> HealthCheck {
    let diagnosis = format!("{} {what}: [{}]", found.len(), found.join(", "));
    let (name, description) = (name.into(), description.into());
    HealthCheck { name, description, succeeded: found.is_empty(), diagnosis }
}

fn named(partition: &PartitionView) -> String {
    partition.name.to_string()
}

fn nodes(view: &View, is_wrong: impl Fn(&NodeRow) -> bool) -> Vec<String> {
    let all = view.partitions.iter().flat_map(|partition| partition.nodes.values());
    all.filter(|node| is_wrong(node)).map(|node| node.id.to_string()).collect()
}

fn equal(one: &Resource, other: &Resource) -> bool {
    one.sub(other).is_zero()
}

fn is_negative(partition: &PartitionView) -> bool {
    let root = partition.root().map(|root| [&root.allocated, &root.pending]);
    let all = [&partition.capacity, &partition.allocated].into_iter().chain(root.into_iter().flatten());
    all.into_iter().any(Resource::has_negative)
}

fn is_sum_of_nodes(partition: &PartitionView) -> bool {
    let sum = partition.nodes.values().fold(Resource::new(), |sum, node| sum.add(&node.capacity));
    equal(&sum, &partition.capacity)
}

/// Reservations for applications that do not exist, as `application/ask`.
fn stray_reservations(partition: &PartitionView) -> Vec<String> {
    let live: BTreeSet<&str> = partition.apps.iter().flatten().map(|app| app.id.as_str()).collect();
    let reserved = partition.nodes.values().flat_map(|node| node.reservations.iter());
    reserved.filter(|(app, _)| !live.contains(app.as_str())).map(|(app, ask)| format!("{app}/{ask}")).collect()
}

type Placed<'v> = (&'v str, &'v str, &'v str);

fn of_apps(partition: &PartitionView) -> BTreeSet<Placed<'_>> {
    let asks = partition.apps.iter().flatten().flat_map(|app| app.asks.values().map(move |ask| (app, ask)));
    asks.filter_map(|(app, ask)| match &ask.state {
        AskState::Allocated { node, .. } => Some((app.id.as_str(), ask.id.as_str(), node.as_str())),
        AskState::Pending { .. } => None,
    })
    .collect()
}

fn on_nodes(partition: &PartitionView) -> BTreeSet<Placed<'_>> {
    let all =
        partition.nodes.values().flat_map(|node| node.allocations.values().map(move |allocation| (node, allocation)));
    all.map(|(node, allocation)| (allocation.app.as_str(), allocation.ask.as_str(), node.id.as_str())).collect()
}

fn missing(one: &BTreeSet<Placed<'_>>, other: &BTreeSet<Placed<'_>>) -> Vec<String> {
    one.difference(other).map(|(app, ask, _)| format!("{app}/{ask}")).collect()
}
