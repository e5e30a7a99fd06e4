//! Linear mode in a pipe: commands in, plain lines out.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::kornsole;

const QUEUES: &str = "\
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - name: one
      resources: {max: {vcore: 4}}
    - name: two
";

fn run_linear(words: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let dir = crate::common::TestDir::new();
    dir.write("queues.yaml", QUEUES);
    let arguments: Vec<&str> = ["--config", "queues.yaml", "--linear", "--settings", "/dev/null"]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    kornsole(&dir, &arguments, words)
}

fn assert_plain(output: &str) {
    assert!(output.ends_with('\n'), "{output:?}");
    let bad = output.chars().find(|c| (c.is_control() && *c != '\n') || ('\u{2500}'..='\u{28ff}').contains(c));
    assert_eq!(bad, None, "{output}");
}

#[test]
fn words_are_read_and_plain_lines_are_printed() {
    let (code, output, errors) = run_linear("queues\nselect two\nnodes\napps\nwhere\nquit\n", &[]);
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{output}");
    assert_plain(&output);
    for reported in ["Page: Queues; 3 queues", "root.one", "Page: Nodes", "Page: Applications", "partition default"] {
        assert!(output.contains(reported), "no {reported:?} in\n{output}");
    }
    assert!(output.contains("\nqueues> select two\n3. root.two"), "{output}");
}

#[test]
fn the_end_of_the_input_ends_it_and_confirms_nothing() {
    let (code, output, _) = run_linear("config\nline 8 resources: {max: {vcore: 2}}\napply\n", &[]);
    assert_eq!(code, Some(0), "{output}");
    assert!(output.contains("Question: ") && output.contains("The input has ended"), "{output}");
    assert!(!output.contains("revision 2"), "{output}");
}

#[test]
fn a_confirmation_requires_a_whole_word_and_no_empty_line() {
    let words = "config\nline 8 resources: {max: {vcore: 2}}\napply\n\ny\nqueues\nyes\nrevisions\nquit\n";
    let (code, output, _) = run_linear(words, &[]);
    assert_eq!(code, Some(0), "{output}");
    for reported in [
        "Rejected: a question is open, and y does not answer it.",
        "a question is open, and queues does not answer it",
        "revision 2",
    ] {
        assert!(output.contains(reported), "no {reported:?} in\n{output}");
    }
    let (_, output, _) =
        run_linear("config\nline 8 resources: {max: {vcore: 2}}\napply\nno\nrevisions\nquit\nyes\n", &[]);
    assert!(output.contains("Canceled.") && !output.contains("revision 2"), "{output}");
}

#[test]
fn an_unknown_word_shows_the_nearest_word() {
    let (_, output, _) = run_linear("quues\napps a b c\nfind\ntheme dark\n", &[]);
    for reported in [
        "unknown word quues; did you mean queues?",
        "find needs an argument: find NAME",
        "theme works only in the drawn console",
    ] {
        assert!(output.contains(reported), "no {reported:?} in\n{output}");
    }
}

#[test]
fn nothing_is_recorded_of_it() {
    let (code, _, errors) = run_linear("quit\n", &["--record", "a.tape"]);
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("--record"), "{errors}");
}

#[test]
fn without_it_a_pipe_gets_a_hint() {
    let dir = crate::common::TestDir::new();
    dir.write("queues.yaml", QUEUES);
    let (code, _, errors) = kornsole(&dir, &["--config", "queues.yaml", "--settings", "/dev/null"], "");
    assert_eq!(code, Some(1));
    assert!(errors.contains("`--linear`"), "{errors}");
}

#[test]
fn a_setting_turns_it_on() {
    let dir = crate::common::TestDir::new();
    dir.write("queues.yaml", QUEUES);
    dir.write("own.toml", "linear = true\n");
    let (code, output, errors) = kornsole(&dir, &["--config", "queues.yaml", "--settings", "own.toml"], "quit\n");
    assert_eq!(code, Some(0), "{errors}");
    assert!(output.starts_with("kornsole ") && output.contains("linear mode"), "{output}");
}

#[test]
fn a_saved_state_is_also_shown_in_linear_mode() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_line");
    let (code, output, errors) =
        kornsole(file, &["demo", "--linear", "--settings", "/dev/null"], "nodes\nopen 1\nback\nback\nquit!\n");
    assert_eq!(code, Some(0), "{errors}");
    assert_plain(&output);
    assert!(output.contains("Page: Nodes; "), "{output}");
}

const STAGES: &str = "\
version: 1
name: stages
config: |
  partitions:
  - name: default
    queues:
    - {name: root, submitacl: '*', queues: [{name: a}]}
steps:
- node: {id: n1, capacity: {vcore: 40}}
- submit: {app: etl, queue: root.a, user: ann, groups: [dev]}
- ask: {app: etl, id: e, resource: {vcore: 4}}
- schedule: idle
- advance: 1m
- ask: {app: etl, id: f, resource: {vcore: 4}, count: 2}
- schedule: idle
- advance: 20m
- ask: {app: etl, id: g, resource: {vcore: 6}, count: 3}
- schedule: idle
";

fn reads_until(dir: &Path, speed: &str, text: &str) -> String {
    let arguments =
        ["--workload", "stages.yaml", "--state", "state", "--linear", "--settings", "/dev/null", "--speed", speed];
    let mut child = Command::new(env!("CARGO_BIN_EXE_kornsole"))
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let (start, mut reported) = (Instant::now(), String::new());
    while !reported.contains(text) {
        assert!(start.elapsed() < Duration::from_secs(120), "{text} does not come:\n{reported}");
        input.write_all(b"read\n").expect("it reads");
        while let Ok(line) = lines.recv_timeout(Duration::from_millis(300)) {
            reported += &format!("{line}\n");
        }
    }
    input.write_all(b"quit!\n").expect("it reads");
    assert!(child.wait().expect("it ends").success(), "{reported}");
    reported
}

#[test]
fn what_changed_is_counted_from_the_last_look_also_of_the_console_before() {
    let dir = crate::common::TestDir::new();
    dir.write("stages.yaml", STAGES);
    reads_until(&dir, "30", "cpu 12 of 40");
    reads_until(&dir, "600", "changed: root.a: cpu 12 to 30");
}
