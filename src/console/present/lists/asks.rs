//! The asks and allocations of one application as a table, and why an ask waits.

use super::apps::{figure, lifted, others};
use crate::console::present::format;
use crate::console::present::limits;
use crate::console::present::pieces;
use crate::console::present::pieces::{Piece, Slot, dim, piece, plain, sign_set};
use crate::console::present::table;
use crate::console::present::table::{Col, Table, Writer, left, right};
use crate::console::present::words::word_of;
use crate::console::state::State;
use crate::console::state::column::AskColumn;
use crate::console::state::marks::{Facet, Marked};
use crate::console::state::page::AppPage;
use crate::console::theme::Role;
use crate::model::{MEMORY, Resource, VCORE};
use crate::view::{AppRow, AskRow, AskState, PartitionView, PendingReason};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskCell {
    Id,
    Priority,
    Cpu,
    Memory,
    Other,
    State,
    Node,
    Since,
    Why,
    NodeOrWhy,
    Changed,
}

/// The asks and allocations of one application as a list.
pub fn table<'a>(state: &'a State, page: &'a AppPage, width: u16) -> Table<'a> {
    let signs = sign_set(state);
    let columns = ask_columns(width, page.list.widest);
    let sorted = move |cell: AskCell| table::title(signs, page.list.sort, ask_belongs_to(cell));
    let len = page.list.rows.len();
    let empty = if len == 0 { no_asks(page) } else { Vec::new() };
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let Some((row, key)) = page.row.as_ref().zip(page.list.rows.get(index)) else { return };
        match row.asks.get(key) {
            Some(ask) => ask_cell(pen, state, row, ask, what, slot),
            None if what == AskCell::Id => pen.cell(slot, &[dim("gone just now")]),
            None => {}
        }
    });
    table.or_says(empty)
}

fn no_asks(page: &AppPage) -> Vec<String> {
    let total = page.list.total;
    match &page.row {
        None => vec![format!("no application {} in this partition", page.id)],
        Some(_) if total > 0 => vec![
            format!("the filter {} hides {total} of {}", page.list.filter, format::count(total as u64, "ask")),
            "esc clears it".to_owned(),
        ],
        Some(row) if row.state.is_ended() => vec![format!("{} is {}: it holds nothing any more", row.id, row.state)],
        Some(row) => vec![format!("{} asks for nothing and holds nothing", row.id)],
    }
}

/// The columns of the asks. Names get what they need up to a share of the width, the reason what is left. Below 100 columns the node
/// and the reason share one column, as an ask has either.
fn ask_columns(width: u16, [id, node, other]: [u16; 3]) -> Vec<Col<AskCell>> {
    let shown = |least: u16| width >= least;
    let names = match width {
        0..60 => 12,
        60..100 => 16,
        100..160 => 24,
        _ => 40,
    };
    let mut columns = vec![Col { gap: 0, ..left(AskCell::Id, "ASK", id.clamp(5, names)) }];
    if shown(70) {
        columns.push(right(AskCell::Priority, "PRI", if shown(100) { 6 } else { 4 }));
    }
    if shown(60) {
        columns.push(right(AskCell::Cpu, "CPU", 5));
        columns.push(right(AskCell::Memory, "MEM", 5));
    }
    if shown(110) && other > 0 {
        columns.push(Col { gap: 2, ..left(AskCell::Other, "OTHER", other.clamp(6, 16)) });
    }
    if shown(50) {
        columns.push(Col { gap: 2, ..left(AskCell::State, "STATE", if shown(100) { 12 } else { 9 }) });
    }
    if shown(64) {
        columns.push(right(AskCell::Since, "SINCE", 6));
    }
    let (why, title) = if shown(100) { (AskCell::Why, "WHY") } else { (AskCell::NodeOrWhy, "NODE, OR WHY NOT") };
    if shown(100) {
        columns.push(Col { gap: 2, ..left(AskCell::Node, "NODE", node.clamp(6, names)) });
    }
    let used = table::total(&columns) + 2 + 2 + 2;
    columns.push(Col { gap: 2, ..left(why, title, width.saturating_sub(used)) });
    columns.push(left(AskCell::Changed, "", 1));
    columns
}

fn ask_belongs_to(cell: AskCell) -> Option<AskColumn> {
    Some(match cell {
        AskCell::Id => AskColumn::Ask,
        AskCell::Priority => AskColumn::Priority,
        AskCell::Cpu => AskColumn::Cpu,
        AskCell::Memory => AskColumn::Memory,
        AskCell::State => AskColumn::State,
        AskCell::Node => AskColumn::Node,
        AskCell::Since | AskCell::Other | AskCell::Why | AskCell::NodeOrWhy | AskCell::Changed => return None,
    })
}

