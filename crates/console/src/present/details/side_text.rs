//! The contents of the subject below full-height details.

use crate::present::blocker;
use crate::present::format;
use crate::present::lists::apps::state_piece;
use crate::present::lists::asks;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::state::State;
use crate::state::page::{Account, Subject};
use crate::theme::Role;
use model::{NodeId, QueuePath, Resource};
use view::{AppRow, AskState, PartitionView};

struct Content {
    count: usize,
    more: bool,
    lines: Lines,
}

/// At most `space` lines below the details.
pub fn lines(state: &State, subject: &Subject, width: usize, space: usize) -> Lines {
    let Some(part) = state.cluster.part().filter(|_| space >= 4) else { return Lines::new() };
    let most = space - 2;
    let (title, content) = match subject {
        Subject::Queue(path) => ("applications", in_queue(part, path, width, most)),
        Subject::Node(id) => ("allocations", on_node(part, id, width, most)),
        Subject::Account(account) => ("applications", of_account(part, account, width, most)),
        Subject::App(row) => ("requests", of_app(part, row, width, most)),
        _ => return Lines::new(),
    };
    let Content { count, more, lines: mut rows } = content;
    if count == 0 {
        return Lines::new();
    }
    let counted = if more { format!("at least {count}") } else { count.to_string() };
    let mut lines: Lines = vec![Vec::new(), vec![dim(format!("{title}, {counted}"))]];
    if count > most || more {
        rows.truncate(most - 1);
        let hidden = count - rows.len();
        rows.push(vec![dim(if more { format!("and at least {hidden} more") } else { format!("and {hidden} more") })]);
    }
    lines.extend(rows);
    lines
}

fn padded(text: &str, width: usize) -> String {
    let cut = text::cut_middle(text, width.saturating_sub(1), "…").into_owned();
    let pad = width.saturating_sub(text::width(&cut));
    format!("{cut}{}", " ".repeat(pad))
}

/// The columns of two names in a space: as wide as the longest ones, otherwise both are cut.
fn columns(longest: [usize; 2], space: usize) -> [usize; 2] {
    let [first, second] = longest.map(|longest| longest + 1);
    let first = first.min(space.saturating_sub(second).max(space / 2));
    [first, second.min(space - first)]
}

fn longest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(text::width).max().unwrap_or(0)
}

const USER_AND_STATE: usize = 21;
/// The columns of quantities, and the least ones of a reason.
const AMOUNTS: usize = 18;

fn app(part: &PartitionView, row: &AppRow, width: usize, id: usize) -> Vec<Piece> {
    let mut line = vec![plain(padded(row.id.as_str(), id)), dim(padded(&row.who.user, 10))];
    let state = state_piece(row.state);
    line.push(piece(state.role, padded(&state.text, 11)));
    let space = width.saturating_sub(id + USER_AND_STATE);
    match blocker::words(part, row) {
        Some(why) => line.push(piece(Role::StateWaiting, text::cut(&why, space, "…").into_owned())),
        None => line.push(dim(amounts(&row.allocated, space))),
    }
    line
}

fn amounts(resource: &Resource, space: usize) -> String {
    text::cut(&format::resource(resource), space, "…").into_owned()
}

/// Sorts pending first, then by name. Formats only the shown ones.
fn ordered(part: &PartitionView, mut apps: Vec<&AppRow>, width: usize, most: usize) -> Content {
    let more = apps.len() > MOST_EXAMINED;
    apps.truncate(MOST_EXAMINED);
    let waits = |row: &AppRow| blocker::first_pending(row).is_none();
    let order = |one: &&AppRow, other: &&AppRow| {
        waits(one).cmp(&waits(other)).then_with(|| text::natural(one.id.as_str(), other.id.as_str()))
    };
    let count = apps.len();
    if count > most {
        apps.select_nth_unstable_by(most, order);
        apps.truncate(most);
    }
    apps.sort_by(order);
    let id = longest(apps.iter().map(|row| row.id.as_str())) + 1;
    let id = id.max(18).min(width.saturating_sub(USER_AND_STATE + AMOUNTS));
    Content { count, more, lines: apps.into_iter().map(|row| app(part, row, width, id)).collect() }
}

