//! Changes to test: ends of applications, moves, higher priorities.

use std::collections::{BTreeMap, VecDeque};

use model::{AppId, NodeId, Priority, QueuePath, QueueState};
use scheduler::Partition;
use scheduler::inspect::explain::types::{AskExplanation, BlockLevel, Blocker, Place};
use scheduler::placement::access;

const MOST_EXAMINED: usize = 64;
const MOST_OFFERED: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Proposed {
    pub app: AppId,
    /// Its quantity of the missing resource.
    pub amount: i64,
}

/// First the applications whose end is sufficient, smallest first, then the others, largest first.
pub(super) fn holders(part: &Partition, own: &AppId, ask: &AskExplanation) -> Vec<Proposed> {
    let mut found: Vec<(bool, i64, AppId)> = Vec::new();
    for blocker in &ask.blockers {
        let of_blocker: Vec<(AppId, i64)> = match (blocker.level, &blocker.place) {
            (BlockLevel::Node, _) => on_nodes(part, ask, blocker),
            (BlockLevel::State, Place::App(app, _)) => vec![(app.clone(), 1)],
            _ => blocker.holders.iter().map(|holder| (holder.app.clone(), holder.amount)).collect(),
        };
        for (app, amount) in of_blocker {
            let known = found.iter().any(|(.., other)| *other == app);
            if app != *own && !known {
                found.push((amount < blocker.missing, amount, app));
            }
        }
    }
    found.sort_by_key(|(short, amount, app)| (*short, if *short { -*amount } else { *amount }, app.clone()));
    found.into_iter().map(|(_, amount, app)| Proposed { app, amount }).collect()
}

fn on_nodes(part: &Partition, ask: &AskExplanation, blocker: &Blocker) -> Vec<(AppId, i64)> {
    let Some(resource) = blocker.resource.as_deref() else { return Vec::new() };
    let mut nodes: Vec<&NodeId> = ask.nodes.closest.iter().map(|close| &close.node).collect();
    if let Place::Node(node) = &blocker.place
        && !nodes.contains(&node)
    {
        nodes.push(node);
    }
    let mut all: Vec<(AppId, i64)> = Vec::new();
    for node in nodes.into_iter().filter_map(|id| part.nodes.get(part.nodes.find(id)?)) {
        let mut of_node: BTreeMap<&AppId, i64> = BTreeMap::new();
        for (app, key) in node.allocations.values() {
            let app = &part.apps[*app];
            *of_node.entry(&app.id).or_default() += app.asks[*key].resource.amount(resource);
        }
        for (app, amount) in of_node.into_iter().filter(|(_, amount)| *amount > 0) {
            match all.iter_mut().find(|(known, _)| known == app) {
                Some((_, known)) => *known = (*known).max(amount),
                None => all.push((app.clone(), amount)),
            }
        }
    }
    all
}

/// Leaves that the submitter may use, the nearest in the tree first.
pub(super) fn leaves_near(part: &Partition, app: &AppId) -> Vec<QueuePath> {
    let Some(app) = part.app(app) else { return Vec::new() };
    let mut found = Vec::new();
    let mut examined = 0;
    let path = part.queues.path_up(app.queue);
    let mut below = None;
    for ancestor in path {
        // The part of the ancestor's subtree that was not visited from the ancestor before it.
        let mut open = VecDeque::from([ancestor]);
        while let Some(key) = open.pop_front() {
            let Some(queue) = part.queues.get(key) else { continue };
            if Some(key) == below || examined >= MOST_EXAMINED || found.len() >= MOST_OFFERED {
                continue;
            }
            examined += 1;
            open.extend(&queue.children);
            let accepts = queue.leaf && key != app.queue && queue.state == QueueState::Active;
            if accepts && access::submit(&part.queues, queue.path.as_str(), &app.who).is_some() {
                found.push(queue.path.clone());
            }
        }
        below = Some(ancestor);
    }
    found
}

pub(super) fn priorities(part: &Partition, app: &AppId, own: Priority) -> Vec<Priority> {
    let Some(app) = part.app(app) else { return Vec::new() };
    let leaf = part.queues[app.queue].raw_priority;
    let all = part.queues.iter().filter(|queue| queue.leaf).map(|queue| queue.raw_priority).max().unwrap_or(leaf);
    let above = |priority: Priority| Priority(priority.0.saturating_add(1));
    let mut found = vec![above(own.max(leaf)), above(own.max(all))];
    found.dedup();
    found.retain(|priority| *priority > own);
    found
}
