//! Requests that can never be allocated. This cause has precedence, because time does not remove it. It is computed
//! from the rows, so also for remote schedulers.

use std::fmt;
use std::sync::Arc;

use crate::units::show_amount;
use crate::waiting::resource_word;
use crate::{AppRow, AskRow, AskState, PartitionView, PendingReason};
use model::{NodeId, QueuePath};

/// Why a request can never be allocated. `Display` is short enough for a column: `no node has nvidia.com/gpu`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Never {
    /// No node has any of the resource.
    Absent {
        /// The resource name.
        resource: Arc<str>,
        /// The number of nodes.
        nodes: u64,
    },
    /// Every node is too small for the request, even when empty.
    TooLarge {
        /// The resource name.
        resource: Arc<str>,
        /// The requested quantity.
        wanted: i64,
        /// The quantity of the largest node.
        largest: i64,
    },
    /// Each resource fits on some node, but no node fits all.
    Together,
    /// The required node does not exist.
    NoSuchNode(NodeId),
    /// The maximum of a queue is below the request.
    AboveMaximum {
        /// The queue with the maximum, on the path of the application.
        queue: QueuePath,
        /// The resource name.
        resource: Arc<str>,
        /// The requested quantity.
        wanted: i64,
        /// The maximum, in the unit of the resource.
        max: i64,
    },
}

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent { resource, .. } => write!(f, "no node has {}", resource_word(resource)),
            Self::TooLarge { resource, wanted, .. } => {
                write!(f, "no node has {} {}", show_amount(resource, *wanted), resource_word(resource))
            }
            Self::Together => f.write_str("no node is large enough"),
            Self::NoSuchNode(node) => write!(f, "node {node} does not exist"),
            Self::AboveMaximum { queue, .. } => write!(f, "above max of {}", queue.name()),
        }
    }
}

impl Never {
    /// The reason with its values, as a full line.
    pub fn sentence(&self) -> String {
        match self {
            Self::Absent { nodes, .. } => format!("{self} (0 of {nodes} nodes)"),
            Self::TooLarge { resource, largest, .. } => {
                format!("{self} (the largest node has {})", show_amount(resource, *largest))
            }
            Self::Together => format!("{self} for all its resources together"),
            Self::NoSuchNode(_) => self.to_string(),
            Self::AboveMaximum { queue, resource, wanted, max } => format!(
                "it requests {} {}, above the maximum {} of {queue}",
                show_amount(resource, *wanted),
                resource_word(resource),
                show_amount(resource, *max),
            ),
        }
    }
}

const MOST_ASKS: usize = 1_000;

