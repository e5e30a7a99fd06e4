//! Text with its meaning, before it is drawn: the words of a line or a cell, and their roles.

use std::borrow::Cow;

use crate::present::text;
use crate::state::{Grade, State};
use crate::theme::{ASCII, DRAWN, Role, SPOKEN, Signs};

/// Lines of pieces.
pub type Lines = Vec<Vec<Piece>>;

/// A piece of text with its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text; escaped when it is written.
    pub text: Cow<'static, str>,
    /// What it means; the theme makes a color of it.
    pub role: Role,
}

/// A piece of text with its meaning.
pub fn piece(role: Role, text: impl Into<Cow<'static, str>>) -> Piece {
    Piece { text: text.into(), role }
}

/// Text of no special meaning.
pub fn plain(text: impl Into<Cow<'static, str>>) -> Piece {
    piece(Role::Text, text)
}

/// Text that only accompanies.
pub fn dim(text: impl Into<Cow<'static, str>>) -> Piece {
    piece(Role::Dim, text)
}

/// The columns that pieces take.
pub fn width(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| text::width(&text::escape(&piece.text))).sum()
}

/// Where a cell of a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The first column.
    pub x: u16,
    /// How many columns.
    pub width: u16,
    /// Figures are at the right.
    pub right: bool,
}

/// The signs that a state is drawn with, or the words in their place.
pub fn sign_set(state: &State) -> &'static Signs {
    match (state.options.linear, state.options.ascii) {
        (true, _) => &SPOKEN,
        (false, true) => &ASCII,
        (false, false) => &DRAWN,
    }
}

/// The sign and the role of a message of this grade.
pub fn grade(grade: Grade, signs: &Signs) -> (&'static str, Role) {
    match grade {
        Grade::Info => (signs.arrow, Role::Accent),
        Grade::Refusal | Grade::Warning => (signs.limit, Role::Warning),
        Grade::Error => (signs.fault, Role::Error),
    }
}
