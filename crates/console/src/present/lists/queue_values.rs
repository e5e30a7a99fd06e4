//! Typed columns of the queue tree.

use std::time::Duration;

use crate::present::board;
use crate::present::format;
use crate::present::lists::queue_cells::Usage;
use crate::present::pieces::symbol_set;
use crate::present::trend_cells;
use crate::present::unknown;
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::QueueColumn;
use crate::state::page::QueuesPage;
use crate::theme::Symbols;
use model::{MEMORY, Priority, VCORE};
use view::overview::WaitingNow;
use view::trends::Subject;
use view::{PartitionView, QueueRow};

/// The unit of a column.
pub const fn unit(column: QueueColumn) -> Unit {
    match column {
        QueueColumn::Queue | QueueColumn::State | QueueColumn::Other | QueueColumn::Trend => Unit::Words,
        QueueColumn::Priority | QueueColumn::Apps | QueueColumn::MaxApps | QueueColumn::Live | QueueColumn::Waiting => {
            Unit::Count
        }
        QueueColumn::WaitP95 => Unit::Lasting,
        QueueColumn::MemoryShare => Unit::Share,
        QueueColumn::Pending
        | QueueColumn::Cpu
        | QueueColumn::CpuGuaranteed
        | QueueColumn::CpuMax
        | QueueColumn::Headroom => Unit::Vcore,
        QueueColumn::PendingMemory
        | QueueColumn::Memory
        | QueueColumn::MemoryGuaranteed
        | QueueColumn::MemoryMax
        | QueueColumn::HeadroomMemory => Unit::Bytes,
    }
}

/// A maximum is the base of the meter.
pub fn value<'a>(part: &PartitionView, row: &'a QueueRow, column: QueueColumn) -> Value<'a> {
    if unknown::of_queue(part, row, column).is_some() {
        return Value::Unknown;
    }
    let guaranteed = |name: &str| match row.guaranteed.as_ref().and_then(|guaranteed| guaranteed.get(name)) {
        None => Value::Nothing,
        Some(amount) => Value::Metric(amount),
    };
    let max = |name: &str| Value::bound(Usage::of(part, row, name).base());
    let space = |name: &str| Value::bound(part.headroom(row).and_then(|space| space.get(name)));
    match column {
        QueueColumn::Queue => Value::text(row.path.as_str()),
        QueueColumn::State => Value::text(row.state.to_string()),
        QueueColumn::Priority if row.priority.current == Priority::MIN => Value::Nothing,
        QueueColumn::Priority => Value::Metric(row.priority.current.0.into()),
        QueueColumn::Apps => Value::count(row.running),
        QueueColumn::MaxApps => Value::bound(row.max_running.map(|max| i64::try_from(max).unwrap_or(i64::MAX))),
        QueueColumn::Live => Value::count(row.app_count),
        QueueColumn::Pending => Value::amount(&row.pending, VCORE),
        QueueColumn::PendingMemory => Value::amount(&row.pending, MEMORY),
        QueueColumn::Cpu => Value::amount(&row.allocated, VCORE),
        QueueColumn::CpuGuaranteed => guaranteed(VCORE),
        QueueColumn::CpuMax => max(VCORE),
        QueueColumn::Memory => Value::amount(&row.allocated, MEMORY),
        QueueColumn::MemoryGuaranteed => guaranteed(MEMORY),
        QueueColumn::MemoryMax => max(MEMORY),
        QueueColumn::Headroom => space(VCORE),
        QueueColumn::HeadroomMemory => space(MEMORY),
        QueueColumn::Other => Value::text(format::others(&row.allocated)),
        QueueColumn::MemoryShare => Usage::of(part, row, MEMORY).thousandths().map_or(Value::Nothing, Value::Metric),
        // These are not in the view.
        QueueColumn::Trend | QueueColumn::Waiting | QueueColumn::WaitP95 => Value::Nothing,
    }
}

/// `None` for other columns.
pub fn waits(waiting: Option<&WaitingNow>, row: &QueueRow, column: QueueColumn) -> Option<Value<'static>> {
    let here = waiting.map(|waiting| waiting.queues.get(&row.path).copied().unwrap_or_default());
    let micros = |age: Duration| Value::count(age.as_micros());
    match column {
        QueueColumn::Waiting => Some(here.map_or(Value::Nothing, |here| Value::count(here.apps))),
        QueueColumn::WaitP95 => Some(here.and_then(|here| here.p95).map_or(Value::Nothing, micros)),
        _ => None,
    }
}

/// The trend of a queue, for its column.
pub fn trend(state: &State, row: &QueueRow, symbols: &Symbols) -> String {
    trend_cells::cells(state, &Subject::Queue(row.path.clone()), symbols)
}

/// The list as typed values.
pub fn fields<'a>(state: &'a State, page: &'a QueuesPage) -> Fields<'a> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        let line = state.cluster.part().zip(page.list.rows.get(row));
        let queue = line.and_then(|(part, line)| Some((part, part.queue(line.slot)?)));
        queue.map_or(Value::Nothing, |(part, row)| match column {
            QueueColumn::Trend => Value::text(trend(state, row, symbol_set(state))),
            column => waits(board::waiting(state), row, column).unwrap_or_else(|| value(part, row, column)),
        })
    })
}
