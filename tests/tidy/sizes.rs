//! Sizes: files and functions that can be read at once, tests that read as a specification.

use std::fs;
use std::path::{Path, PathBuf};

use super::{all_sources, sources};

/// The most lines that a file may have.
const FILE_LINES: usize = 400;

/// Tables that may have more.
const TABLES: [&str; 1] = ["src/console/input/command/table.rs"];

/// Files that still have more.
const LONG_FILES: [&str; 31] = [
    "src/api/client/http.rs",
    "src/api/dto/ours/answered.rs",
    "src/config/decode.rs",
    "src/config/edit/tests/random.rs",
    "src/console/draw/apps.rs",
    "src/console/draw/overlay.rs",
    "src/console/draw/queues.rs",
    "src/console/input/command/mod.rs",
    "src/console/shell/runtime.rs",
    "src/console/shell/session.rs",
    "src/console/state/editor/buffer.rs",
    "src/console/state/mod.rs",
    "src/console/state/page.rs",
    "src/console/state/past.rs",
    "src/console/update/navigate.rs",
    "src/console/update/write.rs",
    "src/model/expression.rs",
    "src/model/resource/mod.rs",
    "src/scheduler/configuration/reload.rs",
    "src/scheduler/interface/event.rs",
    "src/scheduler/placement/text.rs",
    "src/scheduler/preemption/shadow.rs",
    "src/scheduler/state/node.rs",
    "src/scheduler/state/partition.rs",
    "src/scheduler/state/queue.rs",
    "src/source/remote/ask.rs",
    "src/source/remote/mod.rs",
    "src/source/remote/worker/mod.rs",
    "src/tape/play.rs",
    "src/tape/read.rs",
    "src/view/build.rs",
];

/// The most lines that a function may have, and a test.
const FUNCTION_LINES: usize = 70;
const TEST_LINES: usize = 60;

/// Functions that still have more, each with its file.
const LONG_FUNCTIONS: [(&str, &str); 13] = [
    ("src/config/edit/tests/odd.rs", "odd_ways_to_write_stay_as_they_are"),
    ("src/config/edit/tests/usual.rs", "queues_come_and_go"),
    ("src/config/edit/tests/usual.rs", "limits_come_change_and_go"),
    ("src/console/draw/crumbs.rs", "crumbs"),
    ("src/console/draw/crumbs.rs", "facts"),
    ("src/console/shell/settings/mod.rs", "every_fault_is_told_with_its_place_and_the_rest_holds"),
    ("src/console/state/mod.rs", "new"),
    ("src/console/update/mod.rs", "update"),
    ("src/console/update/mod.rs", "run"),
    ("src/scheduler/inspect/invariants.rs", "queues"),
    ("src/scheduler/interface/switches.rs", "of"),
    ("src/source/remote/ask.rs", "of"),
    ("src/view/record/tests.rs", "every_kind"),
];

/// What a person wrote: the program, its tests and its benchmarks.
fn written() -> Vec<PathBuf> {
    let mut files = all_sources();
    sources(Path::new("tests"), &mut files);
    sources(Path::new("benches"), &mut files);
    files
}

#[test]
fn no_file_is_long() {
    let lines = |file: &Path| fs::read_to_string(file).unwrap().lines().count();
    let listed = [TABLES.as_slice(), &LONG_FILES].concat();
    let files = written().into_iter().filter(|file| !listed.contains(&file.to_str().unwrap()));
    let long = files.map(|file| (lines(&file), file)).filter(|(lines, _)| *lines > FILE_LINES);
    let long: Vec<String> = long.map(|(lines, file)| format!("{}: {lines} lines", file.display())).collect();
    assert!(long.is_empty(), "more than {FILE_LINES} lines:\n{}", long.join("\n"));
}

/// The functions of a formatted file: the name, the line, how many lines it has, and whether it is a test. A function ends with the brace
/// that is indented as its first line is; a declaration of a trait ends with its semicolon.
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
        let path = file.to_str().unwrap();
        for (name, line, length, test) in functions(&fs::read_to_string(&file).unwrap()) {
            let most = if test { TEST_LINES } else { FUNCTION_LINES };
            if length > most && !LONG_FUNCTIONS.contains(&(path, &name)) {
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
