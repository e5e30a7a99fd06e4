//! All clusters that can be opened.

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::lists::simulate::share;
use crate::present::pieces::{Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::clusters::{ClusterRow, ClusterState, ClustersPage};
use crate::state::column::ClusterColumn;
use crate::theme::Role;
use source::Link;

/// The unit of a column.
pub const fn unit(column: ClusterColumn) -> Unit {
    use ClusterColumn as C;
    match column {
        C::Context | C::State | C::Version => Unit::Words,
        C::Nodes | C::Running | C::Alerts => Unit::Count,
        C::Cpu | C::Memory => Unit::Share,
        C::PendingCpu => Unit::Vcore,
        C::PendingMemory => Unit::Bytes,
    }
}

/// The value of a column.
pub fn value(row: &ClusterRow, column: ClusterColumn) -> Value<'_> {
    use ClusterColumn as C;
    let metrics = row.metrics.as_ref();
    let metric = |metric: Option<i64>| metric.map_or(Value::Nothing, Value::Metric);
    match column {
        C::Context => Value::text(&*row.name),
        C::State => Value::text(state(row)),
        C::Version => Value::text(row.version.as_str()),
        C::Nodes => metrics.map_or(Value::Nothing, |metrics| Value::count(metrics.nodes)),
        C::Running => metrics.map_or(Value::Nothing, |metrics| Value::count(metrics.running)),
        C::Alerts => row.alerts.map_or(Value::Nothing, Value::count),
        C::Cpu => metric(metrics.and_then(|metrics| metrics.cpu)),
        C::Memory => metric(metrics.and_then(|metrics| metrics.memory)),
        C::PendingCpu => metric(metrics.map(|metrics| metrics.pending_vcore)),
        C::PendingMemory => metric(metrics.map(|metrics| metrics.pending_memory)),
    }
}

fn state(row: &ClusterRow) -> String {
    let word = match &row.state {
        ClusterState::NotAsked => return "not connected yet".to_owned(),
        ClusterState::Opening | ClusterState::Open(Link::Connecting { cause: None, .. }) => {
            return "connecting".to_owned();
        }
        ClusterState::Open(Link::Live { .. }) => return "live".to_owned(),
        ClusterState::Open(Link::Stale { age, .. }) => format!("{} old", format::duration(*age)),
        ClusterState::Open(Link::Refused { .. }) => "refused".to_owned(),
        ClusterState::Failed(_) | ClusterState::Open(Link::Connecting { .. }) => "not reached".to_owned(),
    };
    match row.problem() {
        Some(why) => format!("{word}: {why}"),
        None => word,
    }
}

/// The list as typed values.
pub fn fields(page: &ClustersPage) -> Fields<'_> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        page.list.rows.get(row).map_or(Value::Nothing, |row| value(row, column))
    })
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a ClustersPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let widest = page.list.widest[0] + 2;
    let space = Space { widest, least: 10 };
    let columns = arrange(state, width, plans(widest), |column| Some(own(column, widest)), space);
    let len = page.list.rows.len();
    let sorted = move |column: ClusterColumn| table::title(symbols, page.list.sort, Some(column));
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(row) = page.list.rows.get(index) {
            cell(pen, row, what, slot);
        }
    });
    let words = match page.list.total {
        0 => "connecting".to_owned(),
        total => format!("the filter {} hides all {total}", page.list.filter),
    };
    if len > 0 { table } else { table.or_reported(vec![words]) }
}

fn plans(widest: u16) -> impl Iterator<Item = Vec<Col<ClusterColumn>>> {
    use ClusterColumn as C;
    (0..5).map(move |step| {
        let mut columns = vec![own(C::Context, widest.min(if step < 3 { 40 } else { 20 }))];
        columns.push(left(C::State, "STATE", if step < 2 { 28 } else { 14 }).up_to(60));
        columns.extend((step < 3).then(|| own(C::Version, widest)));
        columns.push(own(C::Alerts, widest));
        columns.extend((step < 4).then(|| own(C::Nodes, widest)));
        columns.extend([own(C::Cpu, widest), own(C::Memory, widest)]);
        columns.extend((step < 4).then(|| own(C::Running, widest)));
        columns.push(own(C::PendingCpu, widest));
        columns.extend((step < 1).then(|| own(C::PendingMemory, widest)));
        columns
    })
}

fn own(column: ClusterColumn, widest: u16) -> Col<ClusterColumn> {
    use ClusterColumn as C;
    match column {
        C::Context => left(C::Context, "CONTEXT", widest.clamp(10, 60)),
        C::State => left(C::State, "STATE", 40),
        C::Version => left(C::Version, "VERSION", 14),
        C::Alerts => right(C::Alerts, "ALERTS", 6),
        C::Nodes => right(C::Nodes, "NODES", 5),
        C::Cpu => right(C::Cpu, "CPU", 6),
        C::Memory => right(C::Memory, "MEM", 6),
        C::Running => right(C::Running, "RUN", 5),
        C::PendingCpu => right(C::PendingCpu, "PEND CPU", 8),
        C::PendingMemory => right(C::PendingMemory, "PEND MEM", 8),
    }
}

fn cell(pen: &mut Writer, row: &ClusterRow, what: ClusterColumn, slot: Slot) {
    use ClusterColumn as C;
    let (value, symbols) = (value(row, what), pen.symbols());
    if what == C::Context {
        let symbol = if row.here { symbols.changed } else { " " };
        pen.text(slot.x, slot.width, symbol, Role::StateActive);
        pen.name(slot.x + 2, slot.width.saturating_sub(2), &row.name, Role::Text);
        return;
    }
    let text = match (&value, unit(what)) {
        (Value::Metric(thousandths), Unit::Share) => share(*thousandths),
        (value, unit) => value.shown(unit, symbols),
    };
    let old = !matches!(row.state, ClusterState::Open(Link::Live { .. }));
    let piece = match (what, &value) {
        (C::State, _) if row.problem().is_some() => piece(Role::Error, text),
        (_, Value::Nothing | Value::Metric(0)) => dim(text),
        // Values of an unreachable cluster are old.
        _ if old => dim(text),
        _ => plain(text),
    };
    pen.cell(slot, &[piece]);
}
