//! The steps of a line for the session.

use crate::linear::words::{Order, split};
use crate::linear::{config, page, plain, rows};
use crate::present::guard;
use crate::present::{change, placement};
use crate::state::State;
use crate::state::command::{CommandId, FormCommand, GoCommand, RowCommand, TimeCommand};
use crate::state::key::{Code, Key};
use crate::state::page::Page;

/// The maximum count of `next`.
pub const MOST: usize = 100_000;

/// A step for the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A command with its argument, if its guard passes.
    Run(CommandId, Option<String>),
    /// A key for an input.
    Key(Key),
    /// Moves the cursor to a row, from 0.
    Select(usize),
    /// The edited text of the configuration.
    Text(String),
}

/// The output after the steps of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Only new messages.
    Nothing,
    /// The page if it has changed.
    Look,
    /// The page from its start.
    Page,
    /// The selected row.
    Row,
}

/// The parsed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The lines before the steps.
    pub lines: Vec<String>,
    /// The output after the steps.
    pub then: Then,
}

impl Received {
    /// Only prints lines.
    pub fn reported(lines: Vec<String>) -> Self {
        Self { steps: Vec::new(), lines, then: Then::Nothing }
    }

    /// Prints why nothing is done.
    pub fn refused(why: impl AsRef<str>) -> Self {
        Self::reported(vec![plain::text(&format!("Rejected: {}", why.as_ref()))])
    }

    /// Has something done.
    pub fn steps(steps: Vec<Step>, then: Then) -> Self {
        Self { steps, lines: Vec::new(), then }
    }

    /// Runs one command.
    pub fn run(id: CommandId, argument: Option<&str>, then: Then) -> Self {
        Self::steps(vec![Step::Run(id, argument.map(str::to_owned))], then)
    }
}

/// A command with its fitting output.
pub fn ordered(Order { id, argument }: Order) -> Received {
    let then = match id {
        CommandId::Order(_) | CommandId::Job(_) | CommandId::Screen(_) => Then::Look,
        CommandId::Row(
            RowCommand::Up
            | RowCommand::Down
            | RowCommand::PageUp
            | RowCommand::PageDown
            | RowCommand::Top
            | RowCommand::Bottom,
        ) => Then::Row,
        CommandId::Row(RowCommand::Mark | RowCommand::MarkAll) => Then::Row,
        CommandId::Trend(_) | CommandId::Time(TimeCommand::StepBack | TimeCommand::StepOn) => Then::Page,
        CommandId::Go(GoCommand::Messages | GoCommand::Metrics | GoCommand::Tour) => Then::Look,
        _ => Then::Page,
    };
    Received::steps(vec![Step::Run(id, argument)], then)
}

/// A key without modifiers.
pub fn key(code: Code) -> Step {
    Step::Key(Key::plain(code))
}

/// Deletes the line up to the cursor.
pub fn clear() -> Step {
    Step::Key(Key { code: Code::Char('u'), ctrl: true, alt: false })
}

/// The keys of a text.
pub fn typed(text: &str) -> impl Iterator<Item = Step> {
    text.chars().filter(|c| !c.is_control()).map(|c| key(Code::Char(c)))
}

/// Keys as on the drawn console.
pub fn pressed(keys: &str) -> Received {
    if keys.is_empty() {
        return Received::refused("write key KEY, for example key K, key enter, key ctrl-o");
    }
    let read: Result<Vec<Step>, String> =
        keys.split_whitespace().map(|name| Key::parse(name).map(Step::Key).ok_or_else(|| name.to_owned())).collect();
    match read {
        Ok(steps) => Received::steps(steps, Then::Look),
        Err(name) => Received::refused(format!("{name} is not a key; write key K, key enter, key ctrl-o")),
    }
}

/// Moves by `count` rows in one step.
pub fn stepped(state: &State, on: bool, count: usize) -> Received {
    let Some((index, len)) = page::cursor(state) else {
        return Received::refused("this page has no rows; more reads on");
    };
    let to = if on { index.saturating_add(count) } else { index.saturating_sub(count) }.min(len.saturating_sub(1));
    let mut received = Received::steps(vec![Step::Select(to)], Then::Row);
    if to == index {
        received.lines.push(if on { "That is the last row.".to_owned() } else { "That is the first row.".to_owned() });
    }
    received
}

