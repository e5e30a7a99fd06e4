//! Users and groups as a table.
//!
//! ```text
//!  NAME▲            KIND    APPS     CPU    MEM  LIMITS  CLOSEST TO ITS LIMIT
//! ▌sue            ! user     1/1       6    12G       2  ▰▰▰▰▰▰▰▰ cpu 6 of 6 in root.tenants.tenant-a, queues.yaml:31
//! ```
//!
//! The limits of a user include those of the groups that count the user's applications. On a narrow screen these are
//! dropped in order: other resources, the bar, memory, the number of limits, CPU.

use std::sync::Arc;

use crate::present::arrange::{Space, arrange};
use crate::present::format;
use crate::present::limits;
use crate::present::limits::Tightest;
use crate::present::lists::apps::has_others;
use crate::present::meter::Meter;
use crate::present::pieces;
use crate::present::pieces::{Piece, Slot, dim, piece, plain, symbol_set};
use crate::present::place::Source;
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::trend_cells;
use crate::present::value::{Fields, Unit, Value};
use crate::state::State;
use crate::state::column::UserColumn;
use crate::state::page::{Account, UsersPage};
use crate::theme::{Role, Symbols};
use model::{MEMORY, Resource, VCORE};
use view::trends::Subject;
use view::units::show_amount;
use view::{LimitUse, PartitionView, Side, UsageRow};

/// The unit of a column.
pub const fn unit(column: UserColumn) -> Unit {
    match column {
        UserColumn::Closest => Unit::Share,
        UserColumn::Name | UserColumn::Kind | UserColumn::Other | UserColumn::Trend => Unit::Words,
        UserColumn::Apps | UserColumn::Live | UserColumn::Limits => Unit::Count,
        UserColumn::Cpu => Unit::Vcore,
        UserColumn::Memory => Unit::Bytes,
    }
}

/// `groups` count the user's applications.
pub fn value<'a>(
    part: &PartitionView,
    (side, row): (Side, &'a UsageRow),
    groups: &[Arc<str>],
    column: UserColumn,
) -> Value<'a> {
    let root = row.queues.first();
    let used = |name: &str| Value::Metric(root.map_or(0, |root| root.allocated.amount(name)));
    match column {
        UserColumn::Closest => match limits::tightest(limits::counting(part, (side, row), groups).into_iter()) {
            None => Value::Nothing,
            Some((_, part)) => Value::Metric(part.share()),
        },
        UserColumn::Name => Value::text(&*row.name),
        UserColumn::Kind => Value::text(limits::kind(side)),
        UserColumn::Apps => Value::count(root.map_or(0, |root| root.running.len())),
        UserColumn::Live => Value::count(root.map_or(0, |root| root.apps)),
        UserColumn::Cpu => used(VCORE),
        UserColumn::Memory => used(MEMORY),
        UserColumn::Other => Value::text(root.map_or_else(String::new, |root| format::others(&root.allocated))),
        UserColumn::Limits => Value::count(limits::counting(part, (side, row), groups).len()),
        // The trend is not in the view.
        UserColumn::Trend => Value::Nothing,
    }
}

/// Groups are not measured.
fn trend(state: &State, account: &Account, symbols: &Symbols) -> String {
    match account.side {
        Side::User => trend_cells::cells(state, &Subject::User(Arc::clone(&account.name)), symbols),
        Side::Group => String::new(),
    }
}

/// The list as typed values.
pub fn fields<'a>(state: &'a State, page: &'a UsersPage) -> Fields<'a> {
    Fields::new(page.list.rows.len(), unit, move |row, column| {
        let Some((part, account)) = state.cluster.part().zip(page.list.rows.get(row)) else { return Value::Nothing };
        let usage = part.usage_of(account.side, &account.name);
        usage.map_or(Value::Nothing, |row| match column {
            UserColumn::Trend => Value::text(trend(state, account, symbol_set(state))),
            column => value(part, (account.side, row), page.groups_of(account), column),
        })
    })
}

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
    Value(UserColumn),
}

/// The list of users and groups.
pub fn table<'a>(state: &'a State, page: &'a UsersPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let space = Space { widest: page.list.widest[0], least: if width < 60 { 8 } else { 12 } };
    let others = state.cluster.part().is_some_and(has_others);
    let columns = arrange(state, width, plans(width, others), |column| Some(own(column)), space);
    let sorted = move |cell: Cell| table::title(symbols, page.list.sort, belongs_to(cell));
    let len = page.list.rows.len();
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let Some((part, account)) = state.cluster.part().zip(page.list.rows.get(index)) else { return };
        match part.usage_of(account.side, &account.name) {
            Some(row) => cell(pen, (state, part, page), account, row, what, slot),
            None if what == Cell::Name => pen.cell(slot, &[dim(format!("{}, just removed", account.name))]),
            None => {}
        }
    });
    if len > 0 {
        table
    } else if page.list.total > 0 {
        let all = format!("{} users and groups", page.list.total);
        let words = format!("the filter {} hides {} of {all}", page.list.filter, page.list.total);
        table.or_reported(vec![words, "esc clears it".to_owned()])
    } else if state.cluster.unread.users {
        table.or_reported(vec![state.cluster.unread.no_users()])
    } else {
        table.or_reported(vec!["no users with active applications or limits".to_owned()])
    }
}

