//! Doc comments: none that only repeats the name, neither too few nor too many.

use std::collections::BTreeMap;
use std::fs;

use super::{all_sources, crate_of, is_test_file};

/// A doc comment has more words than this.
const FEWEST: usize = 2;

/// Percentage of lines that are doc comments.
const DENSITY: std::ops::RangeInclusive<usize> = 6..=12;
const CRATE_DENSITY: std::ops::RangeInclusive<usize> = 5..=13;

/// The doc comments of a text: first line and number of words.
fn doc_comments(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut last = None;
    for (at, line) in text.lines().enumerate() {
        let Some(reported) = line.trim_start().strip_prefix("///") else { continue };
        let words = reported.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
        match found.last_mut() {
            Some((_, sum)) if last == Some(at.wrapping_sub(1)) => *sum += words,
            _ => found.push((at + 1, words)),
        }
        last = Some(at);
    }
    found
}

#[test]
fn no_doc_comment_only_repeats_the_name() {
    let mut short = Vec::new();
    for file in all_sources() {
        let comments = doc_comments(&fs::read_to_string(&file).unwrap());
        let few = comments.into_iter().filter(|(_, words)| *words <= FEWEST);
        short.extend(few.map(|(line, words)| format!("{}:{line}: {words} words", file.display())));
    }
    assert!(short.is_empty(), "say a unit, an error, an invariant, or why:\n{}", short.join("\n"));
}

#[test]
fn every_crate_has_its_doc_comments() {
    let mut lines: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for file in all_sources().into_iter().filter(|file| !is_test_file(file)) {
        let text = fs::read_to_string(&file).unwrap();
        let comments = text.lines().filter(|line| line.trim_start().starts_with("///")).count();
        for whole in [crate_of(&file), "everything".to_owned()] {
            let sums = lines.entry(whole).or_default();
            *sums = (sums.0 + comments, sums.1 + text.lines().count());
        }
    }
    let off = lines.into_iter().map(|(whole, (comments, all))| (whole, comments * 100 / all));
    let off = off.filter(|(whole, of)| !if whole == "everything" { DENSITY } else { CRATE_DENSITY }.contains(of));
    let off: Vec<String> = off.map(|(whole, of)| format!("{whole}: {of}")).collect();
    assert!(off.is_empty(), "doc comments in a hundred lines: {}", off.join(", "));
}

#[test]
fn the_words_of_a_doc_comment_are_counted_over_its_lines() {
    let text = "/// The name.\nstruct A {\n    /// The id, unique\n    /// in its partition.\n    id: u8,\n}\n";
    assert_eq!(doc_comments(text), [(1, 2), (3, 6)]);
}
