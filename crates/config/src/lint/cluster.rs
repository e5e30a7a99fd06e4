//! W-010 and W-011: values that do not fit the nodes or the pods of a cluster.

use model::quantity::show_amount;
use model::{Resource, parse_quantity};

use super::{Lint, Queue, fields, list};
use crate::node::Fields;
use crate::types::Place;

/// The cluster of a configuration.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The sum of all nodes.
    pub nodes: Option<Resource>,
    /// The requests of pods.
    pub pods: Vec<KnownPod>,
}

/// A pod in a queue.
#[derive(Clone, Debug)]
pub struct KnownPod {
    /// The full path of its queue.
    pub queue: String,
    /// Namespace and name.
    pub name: String,
    /// Its requested resources.
    pub resource: Resource,
}

impl Lint {
    pub(super) fn guarantees(&mut self, queue: Queue<'_, '_>) {
        let Some(nodes) = self.known.nodes.clone() else { return };
        for (name, amount, at) in amounts(queue.fields, "guaranteed") {
            if amount > nodes.amount(name) {
                let message = format!(
                    "guaranteed {name} of {} is {}, and the nodes have {}",
                    queue.path,
                    show_amount(name, amount),
                    show_amount(name, nodes.amount(name))
                );
                self.warn("W-010", at, queue.path, message, "lower the guarantee, or add nodes");
            }
        }
        if queue.above.is_none() {
            self.guarantees_below(queue, &nodes);
        }
    }

    /// If the parent has no guaranteed resources.
    fn guarantees_below(&mut self, queue: Queue<'_, '_>, nodes: &Resource) {
        for (name, sum) in guaranteed_below(queue.fields).iter() {
            let is_own = amounts(queue.fields, "guaranteed").iter().any(|(own, ..)| *own == name);
            let is_of_one = list(queue.fields, "queues").into_iter().filter_map(fields).any(|child| {
                amounts(child, "guaranteed").iter().any(|(own, amount, _)| *own == name && *amount >= sum)
            });
            if sum > nodes.amount(name) && !is_own && !is_of_one {
                let message = format!(
                    "guaranteed {name} of all child queues of {} is {}, and the nodes have {}",
                    queue.path,
                    show_amount(name, sum),
                    show_amount(name, nodes.amount(name))
                );
                self.warn("W-010", queue.fields.at(), queue.path, message, "lower the guarantees, or add nodes");
            }
        }
    }

    pub(super) fn small_maximum(&mut self, queue: Queue<'_, '_>) {
        for (name, amount, at) in amounts(queue.fields, "max") {
            let is_inside = |pod: &&KnownPod| {
                let below =
                    pod.queue.get(queue.path.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
                below && pod.queue.get(..queue.path.len()).is_some_and(|own| own.eq_ignore_ascii_case(queue.path))
            };
            let largest = self.known.pods.iter().filter(is_inside).max_by_key(|pod| pod.resource.amount(name));
            let Some(pod) = largest.filter(|pod| pod.resource.amount(name) > amount) else { continue };
            let message = format!(
                "max {name} of {} is {}, and pod {} requests {}: it never runs",
                queue.path,
                show_amount(name, amount),
                pod.name,
                show_amount(name, pod.resource.amount(name))
            );
            let hint = format!("write at least {}", show_amount(name, pod.resource.amount(name)));
            self.warn("W-011", at, queue.path, message, &hint);
        }
    }
}

fn amounts<'d>(of: Fields<'d>, kind: &str) -> Vec<(&'d str, i64, Place)> {
    let resources = of.get("resources").and_then(fields);
    let all = resources.and_then(|resources| resources.get(kind)).and_then(fields);
    let entries = all.into_iter().flatten();
    entries
        .filter_map(|(key, value)| Some((key.text, parse_quantity(key.text, value.scalar()?.text).ok()?, value.at())))
        .collect()
}

/// If a child has no value for a name, the sum of its children counts.
fn guaranteed_below(queue: Fields<'_>) -> Resource {
    let mut sum = Resource::new();
    for child in list(queue, "queues").into_iter().filter_map(fields) {
        let mut own = guaranteed_below(child);
        for (name, amount, _) in amounts(child, "guaranteed") {
            own.set(name, amount);
        }
        for (name, amount) in own.iter() {
            sum.set(name, sum.amount(name).saturating_add(amount));
        }
    }
    sum
}
