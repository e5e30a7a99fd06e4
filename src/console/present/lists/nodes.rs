//! Nodes as a table, and what runs on one of them.
//!
//! ```text
//!  NODE▲                STATE   ALLOC   CPU             used/  all    MEM             used/  all
//! ▌node-a               ●           8   ▰▰▰▰▰▰▱▱▱▱      12.5/   20    ▰▰▰▱▱▱▱▱▱▱       24G/  40G
//!
//!  APPLICATION          ASK             CPU    MEM  OTHER         SINCE
//! ```
//!
//! When narrow the meters get shorter and go, memory's first, then the state's word,
//! the number of allocations, and memory.

use ratatui::layout::Rect;

use crate::console::present::format;
use crate::console::present::layout::Regions;
use crate::console::present::meter::Meter;
use crate::console::present::pieces::{Piece, Slot, dim, piece, plain, sign_set};
use crate::console::present::table;
use crate::console::present::table::{Col, Table, Writer, left, right};
use crate::console::state::State;
use crate::console::state::column::{AllocationColumn, NodeColumn};
use crate::console::state::marks::{Facet, Marked};
use crate::console::state::page::{NodePage, NodesPage};
use crate::console::theme::{Role, Signs};
use crate::model::quantity::show_amount;
use crate::model::{MEMORY, Resource, VCORE};
use crate::view::{NodeAllocation, NodeRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Id,
    State,
    Allocations,
    Meter(&'static str),
    Usage(&'static str),
    Free(&'static str),
    Changed,
}

/// The list of nodes.
pub fn table<'a>(state: &'a State, page: &'a NodesPage, width: u16) -> Table<'a> {
    let signs = sign_set(state);
    let columns = table::choose(plans(), width, page.list.widest[0], if width < 60 { 10 } else { 18 });
    let sorted = move |cell: Cell| table::title(signs, page.list.sort, belongs_to(cell));
    let len = page.list.rows.len();
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let Some((part, id)) = state.cluster.part().zip(page.list.rows.get(index)) else { return };
        match part.nodes.get(id) {
            Some(node) => cell(pen, state, node, what, slot),
            None if what == Cell::Id => pen.cell(slot, &[dim(format!("{id}, gone just now"))]),
            None => {}
        }
    });
    if len > 0 {
        table
    } else if page.list.total > 0 {
        let total = page.list.total;
        let words = format!("the filter {} hides {total} of {}", page.list.filter, format::count(total as u64, "node"));
        table.or_says(vec![words, "esc clears it".to_owned()])
    } else {
        table.or_says(vec!["no node yet: nothing can be allocated".to_owned()])
    }
}

/// From how many columns on the map stands beside the table, otherwise in its place.
const BESIDE: u16 = 100;

/// How many columns of `width` the table has: the map takes some of them, or all.
pub fn table_width(page: &NodesPage, width: u16) -> u16 {
    match page.map && !page.list.rows.is_empty() {
        true if width < BESIDE => 0,
        true => width * 55 / 100,
        false => width,
    }
}

/// What is left for the table, and the room for the map, if that is to be seen.
pub fn split(page: &NodesPage, regions: &Regions) -> (Regions, Option<Rect>) {
    let Regions { head, rows, .. } = *regions;
    if !page.map || page.list.rows.is_empty() {
        return (*regions, None);
    }
    let table = table_width(page, rows.width);
    let left = |of: Rect| Rect { width: table, ..of };
    let map = Rect { x: rows.x + table + 1, y: head.y, width: rows.width - table - 2, height: rows.bottom() - head.y };
    (Regions { head: left(head), rows: left(rows), ..*regions }, Some(map))
}

fn plans() -> impl Iterator<Item = Vec<Col<Cell>>> {
    let meters = [(20, 20), (16, 16), (10, 10), (6, 6), (6, 0), (0, 0), (0, 0), (0, 0)];
    meters.into_iter().enumerate().map(|(step, (cpu, memory))| {
        let mut columns = vec![left(Cell::Id, "NODE", 0)];
        columns.push(match step {
            0..3 => left(Cell::State, "STATE", 10),
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
                    ..left(Cell::Meter(name), title, meter).up_to(if meter >= 10 { 24 } else { meter })
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
                columns.push(right(Cell::Usage(name), own, 12));
            }
            if step < 2 {
                columns.push(right(Cell::Free(name), "free", 6));
            }
        }
        columns.push(left(Cell::Changed, "", 1));
        columns
    })
}

fn belongs_to(cell: Cell) -> Option<NodeColumn> {
    Some(match cell {
        Cell::Id => NodeColumn::Node,
        Cell::Allocations => NodeColumn::Allocations,
        Cell::Usage(VCORE) => NodeColumn::Cpu,
        Cell::Usage(_) => NodeColumn::Memory,
        Cell::State | Cell::Meter(_) | Cell::Free(_) | Cell::Changed => return None,
    })
}

fn cell(pen: &mut Writer, state: &State, node: &NodeRow, what: Cell, slot: Slot) {
    let signs = pen.signs();
    let mark = state.marks.of(&Marked::Node(node.id.clone()));
    let text = |facet| if mark.holds(facet, state.now) { Role::Changed } else { Role::Text };
    let pieces = match what {
        Cell::Id => {
            pen.name(slot.x, slot.width, node.id.as_str(), Role::Text);
            return;
        }
        Cell::State => state_pieces(node, signs, slot.width > 5),
        Cell::Allocations => match node.allocations.len() {
            0 => vec![dim(signs.nothing)],
            count => vec![piece(text(Facet::Apps), show_amount("", i64::try_from(count).unwrap_or(i64::MAX)))],
        },
        Cell::Meter(name) => meter(node, name).pieces(slot.width, signs),
        Cell::Usage(name) => {
            let facet = if name == VCORE { Facet::Cpu } else { Facet::Memory };
            let role = match meter(node, name).role() {
                Role::UsageNormal => text(facet),
                role => role,
            };
            let all = node.capacity.get(name).map_or_else(|| signs.nothing.to_owned(), |all| show_amount(name, all));
            vec![piece(role, show_amount(name, used(node, name))), dim("/"), dim(format!("{all:>6}"))]
        }
        Cell::Free(name) => vec![plain(show_amount(name, node.available().amount(name)))],
        Cell::Changed if mark.any(state.now) => vec![piece(Role::Accent, signs.changed)],
        Cell::Changed => Vec::new(),
    };
    pen.cell(slot, &pieces);
}

/// Allocated and occupied: what is no longer free.
fn used(node: &NodeRow, name: &str) -> i64 {
    node.allocated.amount(name).saturating_add(node.occupied.amount(name))
}

/// What is in use of a resource, of all there is.
pub fn meter(node: &NodeRow, name: &str) -> Meter {
    Meter { used: used(node, name), base: node.capacity.get(name), guaranteed: None }
}

/// Whether a node takes new allocations.
pub fn state_pieces(node: &NodeRow, signs: &Signs, words: bool) -> Vec<Piece> {
    let (sign, role, word) = match (node.schedulable, node.reservations.is_empty()) {
        (true, true) => (signs.active, Role::StateActive, " open"),
        (true, false) => (signs.active, Role::StateActive, " reserved"),
        (false, _) => (signs.stopped, Role::StateStopped, " drained"),
    };
    if words { vec![piece(role, sign), dim(word)] } else { vec![piece(role, sign)] }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AllocationCell {
    App,
    Ask,
    Cpu,
    Memory,
    Other,
    Since,
}

/// What runs on one node as a list.
pub fn table_of_one<'a>(state: &'a State, page: &'a NodePage, width: u16) -> Table<'a> {
    let signs = sign_set(state);
    let columns = allocation_columns(width, page.list.widest);
    let sorted = move |cell: AllocationCell| {
        let column = match cell {
            AllocationCell::App => Some(AllocationColumn::Application),
            AllocationCell::Cpu => Some(AllocationColumn::Cpu),
            AllocationCell::Memory => Some(AllocationColumn::Memory),
            AllocationCell::Ask | AllocationCell::Other | AllocationCell::Since => None,
        };
        table::title(signs, page.list.sort, column)
    };
    let len = page.list.rows.len();
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let allocation = page.row.as_ref().zip(page.list.rows.get(index)).map(|(node, key)| node.allocations.get(key));
        match allocation {
            Some(Some(allocation)) => allocation_cell(pen, state, allocation, what, slot),
            Some(None) if what == AllocationCell::App => pen.cell(slot, &[dim("gone just now")]),
            _ => {}
        }
    });
    if len > 0 {
        return table;
    }
    let words = match (&page.row, page.list.total) {
        (None, _) => format!("no node {} in this partition", page.id),
        (Some(_), 0) => format!("nothing runs on {}", page.id),
        (Some(_), total) => format!("the filter {} hides {total}", page.list.filter),
    };
    table.or_says(vec![words])
}

