//! Usage of queues compared with guaranteed resources.

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::pieces::{Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::FairnessColumn;
use crate::state::page::FairnessPage;
use crate::theme::Role;
use model::Time;
use view::fairness::FairnessRow;
use view::units::show_amount;

/// Quantities of different resources have their own units.
pub const fn unit(column: FairnessColumn) -> Unit {
    match column {
        FairnessColumn::Shortage => Unit::Share,
        FairnessColumn::Queue | FairnessColumn::Resource | FairnessColumn::BlockedBy => Unit::Words,
        FairnessColumn::Since => Unit::Lasting,
        _ => Unit::Count,
    }
}

/// The value of a column.
pub fn value(row: &FairnessRow, column: FairnessColumn, now: Time) -> Value<'_> {
    match column {
        FairnessColumn::Shortage => Value::Metric(row.shortage()),
        FairnessColumn::Queue => Value::text(row.queue.as_str()),
        FairnessColumn::Resource => Value::text(format::resource_name(&row.resource)),
        FairnessColumn::BlockedBy => Value::text(blocked_by(row)),
        FairnessColumn::Since => Value::lasting(now, row.since),
        other => amount(row, other).map_or(Value::Nothing, Value::Metric),
    }
}

fn amount(row: &FairnessRow, column: FairnessColumn) -> Option<i64> {
    Some(match column {
        FairnessColumn::Guaranteed => row.guaranteed,
        FairnessColumn::Used => row.used,
        FairnessColumn::Pending => row.pending,
        FairnessColumn::Deficit => row.deficit(),
        FairnessColumn::Fair => row.fair,
        FairnessColumn::Borrowed => row.borrowed(),
        FairnessColumn::Idle => row.idle(),
        _ => return None,
    })
}

fn blocked_by(row: &FairnessRow) -> String {
    row.borrowers.iter().map(|queue| queue.name()).collect::<Vec<_>>().join(", ")
}

/// The list as typed values.
pub fn fields<'a>(state: &'a State, page: &'a FairnessPage) -> Fields<'a> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        page.list.rows.get(row).map_or(Value::Nothing, |row| value(row, column, state.cluster.at))
    })
    .in_units_of_rows(move |row| page.list.rows.get(row).map(|row| Unit::of_resource(&row.resource)))
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a FairnessPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let space = Space { widest: page.list.widest[0], least: 12 };
    let own_column = |column| Some(own(column, page.list.widest));
    let columns = arrange(state, width, plans(page.list.widest), own_column, space);
    let len = page.list.rows.len();
    let sorted = move |column: FairnessColumn| table::title(symbols, page.list.sort, Some(column));
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(row) = page.list.rows.get(index) {
            cell(pen, state, row, what, slot);
        }
    });
    if len > 0 {
        return table;
    }
    let words = match page.list.total {
        0 => "no queue has guaranteed resources, and nothing is in use".to_owned(),
        total => format!("the filter {} hides all {total}", page.list.filter),
    };
    table.or_reported(vec![words])
}

fn plans([queue, resource, _]: [u16; 3]) -> impl Iterator<Item = Vec<Col<FairnessColumn>>> {
    (0..5).map(move |step| {
        use FairnessColumn as C;
        let name = left(C::Queue, "QUEUE", if step < 3 { queue.clamp(12, 30) } else { 12 }).up_to(queue);
        let mut columns = vec![name, left(C::Resource, "RES", resource.clamp(4, 10))];
        columns.push(right(C::Shortage, "BELOW", 6));
        columns.push(right(C::Guaranteed, "GUAR", 6));
        columns.push(right(C::Used, "USED", 6));
        columns.push(right(C::Pending, "PEND", 6));
        columns.push(right(C::Deficit, "DEFICIT", 7));
        if step < 4 {
            columns.push(right(C::Fair, "FAIR", 7));
        }
        if step < 3 {
            columns.push(right(C::Borrowed, "BORROWED", 8));
            columns.push(right(C::Idle, "IDLE", 6));
        }
        if step < 2 {
            columns.push(right(C::Since, "SINCE", 7));
        }
        if step < 1 {
            columns.push(Col { gap: 2, ..left(C::BlockedBy, "BLOCKED BY", 16) }.up_to(60));
        }
        columns
    })
}

fn own(column: FairnessColumn, [queue, resource, _]: [u16; 3]) -> Col<FairnessColumn> {
    use FairnessColumn as C;
    match column {
        C::Shortage => right(C::Shortage, "BELOW", 6),
        C::Queue => left(C::Queue, "QUEUE", queue.clamp(12, 60)),
        C::Resource => left(C::Resource, "RES", resource.clamp(4, 20)),
        C::Guaranteed => right(C::Guaranteed, "GUAR", 6),
        C::Used => right(C::Used, "USED", 6),
        C::Pending => right(C::Pending, "PEND", 6),
        C::Deficit => right(C::Deficit, "DEFICIT", 7),
        C::Fair => right(C::Fair, "FAIR", 7),
        C::Borrowed => right(C::Borrowed, "BORROWED", 8),
        C::Idle => right(C::Idle, "IDLE", 6),
        C::Since => right(C::Since, "SINCE", 7),
        C::BlockedBy => Col { gap: 2, ..left(C::BlockedBy, "BLOCKED BY", 16) }.up_to(120),
    }
}

fn cell(pen: &mut Writer, state: &State, row: &FairnessRow, what: FairnessColumn, slot: Slot) {
    let nothing = pen.symbols().nothing;
    let metric = |amount: i64, role: Role| match amount {
        0 => dim(nothing),
        amount => piece(role, show_amount(&row.resource, amount)),
    };
    let pieces = match what {
        FairnessColumn::Queue => {
            pen.name(slot.x, slot.width, row.queue.as_str(), Role::Text);
            return;
        }
        FairnessColumn::Resource => vec![plain(format::resource_name(&row.resource).to_owned())],
        FairnessColumn::Shortage if row.shortage() == 0 => vec![dim(nothing)],
        FairnessColumn::Shortage => vec![piece(Role::Warning, format!("{}%", (row.shortage() + 9) / 10))],
        FairnessColumn::Deficit => vec![metric(row.deficit(), Role::Warning)],
        FairnessColumn::Since => vec![plain(format::age(state.cluster.at, row.since, nothing))],
        FairnessColumn::BlockedBy => vec![plain(blocked_by(row))],
        other => vec![metric(amount(row, other).unwrap_or_default(), Role::Text)],
    };
    pen.cell(slot, &pieces);
}
