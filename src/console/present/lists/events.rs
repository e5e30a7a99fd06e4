//! The events, the newest first.
//!
//! ```text
//!  TIME▼    KIND         OBJECT        WHAT                     OF             RESOURCE        MESSAGE
//! ▌0:42     application  etl-1         add allocation           etl-1/k1-7     cpu 1, mem 2G
//!  0:41     queue        root.legacy   set draining                                           from Active to Draining
//! ```
//!
//! When narrow there give way: the resource, what it is of, then what is reported has no column of its own any more, and the kind.

use crate::console::present::format;
use crate::console::present::pieces::{Piece, Slot, dim, piece, plain, sign_set};
use crate::console::present::table;
use crate::console::present::table::{Col, Table, Writer, left, right};
use crate::console::present::words::word;
use crate::console::state::State;
use crate::console::state::column::EventColumn;
use crate::console::state::page::EventsPage;
use crate::console::theme::Role;
use crate::view::{ChangeType, Record};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Time,
    Kind,
    Object,
    What,
    Of,
    Resource,
    Message,
    /// What happened and what is reported of it, where there is no room for two columns.
    WhatAndTold,
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a EventsPage, width: u16) -> Table<'a> {
    let signs = sign_set(state);
    let columns = table::choose(plans(page.list.widest[1]), width, page.list.widest[0], 7);
    let sorted = move |cell: Cell| table::title(signs, page.list.sort, belongs_to(cell));
    let len = page.list.rows.len();
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(record) = page.list.rows.get(index).and_then(|number| state.cluster.events.get(*number)) {
            cell(pen, record, what, slot);
        }
    });
    if len > 0 {
        return table;
    }
    let words = match (&page.about, page.list.total, state.cluster.events.known) {
        (_, _, false) => vec!["no events are known yet".to_owned()],
        (_, total @ 1.., _) => vec![
            format!("the filter {} hides {total} of {}", page.list.filter, format::count(total as u64, "event")),
            "esc clears it".to_owned(),
        ],
        (Some(about), ..) => vec![format!("no event of {about} is kept")],
        (None, ..) => vec!["no event is kept".to_owned()],
    };
    table.or_says(words)
}

/// What happened, in fewer words: a sign for what came and went.
fn short(record: &Record) -> String {
    match (record.change, record.detail.0) {
        // What is reported is all there is.
        (ChangeType::NONE, 0) => "note".to_owned(),
        (_, 0) => word(record),
        (ChangeType::ADD, _) => format!("+ {}", record.detail),
        (ChangeType::REMOVE, _) => format!("- {}", record.detail),
        (ChangeType::SET, _) => record.detail.to_string(),
        _ => word(record),
    }
}

/// An event of which nothing changed but what is reported.
fn is_note(record: &Record) -> bool {
    record.change == ChangeType::NONE && record.detail.0 == 0
}

fn happened(record: &Record) -> Piece {
    let role = match record.change {
        ChangeType::ADD => Role::DiffAdd,
        ChangeType::REMOVE => Role::DiffRemove,
        _ => Role::Text,
    };
    piece(role, short(record))
}

fn plans(object: u16) -> impl Iterator<Item = Vec<Col<Cell>>> {
    (0..5).map(move |step| {
        let mut columns = vec![left(Cell::Time, "TIME", 0)];
        if step < 4 {
            columns.push(left(Cell::Kind, "KIND", 13));
        }
        columns.push(left(Cell::Object, "OBJECT", object.clamp(8, 18)).up_to(object.min(40)));
        if step >= 3 {
            columns.push(left(Cell::WhatAndTold, "WHAT", if step < 4 { 28 } else { 12 }).up_to(160));
            return columns;
        }
        columns.push(left(Cell::What, "WHAT", 20).up_to(26));
        if step < 2 {
            columns.push(left(Cell::Of, "OF", 14).up_to(24));
        }
        if step < 1 {
            columns.push(right(Cell::Resource, "RESOURCE", 20));
        }
        columns.push(Col { gap: 2, ..left(Cell::Message, "MESSAGE", if step < 2 { 12 } else { 24 }) }.up_to(120));
        columns
    })
}

fn belongs_to(cell: Cell) -> Option<EventColumn> {
    Some(match cell {
        Cell::Time => EventColumn::Time,
        Cell::Kind | Cell::What | Cell::WhatAndTold => EventColumn::Kind,
        Cell::Object => EventColumn::Object,
        Cell::Of | Cell::Resource | Cell::Message => return None,
    })
}

fn cell(pen: &mut Writer, record: &Record, what: Cell, slot: Slot) {
    let pieces = match what {
        Cell::Time => vec![dim(format::when(record.at))],
        Cell::Kind => vec![dim(record.kind.to_string())],
        Cell::Object => {
            pen.name(slot.x, slot.width, &record.object, Role::Text);
            return;
        }
        Cell::What => vec![happened(record)],
        // A note is only what is reported.
        Cell::WhatAndTold if record.message.is_empty() => vec![happened(record)],
        Cell::WhatAndTold if is_note(record) => vec![plain(record.message.to_string())],
        Cell::WhatAndTold => vec![happened(record), plain("  "), dim(record.message.to_string())],
        Cell::Of => {
            pen.name(slot.x, slot.width, &record.reference, Role::Dim);
            return;
        }
        Cell::Resource => vec![dim(format::resource(&record.resource))],
        Cell::Message => vec![plain(record.message.to_string())],
    };
    pen.cell(slot, &pieces);
}
