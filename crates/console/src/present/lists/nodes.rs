//! Nodes as a table.
//!
//! ```text
//!  NODE▲                STATE   ALLOC   CPU             used/  all    MEM             used/  all
//! ▌node-a               ●           8   ▰▰▰▰▰▰▱▱▱▱      12.5/   20    ▰▰▰▱▱▱▱▱▱▱       24G/  40G
//! ```
//!
//! On a narrow screen the meters get shorter and are dropped, memory's first, then the state's word, the number of
//! allocations, and memory.

use ratatui::layout::Rect;

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::layout::Regions;
use crate::present::meter::Meter;
use crate::present::pieces::{Piece, Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::trend_cells;
use crate::present::unknown;
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::NodeColumn;
use crate::state::marks::{Facet, Marked};
use crate::state::page::NodesPage;
use crate::theme::{Role, Symbols};
use model::{MEMORY, VCORE};
use view::NodeRow;
use view::PartitionView;
use view::trends::Subject;
use view::units::show_amount;

/// The unit of a column.
pub const fn unit(column: NodeColumn) -> Unit {
    match column {
        NodeColumn::Allocations => Unit::Count,
        NodeColumn::Cpu | NodeColumn::CpuAll | NodeColumn::CpuFree => Unit::Vcore,
        NodeColumn::Memory | NodeColumn::MemoryAll | NodeColumn::MemoryFree => Unit::Bytes,
        NodeColumn::Node | NodeColumn::State | NodeColumn::Other | NodeColumn::Trend => Unit::Words,
    }
}

/// The value of a column.
pub fn value<'a>(part: &PartitionView, node: &'a NodeRow, column: NodeColumn) -> Value<'a> {
    if unknown::of_node(part, node, column).is_some() {
        return Value::Unknown;
    }
    let all = |name: &str| Value::bound(node.capacity.get(name));
    let free = |name: &str| Value::Metric(node.available().amount(name));
    match column {
        NodeColumn::Node => Value::text(node.id.as_str()),
        NodeColumn::State => Value::text(state_word(node)),
        NodeColumn::Allocations => Value::count(node.allocations.len()),
        NodeColumn::Cpu => Value::Metric(used(node, VCORE)),
        NodeColumn::CpuAll => all(VCORE),
        NodeColumn::CpuFree => free(VCORE),
        NodeColumn::Memory => Value::Metric(used(node, MEMORY)),
        NodeColumn::MemoryAll => all(MEMORY),
        NodeColumn::MemoryFree => free(MEMORY),
        NodeColumn::Other => Value::text(other_resources(node)),
        // The trend is not in the view.
        NodeColumn::Trend => Value::Nothing,
    }
}

/// What is used of the resources without columns of their own: `gpu 2/8`.
fn other_resources(node: &NodeRow) -> String {
    let own = |(name, all): &(&str, i64)| *name != VCORE && *name != MEMORY && (*all != 0 || used(node, name) != 0);
    let of =
        |(name, all): (&str, i64)| format!("{name} {}/{}", show_amount(name, used(node, name)), show_amount(name, all));
    node.capacity.iter().filter(own).map(of).collect::<Vec<_>>().join(", ")
}

fn trend(state: &State, node: &NodeRow, symbols: &Symbols) -> String {
    trend_cells::cells(state, &Subject::Node(node.id.clone()), symbols)
}

/// The list as typed values.
pub fn fields<'a>(state: &'a State, page: &'a NodesPage) -> Fields<'a> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        let found = state.cluster.part().zip(page.list.rows.get(row));
        let found = found.and_then(|(part, id)| Some((part, part.nodes.get(id)?)));
        found.map_or(Value::Nothing, |(part, node)| match column {
            NodeColumn::Trend => Value::text(trend(state, node, symbol_set(state))),
            column => value(part, node, column),
        })
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Id,
    State,
    Allocations,
    Meter(&'static str),
    Usage(&'static str),
    Free(&'static str),
    Value(NodeColumn),
    Changed,
}

/// The list of nodes.
pub fn table<'a>(state: &'a State, page: &'a NodesPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let space = Space { widest: page.list.widest[0], least: if width < 60 { 10 } else { 18 } };
    let others =
        state.cluster.part().is_some_and(|part| part.nodes.values().any(|node| !other_resources(node).is_empty()));
    let columns = arrange(state, width, plans(others), |column| Some(own(column)), space);
    let sorted = move |cell: Cell| table::title(symbols, page.list.sort, belongs_to(cell));
    let len = page.list.rows.len();
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let Some((part, id)) = state.cluster.part().zip(page.list.rows.get(index)) else { return };
        match part.nodes.get(id) {
            Some(node) => cell(pen, state, (part, node), what, slot),
            None if what == Cell::Id => pen.cell(slot, &[dim(format!("{id}, just removed"))]),
            None => {}
        }
    });
    if len > 0 {
        table
    } else if page.list.total > 0 {
        let total = page.list.total;
        let words = format!("the filter {} hides {total} of {}", page.list.filter, format::count(total as u64, "node"));
        table.or_reported(vec![words, "esc clears it".to_owned()])
    } else if state.cluster.unread.nodes {
        table.or_reported(vec![state.cluster.unread.no_nodes()])
    } else {
        table.or_reported(vec!["no nodes yet".to_owned()])
    }
}

