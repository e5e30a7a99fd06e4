//! The current message in the last line, a notice above it. They cover nothing; `:messages` lists all lines.

use crate::present::pieces;
use crate::present::pieces::{Lines, Piece, dim, piece, plain, symbol_set};
use crate::present::text;
use crate::state::layer::Layer;
use crate::state::{ShownNotice, State, Toast};
use crate::theme::{Role, Symbols};

const MOST: usize = 3;
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

/// The notice, otherwise the first hint: at most one line.
pub fn notice(state: &State) -> Lines {
    match (&state.notice, &state.note) {
        (Some(shown), _) => vec![engine(state, shown)],
        (None, Some(note)) => {
            let text = format!("Note: {}", note.lines.join(" "));
            vec![framed(state, (symbol_set(state).arrow, Role::Accent), Role::Text, &text, "")]
        }
        (None, None) => Lines::new(),
    }
}

fn engine(state: &State, shown: &ShownNotice) -> Vec<Piece> {
    let (symbol, role) = pieces::grade(shown.notice.weight.into(), symbol_set(state));
    let times = if shown.times > 1 { format!(" ({} times)", shown.times) } else { String::new() };
    let title = format!("{}{times}", without_dirs(&shown.notice.title));
    let more = match (shown.notice.text.is_empty(), shown.others) {
        (false, _) => REST.to_owned(),
        (true, 0) => String::new(),
        (true, others) => format!("{others} {REST}"),
    };
    framed(state, (symbol, role), role, &title, &more)
}

/// Replaces paths by file names, to save space.
fn without_dirs(line: &str) -> String {
    let short = |word: &str| match word.rsplit_once('/') {
        Some((dirs, name)) if word.starts_with('/') && !name.is_empty() && dirs.len() > 1 => name.to_owned(),
        _ => word.to_owned(),
    };
    line.split(' ').map(short).collect::<Vec<_>>().join(" ")
}

/// A text that is cut at the width, and where to read the rest.
fn framed(state: &State, (symbol, role): (&'static str, Role), of_text: Role, text: &str, more: &str) -> Vec<Piece> {
    let symbols = symbol_set(state);
    let width = usize::from(state.size.width).saturating_sub(2);
    let space = width.saturating_sub(symbol_columns(symbol));
    let text = text::escape(text.trim());
    let fits = |after: &str| text::width(&text) + after.len() + 2 <= space;
    let more = if more.is_empty() && !fits(CLOSE) { REST } else { more };
    let both = format!("{more}  {CLOSE}");
    let after = match more {
        "" => CLOSE,
        _ if space < NARROW => MESSAGES,
        // A whole title is worth more than the second hint.
        more if fits(more) && !fits(&both) => more,
        _ => &both,
    };
    let text = text::cut(&text, space.saturating_sub(after.len() + 2), symbols.ellipsis).into_owned();
    let gap = " ".repeat(space.saturating_sub(text::width(&text) + after.len()));
    vec![
        piece(role, symbols.wall),
        piece(role, symbol),
        plain(" "),
        piece(of_text, text),
        plain(gap),
        dim(after.to_owned()),
    ]
}
