//! Explanations of columns of applications and requests.

use crate::present::blocker;
use crate::present::format;
use crate::present::limits;
use crate::present::lists::asks;
use crate::present::metrics::share;
use crate::present::place::Source;
use crate::present::words::word_of;
use crate::state::State;
use crate::state::column::{AppColumn, AskColumn};
use model::{MEMORY, Priority, VCORE};
use view::units::show_amount;
use view::{AppRow, AskRow, AskState, PartitionView};

/// The explanation of a column of the applications.
pub fn why(state: &State, part: &PartitionView, row: &AppRow, column: AppColumn) -> String {
    match column {
        AppColumn::Application => format!("submitted by {}", row.who),
        AppColumn::State => state_words(state, row),
        AppColumn::Queue => match (&row.placement, row.queue.as_str()) {
            (_, "") => "in no queue: it was rejected".to_owned(),
            (Some(_), _) => format!("{}; w shows the rule that placed it", row.queue),
            (None, _) => row.queue.to_string(),
        },
        AppColumn::User => {
            let source = Source::of(state);
            let limits: Vec<String> =
                part.limits_of(row).iter().map(|limit| limits::place(limit, Some(source))).collect();
            match limits.as_slice() {
                [] => format!("{}; no limit of a user or group applies to it", row.who),
                _ => format!("{}; limits apply to it in {}", row.who, limits.join("; ")),
            }
        }
        AppColumn::Priority => priority(row),
        AppColumn::Pending => format!("requests that wait for a node, of {} in total", row.asks.len()),
        AppColumn::Allocations => allocations(row),
        AppColumn::Cpu => used(part, row, VCORE),
        AppColumn::Memory => used(part, row, MEMORY),
        AppColumn::AskedCpu => asked(row, VCORE),
        AppColumn::AskedMemory => asked(row, MEMORY),
        AppColumn::Other => "usage of resources without their own column".to_owned(),
        AppColumn::Groups => "the groups of the user who submitted it".to_owned(),
        AppColumn::Wait => match blocker::since(row) {
            None => "it is not waiting".to_owned(),
            Some(since) => {
                format!("since its first pending request arrived, at {}", format::when(since, state.cluster.past.live))
            }
        },
        AppColumn::Why => match blocker::first_pending(row) {
            None => "it is not waiting".to_owned(),
            Some(first) => {
                let (ask, which) = match part.never_of(row) {
                    Some((ask, _)) => (ask, "its first pending request that can never run"),
                    None => (first, "its first pending request"),
                };
                let why = asks::why(Some(part), row, ask, Some(Source::of(state)));
                let why: String = why.iter().map(|piece| piece.text.as_ref()).collect();
                format!("what blocks {}, {which}: {why}", ask.name())
            }
        },
        AppColumn::Submitted => {
            format!("since it was submitted, at {}", format::when(row.submitted, state.cluster.past.live))
        }
    }
}

fn state_words(state: &State, row: &AppRow) -> String {
    let since = row.log.last().map(|change| format::duration(state.cluster.at.since(change.at)));
    let since = since.map_or_else(String::new, |since| format!(" for {since}"));
    format!("{}{since}", row.state)
}

fn priority(row: &AppRow) -> String {
    if row.priority == Priority::MIN {
        return "no pending requests: no priority to compare".to_owned();
    }
    let waits = |ask: &&std::sync::Arc<AskRow>| matches!(ask.state, AskState::Pending { .. });
    let ask = row.asks.values().filter(waits).find(|ask| ask.priority == row.priority);
    let ask = ask.map_or_else(|| "one of them".to_owned(), |ask| ask.name().into_owned());
    format!("{} = the highest of its {} pending requests, that of {ask}", row.priority, row.pending_asks)
}