/// Below this width the map replaces the table.
const SIDE_FROM: u16 = 100;

/// The width without the map.
pub fn table_width(page: &NodesPage, width: u16) -> u16 {
    match page.map && !page.list.rows.is_empty() {
        true if width < SIDE_FROM => 0,
        true => width * 55 / 100,
        false => width,
    }
}

/// The number of lines above the map's cells.
pub const ABOVE_MAP: u16 = 5;

fn heat_map_fits(nodes: usize, map: Rect) -> bool {
    usize::from(map.width / 2) * usize::from(map.height.saturating_sub(ABOVE_MAP)) >= nodes
}

/// The regions of the table and the map.
pub fn split(page: &NodesPage, regions: &Regions) -> (Regions, Option<Rect>) {
    let Regions { head, rows, .. } = *regions;
    if !page.map || page.list.rows.is_empty() {
        return (*regions, None);
    }
    let map = |table: u16| Rect {
        x: rows.x + table + 1,
        y: head.y,
        width: rows.width - table - 2,
        height: rows.bottom() - head.y,
    };
    let table_width_left =
        Some(table_width(page, rows.width)).filter(|table| heat_map_fits(page.list.rows.len(), map(*table)));
    let table = table_width_left.unwrap_or(0);
    let (left, map) = (|of: Rect| Rect { width: table, ..of }, map(table));
    (Regions { head: left(head), rows: left(rows), ..*regions }, Some(map))
}

const STATE: u16 = 15;

fn plans(others: bool) -> impl Iterator<Item = Vec<Col<Cell>>> {
    let meters = [(20, 20), (16, 16), (10, 10), (6, 6), (6, 0), (0, 0), (0, 0), (0, 0)];
    meters.into_iter().enumerate().map(move |(step, (cpu, memory))| {
        let mut columns = vec![left(Cell::Id, "NODE", 0)];
        columns.push(match step {
            0..3 => left(Cell::State, "STATE", STATE),
            3..6 => left(Cell::State, "STATE", 5),
            _ => left(Cell::State, "", 1),
        });
        if step < 6 {
            columns.push(right(Cell::Allocations, "ALLOC", 6));
        }
        for (name, meter, title) in [(VCORE, cpu, "CPU"), (MEMORY, memory, "MEM")] {
            if meter > 0 {
                columns.push(Col {
                    gap: 2,
                    ..left(Cell::Meter(name), title, meter).up_to(if meter >= 10 { 36 } else { meter }).as_bar()
                });
            }
            let own = if meter > 0 {
                "used/   all"
            } else if name == VCORE {
                "CPU"
            } else {
                "MEM"
            };
            if step < 7 || name == VCORE {
                columns.push(right(Cell::Usage(name), own, if name == MEMORY { 13 } else { 12 }));
            }
            if step < 2 {
                columns.push(right(Cell::Free(name), "free", 6));
            }
        }
        if others && step < 3 {
            columns.push(Col { gap: 2, ..left(Cell::Value(NodeColumn::Other), "OTHER", 12) }.up_to(40));
        }
        columns.push(left(Cell::Changed, "", 1));
        columns
    })
}

fn own(column: NodeColumn) -> Col<Cell> {
    let value = Cell::Value(column);
    match column {
        NodeColumn::Node => left(Cell::Id, "NODE", 18),
        NodeColumn::State => left(Cell::State, "STATE", STATE),
        NodeColumn::Allocations => right(Cell::Allocations, "ALLOC", 6),
        NodeColumn::Cpu => right(Cell::Usage(VCORE), "CPU used/   all", 15),
        NodeColumn::CpuAll => right(value, "CPU all", 8),
        NodeColumn::CpuFree => right(Cell::Free(VCORE), "CPU free", 8),
        NodeColumn::Memory => right(Cell::Usage(MEMORY), "MEM used/   all", 15),
        NodeColumn::MemoryAll => right(value, "MEM all", 8),
        NodeColumn::MemoryFree => right(Cell::Free(MEMORY), "MEM free", 8),
        NodeColumn::Other => Col { gap: 2, ..left(value, "OTHER", 12) }.up_to(40),
        NodeColumn::Trend => left(value, "LAST 1 h", trend_cells::CELLS),
    }
}

