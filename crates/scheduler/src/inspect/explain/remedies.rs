//! Remedies that follow from the checks alone; `whatif` tries them in forks.

use std::sync::Arc;

use super::types::{BlockLevel, Blocker, NodeTally, Place, Remedy, RemedyKind, Resolution};
use crate::state::ask::Ask;
use crate::state::queue::Queue;
use model::Resource;

pub(super) fn of(ask: &Ask, blockers: &[Blocker], nodes: &NodeTally, root: &Queue) -> Vec<Remedy> {
    let by_node: Vec<&Blocker> = blockers.iter().filter(|blocker| needs_node(blocker)).collect();
    let others = blockers.iter().filter(|blocker| !needs_node(blocker));
    let mut remedies = Vec::new();
    for blocker in others {
        let enough = blockers.len() == 1;
        remedies.extend(one(blocker).into_iter().map(|kind| Remedy { steps: vec![kind], enough, effects: None }));
    }
    // If conditions exclude nodes that are large enough, another node of any size does not help.
    let refused = nodes.total > 0 && nodes.could == 0 && nodes.large > 0;
    if !by_node.is_empty() && !refused && ask.rare.required_node.is_none() {
        let absent = nodes.largest.iter().filter(|(.., have)| *have == 0).map(|(name, ..)| Arc::clone(name));
        let step = RemedyKind::AddNode { size: size(ask, root), absent: absent.collect(), nodes: nodes.total };
        let steps = vec![step];
        remedies.push(Remedy { steps, enough: by_node.len() == blockers.len(), effects: None });
    }
    remedies
}

fn needs_node(blocker: &Blocker) -> bool {
    match (blocker.level, &blocker.place) {
        (BlockLevel::Node, _) => true,
        (BlockLevel::Queue, Place::Queue(queue)) => queue.depth() == 0,
        (BlockLevel::Partition, _) => blocker.detail.contains("no node"),
        _ => false,
    }
}

/// Fits the request, and covers usage and request: a resource that no node had before is then limited.
fn size(ask: &Ask, root: &Queue) -> Resource {
    let needed = |(name, want): (&'_ str, i64)| {
        let (used, max) = (root.allocated.amount(name), root.max.as_ref().map_or(0, |max| max.amount(name)));
        want.max(want.saturating_add(used).saturating_sub(max))
    };
    let wanted = ask.resource.iter().filter(|(_, want)| *want > 0);
    let sizes: Vec<(&str, i64)> = wanted.map(|(name, want)| (name, needed((name, want)))).collect();
    sizes.into_iter().collect()
}

fn one(blocker: &Blocker) -> Vec<RemedyKind> {
    let Blocker { level, place, resource, limit, missing, holders, .. } = blocker;
    let raise = || RemedyKind::Raise {
        place: place.clone(),
        resource: resource.clone(),
        by: *missing,
        to: limit.saturating_add(*missing),
    };
    // What exceeds the maximum alone does not fit without the others either.
    let helps = blocker.resolution() != Resolution::Never;
    let enough = holders.iter().filter(|holder| helps && holder.amount >= *missing);
    let end = enough.min_by_key(|holder| holder.amount);
    let end = end.map(|holder| RemedyKind::End { app: holder.app.clone(), amount: holder.amount });
    match (level, place) {
        (BlockLevel::QueueApps | BlockLevel::UserApps | BlockLevel::GroupApps, _)
        | (BlockLevel::User | BlockLevel::Group | BlockLevel::Queue, _) => {
            std::iter::once(raise()).chain(end).collect()
        }
        (BlockLevel::Stalled, Place::App(app, Some(ask))) => vec![RemedyKind::ChangeAsk(app.clone(), ask.clone())],
        _ => Vec::new(),
    }
}
