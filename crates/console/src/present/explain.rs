//! Explains why something is pending: a sentence, the time, then the sheet's lines.

use crate::present::format;
use crate::present::pieces::{Piece, dim, piece, symbol_set};
use crate::present::place::Source;
use crate::present::text;
use crate::state::State;
use crate::state::explain::{ExplainPage, Explained};
use crate::theme::Role;
use config::Place;
use model::{AppId, Resource};
use view::waiting::{Asked, SheetLine, Target};

const LABEL: usize = 13;

const FLAT_LABEL: usize = 11;

const HELPS: &str = "would help";

/// A line of the screen.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What it says.
    pub pieces: Vec<Piece>,
    /// The index of its line in the sheet.
    pub of: Option<usize>,
}

/// All lines of the page.
pub fn rows(state: &State, page: &ExplainPage, width: usize) -> Vec<Row> {
    let words = |role, text: &str| {
        let text = text::escape(text).into_owned();
        text::wrap(&text, width).into_iter().map(move |line| Row { pieces: vec![piece(role, line)], of: None })
    };
    let sheet = match &page.sheet {
        None => return words(Role::Dim, "loading").collect(),
        Some(Err(refusal)) => {
            let mut rows: Vec<Row> = words(Role::Warning, &refusal.message).collect();
            if !refusal.description.is_empty() {
                rows.extend(words(Role::Dim, &refusal.description));
            }
            return rows;
        }
        Some(Ok(sheet)) => sheet,
    };
    let flat = matches!(page.of, Explained::Overview(_));
    if flat {
        let head = format!("{}, at {}", sheet.sentence, format::when(sheet.at, state.cluster.at));
        let mut rows: Vec<Row> = words(Role::Title, &head).collect();
        for (at, line) in sheet.lines.iter().enumerate() {
            if line.depth == 0 {
                rows.push(Row::default());
            }
            rows.extend(of_line(state, line, (at, flat), width));
        }
        return rows;
    }
    let mut rows: Vec<Row> = words(Role::Title, &sheet.sentence).collect();
    let again = match (&page.of, state.cluster.link.is_live()) {
        (_, false) => ", and the connection is lost",
        (Explained::Waiting(_), true) => "",
        (Explained::Node(_) | Explained::Event(_), true) => ", from the data shown here",
        (Explained::Overview(_), true) => "",
    };
    if let Explained::Waiting(Asked::App(app, _)) = &page.of
        && let Some(has) = has(state, app)
    {
        rows.extend(words(Role::Text, &has));
    }
    rows.extend(words(Role::Dim, &format!("at {}{again}", format::when(sheet.at, state.cluster.at))));
    // Repeat the remedy at the top of a long sheet.
    if let Some(remedy) = sheet.lines.iter().find(|line| line.label == HELPS) {
        rows.extend(words(Role::Good, &format!("{HELPS}: {}", remedy.text)));
    }
    let before = page.seen.iter().zip(page.seen.iter().skip(1));
    for ((from, cause), (to, _)) in before {
        let cause = if cause.is_empty() { "nothing" } else { cause };
        let text = format!(
            "earlier, from {} to {}: it waited for {cause}",
            format::when(*from, state.cluster.at),
            format::when(*to, state.cluster.at)
        );
        rows.extend(words(Role::Dim, &text));
    }
    for (at, reported) in &page.reported {
        let text = format!("event, {}: {reported}", format::when(*at, state.cluster.at));
        rows.extend(words(Role::Dim, &text));
    }
    for (at, line) in sheet.lines.iter().enumerate() {
        if line.depth == 0 && !line.label.is_empty() {
            rows.push(Row::default());
        }
        rows.extend(of_line(state, line, (at, false), width));
    }
    rows
}

fn has(state: &State, app: &AppId) -> Option<String> {
    let part = state.cluster.part()?;
    let row = part.app_by_id(app).filter(|row| !row.state.is_ended())?;
    let used = [&row.allocated, &row.placeholder].into_iter().fold(Resource::new(), |sum, one| sum.add(one));
    let allocations = (row.asks.len() as u64).saturating_sub(row.pending_asks.into());
    if allocations == 0 {
        return None;
    }
    let now = state.cluster.at;
    let since = row
        .started
        .map(|since| format!(" since {} ({} ago)", format::when(since, now), format::duration(now.since(since))));
    let (state, since) = (row.state, since.unwrap_or_default());
    if row.pending_asks == 0 {
        return Some(format!("{state}{since}; no request waits"));
    }
    let waits = if row.pending_asks == 1 { "1 request waits" } else { &format!("{} requests wait", row.pending_asks) };
    let (used, allocations) = (format::resource(&used), format::count(allocations, "allocation"));
    Some(format!("{state}{since}: uses {used} in {allocations}; {waits}"))
}

fn reported(state: &State, line: &SheetLine) -> String {
    let place = match &line.to {
        Some(Target::Line(number)) if line.label.is_empty() => {
            Source::of(state).place(Place { line: *number, column: 1 })
        }
        _ => None,
    };
    place.map_or_else(|| line.text.clone(), |place| format!("in {place}"))
}

fn of_line(state: &State, line: &SheetLine, (at, flat): (usize, bool), width: usize) -> Vec<Row> {
    let indent = if line.depth == 0 || flat { 0 } else { 2 };
    let role = match (line.label.as_str(), line.depth) {
        (HELPS, _) => Role::Good,
        ("connection" | "scheduler" | "health" | "starves" | "config", _) if flat => Role::Warning,
        _ if flat => Role::Text,
        ("unknown", _) => Role::Warning,
        (_, 0) => Role::Text,
        (_, 1) if !line.label.is_empty() => Role::Text,
        _ if line.to.is_some() => Role::Accent,
        _ => Role::Dim,
    };
    let since = line.since.map(|since| format!(" ({} ago)", format::duration(state.cluster.at.since(since))));
    let text = text::escape(&reported(state, line)).into_owned() + &since.unwrap_or_default();
    // A link symbol follows the first line.
    let label_width = if flat { FLAT_LABEL } else { LABEL };
    let space = width.saturating_sub(indent + label_width + 2);
    let mut rows = Vec::new();
    for (number, words) in text::wrap(&text, space.max(10)).into_iter().enumerate() {
        let label = if number == 0 { line.label.as_str() } else { "" };
        let mut pieces = vec![dim(format!("{}{label:<label_width$}", " ".repeat(indent))), piece(role, words)];
        if number == 0 && line.to.is_some() && role != Role::Accent {
            pieces.push(dim(format!(" {}", symbol_set(state).arrow)));
        }
        rows.push(Row { pieces, of: Some(at) });
    }
    rows
}
