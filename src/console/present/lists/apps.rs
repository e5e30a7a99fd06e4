//! Applications as a table, and the asks and allocations of one of them.
//!
//! ```text
//!  APPLICATION     STATE        QUEUE               USER    PRI   PEND ALLOC     CPU asked      MEM asked     AGE▲
//! ▌etl-1           Running      tenant-a.etl        sue       5      2     6     6.0     2      12G    4G   3m12s
//!
//!  ASK             PRI     CPU    MEM  OTHER   STATE        NODE       SINCE  WHY
//!  k1-7              5       1     2G          pending      –          3m10s  queue root.tenants.tenant-a has cpu 0.5 left
//! ```
//!
//! When narrow there give way, of applications: what is asked for, the user, the queue, allocations, memory, priority, cpu; of asks:
//! other resources, memory, priority, the time, cpu. The name, the state and the reason stay.

use crate::console::present::format;
use crate::console::present::pieces::{Piece, Slot, dim, piece, plain, sign_set};
use crate::console::present::subject::app_at;
use crate::console::present::table;
use crate::console::present::table::{Col, Table, Writer, left, right};
use crate::console::present::words::below;
use crate::console::state::State;
use crate::console::state::column::AppColumn;
use crate::console::state::marks::{Facet, Mark, Marked};
use crate::console::state::page::AppsPage;
use crate::console::theme::{Role, Signs};
use crate::model::quantity::show_amount;
use crate::model::{AppState, MEMORY, Resource, VCORE};
use crate::view::AppRow;

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
    Changed,
}

/// The list of applications.
pub fn table<'a>(state: &'a State, page: &'a AppsPage, width: u16) -> Table<'a> {
    let signs = sign_set(state);
    let part = state.cluster.part();
    let leaf = page.scope.as_ref().and_then(|path| part?.queue_at(path)).is_some_and(|row| row.leaf);
    let columns =
        table::choose(app_plans(!leaf, page.list.widest), width, page.list.widest[0], if width < 60 { 12 } else { 20 });
    let sorted = move |cell: Cell| table::title(signs, page.list.sort, belongs_to(cell));
    let len = page.list.rows.len();
    let empty = if len == 0 { no_apps(page) } else { Vec::new() };
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let Some((part, line)) = part.zip(page.list.rows.get(index)) else { return };
        match app_at(part, line) {
            Some(row) => app_cell(pen, state, page, &row, what, slot),
            None if what == Cell::Id => pen.cell(slot, &[dim("ended just now")]),
            None => {}
        }
    });
    table.or_says(empty)
}

fn no_apps(page: &AppsPage) -> Vec<String> {
    let place = page.scope.as_ref().map_or_else(|| "in this partition".to_owned(), |path| format!("in {path}"));
    let total = page.list.total;
    if page.list.awaited {
        return vec!["the list is being made".to_owned()];
    }
    if total == 0 && page.draining {
        return vec!["no application holds a queue that drains".to_owned(), "an empty one goes by itself".to_owned()];
    }
    if total > 0 {
        let all = format::count(total as u64, "application");
        return vec![format!("the filter {} hides {total} of {all}", page.list.filter), "esc clears it".to_owned()];
    }
    if page.ended {
        return vec![format!("no applications {place}, nor ended ones")];
    }
    vec![format!("no applications {place}"), "e shows those that ended".to_owned()]
}

fn app_plans(queue: bool, [_, path, user]: [u16; 3]) -> impl Iterator<Item = Vec<Col<Cell>>> {
    (0..9).map(move |step| {
        let mut columns = vec![left(Cell::Id, "APPLICATION", 0)];
        columns.push(left(Cell::State, "STATE", 10));
        if queue && step < 3 {
            let least = if step < 1 { 34 } else { 20 };
            columns.push(left(Cell::Queue, "QUEUE", path.clamp(6, least)).up_to(path));
        }
        if step < 4 {
            columns.push(left(Cell::User, "USER", user.clamp(5, 10)).up_to(user.min(24)));
        }
        if step < 7 {
            columns.push(right(Cell::Priority, "PRI", 6));
        }
        columns.push(right(Cell::Pending, "PEND", 5));
        if step < 5 {
            columns.push(right(Cell::Allocations, "ALLOC", 5));
        }
        if step < 8 {
            columns.push(right(Cell::Used(VCORE), "CPU", 6));
        }
        if step < 2 {
            columns.push(right(Cell::Asked(VCORE), "asked", 6));
        }
        if step < 6 {
            columns.push(right(Cell::Used(MEMORY), "MEM", 6));
        }
        if step < 2 {
            columns.push(right(Cell::Asked(MEMORY), "asked", 6));
        }
        columns.push(right(Cell::Age, "AGE", 7));
        columns.push(left(Cell::Changed, "", 1));
        columns
    })
}

