//! Why nodes do not accept a request, and the closest nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::types::{BlockLevel, Blocker, CloseNode, NodeFailures, NodeReason, NodeTally, Place, Resolution};
use crate::index::{AppKey, AskKey};
use crate::state::ask::Ask;
use crate::state::node::Node;
use crate::state::partition::Partition;
use model::{AppId, AskId, NodeId, Resource};

const MOST_NODES: usize = 3;

impl Partition {
    pub(super) fn tally(&self, app: AppKey, key: AskKey) -> NodeTally {
        let ask = &self.apps[app].asks[key];
        let mut tally = NodeTally { total: self.nodes.len() as u64, ..NodeTally::default() };
        let mut failures: BTreeMap<NodeReason, (u64, Vec<NodeId>)> = BTreeMap::new();
        let mut refusals: BTreeMap<String, u64> = BTreeMap::new();
        // By kind (open and large enough, open and refused, others), then by what is missing.
        let mut closest: Vec<(u8, f64, &Node)> = Vec::new();
        tally.largest = wanted(ask).map(|(name, _)| (Arc::from(name), 0, 0)).collect();
        for node in self.nodes.in_order() {
            self.note_size(node, ask, &mut tally);
            let Some(reason) = self.failure(node, ask, (app, key)) else {
                tally.fit += 1;
                continue;
            };
            if reason == NodeReason::Predicate
                && let Some(words) = self.nodes.refusal(ask, node.key)
            {
                *refusals.entry(words).or_default() += 1;
            }
            if reason == NodeReason::Reserved {
                self.note_holders(node, (app, key), &mut tally.holders);
            }
            let (count, examples) = failures.entry(reason).or_default();
            *count += 1;
            if examples.len() < MOST_NODES {
                examples.push(node.id.clone());
            }
            if matches!(reason, NodeReason::Capacity | NodeReason::Free | NodeReason::Predicate) {
                let score = ask.resource.fit_in_score(&node.available);
                let kind = match reason {
                    NodeReason::Capacity => 1,
                    NodeReason::Predicate if !node.available.fit_in(&ask.resource) => 2,
                    _ => 0,
                };
                let entry = (kind, score, node);
                let at = closest.partition_point(|(kind, shortfall, _)| (*kind, *shortfall) <= (entry.0, entry.1));
                if at < MOST_NODES {
                    closest.insert(at, entry);
                    closest.truncate(MOST_NODES);
                }
            }
        }
        let entry = |(reason, (count, examples))| NodeFailures { reason, count, examples };
        tally.failures = failures.into_iter().map(entry).collect();
        tally.failures.sort_by_key(|failed| std::cmp::Reverse(failed.count));
        tally.refusals = refusals.into_iter().collect();
        tally.refusals.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        tally.closest = closest.into_iter().map(|(.., node)| close(node, ask)).collect();
        tally
    }

    fn note_size(&self, node: &Node, ask: &Ask, tally: &mut NodeTally) {
        if ask.rare.required_node.as_ref().is_some_and(|required| *required != node.id) {
            return;
        }
        for (name, largest, count) in &mut tally.largest {
            let amount = node.total.amount(name);
            *largest = (*largest).max(amount);
            *count += u64::from(amount > 0);
        }
        if !node.total.fit_in(&ask.resource) {
            return;
        }
        tally.large += 1;
        if !self.nodes.bars(ask, node.key) {
            tally.could += 1;
            tally.closed += u64::from(self.is_closed(node, ask));
        }
    }

    fn is_closed(&self, node: &Node, ask: &Ask) -> bool {
        !node.schedulable && ask.rare.required_node.is_none()
    }

    /// A node that would accept the request with enough resources, even if unschedulable.
    pub fn node_for(&self, app: &AppId, ask: &AskId) -> Option<NodeId> {
        let application = self.app(app)?;
        let ask = &application.asks[application.ask_key(ask)?];
        let found = self.nodes.in_order().find(|node| node.schedulable && !self.nodes.bars(ask, node.key))?;
        Some(found.id.clone())
    }

