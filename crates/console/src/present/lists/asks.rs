//! Requests and allocations as a table, and pending reasons.

use super::apps::{lifted, metric, others};
use crate::present::arrange::{Space, arrange, chosen_columns};
use crate::present::format;
use crate::present::limits;
use crate::present::pieces;
use crate::present::pieces::{Piece, Slot, dim, piece, plain, symbol_set};
use crate::present::place::Source;
use crate::present::table;
use crate::present::table::{Chosen, Col, Table, Writer, left, right};
use crate::present::value::{Fields, Unit, Value};
use crate::present::words::word_of;
use crate::state::State;
use crate::state::column::{AskColumn, Column as _};
use crate::state::marks::{Facet, Marked};
use crate::state::page::AppPage;
use crate::theme::Role;
use model::{MEMORY, Priority, Resource, Time, VCORE};
use view::kubernetes::Kubernetes;
use view::{AppRow, AskRow, AskState, PartitionView, PendingReason};

/// The unit of a column.
pub const fn unit(column: AskColumn) -> Unit {
    match column {
        AskColumn::Arrival => Unit::Number,
        AskColumn::Priority | AskColumn::Restarts => Unit::Count,
        AskColumn::Cpu => Unit::Vcore,
        AskColumn::Memory => Unit::Bytes,
        AskColumn::Since => Unit::Lasting,
        _ => Unit::Words,
    }
}

/// Ages are at `now`; pending reasons use the `known` queue and limits.
pub fn value<'a>(
    known: Option<(&PartitionView, Source<'_>)>,
    row: &AppRow,
    ask: &'a AskRow,
    column: AskColumn,
    now: Time,
) -> Value<'a> {
    match column {
        AskColumn::Arrival => Value::Nothing,
        AskColumn::Ask => Value::text(ask.name()),
        AskColumn::Priority if ask.priority == Priority::MIN => Value::Nothing,
        AskColumn::Priority => Value::Metric(ask.priority.0.into()),
        AskColumn::Cpu => Value::amount(&ask.resource, VCORE),
        AskColumn::Memory => Value::amount(&ask.resource, MEMORY),
        AskColumn::Other => Value::text(format::others(&ask.resource)),
        AskColumn::State => Value::text(word_of(ask)),
        AskColumn::Node => match &ask.state {
            AskState::Allocated { node, .. } => Value::text(node.as_str()),
            AskState::Pending { .. } => Value::Nothing,
        },
        // Kubernetes data is in `of_pod`.
        AskColumn::Pod | AskColumn::Restarts => Value::Nothing,
        AskColumn::Since => Value::lasting(now, since(ask)),
        AskColumn::Why => {
            let words = why(known.map(|(part, _)| part), row, ask, known.map(|(_, source)| source));
            Value::text(words.iter().map(|piece| piece.text.as_ref()).collect::<String>())
        }
    }
}

/// The list as typed values.
pub fn fields<'a>(state: &'a State, page: &'a AppPage) -> Fields<'a> {
    Fields::new(page.list.rows.len(), unit, move |at, column| {
        let Some((row, key)) = page.row.as_ref().zip(page.list.rows.get(at)) else { return Value::Nothing };
        if column == AskColumn::Arrival {
            return Value::count(at + 1);
        }
        if let (AskColumn::Pod | AskColumn::Restarts, Some(ask)) = (column, row.asks.get(key)) {
            return of_pod(state.cluster.view.kubernetes.as_deref(), ask, column);
        }
        let (known, now) = (state.cluster.part().map(|part| (part, Source::of(state))), state.cluster.at);
        row.asks.get(key).map_or(Value::Nothing, |ask| value(known, row, ask, column, now))
    })
}

/// The Kubernetes columns of a request's pod.
pub fn of_pod(known: Option<&Kubernetes>, ask: &AskRow, column: AskColumn) -> Value<'static> {
    let Some(pod) = known.and_then(|all| all.pod_of(&ask.id)) else { return Value::Nothing };
    match column {
        AskColumn::Restarts => Value::Metric(pod.restarts.into()),
        _ => Value::text(pod.status.to_string()),
    }
}

