//! The error of invalid YAML (CFG-001).

use granit_parser::{ErrorKind, Marker, ScanError};

use super::{DEEPEST, count, place};
use crate::types::Place;

pub(super) fn explain(error: &ScanError, text: &str) -> (Place, String, &'static str) {
    let at = place(*error.marker());
    let reported = || format!("not YAML: {}", error.info());
    match error.kind() {
        ErrorKind::MissingAnchorOrAliasName => {
            let hint = "quote a text that starts with `*` or `&`: '*'";
            (at, "`*` without quotes starts an alias, and no name follows".into(), hint)
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            (at, reported(), "quote a text that contains `: `; keys of one map start in the same column")
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            (at, format!("not YAML: `{open}` is never closed"), "close it with the matching bracket")
        }
        ErrorKind::UnclosedQuotedScalar => (at, "not YAML: the quote is never closed".into(), "close the quoted text"),
        ErrorKind::InvalidQuotedScalarIndent => (at, reported(), "a quote opened above is probably not closed"),
        ErrorKind::RecursionLimitExceeded => {
            let message = format!("maps and lists are nested deeper than {DEEPEST} levels here");
            (at, message, "each queue uses two levels; flatten the tree")
        }
        ErrorKind::UnexpectedCharacter { character } if *character == '@' || *character == '`' => {
            (at, format!("not YAML: a text cannot start with `{character}` without quotes"), "quote the text")
        }
        ErrorKind::UnexpectedCharacter { character } => {
            let code = u32::from(*character);
            (at, format!("not YAML: character U+{code:04X} is not allowed here"), "remove the character")
        }
        _ => match tab_after(error.marker(), text) {
            Some(tab) => (tab, TAB.0.into(), TAB.1),
            None => (at, reported(), "keys of one map start in the same column, entries of a list with `- `"),
        },
    }
}

pub(super) const TAB: (&str, &str) = ("a tab is used as indentation", "YAML allows only spaces for indentation");

/// Before the content of a line, or between `-` and its entry.
pub(super) fn indenting_tab(gap: &str, fresh: bool) -> Option<usize> {
    if !gap.contains('\t') {
        return None;
    }
    // If it is not fresh, the first line continues a value or key: tabs are harmless until an entry starts.
    let (mut indents, mut skip_line, mut in_word) = (fresh, false, false);
    for (at, c) in gap.char_indices() {
        match c {
            '\n' => (indents, skip_line, in_word) = (true, false, false),
            _ if skip_line => {}
            '\t' if indents => return Some(at),
            ' ' | '\t' | '\r' => in_word = false,
            '#' if !in_word => skip_line = true,
            '-' | '?' if !in_word => indents = true,
            _ => (indents, in_word) = (false, true),
        }
    }
    None
}

/// The tab at or directly after `mark`, where a scanner stops.
fn tab_after(mark: &Marker, text: &str) -> Option<Place> {
    let offset = mark.byte_offset()?;
    let rest = text.get(offset..)?;
    let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let only_blank_before = text[line_start..offset].trim().is_empty();
    if only_blank_before
        && let Some(tab) = text[line_start..].find(|c: char| c != ' ')
        && text[line_start + tab..].starts_with('\t')
    {
        return Some(Place { line: count(mark.line()), column: count(tab + 1) });
    }
    let mut line = mark.line();
    for (at, _) in rest.match_indices('\n').take(2) {
        line += 1;
        let next = &rest[at + 1..];
        let spaces = next.bytes().take_while(|b| *b == b' ').count();
        if next[spaces..].starts_with('\t') {
            return Some(Place { line: count(line), column: count(spaces + 1) });
        }
    }
    None
}