impl PartitionView {
    /// The first request of an application that can never be allocated, among its first 1,000.
    pub fn never_of<'v>(&self, row: &'v AppRow) -> Option<(&'v AskRow, Never)> {
        if row.pending_asks == 0 || row.state.is_ended() {
            return None;
        }
        let mut last: Option<&AskRow> = None;
        row.asks.values().take(MOST_ASKS).map(AsRef::as_ref).find_map(|ask: &AskRow| {
            let of = |ask: &'v AskRow| (&ask.resource, &ask.required_node, &ask.state);
            if last.is_some_and(|last| of(last) == of(ask)) {
                return None;
            }
            last = Some(ask);
            Some((ask, self.never(row, ask)?))
        })
    }

    /// Why a pending request can never be allocated; `None` if it may be, or if the nodes are unknown.
    pub fn never(&self, row: &AppRow, ask: &AskRow) -> Option<Never> {
        let AskState::Pending { reason, reserved: None } = &ask.state else { return None };
        // The request replaces a placeholder.
        if *reason == PendingReason::Placeholder {
            return None;
        }
        // The reported reason of a scheduler that tried nodes is more precise than the lists of a remote.
        if ask.reported.is_some() {
            return None;
        }
        self.never_on_nodes(ask).or_else(|| self.above_maximum(row, ask))
    }

    fn never_on_nodes(&self, ask: &AskRow) -> Option<Never> {
        let nodes = || {
            let open = self.nodes.values().filter(|node| ask.required_node.as_ref().is_none_or(|id| *id == node.id));
            open.map(|node| &node.capacity)
        };
        if self.nodes.is_empty() || nodes().any(|capacity| capacity.fit_in(&ask.resource)) {
            return None;
        }
        if let Some(required) = ask.required_node.as_ref().filter(|_| nodes().next().is_none()) {
            return Some(Never::NoSuchNode(required.clone()));
        }
        let count = nodes().count() as u64;
        let short = |(name, wanted): (&str, i64)| {
            let largest = nodes().map(|capacity| capacity.amount(name)).max().unwrap_or_default().max(0);
            let resource = Arc::from(name);
            (wanted > largest).then_some(match largest {
                0 => Never::Absent { resource, nodes: count },
                _ => Never::TooLarge { resource, wanted, largest },
            })
        };
        // In the order of the variants: a resource that no node has comes first.
        Some(ask.resource.iter().filter_map(short).min().unwrap_or(Never::Together))
    }

    fn above_maximum(&self, row: &AppRow, ask: &AskRow) -> Option<Never> {
        // The maximum of the root is the size of the cluster.
        let path = self.path_up(self.queue_at(&row.queue)?).filter(|queue| queue.parent.is_some());
        path.filter_map(|queue| Some((queue, queue.max.as_ref()?))).find_map(|(queue, max)| {
            let above =
                ask.resource.iter().find(|(name, wanted)| max.get(name).is_some_and(|max| *wanted > max.max(0)));
            above.map(|(name, wanted)| Never::AboveMaximum {
                queue: queue.path.clone(),
                resource: Arc::from(name),
                wanted,
                max: max.amount(name),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeRow, QueueRow, QueueSlot};
    use model::Resource;

    fn resource(text: &[(&str, i64)]) -> Resource {
        text.iter().copied().collect()
    }

    fn ask(wanted: &[(&str, i64)]) -> AskRow {
        AskRow {
            id: "ask".into(),
            resource: resource(wanted),
            priority: Default::default(),
            created: Default::default(),
            state: AskState::Pending { reason: PendingReason::QueueQuota, reserved: None },
            placeholder: false,
            task_group: None,
            required_node: None,
            tags: Default::default(),
            reported: None,
        }
    }

    fn node(id: &NodeId, capacity: &[(&str, i64)]) -> Arc<NodeRow> {
        Arc::new(NodeRow {
            id: id.clone(),
            capacity: resource(capacity),
            allocated: Resource::new(),
            occupied: Resource::new(),
            schedulable: true,
            closed: None,
            attributes: Default::default(),
            allocations: Default::default(),
            foreign: Default::default(),
            reservations: Arc::from([]),
        })
    }

    fn part(nodes: &[&[(&str, i64)]]) -> PartitionView {
        let row = |(number, capacity): (usize, &&[(&str, i64)])| {
            let id = NodeId::from(format!("n{number}"));
            let row = node(&id, capacity);
            (id, row)
        };
        PartitionView { nodes: nodes.iter().enumerate().map(row).collect(), ..PartitionView::default() }
    }

    #[test]
    fn what_no_node_has_is_named_before_what_is_too_large() {
        let part = part(&[&[("vcore", 4_000), ("memory", 8)], &[("vcore", 8_000), ("memory", 4)]]);
        let never = |wanted: &[(&str, i64)]| part.never(&AppRow::default(), &ask(wanted)).map(|never| never.sentence());
        assert_eq!(never(&[("vcore", 8_000)]), None);
        assert_eq!(
            never(&[("vcore", 9_000), ("nvidia.com/gpu", 1)]).as_deref(),
            Some("no node has nvidia.com/gpu (0 of 2 nodes)")
        );
        assert_eq!(never(&[("vcore", 9_000)]).as_deref(), Some("no node has 9 cpu (the largest node has 8)"));
        assert_eq!(
            never(&[("vcore", 8_000), ("memory", 8)]).as_deref(),
            Some("no node is large enough for all its resources together")
        );
        let required = |id: &str, wanted: &[(&str, i64)]| {
            let ask = AskRow { required_node: Some(id.into()), ..ask(wanted) };
            part.never(&AppRow::default(), &ask).map(|never| never.to_string())
        };
        let quoted = AskRow { reported: Some("no affinity".into()), ..ask(&[("vcore", 9_000)]) };
        assert_eq!(part.never(&AppRow::default(), &quoted), None, "the scheduler knows better");
        assert_eq!(required("n1", &[("vcore", 8_000)]), None);
        assert_eq!(required("n0", &[("vcore", 8_000)]).as_deref(), Some("no node has 8 cpu"));
        assert_eq!(required("n7", &[("vcore", 1)]).as_deref(), Some("node n7 does not exist"));
    }

    #[test]
    fn while_no_node_is_known_nodes_are_not_mentioned() {
        assert_eq!(part(&[]).never(&AppRow::default(), &ask(&[("nvidia.com/gpu", 1)])), None);
    }

    #[test]
    fn a_request_above_a_maximum_names_the_queue() {
        let mut part = part(&[&[("vcore", 9_000)]]);
        let root = QueueRow {
            path: QueuePath::new("root"),
            max: Some(resource(&[("vcore", 1)])),
            children: [QueueSlot(1)].into(),
            ..QueueRow::default()
        };
        let leaf = QueueRow {
            path: QueuePath::new("root.a"),
            parent: Some(QueueSlot(0)),
            max: Some(resource(&[("vcore", 2_000)])),
            ..QueueRow::default()
        };
        part.queues = [root, leaf].into_iter().map(|row| Some(Arc::new(row))).collect();
        let row = AppRow { queue: QueuePath::new("root.a"), ..AppRow::default() };
        let never = |wanted| part.never(&row, &ask(&[("vcore", wanted)])).map(|never| never.to_string());
        assert_eq!(never(2_000), None, "the root is what the nodes have");
        assert_eq!(never(3_000).as_deref(), Some("above max of a"));
    }
}
