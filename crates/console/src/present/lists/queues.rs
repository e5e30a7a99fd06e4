//! The queue tree as a table.
//!
//! ```text
//!  QUEUE▲                 STATE    PRI     APPS   PENDING cpu mem   CPU      used/ guar/  max   MEM      used/ guar/  max    HEADROOM
//!  ▾ root                 ●       1003      7/·        9.5   31G    ▰▰▰▰▱▱   23.5/    ·/  40    ▰▰▰▱▱▱   44G/    ·/  80G
//!    ▾ tenants            ●         0⌂      3/·        9     19G    ▰▰▱▱▱▱   11.5/    ·/ (40)   …
//!    legacy               ◐ 42s      ·      1/·        ·       ·    …
//! ```
//!
//! The name is followed by an exhausted resource without its own columns: `adhoc gpu!`. A maximum in parentheses is
//! inherited: the smallest of the parents, or the cluster; it is the base of the meter. On a narrow screen these are
//! dropped in order: headroom, meter length, memory meter, guaranteed (the memory meter then returns for a while),
//! pending memory, CPU meter, pending, memory, applications ([`PLANS`]). The name remains.

use crate::present::arrange::{Space, arrange};
use crate::present::board;
use crate::present::format;
use crate::present::lists::apps::has_others;
use crate::present::lists::board_columns;
use crate::present::lists::board_columns::{BoardCell, Cell};
use crate::present::lists::queue_cells::{Usage, amount, apps, headroom, priority, short_age, state_symbol};
use crate::present::lists::queue_values::{trend, unit, value};
use crate::present::pieces::{Piece, Slot, dim, piece, plain, symbol_set};
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::trend_cells;
use crate::present::unknown;
use crate::state::State;
use crate::state::column::QueueColumn;
use crate::state::marks::{Facet, Mark, Marked};
use crate::state::page::{Fold, QueueLine, QueuesPage};
use crate::theme::{Role, Symbols};
use model::{MEMORY, QueueState, VCORE};
use source::SourcePlace;
use view::{PartitionView, QueueRow};

/// The list for a width.
pub fn table<'a>(state: &'a State, page: &'a QueuesPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let space = Space { widest: page.list.widest[0], least: least_name(width) };
    let others = state.cluster.part().is_some_and(has_others);
    let board = board::is_shown(state);
    let space = if board { board_columns::space(space) } else { space };
    let plans: Box<dyn Iterator<Item = Vec<Col<Cell>>>> =
        if board { Box::new(board_columns::plans()) } else { Box::new(plans(others)) };
    let columns = arrange(state, width, plans, |column| Some(own(column)), space);
    let sorted = move |cell: Cell| table::title(symbols, page.list.sort, belongs_to(cell));
    let part = state.cluster.part();
    let len = page.list.rows.len();
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let (Some(part), Some(line)) = (part, page.list.rows.get(index)) else { return };
        let Some(row) = part.queue(line.slot) else { return };
        let mark = state.marks.of(&Marked::Queue(row.path.clone()));
        cell(pen, state, &Shown { part, row, line, mark, filtered: !page.list.filter.is_empty(), board }, what, slot);
    });
    table.or_reported(if len == 0 { nothing(state, page) } else { Vec::new() })
}

/// The next steps in an empty cluster.
pub fn next_steps(state: &State) -> &'static [&'static str] {
    if !state.cluster.part().is_some_and(|part| part.nodes.is_empty() && part.live_apps == 0) {
        return &[];
    }
    match state.cluster.about.place {
        SourcePlace::Embedded | SourcePlace::WhatIf => &[
            "No nodes and no applications yet.",
            "Use --workload FILE (`kornsole demo --print-workload` writes an example), or `kornsole demo` for a simulated cluster.",
            "6 opens the configuration, 5 previews placement.",
        ],
        SourcePlace::Remote | SourcePlace::Machine { .. } | SourcePlace::Saved => {
            &["No nodes and no applications yet: waiting for the resource manager."]
        }
    }
}

