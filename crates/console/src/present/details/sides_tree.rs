//! The queues of both sides of a what-if as a tree, with the difference of each column.
//!
//! ```text
//!                           RUN    PENDING REQUESTS                     CPU
//!  QUEUE    WITHOUT  WITH  DIFF WITHOUT  WITH  DIFF  WITHOUT    WITH    DIFF ...
//!  root           9    12    +3      10    83   +73     88.5   274.5    +186
//!    batch        1     3    +2       4     9    +5        ·      12     +12
//! ```
//!
//! Without space, columns without a difference are dropped first, then the later ones in [`COLUMNS`].

use std::collections::BTreeSet;
use std::time::Duration;

use crate::present::details::sheet::at_right;
use crate::present::format;
use crate::present::lists::queue_cells::Usage;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::present::trend_cells::height;
use crate::state::State;
use crate::theme::{Role, Symbols};
use model::{MEMORY, QueuePath, VCORE};
use source::{Comparison, Metrics};
use view::units::show_amount;

/// How wide the names are, at least and at most.
const NAME: (usize, usize) = (22, 48);
const MOST: usize = 100;

const STEPS: usize = 8;

#[derive(Clone, Copy)]
struct Column {
    title: &'static str,
    /// Its place on the screen, as in the queue tree.
    place: u8,
    /// The widths of the three figures, with the blank before each.
    widths: [usize; 3],
    of: fn(&Metrics) -> i64,
    show: fn(i64) -> String,
    /// The sides are drawn over time, and the value is the mean.
    trend: bool,
}

const fn column(title: &'static str, place: u8, of: fn(&Metrics) -> i64, show: fn(i64) -> String) -> Column {
    Column { title, place, widths: [9, 8, 8], of, show, trend: false }
}

/// The columns, those that are needed most first.
const COLUMNS: [Column; 7] = {
    const COUNT: [usize; 3] = [9, 6, 6];
    let trend = column("CPU TREND", 5, |one| one.used.amount(VCORE), |amount| show_amount(VCORE, amount));
    [
        Column { widths: COUNT, ..column("PENDING REQUESTS", 2, |one| count(one.waiting), |count| count.to_string()) },
        column("CPU", 3, |one| one.allocated.amount(VCORE), |amount| show_amount(VCORE, amount)),
        Column { widths: COUNT, ..column("RUN", 1, |one| count(one.running), |count| count.to_string()) },
        Column { trend: true, widths: [STEPS + 2, STEPS + 1, 8], ..trend },
        column("MEM", 4, |one| one.allocated.amount(MEMORY), |amount| show_amount(MEMORY, amount)),
        column("MEAN WAIT", 6, |one| count(one.mean_wait().as_secs()), seconds),
        Column {
            widths: COUNT,
            ..column("PRI", 0, |one| one.priority.map_or(0, i64::from), |number| number.to_string())
        },
    ]
};

impl Column {
    fn width(&self) -> usize {
        self.widths.iter().sum()
    }

    fn differs(&self, comparison: &Comparison) -> bool {
        let of = |side: &Option<Metrics>| side.as_ref().map(self.of);
        let [without, with] = &comparison.total;
        (self.of)(without) != (self.of)(with) || comparison.queues.values().any(|(one, other)| of(one) != of(other))
    }
}

