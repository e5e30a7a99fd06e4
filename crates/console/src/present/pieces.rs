//! Text with roles, before drawing.

use std::borrow::Cow;

use crate::present::text;
use crate::state::{Grade, State};
use crate::theme::{ASCII, DRAWN, Role, SPOKEN, Symbols};

/// Lines of pieces.
pub type Lines = Vec<Vec<Piece>>;

/// A text with a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text, not escaped.
    pub text: Cow<'static, str>,
    /// The role; the theme maps it to a color.
    pub role: Role,
}

/// A text with a role.
pub fn piece(role: Role, text: impl Into<Cow<'static, str>>) -> Piece {
    Piece { text: text.into(), role }
}

/// A text without a special role.
pub fn plain(text: impl Into<Cow<'static, str>>) -> Piece {
    piece(Role::Text, text)
}

/// A secondary text.
pub fn dim(text: impl Into<Cow<'static, str>>) -> Piece {
    piece(Role::Dim, text)
}

/// The width of pieces.
pub fn width(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| text::width(&text::escape(&piece.text))).sum()
}

/// Wraps at `max` columns, between words.
pub fn wrap(pieces: &[Piece], max: usize) -> Lines {
    let mut lines = vec![Vec::new()];
    let (mut used, mut may_break) = (0, false);
    for piece in pieces {
        for word in piece.text.split_inclusive(' ') {
            let wide = text::width(&text::escape(word.trim_end()));
            if may_break && used + wide > max {
                lines.push(Vec::new());
                used = 0;
            }
            may_break = word.ends_with(' ');
            used += text::width(&text::escape(word));
            if let Some(line) = lines.last_mut() {
                line.push(Piece { text: word.to_owned().into(), role: piece.role });
            }
        }
    }
    lines
}

/// The area of a table cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The first column.
    pub x: u16,
    /// How many columns.
    pub width: u16,
    /// Right-aligned, for numbers.
    pub right: bool,
}

/// The symbols of the state, graphical or ASCII.
pub fn symbol_set(state: &State) -> &'static Symbols {
    match (state.options.linear, state.options.ascii) {
        (true, _) => &SPOKEN,
        (false, true) => &ASCII,
        (false, false) => &DRAWN,
    }
}

/// The symbol and role of a message grade.
pub fn grade(grade: Grade, symbols: &Symbols) -> (&'static str, Role) {
    match grade {
        Grade::Info => (symbols.arrow, Role::Accent),
        Grade::Refusal | Grade::Warning => (symbols.limit, Role::Warning),
        Grade::Error => (symbols.fault, Role::Error),
    }
}
