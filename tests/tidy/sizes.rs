//! Maximum sizes of files, functions, and tests.

use std::fs;
use std::path::{Path, PathBuf};

use super::{all_sources, sources};

const FILE_LINES: usize = 400;

/// These cannot be split over files.
const TABLES: [&str; 2] = ["crates/scheduler/src/interface/event.rs", "crates/scheduler/src/interface/switches.rs"];

const LONG: [(&str, &str); 1] =
    [("try_asks", "one pass over the asks of an application, whose steps share six borrows")];

/// Maximum lines of a function, and of a test.
const FUNCTION_LINES: usize = 70;
const TEST_LINES: usize = 60;

fn written() -> Vec<PathBuf> {
    let mut files = all_sources();
    sources(Path::new("tests"), &mut files);
    sources(Path::new("benches"), &mut files);
    files
}

#[test]
fn no_file_is_long() {
    let lines = |file: &Path| fs::read_to_string(file).unwrap().lines().count();
    let listed = TABLES;
    let files = written().into_iter().filter(|file| !listed.contains(&file.to_str().unwrap()));
    let long = files.map(|file| (lines(&file), file)).filter(|(lines, _)| *lines > FILE_LINES);
    let long: Vec<String> = long.map(|(lines, file)| format!("{}: {lines} lines", file.display())).collect();
    assert!(long.is_empty(), "more than {FILE_LINES} lines:\n{}", long.join("\n"));
    let short = listed.iter().filter(|file| !Path::new(file).exists() || lines(Path::new(file)) <= FILE_LINES);
    let short: Vec<_> = short.collect();
    assert!(short.is_empty(), "listed as long, but are not: {short:?}");
}

/// Name, line, number of lines, and whether it is a test. A function ends at the brace with the indentation of its
/// first line.
fn functions(text: &str) -> Vec<(String, usize, usize, bool)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let before_name = ["pub ", "pub(crate) ", "pub(super) ", "const ", "async "];
        let signature = before_name.iter().fold(code, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
        let Some(rest) = signature.strip_prefix("fn ") else { continue };
        let indent = &line[..line.len() - code.len()];
        let (brace, bracket) = (format!("{indent}}}"), format!("{indent})"));
        let ends = |line: &&str| *line == brace || line.starts_with(&bracket) && line.ends_with(';');
        let one_line = line.ends_with('}') || line.ends_with(';');
        let length = if one_line { 1 } else { lines[at..].iter().take_while(|line| !ends(line)).count() + 1 };
        let name = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let attributes = lines[..at].iter().rev().take_while(|line| line.trim_start().starts_with(['#', '/']));
        found.push((name, at + 1, length, attributes.into_iter().any(|line| line.trim() == "#[test]")));
    }
    found
}

#[test]
fn no_function_is_long() {
    let mut long = Vec::new();
    for file in written() {
        let path = file.display();
        for (name, line, length, test) in functions(&fs::read_to_string(&file).unwrap()) {
            let most = if test { TEST_LINES } else { FUNCTION_LINES };
            if length > most && !LONG.iter().any(|(listed, _)| *listed == name) {
                long.push(format!("{path}:{line}: {name} has {length} lines, and {most} are the most"));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn functions_are_measured_from_their_first_line_to_their_brace() {
    let text = "pub const fn a() {\n    let b = [\n    ];\n}\n\nimpl X {\n    #[test]\n    fn c(\n        self,\n    ) {\n    }\n    fn d();\n}\n";
    let found = functions(text);
    let found: Vec<_> = found.iter().map(|(name, line, length, test)| (name.as_str(), *line, *length, *test)).collect();
    assert_eq!(found, [("a", 1, 4, false), ("c", 8, 4, true), ("d", 12, 1, false)]);
}
