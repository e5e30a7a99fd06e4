//! Configuration of the scheduler: values in effect, their origin, and errors.

use crate::common::TestDir;

fn kornsole(dir: &TestDir, arguments: &[&str]) -> (i32, String, String) {
    let (code, out, err) = super::kornsole(&**dir, arguments, "");
    (code.unwrap(), out, err)
}

fn dir(file: &str) -> TestDir {
    let dir = TestDir::new();
    dir.write("own.yaml", file);
    dir
}

fn line<'t>(text: &'t str, key: &str) -> &'t str {
    text.lines().find(|line| line.starts_with(&format!("{key}:"))).unwrap_or_else(|| panic!("no {key} in\n{text}"))
}

#[test]
fn active_settings_are_printed_with_their_source() {
    let dir = dir("cleaner.interval: 20s\nqueues.file: q.yaml\nqueues.policyGroup: batch\n");
    let print = ["--scheduler-config", "own.yaml", "--print-scheduler-config"];
    let (code, out, err) = kornsole(&dir, &print);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(line(&out, "cleaner.interval").ends_with("# own.yaml:1"), "{out}");
    assert!(
        line(&out, "drain.stuckAfter").starts_with("drain.stuckAfter: 1h ") && out.contains("# default\n"),
        "{out}"
    );
    assert!(line(&out, "queues.file").starts_with("queues.file: q.yaml "), "{out}");

    let flags = ["--config", "mine.yaml", "--policy-group", "night", "--set", "cleaner.interval=3s"];
    let (code, out, _) = kornsole(&dir, &[&print[..], &flags[..]].concat());
    assert_eq!(code, 0);
    assert!(
        line(&out, "cleaner.interval").starts_with("cleaner.interval: 3s ")
            && out.contains("# --set cleaner.interval=3s\n")
    );
    assert!(line(&out, "queues.file").ends_with("# --config") && out.contains("queues.file: mine.yaml"), "{out}");
    assert!(line(&out, "queues.policyGroup").ends_with("# --policy-group"), "{out}");

    let (code, demo, _) = kornsole(&dir, &["demo", "--scheduler-config", "own.yaml", "--print-scheduler-config"]);
    assert_eq!(code, 0);
    assert!(line(&demo, "cleaner.interval").ends_with("# own.yaml:1"));
}

#[test]
fn printed_settings_are_a_file_with_the_same_meaning() {
    let dir = dir("drain.command: [tell, 'to: \"all\"', '#']\nscheduler.acl: '*'\n");
    let (_, first, _) = kornsole(&dir, &["--scheduler-config", "own.yaml", "--print-scheduler-config"]);
    std::fs::write(dir.join("again.yaml"), &first).unwrap();
    let (code, again, err) = kornsole(&dir, &["--scheduler-config", "again.yaml", "--print-scheduler-config"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let values =
        |text: &str| text.lines().map(|line| line.rsplit_once("  #").unwrap().0.trim().to_owned()).collect::<Vec<_>>();
    assert_eq!(values(&again), values(&first));
    let (code, keys, _) = kornsole(&dir, &["--print-scheduler-keys"]);
    assert_eq!(code, 0);
    assert!(
        keys.contains("\ndrain.stuckAfter: 1h\n")
            && keys.contains("No effect yet: the resource manager is this process itself."),
        "{keys}"
    );
}

#[test]
fn faults_are_reported_with_their_place_all_at_once_and_nothing_starts() {
    let dir = dir("bind.prt: 1\ncleaner.interval: never\ntls.key: k.pem\n");
    for command in [&["--scheduler-config", "own.yaml"][..], &["demo", "--scheduler-config", "own.yaml"]] {
        let (code, out, err) = kornsole(&dir, command);
        assert_eq!((code, out.as_str()), (1, ""));
        for place in ["own.yaml:1:1: error[CFG-003]", "own.yaml:2:19: error[SET-001]", "own.yaml:3:10: error[SET-002]"]
        {
            assert!(err.contains(place), "{place} is not in\n{err}");
        }
    }
    for wrong in ["cleaner.interval=never", "cleaner.intervall=1s"] {
        let (code, _, err) = kornsole(&dir, &["--set", wrong]);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains("cleaner.interval"), "{err}");
    }
    assert_eq!(kornsole(&dir, &["--set", "nothing"]).0, 2);
    let (code, _, err) = kornsole(&dir, &["--scheduler-config", "nowhere.yaml"]);
    assert_eq!(code, 1);
    assert!(err.contains("cannot read ") && err.contains("nowhere.yaml: "), "{err}");
    let (code, _, err) = kornsole(&dir, &["--set", "queues.file=gone.yaml"]);
    assert_eq!(code, 1, "the queue configuration that it names is read");
    assert!(err.contains("cannot read ") && err.contains("gone.yaml: "), "{err}");
}

#[test]
fn completions_and_the_manual_are_printed() {
    for (arguments, starts) in [
        (["completions", "bash"].as_slice(), "_kornsole()"),
        (&["completions", "zsh"], "#compdef kornsole"),
        (&["completions", "fish"], "complete -c kornsole"),
        (&["completions", "elvish"], "edit:completion:arg-completer[kornsole]"),
        (&["completions", "powershell"], "Register-ArgumentCompleter"),
        (&["man"], ".TH"),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_kornsole")).args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains(starts) && text.contains("schema"),
            "{arguments:?}: {text:.400}"
        );
    }
}
