//! Parses the documents of a text one by one, so that the fast reader can read most of them.
//!
//! Invariant: the documents are those of the full parser. A text with an error, or with a document that depends on
//! others, is left to it.

use super::builder::Builder;
use super::{Content, Document, count, quick};
use crate::fault::Faults;

/// The text between two lines `---`.
struct Chunk<'t> {
    text: &'t str,
    /// The line of the file, from 1.
    line: u32,
    /// Whether a line `---` starts it.
    is_explicit: bool,
}

/// `None` if the full parser must read the text.
pub(super) fn parse_all(text: &str) -> Option<Vec<Document>> {
    let chunks = split(text)?;
    let last = chunks.len().saturating_sub(1);
    let mut documents = Vec::new();
    for (number, chunk) in chunks.iter().enumerate() {
        let is_blank = chunk.text.lines().all(|line| matches!(line.trim_start().as_bytes().first(), None | Some(b'#')));
        match (is_blank, chunk.is_explicit) {
            (true, false) => {}
            // An empty document ends where the next one starts.
            (true, true) if number < last => return None,
            (true, true) => documents.extend(whole("---\n", chunk.text, chunk.line.saturating_sub(1))?),
            (false, _) => match quick::read(chunk.text, chunk.line, &mut |_| {}) {
                Some(mut document) => {
                    document.nodes.shrink_to_fit();
                    documents.push(document);
                }
                None => documents.extend(whole("", chunk.text, chunk.line)?),
            },
        }
    }
    Some(documents)
}

/// `None` for a directive, the end of a document, and content next to `---`.
fn split(text: &str) -> Option<Vec<Chunk<'_>>> {
    let mut chunks = Vec::new();
    let (mut from, mut line, mut at, mut is_explicit) = (0, 1, 0, false);
    for (number, content) in (1..).zip(text.split_inclusive('\n')) {
        let end = at + content.len();
        if content.starts_with(['%', '\u{feff}']) || content.starts_with("...") {
            return None;
        }
        if let Some(rest) = content.strip_prefix("---") {
            match rest.trim_start().as_bytes().first() {
                None => {}
                Some(b'#') if rest.starts_with(' ') => {}
                _ => return None,
            }
            chunks.push(Chunk { text: &text[from..at], line, is_explicit });
            (from, line, is_explicit) = (end, count(number + 1), true);
        }
        at = end;
    }
    chunks.push(Chunk { text: &text[from..], line, is_explicit });
    Some(chunks)
}

/// Parses a document with the full parser; `None` if it has an error or an anchor. All documents have a common limit of
/// anchors.
fn whole(marker: &str, text: &str, line: u32) -> Option<Option<Document>> {
    if text.contains('&') {
        return None;
    }
    let (mut faults, mut progress) = (Faults::default(), |_| {});
    let text = format!("{marker}{text}");
    let mut builder = Builder::new(&text, &mut faults, &mut progress);
    let mut document = builder.next_document()?;
    if !builder.ended && builder.further_document().is_some() {
        return None;
    }
    if !faults.into_sorted().is_empty() {
        return None;
    }
    let shift = line - 1;
    for node in &mut document.nodes {
        node.at.line += shift;
        if let Content::Scalar(scalar) = &mut node.content {
            scalar.content.line += shift;
        }
    }
    Some(document.root.is_some().then_some(document))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse_all_whole;

    fn is_the_same(text: &str) -> bool {
        let mut faults = Faults::default();
        let whole = parse_all_whole(text, &mut faults);
        let Some(found) = parse_all(text) else { return false };
        assert_eq!(found, whole, "{text}");
        assert!(faults.into_sorted().is_empty(), "{text}");
        true
    }

    #[test]
    fn documents_are_those_of_the_full_parser() {
        for text in [
            "a: 1\n---\nb: 2\n",
            "---\na: 1\n---\nb: 2\n---\n",
            "# comment\n---\na: 1\n--- # comment\n\n# more\nb: |\n  text\n\n---\nc: [1, {d: 2}]\n",
            "a: 1\n---\nb: \u{fc}ber\nc: >-\n  folded\n  text\n---\nd: 1",
            "a:\n- b\n-   c: 1\n---\n- x\n- y\n",
            "a: |+\n  text\n\n\n---\nb: ''\nc:\n---\n# end\n",
            "a: 1\r\n---\r\nb: 2\r\n",
        ] {
            assert!(is_the_same(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_left_to_the_full_parser() {
        for text in [
            "%YAML 1.2\n---\na: 1\n",
            "a: 1\n...\n---\nb: 1\n",
            "a: &x 1\nb: *x\n---\nc: 1\n",
            "a: 1\n--- b\n",
            "a: 1\n---\n\tb: 1\n",
            "a: 1\n---\n---\nb: 1\n",
            "a: \"x\n---\ny\"\n",
            "a: 1\na: 2\n---\nb: 1\n",
        ] {
            assert!(!is_the_same(text), "{text}");
        }
    }
}
