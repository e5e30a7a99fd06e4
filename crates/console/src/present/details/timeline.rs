//! The timeline of an application: one line per second with events.
//!
//! Ended requests come from the known events, which may not reach back to its submission; the rest from its row.

use std::collections::HashMap;
use std::sync::Arc;

use crate::present::details::sheet::{LABEL, labeled};
use crate::present::format;
use crate::present::layout;
use crate::present::lists::apps::state_piece;
use crate::present::pieces::{Lines, Piece, dim, piece, plain, width};
use crate::present::text;
use crate::present::weight;
use crate::state::State;
use crate::state::page::Page;
use crate::theme::{Role, Symbols};
use model::{AppState, Time};
use view::{AppRow, AskRow, AskState, ChangeDetail, ChangeType, ObjectType, Record};

const TIMES: (usize, usize) = (8, 200);
const OTHERS: u16 = 30;
const FIRST: usize = 2;

/// Equal kinds in one second are counted.
struct Happened<'a> {
    at: Time,
    what: What,
    /// One of them in words, without the verb: `q1`.
    one: String,
    /// What follows the verb, if it happened once: `on node-a`.
    more: String,
    event: Option<&'a Record>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Submitted,
    State(AppState),
    Requested,
    Reserved,
    Allocated,
    Event(ChangeDetail),
}

pub(super) fn add(lines: &mut Lines, state: &State, row: &AppRow, width: usize, symbols: &Symbols) {
    let all = happened(state, row);
    let live = state.cluster.past.live;
    let mut times: Vec<(String, Vec<&Happened<'_>>)> = Vec::new();
    for one in &all {
        let at = format::when(one.at, live);
        match times.last_mut().filter(|(last, _)| *last == at) {
            Some((_, same)) => same.push(one),
            None => times.push((at, vec![one])),
        }
    }
    let most = match layout::regions(state).and_then(|regions| regions.pane) {
        _ if matches!(state.page(), Page::Details(_)) => TIMES.1,
        Some(pane) if pane.side_pane => TIMES.0.max(usize::from(pane.area.height.saturating_sub(OTHERS))),
        _ => TIMES.0,
    };
    let omitted = if times.len() > most { FIRST..times.len() + FIRST + 1 - most } else { 0..0 };
    let column = times.iter().map(|(at, _)| at.len()).max().unwrap_or(0) + 2;
    let mut label = "time line";
    let mut add = |line: Vec<Piece>| labeled(lines, std::mem::take(&mut label), line);
    for (number, (at, same)) in times.iter().enumerate() {
        if omitted.contains(&number) {
            if number == omitted.start {
                let words = format!("{:<column$}{} more times", symbols.ellipsis, omitted.len());
                add(vec![dim(words)]);
            }
            continue;
        }
        for line in wrapped(&words(same), (at, column), width.saturating_sub(LABEL)) {
            add(line);
        }
    }
}

fn happened<'a>(state: &'a State, row: &'a AppRow) -> Vec<Happened<'a>> {
    let plain = |at, what, one: String| Happened { at, what, one, more: String::new(), event: None };
    let mut all = vec![plain(row.submitted, What::Submitted, row.who.user.to_string())];
    all.extend(row.log.iter().map(|change| plain(change.at, What::State(change.state), String::new())));
    for ask in row.asks.values() {
        all.push(plain(ask.created, What::Requested, ask.name().into_owned()));
        if let AskState::Allocated { node, since: Some(since), .. } = &ask.state {
            let more = format!(" on {node}");
            all.push(Happened { more, ..plain(*since, What::Allocated, ask.name().into_owned()) });
        }
    }
    let asks: HashMap<&str, &Arc<AskRow>> = row.asks.values().map(|ask| (ask.id.as_str(), ask)).collect();
    let until = state.cluster.until();
    let shown = |record: &Record| record.at >= row.submitted && until.is_none_or(|until| record.at <= until);
    let events = state.cluster.events.iter().map(|(_, record)| &**record).filter(|record| shown(record));
    all.extend(events.filter_map(|record| of_event(record, row, &asks)));
    all.sort_by_key(|one| (one.at.0 / 1_000_000, one.what));
    all
}

/// An event of the application unless the row contains it.
fn of_event<'a>(record: &'a Record, row: &AppRow, asks: &HashMap<&str, &Arc<AskRow>>) -> Option<Happened<'a>> {
    let of = |what, more| {
        let one = asks.get(&*record.reference).map_or_else(|| record.reference.to_string(), |ask| ask.name().into());
        Some(Happened { at: record.at, what, one, more, event: Some(record) })
    };
    if record.kind == ObjectType::NODE {
        // Another application may have an equally named request.
        let ask = asks.get(&*record.reference).filter(|ask| ask.resource == record.resource)?;
        let reserved = (record.change, record.detail) == (ChangeType::ADD, ChangeDetail::NODE_RESERVATION);
        return of(What::Reserved, format!(" on {}", record.object)).filter(|_| reserved && record.at >= ask.created);
    }
    if record.kind != ObjectType::APP || *record.object != *row.id.as_str() {
        return None;
    }
    let known = asks.contains_key(&*record.reference);
    match record.detail {
        ChangeDetail::APP_REQUEST if !known => of(What::Requested, String::new()),
        ChangeDetail::APP_ALLOC if !known => of(What::Allocated, String::new()),
        ChangeDetail::ALLOC_PREEMPT => {
            let by = record.message.strip_prefix("preempted").unwrap_or_default();
            of(What::Event(record.detail), by.split([',', ';']).next().unwrap_or_default().to_owned())
        }
        ChangeDetail::ALLOC_CANCEL
        | ChangeDetail::ALLOC_TIMEOUT
        | ChangeDetail::ALLOC_REPLACED
        | ChangeDetail::ALLOC_NODE_REMOVED
        | ChangeDetail::REQUEST_TIMEOUT
        | ChangeDetail::APP_CANNOTRUN_QUEUE
        | ChangeDetail::APP_RUNNABLE_QUEUE
        | ChangeDetail::APP_CANNOTRUN_QUOTA
        | ChangeDetail::APP_RUNNABLE_QUOTA
        | ChangeDetail::APP_KILLED
        | ChangeDetail::APP_MOVED
        | ChangeDetail::APP_QUEUE_DRAINING => of(What::Event(record.detail), String::new()),
        _ => None,
    }
}

