//! The revisions, the newest first.
//!
//! ```text
//!    REV▼  TIME     BY     HOW            CHANGES  CHECKSUM      WHY
//! ▌● 3     0:52     ann    rollback to 1        1  8F2A11D0C3B4  unchanged
//!    2     0:41     ann    api                  1  1B77E20A9C55  by mistake
//!  * 1     0:00            start                   8F2A11D0C3B4
//! ```
//!
//! `●` is active, `*` is marked: the others are compared with it.

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::pieces::{Piece, Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::RevisionColumn;
use crate::state::page::RevisionsPage;
use crate::theme::Role;
use model::Time;
use view::audit::{Revision, RevisionSource};

/// The unit of a column.
pub const fn unit(column: RevisionColumn) -> Unit {
    match column {
        RevisionColumn::Revision => Unit::Number,
        RevisionColumn::Changes => Unit::Count,
        RevisionColumn::Time => Unit::Moment,
        _ => Unit::Words,
    }
}

/// The value of a column.
pub fn value(one: &Revision, column: RevisionColumn) -> Value<'_> {
    match column {
        RevisionColumn::Revision => Value::count(one.number),
        RevisionColumn::Time => Value::moment(one.at),
        RevisionColumn::By => Value::text(one.by.as_str()),
        RevisionColumn::Source => Value::text(how(one.source)),
        RevisionColumn::Changes => Value::count(one.changes),
        RevisionColumn::Checksum => Value::text(one.checksum.as_str()),
        RevisionColumn::Why => Value::text(one.reason.as_str()),
    }
}

/// The list as typed values.
pub fn fields(page: &RevisionsPage) -> Fields<'_> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        page.list.rows.get(row).map_or(Value::Nothing, |one| value(one, column))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Revision,
    Time,
    By,
    How,
    Changes,
    Checksum,
    Why,
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a RevisionsPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let space = Space { widest: page.list.widest[0], least: 6 };
    let [_, by, time] = page.list.widest;
    let own = |column| Some(own(column, by, time.max(8)));
    let now = state.cluster.past.live;
    let columns = arrange(state, width, plans(by, time.max(8)), own, space);
    let len = page.list.rows.len();
    let sorted = move |cell: Cell| table::title(symbols, page.list.sort, belongs_to(cell));
    let running = state.cluster.configuration().map(|running| running.revision);
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(one) = page.list.rows.get(index) {
            let marks = (running == Some(one.number), page.marked == Some(one.number));
            cell(pen, (one, now), marks, what, slot);
        }
    });
    if len > 0 {
        return table;
    }
    let words = match &state.cluster.ledger.latest {
        None => "loading the history".to_owned(),
        Some(message) => match &message.revisions {
            Err(why) => why.to_string(),
            Ok(_) if page.list.total > 0 => format!("the filter {} hides all of them", page.list.filter),
            Ok(_) => "no configurations yet".to_owned(),
        },
    };
    table.or_reported(vec![words])
}

/// The facts for the second line.
pub fn facts(page: &RevisionsPage) -> Vec<Vec<Piece>> {
    let against = |number: u64| vec![dim("against "), piece(Role::Accent, format!("revision {number}"))];
    page.marked.map(against).into_iter().collect()
}

fn plans(by: u16, time: u16) -> impl Iterator<Item = Vec<Col<Cell>>> {
    (0..3).map(move |step| {
        let mut columns = vec![left(Cell::Revision, "REV", 0)];
        columns.push(left(Cell::Time, "TIME", time));
        columns.push(left(Cell::By, "BY", by.clamp(4, 10)).up_to(by.min(30)));
        columns.push(left(Cell::How, "HOW", 14));
        columns.push(right(Cell::Changes, "CHANGES", 7));
        if step < 1 {
            columns.push(Col { gap: 2, ..left(Cell::Checksum, "CHECKSUM", 12) });
        }
        columns.push(Col { gap: 2, ..left(Cell::Why, "WHY", if step < 2 { 12 } else { 4 }) }.up_to(120));
        columns
    })
}

fn own(column: RevisionColumn, by: u16, time: u16) -> Col<Cell> {
    match column {
        RevisionColumn::Revision => left(Cell::Revision, "REV", 6),
        RevisionColumn::Time => left(Cell::Time, "TIME", time),
        RevisionColumn::By => left(Cell::By, "BY", by.clamp(4, 30)),
        RevisionColumn::Source => left(Cell::How, "HOW", 14),
        RevisionColumn::Changes => right(Cell::Changes, "CHANGES", 7),
        RevisionColumn::Checksum => Col { gap: 2, ..left(Cell::Checksum, "CHECKSUM", 12) },
        RevisionColumn::Why => Col { gap: 2, ..left(Cell::Why, "WHY", 12) }.up_to(160),
    }
}

fn belongs_to(cell: Cell) -> Option<RevisionColumn> {
    Some(match cell {
        Cell::Revision => RevisionColumn::Revision,
        Cell::By => RevisionColumn::By,
        Cell::How => RevisionColumn::Source,
        Cell::Changes => RevisionColumn::Changes,
        Cell::Time => RevisionColumn::Time,
        Cell::Checksum => RevisionColumn::Checksum,
        Cell::Why => RevisionColumn::Why,
    })
}

/// How it became active.
pub fn how(source: RevisionSource) -> String {
    match source {
        RevisionSource::Rollback(of) => format!("rollback to {of}"),
        source => source.name().to_owned(),
    }
}

fn cell(pen: &mut Writer, (one, now): (&Revision, Time), (running, marked): (bool, bool), what: Cell, slot: Slot) {
    let pieces = match what {
        Cell::Revision => {
            let symbol = if running { piece(Role::StateActive, pen.symbols().active) } else { plain(" ") };
            let mark = if marked { piece(Role::Accent, "*") } else { plain(" ") };
            vec![symbol, mark, plain(one.number.to_string())]
        }
        Cell::Time => vec![dim(format::when(one.at, now))],
        Cell::By => {
            pen.name(slot.x, slot.width, &one.by, Role::Text);
            return;
        }
        Cell::How => vec![plain(how(one.source))],
        Cell::Changes if one.changes == 0 => vec![dim(pen.symbols().none)],
        Cell::Changes => vec![plain(one.changes.to_string())],
        Cell::Checksum => vec![dim(one.checksum.chars().take(12).collect::<String>())],
        Cell::Why => vec![plain(one.reason.clone())],
    };
    pen.cell(slot, &pieces);
}
