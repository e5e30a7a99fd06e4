//! Users and groups as a table, and one of them queue by queue.
//!
//! ```text
//!  NAME▲            KIND    APPS     CPU    MEM  LIMITS  CLOSEST TO ITS LIMIT
//! ▌sue            ! user     1/1       6    12G       2  ▰▰▰▰▰▰▰▰ cpu 6 of 6 in root.tenants.tenant-a, line 31
//!
//!  QUEUE                   CPU       used/limit    MEM       used/limit     APPS   FROM
//!  root                    ▱▱▱▱▱▱▱▱     6/   ·     ▱▱▱▱▱▱▱▱   12G/   ·      1/20   everyone, line 12
//!    tenant-a            ! ▰▰▰▰▰▰▰▰     6/   6!    ▰▰▰▰▰▰▰▰   12G/ 12G!     1/·    line 31
//!      etl                 …
//!        etl-1             1 ask waits: sue has cpu 6 of 6 in tenant-a
//! ```
//!
//! When narrow there give way, of users and groups: the bar, what they have of memory, how many limits there are, cpu; of queues: the
//! bars, memory's first, the place, memory, applications.

use crate::console::present::format;
use crate::console::present::limits;
use crate::console::present::limits::Tightest;
use crate::console::present::meter::Meter;
use crate::console::present::pieces;
use crate::console::present::pieces::{Piece, Slot, dim, piece, plain, sign_set};
use crate::console::present::table;
use crate::console::present::table::{Col, Table, Writer, left, right};
use crate::console::state::State;
use crate::console::state::column::UserColumn;
use crate::console::state::page::{Account, AccountLine, AccountPage, LineId, UsersPage};
use crate::console::theme::{Role, Signs};
use crate::model::quantity::show_amount;
use crate::model::{MEMORY, Resource, VCORE};
use crate::view::{AppRow, LimitUse, PartitionView, QueueUsageRow, UsageRow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Name,
    Full,
    Kind,
    Apps,
    Used(&'static str),
    Limits,
    Meter,
    Tightest,
}

/// The list of users and groups.
pub fn table<'a>(state: &'a State, page: &'a UsersPage, width: u16) -> Table<'a> {
    let signs = sign_set(state);
    let columns = table::choose(plans(width), width, page.list.widest[0], if width < 60 { 8 } else { 12 });
    let sorted = move |cell: Cell| table::title(signs, page.list.sort, belongs_to(cell));
    let len = page.list.rows.len();
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let Some((part, account)) = state.cluster.part().zip(page.list.rows.get(index)) else { return };
        match part.usage_of(account.side, &account.name) {
            Some(row) => cell(pen, account, row, what, slot),
            None if what == Cell::Name => pen.cell(slot, &[dim(format!("{}, gone just now", account.name))]),
            None => {}
        }
    });
    if len > 0 {
        table
    } else if page.list.total > 0 {
        let all = format!("{} users and groups", page.list.total);
        let words = format!("the filter {} hides {} of {all}", page.list.filter, page.list.total);
        table.or_says(vec![words, "esc clears it".to_owned()])
    } else {
        table.or_says(vec!["no user has a live application, and no limit names one".to_owned()])
    }
}

fn plans(width: u16) -> impl Iterator<Item = Vec<Col<Cell>>> {
    (0..5).map(move |step| {
        let mut columns = vec![left(Cell::Name, "NAME", 0), left(Cell::Full, "", 1)];
        columns.push(left(Cell::Kind, "KIND", 5));
        columns.push(right(Cell::Apps, "APPS", 7));
        if step < 4 {
            columns.push(right(Cell::Used(VCORE), "CPU", 6));
        }
        if step < 2 {
            columns.push(right(Cell::Used(MEMORY), "MEM", 6));
        }
        if step < 3 {
            columns.push(right(Cell::Limits, "LIMITS", 6));
        }
        if step < 1 {
            columns.push(Col { gap: 2, ..left(Cell::Meter, "", 8) });
        }
        let least = if step < 4 { 24 } else { 14 };
        let title = if step < 4 { "CLOSEST TO ITS LIMIT" } else { "CLOSEST" };
        columns.push(Col { gap: if step == 0 { 1 } else { 2 }, ..left(Cell::Tightest, title, least) }.up_to(width));
        columns
    })
}

fn belongs_to(cell: Cell) -> Option<UserColumn> {
    Some(match cell {
        Cell::Name => UserColumn::Name,
        Cell::Kind => UserColumn::Kind,
        Cell::Apps => UserColumn::Apps,
        Cell::Used(VCORE) => UserColumn::Cpu,
        Cell::Used(_) => UserColumn::Memory,
        Cell::Limits => UserColumn::Limits,
        Cell::Full | Cell::Meter | Cell::Tightest => return None,
    })
}

