//! Makes the rows of nodes and their allocations.

use std::sync::Arc;

use crate::present::column_filter::ColumnFilter;
use crate::present::format;
use crate::present::lists::node as node_list;
use crate::present::lists::nodes as list;
use crate::present::value::Value;
use crate::state::State;
use crate::state::column::AllocationColumn;
use crate::state::page::{NodePage, NodesPage, Page};
use crate::update::lists;
use model::{AppId, AskId};
use view::{NodeAllocation, NodeRow, PartitionView};

/// Makes the rows of the nodes.
pub fn rebuild(page: &mut NodesPage, part: &PartitionView) {
    page.list.total = part.nodes.len();
    page.list.widest = lists::widest(part.nodes.keys().map(|id| [id.as_str().into(), "".into(), "".into()]));
    let mut nodes: Vec<&Arc<NodeRow>> = part.nodes.values().collect();
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, list::unit) {
        filter.retain(&mut nodes, |node| [node.id.as_str()], |node, column| list::value(part, node, column));
    }
    let column = page.list.sort.column;
    let mut keyed: Vec<_> = nodes
        .into_iter()
        .map(|node| (list::value(part, node, column), Value::text(node.id.as_str()), node.id.clone()))
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, id)| id).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| rows.get(index).cloned(), None, filtered);
}

/// Toggles the node map.
pub fn toggle_map(state: &mut State) {
    if let Page::Nodes(page) = state.page_mut() {
        page.map = !page.map;
    }
}

/// Moves the cursor to a node.
pub fn select(page: &mut NodesPage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).cloned());
}

/// Finds the row of the page's node.
pub fn resolve(page: &mut NodePage, part: &PartitionView) {
    let row = part.nodes.get(&page.id);
    page.there = row.is_some();
    if let Some(row) = row {
        page.row = Some(Arc::clone(row));
    }
}

/// Makes the rows of a node's page.
pub fn rebuild_allocations(page: &mut NodePage) {
    page.list.rows = Arc::default();
    let Some(node) = page.row.as_ref() else {
        page.list.total = 0;
        return;
    };
    page.list.total = node.allocations.len();
    let texts = node
        .allocations
        .values()
        .map(|one| [one.app.as_str().into(), one.name().into(), format::others(&one.resource).into()]);
    page.list.widest = lists::widest(texts);
    let mut allocations: Vec<(&u64, &NodeAllocation)> = node.allocations.iter().collect();
    let now = page.list.now;
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, node_list::unit) {
        filter.retain(
            &mut allocations,
            |(_, one)| [one.app.as_str(), one.name(), one.ask.as_str()],
            |(_, one), column| node_list::value(one, column, now),
        );
    }
    let column = page.list.sort.column;
    let at = |key: u64| Value::count(key);
    let mut keyed: Vec<_> = allocations
        .into_iter()
        .map(|(key, one)| {
            let by_arrival = column == AllocationColumn::Arrival;
            let first = if by_arrival { at(*key) } else { node_list::value(one, column, now) };
            (first, at(*key), *key)
        })
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, key)| key).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| allocation_at(node, rows, index), None, filtered);
}

fn allocation_at(node: &NodeRow, rows: &[u64], index: usize) -> Option<(AppId, AskId)> {
    node.allocations.get(rows.get(index)?).map(|allocation| (allocation.app.clone(), allocation.ask.clone()))
}

/// Moves the cursor to an allocation.
pub fn select_allocation(page: &mut NodePage, index: usize) {
    let Some(node) = page.row.as_ref() else { return };
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| allocation_at(node, rows, index));
}