/// The names of applications and of asks get what they need; where that is too much, both the same.
fn allocation_columns(width: u16, [app, ask, other]: [u16; 3]) -> Vec<Col<AllocationCell>> {
    let mut columns =
        vec![left(AllocationCell::App, "APPLICATION", 12), left(AllocationCell::Ask, "ASK", 8).up_to(ask)];
    columns.push(right(AllocationCell::Cpu, "CPU", 6));
    if width >= 60 {
        columns.push(right(AllocationCell::Memory, "MEM", 6));
    }
    if width >= 90 && other > 0 {
        columns.push(Col { gap: 2, ..left(AllocationCell::Other, "OTHER", other.clamp(6, 24)) });
    }
    columns.push(right(AllocationCell::Since, "SINCE", 7));
    let figures = table::total(&columns[2..]);
    let half = width.saturating_sub(figures + 4) / 2;
    columns[1].width = ask.clamp(8, half.max(8));
    table::choose([columns], width, app, 12)
}

fn allocation_cell(pen: &mut Writer, state: &State, allocation: &NodeAllocation, what: AllocationCell, slot: Slot) {
    let signs = pen.signs();
    let figure = |resource: &Resource, name: &str| match resource.amount(name) {
        0 => dim(signs.nothing),
        amount => plain(show_amount(name, amount)),
    };
    let mut name = |text: &str| {
        pen.name(slot.x, slot.width, text, Role::Text);
        Vec::new()
    };
    let pieces = match what {
        AllocationCell::App => name(allocation.app.as_str()),
        AllocationCell::Ask => name(allocation.ask.as_str()),
        AllocationCell::Cpu => vec![figure(&allocation.resource, VCORE)],
        AllocationCell::Memory => vec![figure(&allocation.resource, MEMORY)],
        AllocationCell::Other => vec![crate::console::present::lists::apps::others(&allocation.resource, signs)],
        AllocationCell::Since => vec![dim(format::age(state.cluster.at, allocation.since, pen.signs().nothing))],
    };
    pen.cell(slot, &pieces);
}
