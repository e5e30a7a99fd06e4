//! Names of resources in groups that no request can mean.

use std::collections::BTreeSet;

use super::group::{InstanceType, NodeGroup};
use crate::simulate::Workload;
use model::spelling::nearest;
use model::{Resource, VCORE};
use scheduler::Partition;

/// For proposals. Names with a domain are known by the domain.
const KEYS: [&str; 14] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "pods",
    "price",
    "arch",
    "min",
    "max",
    "delay",
    "patience",
    "unneeded",
    "consolidate",
    "weight",
    "limit.cpu",
];

/// The names that requests and nodes of a partition use.
pub fn requested_names(part: &Partition) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, app) in part.apps.iter() {
        app.asks.iter().for_each(|(_, ask)| add(&mut names, &ask.resource));
    }
    part.nodes.iter().for_each(|node| add(&mut names, &node.total));
    names
}

fn add(names: &mut BTreeSet<String>, resource: &Resource) {
    for (name, _) in resource.iter().filter(|(name, _)| !is_usual(name)) {
        if !names.contains(name) {
            names.insert(name.to_owned());
        }
    }
}

impl Workload {
    /// The names that requests and nodes use, without those of Kubernetes and those with a domain.
    pub fn own_names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for job in &self.jobs {
            job.tasks.iter().for_each(|task| add(&mut names, &task.resource));
            let placeholders = job.gang.iter().flat_map(|gang| &gang.placeholders);
            placeholders.for_each(|ask| add(&mut names, &ask.resource));
        }
        self.nodes.iter().for_each(|node| add(&mut names, &node.capacity));
        names
    }
}

/// Of Kubernetes, or an extended resource.
fn is_usual(name: &str) -> bool {
    matches!(name, VCORE | "memory" | "ephemeral-storage" | "pods")
        || name.starts_with("hugepages-")
        || name.starts_with("attachable-volumes-")
        || name.contains('/')
}

/// Fails for a key that is neither an option nor a resource that a request can name.
pub fn checked_names(groups: &[NodeGroup], requested: &BTreeSet<String>) -> Result<(), String> {
    for group in groups {
        let wrong = |resource: &Resource, start: &str| {
            let mut names = resource.iter().map(|(name, _)| name);
            names.find(|name| !is_usual(name) && !requested.contains(*name)).map(|name| format!("{start}{name}"))
        };
        let types = || group.types.iter().find_map(|InstanceType { capacity, .. }| wrong(capacity, ""));
        let Some(key) = wrong(&group.limits, "limit.").or_else(types) else { continue };
        // The words for a GPU are as near to `cpu` as a misspelling.
        let meant = nearest(&key, KEYS)
            .filter(|_| !matches!(&*key, "gpu" | "gpus"))
            .map_or_else(String::new, |near| format!("did you mean {near}? "));
        return Err(format!(
            "node group {}: unknown key {key}: no request names this resource; {meant}keys are {}, limit.RESOURCE, and resources such as \
             nvidia.com/gpu",
            group.name,
            KEYS[..KEYS.len() - 1].join(", "),
        ));
    }
    Ok(())
}