fn nothing(state: &State, page: &QueuesPage) -> Vec<String> {
    match (state.cluster.part(), page.list.total) {
        (None, _) => vec![state.cluster.why_no_part().to_owned()],
        (_, 0) => vec!["no queues yet".to_owned()],
        (_, total) => vec![
            format!("the filter {} hides {total} of {}", page.list.filter, format::count(total as u64, "queue")),
            "esc clears it".to_owned(),
        ],
    }
}

fn least_name(width: u16) -> u16 {
    match width {
        0..60 => 15,
        60..100 => 19,
        _ => 22,
    }
}

#[derive(Clone, Copy)]
struct Plan {
    headroom: bool,
    meters: [u16; 2],
    guarantee: bool,
    pending: u8,
    memory: bool,
    apps: bool,
    tight: u8,
}

const PLANS: [Plan; 15] = {
    let full =
        Plan { headroom: true, meters: [10, 10], guarantee: true, pending: 2, memory: true, apps: true, tight: 0 };
    let plain = Plan { headroom: false, ..full };
    let short = Plan { guarantee: false, meters: [6, 0], tight: 1, ..plain };
    [
        full,
        Plan { meters: [8, 8], ..full },
        Plan { meters: [6, 6], ..full },
        Plan { meters: [10, 10], ..plain },
        Plan { meters: [8, 8], ..plain },
        Plan { meters: [6, 6], ..plain },
        Plan { meters: [6, 0], ..plain },
        Plan { meters: [6, 6], ..short },
        short,
        Plan { pending: 1, ..short },
        Plan { pending: 1, meters: [4, 0], ..short },
        Plan { pending: 1, meters: [0, 0], ..short },
        Plan { pending: 0, meters: [0, 0], ..short },
        Plan { pending: 0, meters: [0, 0], memory: false, tight: 2, ..short },
        Plan { pending: 0, meters: [0, 0], memory: false, apps: false, tight: 2, ..short },
    ]
};

fn plans(others: bool) -> impl Iterator<Item = Vec<Col<Cell>>> {
    let all = std::iter::once((&PLANS[0], others)).filter(|(_, others)| *others);
    all.chain(PLANS.iter().map(|plan| (plan, false))).map(|(plan, others)| {
        let wide = plan.tight == 0;
        let mut columns = vec![left(Cell::Name, "QUEUE", 0)];
        columns.push(match plan.tight {
            2 => left(Cell::State, "", 1),
            tight => left(Cell::State, "STATE", 6 - u16::from(tight)),
        });
        columns.push(right(Cell::Priority, "PRI  ", if wide { 8 } else { 7 }));
        if plan.apps {
            columns.push(right(Cell::Apps, "APPS   ", if wide { 9 } else { 8 }));
        }
        if plan.pending > 0 {
            let title = if plan.pending > 1 { "PEND cpu" } else { "PEND" };
            columns.push(right(Cell::PendingCpu, title, if plan.pending > 1 { 8 } else { 5 }));
        }
        if plan.pending > 1 {
            columns.push(right(Cell::PendingMemory, "mem", 6));
        }
        for (name, meter) in [VCORE, MEMORY].into_iter().zip(plan.meters) {
            if name == MEMORY && !plan.memory {
                continue;
            }
            let own = if name == VCORE { "CPU" } else { "MEM" };
            if meter > 0 {
                columns.push(Col {
                    gap: if plan.pending > 1 { 2 } else { 1 },
                    ..left(Cell::Meter(name), own, meter).up_to(if plan.guarantee { 30 } else { meter }).as_bar()
                });
            }
            let (what, title, width) = match (plan.guarantee, meter > 0, name) {
                (true, true, VCORE) => (Cell::Usage(name), "used/guar/  max ", 17),
                (true, true, _) => (Cell::Usage(name), "used/ guar/   max ", 20),
                (true, false, _) => (Cell::Usage(name), "MEM used/ guar/   max ", 22),
                (false, true, VCORE) => (Cell::Short(name), "used/  max ", 11),
                (false, true, _) => (Cell::Short(name), "used/   max ", 14),
                (false, false, VCORE) => (Cell::Short(name), "CPU of max ", 11),
                (false, false, _) => (Cell::Short(name), "MEM of max ", 14),
            };
            columns.push(right(what, title, width));
        }
        if plan.headroom {
            columns.push(Col { gap: 2, ..right(Cell::HeadroomCpu, "HEADROOM", 8) });
            columns.push(right(Cell::HeadroomMemory, "mem", 6));
        }
        if others {
            columns.push(Col { gap: 2, ..left(Cell::Value(QueueColumn::Other), "OTHER", 10) }.up_to(30));
        }
        columns.push(Col { gap: u16::from(plan.tight < 2), ..left(Cell::Changed, "", 1) });
        columns
    })
}