const MOST_EXAMINED: usize = 2_000;

fn in_queue(part: &PartitionView, path: &QueuePath, width: usize, most: usize) -> Content {
    let mut stack: Vec<_> = part.queue_at(path).into_iter().map(|queue| &**queue).collect();
    let mut apps: Vec<&AppRow> = Vec::new();
    while let Some(row) = stack.pop().filter(|_| apps.len() <= MOST_EXAMINED) {
        apps.extend(row.apps.iter().filter_map(|slot| part.app(*slot)).map(AsRef::as_ref));
        stack.extend(row.children.iter().filter_map(|slot| part.queue(*slot)).map(AsRef::as_ref));
    }
    ordered(part, apps, width, most)
}

fn of_account(part: &PartitionView, account: &Account, width: usize, most: usize) -> Content {
    let counts = |row: &&AppRow| PartitionView::counts_under(row, account.side, &account.name);
    let apps = part.apps.iter().flatten().map(AsRef::as_ref).filter(counts).take(MOST_EXAMINED + 1).collect();
    ordered(part, apps, width, most)
}

fn on_node(part: &PartitionView, id: &NodeId, width: usize, most: usize) -> Content {
    let Some(node) = part.nodes.get(id) else { return Content { count: 0, more: false, lines: Lines::new() } };
    let own = || node.allocations.values().take(most);
    let foreign = || node.foreign.iter().take(most);
    let names = own().map(|one| one.name()).chain(foreign().map(|one| one.name.as_ref()));
    let apps = own().map(|one| one.app.as_str()).chain(foreign().map(|_| OTHER));
    let [first, second] = columns([longest(apps), longest(names)], width.saturating_sub(AMOUNTS));
    let space = width.saturating_sub(first + second);
    let line = |one: &view::NodeAllocation| {
        let name = dim(padded(one.name(), second));
        vec![plain(padded(one.app.as_str(), first)), name, plain(amounts(&one.resource, space))]
    };
    let other = |one: &view::ForeignAllocation| {
        vec![dim(padded(OTHER, first)), dim(padded(&one.name, second)), plain(amounts(&one.resource, space))]
    };
    let lines = own().map(line).chain(foreign().map(other)).take(most).collect();
    Content { count: node.allocations.len() + node.foreign.len(), more: false, lines }
}

const OTHER: &str = "other scheduler";

fn of_app(part: &PartitionView, row: &AppRow, width: usize, most: usize) -> Content {
    let name = row.asks.values().take(MOST_EXAMINED).map(|ask| text::width(&ask.name())).max().unwrap_or(0) + 1;
    let name = name.max(16).min(width.saturating_sub(2 * AMOUNTS));
    let line = |ask: &view::AskRow| {
        let mut line = vec![plain(padded(&ask.name(), name)), dim(padded(&amounts(&ask.resource, 15), 16))];
        match &ask.state {
            AskState::Allocated { node, .. } => line.push(dim(format!("on {node}"))),
            AskState::Pending { .. } => {
                let why = asks::why(Some(part), row, ask, None);
                let why: String = why.iter().map(|piece| piece.text.as_ref()).collect();
                line.push(piece(
                    Role::StateWaiting,
                    text::cut(&why, width.saturating_sub(name + 16), "…").into_owned(),
                ));
            }
        }
        line
    };
    let waits = |ask: &&std::sync::Arc<view::AskRow>| matches!(ask.state, AskState::Pending { .. });
    let (pending, others): (Vec<_>, Vec<_>) = row.asks.values().take(MOST_EXAMINED).partition(waits);
    let (count, more) = (pending.len() + others.len(), row.asks.len() > MOST_EXAMINED);
    Content { count, more, lines: pending.into_iter().chain(others).take(most).map(|ask| line(ask)).collect() }
}
