//! Finds the event of a completed operation, and appends it to the result.
//!
//! Answer and events arrive in any order. So the operation stores the number of the next event when it is sent, and
//! later events of its object are searched while the result is shown.

use crate::present::words::word;
use crate::state::State;
use crate::state::orders::{AwaitedEvents, OrderEvent};
use view::act::{Act, PartitionAct};
use view::{ChangeDetail, EventPage, Record};

const THEMSELVES: [ChangeDetail; 4] =
    [ChangeDetail::APP_KILLED, ChangeDetail::APP_MOVED, ChangeDetail::CONFIG_LOADED, ChangeDetail::CONFIG_ROLLED_BACK];

/// Starts the search for the events of completed operations.
pub fn expect(state: &mut State, acts: Vec<Act>, since: u64) {
    let Some(toast) = &state.toast else { return };
    let (report, result) = (toast.text.clone(), toast.text.clone());
    let acts = acts.into_iter().map(|act| (act, None)).collect();
    state.orders.awaited = Some(AwaitedEvents { acts, since, shown: report, result });
}

/// The number from which events are needed, if any.
pub fn wanted(state: &State) -> Option<u64> {
    let awaited = state.orders.awaited.as_ref()?;
    state.toast.as_ref().filter(|toast| toast.text == awaited.shown).map(|_| awaited.since)
}

/// Returns whether the text changed.
pub fn take(state: &mut State, page: &EventPage) -> bool {
    let Some(mut awaited) = state.orders.awaited.take() else { return false };
    let Some(toast) = state.toast.as_mut().filter(|toast| toast.text == awaited.shown) else { return false };
    awaited.since = page.records.last().map_or(awaited.since, |(last, _)| last + 1);
    let alone = awaited.acts.len() == 1;
    for (number, record) in &page.records {
        let itself = THEMSELVES.contains(&record.detail);
        if !itself && !alone {
            continue;
        }
        for (act, found) in &mut awaited.acts {
            if !found.as_ref().is_some_and(|found| found.itself) && is_of(act, record) {
                *found = Some(OrderEvent { number: *number, words: words(record), itself });
            }
        }
    }
    let report = match behind(&awaited) {
        Some(words) => format!("{}; {words}", awaited.result),
        None => awaited.result.clone(),
    };
    let changed = report != awaited.shown;
    if changed {
        toast.text.clone_from(&report);
        if let Some(message) = state.messages.iter_mut().rev().find(|message| message.text == awaited.shown) {
            message.text.clone_from(&report);
        }
        awaited.shown = report;
    }
    let all = awaited.acts.iter().all(|(_, found)| found.as_ref().is_some_and(|found| found.itself));
    state.orders.awaited = (!all).then_some(awaited);
    changed
}

/// `event 4711: killed by ann`
fn behind(awaited: &AwaitedEvents) -> Option<String> {
    let found = || awaited.acts.iter().filter_map(|(_, found)| found.as_ref());
    let first = found().min_by_key(|found| found.number)?;
    let last = found().max_by_key(|found| found.number)?;
    Some(if first.number == last.number {
        format!("event {}: {}", first.number, first.words)
    } else {
        format!("events {} to {}", first.number, last.number)
    })
}

fn words(record: &Record) -> String {
    let what = if record.is_own() { record.detail.to_string() } else { word(record) };
    format!("{what} {}", record.message).trim().to_owned()
}

fn is_of(act: &Act, record: &Record) -> bool {
    let loaded = [ChangeDetail::CONFIG_LOADED, ChangeDetail::CONFIG_ROLLED_BACK].contains(&record.detail);
    match act {
        Act::Configure { .. } | Act::Rollback { .. } => loaded,
        Act::In { act: PartitionAct::Release { app, ask }, .. } => {
            *record.object == *app.as_str() && *record.reference == *ask.as_str()
        }
        _ => !act.object().is_empty() && *record.object == *act.object(),
    }
}
