//! The events, the newest first; important ones are highlighted ([`crate::present::weight`]).

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::pieces::{Piece, Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::present::weight::{Weight, role, weight};
use crate::present::words;
use crate::present::words::word;
use crate::state::State;
use crate::state::column::EventColumn;
use crate::state::page::EventsPage;
use crate::theme::{Role, Symbols};
use model::Time;
use view::{ChangeType, Record};

/// The unit of a column.
pub const fn unit(column: EventColumn) -> Unit {
    match column {
        EventColumn::Time => Unit::Moment,
        _ => Unit::Words,
    }
}

/// The value of a column.
pub fn value(record: &Record, column: EventColumn) -> Value<'_> {
    match column {
        EventColumn::Time => Value::moment(record.at),
        EventColumn::Kind => Value::text(record.kind.to_string()),
        EventColumn::Object => Value::text(&*record.object),
        EventColumn::What => Value::text(word(record)),
        EventColumn::Of => Value::text(&*record.reference),
        EventColumn::Resource => Value::text(format::resource(&record.resource)),
        EventColumn::Message => Value::text(&*record.message),
    }
}

/// The list as typed values.
pub fn fields<'a>(state: &'a State, page: &'a EventsPage) -> Fields<'a> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        let record = page.list.rows.get(row).and_then(|number| state.cluster.events.get(*number));
        record.map_or(Value::Nothing, |record| value(record, column))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Time,
    Kind,
    Object,
    What,
    Of,
    Resource,
    Message,
    WhatAndMessage,
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a EventsPage, width: u16) -> Table<'a> {
    let (symbols, now) = (symbol_set(state), state.cluster.past.live);
    let space = Space { widest: page.list.widest[0], least: 7 };
    let columns = arrange(
        state,
        width,
        plans(page.list.widest[1]),
        |column| Some(own(column, page.list.widest[0].max(8))),
        space,
    );
    let shown: Vec<Cell> = columns.columns.iter().map(|column| column.what).collect();
    let sorted = move |cell: Cell| table::title(symbols, page.list.sort, belongs_to(cell));
    let len = page.list.rows.len();
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(record) = page.list.rows.get(index).and_then(|number| state.cluster.events.get(*number)) {
            cell(pen, (record, now), page, &shown, what, slot);
        }
    });
    if len > 0 {
        return table;
    }
    let routine = page.routine;
    let words = match (&page.about, page.list.total, state.cluster.events.known) {
        (_, _, false) => vec!["no events yet".to_owned()],
        (_, 0, _) if routine > 0 => vec![
            "no important events".to_owned(),
            format!("{} are hidden; m shows all", format::count(routine as u64, "other event")),
        ],
        (_, total @ 1.., _) => vec![
            format!("the filter {} hides {total} of {}", page.list.filter, format::count(total as u64, "event")),
            "esc clears it".to_owned(),
        ],
        (Some(about), ..) => vec![format!("no events of {about}")],
        (None, ..) => vec!["no events".to_owned()],
    };
    table.or_reported(words)
}

fn is_note(record: &Record) -> bool {
    record.change == ChangeType::NONE && record.detail.0 == 0
}

fn happened(record: &Record, symbols: &Symbols) -> Piece {
    let symbol = if weight(record) == Weight::Grave { format!("{} ", symbols.limit) } else { String::new() };
    piece(role(record), format!("{symbol}{}", words::happened(record)))
}

const MESSAGE: u16 = 30;