fn words(same: &[&Happened<'_>]) -> Vec<Piece> {
    let kinds = same.chunk_by(|one, next| one.what == next.what);
    kinds.map(|kind| of_kind(kind[0], kind.len())).collect()
}

fn of_kind(first: &Happened<'_>, count: usize) -> Piece {
    let role = first.event.map_or(Role::Text, weight::role);
    let (one, more) = (text::escape(&first.one), text::escape(&first.more));
    let counted = |verb: &str, noun: &str| match count {
        1 => format!("{one} {verb}{more}"),
        _ => format!("{} {verb}", format::count(count as u64, noun)),
    };
    match first.what {
        What::Submitted => plain(format!("submitted by {one}")),
        What::State(state) => state_piece(state),
        What::Requested if count == 1 => plain(format!("{one} requested")),
        What::Requested => plain(format::count(count as u64, "request")),
        What::Reserved => piece(role, counted("reserved", "request")),
        What::Allocated => piece(role, counted("allocated", "request")),
        What::Event(detail) => piece(
            role,
            match detail {
                ChangeDetail::ALLOC_CANCEL => counted("ended", "allocation"),
                ChangeDetail::ALLOC_PREEMPT => counted("preempted", "allocation"),
                ChangeDetail::ALLOC_TIMEOUT => counted("timed out", "placeholder"),
                ChangeDetail::ALLOC_REPLACED => counted("replaced", "placeholder"),
                ChangeDetail::ALLOC_NODE_REMOVED => counted("lost with its node", "allocation"),
                ChangeDetail::REQUEST_TIMEOUT => counted("timed out", "request"),
                ChangeDetail::APP_MOVED => format!("moved to {one}"),
                other => other.to_string(),
            },
        ),
    }
}

/// Cuts a word only if it exceeds a line.
fn wrapped(words: &[Piece], (at, column): (&str, usize), space: usize) -> Vec<Vec<Piece>> {
    let mut lines = vec![vec![dim(format!("{at:<column$}"))]];
    for (number, word) in words.iter().enumerate() {
        let comma = if number + 1 < words.len() { "," } else { "" };
        let wide = text::width(&word.text) + comma.len();
        let line = lines.last().map_or(0, |line| width(line));
        if line > column && line + 1 + wide > space {
            lines.push(vec![plain(" ".repeat(column))]);
        }
        let Some(line) = lines.last_mut() else { continue };
        if line.len() > 1 {
            line.push(plain(" "));
        }
        line.push(word.clone());
        if !comma.is_empty() {
            line.push(dim(comma));
        }
    }
    lines
}