    fn note_holders(&self, node: &Node, own: (AppKey, AskKey), holders: &mut Vec<String>) {
        for (app, ask) in node.reservations.iter().filter(|reserved| **reserved != own) {
            if holders.len() > MOST_NODES {
                return;
            }
            let (app, ask) = (&self.apps[*app], &self.apps[*app].asks[*ask]);
            let name = ask.rare.tags.pod().unwrap_or_else(|| format!("{}/{}", app.id, ask.id));
            if !holders.contains(&name) {
                holders.push(name);
            }
        }
    }

    /// Conditions that exclude a node regardless of resources come first. A required node may be unschedulable
    /// (SCH-165).
    pub(super) fn failure(&self, node: &Node, ask: &Ask, own: (AppKey, AskKey)) -> Option<NodeReason> {
        let required = ask.rare.required_node.as_ref();
        let others = node.reservations.iter().any(|reserved| *reserved != own);
        if required.is_some_and(|required| *required != node.id) {
            Some(NodeReason::Required)
        } else if !node.schedulable && required.is_none() {
            Some(NodeReason::Unschedulable)
        } else if others {
            Some(NodeReason::Reserved)
        } else {
            self.without_space(node, ask)
        }
    }

    pub(super) fn without_space(&self, node: &Node, ask: &Ask) -> Option<NodeReason> {
        if !node.available.fit_in(&ask.resource) && !self.nodes.lets(ask, node.key, false) {
            Some(NodeReason::Predicate)
        } else if !node.total.fit_in(&ask.resource) {
            Some(NodeReason::Capacity)
        } else if !node.available.fit_in(&ask.resource) {
            Some(NodeReason::Free)
        } else if !self.nodes.lets(ask, node.key, true) {
            Some(NodeReason::Predicate)
        } else {
            None
        }
    }

    /// The resource that no node has, if no node can ever accept the request; otherwise the missing resources of the
    /// closest node, or the number of nodes by check.
    pub(super) fn node_blockers(&self, ask: &Ask, nodes: &NodeTally) -> Vec<Blocker> {
        let detail = self.summary(ask, nodes);
        let mut blockers = Vec::new();
        if nodes.could == 0 && nodes.total > 0 {
            blockers = too_small(ask, nodes, &detail);
        } else if nodes.could == nodes.closed
            && let Some(node) = self.nodes.in_order().find(|node| {
                self.is_closed(node, ask) && node.total.fit_in(&ask.resource) && !self.nodes.bars(ask, node.key)
            })
        {
            let detail = format!("{detail}; the nodes that fit are unschedulable, for example {}", node.id);
            let closed = Blocker::of(BlockLevel::Node, Place::Node(node.id.clone()));
            return vec![Blocker { detail, of_nodes: Resolution::Change, ..closed }];
        }
        let missing = |name: &str| blockers.iter().any(|known| known.resource.as_deref() == Some(name));
        let mut of_closest = self.of_closest(ask, nodes, &detail);
        of_closest.retain(|one| one.resource.as_deref().is_some_and(|name| !missing(name)) || blockers.is_empty());
        if nodes.could == 0 && blockers.is_empty() {
            of_closest.truncate(1);
            of_closest.iter_mut().for_each(|one| *one = refused(one));
        }
        blockers.extend(of_closest);
        blockers
    }

    fn summary(&self, ask: &Ask, nodes: &NodeTally) -> String {
        let holders = |failed: &NodeFailures| match failed.reason {
            NodeReason::Reserved => holders(nodes),
            _ => String::new(),
        };
        let summary = nodes
            .failures
            .iter()
            .map(|failed| format!("{} {}{}", failed.count, failed.reason.words(), holders(failed)));
        let summary = summary.collect::<Vec<_>>().join(", ");
        match &ask.rare.required_node {
            Some(id) if self.nodes.find(id).is_none() => format!("it requires {id}, which does not exist"),
            _ => {
                let plural = if nodes.total == 1 { "" } else { "s" };
                format!("of {} node{plural} {summary}{}", nodes.total, refusals(nodes))
            }
        }
    }

