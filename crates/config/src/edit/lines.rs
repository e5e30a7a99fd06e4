//! Lines of a text by byte offset.

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |before| before + 1)
}

pub(super) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |more| at + more);
    if end > at && text[..end].ends_with('\r') && end < text.len() { end - 1 } else { end }
}

pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |more| at + more + 1)
}

pub(super) fn column(text: &str, at: usize) -> usize {
    text[line_start(text, at)..at].chars().count()
}

pub(super) fn is_first(text: &str, at: usize) -> bool {
    is_blank(&text[line_start(text, at)..at])
}

/// Only white space or a comment follows `at` in its line.
pub(super) fn is_last(text: &str, at: usize) -> bool {
    let rest = &text[at..line_end(text, at)];
    is_blank(rest) || (rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#'))
}

pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
}

/// The start of the next line after an entry, and after comments that are indented more than its key.
pub(super) fn behind(text: &str, at: usize, column: usize) -> usize {
    let mut end = next_line(text, at);
    let mut probe = end;
    while probe < text.len() {
        let line = &text[probe..line_end(text, probe)];
        let depth = line.len() - line.trim_start_matches(' ').len();
        if line.trim_start().starts_with('#') && depth > column {
            end = next_line(text, probe);
        } else if !is_blank(line) {
            break;
        }
        probe = next_line(text, probe);
    }
    end
}

pub(super) fn line_break(text: &str) -> &'static str {
    if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" }
}
