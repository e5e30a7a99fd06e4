//! Help of each command: lengths, words, and examples that parse.

use std::ffi::OsString;

use clap::Command;
use kornsole::cli::help;
use regex::{Regex, RegexBuilder};

use crate::common::TestDir;
use crate::kornsole;

const MOST: (usize, usize) = (60, 90);

/// A command with its path, for example `config show`, and all commands below it that a person sees.
fn with_all_below(command: &Command, path: &str) -> Vec<(String, Command)> {
    let below = command.get_subcommands().filter(|sub| !sub.is_hide_set()).flat_map(|sub| {
        let path = format!("{path} {}", sub.get_name()).trim_start().to_owned();
        with_all_below(sub, &path)
    });
    std::iter::once((path.to_owned(), command.clone())).chain(below).collect()
}

fn commands() -> Vec<(String, Command)> {
    let all = with_all_below(&help::command(), "");
    assert!(all.len() > 50, "only {} commands", all.len());
    all
}

/// Each text of a command's help with its place: its descriptions, those of its arguments and values, and its examples and exit codes.
fn texts(path: &str, command: &Command) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut add = |place: &str, text: Option<String>| found.extend(text.map(|text| (format!("{path} {place}"), text)));
    let text = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
    add("about", text(command.get_about()));
    add("long about", text(command.get_long_about()));
    add("after", text(command.get_after_help()));
    add("after, long", text(command.get_after_long_help()));
    for argument in command.get_arguments() {
        add(argument.get_id().as_str(), text(argument.get_help()));
        add(argument.get_id().as_str(), text(argument.get_long_help()));
        for value in argument.get_possible_values() {
            add(value.get_name(), text(value.get_help()));
        }
    }
    found
}

