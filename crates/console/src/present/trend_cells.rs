//! Sparklines: the last hour in eight cells, and those of the first page.

use std::time::Duration;

use crate::present::lists::queue_cells::Usage;
use crate::state::State;
use crate::theme::Symbols;
use model::{QueuePath, VCORE};
use view::trends::{Measure, Metric, Rings, Series, Subject, SubjectKind, Value};

/// The number of cells.
pub const CELLS: u16 = 8;
const SPAN: Duration = Duration::from_secs(3600);
/// What it shows of a user, in a sentence.
pub const OF_USER: &str = "the last hour in steps of 7.5 minutes: the share of the cluster in use, of its most used resource; \
    the highest cell is the maximum of the hour (T shows values)";
/// The explanation for a node.
pub const OF_NODE: &str = "the last hour in steps of 7.5 minutes: the share of the node in use, of its most used resource; a full cell is 100% (T shows values)";
/// The same of a queue.
pub const OF_QUEUE: &str = "the last hour in steps of 7.5 minutes: the cpu in use; a full cell is its own maximum, otherwise the smallest of its parents, \
    otherwise the cluster (T shows values)";
/// The name of the column, by which a person chooses it.
pub const COLUMN: &str = "trend";

/// `None` if not measured.
pub fn rings(state: &State) -> Option<&Rings> {
    let cluster = &state.cluster;
    let part = cluster.part().map_or(&cluster.partition, |part| &part.name);
    cluster.trends.rings.as_ref()?.get(part)
}

/// The oldest first. A queue: as [`of_queue`]; otherwise the largest share in 7.5 minutes, scaled to the hour's maximum (a node: to the node).
pub fn cells(state: &State, subject: &Subject, symbols: &Symbols) -> String {
    let text = match subject {
        Subject::Queue(queue) => of_queue(state, queue, SPAN, CELLS, symbols),
        subject => {
            let value = Value::plain(subject.kind(), Measure::Share);
            let top = matches!(subject, Subject::Node(_)).then_some(1000);
            heights(state, (subject, &value), SPAN, top, CELLS, symbols)
        }
    };
    if text.trim().is_empty() { String::new() } else { text }
}

/// The cpu that a queue used, as heights in the scale of its meter, so that the trends of two queues can be compared.
pub fn of_queue(state: &State, queue: &QueuePath, span: Duration, cells: u16, symbols: &Symbols) -> String {
    let part = state.cluster.part();
    let row = part.and_then(|part| part.queue_at(queue));
    let top = part.zip(row).and_then(|(part, row)| Usage::of(part, row, VCORE).base());
    let value = Value::amount(SubjectKind::Queue, Measure::Use, VCORE);
    heights(state, (&Subject::Queue(queue.clone()), &value), span, top, cells, symbols)
}

/// Converts a value over a time range to the heights of `cells` columns; the last column is now. Columns without
/// samples are empty. `top` is the value of a full cell; `None`: the maximum of the range.
pub fn heights(
    state: &State,
    (subject, value): (&Subject, &Value),
    span: Duration,
    top: Option<i64>,
    cells: u16,
    symbols: &Symbols,
) -> String {
    let blank = || " ".repeat(usize::from(cells));
    let Some(rings) = rings(state).filter(|_| cells > 0) else { return blank() };
    let to = state.cluster.at;
    let series = rings.series(subject, value, to - span, to, usize::from(cells));
    let top = top.unwrap_or_else(|| largest(&series));
    let cell = |metric: &Option<Metric>| metric.map_or(" ", |metric| height(metric.max, top, symbols));
    let drawn: String = series.metrics.iter().map(cell).collect();
    format!("{}{drawn}", " ".repeat(usize::from(cells).saturating_sub(series.metrics.len())))
}

/// A value as the height of a cell.
pub fn height(value: i64, top: i64, symbols: &Symbols) -> &'static str {
    if value <= 0 {
        return symbols.nothing;
    }
    let eighth = (i128::from(value) * 8 - 1).div_euclid(i128::from(top.max(1)));
    symbols.bars[usize::try_from(eighth).unwrap_or(0).min(7)]
}

/// The largest value of a line.
pub fn largest(series: &Series) -> i64 {
    series.metrics.iter().flatten().map(|metric| metric.max).max().unwrap_or(0)
}
