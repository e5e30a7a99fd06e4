//! Describes a node: its capacity, its largest applications, and the waiting requests that would fit.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::words::{amounts, count};
use super::{Sheet, SheetLine, Target};
use crate::{AppRow, AskRow, AskState, NodeRow, PartitionView, PendingReason};
use model::{AppId, NodeId, Resource, Time};

const MOST: usize = 5;
const MOST_ASKS: usize = 10_000;

impl PartitionView {
    /// Returns the free resources of a node, its largest applications, its reservations, and the requests without a
    /// node that would fit if it were empty. `None` if the node does not exist.
    pub fn node_sheet(&self, id: &NodeId, at: Time) -> Option<Sheet> {
        let node = self.nodes.get(id)?;
        let free = node.available();
        let sentence = if node.schedulable {
            format!("{id} has {} free of {}", amounts(&free), amounts(&node.capacity))
        } else {
            format!("{id} is unschedulable, and has {}", amounts(&node.allocated))
        };
        let mut lines = Vec::new();
        for (app, ask) in node.reservations.iter() {
            let to = Target::App(app.clone(), Some(ask.clone()));
            lines.push(SheetLine::new("reserved", format!("for {ask} of {app}")).to(Some(to)));
        }
        for (at, (app, allocated)) in largest(node).into_iter().take(MOST).enumerate() {
            let label = if at == 0 { "most by" } else { "" };
            let text = format!("{app} uses {}", amounts(&allocated));
            lines.push(SheetLine::new(label, text).below(u8::from(at > 0)).to(Some(Target::App(app, None))));
        }
        if !node.occupied.is_zero() {
            lines.push(SheetLine::new("others", format!("{} are used by other schedulers", amounts(&node.occupied))));
        }
        lines.extend(self.could_take(node));
        Some(Sheet { at, title: id.to_string(), sentence, waits: false, lines, ..Sheet::default() })
    }

    fn could_take(&self, node: &NodeRow) -> Vec<SheetLine> {
        let empty = node.capacity.sub(&node.occupied);
        let mut asks = 0;
        let mut first: Vec<(&AppRow, &AskRow)> = Vec::new();
        let pending = self.apps.iter().flatten().filter(|app| app.pending_asks > 0);
        for (app, ask) in pending.flat_map(|app| app.asks.values().map(move |ask| (app, ask))).take(MOST_ASKS) {
            let waits = matches!(ask.state, AskState::Pending { reason: PendingReason::NoNode, .. });
            if waits && node.schedulable && empty.fit_in(&ask.resource) {
                asks += 1;
                if first.len() < MOST {
                    first.push((app, ask));
                }
            }
        }
        if asks == 0 {
            let text = if node.schedulable {
                "no pending request fits it, even if it is empty"
            } else {
                return Vec::new();
            };
            return vec![SheetLine::new("waits", text)];
        }
        let text = format!("{} found no node and fit it if it is empty", count(asks, "request"));
        let mut lines = vec![SheetLine::new("waits", text)];
        for (app, ask) in first {
            let text = format!("{} {}: {}", app.id, ask.id, amounts(&ask.resource));
            lines.push(SheetLine::new("", text).below(1).to(Some(Target::Why(app.id.clone()))));
        }
        lines
    }
}

/// The resources of each application on a node, the largest first by cpu, then by memory.
fn largest(node: &NodeRow) -> Vec<(AppId, Resource)> {
    let mut allocated: BTreeMap<&AppId, Resource> = BTreeMap::new();
    for allocation in node.allocations.values() {
        allocated.entry(&allocation.app).or_default().add_assign(&allocation.resource);
    }
    let mut all: Vec<(AppId, Resource)> =
        allocated.into_iter().map(|(app, allocated)| (app.clone(), allocated)).collect();
    let amount = |allocated: &Resource| (allocated.amount(model::VCORE), allocated.amount(model::MEMORY));
    all.sort_by_key(|(_, allocated)| Reverse(amount(allocated)));
    all
}