fn cell(pen: &mut Writer, account: &Account, row: &UsageRow, what: Cell, slot: Slot) {
    let signs = pen.signs();
    let root = row.queues.first();
    let tightest = || limits::tightest(row.limits(account.side));
    let pieces = match what {
        Cell::Name => {
            pen.name(slot.x, slot.width, &limits::name(account.side, &account.name), Role::Text);
            return;
        }
        Cell::Full => {
            let full = row.limits(account.side).any(|limit| limit.is_full());
            vec![piece(Role::Danger, if full { signs.limit } else { " " })]
        }
        Cell::Kind => vec![dim(limits::kind(account.side))],
        Cell::Apps => {
            let live = root.map_or(0, |root| root.apps);
            vec![plain(root.map_or(0, |root| root.running.len()).to_string()), dim(format!("/{live}"))]
        }
        Cell::Used(name) => vec![figure(root.map(|root| &root.allocated), name, signs)],
        Cell::Limits => match row.limits(account.side).count() {
            0 => vec![dim(signs.nothing)],
            count => vec![plain(count.to_string())],
        },
        Cell::Meter => tightest().map_or_else(Vec::new, |(_, part)| {
            Meter { used: part.used, base: Some(part.max), guaranteed: None }.pieces(slot.width, signs)
        }),
        Cell::Tightest => match tightest() {
            None => vec![dim("no limit")],
            Some((limit, part)) => closest(&limit, &part, usize::from(slot.width)),
        },
    };
    pen.cell(slot, &pieces);
}

/// The limit of which most is used, with its place as far as there is room.
fn closest(limit: &LimitUse, part: &Tightest, room: usize) -> Vec<Piece> {
    let role = if part.used >= part.max { Role::Danger } else { Role::Text };
    let with = |long: bool| vec![piece(role, part.words()), dim(format!(" in {}", limits::place(limit, long)))];
    let long = with(true);
    let forms = [long, with(false)];
    let fits = forms.into_iter().find(|form| pieces::width(form) <= room);
    fits.unwrap_or_else(|| vec![piece(role, part.words())])
}

