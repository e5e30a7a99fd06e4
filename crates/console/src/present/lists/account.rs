//! One user or group by queue, with counting groups and pending applications.

use std::sync::Arc;

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::limits;
use crate::present::meter::Meter;
use crate::present::pieces::{Piece, Slot, dim, piece, plain};
use crate::present::place::Source;
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::LevelColumn;
use crate::state::page::{Account, AccountLine, AccountPage, LineId};
use crate::theme::{Role, Symbols};
use model::{MEMORY, QueuePath, VCORE};
use view::units::show_amount;
use view::{AppRow, LimitUse, PartitionView, QueueUsageRow, Side, UsageRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Name,
    Full,
    Meter(&'static str),
    Usage(&'static str),
    Apps,
    From,
}

/// The unit of a column.
pub const fn unit(column: LevelColumn) -> Unit {
    match column {
        LevelColumn::Queue | LevelColumn::From | LevelColumn::Why => Unit::Words,
        LevelColumn::Cpu | LevelColumn::CpuLimit => Unit::Vcore,
        LevelColumn::Memory | LevelColumn::MemoryLimit => Unit::Bytes,
        LevelColumn::Apps | LevelColumn::AppsLimit => Unit::Count,
    }
}

/// The value of a cell.
pub fn value(source: Source<'_>, account: &Account, level: &QueueUsageRow, column: LevelColumn) -> Value<'static> {
    let limit = level.limit_use(account.side, &account.name);
    let max = |name: &str| Value::bound(limit.as_ref().and_then(|limit| limit.max()?.get(name)));
    match column {
        LevelColumn::Queue => Value::text(level.queue.to_string()),
        LevelColumn::Cpu => Value::amount(&level.allocated, VCORE),
        LevelColumn::CpuLimit => max(VCORE),
        LevelColumn::Memory => Value::amount(&level.allocated, MEMORY),
        LevelColumn::MemoryLimit => max(MEMORY),
        LevelColumn::Apps => Value::count(level.running.len()),
        LevelColumn::AppsLimit => {
            let max = limit.as_ref().and_then(LimitUse::max_running);
            Value::bound(max.map(|max| i64::try_from(max).unwrap_or(i64::MAX)))
        }
        LevelColumn::Why => Value::Nothing,
        LevelColumn::From => Value::text(limit.map_or_else(String::new, |limit| limits::place(&limit, Some(source)))),
    }
}

/// The typed list: queues, and pending applications by id.
pub fn fields<'a>(state: &'a State, page: &'a AccountPage) -> Fields<'a> {
    let source = Source::of(state);
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        let Some(line) = page.list.rows.get(row) else { return Value::Nothing };
        let level = |account: &Account, row: Option<&Arc<UsageRow>>, queue: &QueuePath| {
            row.and_then(|row| row.at(queue)).map_or(Value::Nothing, |level| value(source, account, level, column))
        };
        match &line.id {
            LineId::Queue(queue) => level(&page.account, page.row.as_ref(), queue),
            LineId::Group(queue, group) => {
                let account = Account { side: Side::Group, name: Arc::clone(group) };
                let row = state.cluster.part().and_then(|part| part.whole_usage_of(Side::Group, group));
                level(&account, row.as_ref(), queue)
            }
            LineId::App(id) => match (column, waiting(state, line)) {
                (LevelColumn::Queue, _) => Value::text(id.to_string()),
                (LevelColumn::Why, Some((part, app))) => {
                    Value::text(waits(part, app, line).iter().map(|piece| piece.text.as_ref()).collect::<String>())
                }
                _ => Value::Nothing,
            },
        }
    })
}

/// The list for a width.
pub fn table<'a>(state: &'a State, page: &'a AccountPage, width: u16) -> Table<'a> {
    let space = Space { widest: page.list.widest[0], least: if width < 60 { 12 } else { 16 } };
    let columns = arrange(state, width, plans(width), |column| Some(own(column)), space);
    let len = page.list.rows.len();
    let right = width.saturating_sub(2);
    let source = Source::of(state);
    let table = table::new(
        columns,
        (&page.list.cursor, len),
        |_| table::Title::default(),
        move |pen, index, what, slot| {
            let Some((part, line)) = state.cluster.part().zip(page.list.rows.get(index)) else { return };
            if what == Cell::Name {
                return name(pen, line, slot);
            }
            match (&line.id, &page.row) {
                (LineId::Queue(queue), Some(row)) => {
                    if let Some(level) = row.at(queue) {
                        cell(pen, source, (&page.account, level), what, slot);
                    }
                }
                (LineId::Group(queue, group), _) => {
                    let account = Account { side: Side::Group, name: Arc::clone(group) };
                    let row = part.whole_usage_of(Side::Group, group);
                    if let Some(level) = row.as_ref().and_then(|row| row.at(queue)) {
                        cell(pen, source, (&account, level), what, slot);
                    }
                }
                // The pending reason spans all columns.
                (LineId::App(_), _) if what == Cell::Full => {
                    if let Some((part, app)) = waiting(state, line) {
                        pen.pieces(slot.x, right.saturating_sub(slot.x), &waits(part, app, line));
                    }
                }
                _ => {}
            }
        },
    );
    if len > 0 {
        return table;
    }
    let words = match (&page.row, page.list.total) {
        (None, _) => format!("{} has no active applications", limits::name(page.account.side, &page.account.name)),
        (_, total) => format!("the filter {} hides {}", page.list.filter, format::count(total as u64, "queue")),
    };
    table.or_reported(vec![words])
}

fn plans(width: u16) -> impl Iterator<Item = Vec<Col<Cell>>> {
    let plans = [(10, 10, 24, 2), (6, 6, 16, 2), (6, 6, 8, 2), (6, 0, 8, 2), (0, 0, 8, 2), (0, 0, 0, 2), (0, 0, 0, 1)];
    plans.into_iter().map(move |(cpu, memory, from, usages)| {
        let mut columns = vec![left(Cell::Name, "QUEUE", 0), left(Cell::Full, "", 1)];
        for (name, meter, title) in [(VCORE, cpu, "CPU"), (MEMORY, memory, "MEM")].into_iter().take(usages) {
            if meter > 0 {
                columns.push(Col { gap: 1, ..left(Cell::Meter(name), title, meter) }.up_to(30).as_bar());
            }
            let own = match (meter > 0, name) {
                (true, _) => "used/limit ",
                (false, VCORE) => "CPU/limit ",
                (false, _) => "MEM/limit ",
            };
            columns.push(right(Cell::Usage(name), own, if name == MEMORY { 14 } else { 11 }));
        }
        columns.push(right(Cell::Apps, "APPS  ", 8));
        if from > 0 {
            columns.push(Col { gap: 2, ..left(Cell::From, "FROM", from) }.up_to(width));
        }
        columns
    })
}

fn own(column: LevelColumn) -> Col<Cell> {
    match column {
        LevelColumn::Queue => left(Cell::Name, "QUEUE", 16),
        LevelColumn::Cpu | LevelColumn::CpuLimit => right(Cell::Usage(VCORE), "CPU/limit ", 11),
        LevelColumn::Memory | LevelColumn::MemoryLimit => right(Cell::Usage(MEMORY), "MEM/limit ", 14),
        LevelColumn::Apps | LevelColumn::AppsLimit => right(Cell::Apps, "APPS  ", 8),
        LevelColumn::From => Col { gap: 2, ..left(Cell::From, "FROM", 16) }.up_to(120),
        LevelColumn::Why => left(Cell::Full, "WHY", 20).up_to(120),
    }
}

fn name(pen: &mut Writer, line: &AccountLine, slot: Slot) {
    let indent = (line.depth * 2).min(slot.width / 2);
    let role = match line.id {
        LineId::App(_) => Role::Accent,
        LineId::Group(..) => Role::Dim,
        LineId::Queue(_) => Role::Text,
    };
    let name = match &line.id {
        LineId::Group(_, group) if &**group == "*" => limits::name(Side::Group, group),
        LineId::Group(_, group) => format!("group {group}"),
        LineId::Queue(_) | LineId::App(_) => line.name().to_owned(),
    };
    pen.name(slot.x + indent, slot.width - indent, &name, role);
}

fn waiting<'a>(state: &'a State, line: &AccountLine) -> Option<(&'a PartitionView, &'a AppRow)> {
    let part = state.cluster.part()?;
    let app = line.slot.and_then(|slot| part.app(slot))?;
    matches!(&line.id, LineId::App(id) if app.id == *id).then_some((part, app))
}

