//! Details of an application.

use std::sync::Arc;

use crate::present::details::kubernetes;
use crate::present::details::sheet::{Sheet, labeled, labeled_text, labelled_pieces};
use crate::present::details::timeline;
use crate::present::format;
use crate::present::limits;
use crate::present::pieces::{Lines, dim, piece, plain};
use crate::present::place::Source;
use crate::present::subject;
use crate::present::text;
use crate::present::unknown;
use crate::present::words::word_of;
use crate::state::State;
use crate::state::column::AppColumn;
use crate::state::page::Page;
use crate::theme::{Role, Symbols};
use model::Time;
use view::{AppRow, PartitionView};

/// The sheet of an application.
pub fn sheet(state: &State, row: &Arc<AppRow>, width: usize, symbols: &Symbols) -> Sheet {
    // The view may have a newer row.
    let newer = state.cluster.part().and_then(|part| part.app(row.slot)).filter(|newer| newer.id == row.id);
    let row = newer.unwrap_or(row);
    let queue = if row.queue.as_str().is_empty() { "in no queue".to_owned() } else { format!("in {}", row.queue) };
    let what = vec![dim(format!("{queue}   ")), crate::present::lists::apps::state_piece(row.state)];
    let mut left = Lines::new();
    let page = match state.page() {
        Page::Details(_) => state.pages.iter().rev().nth(1),
        page => Some(page),
    };
    if let Some(Page::App(page)) = page
        && page.row.as_ref().is_some_and(|shown| shown.id == row.id)
        && let Some(ask) = subject::ask(page)
    {
        let why = crate::present::lists::asks::why(state.cluster.part(), row, ask, Some(Source::of(state)));
        let why: String = why.iter().map(|piece| piece.text.as_ref()).collect();
        let text = format!("{} {}{}{why}", ask.name(), word_of(ask), if why.is_empty() { "" } else { ": " });
        labeled_text(&mut left, "this request", &text, width, Role::Text);
        kubernetes::ask(&mut left, state, &ask.id, width);
        tags(&mut left, "its tags", ask.tags.iter(), width);
    }
    let job = state.job.of(&row.id);
    if let Some(job) = job {
        crate::present::job::runs(&mut left, job, width);
    }
    if let Some(message) = &row.message {
        labeled_text(&mut left, "message", message, width, Role::Error);
    }
    let part = state.cluster.part();
    if let Some(blocked_by) =
        part.filter(|_| !row.state.is_ended()).and_then(|part| limits::blocked(part, row, Some(Source::of(state))))
    {
        labeled_text(&mut left, "held back", &blocked_by, width, Role::Warning);
    }
    kubernetes::app(&mut left, state, row, width);
    timeline::add(&mut left, state, row, width, symbols);
    labeled(&mut left, "submitted", vec![plain(ago(state, row.submitted)), dim(format!(" by {}", row.who))]);
    if let Some(finished) = row.finished {
        labeled(&mut left, "ended", vec![plain(ago(state, finished))]);
    }
    tags(&mut left, "tags", row.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())), width);
    let mut right = Lines::new();
    if let Some(job) = job {
        crate::present::job::uses(&mut right, job, width, symbols);
    }
    right.extend(resources(state, row, symbols));
    unknown::lines(&mut right, part, "application", row.id.as_str(), width);
    if let Some(part) = part.filter(|_| !row.state.is_ended()) {
        limits(&mut right, state, part, row, width, symbols);
    }
    Sheet { title: vec![piece(Role::Title, row.id.to_string())], what, left, right }
}

fn limits(lines: &mut Lines, state: &State, part: &PartitionView, row: &AppRow, width: usize, symbols: &Symbols) {
    for (at, limit) in part.limits_of(row).iter().enumerate() {
        let (kind, name) = (limits::kind(limit.side), limits::name(limit.side, &limit.name));
        let used = [vec![plain(format!("{kind} {name} has "))], limits::use_pieces(limit, symbols)].concat();
        labelled_pieces(lines, if at == 0 { "limits" } else { "" }, &used, width);
        let place = dim(format!("in {}", limits::place(limit, Some(Source::of(state)))));
        labelled_pieces(lines, "", &[plain("  "), place], width);
    }
}

fn ago(state: &State, time: Time) -> String {
    format!("{} ago", format::duration(state.cluster.at.since(time)))
}

fn tags<'t>(lines: &mut Lines, label: &str, tags: impl Iterator<Item = (&'t str, &'t str)>, width: usize) {
    for (at, (name, value)) in tags.enumerate() {
        let text = format!("{name} = {value}");
        labeled_text(lines, if at == 0 { label } else { "" }, &text, width, Role::Text);
    }
}

const ALLOCATED: [AppColumn; 3] = [AppColumn::Allocations, AppColumn::Cpu, AppColumn::Memory];
const PENDING: [AppColumn; 3] = [AppColumn::Pending, AppColumn::AskedCpu, AppColumn::AskedMemory];

fn resources(state: &State, row: &AppRow, symbols: &Symbols) -> Lines {
    let mut lines = Lines::new();
    let priority = format::priority(row.priority).map_or_else(|| dim(symbols.nothing), plain);
    let of = if row.pending_asks > 0 { "  the highest of its pending requests" } else { "  no pending requests" };
    let class = kubernetes::classes(state, row.priority.0).filter(|_| row.pending_asks > 0);
    let class = class.map(|class| dim(format!("  class {}", text::escape(&class))));
    labeled(&mut lines, "priority", [priority, dim(of)].into_iter().chain(class).collect());
    let allocated = row.asks.len().saturating_sub(row.pending_asks as usize);
    let lost = |label: &str| {
        let keys: &[AppColumn] = if label == "pending" { &PENDING } else { &ALLOCATED };
        state.cluster.part().is_some_and(|part| keys.iter().any(|column| unknown::of_app(part, row, *column).is_some()))
    };
    for (label, resource, number, noun) in [
        ("allocated", &row.allocated, allocated, "allocation"),
        ("placeholders", &row.placeholder, 0, ""),
        ("pending", &row.pending, row.pending_asks as usize, "request"),
    ] {
        if resource.is_zero() && label == "placeholders" {
            continue;
        }
        if lost(label) {
            labeled(&mut lines, label, vec![unknown::cell(symbols)]);
            continue;
        }
        let mut value = vec![if resource.is_zero() { dim(symbols.nothing) } else { plain(format::resource(resource)) }];
        if number > 0 {
            value.push(dim(format!("  in {}", format::count(number as u64, noun))));
        }
        labeled(&mut lines, label, value);
    }
    for group in &row.task_groups {
        let of = format!("  of {}", format::count(group.count, "placeholder"));
        let gone = format!(", {} replaced, {} timed out", group.replaced, group.timed_out);
        labeled(&mut lines, "task group", vec![plain(text::escape(&group.name).into_owned()), dim(of + &gone)]);
    }
    lines
}