    fn of_closest(&self, ask: &Ask, nodes: &NodeTally, detail: &str) -> Vec<Blocker> {
        let open = nodes.closest.first().and_then(|close| Some((close, &self.nodes[self.nodes.find(&close.node)?])));
        let Some((close, node)) = open else {
            let place = ask.rare.required_node.clone().map_or(Place::Partition, Place::Node);
            return vec![Blocker { detail: detail.to_owned(), ..Blocker::of(BlockLevel::Node, place) }];
        };
        let blocker = || Blocker::of(BlockLevel::Node, Place::Node(node.id.clone()));
        if close.shortfall.is_empty() || !self.nodes.lets(ask, node.key, false) {
            return vec![Blocker { detail: detail.to_owned(), ..blocker() }];
        }
        let one = |(name, missing): (&str, i64)| Blocker {
            resource: Some(Arc::from(name)),
            limit: node.total.amount(name),
            used: node.total.amount(name).saturating_sub(node.available.amount(name)),
            wanted: ask.resource.amount(name),
            missing,
            detail: detail.to_owned(),
            ..blocker()
        };
        close.shortfall.iter().map(one).collect()
    }
}

fn wanted(ask: &Ask) -> impl Iterator<Item = (&str, i64)> {
    ask.resource.iter().filter(|(_, amount)| *amount > 0)
}

fn too_small(ask: &Ask, nodes: &NodeTally, detail: &str) -> Vec<Blocker> {
    let place = || ask.rare.required_node.clone().map_or(Place::Partition, Place::Node);
    let never = || Blocker { of_nodes: Resolution::Never, ..Blocker::of(BlockLevel::Node, place()) };
    let total = if ask.rare.required_node.is_some() { 1 } else { nodes.total };
    let short = nodes.largest.iter().filter(|(name, largest, _)| ask.resource.amount(name) > (*largest).max(0));
    let one = |(name, largest, have): &(Arc<str>, i64, u64)| {
        let wanted = ask.resource.amount(name);
        let detail = format!("{have} of {total} nodes have it");
        let (limit, missing) = ((*largest).max(0), wanted.saturating_sub((*largest).max(0)));
        Blocker { resource: Some(Arc::clone(name)), limit, wanted, missing, detail, ..never() }
    };
    let exists =
        ask.rare.required_node.is_none() || nodes.failures.iter().any(|failed| failed.reason != NodeReason::Required);
    let mut blockers: Vec<Blocker> = short.filter(|_| exists).map(one).collect();
    if blockers.is_empty() && nodes.large == 0 && exists {
        let detail = format!("no node has enough of all resources; {detail}");
        blockers.push(Blocker { detail, ..never() });
    }
    blockers
}

fn refused(blocker: &Blocker) -> Blocker {
    let Blocker { place, detail, .. } = blocker.clone();
    Blocker { detail, of_nodes: Resolution::Never, ..Blocker::of(BlockLevel::Node, place) }
}

fn refusals(nodes: &NodeTally) -> String {
    let shown = nodes.refusals.iter().take(MOST_NODES);
    let words: Vec<String> = shown.map(|(words, count)| format!("{} ({count}x)", words.replace('\n', " "))).collect();
    if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) }
}

fn holders(nodes: &NodeTally) -> String {
    let more = if nodes.holders.len() > MOST_NODES { ", ..." } else { "" };
    let named: Vec<&str> = nodes.holders.iter().take(MOST_NODES).map(String::as_str).collect();
    if named.is_empty() { String::new() } else { format!(" ({}{more})", named.join(", ")) }
}

pub(super) fn close(node: &Node, ask: &Ask) -> CloseNode {
    let shortage = |has: &Resource| {
        let short = |(name, want): &(&str, i64)| *want > has.amount(name).max(0);
        let missing = |(name, want): (&str, i64)| (name.to_owned(), want.saturating_sub(has.amount(name)));
        let missing: Vec<(String, i64)> = ask.resource.iter().filter(short).map(missing).collect();
        missing.iter().map(|(name, amount)| (name.as_str(), *amount)).collect()
    };
    CloseNode { node: node.id.clone(), shortfall: shortage(&node.available), too_small: shortage(&node.total) }
}

impl NodeReason {
    /// The text after a number of nodes.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Required => "other than the required one",
            Self::Unschedulable => "drained",
            Self::Reserved => "reserved for others",
            Self::Capacity => "too small",
            Self::Free => "with too little free",
            Self::Predicate => "excluded by conditions",
        }
    }
}