fn since(ask: &AskRow) -> Option<Time> {
    match &ask.state {
        AskState::Pending { .. } => Some(ask.created),
        AskState::Allocated { since, .. } => *since,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskCell {
    Id,
    Priority,
    Cpu,
    Memory,
    Other,
    State,
    Node,
    Pod,
    Restarts,
    Since,
    Why,
    NodeOrWhy,
    Changed,
}

/// The list for a width.
pub fn table<'a>(state: &'a State, page: &'a AppPage, width: u16) -> Table<'a> {
    let symbols = symbol_set(state);
    let space = Space { widest: page.list.widest[0], least: 12 };
    let plan = ask_columns(width, page.list.widest, state.cluster.view.kubernetes.is_some());
    let columns = if state.wide || chosen_columns(state).is_some() {
        arrange(state, width, [plan], |column| own(column, page), space)
    } else {
        Chosen { columns: plan, hidden: 0 }
    };
    let sorted = move |cell: AskCell| table::title(symbols, page.list.sort, ask_belongs_to(cell));
    let len = page.list.rows.len();
    let empty = if len == 0 { no_asks(page) } else { Vec::new() };
    let table = table::new(columns, (&page.list.cursor, len), sorted, move |pen, index, what, slot| {
        let Some((row, key)) = page.row.as_ref().zip(page.list.rows.get(index)) else { return };
        match row.asks.get(key) {
            Some(ask) => ask_cell(pen, state, row, ask, what, slot),
            None if what == AskCell::Id => pen.cell(slot, &[dim("just removed")]),
            None => {}
        }
    });
    let whys: Vec<bool> = table.columns.iter().map(|column| column.sorted.by == Some(AskColumn::Why.name())).collect();
    let same = move |at: usize, column: usize| {
        let asks = page.row.as_ref().map(|row| &row.asks).filter(|_| whys.get(column) == Some(&true) && at > 0);
        let ask = |at: usize| asks?.get(page.list.rows.get(at)?);
        let Some((row, (one, above))) = page.row.as_ref().zip(ask(at).zip(ask(at.wrapping_sub(1)))) else {
            return false;
        };
        let waits = |ask: &AskRow| matches!(ask.state, AskState::Pending { .. });
        let why = |ask: &AskRow| why(state.cluster.part(), row, ask, Some(Source::of(state)));
        waits(one) && waits(above) && why(one) == why(above)
    };
    table.or_reported(empty).with_repeats(same)
}

fn no_asks(page: &AppPage) -> Vec<String> {
    let total = page.list.total;
    match &page.row {
        None => vec![format!("no application {} in this partition", page.id)],
        Some(_) if total > 0 => vec![
            format!("the filter {} hides {total} of {}", page.list.filter, format::count(total as u64, "request")),
            "esc clears it".to_owned(),
        ],
        Some(row) if row.state.is_ended() => vec![format!("{} is {}: it has no allocations", row.id, row.state)],
        Some(row) => vec![format!("{} has no requests and no allocations", row.id)],
    }
}

/// Names get their width up to a share of the screen, the reason the rest. Below 100 columns node and reason share a
/// column: a request has one of them.
fn ask_columns(width: u16, [id, node, other]: [u16; 3], pods: bool) -> Vec<Col<AskCell>> {
    let shown = |least: u16| width >= least;
    let names = match width {
        0..60 => 12,
        60..100 => 16,
        100..160 => 24,
        _ => 40,
    };
    let mut columns = vec![Col { gap: 0, ..left(AskCell::Id, "REQUEST", id.clamp(7, names)) }];
    if shown(70) {
        columns.push(right(AskCell::Priority, "PRI", if shown(100) { 6 } else { 4 }));
    }
    if shown(60) {
        columns.push(right(AskCell::Cpu, "CPU", 5));
        columns.push(right(AskCell::Memory, "MEM", 6));
    }
    if shown(110) && other > 0 {
        columns.push(Col { gap: 2, ..left(AskCell::Other, "OTHER", other.clamp(6, 16)) });
    }
    if shown(50) {
        columns.push(Col { gap: 2, ..left(AskCell::State, "STATE", if shown(100) { 12 } else { 9 }) });
    }
    if shown(64) {
        columns.push(right(AskCell::Since, "SINCE", 7));
    }
    let (why, title) = if shown(100) { (AskCell::Why, "WHY") } else { (AskCell::NodeOrWhy, "NODE, OR WHY NOT") };
    if shown(100) {
        columns.push(Col { gap: 2, ..left(AskCell::Node, "NODE", node.clamp(6, names)) });
    }
    if pods && shown(100) {
        columns.push(Col { gap: 2, ..left(AskCell::Pod, "POD", if shown(130) { 18 } else { 10 }) });
        columns.push(right(AskCell::Restarts, "RST", 3));
    }
    let used = table::total(&columns) + 2 + 2 + 2;
    columns.push(Col { gap: 2, ..left(why, title, width.saturating_sub(used)) });
    columns.push(left(AskCell::Changed, "", 1));
    columns
}

fn own(column: AskColumn, page: &AppPage) -> Option<Col<AskCell>> {
    let [id, node, other] = page.list.widest;
    Some(match column {
        AskColumn::Arrival => return None,
        AskColumn::Ask => left(AskCell::Id, "REQUEST", id),
        AskColumn::Priority => right(AskCell::Priority, "PRI", 6),
        AskColumn::Cpu => right(AskCell::Cpu, "CPU", 6),
        AskColumn::Memory => right(AskCell::Memory, "MEM", 6),
        AskColumn::Other => Col { gap: 2, ..left(AskCell::Other, "OTHER", other.clamp(6, 16)) },
        AskColumn::State => Col { gap: 2, ..left(AskCell::State, "STATE", 12) },
        AskColumn::Node => Col { gap: 2, ..left(AskCell::Node, "NODE", node.clamp(6, 40)) },
        AskColumn::Pod => Col { gap: 2, ..left(AskCell::Pod, "POD", 18) },
        AskColumn::Restarts => right(AskCell::Restarts, "RST", 4),
        AskColumn::Since => right(AskCell::Since, "SINCE", 7),
        AskColumn::Why => Col { gap: 2, ..left(AskCell::Why, "WHY", 24) }.up_to(160),
    })
}

fn ask_belongs_to(cell: AskCell) -> Option<AskColumn> {
    Some(match cell {
        AskCell::Id => AskColumn::Ask,
        AskCell::Priority => AskColumn::Priority,
        AskCell::Cpu => AskColumn::Cpu,
        AskCell::Memory => AskColumn::Memory,
        AskCell::State => AskColumn::State,
        AskCell::Node => AskColumn::Node,
        AskCell::Other => AskColumn::Other,
        AskCell::Pod => AskColumn::Pod,
        AskCell::Restarts => AskColumn::Restarts,
        AskCell::Since => AskColumn::Since,
        AskCell::Why | AskCell::NodeOrWhy => AskColumn::Why,
        AskCell::Changed => return None,
    })
}

fn ask_cell(pen: &mut Writer, state: &State, row: &AppRow, ask: &AskRow, what: AskCell, slot: Slot) {
    let symbols = pen.symbols();
    let mark = state.marks.of(&Marked::Ask(row.id.clone(), ask.id.clone()));
    let since = since(ask);
    let mut name = |x: u16, text: &str| {
        pen.name(x, (slot.x + slot.width).saturating_sub(x), text, Role::Text);
        Vec::new()
    };
    let why_in = |space: usize| {
        let long = why(state.cluster.part(), row, ask, Some(Source::of(state)));
        if pieces::width(&long) <= space { long } else { why(state.cluster.part(), row, ask, None) }
    };
    let pieces = match what {
        AskCell::Id => name(slot.x, &ask.name()),
        AskCell::Priority => vec![format::priority(ask.priority).map_or_else(|| dim(symbols.nothing), plain)],
        AskCell::Cpu => vec![metric(&ask.resource, VCORE, symbols)],
        AskCell::Memory => vec![metric(&ask.resource, MEMORY, symbols)],
        AskCell::Other => vec![others(&ask.resource, symbols)],
        AskCell::State => lifted(mark, Facet::State, state.now, vec![ask_state(ask)]),
        AskCell::Node => match &ask.state {
            AskState::Allocated { node, .. } => name(slot.x, node.as_str()),
            AskState::Pending { .. } => vec![dim(symbols.none)],
        },
        AskCell::Pod => match of_pod(state.cluster.view.kubernetes.as_deref(), ask, AskColumn::Pod) {
            Value::Text(status) if *status == *"Running" => vec![dim(status)],
            Value::Text(status) => vec![piece(Role::StateWaiting, status)],
            _ => vec![dim(symbols.nothing)],
        },
        AskCell::Restarts => match of_pod(state.cluster.view.kubernetes.as_deref(), ask, AskColumn::Restarts) {
            Value::Metric(times @ 1..) => vec![plain(times.to_string())],
            _ => vec![dim(symbols.nothing)],
        },
        AskCell::Since => vec![dim(format::age(state.cluster.at, since, symbols.nothing))],
        AskCell::Why => why_in(usize::from(slot.width)),
        AskCell::NodeOrWhy => match &ask.state {
            AskState::Allocated { node, .. } => {
                name(slot.x + 3, node.as_str());
                vec![dim("on")]
            }
            AskState::Pending { .. } => why_in(usize::from(slot.width)),
        },
        AskCell::Changed if mark.any(state.now) => vec![piece(Role::Accent, symbols.changed)],
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

/// The pending reason, or what is special about an allocation. A source adds queue paths and limit locations.
pub fn why(part: Option<&PartitionView>, row: &AppRow, ask: &AskRow, source: Option<Source<'_>>) -> Vec<Piece> {
    let group = ask.task_group.as_ref().map(|group| format!("task group {group}"));
    let node = ask.required_node.as_ref().map(|node| format!("only node {node}"));
    let special: Vec<String> = group.into_iter().chain(node).collect();
    let AskState::Pending { reason, reserved } = &ask.state else {
        return vec![dim(special.join(", "))];
    };
    let never = part.and_then(|part| part.never(row, ask)).map(|never| never.sentence());
    let reported = never.unwrap_or_else(|| match reason {
        PendingReason::NotTried => blocked(part, row, source),
        PendingReason::QueueQuota => too_full(part, row, ask, source.is_some()),
        PendingReason::UserQuota => over_limit(part, row, ask, source),
        PendingReason::NoNode => match &ask.reported {
            Some(reported) => format!("no node accepts it: {reported}"),
            None => "no node has enough free resources".to_owned(),
        },
        PendingReason::Placeholder => "waits for a placeholder to be replaced".to_owned(),
        PendingReason::Turn => "another request is scheduled first, and would start later".to_owned(),
    });
    let reported = reserved.as_ref().map_or(reported, |node| format!("node {node} is reserved"));
    let mut pieces = vec![plain(reported)];
    if !special.is_empty() {
        pieces.push(dim(format!("; {}", special.join(", "))));
    }
    pieces
}

fn blocked(part: Option<&PartitionView>, row: &AppRow, source: Option<Source<'_>>) -> String {
    let blocked_by = part.and_then(|part| limits::blocked(part, row, source));
    blocked_by.unwrap_or_else(|| "not evaluated yet: other requests are first".to_owned())
}

fn over_limit(part: Option<&PartitionView>, row: &AppRow, ask: &AskRow, source: Option<Source<'_>>) -> String {
    let limit = part.and_then(|part| limits::too_full(part, row, &ask.resource, source));
    limit.unwrap_or_else(|| "user or group limit reached".to_owned())
}

fn too_full(part: Option<&PartitionView>, row: &AppRow, ask: &AskRow, long: bool) -> String {
    let found = part.and_then(|part| part.too_full_for(part.queue_at(&row.queue)?, &ask.resource));
    let Some((queue, rest)) = found else { return "its queue is full".to_owned() };
    let short: Resource = ask
        .resource
        .iter()
        .filter(|(name, wanted)| *wanted > 0 && rest.get(name).is_some_and(|rest| *wanted > rest.max(0)))
        .map(|(name, _)| (name, rest.amount(name)))
        .collect();
    let name = if long { queue.as_str() } else { queue.name() };
    format!("{name} has {} left", format::resource(&short))
}