fn allocations(row: &AppRow) -> String {
    let all = row.asks.len();
    let allocated = all.saturating_sub(row.pending_asks as usize);
    let is_pending = |ask: &&std::sync::Arc<AskRow>| ask.placeholder && matches!(ask.state, AskState::Allocated { .. });
    let placeholders = row.asks.values().filter(is_pending).count();
    let of = if placeholders == 0 { String::new() } else { format!(", {placeholders} of them placeholders of a gang") };
    format!("{allocated} = {all} requests minus {} pending{of}", row.pending_asks)
}

fn used(part: &PartitionView, row: &AppRow, name: &str) -> String {
    let (real, space) = (row.allocated.amount(name), row.placeholder.amount(name));
    let of =
        part.queue_at(&row.queue).and_then(|queue| share(real.saturating_add(space), queue.allocated.amount(name)));
    let of = of.map_or_else(String::new, |of| format!("; {of} of the usage of {}", row.queue));
    match space {
        0 => format!("the sum of its allocations{of}"),
        _ => format!("{} in allocations + {} in placeholders{of}", show_amount(name, real), show_amount(name, space)),
    }
}

fn asked(row: &AppRow, name: &str) -> String {
    match row.pending.amount(name) {
        0 => "no pending request needs any".to_owned(),
        _ => format!("the sum of its {}", format::count(u64::from(row.pending_asks), "pending request")),
    }
}

/// The explanation of a column of the requests.
pub fn why_ask(state: &State, part: &PartitionView, row: &AppRow, ask: &AskRow, column: AskColumn) -> String {
    match column {
        AskColumn::Ask => {
            let group = ask.task_group.as_ref().map_or_else(String::new, |group| format!(", of task group {group}"));
            format!("a request of {}{group}", row.id)
        }
        AskColumn::Priority => ask_priority(part, row, ask),
        AskColumn::Cpu | AskColumn::Memory | AskColumn::Other => {
            let what = if matches!(ask.state, AskState::Pending { .. }) { "it requests" } else { "it uses" };
            format!("what {what}, as submitted")
        }
        AskColumn::State => word_of(ask).to_owned(),
        AskColumn::Since => match ask.state {
            AskState::Pending { .. } => {
                format!("waits since it was requested, at {}", format::when(ask.created, state.cluster.past.live))
            }
            AskState::Allocated { since: Some(at), .. } => {
                format!("allocated since {}", format::when(at, state.cluster.past.live))
            }
            AskState::Allocated { since: None, .. } => {
                "this release does not report the time; 1.5 and kornsole do".to_owned()
            }
        },
        AskColumn::Node => match &ask.state {
            AskState::Allocated { node, .. } => format!("it runs on {node}"),
            AskState::Pending { reserved: Some(node), .. } => format!("none yet; {node} is reserved for the request"),
            AskState::Pending { .. } => "none yet".to_owned(),
        },
        AskColumn::Why => {
            let why = crate::present::lists::asks::why(Some(part), row, ask, Some(Source::of(state)));
            let why: String = why.iter().map(|piece| piece.text.as_ref()).collect();
            if why.is_empty() { "no cause".to_owned() } else { why }
        }
        AskColumn::Arrival => "its position among the requests, in order of arrival".to_owned(),
        AskColumn::Pod => "the status of its pod in the API server".to_owned(),
        AskColumn::Restarts => "the number of restarts of its pod's containers".to_owned(),
    }
}

/// The priority as parent queues see it (SCH-061 to SCH-063).
fn ask_priority(part: &PartitionView, row: &AppRow, ask: &AskRow) -> String {
    let mut message = format!("{} by itself", ask.priority);
    let Some(queue) = part.queue_at(&row.queue) else { return message };
    let mut seen = i64::from(ask.priority.0);
    for above in part.path_up(queue) {
        let fence = above.priority.policy.is_fence();
        if !fence && above.priority.offset == 0 {
            continue;
        }
        let offset = i64::from(above.priority.offset);
        seen = if fence { offset } else { seen.saturating_add(offset) };
        let word = if fence { "fence, " } else { "" };
        message = format!("{message}; {seen} above {} ({word}offset {offset})", above.path);
    }
    message
}
