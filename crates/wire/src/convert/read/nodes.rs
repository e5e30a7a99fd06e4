//! Nodes of a remote scheduler.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::elements::{Element, ListReader};
use super::{Part, RemoteState, rows};
use crate::dto;
use model::{AppId, AskId, NodeId};
use view::{AppSlot, AskState, NodeRow, PartitionView};

/// Reads a list of nodes.
pub type NodeReader = ListReader<NodeId, NodeRow>;

/// Why a node is unschedulable, by name: `cordoned`, `not ready`.
pub type NodeMarks = BTreeMap<NodeId, Arc<str>>;

impl RemoteState {
    /// 1.8 and older show a cordoned node as schedulable.
    pub fn mark_nodes(&mut self, marks: NodeMarks) {
        if self.closed == marks {
            return;
        }
        self.closed = marks;
        for part in &mut self.view.partitions {
            let changed: Vec<NodeId> = part
                .nodes
                .values()
                .filter(|row| row.closed.as_ref() != self.closed.get(&row.id))
                .map(|row| row.id.clone())
                .collect();
            for id in changed {
                if let Some(row) = part.nodes.get_mut(&id) {
                    Arc::make_mut(row).closed = self.closed.get(&id).cloned();
                    self.changed = true;
                }
            }
        }
    }

    /// Returns a reader for a list of nodes.
    pub fn node_reader(&self, partition: &str) -> NodeReader {
        let seen = self.index(partition).map(|index| self.parts[index].seen_nodes.clone()).unwrap_or_default();
        let shapes = self.shapes;
        ListReader::new(seen, "nodeID", move |node: dto::Node| rows::node(node, shapes))
    }

    /// Applies nodes; missing nodes no longer exist in a complete list.
    pub fn nodes(&mut self, partition: &str, reader: NodeReader, all: bool) {
        let Some(index) = self.index(partition) else { return };
        let (view, part) = (&mut self.view.partitions[index], &mut self.parts[index]);
        let mut there: FxHashMap<NodeId, ()> = FxHashMap::default();
        for element in reader.elements {
            match element {
                Element::Same(id, _) => {
                    there.insert(id, ());
                }
                Element::Read(row, hash) => {
                    there.insert(row.id.clone(), ());
                    part.seen_nodes.insert(row.id.clone(), hash);
                    let mut row = completed(*row, part, view);
                    row.closed = self.closed.get(&row.id).cloned();
                    let old = view.nodes.get(&row.id);
                    if old.is_none_or(|old| !rows::same_node(old, &row)) {
                        view.nodes.insert(row.id.clone(), Arc::new(row));
                        self.changed = true;
                    }
                }
            }
        }
        if all {
            let gone: Vec<NodeId> = view.nodes.keys().filter(|id| !there.contains_key(*id)).cloned().collect();
            for id in gone {
                view.nodes.remove(&id);
                part.seen_nodes.remove(&id);
                self.changed = true;
            }
        }
        self.keep_for(index);
    }

    /// Nodes report reservations, and requests show them (`rest.md` 5.4, `reservations`).
    fn keep_for(&mut self, index: usize) {
        let view = &self.view.partitions[index];
        let reserved = view
            .nodes
            .values()
            .flat_map(|node| node.reservations.iter().map(|(_, ask)| (ask.clone(), node.id.clone())));
        let retained: FxHashMap<AskId, NodeId> = reserved.collect();
        if retained == self.parts[index].retained {
            return;
        }
        let mut changes: Vec<(AppSlot, u64, Option<NodeId>)> = Vec::new();
        for row in view.apps.iter().flatten().filter(|row| row.pending_asks > 0) {
            for (number, ask) in &row.asks {
                if let AskState::Pending { reserved, .. } = &ask.state
                    && *reserved != retained.get(&ask.id).cloned()
                {
                    changes.push((row.slot, *number, retained.get(&ask.id).cloned()));
                }
            }
        }
        for (slot, number, node) in changes {
            let Some(Some(row)) = self.view.partitions[index].apps.get_mut(slot.0 as usize) else { continue };
            if let Some(ask) = Arc::make_mut(row).asks.get_mut(&number)
                && let AskState::Pending { reserved, .. } = &mut Arc::make_mut(ask).state
            {
                *reserved = node;
                self.changed = true;
            }
        }
        self.parts[index].retained = retained;
    }
}

fn completed(mut row: NodeRow, part: &Part, view: &PartitionView) -> NodeRow {
    if !part.since.is_empty() {
        let unknown: Vec<u64> =
            row.allocations.iter().filter(|(_, one)| one.since.is_none()).map(|(number, _)| *number).collect();
        for number in unknown {
            if let Some(one) = row.allocations.get_mut(&number) {
                one.since = part.since.get(&(one.app.clone(), one.ask.clone())).copied();
            }
        }
    }
    if row.reservations.iter().any(|(app, _)| app.as_str().is_empty()) {
        row.reservations = row.reservations.iter().map(|(app, ask)| (owner(app, ask, view), ask.clone())).collect();
    }
    row
}

/// Since 1.7 only the request is named.
fn owner(app: &AppId, ask: &AskId, view: &PartitionView) -> AppId {
    if !app.as_str().is_empty() {
        return app.clone();
    }
    let has = |row: &&Arc<view::AppRow>| row.pending_asks > 0 && row.asks.values().any(|one| one.id == *ask);
    view.apps.iter().flatten().find(has).map_or_else(AppId::default, |row| row.id.clone())
}
