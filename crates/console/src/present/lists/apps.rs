//! Applications as a table, and the requests and allocations of one application.
//!
//! ```text
//!  APPLICATION     STATE        QUEUE               USER    PRI   PEND ALLOC     CPU     MEM   WAIT  WHY                   AGE▲
//! ▌etl-1           Running      tenant-a.etl        sue       5      2     6     6.0     12G    42s  user limit sue      3m 12s
//!
//!  ASK             PRI     CPU    MEM  OTHER   STATE        NODE       SINCE  WHY
//!  k1-7              5       1     2G          pending      –          3m 10s  queue root.tenants.tenant-a has cpu 0.5 left
//! ```
//!
//! On a narrow screen applications drop columns as in [`GIVE_WAY`]; requests: other resources, memory, priority, time,
//! CPU. The name, the state, and an application's queue remain; the second line counts hidden columns.

use std::sync::Arc;

use crate::present::arrange::{Space, arrange};
use crate::present::blocker;
use crate::present::format;
use crate::present::pieces::{Piece, Slot, dim, piece, plain, symbol_set};
use crate::present::subject::app_at;
use crate::present::table;
use crate::present::table::{Col, Table, Writer, left, right};
use crate::present::text;
use crate::present::unknown;
use crate::present::value::{Fields, Unit, Value};
use crate::present::words::below;
use crate::state::State;
use crate::state::column::AppColumn;
use crate::state::marks::{Facet, Mark, Marked};
use crate::state::page::AppsPage;
use crate::theme::{Role, Symbols};
use model::{AppState, MEMORY, Priority, Resource, Time, VCORE};
use view::units::show_amount;
use view::{AppRow, PartitionView};

/// The unit of a column.
pub const fn unit(column: AppColumn) -> Unit {
    match column {
        AppColumn::Submitted | AppColumn::Wait => Unit::Lasting,
        AppColumn::Priority | AppColumn::Pending | AppColumn::Allocations => Unit::Count,
        AppColumn::Cpu | AppColumn::AskedCpu => Unit::Vcore,
        AppColumn::Memory | AppColumn::AskedMemory => Unit::Bytes,
        _ => Unit::Words,
    }
}

/// Ages are at `now`.
pub fn value<'a>(part: Option<&PartitionView>, row: &'a AppRow, column: AppColumn, now: Time) -> Value<'a> {
    if part.is_some_and(|part| unknown::of_app(part, row, column).is_some()) {
        return Value::Unknown;
    }
    let in_use = |name: &str| Value::Metric(row.allocated.amount(name).saturating_add(row.placeholder.amount(name)));
    match column {
        AppColumn::Submitted => Value::lasting(now, Some(row.submitted)),
        AppColumn::Application => Value::text(row.id.as_str()),
        AppColumn::State => Value::text(row.state.name()),
        AppColumn::Queue => Value::text(row.queue.as_str()),
        AppColumn::User => Value::text(row.who.user.as_str()),
        AppColumn::Groups => Value::text(row.who.groups.join(",")),
        AppColumn::Priority if row.priority == Priority::MIN => Value::Nothing,
        AppColumn::Priority => Value::Metric(row.priority.0.into()),
        AppColumn::Pending => Value::Metric(row.pending_asks.into()),
        AppColumn::Allocations => Value::count(row.asks.len().saturating_sub(row.pending_asks as usize)),
        AppColumn::Cpu => in_use(VCORE),
        AppColumn::Memory => in_use(MEMORY),
        AppColumn::Other => Value::text(format::others(&row.allocated)),
        AppColumn::AskedCpu => Value::amount(&row.pending, VCORE),
        AppColumn::AskedMemory => Value::amount(&row.pending, MEMORY),
        AppColumn::Wait => Value::lasting(now, blocker::since(row)),
        AppColumn::Why => Value::text(part.and_then(|part| blocker::words(part, row)).unwrap_or_default()),
    }
}

/// The value, or the pending reason from its pods.
fn or_problem<'a>(state: &State, row: &AppRow, column: AppColumn, value: Value<'a>) -> Value<'a> {
    if column != AppColumn::Why || value != Value::Nothing {
        return value;
    }
    let kubernetes = state.cluster.view.kubernetes.as_ref();
    kubernetes.and_then(|all| all.problem_words(row)).map_or(Value::Nothing, Value::text)
}

