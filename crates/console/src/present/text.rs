//! Escapes, measures, and cuts text. All external text passes through [`escape`].
//!
//! Invariants:
//! - a width counts terminal columns over grapheme clusters;
//! - [`escape`] returns no character that could move the cursor, change a color, or turn the writing direction.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Escapes control characters: `\n`, `\t`, `\x1b`, `\u{202e}`.
///
/// Also line separators, bidirectional marks, and zero-width characters, with which different names look equal.
pub fn escape(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return Cow::Borrowed(text);
    }
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if hidden(c) && u32::from(c) < 0x100 => shown.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if hidden(c) => shown.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The width of a text in terminal columns.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// Drops the first `columns`, and a wide character across the boundary.
pub fn skip(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        if used >= columns {
            return &text[at..];
        }
        used += grapheme.width();
    }
    if used >= columns && columns == 0 { text } else { "" }
}

/// The start in at most `max` columns, with `ellipsis` (one column) if cut.
pub fn cut<'a>(text: &'a str, max: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= max {
        return Cow::Borrowed(text);
    }
    if max == 0 {
        return Cow::Borrowed("");
    }
    let (mut used, mut end) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = grapheme.width();
        if used + wide > max - 1 {
            break;
        }
        used += wide;
        end = at + grapheme.len();
    }
    Cow::Owned(format!("{}{ellipsis}", &text[..end]))
}

/// The end, for paths; see [`cut`].
pub fn cut_start<'a>(text: &'a str, max: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= max {
        return Cow::Borrowed(text);
    }
    if max == 0 {
        return Cow::Borrowed("");
    }
    let (mut used, mut start) = (0, text.len());
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        let wide = grapheme.width();
        if used + wide > max - 1 {
            break;
        }
        used += wide;
        start = at;
    }
    Cow::Owned(format!("{ellipsis}{}", &text[start..]))
}

/// Keeps start and end of a name, because names often share their start; see [`cut`].
pub fn cut_middle<'a>(text: &'a str, max: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= max {
        return Cow::Borrowed(text);
    }
    if max < 4 {
        return cut_start(text, max, ellipsis);
    }
    let head = cut(text, max / 2, ellipsis);
    let tail = cut_start(text, max - max / 2 + 1, ellipsis);
    let head = head.strip_suffix(ellipsis).unwrap_or(&head);
    let tail = tail.strip_prefix(ellipsis).unwrap_or(&tail);
    Cow::Owned(format!("{head}{ellipsis}{tail}"))
}

/// Cuts like [`cut_start`] for service accounts, otherwise like [`cut_middle`].
pub fn cut_name<'a>(text: &'a str, max: usize, ellipsis: &str) -> Cow<'a, str> {
    if text.starts_with("system:serviceaccount:") {
        return cut_start(text, max, ellipsis);
    }
    cut_middle(text, max, ellipsis)
}

/// Each non-ASCII character becomes `?`s of its width.
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let one = |grapheme: &str| {
        if grapheme.is_ascii() { grapheme.to_owned() } else { "?".repeat(grapheme.width()) }
    };
    Cow::Owned(text.graphemes(true).map(one).collect())
}

/// Wraps at `max` columns; breaks longer words.
pub fn wrap(text: &str, max: usize) -> Vec<String> {
    let max = max.max(1);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let wide = width(word);
        if used > 0 && used + 1 + wide > max {
            lines.push(String::new());
            used = 0;
        }
        let Some(line) = lines.last_mut() else { continue };
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        if wide <= max {
            line.push_str(word);
            used += wide;
            continue;
        }
        for grapheme in word.graphemes(true) {
            if used + grapheme.width() > max {
                lines.push(String::new());
                used = 0;
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(grapheme);
            }
            used += grapheme.width();
        }
    }
    lines
}

/// `q2` before `q10`; equal only for equal texts.
pub fn natural(one: &str, two: &str) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (mut a, mut b) = (one.as_bytes(), two.as_bytes());
    while let (Some(first), Some(second)) = (a.first(), b.first()) {
        let (of_a, of_b) = (digits(a), digits(b));
        if of_a > 0 && of_b > 0 {
            let number = |text: &[u8]| text.iter().position(|byte| *byte != b'0').unwrap_or(text.len());
            let (from_a, from_b) = (number(&a[..of_a]), number(&b[..of_b]));
            let (value_a, value_b) = (&a[from_a..of_a], &b[from_b..of_b]);
            match value_a.len().cmp(&value_b.len()).then_with(|| value_a.cmp(value_b)) {
                Ordering::Equal => (a, b) = (&a[of_a..], &b[of_b..]),
                unequal => return unequal,
            }
        } else if first == second {
            (a, b) = (&a[1..], &b[1..]);
        } else {
            return first.cmp(second);
        }
    }
    a.len().cmp(&b.len()).then_with(|| one.cmp(two))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_what_a_terminal_would_obey() {
        for (text, shown) in [
            ("root.prod", "root.prod"),
            ("a\x1b[31mb", "a\\x1b[31mb"),
            ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
            ("\u{9b}31m", "\\x9b31m"),
            ("abc\u{202e}fed", "abc\\u{202e}fed"),
            ("a\u{200b}b", "a\\u{200b}b"),
            ("\u{7f}", "\\x7f"),
            ("東京-é", "東京-é"),
        ] {
            assert_eq!(escape(text), shown, "{text:?}");
        }
    }

    #[test]
    fn counts_columns_not_characters() {
        assert_eq!(width("東京"), 4);
        assert_eq!(width("e\u{301}t\u{e9}"), 3);
        assert_eq!(width(""), 0);
    }

    #[test]
    fn cuts_between_graphemes() {
        assert_eq!(cut("tenant-a", 8, "…"), "tenant-a");
        assert_eq!(cut("tenant-a", 5, "…"), "tena…");
        assert_eq!(cut("東京都庁", 6, "…"), "東京…");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2, "…"), "e\u{301}…");
        assert_eq!(cut("abc", 0, "…"), "");
        assert_eq!(cut_start("root.tenants.etl", 8, "…"), "…nts.etl");
        assert_eq!(cut_start("東京都庁", 6, "…"), "…都庁");
        assert_eq!(cut_middle("nightly-0001-s1-12", 18, "…"), "nightly-0001-s1-12");
        assert_eq!(cut_middle("nightly-0001-s1-12", 12, "…"), "night…-s1-12");
        assert_eq!(cut_middle("nightly-0001-s1-12", 9, "…"), "nig…s1-12");
        assert_eq!(cut_middle("nightly-0001", 3, "…"), "…01");
        assert_eq!(cut_middle("東京都庁東京", 8, "…"), "東…東京");
    }

    #[test]
    fn wraps_words_and_breaks_long_ones() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn ascii_preserves_the_columns() {
        assert_eq!(ascii("東-é"), "??-?");
    }

    proptest! {
        #[test]
        fn never_wider_than_asked(text in any::<String>(), max in 0usize..20) {
            let shown = escape(&text);
            prop_assert!(width(&cut(&shown, max, "…")) <= max);
            prop_assert!(width(&cut_start(&shown, max, "…")) <= max);
            prop_assert!(width(&cut_middle(&shown, max, "…")) <= max);
            prop_assert!(!shown.chars().any(hidden));
            prop_assert_eq!(width(&ascii(&shown)), width(&shown));
        }

        #[test]
        fn wrapped_lines_keep_to_the_width(text in "[a-z東 ]{0,60}", max in 2usize..20) {
            prop_assert!(wrap(&text, max).iter().all(|line| width(line) <= max));
        }
    }
}