#[test]
fn descriptions_are_short_and_in_sentence_case() {
    let mut wrong = Vec::new();
    let mut check = |place: String, text: Option<String>, most: usize| {
        let text = text.unwrap_or_default();
        let length = text.chars().count();
        let lower = text.chars().next().is_none_or(char::is_lowercase) && !text.starts_with("sacct");
        if length > most || lower || text.ends_with('.') {
            wrong.push(format!("{place}: {length} characters: {text:?}"));
        }
    };
    for (path, command) in commands() {
        check(
            path.clone(),
            command.get_about().map(ToString::to_string),
            if path.is_empty() { MOST.1 } else { MOST.0 },
        );
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            check(format!("{path} {}", argument.get_id()), argument.get_help().map(ToString::to_string), MOST.1);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_help_is_in_plain_english() {
    let list = std::fs::read_to_string("tests/tidy/words.txt").unwrap();
    let lines = list.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    let words: Vec<_> = lines
        .map(|(word, instead)| (RegexBuilder::new(word).case_insensitive(true).build().unwrap(), instead))
        .collect();
    assert!(words.len() > 30, "only {} words", words.len());
    let (code, mut wrong) = (Regex::new("`[^`]*`").unwrap(), Vec::new());
    for (place, text) in commands().iter().flat_map(|(path, command)| texts(path, command)) {
        let text = code.replace_all(&text, "`x`");
        let hits = words.iter().filter_map(|(word, instead)| Some((word.find(&text)?.as_str(), instead)));
        wrong.extend(hits.map(|(hit, instead)| format!("{place}: {hit:?}: write {instead}: {text}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The words of a call of kornsole as a shell reads them: quotes, and no redirections. `None` for a line that calls another program only.
fn call(line: &str) -> Option<Vec<OsString>> {
    let stage = line.split(" | ").find(|stage| stage.starts_with("kornsole"))?;
    let (mut words, mut quoted, mut word) = (Vec::new(), false, String::new());
    for symbol in stage.chars().chain([' ']) {
        match symbol {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            _ => word.push(symbol),
        }
    }
    let end = words.iter().position(|word| word == ">" || word == "<").unwrap_or(words.len());
    Some(words[..end].iter().map(OsString::from).collect())
}

#[test]
fn each_command_has_examples_that_parse() {
    let mut wrong = Vec::new();
    for (path, command) in commands() {
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples: Vec<&str> = after
            .split_once("Examples:\n")
            .map(|(_, lines)| lines.lines().map(str::trim).collect())
            .unwrap_or_default();
        if !(1..=4).contains(&examples.len()) {
            wrong.push(format!("{path}: {} examples", examples.len()));
        }
        for example in examples {
            let Some(words) = call(example) else {
                wrong.push(format!("{path}: does not call kornsole: {example}"));
                continue;
            };
            if example.chars().count() > 96 || !(path.is_empty() || example.contains(&format!("kornsole {path}"))) {
                wrong.push(format!("{path}: too long, or of another command: {example}"));
            }
            if let Err(error) = help::parse(words) {
                wrong.push(format!("{path}: {example}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(help::parse(["kornsole", "queues"].map(OsString::from)).is_err(), "--server is missing");
}

#[test]
#[cfg(target_os = "linux")]
fn no_example_is_of_a_command_that_does_not_exist() {
    let known: Vec<String> = commands().into_iter().map(|(path, _)| path).collect();
    let mut paths: Vec<&str> = help::examples::EXAMPLES.iter().map(|(path, _)| *path).collect();
    paths.retain(|path| !known.iter().any(|known| known == path));
    assert_eq!(paths, Vec::<&str>::new());
}

#[test]
fn the_top_level_lists_its_commands_in_groups() {
    let dir = TestDir::new();
    let (code, out, _) = kornsole(&*dir, &["--help"], "");
    assert_eq!(code, Some(0));
    let places: Vec<Option<usize>> = [
        "Usage: ",
        "\nLook:\n",
        "\nAct:\n",
        "\nConfigure:\n",
        "\nPlan:\n",
        "\nRun:\n",
        "\nOther:\n",
        "\nOptions:\n",
        "\nExamples:\n",
    ]
    .iter()
    .map(|heading| out.find(heading))
    .collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {out}");
    assert!(out.contains("\n  kill           Kill running or pending applications\n"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
}

#[test]
fn exit_codes_beyond_2_are_in_the_help() {
    let dir = TestDir::new();
    let (code, out, _) = kornsole(&*dir, &["watch", "-h"], "");
    assert_eq!(code, Some(0));
    assert!(out.contains("\n  4   an alert fired, with --exit-on alert\n"), "{out}");
    let (_, out, _) = kornsole(&*dir, &["place", "--help"], "");
    assert!(
        out.find("A batch in CSV").is_some_and(|batch| out.find("Exit codes:").is_some_and(|codes| batch < codes)),
        "{out}"
    );
}

/// The link of the packages: kubectl runs it, and a person reads the help of `kubectl kornsole`.
#[test]
fn the_plugin_of_kubectl_has_its_own_name_in_the_help() {
    let dir = TestDir::new();
    let link = dir.join("kubectl-kornsole");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kornsole"), &link).unwrap();
    let reported = |program: &std::path::Path, arguments: &[&str]| {
        let output = std::process::Command::new(program).args(arguments).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    for (arguments, words) in [
        (&["--help"][..], "Usage: kubectl kornsole [OPTIONS]"),
        (&["kube", "--help"], "  kubectl kornsole kube contexts\n"),
        (&["kill", "--help"], "Usage: kubectl kornsole kill "),
        (&["kill", "--bad"], "Usage: kubectl kornsole kill "),
    ] {
        let text = reported(&link, arguments);
        assert!(text.contains(words), "{arguments:?}: {text}");
        let own = reported(std::path::Path::new(env!("CARGO_BIN_EXE_kornsole")), arguments);
        assert!(!own.contains("kubectl kornsole") && own.contains(&words.replace("kubectl ", "")), "{own}");
    }
}
