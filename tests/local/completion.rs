use std::process::Command;

use super::machine::Machine;

/// What bash offers for the words of a line, the last of which is being written.
fn offered(machine: &Machine, words: &[&str]) -> Vec<String> {
    let script = r#"eval "$("$1" completions bash)"; shift; COMP_WORDS=("$KORNSOLE" "${@:2}"); COMP_CWORD=$(($# - 1))
        _kornsole_local "$KORNSOLE" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; printf '%s\n' "${COMPREPLY[@]}""#;
    let program = env!("CARGO_BIN_EXE_kornsole");
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", script, "bash", program]).args(words);
    command.env("KORNSOLE", program).env("KORNSOLE_LOCAL_SOCKET", machine.socket());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_shell_offers_jobs_and_queues_where_they_are_meant() {
    let machine = Machine::up(&[]);
    for name in ["one", "a b", "c\nd"] {
        machine.submit(&["--hold", "--name", name], "true");
    }
    let ended = machine.submit(&[], "true");
    machine.wait(ended);
    let jobs = ["1", "2", "3"];
    for words in [
        &["kornsole", "cancel", ""][..],
        &["kornsole", "cancel", "--yes", ""],
        &["kornsole", "wait", "1", ""],
        &["kornsole", "local", "priority", ""],
        &["kornsole", "submit", "--after", ""],
    ] {
        assert_eq!(offered(&machine, words), jobs, "{words:?}");
    }
    assert_eq!(offered(&machine, &["kornsole", "job", "2"]), ["2"]);
    let queues = offered(&machine, &["kornsole", "submit", "--queue", ""]);
    assert!(queues.len() == 1 && queues[0].starts_with("root.users."), "{queues:?}");
    assert_eq!(offered(&machine, &["kornsole", "local", "move", "1", "--to", "root.u"]), queues);
    for words in [&["kornsole", "logs", "--attempt", ""][..], &["kornsole", "submit", "--cpu", ""]] {
        let found = offered(&machine, words);
        assert!(!jobs.iter().any(|job| found.contains(&(*job).to_owned())), "{words:?}: {found:?}");
    }
    assert!(offered(&machine, &["kornsole", "cancel", "--y"]).contains(&"--yes".to_owned()), "clap's own");
    assert!(offered(&machine, &["kornsole", "can"]).contains(&"cancel".to_owned()));
}