fn own(column: QueueColumn) -> Col<Cell> {
    let value = Cell::Value(column);
    match column {
        QueueColumn::Queue => left(Cell::Name, "QUEUE", 22),
        QueueColumn::State => left(Cell::State, "STATE", 6),
        QueueColumn::Priority => right(Cell::Priority, "PRI  ", 8),
        QueueColumn::Apps => right(Cell::Apps, "APPS   ", 9),
        QueueColumn::MaxApps => right(value, "APPS max", 8),
        QueueColumn::Live => right(value, "LIVE", 6),
        QueueColumn::Waiting => right(Cell::Board(BoardCell::Waiting), "WAIT", 5),
        QueueColumn::WaitP95 => right(Cell::Board(BoardCell::WaitP95), "WAIT p95", 8),
        QueueColumn::MemoryShare => right(Cell::Board(BoardCell::MemoryShare), "MEM", 5),
        QueueColumn::Pending => right(Cell::PendingCpu, "PEND cpu", 8),
        QueueColumn::PendingMemory => right(Cell::PendingMemory, "PEND mem", 8),
        QueueColumn::Cpu => right(Cell::Usage(VCORE), "CPU used/guar/  max ", 20),
        QueueColumn::CpuGuaranteed => right(value, "CPU guar", 8),
        QueueColumn::CpuMax => right(value, "CPU max", 8),
        QueueColumn::Memory => right(Cell::Usage(MEMORY), "MEM used/ guar/   max ", 22),
        QueueColumn::MemoryGuaranteed => right(value, "MEM guar", 8),
        QueueColumn::MemoryMax => right(value, "MEM max", 8),
        QueueColumn::Headroom => right(Cell::HeadroomCpu, "HEADROOM cpu", 12),
        QueueColumn::HeadroomMemory => right(Cell::HeadroomMemory, "HEADROOM mem", 12),
        QueueColumn::Other => Col { gap: 2, ..left(value, "OTHER", 10) }.up_to(30),
        QueueColumn::Trend => left(value, "LAST 1 h", trend_cells::CELLS),
    }
}

fn belongs_to(cell: Cell) -> Option<QueueColumn> {
    Some(match cell {
        Cell::Name => QueueColumn::Queue,
        Cell::State => QueueColumn::State,
        Cell::Priority => QueueColumn::Priority,
        Cell::Apps => QueueColumn::Apps,
        Cell::PendingCpu => QueueColumn::Pending,
        Cell::Usage(VCORE) | Cell::Short(VCORE) => QueueColumn::Cpu,
        Cell::Usage(_) | Cell::Short(_) => QueueColumn::Memory,
        Cell::Board(BoardCell::MemoryShare) => QueueColumn::MemoryShare,
        Cell::Board(BoardCell::Running) => QueueColumn::Apps,
        Cell::Board(BoardCell::Waiting) => QueueColumn::Waiting,
        Cell::Board(BoardCell::WaitP95) => QueueColumn::WaitP95,
        Cell::HeadroomCpu => QueueColumn::Headroom,
        Cell::PendingMemory => QueueColumn::PendingMemory,
        Cell::HeadroomMemory => QueueColumn::HeadroomMemory,
        Cell::Value(column) => column,
        Cell::Meter(_) | Cell::Board(_) | Cell::Changed => return None,
    })
}

