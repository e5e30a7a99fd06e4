//! The node map: a symbol per node in list order, higher and warmer with its usage.
//!
//! Without space a symbol shows the fullest of several nodes.

use ratatui::layout::Rect;

use crate::draw::pen::Pen;
use crate::present::format;
use crate::present::lists::nodes::{ABOVE_MAP, meter, state_pieces};
use crate::present::meter::Meter;
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::text;
use crate::state::State;
use crate::state::column::NodeColumn;
use crate::state::page::NodesPage;
use crate::theme::{Role, Symbols};
use model::{MEMORY, VCORE};
use view::NodeRow;
use view::units::show_amount;

const BEFORE_NAME: usize = 3;
/// Cell widths without names; the first that fits all nodes is used.
const CELLS: [usize; 3] = [3, 2, 1];

/// Draws the map.
pub fn draw(pen: &mut Pen<'_>, state: &State, page: &NodesPage, area: Rect) {
    let (Some(part), false) = (state.cluster.part(), page.list.rows.is_empty()) else { return };
    let symbols = pen.symbols();
    let twice = |symbol: &str, word: &str| format!("{symbol}{symbol} {word}   ");
    let legend = [
        piece(Role::UsageNormal, twice(symbols.bars[0], "low")),
        piece(Role::UsageHigh, twice(symbols.bars[6], "high")),
        piece(Role::UsageFull, twice(full(symbols), "full")),
        piece(Role::StateStopped, twice(symbols.stopped, "unschedulable")),
    ];
    pen.pieces(area.x, area.y + 1, area.width, &legend);
    let here = page.list.rows.get(page.list.cursor.index).and_then(|id| part.nodes.get(id));
    if let Some(node) = here {
        pen.pieces(area.x, area.y + 3, area.width, &metrics(node, symbols));
    }
    let map = Rect { y: area.y + ABOVE_MAP, height: area.height.saturating_sub(ABOVE_MAP), ..area };
    let widest = page.list.rows.iter().map(|id| text::width(id.as_str())).max().unwrap_or(0);
    let named = BEFORE_NAME + widest + 2;
    let fits = |cell: &usize| usize::from(map.width) / cell * usize::from(map.height) >= page.list.rows.len();
    let narrow = CELLS.into_iter().find(fits).unwrap_or(CELLS[0]);
    let cell = if fits(&named) { named } else { narrow };
    let symbol_width = if cell < 3 { 1 } else { 2 };
    let in_line = usize::from(map.width) / cell;
    let space = in_line * usize::from(map.height);
    if space == 0 {
        return;
    }
    let each = page.list.rows.len().div_ceil(space);
    let resources = resources(page);
    let message = match (each, resources) {
        (1, [one]) => format!("each node by its usage of {}, the sorted column", format::resource_name(one)),
        (1, _) => "each node by its higher usage of cpu and memory".to_owned(),
        (_, [one]) => format!("{each} nodes per cell: the highest usage of {}", format::resource_name(one)),
        _ => format!("{each} nodes per cell: the highest usage of cpu or memory"),
    };
    pen.pieces(area.x, area.y, area.width, &[dim(message)]);
    for (at, ids) in page.list.rows.chunks(each).enumerate() {
        let nodes = ids.iter().filter_map(|id| part.nodes.get(id));
        let Some(node) = nodes.max_by_key(|node| (node.is_open(), share(node, resources))) else { continue };
        let (x, y) = (at % in_line * cell, at / in_line);
        let place = Rect {
            x: map.x + u16::try_from(x).unwrap_or(0),
            y: map.y + u16::try_from(y).unwrap_or(0),
            width: u16::try_from(if cell == named { BEFORE_NAME + widest } else { symbol_width }).unwrap_or(2),
            height: 1,
        };
        let (symbol, role) = symbol(node, resources, symbols);
        pen.pieces(place.x, place.y, 2, &[piece(role, symbol.repeat(symbol_width))]);
        if cell == named {
            pen.text(place.x + 3, place.y, place.width - 3, node.id.as_str(), Role::Text);
        }
        if page.list.cursor.index / each == at {
            pen.style(place, Role::Selection);
        }
    }
}

fn metrics(node: &NodeRow, symbols: &'static Symbols) -> Vec<Piece> {
    let mut pieces = vec![piece(Role::Title, node.id.to_string()), plain("  ")];
    pieces.extend(state_pieces(node, symbols, true));
    let others = node.capacity.iter().map(|(name, _)| name).filter(|name| *name != VCORE && *name != MEMORY);
    for name in [VCORE, MEMORY].into_iter().chain(others) {
        let all = node.capacity.amount(name);
        let level = meter(node, name);
        let role = if level.role() == Role::UsageNormal { Role::Text } else { level.role() };
        pieces.extend([
            dim(format!("  {} ", format::resource_name(name))),
            piece(role, show_amount(name, level.used)),
            dim(format!(" of {}", show_amount(name, all))),
        ]);
    }
    pieces.push(dim(format!("  {}", format::count(node.allocations.len() as u64, "allocation"))));
    pieces
}

const fn resources(page: &NodesPage) -> &'static [&'static str] {
    match page.list.sort.column {
        NodeColumn::Cpu | NodeColumn::CpuAll | NodeColumn::CpuFree => &[VCORE],
        NodeColumn::Memory | NodeColumn::MemoryAll | NodeColumn::MemoryFree => &[MEMORY],
        _ => &[VCORE, MEMORY],
    }
}

fn share(node: &NodeRow, resources: &[&str]) -> i64 {
    resources.iter().map(|name| share_of(&meter(node, name))).max().unwrap_or(0)
}

fn share_of(meter: &Meter) -> i64 {
    let base = i128::from(meter.base.unwrap_or(0));
    let share = (i128::from(meter.used) * 1000).checked_div(base).unwrap_or(0);
    i64::try_from(share.clamp(0, 1000)).unwrap_or(0)
}

/// In ASCII, the two highest bars are the same.
fn full(symbols: &Symbols) -> &'static str {
    if symbols.bars[6] == symbols.bars[7] { "@" } else { symbols.bars[7] }
}

fn symbol(node: &NodeRow, resources: &[&str], symbols: &'static Symbols) -> (&'static str, Role) {
    let share = share(node, resources);
    let level = usize::try_from(share * 7 / 1000).unwrap_or(0).min(7);
    match share {
        _ if !node.is_open() => (symbols.stopped, Role::StateStopped),
        0 => (symbols.nothing, Role::Dim),
        1000 => (full(symbols), Role::UsageFull),
        800.. => (symbols.bars[level], Role::UsageHigh),
        _ => (symbols.bars[level], Role::UsageNormal),
    }
}
