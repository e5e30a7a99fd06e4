//! A sheet: a title over labelled lines in two columns.

use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::theme::{Role, Signs};

/// Where values start behind their labels.
pub const LABEL: usize = 13;

/// What is known of a thing: a title over two columns.
#[derive(Default)]
pub struct Sheet {
    /// What it is about, unchanged over the sheet.
    pub title: Vec<Piece>,
    /// What it is: behind the name, or below it where there is no room.
    pub what: Vec<Piece>,
    /// What is at the left, or first.
    pub left: Lines,
    /// What is at the right, or last.
    pub right: Lines,
}

/// Adds a line with a label.
pub fn labelled(lines: &mut Lines, label: &str, value: Vec<Piece>) {
    // A label that is too long for its column moves the text next to it.
    let gap = if text::width(label) < LABEL { "" } else { "  " };
    let mut line = vec![dim(format!("{label:<LABEL$}{gap}"))];
    line.extend(value);
    lines.push(line);
}

/// Adds a text with a label, wrapped in `width` columns.
pub fn labelled_text(lines: &mut Lines, label: &str, value: &str, width: usize, role: Role) {
    let value = text::escape(value).into_owned();
    for (at, line) in text::wrap(&value, width.saturating_sub(LABEL)).into_iter().enumerate() {
        labelled(lines, if at == 0 { label } else { "" }, vec![piece(role, line)]);
    }
}

/// A thing that is not there any more.
pub fn gone(name: String) -> Sheet {
    Sheet { title: vec![piece(Role::Title, name)], what: vec![dim("was removed")], ..Sheet::default() }
}

/// A figure, or the sign for nothing.
pub fn figure(name: &str, amount: Option<i64>, signs: &Signs) -> Piece {
    match amount {
        None => dim(signs.nothing),
        Some(amount) => plain(view::units::show_amount(name, amount)),
    }
}

/// Figures with their headings in one line, for what is read out: `cpu  used 7.5, guaranteed 4`.
pub fn in_words(name: &str, figures: &[(&str, &Piece)]) -> Vec<Piece> {
    let said: Vec<String> = figures.iter().map(|(head, figure)| format!("{head} {}", figure.text.trim())).collect();
    vec![dim(format!("{name} ")), plain(said.join(", "))]
}

/// A figure in a column of its own, at the right.
pub fn at_right(cell: Piece, width: usize) -> Piece {
    let pad = width.saturating_sub(text::width(&cell.text));
    piece(cell.role, format!("{}{}", " ".repeat(pad), cell.text))
}
