//! Requests that never run, with reasons.

use std::collections::BTreeMap;

use model::{QueuePath, Resource, Time};
use scheduler::Partition;
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;
use view::waiting::Sentence;

/// Milliseconds; `null` on the wire.
pub const NEVER: u64 = u64::MAX;

/// Requests that never run for one reason.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NeverRuns {
    /// Number of requests.
    pub count: u64,
    /// The first one: `application/request`.
    pub first: String,
    /// Of the first one; the others are of the same kind.
    pub cause: NeverCause,
}

/// Quantities in base units (bytes, millicores).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum NeverCause {
    /// No node has enough of a resource.
    Node {
        /// The name of the resource.
        resource: String,
        /// What the first ask requests.
        wants: i64,
        /// Quantity of the largest node; 0 if no node has the resource.
        most: i64,
    },
    /// No node fits all quantities together.
    Together {
        /// What the first ask requests.
        wants: BTreeMap<String, i64>,
    },
    /// The required node is not in the cluster.
    RequiredNode {
        /// The id of the node.
        node: String,
    },
    /// Above the maximum of a queue.
    Queue {
        /// The path of the queue.
        queue: String,
        /// The name of the resource.
        resource: String,
        /// What the first ask requests.
        wants: i64,
        /// Maximum of the queue.
        max: i64,
    },
    /// Pending, and nothing else will happen.
    Stuck {
        /// The blocker of the first request, in a sentence.
        why: String,
    },
}

pub(super) struct Judge<'s> {
    part: &'s Partition,
    now: Time,
    /// Nothing else will happen: all pending requests stay pending.
    over: bool,
    largest: Resource,
    /// Cached reason: jobs have many identical requests.
    last: Option<(QueuePath, Resource, Option<NeverCause>)>,
    found: Vec<(QueuePath, NeverRuns)>,
}

impl<'s> Judge<'s> {
    pub fn new(part: &'s Partition, now: Time, over: bool) -> Self {
        let mut largest = Resource::new();
        for node in part.nodes.iter() {
            largest = largest.max(&node.total);
        }
        Self { part, now, over, largest, last: None, found: Vec::new() }
    }

    /// Counts the reason if true.
    pub fn never_runs(&mut self, app: &Application, ask: &Ask) -> bool {
        let cause = match &self.last {
            Some((queue, resource, cause))
                if ask.rare.required_node.is_none() && *queue == app.queue_path && *resource == ask.resource =>
            {
                cause.clone()
            }
            _ => self.cause(app, ask),
        };
        if ask.rare.required_node.is_none() {
            self.last = Some((app.queue_path.clone(), ask.resource.clone(), cause.clone()));
        }
        let Some(cause) = cause else { return false };
        let identical = |(queue, other): &&mut (QueuePath, NeverRuns)| match (&other.cause, &cause) {
            (NeverCause::Stuck { .. }, NeverCause::Stuck { .. }) => *queue == app.queue_path,
            (NeverCause::Node { resource, .. }, NeverCause::Node { resource: other, .. }) => resource == other,
            (NeverCause::Together { .. }, NeverCause::Together { .. }) => true,
            (NeverCause::Queue { queue, resource, .. }, NeverCause::Queue { queue: of, resource: other, .. }) => {
                (queue, resource) == (of, other)
            }
            (one, other) => one == other,
        };
        match self.found.iter_mut().find(identical) {
            Some((_, found)) => found.count += 1,
            None => {
                let first = format!("{}/{}", app.id, ask.id);
                self.found.push((app.queue_path.clone(), NeverRuns { count: 1, first, cause }));
            }
        }
        true
    }

    /// Returns the reasons, the most frequent first.
    pub fn found(self) -> Vec<NeverRuns> {
        let mut found: Vec<NeverRuns> = self.found.into_iter().map(|(_, found)| found).collect();
        found.sort_by(|one, other| (other.count, &one.first).cmp(&(one.count, &other.first)));
        found
    }

    fn cause(&self, app: &Application, ask: &Ask) -> Option<NeverCause> {
        self.no_node(ask).or_else(|| self.above_maximum(app, ask)).or_else(|| {
            let why = || {
                let explained = self.part.explain(self.now, &app.id, Some(&ask.id));
                let blocker = explained.as_ref().and_then(|all| all.asks.first()?.blockers.first());
                blocker.map(Sentence::sentence).unwrap_or_default()
            };
            self.over.then(|| NeverCause::Stuck { why: why() })
        })
    }

    fn no_node(&self, ask: &Ask) -> Option<NeverCause> {
        if let Some(required) = &ask.rare.required_node {
            let Some(node) = self.part.nodes.iter().find(|node| node.id == *required) else {
                return Some(NeverCause::RequiredNode { node: required.to_string() });
            };
            return too_large(&node.total, ask);
        }
        too_large(&self.largest, ask).or_else(|| {
            let fits = self.part.nodes.iter().any(|node| too_large(&node.total, ask).is_none());
            (!fits).then(|| NeverCause::Together { wants: by_name(&ask.resource) })
        })
    }

    fn above_maximum(&self, app: &Application, ask: &Ask) -> Option<NeverCause> {
        std::iter::successors(Some(app.queue_path.clone()), QueuePath::parent).find_map(|path| {
            let queue = self.part.queues.get(self.part.queues.find(&path)?)?;
            // The maximum of the root is the nodes' capacity.
            let max = queue.max.as_ref().filter(|_| path.parent().is_some())?;
            let over = ask.resource.iter().find(|(name, wants)| max.get(name).is_some_and(|max| *wants > max));
            over.map(|(name, wants)| NeverCause::Queue {
                queue: path.to_string(),
                resource: name.to_owned(),
                wants,
                max: max.amount(name),
            })
        })
    }
}

fn too_large(total: &Resource, ask: &Ask) -> Option<NeverCause> {
    let over = ask.resource.iter().filter(|(name, wants)| *wants > total.amount(name).max(0));
    let ratio = |(name, wants): &(&str, i64)| *wants as f64 / total.amount(name).max(0) as f64;
    let most = over.max_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    most.map(|(name, wants)| NeverCause::Node { resource: name.to_owned(), wants, most: total.amount(name).max(0) })
}

pub(super) fn by_name(resource: &Resource) -> BTreeMap<String, i64> {
    resource.iter().map(|(name, amount)| (name.to_owned(), amount)).collect()
}

/// Serializes a wait; [`NEVER`] is `null`.
pub mod wait {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::NEVER;

    /// Writes [`NEVER`] as `null`.
    ///
    /// # Errors
    /// The serializer's.
    pub fn serialize<S: Serializer>(wait: &u64, to: S) -> Result<S::Ok, S::Error> {
        (*wait != NEVER).then_some(*wait).serialize(to)
    }

    /// Reads `null` as [`NEVER`].
    ///
    /// # Errors
    /// The deserializer's.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.unwrap_or(NEVER))
    }
}