fn waits(part: &PartitionView, app: &AppRow, line: &AccountLine) -> Vec<Piece> {
    let wanted = app.asks.values().find_map(|ask| limits::too_full(part, app, &ask.resource, None));
    let why = limits::blocked(part, app, None).or(wanted);
    let verb = if line.asks == 1 { "waits" } else { "wait" };
    let mut pieces =
        vec![piece(Role::StateWaiting, format!("{} {verb}", format::count(u64::from(line.asks), "request")))];
    pieces.extend(why.map(|why| dim(format!(": {why}"))));
    pieces
}

fn cell(pen: &mut Writer, source: Source<'_>, (account, level): (&Account, &QueueUsageRow), what: Cell, slot: Slot) {
    let symbols = pen.symbols();
    let limit = level.limit_use(account.side, &account.name);
    let max = |name: &str| limit.as_ref().and_then(|limit| limit.max()?.get(name));
    let pieces = match what {
        Cell::Name => Vec::new(),
        Cell::Full => {
            let full = limit.as_ref().is_some_and(LimitUse::is_full);
            vec![piece(Role::Danger, if full { symbols.limit } else { " " })]
        }
        Cell::Meter(name) => match max(name) {
            None => Vec::new(),
            max => {
                Meter { used: level.allocated.amount(name), base: max, guaranteed: None }.pieces(slot.width, symbols)
            }
        },
        Cell::Usage(name) => usage(level.allocated.amount(name), max(name), name, symbols),
        Cell::Apps => {
            let max = limit.as_ref().and_then(LimitUse::max_running);
            let running = level.running.len() as u64;
            let full = max.is_some_and(|max| running >= max);
            let max = max.map_or_else(|| symbols.nothing.to_owned(), |max| max.to_string());
            let role = if full { Role::Danger } else { Role::Text };
            let symbol = piece(Role::Danger, if full { symbols.limit } else { " " });
            vec![piece(role, running.to_string()), dim("/"), dim(format!("{max:>3}")), symbol]
        }
        Cell::From => limit.as_ref().map_or_else(Vec::new, |limit| from(source, limit, symbols)),
    };
    pen.cell(slot, &pieces);
}

/// What is used of a limit: `6/   6!`.
fn usage(used: i64, max: Option<i64>, name: &str, symbols: &Symbols) -> Vec<Piece> {
    let full = max.is_some_and(|max| used >= max);
    let shown = if used == 0 { dim(symbols.nothing) } else { plain(show_amount(name, used)) };
    let max = max.map_or_else(|| symbols.nothing.to_owned(), |max| show_amount(name, max));
    vec![
        if full { piece(Role::UsageFull, shown.text) } else { shown },
        dim("/"),
        dim(format!("{max:>0$}", if name == MEMORY { 6 } else { 4 })),
        piece(Role::Danger, if full { symbols.limit } else { " " }),
    ]
}

fn from(source: Source<'_>, limit: &LimitUse, symbols: &Symbols) -> Vec<Piece> {
    let place = source.place(limit.limit.at).unwrap_or_default();
    let others = limits::others(limit, symbols);
    let parts = [others, place, limit.limit.description.clone()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    vec![dim(parts.join(", "))]
}
