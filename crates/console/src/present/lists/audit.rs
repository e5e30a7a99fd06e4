//! The audit, the newest first.

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::pieces::{Piece, Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left};
use crate::present::value::{Fields, Unit, Value};
use crate::present::words::who;
use crate::state::State;
use crate::state::column::AuditColumn;
use crate::state::page::AuditPage;
use crate::theme::Role;
use model::Time;
use view::audit::AuditEntry;

/// The unit of a column.
pub const fn unit(column: AuditColumn) -> Unit {
    match column {
        AuditColumn::Time => Unit::Moment,
        _ => Unit::Words,
    }
}

/// The value of a column.
pub fn value(entry: &AuditEntry, column: AuditColumn) -> Value<'_> {
    match column {
        AuditColumn::Time => Value::moment(entry.at),
        AuditColumn::User => Value::text(who(entry)),
        AuditColumn::Action => Value::text(entry.action.as_str()),
        AuditColumn::Object => Value::text(entry.object.as_str()),
        AuditColumn::Result if entry.allowed => Value::text("done"),
        AuditColumn::Result => Value::text(entry.code.as_str()),
        AuditColumn::From => Value::text(entry.address.as_str()),
        AuditColumn::Why => Value::text(reason(entry)),
    }
}

/// The list as typed values.
pub fn fields(page: &AuditPage) -> Fields<'_> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        page.list.rows.get(row).map_or(Value::Nothing, |entry| value(entry, column))
    })
}

fn reason(entry: &AuditEntry) -> String {
    let refused = entry.why.split_once(": ").map_or(entry.why.as_str(), |(_, why)| why);
    let words = match (entry.reason.as_str(), refused) {
        (reason, "") => reason.to_owned(),
        ("", why) => why.to_owned(),
        (reason, why) => format!("{reason} / {why}"),
    };
    words.replace('\n', " ")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Time,
    Who,
    Action,
    Object,
    Result,
    From,
    Why,
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a AuditPage, width: u16) -> Table<'a> {
    let (symbols, now) = (symbol_set(state), state.cluster.past.live);
    let space = Space { widest: page.list.widest[0], least: 8 };
    let own = |column| Some(own(column, page.list.widest));
    let columns = arrange(state, width, plans(page.list.widest), own, space);
    let len = page.list.rows.len();
    let sorted = move |cell: Cell| table::title(symbols, page.list.sort, belongs_to(cell));
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(entry) = page.list.rows.get(index) {
            cell(pen, (entry, now), what, slot);
        }
    });
    table.or_reported(if len == 0 { nothing(state, page) } else { Vec::new() })
}

fn nothing(state: &State, page: &AuditPage) -> Vec<String> {
    let narrowed = page.user.is_some() || page.action.is_some() || page.object.is_some();
    match &state.cluster.ledger.latest {
        None => vec!["loading the audit".to_owned()],
        Some(message) if message.audit.is_err() => {
            vec![message.audit.as_ref().err().map(ToString::to_string).unwrap_or_default()]
        }
        Some(_) if page.list.total > 0 => vec![
            format!("the filter {} hides all {} entries", page.list.filter, page.list.total),
            "esc clears it".to_owned(),
        ],
        Some(_) if narrowed => vec!["no matching entries".to_owned()],
        Some(_) => vec!["no entries yet".to_owned()],
    }
}

/// The filter, and whether entries are missing.
pub fn facts(state: &State, page: &AuditPage) -> Vec<Vec<Piece>> {
    let narrowed = [("user", &page.user), ("action", &page.action), ("object", &page.object)];
    let mut facts = Vec::new();
    for (name, value) in narrowed.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
        let value = if value.is_empty() { "none".to_owned() } else { value.clone() };
        facts.push(vec![dim(format!("{name} ")), piece(Role::Accent, value)]);
    }
    let only = state.cluster.ledger.latest.as_ref().and_then(|message| message.audit.as_ref().ok()?.only.clone());
    if let Some(user) = only {
        facts.push(vec![piece(Role::Warning, format!("only {user}'s entries; the scheduler ACL shows all"))]);
    }
    facts
}

fn plans([_, object, who]: [u16; 3]) -> impl Iterator<Item = Vec<Col<Cell>>> {
    (0..3).map(move |step| {
        let mut columns = vec![left(Cell::Time, "TIME", 0), left(Cell::Who, "WHO", who.clamp(6, 10)).up_to(who)];
        columns.push(left(Cell::Action, "ACTION", 11));
        columns.push(left(Cell::Object, "OBJECT", object.clamp(8, 14)).up_to(object.min(40)));
        columns.push(left(Cell::Result, "RESULT", if step < 2 { 17 } else { 7 }));
        if step < 1 {
            columns.push(left(Cell::From, "FROM", 9).up_to(16));
        }
        columns.push(Col { gap: 2, ..left(Cell::Why, "WHY", if step < 2 { 12 } else { 4 }) }.up_to(120));
        columns
    })
}

fn own(column: AuditColumn, [time, object, who]: [u16; 3]) -> Col<Cell> {
    match column {
        AuditColumn::Time => left(Cell::Time, "TIME", time.max(8)),
        AuditColumn::User => left(Cell::Who, "WHO", who.clamp(6, 24)),
        AuditColumn::Action => left(Cell::Action, "ACTION", 11),
        AuditColumn::Object => left(Cell::Object, "OBJECT", object.clamp(8, 40)),
        AuditColumn::Result => left(Cell::Result, "RESULT", 17),
        AuditColumn::From => left(Cell::From, "FROM", 16),
        AuditColumn::Why => Col { gap: 2, ..left(Cell::Why, "WHY", 12) }.up_to(160),
    }
}

fn belongs_to(cell: Cell) -> Option<AuditColumn> {
    Some(match cell {
        Cell::Time => AuditColumn::Time,
        Cell::Who => AuditColumn::User,
        Cell::Action => AuditColumn::Action,
        Cell::Object => AuditColumn::Object,
        Cell::Result => AuditColumn::Result,
        Cell::From => AuditColumn::From,
        Cell::Why => AuditColumn::Why,
    })
}

/// The success, or the check that rejected it.
pub fn result(entry: &AuditEntry) -> Piece {
    if entry.allowed { piece(Role::Good, "done") } else { piece(Role::Error, entry.code.clone()) }
}

fn cell(pen: &mut Writer, (entry, now): (&AuditEntry, Time), what: Cell, slot: Slot) {
    let pieces = match what {
        Cell::Time => vec![dim(format::when(entry.at, now))],
        Cell::Who => {
            let role = if entry.user.is_empty() { Role::Dim } else { Role::Text };
            pen.name(slot.x, slot.width, who(entry), role);
            return;
        }
        Cell::Action => vec![plain(entry.action.clone())],
        Cell::Object => {
            pen.name(slot.x, slot.width, &entry.object, Role::Text);
            return;
        }
        Cell::Result if slot.width < 12 && !entry.allowed => vec![piece(Role::Error, "refused")],
        Cell::Result => vec![result(entry)],
        Cell::From => vec![dim(entry.address.clone())],
        Cell::Why => vec![plain(reason(entry))],
    };
    pen.cell(slot, &pieces);
}
