//! Usage of users and groups compared with limits.

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::limits;
use crate::present::pieces::{Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::LimitColumn;
use crate::state::page::LimitsPage;
use crate::theme::Role;
use view::limits_used::LimitUsed;
use view::units::show_amount;

/// Quantities of different resources have their own units.
pub const fn unit(column: LimitColumn) -> Unit {
    match column {
        LimitColumn::Part | LimitColumn::Beyond => Unit::Share,
        LimitColumn::Name | LimitColumn::Kind | LimitColumn::Queue | LimitColumn::Resource => Unit::Words,
        LimitColumn::Line => Unit::Number,
        _ => Unit::Count,
    }
}

/// The value of a column.
pub fn value(row: &LimitUsed, column: LimitColumn) -> Value<'_> {
    match column {
        LimitColumn::Name => Value::text(&*row.name),
        LimitColumn::Kind => Value::text(limits::kind(row.side)),
        LimitColumn::Queue => Value::text(row.queue.as_str()),
        LimitColumn::Resource => Value::text(resource(row)),
        LimitColumn::Part => Value::Metric(row.part()),
        LimitColumn::Beyond => Value::Metric(row.beyond()),
        LimitColumn::Line => Value::Metric(i64::from(row.at.line)),
        LimitColumn::Blocked => Value::Metric(row.blocked()),
        LimitColumn::Limit => Value::Metric(row.limit),
        LimitColumn::Used => Value::Metric(row.used),
        LimitColumn::Pending => Value::Metric(row.pending),
    }
}

fn resource(row: &LimitUsed) -> &str {
    row.resource.as_deref().map_or("apps", format::resource_name)
}

/// The list as typed values.
pub fn fields<'a>(_state: &'a State, page: &'a LimitsPage) -> Fields<'a> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        page.list.rows.get(row).map_or(Value::Nothing, |row| value(row, column))
    })
    .in_units_of_rows(move |row| page.list.rows.get(row)?.resource.as_deref().map(Unit::of_resource))
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a LimitsPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let space = Space { widest: page.list.widest[0], least: 8 };
    let own_column = |column| Some(own(column, page.list.widest));
    let columns = arrange(state, width, plans(page.list.widest), own_column, space);
    let len = page.list.rows.len();
    let sorted = move |column: LimitColumn| table::title(symbols, page.list.sort, Some(column));
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(row) = page.list.rows.get(index) {
            cell(pen, row, what, slot);
        }
    });
    if len > 0 {
        return table;
    }
    let words = match page.list.total {
        0 => "No limits apply to the active users and groups".to_owned(),
        total => format!("the filter {} hides all {total}", page.list.filter),
    };
    table.or_reported(vec![words])
}

fn plans([name, queue, _]: [u16; 3]) -> impl Iterator<Item = Vec<Col<LimitColumn>>> {
    (0..4).map(move |step| {
        use LimitColumn as C;
        let mut columns = vec![left(C::Name, "NAME", name.clamp(8, 20)).up_to(name)];
        if step < 2 {
            columns.push(left(C::Kind, "KIND", 5));
        }
        columns.push(left(C::Queue, "QUEUE", if step < 3 { queue.clamp(10, 30) } else { 12 }).up_to(queue));
        columns.push(left(C::Resource, "RES", 6));
        columns.push(right(C::Limit, "LIMIT", 6));
        columns.push(right(C::Used, "USED", 6));
        columns.push(right(C::Part, "PART", 5));
        columns.push(right(C::Pending, "PEND", 6));
        columns.push(right(C::Blocked, "BLOCKED", 7));
        if step < 3 {
            columns.push(right(C::Beyond, "BEYOND", 7));
        }
        if step < 1 {
            columns.push(right(C::Line, "LINE", 5));
        }
        columns
    })
}

fn own(column: LimitColumn, [name, queue, _]: [u16; 3]) -> Col<LimitColumn> {
    use LimitColumn as C;
    match column {
        C::Beyond => right(C::Beyond, "BEYOND", 7),
        C::Blocked => right(C::Blocked, "BLOCKED", 7),
        C::Name => left(C::Name, "NAME", name.clamp(8, 40)),
        C::Kind => left(C::Kind, "KIND", 5),
        C::Queue => left(C::Queue, "QUEUE", queue.clamp(12, 60)),
        C::Resource => left(C::Resource, "RES", 10),
        C::Limit => right(C::Limit, "LIMIT", 6),
        C::Used => right(C::Used, "USED", 6),
        C::Part => right(C::Part, "PART", 5),
        C::Pending => right(C::Pending, "PEND", 6),
        C::Line => right(C::Line, "LINE", 5),
    }
}

fn cell(pen: &mut Writer, row: &LimitUsed, what: LimitColumn, slot: Slot) {
    let nothing = pen.symbols().nothing;
    let metric = |amount: i64, role: Role| match (amount, row.resource.as_deref()) {
        (0, _) => dim(nothing),
        (amount, Some(resource)) => piece(role, show_amount(resource, amount)),
        (amount, None) => piece(role, amount.to_string()),
    };
    let piece = match what {
        LimitColumn::Name => plain(row.name.to_string()),
        LimitColumn::Kind => dim(limits::kind(row.side)),
        LimitColumn::Queue => {
            pen.name(slot.x, slot.width, row.queue.as_str(), Role::Text);
            return;
        }
        LimitColumn::Resource => plain(resource(row).to_owned()),
        LimitColumn::Limit => metric(row.limit, Role::Text),
        LimitColumn::Used => metric(row.used, Role::Text),
        LimitColumn::Pending => metric(row.pending, Role::Text),
        LimitColumn::Blocked => metric(row.blocked(), Role::Warning),
        LimitColumn::Beyond if row.beyond() == 0 => dim(nothing),
        LimitColumn::Beyond => piece(Role::Warning, format::percent(row.beyond())),
        LimitColumn::Part if row.part() >= 1000 => piece(Role::Warning, format::percent(row.part())),
        LimitColumn::Part => plain(format::percent(row.part())),
        LimitColumn::Line if row.at.line == 0 => dim(nothing),
        LimitColumn::Line => plain(row.at.line.to_string()),
    };
    pen.cell(slot, &[piece]);
}