fn plans(width: u16, others: bool) -> impl Iterator<Item = Vec<Col<Cell>>> {
    (0..7).map(move |step| {
        let mut columns = vec![left(Cell::Name, "NAME", 0), left(Cell::Full, "", 1)];
        columns.push(left(Cell::Kind, "KIND", 5));
        columns.push(right(Cell::Apps, "APPS", 7));
        if step < 6 {
            columns.push(right(Cell::Used(VCORE), "CPU", 6));
        }
        if step < 4 {
            columns.push(right(Cell::Used(MEMORY), "MEM", 6));
        }
        if others && step < 1 {
            columns.push(Col { gap: 2, ..left(Cell::Value(UserColumn::Other), "OTHER", 10) }.up_to(20));
        }
        if step < 5 {
            columns.push(right(Cell::Limits, "LIMITS", 6));
        }
        if step < 3 {
            columns.push(Col { gap: 2, ..left(Cell::Meter, "", if step < 2 { 20 } else { 8 }) }.as_bar());
        }
        let least = if step < 6 { 24 } else { 14 };
        let title = if step < 6 { "CLOSEST TO ITS LIMIT" } else { "CLOSEST" };
        let gap = if step < 3 { 1 } else { 2 };
        let least = if step < 2 { 52 } else { least };
        columns.push(Col { gap, ..left(Cell::Tightest, title, least) }.up_to(width));
        columns
    })
}

fn own(column: UserColumn) -> Col<Cell> {
    match column {
        UserColumn::Closest => Col { gap: 2, ..left(Cell::Tightest, "CLOSEST TO ITS LIMIT", 24) }.up_to(120),
        UserColumn::Name => left(Cell::Name, "NAME", 12),
        UserColumn::Kind => left(Cell::Kind, "KIND", 5),
        UserColumn::Apps => right(Cell::Apps, "APPS", 7),
        UserColumn::Live => right(Cell::Value(column), "LIVE", 6),
        UserColumn::Cpu => right(Cell::Used(VCORE), "CPU", 6),
        UserColumn::Memory => right(Cell::Used(MEMORY), "MEM", 6),
        UserColumn::Other => Col { gap: 2, ..left(Cell::Value(column), "OTHER", 10) }.up_to(20),
        UserColumn::Trend => left(Cell::Value(column), "LAST 1 h", trend_cells::CELLS),
        UserColumn::Limits => right(Cell::Limits, "LIMITS", 6),
    }
}

fn belongs_to(cell: Cell) -> Option<UserColumn> {
    Some(match cell {
        Cell::Name => UserColumn::Name,
        Cell::Kind => UserColumn::Kind,
        Cell::Apps => UserColumn::Apps,
        Cell::Used(VCORE) => UserColumn::Cpu,
        Cell::Used(_) => UserColumn::Memory,
        Cell::Limits => UserColumn::Limits,
        Cell::Tightest => UserColumn::Closest,
        Cell::Value(column) => column,
        Cell::Full | Cell::Meter => return None,
    })
}

fn cell(
    pen: &mut Writer,
    (state, part, page): (&State, &PartitionView, &UsersPage),
    account: &Account,
    row: &UsageRow,
    what: Cell,
    slot: Slot,
) {
    let symbols = pen.symbols();
    let root = row.queues.first();
    let groups = page.groups_of(account);
    let counting = || limits::counting(part, (account.side, row), groups);
    let tightest = || limits::tightest(counting().into_iter());
    let pieces = match what {
        Cell::Name => {
            pen.name(slot.x, slot.width, &limits::name(account.side, &account.name), Role::Text);
            return;
        }
        Cell::Full => {
            let full = counting().iter().any(LimitUse::is_full);
            vec![piece(Role::Danger, if full { symbols.limit } else { " " })]
        }
        Cell::Kind => vec![dim(limits::kind(account.side))],
        Cell::Apps => {
            let live = root.map_or(0, |root| root.apps);
            vec![plain(root.map_or(0, |root| root.running.len()).to_string()), dim(format!("/{live}"))]
        }
        Cell::Used(name) => vec![metric(root.map(|root| &root.allocated), name, symbols)],
        Cell::Limits => match counting().len() {
            0 => vec![dim(symbols.nothing)],
            count => vec![plain(count.to_string())],
        },
        Cell::Meter => tightest().map_or_else(Vec::new, |(_, part)| {
            Meter { used: part.used, base: Some(part.max), guaranteed: None }.pieces(slot.width, symbols)
        }),
        Cell::Tightest => match tightest() {
            None => vec![dim("no limit")],
            Some((limit, part)) => closest(Source::of(state), (account, &limit, &part), usize::from(slot.width)),
        },
        Cell::Value(UserColumn::Trend) => vec![piece(Role::Accent, trend(state, account, symbols))],
        Cell::Value(column) => {
            vec![dim(value(part, (account.side, row), groups, column).shown(unit(column), symbols))]
        }
    };
    pen.cell(slot, &pieces);
}

/// The tightest limit, with a group's name, and the location if it fits; `o` opens it.
fn closest(source: Source<'_>, (account, limit, part): (&Account, &LimitUse, &Tightest), space: usize) -> Vec<Piece> {
    let role = if part.used >= part.max { Role::Danger } else { Role::Text };
    let owner = if limit.side == account.side { String::new() } else { format!(" of {}", limits::owner(limit, false)) };
    let with = |source| vec![piece(role, part.words()), dim(format!("{owner} in {}", limits::place(limit, source)))];
    let path = vec![piece(role, part.words()), dim(format!("{owner} in {}", limit.queue))];
    let forms = [with(Some(source)), path, with(None)];
    let fits = forms.into_iter().find(|form| pieces::width(form) <= space);
    fits.unwrap_or_else(|| vec![piece(role, part.words()), dim(owner)])
}

fn metric(resource: Option<&Resource>, name: &str, symbols: &Symbols) -> Piece {
    match resource.map_or(0, |resource| resource.amount(name)) {
        0 => dim(symbols.nothing),
        amount => plain(show_amount(name, amount)),
    }
}