fn belongs_to(cell: Cell) -> Option<AppColumn> {
    Some(match cell {
        Cell::Id => AppColumn::Application,
        Cell::State => AppColumn::State,
        Cell::Queue => AppColumn::Queue,
        Cell::User => AppColumn::User,
        Cell::Priority => AppColumn::Priority,
        Cell::Pending => AppColumn::Pending,
        Cell::Used(VCORE) => AppColumn::Cpu,
        Cell::Used(_) => AppColumn::Memory,
        Cell::Age => AppColumn::Submitted,
        Cell::Allocations | Cell::Asked(_) | Cell::Changed => return None,
    })
}

pub(super) fn lifted(mark: Mark, facet: Facet, now: std::time::Duration, pieces: Vec<Piece>) -> Vec<Piece> {
    if !mark.holds(facet, now) {
        return pieces;
    }
    let lift = |part: Piece| if part.role == Role::Text { piece(Role::Changed, part.text) } else { part };
    pieces.into_iter().map(lift).collect()
}

fn app_cell(pen: &mut Writer, state: &State, page: &AppsPage, row: &AppRow, what: Cell, slot: Slot) {
    let signs = pen.signs();
    let mark = state.marks.of(&Marked::App(row.id.clone()));
    let ended = row.state.is_ended();
    let lift = |facet, pieces| lifted(mark, facet, state.now, pieces);
    match what {
        Cell::Id => {
            let role = if ended { Role::Dim } else { Role::Text };
            pen.name(slot.x, slot.width, row.id.as_str(), role);
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
            let number = format::priority(row.priority).map_or_else(|| dim(signs.nothing), plain);
            pen.cell(slot, &lift(Facet::Priority, vec![number]));
        }
        Cell::Pending => pen.cell(slot, &lift(Facet::Pending, vec![count(u64::from(row.pending_asks), signs)])),
        Cell::Allocations => {
            let allocated = row.asks.len().saturating_sub(row.pending_asks as usize);
            pen.cell(slot, &lift(Facet::Pending, vec![count(allocated as u64, signs)]));
        }
        Cell::Used(name) => {
            let facet = if name == VCORE { Facet::Cpu } else { Facet::Memory };
            pen.cell(slot, &lift(facet, vec![held(row, name, signs)]));
        }
        Cell::Asked(name) => pen.cell(slot, &[figure(&row.pending, name, signs)]),
        Cell::Age => pen.cell(slot, &[dim(format::duration(state.cluster.at.since(row.submitted)))]),
        Cell::Changed => {
            if mark.any(state.now) {
                pen.text(slot.x, 1, signs.changed, Role::Accent);
            }
        }
    }
}

pub(super) fn count(number: u64, signs: &Signs) -> Piece {
    if number == 0 { dim(signs.nothing) } else { plain(show_amount("", i64::try_from(number).unwrap_or(i64::MAX))) }
}

/// All amounts but cpu and memory, or the sign for nothing.
pub fn others(resource: &Resource, signs: &Signs) -> Piece {
    match format::others(resource) {
        none if none.is_empty() => dim(signs.nothing),
        others => plain(others),
    }
}

pub(super) fn figure(resource: &Resource, name: &str, signs: &Signs) -> Piece {
    match resource.amount(name) {
        0 => dim(signs.nothing),
        amount => plain(show_amount(name, amount)),
    }
}

/// What an application holds, placeholders too.
pub(super) fn held(row: &AppRow, name: &str, signs: &Signs) -> Piece {
    match row.allocated.amount(name).saturating_add(row.placeholder.amount(name)) {
        0 => dim(signs.nothing),
        amount => plain(show_amount(name, amount)),
    }
}

/// The state of an application in its role.
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