fn figure(resource: Option<&Resource>, name: &str, signs: &Signs) -> Piece {
    match resource.map_or(0, |resource| resource.amount(name)) {
        0 => dim(signs.nothing),
        amount => plain(show_amount(name, amount)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelCell {
    Name,
    Full,
    Meter(&'static str),
    Usage(&'static str),
    Apps,
    From,
}

/// One user or group queue by queue as a list.
pub fn table_of_one<'a>(state: &'a State, page: &'a AccountPage, width: u16) -> Table<'a> {
    let columns = table::choose(level_plans(width), width, page.list.widest[0], if width < 60 { 12 } else { 16 });
    let len = page.list.rows.len();
    let right = width.saturating_sub(2);
    let table = table::new(
        columns,
        (&page.list.cursor, len),
        |_| table::Title::default(),
        move |pen, index, what, slot| {
            let Some((part, line)) = state.cluster.part().zip(page.list.rows.get(index)) else { return };
            if what == LevelCell::Name {
                return name(pen, line, slot);
            }
            match (&line.id, &page.row) {
                (LineId::Queue(queue), Some(row)) => {
                    if let Some(level) = row.at(queue) {
                        level_cell(pen, &page.account, level, what, slot);
                    }
                }
                // What an application waits for is reported across all columns.
                (LineId::App(id), _) if what == LevelCell::Full => {
                    let Some(app) = line.slot.and_then(|slot| part.app(slot)).filter(|app| app.id == *id) else {
                        return;
                    };
                    pen.pieces(slot.x, right.saturating_sub(slot.x), &waits(part, app, line));
                }
                _ => {}
            }
        },
    );
    if len > 0 {
        return table;
    }
    let words = match (&page.row, page.list.total) {
        (None, _) => format!("{} has no live application", limits::name(page.account.side, &page.account.name)),
        (_, total) => format!("the filter {} hides {}", page.list.filter, format::count(total as u64, "queue")),
    };
    table.or_says(vec![words])
}

fn level_plans(width: u16) -> impl Iterator<Item = Vec<Col<LevelCell>>> {
    let plans = [(10, 10, 24, 2), (6, 6, 16, 2), (6, 6, 8, 2), (6, 0, 8, 2), (0, 0, 8, 2), (0, 0, 0, 2), (0, 0, 0, 1)];
    plans.into_iter().map(move |(cpu, memory, from, usages)| {
        let mut columns = vec![left(LevelCell::Name, "QUEUE", 0), left(LevelCell::Full, "", 1)];
        for (name, meter, title) in [(VCORE, cpu, "CPU"), (MEMORY, memory, "MEM")].into_iter().take(usages) {
            if meter > 0 {
                columns.push(Col { gap: 1, ..left(LevelCell::Meter(name), title, meter) });
            }
            let own = match (meter > 0, name) {
                (true, _) => "used/limit ",
                (false, VCORE) => "CPU/limit ",
                (false, _) => "MEM/limit ",
            };
            columns.push(right(LevelCell::Usage(name), own, 11));
        }
        columns.push(right(LevelCell::Apps, "APPS  ", 8));
        if from > 0 {
            columns.push(Col { gap: 2, ..left(LevelCell::From, "FROM", from) }.up_to(width));
        }
        columns
    })
}

fn name(pen: &mut Writer, line: &AccountLine, slot: Slot) {
    let indent = (line.depth * 2).min(slot.width / 2);
    let role = if matches!(line.id, LineId::App(_)) { Role::Accent } else { Role::Text };
    pen.name(slot.x + indent, slot.width - indent, line.name(), role);
}

/// How many asks of an application wait, and for what.
fn waits(part: &PartitionView, app: &AppRow, line: &AccountLine) -> Vec<Piece> {
    let wanted = app.asks.values().find_map(|ask| limits::too_full(part, app, &ask.resource, false));
    let why = limits::held_back(part, app, false).or(wanted);
    let verb = if line.asks == 1 { "waits" } else { "wait" };
    let mut pieces = vec![piece(Role::StateWaiting, format!("{} {verb}", format::count(u64::from(line.asks), "ask")))];
    pieces.extend(why.map(|why| dim(format!(": {why}"))));
    pieces
}

fn level_cell(pen: &mut Writer, account: &Account, level: &QueueUsageRow, what: LevelCell, slot: Slot) {
    let signs = pen.signs();
    let limit = level.limit_use(account.side, &account.name);
    let max = |name: &str| limit.as_ref().and_then(|limit| limit.max()?.get(name));
    let pieces = match what {
        LevelCell::Name => Vec::new(),
        LevelCell::Full => {
            let full = limit.as_ref().is_some_and(LimitUse::is_full);
            vec![piece(Role::Danger, if full { signs.limit } else { " " })]
        }
        // Without a limit there is nothing to measure against.
        LevelCell::Meter(name) => match max(name) {
            None => Vec::new(),
            max => Meter { used: level.allocated.amount(name), base: max, guaranteed: None }.pieces(slot.width, signs),
        },
        LevelCell::Usage(name) => usage(level.allocated.amount(name), max(name), name, signs),
        LevelCell::Apps => {
            let max = limit.as_ref().and_then(LimitUse::max_running);
            let running = level.running.len() as u64;
            let full = max.is_some_and(|max| running >= max);
            let max = max.map_or_else(|| signs.nothing.to_owned(), |max| max.to_string());
            let role = if full { Role::Danger } else { Role::Text };
            let sign = piece(Role::Danger, if full { signs.limit } else { " " });
            vec![piece(role, running.to_string()), dim("/"), dim(format!("{max:>3}")), sign]
        }
        LevelCell::From => limit.as_ref().map_or_else(Vec::new, |limit| from(limit, signs)),
    };
    pen.cell(slot, &pieces);
}

/// What is used of a limit: `6/   6!`.
fn usage(used: i64, max: Option<i64>, name: &str, signs: &Signs) -> Vec<Piece> {
    let full = max.is_some_and(|max| used >= max);
    let shown = if used == 0 { dim(signs.nothing) } else { plain(show_amount(name, used)) };
    let max = max.map_or_else(|| signs.nothing.to_owned(), |max| show_amount(name, max));
    vec![
        if full { piece(Role::UsageFull, shown.text) } else { shown },
        dim("/"),
        dim(format!("{max:>4}")),
        piece(Role::Danger, if full { signs.limit } else { " " }),
    ]
}

/// Where a limit is written, what it is called, and what it says of other resources.
fn from(limit: &LimitUse, signs: &Signs) -> Vec<Piece> {
    let line = match limit.limit.at.line {
        0 => String::new(),
        line => format!("line {line}"),
    };
    let others = limits::others(limit, signs);
    let parts = [line, others, limit.limit.description.clone()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    vec![dim(parts.join(", "))]
}
