//! The columns of the queue tree on the page Cluster. A changed value is bold.

use crate::present::arrange::Space;
use crate::present::board;
use crate::present::format;
use crate::present::lists::queue_cells::Usage;
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::table::{Col, left, right};
use crate::state::State;
use crate::state::column::QueueColumn;
use crate::state::marks::Facet;
use crate::theme::{Role, Symbols};
use model::{MEMORY, QueueState, VCORE};
use view::drain::span;
use view::{PartitionView, QueueRow};

const WANTED: u16 = 20;

pub(super) fn space(space: Space) -> Space {
    Space { widest: space.widest.max(WANTED), least: space.least.min(17) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Name,
    State,
    Priority,
    Apps,
    PendingCpu,
    PendingMemory,
    Meter(&'static str),
    /// Used / guaranteed / max.
    Usage(&'static str),
    /// The figures in one narrow cell: used / max.
    Short(&'static str),
    HeadroomCpu,
    HeadroomMemory,
    Board(BoardCell),
    Value(QueueColumn),
    Changed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardCell {
    Running,
    Waiting,
    /// The used memory in percent of its maximum.
    MemoryShare,
    /// The cpu of the last 10 minutes, in the scale of the meter.
    Trend,
    WaitP95,
}

impl BoardCell {
    pub(super) const fn facet(self) -> Option<Facet> {
        match self {
            Self::Running => Some(Facet::Apps),
            Self::MemoryShare => Some(Facet::Memory),
            Self::Waiting | Self::Trend | Self::WaitP95 => None,
        }
    }
}

#[derive(Clone, Copy)]
struct Plan {
    headroom: bool,
    max_apps: bool,
    memory: bool,
    guarantee: bool,
    meter: u16,
    wait: bool,
    trend: u16,
    more: bool,
}

const PLANS: [Plan; 16] = {
    let (all, apart) = (true, false);
    let full =
        Plan { headroom: all, max_apps: all, memory: all, guarantee: all, meter: 10, wait: all, trend: 12, more: all };
    let some = Plan { headroom: apart, ..full };
    let few = Plan { max_apps: apart, ..some };
    let plain = Plan { memory: apart, trend: 9, ..few };
    let short = Plan { guarantee: apart, ..plain };
    let bare = Plan { meter: 0, wait: apart, ..short };
    [
        full,
        Plan { meter: 8, ..full },
        Plan { meter: 6, trend: 9, ..full },
        some,
        few,
        plain,
        Plan { meter: 6, ..plain },
        short,
        Plan { meter: 6, ..short },
        Plan { meter: 5, ..short },
        Plan { meter: 4, trend: 8, ..short },
        Plan { meter: 3, trend: 8, ..short },
        Plan { meter: 0, ..short },
        bare,
        Plan { trend: 0, ..bare },
        Plan { trend: 0, more: apart, ..bare },
    ]
};

pub(super) fn plans() -> impl Iterator<Item = Vec<Col<Cell>>> {
    PLANS.iter().map(|plan| {
        let mut columns = vec![left(Cell::Name, "QUEUE", 0)];
        if plan.more {
            columns.push(right(Cell::Priority, "PRI  ", 7));
        }
        columns.push(right(Cell::Board(BoardCell::Running), "RUN", 4));
        if plan.max_apps {
            columns.push(right(Cell::Value(QueueColumn::MaxApps), "max", 4));
        }
        columns.push(right(Cell::Board(BoardCell::Waiting), "WAIT", 4));
        if plan.meter > 0 {
            let gap = if plan.meter > 5 { 2 } else { 1 };
            columns.push(Col { gap, ..left(Cell::Meter(VCORE), "CPU", plan.meter).up_to(12).as_bar() });
        }
        columns.push(match (plan.guarantee, plan.meter > 0) {
            (true, _) => right(Cell::Usage(VCORE), "used/guar/  max ", 17),
            (false, true) => right(Cell::Short(VCORE), "used/  max ", 12),
            (false, false) => right(Cell::Short(VCORE), "CPU of max ", 12),
        });
        if plan.memory {
            columns.push(right(Cell::Usage(MEMORY), "MEM used/ guar/   max ", 22));
            columns.push(right(Cell::Board(BoardCell::MemoryShare), "%", 4));
        } else if plan.more {
            columns.push(right(Cell::Board(BoardCell::MemoryShare), "MEM", 4));
        }
        if plan.trend > 0 {
            let title = if plan.trend < 9 { "TREND" } else { "TREND 10m" };
            columns.push(left(Cell::Board(BoardCell::Trend), title, plan.trend));
        }
        if plan.wait {
            columns.push(right(Cell::Board(BoardCell::WaitP95), "WAIT p95", 8));
        }
        if plan.headroom {
            columns.push(Col { gap: 2, ..right(Cell::HeadroomCpu, "HEADROOM", 8) });
            columns.push(right(Cell::HeadroomMemory, "mem", 6));
        }
        columns
    })
}

pub(super) const fn made_of(cell: BoardCell) -> &'static [QueueColumn] {
    match cell {
        BoardCell::Running => &[QueueColumn::Apps],
        BoardCell::MemoryShare => &[QueueColumn::Memory, QueueColumn::MemoryMax],
        BoardCell::Waiting | BoardCell::Trend | BoardCell::WaitP95 => &[],
    }
}

pub(super) fn pieces(
    state: &State,
    part: &PartitionView,
    row: &QueueRow,
    cell: BoardCell,
    width: u16,
    symbols: &'static Symbols,
) -> Vec<Piece> {
    let unread = state.cluster.unread.apps;
    let number = |number: u64| if number == 0 { dim("0") } else { plain(number.to_string()) };
    let waiting = board::waiting_in(state, &row.path);
    vec![match cell {
        BoardCell::Running if unread => dim(symbols.none),
        BoardCell::Running => match row.max_running {
            Some(max) if row.running + row.allocating_accepted >= max => piece(Role::Danger, row.running.to_string()),
            _ => number(row.running),
        },
        BoardCell::Waiting => waiting.map_or_else(|| dim(symbols.none), |waiting| number(waiting.apps)),
        BoardCell::MemoryShare => {
            let usage = Usage::of(part, row, MEMORY);
            let role = if usage.meter().role() == Role::UsageFull { Role::UsageHigh } else { Role::Text };
            usage.thousandths().map_or_else(|| dim(symbols.none), |share| piece(role, format::percent(share)))
        }
        BoardCell::Trend => match board::queue_spark(state, &row.path, width, symbols) {
            cells if cells.trim().is_empty() => dim(symbols.none),
            cells => piece(Role::UsageNormal, cells),
        },
        BoardCell::WaitP95 => match waiting {
            None => dim(symbols.none),
            Some(waiting) if waiting.apps == 0 => dim(symbols.nothing),
            Some(waiting) => waiting.p95.map_or_else(|| dim(symbols.none), |age| plain(span(age))),
        },
    }]
}

/// An unusual state; only the symbol in fewer than `free` columns.
pub(super) fn state_tag(row: &QueueRow, free: usize, symbols: &Symbols) -> Option<(String, Role)> {
    let (symbol, word, role) = match row.state {
        QueueState::Active => return None,
        QueueState::Draining => (symbols.draining, "drain", Role::StateDraining),
        QueueState::Stopped => (symbols.stopped, "stopped", Role::StateStopped),
    };
    let long = format!(" {symbol} {word}");
    let fits = crate::present::text::width(&long) <= free;
    Some((if fits { long } else { format!(" {symbol}") }, role))
}