fn ask_cell(pen: &mut Writer, state: &State, row: &AppRow, ask: &AskRow, what: AskCell, slot: Slot) {
    let signs = pen.signs();
    let mark = state.marks.of(&Marked::Ask(row.id.clone(), ask.id.clone()));
    let since = match &ask.state {
        AskState::Pending { .. } => Some(ask.created),
        AskState::Allocated { since, .. } => *since,
    };
    let mut name = |x: u16, text: &str| {
        pen.name(x, (slot.x + slot.width).saturating_sub(x), text, Role::Text);
        Vec::new()
    };
    let why_in = |room: usize| {
        let long = why(state.cluster.part(), row, ask, true);
        if pieces::width(&long) <= room { long } else { why(state.cluster.part(), row, ask, false) }
    };
    let pieces = match what {
        AskCell::Id => name(slot.x, ask.id.as_str()),
        AskCell::Priority => vec![format::priority(ask.priority).map_or_else(|| dim(signs.nothing), plain)],
        AskCell::Cpu => vec![figure(&ask.resource, VCORE, signs)],
        AskCell::Memory => vec![figure(&ask.resource, MEMORY, signs)],
        AskCell::Other => vec![others(&ask.resource, signs)],
        AskCell::State => lifted(mark, Facet::State, state.now, vec![ask_state(ask)]),
        AskCell::Node => match &ask.state {
            AskState::Allocated { node, .. } => name(slot.x, node.as_str()),
            AskState::Pending { .. } => vec![dim(signs.none)],
        },
        AskCell::Since => vec![dim(format::age(state.cluster.at, since, signs.nothing))],
        AskCell::Why => why_in(usize::from(slot.width)),
        AskCell::NodeOrWhy => match &ask.state {
            AskState::Allocated { node, .. } => {
                name(slot.x + 3, node.as_str());
                vec![dim("on")]
            }
            AskState::Pending { .. } => why_in(usize::from(slot.width)),
        },
        AskCell::Changed if mark.any(state.now) => vec![piece(Role::Accent, signs.changed)],
        AskCell::Changed => Vec::new(),
    };
    pen.cell(slot, &pieces);
}

fn ask_state(ask: &AskRow) -> Piece {
    let role = match (&ask.state, ask.placeholder) {
        (AskState::Pending { .. }, _) => Role::StateWaiting,
        (AskState::Allocated { .. }, true) => Role::PriorityFenced,
        (AskState::Allocated { .. }, false) => Role::StateActive,
    };
    piece(role, word_of(ask))
}

/// Why an ask waits, in words; for one that runs, what is special about it.
/// `long` names queues by their paths.
pub fn why(part: Option<&PartitionView>, row: &AppRow, ask: &AskRow, long: bool) -> Vec<Piece> {
    let group = ask.task_group.as_ref().map(|group| format!("task group {group}"));
    let node = ask.required_node.as_ref().map(|node| format!("only node {node}"));
    let special: Vec<String> = group.into_iter().chain(node).collect();
    let AskState::Pending { reason, reserved } = &ask.state else {
        return vec![dim(special.join(", "))];
    };
    let said = match reason {
        PendingReason::NotTried => held_back(part, row, long),
        PendingReason::QueueQuota => too_full(part, row, ask, long),
        PendingReason::UserQuota => over_limit(part, row, ask, long),
        PendingReason::NoNode => "no node has room".to_owned(),
        PendingReason::Placeholder => "waits for a placeholder to give way".to_owned(),
    };
    let said = reserved.as_ref().map_or(said, |node| format!("node {node} is reserved for it"));
    let mut pieces = vec![plain(said)];
    if !special.is_empty() {
        pieces.push(dim(format!("; {}", special.join(", "))));
    }
    pieces
}

fn held_back(part: Option<&PartitionView>, row: &AppRow, long: bool) -> String {
    let held = part.and_then(|part| limits::held_back(part, row, long));
    held.unwrap_or_else(|| "not tried yet, others go first".to_owned())
}

fn over_limit(part: Option<&PartitionView>, row: &AppRow, ask: &AskRow, long: bool) -> String {
    let limit = part.and_then(|part| limits::too_full(part, row, &ask.resource, long));
    limit.unwrap_or_else(|| "user or group limit reached".to_owned())
}

fn too_full(part: Option<&PartitionView>, row: &AppRow, ask: &AskRow, long: bool) -> String {
    let found = part.and_then(|part| part.too_full_for(part.queue_at(&row.queue)?, &ask.resource));
    let Some((queue, rest)) = found else { return "its queue had no room".to_owned() };
    let short: Resource = ask
        .resource
        .iter()
        .filter(|(name, wanted)| *wanted > 0 && rest.get(name).is_some_and(|rest| *wanted > rest.max(0)))
        .map(|(name, _)| (name, rest.amount(name)))
        .collect();
    let name = if long { queue.as_str() } else { queue.name() };
    format!("{name} has {} left", format::resource(&short))
}
