//! The simulation runs.

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::pieces::{Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::SimulationColumn;
use crate::state::simulate::SimulatePage;
use crate::theme::Role;
use model::{MEMORY, VCORE};
use view::simulation::{NEVER, SimulatedRun};

/// The unit of a column.
pub const fn unit(column: SimulationColumn) -> Unit {
    use SimulationColumn as C;
    match column {
        C::Run => Unit::Words,
        C::Asks | C::Waiting | C::Rejected | C::Preempted => Unit::Count,
        C::P50 | C::P95 | C::P99 | C::Longest | C::Makespan => Unit::Lasting,
        C::Cpu | C::Memory | C::Fairness => Unit::Share,
    }
}

/// The value of a column.
pub fn value(run: &SimulatedRun, column: SimulationColumn) -> Value<'_> {
    use SimulationColumn as C;
    let time = |ms: u64| Value::count(ms.saturating_mul(1000));
    let share = |share: Option<u32>| share.map_or(Value::Nothing, Value::count);
    match column {
        C::Run => Value::text(run.name.as_str()),
        C::Asks => Value::count(run.waits.count),
        C::P50 => time(run.waits.p50),
        C::P95 => time(run.waits.p95),
        C::P99 => time(run.waits.p99),
        C::Longest => time(run.waits.max),
        C::Waiting => Value::count(run.waits.waiting),
        C::Rejected => Value::count(run.rejected),
        C::Preempted => Value::count(run.preempted),
        C::Makespan => time(run.makespan),
        C::Cpu => share(run.of(VCORE).map(|used| used.mean)),
        C::Memory => share(run.of(MEMORY).map(|used| used.mean)),
        C::Fairness => share(run.fairness),
    }
}

/// The list as typed values.
pub fn fields(page: &SimulatePage) -> Fields<'_> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        page.list.rows.get(row).map_or(Value::Nothing, |run| value(run, column))
    })
}

/// The page as a list.
pub fn table<'a>(state: &'a State, page: &'a SimulatePage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let widest = page.list.widest[0];
    let space = Space { widest, least: 10 };
    let columns = arrange(state, width, plans(widest), |column| Some(own(column, widest)), space);
    let len = page.list.rows.len();
    let sorted = move |column: SimulationColumn| table::title(symbols, page.list.sort, Some(column));
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        if let Some(run) = page.list.rows.get(index) {
            cell(pen, run, what, slot);
        }
    });
    if len > 0 {
        return table;
    }
    let words = match &page.answer {
        None if page.progress.is_empty() => vec!["loading".to_owned()],
        None => vec![page.progress.clone(), "esc cancels".to_owned()],
        Some(Err(why)) => why.lines().map(str::to_owned).collect(),
        Some(Ok(_)) if page.list.total > 0 => {
            vec![format!("the filter {} hides all {}", page.list.filter, page.list.total)]
        }
        Some(Ok(_)) => vec!["it has no runs".to_owned()],
    };
    table.or_reported(words)
}

fn plans(widest: u16) -> impl Iterator<Item = Vec<Col<SimulationColumn>>> {
    use SimulationColumn as C;
    // In the order of dropping.
    const LEAST: [(SimulationColumn, usize); 7] = [
        (C::Asks, 1),
        (C::Longest, 2),
        (C::Fairness, 3),
        (C::Rejected, 1),
        (C::Memory, 5),
        (C::P99, 4),
        (C::Makespan, 6),
    ];
    (0..7).map(move |step| {
        let name = left(C::Run, "RUN", if step < 3 { widest.clamp(10, 40) } else { 10 }).up_to(widest);
        let all = [C::Asks, C::P50, C::P95, C::P99, C::Longest, C::Waiting, C::Rejected, C::Preempted, C::Makespan];
        let all = all.into_iter().chain([C::Cpu, C::Memory, C::Fairness]);
        let retained = all.filter(|column| LEAST.iter().all(|(left_out, from)| left_out != column || step < *from));
        std::iter::once(name).chain(retained.map(|column| own(column, widest))).collect()
    })
}

fn own(column: SimulationColumn, widest: u16) -> Col<SimulationColumn> {
    use SimulationColumn as C;
    match column {
        C::Run => left(C::Run, "RUN", widest.clamp(10, 80)),
        C::Asks => right(C::Asks, "REQUESTS", 8),
        C::P50 => right(C::P50, "P50", 7),
        C::P95 => right(C::P95, "P95", 7),
        C::P99 => right(C::P99, "P99", 7),
        C::Longest => right(C::Longest, "LONGEST", 8),
        C::Waiting => right(C::Waiting, "WAITING", 7),
        C::Rejected => right(C::Rejected, "REJECTED", 8),
        C::Preempted => right(C::Preempted, "PREEMPTED", 9),
        C::Makespan => right(C::Makespan, "MAKESPAN", 8),
        C::Cpu => right(C::Cpu, "CPU", 6),
        C::Memory => right(C::Memory, "MEM", 6),
        C::Fairness => right(C::Fairness, "FAIR", 6),
    }
}

fn cell(pen: &mut Writer, run: &SimulatedRun, what: SimulationColumn, slot: Slot) {
    use SimulationColumn as C;
    if what == C::Run {
        pen.name(slot.x, slot.width, &run.name, Role::Text);
        return;
    }
    let (value, symbols) = (value(run, what), pen.symbols());
    let text = match (&value, unit(what)) {
        (Value::Metric(thousandths), Unit::Share) => share(*thousandths),
        (Value::Metric(0), Unit::Lasting) => "0s".to_owned(),
        (Value::Metric(i64::MAX), Unit::Lasting) => time(NEVER),
        (value, unit) => value.shown(unit, symbols),
    };
    let piece = match (what, &value) {
        (_, Value::Nothing | Value::Metric(0)) => dim(text),
        (C::Waiting | C::Rejected, _) => piece(Role::Warning, text),
        _ => plain(text),
    };
    pen.cell(slot, &[piece]);
}

/// Thousandths as percent with one decimal.
pub fn share(thousandths: i64) -> String {
    format!("{}.{}%", thousandths / 10, thousandths % 10)
}

/// Formats milliseconds; `never` for [`NEVER`].
pub fn time(ms: u64) -> String {
    if ms == NEVER {
        return "never".to_owned();
    }
    format::duration(std::time::Duration::from_millis(ms))
}