struct Shown<'a> {
    part: &'a PartitionView,
    row: &'a QueueRow,
    line: &'a QueueLine,
    mark: Mark,
    filtered: bool,
    board: bool,
}

fn cell(pen: &mut Writer, state: &State, shown: &Shown<'_>, what: Cell, slot: Slot) {
    let symbols = pen.symbols();
    let row = shown.row;
    let changed = |facet| shown.mark.is_active(facet, state.now);
    let marked = |facet, pieces: Vec<Piece>| -> Vec<Piece> {
        let lift = |part: Piece| if part.role == Role::Text { piece(Role::Changed, part.text) } else { part };
        // Only the first value, the usage, has changed.
        let lift = |(at, part)| if at == 0 { lift(part) } else { part };
        if changed(facet) { pieces.into_iter().enumerate().map(lift).collect() } else { pieces }
    };
    let lost = |column| unknown::of_queue(shown.part, row, column).is_some();
    match what {
        Cell::Name => name(pen, shown, slot),
        Cell::Meter(name) if used_of(name).into_iter().any(lost) => pen.cell(slot, &[unknown::cell(symbols)]),
        Cell::State
        | Cell::Priority
        | Cell::PendingCpu
        | Cell::PendingMemory
        | Cell::HeadroomCpu
        | Cell::HeadroomMemory
            if belongs_to(what).is_some_and(lost) =>
        {
            pen.cell(slot, &[unknown::cell(symbols)]);
        }
        Cell::Board(cell) if board_columns::made_of(cell).iter().copied().any(lost) => {
            pen.cell(slot, &[unknown::cell(symbols)]);
        }
        Cell::State => pen.cell(slot, &marked(Facet::State, state_pieces(state, row, symbols))),
        Cell::Priority => pen.cell(slot, &marked(Facet::Priority, priority(row, symbols))),
        Cell::Apps => {
            let places = [QueueColumn::Apps, QueueColumn::MaxApps];
            pen.cell(slot, &marked(Facet::Apps, known(apps(row, symbols), &places, lost, symbols)));
        }
        Cell::PendingCpu => pen.cell(slot, &marked(Facet::Pending, vec![amount(&row.pending, VCORE, symbols)])),
        Cell::PendingMemory => pen.cell(slot, &marked(Facet::Pending, vec![amount(&row.pending, MEMORY, symbols)])),
        Cell::Meter(name) => {
            let meter = Usage::of(shown.part, row, name).meter();
            pen.cell(slot, &meter.pieces(slot.width, symbols));
        }
        Cell::Usage(name) | Cell::Short(name) => {
            let facet = if name == VCORE { Facet::Cpu } else { Facet::Memory };
            let guarantee = matches!(what, Cell::Usage(_));
            let [used, max] = used_of(name);
            let guaranteed = if name == VCORE { QueueColumn::CpuGuaranteed } else { QueueColumn::MemoryGuaranteed };
            let places = if guarantee { &[used, guaranteed, max][..] } else { &[used, max] };
            let pieces =
                known(Usage::of(shown.part, row, name).pieces(name, guarantee, symbols), places, lost, symbols);
            pen.cell(slot, &marked(facet, pieces));
        }
        Cell::HeadroomCpu => pen.cell(slot, &[headroom(shown.part, row, VCORE, symbols)]),
        Cell::HeadroomMemory => pen.cell(slot, &[headroom(shown.part, row, MEMORY, symbols)]),
        Cell::Board(cell) => {
            let pieces = board_columns::pieces(state, shown.part, row, cell, slot.width, symbols);
            let pieces = match cell.facet() {
                Some(facet) => marked(facet, pieces),
                None => pieces,
            };
            pen.cell(slot, &pieces);
        }
        Cell::Value(QueueColumn::Trend) => pen.cell(slot, &[piece(Role::Accent, trend(state, row, symbols))]),
        Cell::Value(column) => {
            pen.cell(slot, &[dim(value(shown.part, row, column).shown(unit(column), symbols))]);
        }
        Cell::Changed => {
            if shown.mark.any(state.now) {
                pen.text(slot.x, 1, symbols.changed, Role::Accent);
            }
        }
    }
}