/// The columns that fit, in their order on the screen.
fn columns(comparison: &Comparison, width: usize) -> Vec<Column> {
    let (differ, same): (Vec<Column>, Vec<Column>) = COLUMNS.into_iter().partition(|one| one.differs(comparison));
    let mut space = width.saturating_sub(NAME.0);
    let mut columns: Vec<Column> = Vec::new();
    for column in differ.into_iter().chain(same) {
        if column.width() <= space || columns.is_empty() {
            space = space.saturating_sub(column.width());
            columns.push(column);
        }
    }
    columns.sort_by_key(|column| column.place);
    columns
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn seconds(count: i64) -> String {
    format::duration(Duration::from_secs(count.unsigned_abs()))
}

/// The tree: the whole partition, and each queue that differs.
pub(super) fn lines(state: &State, comparison: &Comparison, width: usize, symbols: &Symbols) -> Lines {
    let columns = columns(comparison, width);
    let name = width.saturating_sub(columns.iter().map(Column::width).sum()).clamp(8, NAME.1);
    let head = |text: &'static str, width: usize| at_right(piece(Role::Title, text), width);
    let mut titles = vec![plain(" ".repeat(name))];
    let mut sides = vec![piece(Role::Title, format!("{:<name$}", "QUEUE"))];
    for column in &columns {
        titles.push(head(column.title, column.width()));
        let heads = ["WITHOUT", "WITH", if column.trend { "MEAN" } else { "DIFF" }];
        sides.extend(heads.into_iter().zip(column.widths).map(|(text, width)| head(text, width)));
    }
    let mut lines = vec![titles, sides];
    let mut row = |words: String, queue: &QueuePath, both: Both<'_>| {
        let words = text::cut_middle(&text::escape(&words), name, symbols.ellipsis).into_owned();
        let pad = name.saturating_sub(text::width(&words));
        let mut line = vec![plain(words), plain(" ".repeat(pad))];
        let top = full(state, queue, both);
        line.extend(columns.iter().flat_map(|column| cells(column, both, top, symbols)));
        lines.push(line);
    };
    let [without, with] = &comparison.total;
    row("root".to_owned(), &QueuePath::root(), [Some(without), Some(with)]);
    let queues: Vec<_> = comparison.queues.iter().filter(|(queue, _)| queue.parent().is_some()).collect();
    let listed: BTreeSet<&QueuePath> = queues.iter().map(|(queue, _)| *queue).collect();
    for (queue, (without, with)) in queues.iter().take(MOST) {
        let below = queue.parent().is_some_and(|parent| parent.parent().is_none() || listed.contains(&parent));
        let words = if below { queue.name().to_owned() } else { queue.to_string() };
        row(format!("{}{words}", "  ".repeat(queue.depth())), queue, [without.as_ref(), with.as_ref()]);
    }
    if queues.len() > MOST {
        lines.push(vec![dim(format!("and {} more", queues.len() - MOST))]);
    }
    lines
}

/// A queue without and with the changes; `None` where it does not exist.
type Both<'a> = [Option<&'a Metrics>; 2];

/// What a full cell of the trends of a queue represents: the scale of its meter, otherwise the largest value of both sides.
fn full(state: &State, queue: &QueuePath, both: Both<'_>) -> i64 {
    let part = state.cluster.part();
    let row = part.zip(part.and_then(|part| part.queue_at(queue)));
    let base = row.and_then(|(part, row)| Usage::of(part, row, VCORE).base());
    let largest = || both.iter().flatten().flat_map(|side| side.trend.iter().copied()).max().unwrap_or(0);
    base.unwrap_or_else(largest)
}

fn cells(column: &Column, both: Both<'_>, top: i64, symbols: &Symbols) -> [Piece; 3] {
    let [one, other] = both.map(|side| side.map(column.of));
    let value = |value: Option<i64>| match value {
        None => dim(symbols.none),
        Some(0) => dim(symbols.nothing),
        Some(value) => plain((column.show)(value)),
    };
    let difference = match one.zip(other).map(|(one, other)| other.saturating_sub(one)) {
        None => dim(if both[0].is_none() { "new" } else { "removed" }),
        Some(0) => dim(symbols.nothing),
        Some(by) => {
            let sign = if by > 0 { "+" } else { "-" };
            piece(Role::DiffChange, format!("{sign}{}", (column.show)(by.saturating_abs())))
        }
    };
    let drawn = |side: Option<&Metrics>| side.map_or_else(|| dim(symbols.none), |side| trend(side, top, symbols));
    let sides = if column.trend { both.map(drawn) } else { [value(one), value(other)] };
    let [without, with, diff] = column.widths;
    let [one, other] = sides;
    [at_right(one, without), at_right(other, with), at_right(difference, diff)]
}

fn trend(side: &Metrics, top: i64, symbols: &Symbols) -> Piece {
    let steps = side.trend.chunks(side.trend.len().div_ceil(STEPS).max(1));
    let mean = |steps: &[i64]| steps.iter().sum::<i64>() / i64::try_from(steps.len()).unwrap_or(i64::MAX);
    let drawn: String = steps.map(|steps| height(mean(steps), top, symbols)).collect();
    piece(Role::UsageNormal, drawn)
}
