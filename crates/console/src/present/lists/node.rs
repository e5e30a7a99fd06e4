//! The allocations on one node as a table.

use crate::present::arrange::{Space, arrange, choose, chosen_columns};
use crate::present::format;
use crate::present::pieces::{Slot, dim, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Chosen, Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::AllocationColumn;
use crate::state::page::NodePage;
use crate::theme::Role;
use model::{MEMORY, Resource, Time, VCORE};
use view::NodeAllocation;
use view::units::show_amount;

/// The unit of a column.
pub const fn unit(column: AllocationColumn) -> Unit {
    match column {
        AllocationColumn::Arrival => Unit::Number,
        AllocationColumn::Cpu => Unit::Vcore,
        AllocationColumn::Memory => Unit::Bytes,
        AllocationColumn::Since => Unit::Lasting,
        AllocationColumn::Application | AllocationColumn::Ask | AllocationColumn::Other => Unit::Words,
    }
}

/// Ages are at `now`.
pub fn value(of: &NodeAllocation, column: AllocationColumn, now: Time) -> Value<'_> {
    match column {
        AllocationColumn::Arrival => Value::Nothing,
        AllocationColumn::Application => Value::text(of.app.as_str()),
        AllocationColumn::Ask => Value::text(of.name()),
        AllocationColumn::Cpu => Value::amount(&of.resource, VCORE),
        AllocationColumn::Memory => Value::amount(&of.resource, MEMORY),
        AllocationColumn::Other => Value::text(format::others(&of.resource)),
        AllocationColumn::Since => Value::lasting(now, of.since),
    }
}

/// The typed list of a node's allocations.
pub fn fields<'a>(state: &'a State, page: &'a NodePage) -> Fields<'a> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        if column == AllocationColumn::Arrival {
            return Value::count(row + 1);
        }
        let one = page.row.as_ref().zip(page.list.rows.get(row)).and_then(|(node, key)| node.allocations.get(key));
        one.map_or(Value::Nothing, |one| value(one, column, state.cluster.at))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    App,
    Ask,
    Cpu,
    Memory,
    Other,
    Since,
}

/// The list for a width.
pub fn table<'a>(state: &'a State, page: &'a NodePage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let own_column = |column| own(column, page.list.widest);
    let space = Space { widest: page.list.widest[0], least: 12 };
    let columns = if state.wide || chosen_columns(state).is_some() {
        arrange(state, width, [vec![left(Cell::App, "APPLICATION", 12)]], own_column, space)
    } else {
        plan(width, page.list.widest)
    };
    let sorted = move |cell: Cell| {
        let column = match cell {
            Cell::App => Some(AllocationColumn::Application),
            Cell::Cpu => Some(AllocationColumn::Cpu),
            Cell::Memory => Some(AllocationColumn::Memory),
            Cell::Ask => Some(AllocationColumn::Ask),
            Cell::Other => Some(AllocationColumn::Other),
            Cell::Since => Some(AllocationColumn::Since),
        };
        table::title(symbols, page.list.sort, column)
    };
    let len = page.list.rows.len();
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let allocation = page.row.as_ref().zip(page.list.rows.get(index)).map(|(node, key)| node.allocations.get(key));
        match allocation {
            Some(Some(allocation)) => cell(pen, state, allocation, what, slot),
            Some(None) if what == Cell::App => pen.cell(slot, &[dim("just removed")]),
            _ => {}
        }
    });
    if len > 0 {
        return table;
    }
    let words = match (&page.row, page.list.total) {
        (None, _) => format!("no node {} in this partition", page.id),
        (Some(_), 0) => format!("no allocations on {}", page.id),
        (Some(_), total) => format!("the filter {} hides {total}", page.list.filter),
    };
    table.or_reported(vec![words])
}

fn plan(width: u16, [app, ask, other]: [u16; 3]) -> Chosen<Cell> {
    let mut columns = vec![left(Cell::App, "APPLICATION", 12), left(Cell::Ask, "REQUEST", 8).up_to(ask)];
    columns.push(right(Cell::Cpu, "CPU", 6));
    if width >= 60 {
        columns.push(right(Cell::Memory, "MEM", 6));
    }
    if width >= 90 && other > 0 {
        columns.push(Col { gap: 2, ..left(Cell::Other, "OTHER", other.clamp(6, 24)) });
    }
    columns.push(right(Cell::Since, "SINCE", 7));
    let metrics = table::total(&columns[2..]);
    let half = width.saturating_sub(metrics + 4) / 2;
    columns[1].width = ask.clamp(8, half.max(8));
    choose([columns], width, app, 12)
}

fn own(column: AllocationColumn, [app, ask, other]: [u16; 3]) -> Option<Col<Cell>> {
    Some(match column {
        AllocationColumn::Arrival => return None,
        AllocationColumn::Application => left(Cell::App, "APPLICATION", app),
        AllocationColumn::Ask => left(Cell::Ask, "REQUEST", ask.clamp(8, 40)),
        AllocationColumn::Cpu => right(Cell::Cpu, "CPU", 6),
        AllocationColumn::Memory => right(Cell::Memory, "MEM", 6),
        AllocationColumn::Other => Col { gap: 2, ..left(Cell::Other, "OTHER", other.clamp(6, 24)) },
        AllocationColumn::Since => right(Cell::Since, "SINCE", 7),
    })
}

fn cell(pen: &mut Writer, state: &State, allocation: &NodeAllocation, what: Cell, slot: Slot) {
    let symbols = pen.symbols();
    let metric = |resource: &Resource, name: &str| match resource.amount(name) {
        0 => dim(symbols.nothing),
        amount => plain(show_amount(name, amount)),
    };
    let mut name = |text: &str| {
        pen.name(slot.x, slot.width, text, Role::Text);
        Vec::new()
    };
    let pieces = match what {
        Cell::App => name(allocation.app.as_str()),
        Cell::Ask => name(allocation.name()),
        Cell::Cpu => vec![metric(&allocation.resource, VCORE)],
        Cell::Memory => vec![metric(&allocation.resource, MEMORY)],
        Cell::Other => vec![crate::present::lists::apps::others(&allocation.resource, symbols)],
        Cell::Since => vec![dim(format::age(state.cluster.at, allocation.since, pen.symbols().nothing))],
    };
    pen.cell(slot, &pieces);
}
