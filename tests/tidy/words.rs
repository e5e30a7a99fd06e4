//! Plain technical English: texts that match a pattern in `words.txt`.
//!
//! Texts are string literals with a space outside of tests, document lines outside of code, and the comments and captions
//! of tapes, themes, scripts, and packaging files. The numbers in
//! `words_count.txt` may only fall: `UPDATE=1 cargo test --test tidy words` writes lower ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use regex::{Regex, RegexBuilder};

use super::{all_sources, is_test_file};

const WORDS: &str = "tests/tidy/words.txt";
const COUNT: &str = "tests/tidy/words_count.txt";

const ALLOWED: [(&str, &str); 2] = [
    ("docs/profiles.md", "generated from the table of deviations, which is counted as source"),
    ("docs/guide/keys.md", "generated from the table of commands, which is counted as source"),
];

/// The string literals outside of comments with their lines. Escapes are not resolved.
fn literals(text: &str) -> Vec<(usize, String)> {
    let token = r#"(?s)//[^\n]*|/\*.*?\*/|b?r(#*)"|"((?:[^"\\]|\\.)*)"|'(?:[^'\\\n]|\\[^\n]{1,9}?)'"#;
    let (token, mut at, mut found) = (Regex::new(token).unwrap(), 0, Vec::new());
    while let Some(hit) = token.captures_at(text, at) {
        let whole = hit.get(0).unwrap();
        let line = || text[..whole.start()].matches('\n').count() + 1;
        at = whole.end();
        if let Some(marks) = hit.get(1) {
            let end = format!("\"{}", marks.as_str());
            let length = text[at..].find(&end).unwrap_or(text.len() - at);
            found.push((line(), text[at..at + length].to_owned()));
            at = (at + length + end.len()).min(text.len());
        } else if let Some(inner) = hit.get(2) {
            found.push((line(), inner.as_str().to_owned()));
        }
    }
    found
}

/// The user-visible texts of a source file, without the names of placeholders.
fn strings(file: &Path) -> Vec<(usize, String)> {
    let (text, placeholder) = (fs::read_to_string(file).unwrap(), Regex::new(r"\{[a-zA-Z_]\w*[^{}]*\}").unwrap());
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    let texts = literals(code).into_iter().filter(|(_, text)| text.contains(' ')).chain(shown_docs(code));
    texts.map(|(line, text)| (line, placeholder.replace_all(&text, "{}").into_owned())).collect()
}

/// The doc comments of a file with a macro that makes texts of them.
fn shown_docs(code: &str) -> Vec<(usize, String)> {
    let lines = code.lines().enumerate().filter(|_| code.contains("#[doc = $"));
    let docs = lines.filter_map(|(at, line)| Some((at + 1, line.trim_start().strip_prefix("///")?.to_owned())));
    docs.collect()
}

/// The lines of a document outside of code.
fn prose(file: &Path) -> Vec<(usize, String)> {
    let (mut fenced, code) = (false, Regex::new("`[^`]*`").unwrap());
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().enumerate().filter_map(|(at, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fence && !fenced).then(|| (at + 1, code.replace_all(line, "`x`").into_owned()))
    });
    lines.collect()
}

/// Comments after `#`, captions of tapes, and descriptions of themes.
fn remarks(file: &Path) -> Vec<(usize, String)> {
    let remark = Regex::new(r#"(?:^|\s)#\s(.*)|^Say "(.*)"|^about = "(.*)""#).unwrap();
    let code = Regex::new("`[^`]*`|tests/\\S*").unwrap();
    let text = fs::read_to_string(file).unwrap();
    let found = text.lines().enumerate().filter_map(|(at, line)| {
        let found = remark.captures(line)?;
        let words = found.iter().skip(1).flatten().next()?;
        Some((at + 1, code.replace_all(words.as_str(), "`x`").into_owned()))
    });
    found.collect()
}

/// Files with [`remarks`].
fn remarked() -> Vec<PathBuf> {
    let dirs = ["recordings", "themes", "scripts", "packaging", "packaging/krew", "packaging/helm/kornsole"];
    let entries = dirs.iter().flat_map(|dir| fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()));
    let mut found: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    found.retain(|path| {
        path.extension().is_none_or(|extension| ["tape", "toml", "yaml"].iter().any(|one| extension == *one))
    });
    found.extend([".ci/run", "Cargo.toml", "Dockerfile", "deny.toml"].map(PathBuf::from));
    found.sort();
    found
}

