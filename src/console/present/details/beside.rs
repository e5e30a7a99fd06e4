//! The lines below the details where they have the height of the screen: the content of the subject, row by row.

use crate::console::present::blocker;
use crate::console::present::format;
use crate::console::present::lists::apps::state_piece;
use crate::console::present::lists::asks;
use crate::console::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::console::present::text;
use crate::console::state::State;
use crate::console::state::page::{Account, Subject};
use crate::console::theme::Role;
use crate::model::{NodeId, QueuePath, Resource};
use crate::view::{AppRow, AskState, PartitionView};

/// The lines below the details of a thing, at most `room`; empty where there is nothing more to show.
pub fn lines(state: &State, subject: &Subject, width: usize, room: usize) -> Lines {
    let Some(part) = state.cluster.part() else { return Lines::new() };
    let (title, rows) = match subject {
        Subject::Queue(path) => ("applications", in_queue(part, path, width)),
        Subject::Node(id) => ("runs here", on_node(part, id, width)),
        Subject::Account(account) => ("applications", of_account(part, account, width)),
        Subject::App(row) => ("asks", of_app(part, row, width)),
        _ => return Lines::new(),
    };
    if rows.is_empty() || room < 4 {
        return Lines::new();
    }
    let mut lines: Lines = vec![Vec::new(), vec![dim(format!("{title}, {}", rows.len()))]];
    // Of those that do not fit it says how many they are, in the last line.
    let fits = rows.len() <= room - 2;
    let shown = if fits { rows.len() } else { room - 3 };
    let hidden = rows.len() - shown;
    lines.extend(rows.into_iter().take(shown));
    if hidden > 0 {
        lines.push(vec![dim(format!("and {hidden} more"))]);
    }
    lines
}

fn padded(text: &str, width: usize) -> String {
    let cut = text::cut_middle(text, width.saturating_sub(1), "…").into_owned();
    let pad = width.saturating_sub(text::width(&cut));
    format!("{cut}{}", " ".repeat(pad))
}

/// An application in a line: its user, its state, its allocations, and why it waits.
fn app(part: &PartitionView, row: &AppRow, width: usize) -> Vec<Piece> {
    let mut line = vec![plain(padded(row.id.as_str(), 18)), dim(padded(&row.who.user, 10))];
    let state = state_piece(row.state);
    line.push(piece(state.role, padded(&state.text, 11)));
    match blocker::words(part, row) {
        Some(why) => line.push(piece(Role::StateWaiting, text::cut(&why, width.saturating_sub(39), "…").into_owned())),
        None => line.push(dim(amounts(&row.allocated, width.saturating_sub(39)))),
    }
    line
}

fn amounts(resource: &Resource, room: usize) -> String {
    text::cut(&format::resource(resource), room, "…").into_owned()
}

/// Those that wait first, then by name.
fn ordered(part: &PartitionView, mut apps: Vec<&AppRow>, width: usize) -> Lines {
    apps.sort_by(|one, other| {
        let waits = |row: &AppRow| blocker::first_pending(row).is_none();
        waits(one).cmp(&waits(other)).then_with(|| text::natural(one.id.as_str(), other.id.as_str()))
    });
    apps.into_iter().map(|row| app(part, row, width)).collect()
}

/// The most applications that are looked at.
const LOOKED_AT: usize = 2_000;

fn in_queue(part: &PartitionView, path: &QueuePath, width: usize) -> Lines {
    let Some(queue) = part.queue_at(path) else { return Lines::new() };
    let mut stack = vec![&**queue];
    let mut apps: Vec<&AppRow> = Vec::new();
    while let Some(row) = stack.pop().filter(|_| apps.len() < LOOKED_AT) {
        apps.extend(row.apps.iter().filter_map(|slot| part.app(*slot)).map(AsRef::as_ref));
        stack.extend(row.children.iter().filter_map(|slot| part.queue(*slot)).map(AsRef::as_ref));
    }
    ordered(part, apps, width)
}

fn of_account(part: &PartitionView, account: &Account, width: usize) -> Lines {
    let counts = |row: &&AppRow| PartitionView::counts_under(row, account.side, &account.name);
    let apps = part.apps.iter().flatten().map(AsRef::as_ref).filter(counts).take(LOOKED_AT).collect();
    ordered(part, apps, width)
}

fn on_node(part: &PartitionView, id: &NodeId, width: usize) -> Lines {
    let Some(node) = part.nodes.get(id) else { return Lines::new() };
    let line = |one: &crate::view::NodeAllocation| {
        vec![
            plain(padded(one.app.as_str(), 18)),
            dim(padded(one.name(), 14)),
            plain(amounts(&one.resource, width.saturating_sub(32))),
        ]
    };
    let other = |one: &crate::view::ForeignAllocation| {
        vec![
            dim(padded("other scheduler", 18)),
            dim(padded(&one.name, 14)),
            plain(amounts(&one.resource, width.saturating_sub(32))),
        ]
    };
    node.allocations.values().map(line).chain(node.foreign.iter().map(other)).collect()
}

fn of_app(part: &PartitionView, row: &AppRow, width: usize) -> Lines {
    let line = |ask: &crate::view::AskRow| {
        let mut line = vec![plain(padded(&ask.name(), 16)), dim(padded(&amounts(&ask.resource, 15), 16))];
        match &ask.state {
            AskState::Allocated { node, .. } => line.push(dim(format!("on {node}"))),
            AskState::Pending { .. } => {
                let why = asks::why(Some(part), row, ask, None);
                let why: String = why.iter().map(|piece| piece.text.as_ref()).collect();
                line.push(piece(Role::StateWaiting, text::cut(&why, width.saturating_sub(32), "…").into_owned()));
            }
        }
        line
    };
    let waits = |ask: &&std::sync::Arc<crate::view::AskRow>| matches!(ask.state, AskState::Pending { .. });
    let (pending, others): (Vec<_>, Vec<_>) = row.asks.values().take(LOOKED_AT).partition(waits);
    pending.into_iter().chain(others).map(|ask| line(ask)).collect()
}