/// The list as typed values.
pub fn fields<'a>(state: &'a State, page: &'a AppsPage) -> Fields<'a> {
    let part = state.cluster.part();
    let rows: Vec<Option<Arc<AppRow>>> =
        page.list.rows.iter().map(|line| part.and_then(|part| app_at(part, line))).collect();
    Fields::new(rows.len(), unit, move |row, column| {
        let Some(row) = rows[row].as_ref() else { return Value::Nothing };
        or_problem(state, row, column, value(part, row, column, state.cluster.at)).into_owned()
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Id,
    State,
    Queue,
    User,
    Priority,
    Pending,
    Allocations,
    Used(&'static str),
    Asked(&'static str),
    Age,
    Value(AppColumn),
    Changed,
}

/// The list of applications.
pub fn table<'a>(state: &'a State, page: &'a AppsPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let part = state.cluster.part();
    let leaf = page.scope.as_ref().and_then(|path| part?.queue_at(path)).is_some_and(|row| row.leaf);
    let space = Space { widest: page.list.widest[0] + job_names(state, page), least: if width < 60 { 12 } else { 20 } };
    let others = part.is_some_and(has_others);
    let columns =
        arrange(state, width, app_plans((!leaf, others), page.list.widest), |column| own(column, page), space);
    let sorted = move |cell: Cell| table::title(symbols, page.list.sort, belongs_to(cell));
    let len = page.list.rows.len();
    let empty = if len == 0 { no_apps(state, page) } else { Vec::new() };
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let Some((part, line)) = part.zip(page.list.rows.get(index)) else { return };
        match app_at(part, line) {
            Some(row) => app_cell(pen, state, page, &row, what, slot),
            None if what == Cell::Id => pen.cell(slot, &[dim("just ended")]),
            None => {}
        }
    });
    table.or_reported(empty)
}

fn no_apps(state: &State, page: &AppsPage) -> Vec<String> {
    let place = page.scope.as_ref().map_or_else(|| "in this partition".to_owned(), |path| format!("in {path}"));
    let total = page.list.total;
    if page.list.awaited {
        return vec!["loading".to_owned()];
    }
    if total == 0 && state.cluster.unread.apps {
        return vec![state.cluster.unread.no_apps()];
    }
    if total == 0 && page.draining {
        return vec![
            "No applications in draining queues".to_owned(),
            "an empty draining queue is removed automatically".to_owned(),
        ];
    }
    if total > 0 {
        let all = format::count(total as u64, "application");
        return vec![format!("the filter {} hides {total} of {all}", page.list.filter), "esc clears it".to_owned()];
    }
    if page.ended {
        return vec![format!("no active or ended applications {place}")];
    }
    vec![format!("no applications {place}"), "e shows ended applications".to_owned()]
}

const GAP: u16 = 2;
const LONGEST_NAME: u16 = 40;

fn job_names(state: &State, page: &AppsPage) -> u16 {
    let rows = page.list.rows.iter().skip(page.list.cursor.top).take(usize::from(state.size.height));
    let names = rows.filter_map(|line| state.job_names.of(line.id()));
    let longest = names.map(|name| text::width(&text::escape(name))).max().unwrap_or(0);
    if longest == 0 { 0 } else { GAP + u16::try_from(longest).unwrap_or(LONGEST_NAME).min(LONGEST_NAME) }
}

pub(super) fn has_others(part: &PartitionView) -> bool {
    part.capacity.iter().any(|(name, _)| name != VCORE && name != MEMORY)
}

fn app_plans((queue, others): (bool, bool), widest: [u16; 3]) -> impl Iterator<Item = Vec<Col<Cell>>> {
    (0..=GIVE_WAY.len()).map(move |step| {
        let gone = &GIVE_WAY[..step];
        let all = ORDER.into_iter().filter(|column| !gone.contains(column));
        let all = all.filter(|column| queue || *column != AppColumn::Queue);
        let all = all.filter(|column| others || *column != AppColumn::Other);
        let mut columns = vec![left(Cell::Id, "APPLICATION", 0)];
        columns.extend(all.map(|column| shown(column, widest, step)));
        columns.push(left(Cell::Changed, "", 1));
        columns
    })
}

const ORDER: [AppColumn; 14] = [
    AppColumn::State,
    AppColumn::Queue,
    AppColumn::User,
    AppColumn::Priority,
    AppColumn::Pending,
    AppColumn::Allocations,
    AppColumn::Cpu,
    AppColumn::AskedCpu,
    AppColumn::Memory,
    AppColumn::AskedMemory,
    AppColumn::Other,
    AppColumn::Wait,
    AppColumn::Why,
    AppColumn::Submitted,
];

const GIVE_WAY: [AppColumn; 11] = [
    AppColumn::Other,
    AppColumn::AskedMemory,
    AppColumn::AskedCpu,
    AppColumn::Allocations,
    AppColumn::Priority,
    AppColumn::Memory,
    AppColumn::Cpu,
    AppColumn::Pending,
    AppColumn::User,
    AppColumn::Wait,
    AppColumn::Why,
];

fn shown(column: AppColumn, [_, path, user]: [u16; 3], step: usize) -> Col<Cell> {
    match column {
        AppColumn::Submitted => right(Cell::Age, "AGE", 7),
        AppColumn::Application => left(Cell::Id, "APPLICATION", 20),
        AppColumn::State => left(Cell::State, "STATE", 10),
        AppColumn::Queue => {
            let most = if step < 4 { 34 } else { 20 - 2 * u16::try_from(step).unwrap_or(0).saturating_sub(4).min(5) };
            left(Cell::Queue, "QUEUE", path.clamp(6, most)).up_to(path)
        }
        AppColumn::User => left(Cell::User, "USER", user.clamp(5, 10)).up_to(user.min(24)),
        AppColumn::Groups => left(Cell::Value(column), "GROUPS", 16),
        AppColumn::Priority => right(Cell::Priority, "PRI", 6),
        AppColumn::Pending => right(Cell::Pending, "PEND", 5),
        AppColumn::Allocations => right(Cell::Allocations, "ALLOC", 5),
        AppColumn::Cpu => right(Cell::Used(VCORE), "CPU", 6),
        AppColumn::Memory => right(Cell::Used(MEMORY), "MEM", 6),
        AppColumn::Other => Col { gap: 2, ..left(Cell::Value(column), "OTHER", 8) }.up_to(16),
        AppColumn::AskedCpu => right(Cell::Asked(VCORE), "pend", 6),
        AppColumn::AskedMemory => right(Cell::Asked(MEMORY), "pend", 6),
        AppColumn::Wait => right(Cell::Value(column), "WAIT", 7),
        AppColumn::Why => Col { gap: 2, ..left(Cell::Value(column), "WHY", if step < 7 { 18 } else { 14 }) }.up_to(36),
    }
}

fn own(column: AppColumn, page: &AppsPage) -> Option<Col<Cell>> {
    let title = match column {
        AppColumn::AskedCpu => Some("CPU pend"),
        AppColumn::AskedMemory => Some("MEM pend"),
        _ => None,
    };
    let col = shown(column, page.list.widest, 0);
    Some(title.map_or(col, |title| Col { title, width: 9, ..col }))
}

fn belongs_to(cell: Cell) -> Option<AppColumn> {
    Some(match cell {
        Cell::Id => AppColumn::Application,
        Cell::State => AppColumn::State,
        Cell::Queue => AppColumn::Queue,
        Cell::User => AppColumn::User,
        Cell::Priority => AppColumn::Priority,
        Cell::Pending => AppColumn::Pending,
        Cell::Allocations => AppColumn::Allocations,
        Cell::Used(VCORE) => AppColumn::Cpu,
        Cell::Used(_) => AppColumn::Memory,
        Cell::Asked(VCORE) => AppColumn::AskedCpu,
        Cell::Asked(_) => AppColumn::AskedMemory,
        Cell::Age => AppColumn::Submitted,
        Cell::Value(column) => column,
        Cell::Changed => return None,
    })
}

pub(super) fn lifted(mark: Mark, facet: Facet, now: std::time::Duration, pieces: Vec<Piece>) -> Vec<Piece> {
    if !mark.is_active(facet, now) {
        return pieces;
    }
    let lift = |part: Piece| if part.role == Role::Text { piece(Role::Changed, part.text) } else { part };
    pieces.into_iter().map(lift).collect()
}

fn app_cell(pen: &mut Writer, state: &State, page: &AppsPage, row: &AppRow, what: Cell, slot: Slot) {
    let symbols = pen.symbols();
    let mark = state.marks.of(&Marked::App(row.id.clone()));
    let ended = row.state.is_ended();
    let lift = |facet, pieces| lifted(mark, facet, state.now, pieces);
    let lost = belongs_to(what).zip(state.cluster.part());
    if lost.is_some_and(|(column, part)| unknown::of_app(part, row, column).is_some()) {
        return pen.cell(slot, &[unknown::cell(symbols)]);
    }
    match what {
        Cell::Id => {
            let role = if ended { Role::Dim } else { Role::Text };
            let used = pen.name(slot.x, slot.width, row.id.as_str(), role) + GAP;
            if let Some(name) = state.job_names.of(&row.id) {
                pen.text(slot.x + used, slot.width.saturating_sub(used), name, role);
            }
        }
        Cell::State => {
            let shown = state
                .orders
                .under_way(&row.id)
                .map_or_else(|| state_piece(row.state), |doing| piece(Role::Danger, doing));
            pen.cell(slot, &lift(Facet::State, vec![shown]));
        }
        Cell::Queue => {
            let path = below(page.scope.as_ref(), row);
            pen.path(slot.x, slot.width, path, if ended { Role::Dim } else { Role::Text });
        }
        Cell::User => {
            pen.name(slot.x, slot.width, &row.who.user, Role::Text);
        }
        Cell::Priority => {
            let number = format::priority(row.priority).map_or_else(|| dim(symbols.nothing), plain);
            pen.cell(slot, &lift(Facet::Priority, vec![number]));
        }
        Cell::Pending => pen.cell(slot, &lift(Facet::Pending, vec![count(u64::from(row.pending_asks), symbols)])),
        Cell::Allocations => {
            let allocated = row.asks.len().saturating_sub(row.pending_asks as usize);
            pen.cell(slot, &lift(Facet::Pending, vec![count(allocated as u64, symbols)]));
        }
        Cell::Used(name) => {
            let facet = if name == VCORE { Facet::Cpu } else { Facet::Memory };
            pen.cell(slot, &lift(facet, vec![in_use(row, name, symbols)]));
        }
        Cell::Asked(name) => pen.cell(slot, &[metric(&row.pending, name, symbols)]),
        Cell::Value(column) => {
            let reported = or_problem(state, row, column, value(state.cluster.part(), row, column, state.cluster.at));
            let text = reported.shown(unit(column), symbols);
            let role = match column {
                AppColumn::Why => Role::StateWaiting,
                _ => Role::Dim,
            };
            pen.cell(slot, &[if text == symbols.nothing { dim(text) } else { piece(role, text) }]);
        }
        Cell::Age => pen.cell(slot, &[dim(format::duration(state.cluster.at.since(row.submitted)))]),
        Cell::Changed => {
            if mark.any(state.now) {
                pen.text(slot.x, 1, symbols.changed, Role::Accent);
            }
        }
    }
}

pub(super) fn count(number: u64, symbols: &Symbols) -> Piece {
    if number == 0 { dim(symbols.nothing) } else { plain(show_amount("", i64::try_from(number).unwrap_or(i64::MAX))) }
}

/// Quantities except CPU and memory, or the symbol for none.
pub fn others(resource: &Resource, symbols: &Symbols) -> Piece {
    match format::others(resource) {
        none if none.is_empty() => dim(symbols.nothing),
        others => plain(others),
    }
}

pub(super) fn metric(resource: &Resource, name: &str, symbols: &Symbols) -> Piece {
    match resource.amount(name) {
        0 => dim(symbols.nothing),
        amount => plain(show_amount(name, amount)),
    }
}

pub(super) fn in_use(row: &AppRow, name: &str, symbols: &Symbols) -> Piece {
    match row.allocated.amount(name).saturating_add(row.placeholder.amount(name)) {
        0 => dim(symbols.nothing),
        amount => plain(show_amount(name, amount)),
    }
}

/// The state with its role.
pub fn state_piece(state: AppState) -> Piece {
    let role = match state {
        AppState::Running | AppState::Starting => Role::StateActive,
        AppState::New | AppState::Accepted | AppState::Resuming => Role::StateWaiting,
        AppState::Completing => Role::Text,
        AppState::Completed | AppState::Expired => Role::Dim,
        AppState::Failing | AppState::Failed | AppState::Rejected => Role::StateStopped,
    };
    piece(role, state.name())
}
