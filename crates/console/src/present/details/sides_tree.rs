//! The queues of both sides of a what-if as a tree, with the difference of each column.
//!
//! ```text
//!                          PENDING                     CPU                 MEM
//!  QUEUE          WITHOUT    WITH    DIFF  WITHOUT    WITH    DIFF ...
//!  root                10      83     +73     88.5   274.5    +186
//!    batch              4       9      +5        ·      12     +12
//! ```
//!
//! Without space the last columns are dropped.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::present::details::sheet::at_right;
use crate::present::format;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::theme::{Role, Signs};
use model::{MEMORY, QueuePath, VCORE};
use source::{Comparison, Figures};
use view::units::show_amount;

const CELL: usize = 8;
const GROUP: usize = 3 * CELL + 1;
const NAME: (usize, usize) = (22, 48);
const MOST: usize = 100;

struct Column {
    title: &'static str,
    of: fn(&Figures) -> i64,
    show: fn(i64) -> String,
}

const COLUMNS: [Column; 4] = [
    Column { title: "PENDING", of: |one| count(one.waiting), show: |count| count.to_string() },
    Column { title: "CPU", of: |one| one.allocated.amount(VCORE), show: |amount| show_amount(VCORE, amount) },
    Column { title: "MEM", of: |one| one.allocated.amount(MEMORY), show: |amount| show_amount(MEMORY, amount) },
    Column { title: "MEAN WAIT", of: |one| count(one.mean_wait().as_secs()), show: seconds },
];

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn seconds(count: i64) -> String {
    format::duration(Duration::from_secs(count.unsigned_abs()))
}

pub(super) fn lines(comparison: &Comparison, width: usize, signs: &Signs) -> Lines {
    let fits = |columns: &usize| NAME.0 + columns * GROUP <= width;
    let columns = &COLUMNS[..(1..=COLUMNS.len()).rev().find(fits).unwrap_or(1)];
    let name = width.saturating_sub(columns.len() * GROUP).clamp(8, NAME.1);
    let head = |text: &'static str, width: usize| at_right(piece(Role::Title, text), width);
    let mut titles = vec![plain(" ".repeat(name))];
    let mut sides = vec![piece(Role::Title, format!("{:<name$}", "QUEUE"))];
    for column in columns {
        titles.push(head(column.title, GROUP));
        sides.extend([head("WITHOUT", CELL + 1), head("WITH", CELL), head("DIFF", CELL)]);
    }
    let mut lines = vec![titles, sides];
    let [without, with] = &comparison.total;
    lines.push(row("root".to_owned(), (Some(without), Some(with)), (columns, name), signs));
    let queues: Vec<_> = comparison.queues.iter().filter(|(queue, _)| queue.parent().is_some()).collect();
    let listed: BTreeSet<&QueuePath> = queues.iter().map(|(queue, _)| *queue).collect();
    for (queue, (without, with)) in queues.iter().take(MOST) {
        let below = queue.parent().is_some_and(|parent| parent.parent().is_none() || listed.contains(&parent));
        let words = if below { queue.name().to_owned() } else { queue.to_string() };
        let words = format!("{}{words}", "  ".repeat(queue.depth()));
        lines.push(row(words, (without.as_ref(), with.as_ref()), (columns, name), signs));
    }
    if queues.len() > MOST {
        lines.push(vec![dim(format!("and {} more", queues.len() - MOST))]);
    }
    lines
}

fn row(
    words: String,
    (without, with): (Option<&Figures>, Option<&Figures>),
    (columns, name): (&[Column], usize),
    signs: &Signs,
) -> Vec<Piece> {
    let words = text::cut_middle(&text::escape(&words), name, signs.ellipsis).into_owned();
    let pad = name.saturating_sub(text::width(&words));
    let mut line = vec![plain(words), plain(" ".repeat(pad))];
    for column in columns {
        let [one, other] = [without, with].map(|side| side.map(column.of));
        let cell = |value: Option<i64>| match value {
            None => dim(signs.none),
            Some(0) => dim(signs.nothing),
            Some(value) => plain((column.show)(value)),
        };
        let difference = match one.zip(other).map(|(one, other)| other.saturating_sub(one)) {
            None => dim(if without.is_none() { "new" } else { "removed" }),
            Some(0) => dim(signs.nothing),
            Some(by) => {
                let sign = if by > 0 { "+" } else { "-" };
                piece(Role::DiffChange, format!("{sign}{}", (column.show)(by.saturating_abs())))
            }
        };
        line.extend([at_right(cell(one), CELL + 1), at_right(cell(other), CELL), at_right(difference, CELL)]);
    }
    line
}
