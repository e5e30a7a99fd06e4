//! Details of a node.

use crate::present::details::kubernetes;
use crate::present::details::sheet::{Sheet, at_right, gone, in_words, labeled, labeled_text, metric};
use crate::present::format;
use crate::present::meter::Meter;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::present::unknown;
use crate::state::State;
use crate::theme::{Role, Symbols};
use model::{MEMORY, NodeId, VCORE};
use view::NodeRow;
use view::PartitionView;

/// The sheet of a node.
pub fn sheet(state: &State, id: &NodeId, width: usize, symbols: &Symbols) -> Sheet {
    let found = state.cluster.part().and_then(|part| Some((part, part.nodes.get(id)?)));
    let Some((part, node)) = found else { return gone(id.to_string()) };
    let mut what = crate::present::lists::nodes::state_pieces(node, symbols, true);
    let accepts = match (node.is_open(), node.reservations.is_empty()) {
        (false, _) => "unschedulable",
        (true, true) => "schedulable",
        (true, false) => "only for its reservations",
    };
    if what.iter().all(|piece| piece.text.trim() != accepts) {
        what.push(dim(format!("   {accepts}")));
    }
    let mut right = Lines::new();
    let running = format::count(node.allocations.len() as u64, "allocation");
    labeled(&mut right, "runs", vec![plain(running)]);
    let named = kubernetes::node(&mut right, state, node, width);
    for (at, one) in node.foreign.iter().enumerate().filter(|_| !named) {
        let text = format!("{}  {}", text::escape(&one.name), format::resource(&one.resource));
        labeled_text(&mut right, if at == 0 { "others run" } else { "" }, &text, width, Role::Text);
    }
    if let Some(retained) = retained_for(node) {
        labeled_text(&mut right, "reserved for", &retained, width, Role::StateWaiting);
    }
    for (at, (key, value)) in node.attributes.iter().enumerate() {
        let text = format!("{} = {}", text::escape(key), text::escape(value));
        labeled_text(&mut right, if at == 0 { "attributes" } else { "" }, &text, width, Role::Text);
    }
    unknown::lines(&mut right, Some(part), "node", id.as_str(), width);
    let left = resources(part, node, width, symbols);
    Sheet { title: vec![piece(Role::Title, id.to_string())], what, left, right }
}

/// The requests with a reservation of the node: `etl-1/k1-7`.
pub fn retained_for(node: &NodeRow) -> Option<String> {
    let names: Vec<String> = node.reservations.iter().map(|(app, ask)| format!("{app}/{ask}")).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn resources(part: &PartitionView, node: &NodeRow, width: usize, symbols: &Symbols) -> Lines {
    let mut lines = Lines::new();
    let meter_width = u16::try_from(width.saturating_sub(9 + 4 * 10 + 2)).unwrap_or(0).min(12);
    let heads = ["capacity", "allocated", "occupied", "available"];
    let mut head = vec![dim(format!("{:<9}", "resources"))];
    head.extend(heads.map(|title| at_right(dim(title), 10)));
    if !symbols.are_words() {
        lines.push(head);
    }
    let mut names = vec![VCORE.to_owned(), MEMORY.to_owned()];
    for resource in [&node.capacity, &node.allocated, &node.occupied] {
        for (name, _) in resource.iter() {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    let available = node.available();
    for name in names {
        let used = node.allocated.amount(&name).saturating_add(node.occupied.amount(&name));
        let none_at_zero = |amount: i64| Some(amount).filter(|amount| *amount != 0);
        let mut line = vec![plain(format!("{:<9}", format::resource_name(&name)))];
        let left = available.amount(&name);
        let left_cell = metric(&name, Some(left), symbols);
        let lost = |keys| unknown::of_amount(part, "node", node.id.as_str(), keys, &name);
        let mut cells = [
            metric(&name, node.capacity.get(&name), symbols),
            metric(&name, none_at_zero(node.allocated.amount(&name)), symbols),
            metric(&name, none_at_zero(node.occupied.amount(&name)), symbols),
            if left <= 0 { piece(Role::UsageFull, left_cell.text) } else { left_cell },
        ];
        let keys: [&[&str]; 4] = [&["capacity"], &["allocated"], &["occupied"], unknown::FREE];
        for (cell, _) in cells.iter_mut().zip(keys).filter(|(_, keys)| lost(keys)) {
            *cell = unknown::cell(symbols);
        }
        if symbols.are_words() {
            let reported: Vec<(&str, &Piece)> = heads.into_iter().zip(&cells).collect();
            lines.push(in_words(format::resource_name(&name), &reported));
            continue;
        }
        line.extend(cells.map(|cell| at_right(cell, 10)));
        if meter_width >= 4 && !lost(unknown::FREE) {
            line.push(plain("  "));
            let meter = Meter { used, base: node.capacity.get(&name), guaranteed: None };
            line.extend(meter.pieces(meter_width, symbols));
        }
        lines.push(line);
    }
    lines
}
