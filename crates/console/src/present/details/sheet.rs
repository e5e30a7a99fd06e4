//! A title and labelled lines in two columns.

use crate::present::pieces;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::theme::{Role, Symbols};

/// The column of values after labels.
pub const LABEL: usize = 13;

/// A title and two columns.
#[derive(Default)]
pub struct Sheet {
    /// The fixed title.
    pub title: Vec<Piece>,
    /// The kind, after the name, or below without space.
    pub what: Vec<Piece>,
    /// The left or first column.
    pub left: Lines,
    /// The right or last column.
    pub right: Lines,
}

/// Adds a labelled line.
pub fn labeled(lines: &mut Lines, label: &str, value: Vec<Piece>) {
    // A long label moves its text.
    let gap = if text::width(label) < LABEL { "" } else { "  " };
    let mut line = vec![dim(format!("{label:<LABEL$}{gap}"))];
    line.extend(value);
    lines.push(line);
}

/// Adds a labelled text, wrapped to `width`.
pub fn labeled_text(lines: &mut Lines, label: &str, value: &str, width: usize, role: Role) {
    let value = text::escape(value).into_owned();
    for (at, line) in text::wrap(&value, width.saturating_sub(LABEL)).into_iter().enumerate() {
        labeled(lines, if at == 0 { label } else { "" }, vec![piece(role, line)]);
    }
}

/// Adds labelled pieces, wrapped to `width`; further lines are indented by two columns.
pub fn labelled_pieces(lines: &mut Lines, label: &str, value: &[Piece], width: usize) {
    for (at, line) in pieces::wrap(value, width.saturating_sub(LABEL + 2)).into_iter().enumerate() {
        let indent = if at == 0 { None } else { Some(plain("  ")) };
        labeled(lines, if at == 0 { label } else { "" }, indent.into_iter().chain(line).collect());
    }
}

/// The sheet of a removed object.
pub fn gone(name: String) -> Sheet {
    Sheet { title: vec![piece(Role::Title, name)], what: vec![dim("was removed")], ..Sheet::default() }
}

/// A value, or the symbol for none.
pub fn metric(name: &str, amount: Option<i64>, symbols: &Symbols) -> Piece {
    match amount {
        None => dim(symbols.nothing),
        Some(amount) => plain(view::units::show_amount(name, amount)),
    }
}

/// `cpu  used 7.5, guaranteed 4`, for screen readers.
pub fn in_words(name: &str, metrics: &[(&str, &Piece)]) -> Vec<Piece> {
    let reported: Vec<String> = metrics.iter().map(|(head, metric)| format!("{head} {}", metric.text.trim())).collect();
    vec![dim(format!("{name} ")), plain(reported.join(", "))]
}

/// A right-aligned cell.
pub fn at_right(cell: Piece, width: usize) -> Piece {
    let pad = width.saturating_sub(text::width(&cell.text));
    piece(cell.role, format!("{}{}", " ".repeat(pad), cell.text))
}
