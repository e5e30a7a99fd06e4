//! Announcements of messages and of the connection.
//!
//! Invariants: each message is announced once; an announcement is limited, and counts omitted messages.

use crate::linear::{plain, rows};
use crate::present::{format, link};
use crate::state::{Grade, Message, State};

/// The first words of announcements.
pub const HEADS: [&str; 8] =
    ["Message", "Messages", "Rejected", "Warning", "Error", "Connection", "Changed", "Question"];
const MESSAGES: usize = 6;
const MORE: usize = 6;
const COMPARED: usize = 2_000;
const CHANGED: usize = 12;

/// What was announced.
#[derive(Clone, Debug, Default)]
pub struct Announcer {
    reported: u64,
    link: String,
}

impl Announcer {
    /// Marks all current messages as announced.
    pub fn catch_up(&mut self, state: &State) {
        self.reported = newest(state);
        self.link = problem(state);
    }

    /// Whether an announcement is due.
    pub fn has_news(&self, state: &State) -> bool {
        newest(state) > self.reported || problem(state) != self.link
    }

    /// Takes new messages, and a changed connection.
    pub fn take(&mut self, state: &State) -> Vec<String> {
        let new: Vec<&Message> = state.messages.iter().filter(|message| message.number > self.reported).collect();
        let left_out = new.len().saturating_sub(MESSAGES);
        let mut lines: Vec<String> = new.iter().skip(left_out).flat_map(|message| words(message)).collect();
        if left_out > 0 {
            lines.insert(0, format!("Messages: {left_out} earlier messages; messages lists all"));
        }
        self.reported = newest(state);
        let now = problem(state);
        if now != self.link {
            lines.push(match now.as_str() {
                "" => "Connection: back".to_owned(),
                _ => plain::text(&format!("Connection: {}", link::words(&state.cluster.link))),
            });
            self.link = now;
        }
        lines
    }
}

fn newest(state: &State) -> u64 {
    state.messages.back().map_or(0, |message| message.number)
}

fn problem(state: &State) -> String {
    link::problem(&state.cluster.link).map(|problem| problem.story).unwrap_or_default()
}

/// A message in lines.
pub fn words(message: &Message) -> Vec<String> {
    let grade = match message.grade {
        Grade::Info => "Message",
        Grade::Refusal => "Rejected",
        Grade::Warning => "Warning",
        Grade::Error => "Error",
    };
    let times = if message.times > 1 { format!(" ({} times)", message.times) } else { String::new() };
    let mut lines = vec![plain::text(&format!("{grade}: {}{times}", message.text))];
    let more = message.more.lines().map(plain::text).filter(|line| !line.is_empty());
    lines.extend(more.take(MORE));
    lines
}

/// All messages, the newest first.
pub fn all(state: &State) -> Vec<String> {
    let ago = |message: &Message| match message.at {
        Some(at) => format!(", {} ago", format::duration(state.now.saturating_sub(at))),
        None => String::new(),
    };
    let reported = state.messages.iter().rev().flat_map(|message| {
        let mut lines = words(message);
        if let Some(first) = lines.first_mut() {
            first.push_str(&ago(message));
        }
        lines
    });
    let lines: Vec<String> = reported.collect();
    if lines.is_empty() { vec!["No messages yet.".to_owned()] } else { lines }
}

/// The last messages.
pub fn recent(state: &State) -> Vec<String> {
    let from = state.messages.len().saturating_sub(MESSAGES);
    state.messages.iter().skip(from).flat_map(words).collect()
}

type Cell = (Option<String>, String);

/// The last printed rows, to find changes.
#[derive(Clone, Debug, Default)]
pub struct Retained {
    page: String,
    rows: Vec<(String, Vec<Cell>)>,
}

impl Retained {
    /// Stores the list on the screen.
    pub fn of(state: &State, page: String) -> Self {
        let rows = rows::of(state).map(|rows| {
            let row = |at: usize| (rows.name(at), rows.cells(at));
            (0..rows.len().min(COMPARED)).map(row).collect()
        });
        Self { page, rows: rows.unwrap_or_default() }
    }

    /// The changes on the same page; `None` for another page, or without a list.
    pub fn changes(&self, now: &Self) -> Option<Vec<String>> {
        if self.page != now.page || self.rows.is_empty() && now.rows.is_empty() {
            return None;
        }
        let before = |name: &str| self.rows.iter().find(|(known, _)| known == name);
        let mut lines = Vec::new();
        for (name, cells) in &now.rows {
            match before(name) {
                None => lines.push(format!("new: {name}")),
                Some((_, old)) if old != cells => {
                    lines.push(format!("{name}: {}", difference(old, cells)).trim_end_matches([':', ' ']).to_owned());
                }
                Some(_) => {}
            }
        }
        let gone = self.rows.iter().filter(|(name, _)| !now.rows.iter().any(|(known, _)| known == name));
        lines.extend(gone.map(|(name, _)| format!("gone: {name}")));
        let left_out = lines.len().saturating_sub(CHANGED);
        lines.truncate(CHANGED);
        if left_out > 0 {
            lines.push(format!("and {}", format::count(left_out as u64, "more changed row")));
        }
        Some(lines)
    }
}

fn difference(old: &[Cell], new: &[Cell]) -> String {
    let value = |cells: &[Cell], name: &Option<String>| {
        cells
            .iter()
            .find(|(known, _)| known == name)
            .map_or_else(|| "none".to_owned(), |(_, reported)| reported.clone())
    };
    let mut names: Vec<&Option<String>> = old.iter().chain(new).map(|(name, _)| name).collect();
    let mut seen: Vec<&Option<String>> = Vec::new();
    names.retain(|name| !seen.contains(name) && (seen.push(name), true).1);
    let changed = names.into_iter().filter(|name| value(old, name) != value(new, name));
    let reported =
        changed.map(|name| format!("{} {} to {}", name.as_deref().unwrap_or(""), value(old, name), value(new, name)));
    plain::text(&reported.collect::<Vec<_>>().join(", "))
}
