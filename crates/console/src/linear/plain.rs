//! Plain text: no control characters or drawing symbols, single blanks.

use crate::present::pieces::Piece;
use crate::present::text::escape;
use crate::theme::Role;

/// Only long sentences are wrapped.
pub const WIDTH: usize = 400;

/// Escapes controls and drawing symbols (`\u{2588}`); arrows become words, ellipses dots.
pub fn text(text: &str) -> String {
    let escaped = escape(text);
    let mut plain = String::with_capacity(escaped.len());
    for c in escaped.chars() {
        match c {
            '→' => plain.push_str("to"),
            '…' => plain.push_str("..."),
            '–' => plain.push('-'),
            '·' => plain.push(' '),
            c if is_drawn(c) => plain.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => plain.push(c),
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Arrows, technical symbols, boxes, blocks, shapes, braille, and private use.
pub fn is_drawn(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2500}'..='\u{27bf}' | '\u{2800}'..='\u{28ff}' | '\u{e000}'..='\u{f8ff}')
}

/// A line as words: a colon after the label, commas between columns.
pub fn line(pieces: &[Piece]) -> String {
    let pieces: Vec<&Piece> = pieces.iter().filter(|piece| !piece.text.is_empty()).collect();
    let Some((first, rest)) = pieces.split_first() else { return String::new() };
    let label = first.text.trim();
    let is_label = first.role == Role::Dim && first.text.ends_with(' ') && !label.is_empty() && !rest.is_empty();
    let all = |pieces: &[&Piece]| columns(&pieces.iter().map(|piece| piece.text.as_ref()).collect::<String>());
    if !is_label {
        return all(&pieces);
    }
    let reported = all(rest);
    let label = text(label);
    if reported.is_empty() { label } else { format!("{}: {reported}", label.trim_end_matches(':')) }
}

fn columns(drawn: &str) -> String {
    let parts: Vec<String> = drawn.split("  ").map(text).filter(|part| !part.is_empty()).collect();
    let mut reported = String::new();
    for part in parts {
        if !reported.is_empty() {
            reported.push_str(if reported.ends_with([',', ':', ';', '.']) { " " } else { ", " });
        }
        reported.push_str(&part);
    }
    reported
}

/// Lines of pieces as words, without empty lines.
pub fn lines<'a>(lines: impl IntoIterator<Item = &'a Vec<Piece>>) -> Vec<String> {
    lines.into_iter().map(|one| line(one)).filter(|one| !one.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::pieces::{dim, plain};

    #[test]
    fn nothing_is_left_that_draws_or_controls() {
        assert_eq!(text("a\x1b[31m  b"), "a\\x1b[31m b");
        assert_eq!(text("max 20 → 6 …"), "max 20 to 6 ...");
        assert_eq!(text("▰▱ 東京 é"), "\\u{25b0}\\u{25b1} 東京 é");
    }

    #[test]
    fn a_label_gets_a_colon_and_columns_commas() {
        assert_eq!(line(&[dim("priority    "), plain("5 = highest")]), "priority: 5 = highest");
        assert_eq!(line(&[dim("cpu     "), plain("    7.5"), plain("   4     20")]), "cpu: 7.5, 4, 20");
        assert_eq!(line(&[plain("  a sentence, "), plain("  its end")]), "a sentence, its end");
        assert_eq!(line(&[plain("   ")]), "");
    }
}
