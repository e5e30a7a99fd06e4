//! The current message in the last line, and up to three lines above it for a notice. They have their own space and
//! cover nothing; `:messages` lists all.
//!
//! ```text
//! │✗ queues.yaml was refused, the configuration stays as it is                      esc closes
//! │  queues.yaml:9:41: error[CFG-021]: `max`: vcore "6x" has an unknown suffix
//! │  queues.yaml:14:9: error[CFG-002]: `usres` is no field of a limit          more: :messages
//! ```

use crate::present::board;
use crate::present::pieces;
use crate::present::pieces::{Lines, Piece, dim, piece, plain, symbol_set};
use crate::present::text;
use crate::state::layer::Layer;
use crate::state::{ShownNotice, State, Toast};
use crate::theme::{Role, Symbols};

const MOST: usize = 3;
const LOW: u16 = 20;
const CLOSE: &str = "esc closes";
const REST: &str = "more: :messages";
const MESSAGES: &str = ":messages";
const NARROW: usize = 60;

fn is_writing(state: &State) -> bool {
    matches!(state.layers.last(), Some(Layer::Command(_) | Layer::Filter { .. } | Layer::Reason { .. }))
}

fn symbol_columns(symbol: &str) -> usize {
    text::width(symbol) + 1
}

/// The message: symbol, role, and lines.
pub fn toast(state: &State) -> Option<(&'static str, Role, Vec<String>)> {
    let toast: &Toast = state.toast.as_ref().filter(|_| !is_writing(state))?;
    let symbols = symbol_set(state);
    let (symbol, role) = pieces::grade(toast.grade, symbols);
    let space = usize::from(state.size.width).saturating_sub(symbol_columns(symbol) + 2);
    Some((symbol, role, at_most(text::wrap(&text::escape(&toast.text), space), MOST, space, symbols)))
}

fn at_most(mut lines: Vec<String>, most: usize, space: usize, symbols: &Symbols) -> Vec<String> {
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(text::cut(&rest, space, symbols.ellipsis).into_owned());
    }
    lines
}

/// Lines above the last one.
pub fn height(state: &State) -> u16 {
    let toast = toast(state).map_or(0, |(_, _, lines)| lines.len().saturating_sub(1));
    u16::try_from(toast + notice(state).len()).unwrap_or(0)
}

fn space_for_notice(state: &State) -> usize {
    // Never covers the tree.
    let most = if state.size.height < LOW || board::is_shown(state) { 1 } else { MOST };
    let toast = toast(state).map_or(0, |(_, _, lines)| lines.len().saturating_sub(1));
    most.saturating_sub(toast).max(1)
}

/// The notice, otherwise the first hint.
pub fn notice(state: &State) -> Lines {
    let most = space_for_notice(state);
    match (&state.notice, &state.note) {
        (Some(shown), _) => engine(state, shown, most),
        (None, Some(note)) => {
            let symbols = symbol_set(state);
            let text = format!("Note: {}", note.lines.join(" "));
            framed(state, (symbols.arrow, Role::Accent), Role::Text, "", std::iter::once(text.as_str()), most)
        }
        (None, None) => Lines::new(),
    }
}

fn engine(state: &State, shown: &ShownNotice, most: usize) -> Lines {
    let (symbol, role) = pieces::grade(shown.notice.weight.into(), symbol_set(state));
    let times = if shown.times > 1 { format!(" ({} times)", shown.times) } else { String::new() };
    let title = format!("{}{times}", without_dirs(&shown.notice.title));
    let more = match shown.others {
        0 => String::new(),
        others => format!("{others} more: :messages"),
    };
    let is_quote = |line: &&str| line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit()).starts_with('|');
    let text: Vec<String> = shown.notice.text.lines().filter(|line| !is_quote(line)).map(without_dirs).collect();
    framed(
        state,
        (symbol, role),
        role,
        &more,
        std::iter::once(title.as_str()).chain(text.iter().map(String::as_str)),
        most,
    )
}

/// Replaces paths by file names, to save space.
fn without_dirs(line: &str) -> String {
    let short = |word: &str| match word.rsplit_once('/') {
        Some((dirs, name)) if word.starts_with('/') && !name.is_empty() && dirs.len() > 1 => name.to_owned(),
        _ => word.to_owned(),
    };
    line.split(' ').map(short).collect::<Vec<_>>().join(" ")
}

fn framed<'a>(
    state: &State,
    (symbol, role): (&'static str, Role),
    first: Role,
    others: &str,
    text: impl Iterator<Item = &'a str>,
    most: usize,
) -> Lines {
    let symbols = symbol_set(state);
    let column = symbol_columns(symbol);
    let width = usize::from(state.size.width).saturating_sub(2);
    let space = width.saturating_sub(column);
    let narrow = space < NARROW;
    let closed = space.saturating_sub(CLOSE.len() + 2);
    let mut lines: Vec<(String, Role)> = Vec::new();
    for (at, line) in text.enumerate() {
        let role = if at == 0 { first } else { Role::Dim };
        // At most as wide as the first suffix.
        lines.extend(text::wrap(&text::escape(line.trim()), closed).into_iter().map(|line| (line, role)));
        if lines.len() > most {
            break;
        }
    }
    let cut = lines.len() > most;
    lines.truncate(most);
    let last = lines.len().saturating_sub(1);
    let rest = match (cut, narrow) {
        (true, false) => REST,
        (true, true) => MESSAGES,
        (false, _) => others,
    };
    let line = |(at, (text, reported)): (usize, (String, Role))| {
        let (symbol, behind) = match at {
            _ if at == last && last == 0 && !rest.is_empty() && narrow => (symbol, rest.to_owned()),
            _ if at == last && last == 0 && !rest.is_empty() => (symbol, format!("{rest}  {CLOSE}")),
            0 => (symbol, CLOSE.to_owned()),
            _ if at == last => (" ", rest.to_owned()),
            _ => (" ", String::new()),
        };
        let text = text::cut(&text, space.saturating_sub(behind.len() + 2), symbols.ellipsis).into_owned();
        let used = text::width(&text);
        let pad = if text::width(symbol) + 1 < column { column - text::width(symbol) } else { 1 };
        let mut line = vec![
            piece(role, symbols.wall),
            piece(role, symbol),
            plain(" ".repeat(pad)),
            piece(reported, text),
            plain(" ".repeat(space.saturating_sub(used + behind.len()))),
        ];
        line.push(dim(behind));
        line
    };
    let lines: Lines = lines.into_iter().enumerate().map(line).collect();
    debug_assert!(lines.iter().all(|line: &Vec<Piece>| pieces::width(line) <= width + 2));
    lines
}