fn documents() -> Vec<PathBuf> {
    let in_dir = |dir: &str| fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let mut found =
        [in_dir("docs"), in_dir("docs/guide"), vec!["README.md".into(), "recordings/README.md".into()]].concat();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.retain(|path| !ALLOWED.iter().any(|(allowed, _)| path == Path::new(allowed)));
    found.sort();
    found
}

fn words() -> Vec<(Regex, String)> {
    let text = fs::read_to_string(WORDS).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let pairs = lines.map(|line| line.split_once('\t').unwrap_or_else(|| panic!("{WORDS}: no tab in {line:?}")));
    let built = |pattern| RegexBuilder::new(pattern).case_insensitive(true).build().unwrap();
    pairs.map(|(pattern, instead)| (built(pattern), instead.to_owned())).collect()
}

fn area(file: &Path) -> String {
    let mut parts = file.iter().filter_map(|part| part.to_str());
    match parts.next() {
        Some("crates") => format!("crates/{}", parts.next().unwrap_or_default()),
        Some("src") => "src".to_owned(),
        _ => file.display().to_string(),
    }
}

#[test]
fn words_of_plain_english_are_used() {
    let (words, mut counts, mut places) =
        (words(), BTreeMap::<String, usize>::new(), BTreeMap::<String, String>::new());
    let sources = all_sources().into_iter().filter(|file| !is_test_file(file)).map(|file| (strings(&file), file));
    let documents = documents().into_iter().map(|file| (prose(&file), file));
    let remarked = remarked().into_iter().map(|file| (remarks(&file), file));
    for (texts, file) in sources.chain(documents).chain(remarked) {
        for (line, text) in texts {
            for (word, instead) in words.iter().filter(|(word, _)| word.is_match(&text)) {
                *counts.entry(area(&file)).or_default() += 1;
                let found = word.find(&text).unwrap().as_str();
                let _ = writeln!(
                    places.entry(area(&file)).or_default(),
                    "{}:{line}: {found:?}: write {instead}: {text}",
                    file.display()
                );
            }
        }
    }
    println!("{} texts break plain English", counts.values().sum::<usize>());
    let now: String = counts.iter().map(|(area, count)| format!("{area} {count}\n")).collect();
    let before = fs::read_to_string(COUNT).unwrap_or_default();
    let most: BTreeMap<&str, usize> =
        before.lines().filter_map(|line| line.rsplit_once(' ')).map(|(area, n)| (area, n.parse().unwrap())).collect();
    let more: Vec<_> = counts.iter().filter(|(area, n)| **n > most.get(area.as_str()).copied().unwrap_or(0)).collect();
    for (area, _) in &more {
        println!("{}", places[*area]);
    }
    if std::env::var_os("UPDATE").is_some() && (more.is_empty() || before.is_empty()) {
        fs::write(COUNT, &now).unwrap();
        return;
    }
    assert!(more.is_empty(), "more texts than {COUNT} allows: {more:?}");
    assert_eq!(now, before, "fewer texts than {COUNT} says: UPDATE=1 cargo test --test tidy words");
}

#[test]
fn remarks_are_found_after_code() {
    let file = std::env::temp_dir().join(format!("kornsole-remarks-{}", std::process::id()));
    fs::write(&file, "a = 1 # one `two`\nSay \"three\"\n#!/bin/sh\nabout = \"four\"\nb = \"#5\"\n").unwrap();
    let found = remarks(&file);
    fs::remove_file(&file).unwrap();
    assert_eq!(found, [(1, "one `x`".to_owned()), (2, "three".to_owned()), (4, "four".to_owned())]);
}

#[test]
fn doc_comments_that_become_texts_are_found() {
    let text = "macro_rules! a { ($(#[doc = $b:literal])*) => {} }\na! {\n    /// One\n}\n// two\n";
    assert_eq!(shown_docs(text), [(3, " One".to_owned())]);
    assert!(shown_docs("/// One\nfn a() {}\n").is_empty());
}

#[test]
fn literals_are_found_outside_of_comments() {
    let text = "// \"no\"\nlet a = \"it \\\" is\"; let c = '\"'; let b = r#\"raw \"x\" y\"#;\n/* \"no\" */ f(\"two\\\n lines\")";
    let found: Vec<String> = literals(text).into_iter().map(|(line, text)| format!("{line} {text}")).collect();
    assert_eq!(found, ["2 it \\\" is", "2 raw \"x\" y", "3 two\\\n lines"]);
}
