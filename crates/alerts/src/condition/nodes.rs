//! Lost nodes, and nodes that are not ready.

use super::Reading;
use crate::given::Given;
use crate::rule::Rule;
use crate::state::Memory;
use crate::subject::{Subject, SubjectKind};
use model::NodeId;
use view::PartitionView;
use view::drain::span;
use view::waiting::amounts;

/// Nodes that were schedulable and no longer exist. They are tracked between steps: a node that was drained first is
/// not lost.
pub fn lost(rule: &Rule, given: &Given, memory: &Memory, part: &PartitionView) -> Vec<Reading> {
    let lost = memory.lost.iter().filter(|lost| lost.partition == *part.name);
    let there = |node: &str| part.nodes.contains_key(&NodeId::from(node));
    let reading = |lost: &crate::state::LostNode| {
        let gone = given.at.since(lost.at);
        let had = match lost.had.is_empty() {
            true => String::new(),
            false => format!(", it had {}", amounts(&lost.had)),
        };
        let metrics = format!("missing for {}{had}", span(gone));
        Reading::so(Subject::new(&part.name, SubjectKind::Node, lost.node.as_str()), metrics)
    };
    lost.filter(|lost| !there(&lost.node) && given.at.since(lost.at) < rule.within).map(reading).collect()
}

/// Nodes that the cluster reports as not ready.
pub fn not_ready(part: &PartitionView) -> Vec<Reading> {
    let not_ready = part.nodes.values().filter_map(|node| Some((node, node.closed.as_deref()?)));
    // Cordoning is intentional.
    let not_ready = not_ready.filter(|(_, why)| *why != "cordoned");
    let reading = |(node, why): (&std::sync::Arc<view::NodeRow>, &str)| {
        let metrics = format!("{why}, {} allocations on it", node.allocations.len());
        Reading::so(Subject::new(&part.name, SubjectKind::Node, node.id.as_str()), metrics)
    };
    not_ready.map(reading).collect()
}