fn known(
    mut pieces: Vec<Piece>,
    places: &[QueueColumn],
    lost: impl Fn(QueueColumn) -> bool,
    symbols: &Symbols,
) -> Vec<Piece> {
    for (at, _) in places.iter().enumerate().filter(|(_, column)| lost(**column)) {
        unknown::blank(&mut pieces[2 * at], symbols);
    }
    pieces
}

fn used_of(name: &str) -> [QueueColumn; 2] {
    match name {
        VCORE => [QueueColumn::Cpu, QueueColumn::CpuMax],
        _ => [QueueColumn::Memory, QueueColumn::MemoryMax],
    }
}

fn name(pen: &mut Writer, shown: &Shown<'_>, slot: Slot) {
    let symbols = pen.symbols();
    let indent = (shown.line.depth * 2).min(slot.width / 2);
    let symbol = match shown.line.fold {
        Fold::Leaf => " ",
        Fold::Open => symbols.open,
        Fold::Closed => symbols.closed,
    };
    pen.text(slot.x + indent, 1, symbol, Role::Dim);
    let role = match (shown.filtered, shown.line.matched) {
        (true, true) => Role::Match,
        (true, false) => Role::Dim,
        (false, _) => Role::Text,
    };
    let space = slot.width.saturating_sub(indent + 2);
    let exhausted = exhausted(shown.part, shown.row).map(|name| (format!(" {name}{}", symbols.limit), Role::Danger));
    let free = usize::from(space).saturating_sub(crate::present::text::width(shown.row.path.name()));
    let state = shown.board.then(|| board_columns::state_tag(shown.row, free, symbols)).flatten();
    let (tag, tag_role) = exhausted.or(state).unwrap_or_default();
    let behind = u16::try_from(crate::present::text::width(&tag))
        .unwrap_or(0)
        .min((space / 2).max(u16::try_from(free).unwrap_or(0)));
    let used = pen.name(slot.x + indent + 2, space - behind, shown.row.path.name(), role);
    pen.text(slot.x + indent + 2 + used, behind, &tag, tag_role);
}

fn exhausted<'a>(part: &PartitionView, row: &'a QueueRow) -> Option<&'a str> {
    let concerned = row.allocated.iter().chain(row.pending.iter());
    let mut others = concerned.filter(|(name, amount)| *name != VCORE && *name != MEMORY && *amount > 0).peekable();
    others.peek()?;
    let space = part.headroom(row)?;
    others.map(|(name, _)| name).find(|name| space.get(name).is_some_and(|space| space <= 0))
}

/// `>` if the start was not seen.
fn age_in_state(state: &State, row: &QueueRow) -> String {
    let least = if row.state_before { ">" } else { "" };
    format!("{least}{}", short_age(state.cluster.at.since(row.state_since)))
}

/// The state, with its age unless it is the usual one.
pub fn state_pieces(state: &State, row: &QueueRow, symbols: &Symbols) -> Vec<Piece> {
    let (symbol, role) = state_symbol(row.state, symbols);
    if state.cluster.view.is_stuck(row, state.cluster.at) {
        let age = age_in_state(state, row);
        return vec![piece(Role::Danger, symbol), piece(Role::Danger, format!(" {age}{}", symbols.limit))];
    }
    let rest = match row.state {
        QueueState::Active if !row.managed => dim(" dyn"),
        QueueState::Active => plain(""),
        _ => piece(role, format!(" {}", age_in_state(state, row))),
    };
    vec![piece(role, symbol), rest]
}