fn belongs_to(cell: Cell) -> Option<NodeColumn> {
    Some(match cell {
        Cell::Id => NodeColumn::Node,
        Cell::Allocations => NodeColumn::Allocations,
        Cell::Usage(VCORE) => NodeColumn::Cpu,
        Cell::Usage(_) => NodeColumn::Memory,
        Cell::Free(VCORE) => NodeColumn::CpuFree,
        Cell::Free(_) => NodeColumn::MemoryFree,
        Cell::State => NodeColumn::State,
        Cell::Value(column) => column,
        Cell::Meter(_) | Cell::Changed => return None,
    })
}

fn cell(pen: &mut Writer, state: &State, (part, node): (&PartitionView, &NodeRow), what: Cell, slot: Slot) {
    let symbols = pen.symbols();
    let mark = state.marks.of(&Marked::Node(node.id.clone()));
    let text = |facet| if mark.is_active(facet, state.now) { Role::Changed } else { Role::Text };
    let lost = |column| unknown::of_node(part, node, column).is_some();
    let pieces = match what {
        Cell::Id => {
            pen.name(slot.x, slot.width, node.id.as_str(), Role::Text);
            return;
        }
        Cell::State | Cell::Allocations | Cell::Free(_) if belongs_to(what).is_some_and(lost) => {
            vec![unknown::cell(symbols)]
        }
        Cell::State => state_pieces(node, symbols, slot.width > 5),
        Cell::Allocations => match node.allocations.len() {
            0 => vec![dim(symbols.nothing)],
            count => vec![piece(text(Facet::Apps), show_amount("", i64::try_from(count).unwrap_or(i64::MAX)))],
        },
        Cell::Meter(name) if lost(of(name).0) || lost(of(name).1) => vec![unknown::cell(symbols)],
        Cell::Meter(name) => meter(node, name).pieces(slot.width, symbols),
        Cell::Usage(name) => {
            let facet = if name == VCORE { Facet::Cpu } else { Facet::Memory };
            let role = match meter(node, name).role() {
                Role::UsageNormal => text(facet),
                role => role,
            };
            let all = node.capacity.get(name).map_or_else(|| symbols.nothing.to_owned(), |all| show_amount(name, all));
            let mut pieces = [piece(role, show_amount(name, used(node, name))), dim("/"), dim(format!("{all:>6}"))];
            for (column, at) in [(of(name).0, 0), (of(name).1, 2)] {
                if lost(column) {
                    unknown::blank(&mut pieces[at], symbols);
                    pieces[0].role = Role::Dim;
                }
            }
            pieces.to_vec()
        }
        Cell::Free(name) => vec![plain(show_amount(name, node.available().amount(name)))],
        Cell::Value(NodeColumn::Trend) => vec![piece(Role::Accent, trend(state, node, symbols))],
        Cell::Value(column) => vec![dim(value(part, node, column).shown(unit(column), symbols))],
        Cell::Changed if mark.any(state.now) => vec![piece(Role::Accent, symbols.changed)],
        Cell::Changed => Vec::new(),
    };
    pen.cell(slot, &pieces);
}

fn of(name: &str) -> (NodeColumn, NodeColumn) {
    match name {
        VCORE => (NodeColumn::Cpu, NodeColumn::CpuAll),
        _ => (NodeColumn::Memory, NodeColumn::MemoryAll),
    }
}

fn used(node: &NodeRow, name: &str) -> i64 {
    node.allocated.amount(name).saturating_add(node.occupied.amount(name))
}

/// The usage of a resource compared with the capacity.
pub fn meter(node: &NodeRow, name: &str) -> Meter {
    Meter { used: used(node, name), base: node.capacity.get(name), guaranteed: None }
}

fn state_word(node: &NodeRow) -> &str {
    if let Some(closed) = &node.closed {
        return closed;
    }
    match (node.schedulable, node.reservations.is_empty()) {
        (true, true) => "schedulable",
        (true, false) => "reserved",
        (false, _) => "unschedulable",
    }
}

/// The state of a node.
pub fn state_pieces(node: &NodeRow, symbols: &Symbols, words: bool) -> Vec<Piece> {
    let (symbol, role) = match node.is_open() {
        true => (symbols.active, Role::StateActive),
        false => (symbols.stopped, Role::StateStopped),
    };
    let word = format!(" {}", state_word(node));
    if words { vec![piece(role, symbol), dim(word)] } else { vec![piece(role, symbol)] }
}
