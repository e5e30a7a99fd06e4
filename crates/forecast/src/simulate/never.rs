//! Asks that never run, and why.

use std::collections::BTreeMap;

use model::{QueuePath, Resource, Time};
use scheduler::Partition;
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;
use view::waiting::Sentence;

/// The wait of an ask that never runs, in milliseconds: longer than any other. On the wire it is `null`.
pub const NEVER: u64 = u64::MAX;

/// Asks that never run for one reason.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NeverRuns {
    /// How many asks.
    pub count: u64,
    /// The first of them: its application and id, with a slash between them.
    pub first: String,
    /// The reason why the first one never runs; that of the others is of the same kind.
    pub cause: NeverCause,
}

/// Why an ask never runs. Amounts in base units (bytes, millicores).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum NeverCause {
    /// No node has so much of a resource.
    Node {
        /// The name of the resource.
        resource: String,
        /// What the first ask requests.
        wants: i64,
        /// What the largest node has; 0: no node has the resource.
        most: i64,
    },
    /// Each amount fits on some node, but all of them together fit on none.
    Together {
        /// What the first ask requests.
        wants: BTreeMap<String, i64>,
    },
    /// The node that the ask requires is not in the cluster.
    RequiredNode {
        /// The id of the node.
        node: String,
    },
    /// One ask is above the maximum of a queue.
    Queue {
        /// The path of the queue.
        queue: String,
        /// The name of the resource.
        resource: String,
        /// What the first ask requests.
        wants: i64,
        /// The maximum of the queue for this resource.
        max: i64,
    },
    /// The ask still waits when nothing else will happen.
    Stuck {
        /// What blocks the first ask, in a sentence.
        why: String,
    },
}

/// Collects the asks that never run, with their reasons.
pub(super) struct Judge<'s> {
    part: &'s Partition,
    now: Time,
    /// Whether nothing else will happen, so that what waits now waits forever.
    over: bool,
    /// The most of each resource that a node has.
    largest: Resource,
    /// The reason of the last kind of ask: jobs have many asks of one kind.
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

    /// Whether a pending ask never runs. If so, its reason is counted.
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

    /// The reasons, the most frequent first.
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

    /// Why no node can ever have the ask, even an empty one.
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

    /// The queue on the way to the root whose maximum is below the ask alone.
    fn above_maximum(&self, app: &Application, ask: &Ask) -> Option<NeverCause> {
        std::iter::successors(Some(app.queue_path.clone()), QueuePath::parent).find_map(|path| {
            let queue = self.part.queues.get(self.part.queues.find(&path)?)?;
            // The maximum of the root is what the nodes have; that reason names a node.
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

/// The resource of which the ask requests the largest multiple of what there is.
fn too_large(total: &Resource, ask: &Ask) -> Option<NeverCause> {
    let over = ask.resource.iter().filter(|(name, wants)| *wants > total.amount(name).max(0));
    let ratio = |(name, wants): &(&str, i64)| *wants as f64 / total.amount(name).max(0) as f64;
    let most = over.max_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    most.map(|(name, wants)| NeverCause::Node { resource: name.to_owned(), wants, most: total.amount(name).max(0) })
}

pub(super) fn by_name(resource: &Resource) -> BTreeMap<String, i64> {
    resource.iter().map(|(name, amount)| (name.to_owned(), amount)).collect()
}

/// A wait that may be [`NEVER`], as `null` on the wire.
pub mod wait {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::NEVER;

    /// Writes `null` for an ask that never runs.
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