fn plans(object: u16) -> impl Iterator<Item = Vec<Col<Cell>>> {
    (0..5).map(move |step| {
        let mut columns = vec![left(Cell::Time, "TIME", 0)];
        if step < 3 {
            columns.push(left(Cell::Kind, "KIND", 11));
        }
        let longest = if step < 4 { 40 } else { 20 };
        columns.push(left(Cell::Object, "OBJECT", object.clamp(8, 18)).up_to(object.min(longest)));
        if step >= 4 {
            columns.push(left(Cell::WhatAndMessage, "WHAT", 28).up_to(160));
            return columns;
        }
        columns.push(left(Cell::What, "WHAT", 20).up_to(28));
        if step < 2 {
            columns.push(left(Cell::Of, "OF", 14).up_to(24));
        }
        if step < 1 {
            columns.push(right(Cell::Resource, "RESOURCE", 20));
        }
        columns.push(
            Col { gap: 2, ..left(Cell::Message, "MESSAGE", if step < 3 { MESSAGE + 10 } else { MESSAGE }) }.up_to(160),
        );
        columns
    })
}

fn own(column: EventColumn, time: u16) -> Col<Cell> {
    match column {
        EventColumn::Time => left(Cell::Time, "TIME", time),
        EventColumn::Kind => left(Cell::Kind, "KIND", 11),
        EventColumn::Object => left(Cell::Object, "OBJECT", 18).up_to(40),
        EventColumn::What => left(Cell::What, "WHAT", 20).up_to(26),
        EventColumn::Of => left(Cell::Of, "OF", 14).up_to(24),
        EventColumn::Resource => right(Cell::Resource, "RESOURCE", 20),
        EventColumn::Message => Col { gap: 2, ..left(Cell::Message, "MESSAGE", MESSAGE) }.up_to(160),
    }
}

fn belongs_to(cell: Cell) -> Option<EventColumn> {
    Some(match cell {
        Cell::Time => EventColumn::Time,
        Cell::Kind => EventColumn::Kind,
        Cell::What | Cell::WhatAndMessage => EventColumn::What,
        Cell::Object => EventColumn::Object,
        Cell::Of => EventColumn::Of,
        Cell::Resource => EventColumn::Resource,
        Cell::Message => EventColumn::Message,
    })
}

/// The message, otherwise the data without columns.
fn message(record: &Record, page: &EventsPage, shown: &[Cell]) -> Piece {
    if !record.message.is_empty() {
        return plain(record.message.to_string());
    }
    let reference = Some(page.name(&record.reference)).filter(|of| !of.is_empty() && !shown.contains(&Cell::Of));
    let resource = format::resource(&record.resource);
    let resource = Some(resource.as_str()).filter(|amount| !amount.is_empty() && !shown.contains(&Cell::Resource));
    dim(reference.into_iter().chain(resource).collect::<Vec<_>>().join("  "))
}

fn cell(pen: &mut Writer, (record, now): (&Record, Time), page: &EventsPage, shown: &[Cell], what: Cell, slot: Slot) {
    let symbols = pen.symbols();
    let pieces = match what {
        Cell::Time => vec![dim(format::when(record.at, now))],
        Cell::Kind => vec![dim(record.kind.to_string())],
        Cell::Object => {
            pen.name(slot.x, slot.width, page.name(&record.object), Role::Text);
            return;
        }
        Cell::What => {
            let is = |cell: Cell| shown.contains(&cell);
            let alone = message(record, page, shown).text.is_empty()
                && (!is(Cell::Of) || record.reference.is_empty())
                && (!is(Cell::Resource) || record.resource.is_zero());
            let behind = if alone && is(Cell::Message) { MESSAGE } else { 0 };
            pen.pieces(slot.x, slot.width + behind, &[happened(record, symbols)]);
            return;
        }
        Cell::WhatAndMessage if is_note(record) => vec![message(record, page, shown)],
        Cell::WhatAndMessage => {
            let reported = message(record, page, shown);
            match reported.text.strip_prefix(words::happened(record).as_str()) {
                Some(rest) => vec![happened(record, symbols), plain(rest.to_owned())],
                None => vec![happened(record, symbols), plain("  "), reported],
            }
        }
        Cell::Of => {
            pen.name(slot.x, slot.width, page.name(&record.reference), Role::Dim);
            return;
        }
        Cell::Resource => vec![dim(format::resource(&record.resource))],
        Cell::Message => vec![message(record, page, shown)],
    };
    pen.cell(slot, &pieces);
}