/// Selects a row by number or name, and runs a command.
pub fn selected(state: &State, what: &str, run: Option<RowCommand>) -> Received {
    let Some((_, len)) = page::cursor(state) else {
        return Received::refused("this page has no rows to select");
    };
    let number = what.parse::<usize>().ok().filter(|number| (1..=len).contains(number)).map(|number| number - 1);
    let found = match (number, rows::of(state)) {
        (Some(number), _) => vec![number],
        (None, Some(rows)) => rows.find(what),
        (None, None) => Vec::new(),
    };
    match found.as_slice() {
        [] => Received::refused(format!("row {what} not found among {len}")),
        [one] => {
            let run = run.map(|id| Step::Run(CommandId::Row(id), None));
            let then = if run.is_some() { Then::Look } else { Then::Row };
            Received::steps(std::iter::once(Step::Select(*one)).chain(run).collect(), then)
        }
        several => {
            let mut lines = vec![format!("{} rows match {what}; select one by its number:", several.len())];
            let names = rows::of(state).map(|rows| {
                several.iter().take(10).map(|at| format!("{}. {}", at + 1, rows.name(*at))).collect::<Vec<_>>()
            });
            lines.extend(names.unwrap_or_default());
            Received::reported(lines.iter().map(|line| plain::text(line)).collect())
        }
    }
}

/// Sets a field of the form.
pub fn set(state: &State, rest: &str) -> Received {
    let (labels, here): (Vec<String>, usize) = match state.page() {
        Page::Change(page) => {
            (change::fields(page, false).entries.iter().map(|one| one.label.to_owned()).collect(), page.field)
        }
        Page::Placement(page) => (
            placement::fields(page, false).entries.iter().map(|one| one.label.to_owned()).collect(),
            page.field as usize,
        ),
        _ => return Received::refused("this page has no form; placement and set-max open forms"),
    };
    let known = || format!("write set FIELD VALUE; the fields are {}", labels.join(", "));
    let (first, after) = split(rest);
    let number = first.parse::<usize>().ok().filter(|number| (1..=labels.len()).contains(number));
    // A label may contain blanks: longest match.
    let named = labels.iter().enumerate().filter(|(_, label)| {
        rest.to_lowercase()
            .strip_prefix(&label.to_lowercase())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    let found = named.max_by_key(|(_, label)| label.len());
    let (at, value) = match (found, number) {
        (Some((at, label)), _) => (at, rest.get(label.len()..).unwrap_or_default().trim()),
        (None, Some(number)) => (number - 1, after),
        (None, None) => return Received::refused(known()),
    };
    let id = if at > here { FormCommand::NextField } else { FormCommand::PreviousField };
    let mut steps = vec![Step::Run(CommandId::Form(id), None); at.abs_diff(here)];
    steps.extend([Step::Run(CommandId::Form(FormCommand::Write), None), key(Code::End), clear()]);
    steps.extend(typed(value));
    steps.push(Step::Run(CommandId::Form(FormCommand::EndWriting), None));
    Received::steps(steps, Then::Page)
}

/// Edits a line of the configuration.
pub fn edited(state: &State, word: &str, rest: &str) -> Received {
    let Page::Config(page) = state.page() else { return Received::refused("config opens the configuration") };
    if let Err(why) = guard::config::can_edit(state) {
        return Received::refused(why);
    }
    let mut lines = page.buffer.lines().to_vec();
    let (number, text) = split(rest);
    let most = if word == "insert" { lines.len() + 1 } else { lines.len() };
    let Some(at) = number.parse::<usize>().ok().filter(|number| (1..=most).contains(number)).map(|number| number - 1)
    else {
        return Received::refused(format!("write {word} N ...: the number of a line, from 1 to {most}"));
    };
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    match word {
        "delete" => drop(lines.remove(at)),
        "indent" => match text.parse::<usize>() {
            Ok(count @ 0..=200) => lines[at] = format!("{}{}", " ".repeat(count), lines[at].trim_start()),
            _ => return Received::refused("write indent N COUNT, at most 200 blanks"),
        },
        "insert" => {
            let like = lines.get(at).or(lines.last()).map_or(0, |line| indent(line));
            lines.insert(at, if text.is_empty() { String::new() } else { format!("{}{text}", " ".repeat(like)) });
        }
        _ => lines[at] = format!("{}{text}", " ".repeat(indent(&lines[at]))),
    }
    let reported =
        lines.get(at).map_or_else(|| "that was the last line".to_owned(), |line| config::numbered(at + 1, line));
    let reported = if word == "delete" { format!("Deleted; now {reported}") } else { format!("Written: {reported}") };
    // Keep the line ends of the text.
    let carriage = page.buffer.text().contains("\r\n") && !lines.iter().any(|line| line.ends_with('\r'));
    let text = lines.join(if carriage { "\r\n" } else { "\n" });
    Received { steps: vec![Step::Text(text)], lines: vec![reported], then: Then::Nothing }
}
