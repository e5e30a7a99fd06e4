use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Uses the default profile if the arguments name no core, and removes the line that names the core.
fn run(arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let core: &[&str] = if arguments.contains(&"--core") { &[] } else { &["--core", "kornsole"] };
    let (code, out, err) = by_default(&[arguments, core].concat(), stdin);
    let named = err.strip_prefix("core ").and_then(|rest| rest.split_once('\n'));
    let err = named.map_or(err.clone(), |(_, rest)| rest.to_owned());
    (code, out, err)
}

fn by_default(arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    super::kornsole(env!("CARGO_MANIFEST_DIR"), &[&["run"], arguments].concat(), stdin)
}

const CONFIG: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]";
const STEPS: &str =
    "steps: [{submit: {app: x, queue: root.a, user: sue}}, {submit: {app: x, queue: root.a, user: sue}}]\n";

#[test]
fn a_good_scenario_prints_its_trace_and_nothing_else() {
    let (code, out, err) = run(&["tests/scenarios/multitenancy.yaml"], "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_eq!(out.lines().count(), 23);
    assert!(out.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}

#[test]
fn a_step_that_is_refused_is_a_line_and_not_the_end() {
    let (code, out, err) = run(&["-"], &format!("version: 1\nconfig: '{}'\n{STEPS}", CONFIG.replace('\'', "''")));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("appAccepted") && out.lines().last().is_some_and(|line| line.contains("appRejected")));
}

#[test]
fn faults_are_reported_with_their_places_and_nothing_runs() {
    let (code, out, err) =
        run(&["-"], "version: 1\nsteps:\n  - shedule: 3\n  - ask: {app: a, id: t, resource: {vcore: x}}\n");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.starts_with("-:3:5: error[SCN-003]: unknown key `shedule`"), "{err}");
    assert!(err.contains("did you mean `schedule`?"), "{err}");
    assert!(err.contains("-:4:44: error[SCN-025]"), "{err}");
}

#[test]
fn a_refused_configuration_is_a_line_of_the_trace_and_reported_at_its_place() {
    let text = "version: 1\nconfig: |\n  partitions:\n    - name: default\n      queues:\n        - name: root\n          submitacl: '*'\n          maxapps: 3\n";
    let (code, out, err) = run(&["-"], text);
    assert_eq!(code, Some(1));
    assert!(out.starts_with(r#"{"step":-1,"event":"configRejected""#) && out.lines().count() == 1, "{out}");
    assert!(err.starts_with("-:8:11: error[CFG-003]"), "{err}");
}

#[test]
fn the_configuration_can_come_from_another_source() {
    let dir = file(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(dir.join("queues.yaml"), CONFIG).expect("the folder for tests is writable");
    std::fs::write(dir.join("named.yaml"), format!("configFile: queues.yaml\n{STEPS}")).expect("it is");
    std::fs::write(dir.join("lost.yaml"), format!("configFile: lost/queues.yaml\n{STEPS}")).expect("it is");
    let at = |name: &str| dir.join(name).display().to_string();

    let (code, out, _) = run(&[&at("named.yaml")], "");
    assert!(code == Some(0) && out.contains("appAccepted"), "{out}");

    let (code, out, _) = run(&["-", "--config", &at("queues.yaml")], STEPS);
    assert!(code == Some(0) && out.contains("appAccepted"), "{out}");

    let (code, out, err) = run(&[&at("lost.yaml")], "");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("lost.yaml:1:13: error[SCN-012]"), "{err}");

    let (code, out, err) = run(&["-"], STEPS);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("error[SCN-011]"), "{err}");
}

#[test]
fn a_profile_decides() {
    let text = "version: 1\nconfig: |\n  partitions: [{queues: [{name: 'a/b'}]}]\nsteps: []\n";
    assert_eq!(run(&["-", "--core", "kornsole"], text).0, Some(1));
    assert_eq!(run(&["-", "--core", "1.8.0"], text).0, Some(0));
    let (code, _, err) = by_default(&["-"], text);
    assert_eq!((code, err.as_str()), (Some(0), "core 1.9.0\n"), "the newest release decides");
}

#[test]
fn wrong_use_has_its_own_exit_code() {
    for arguments in [&[][..], &["-", "-"], &["-", "--config", "-"], &["-", "--core", "2.0"], &["-", "--faster"]] {
        let (code, out, err) = run(arguments, "");
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(!err.is_empty());
    }
    let (code, _, err) = run(&["no/such/file.yaml"], "");
    assert!(code == Some(1) && err.starts_with("error: cannot read no/such/file.yaml: "), "{err}");
}

#[test]
fn timings_are_written_to_standard_error() {
    let (code, out, err) = run(&["--timings", "tests/scenarios/multitenancy.yaml"], "");
    assert_eq!((code, out.lines().count()), (Some(0), 23));
    assert!(err.starts_with("reading ") && err.contains("running ") && err.contains("printing "), "{err}");
}

#[test]
fn a_reader_that_disconnects_early_is_not_an_error() {
    let mut steps = "version: 1\nconfig: '".to_owned() + &CONFIG.replace('\'', "''") + "'\nsteps:\n";
    steps += &"- snapshot: again and again\n".repeat(5000);
    let mut child = Command::new(env!("CARGO_BIN_EXE_kornsole"))
        .args(["run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(steps.as_bytes())
        .expect("all input is read before anything is printed");
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), "core 1.9.0\n"));
}

#[test]
fn several_files_are_run_one_after_the_other_each_for_itself() {
    let one = "tests/scenarios/multitenancy.yaml";
    let (code, out, err) = run(&[one, "no/such/file.yaml", one], "");
    assert_eq!(code, Some(1), "one of them failed");
    assert!(err.starts_with("error: cannot read no/such/file.yaml: ") && err.lines().count() == 1, "{err}");
    let (first, second) = out.split_at(out.len() / 2);
    assert_eq!((first, out.lines().count()), (second, 46), "the others were run all the same");
    let (_, _, err) =
        run(&[one, "-", "--timings"], &format!("version: 1\nconfig: '{}'\n{STEPS}", CONFIG.replace('\'', "''")));
    let names: Vec<&str> = err.lines().map(|line| line.split(": reading").next().expect("a first part")).collect();
    assert_eq!(names, [one, "-"]);
}

#[test]
fn a_summary_is_for_people() {
    let text = "version: 1
config: |
  partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}, {name: b, resources: {max: {vcore: 4}}}]}]}]
steps:
  - node: {id: n1, capacity: {vcore: 8, memory: 16G}}
  - submit: {app: long, queue: root.a, user: sue}
  - ask: {app: long, id: l, resource: {vcore: 2, memory: 1G}, count: 3}
  - submit: {app: held, queue: root.b, user: joe}
  - ask: {app: held, id: h, resource: {vcore: 3}, count: 2}
  - submit: {app: lost, queue: root.nowhere, user: joe}
  - schedule: idle
  - advance: 20s
  - release: {app: long, id: l-1}
  - release: {app: long, id: l-2}
  - schedule: idle
  - advance: 40s
";
    let (code, out, err) = run(&["-", "--summary"], text);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    insta::assert_snapshot!(out);
}

#[test]
fn a_long_run_shows_its_progress_on_a_terminal() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use std::io::Read;

    let text = format!(
        "version: 1\nconfig: '{}'\nsteps:\n  - node: {{id: n, capacity: {{vcore: 1}}}}\n  - submit: {{app: x, queue: root.a, user: \
         sue}}\n  - ask: {{app: x, id: t, resource: {{vcore: 2}}, count: 100}}\n  - schedule: 10000000\n",
        CONFIG.replace('\'', "''")
    );
    let dir = crate::common::TestDir::new();
    let file = dir.write("scenario.yaml", text);
    let pty = native_pty_system().openpty(PtySize::default()).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(["run", "--summary"]);
    command.arg(&file);
    let mut child = pty.slave.spawn_command(command).expect("the binary starts");
    drop(pty.slave);
    let mut terminal = pty.master.try_clone_reader().expect("what it prints");
    let mut seen = String::new();
    let mut bytes = [0; 256];
    // The run is too long to finish before its first report.
    while !seen.contains("commands") {
        let count = terminal.read(&mut bytes).expect("it prints");
        assert!(count > 0, "it ended without a word: {seen}");
        seen += &String::from_utf8_lossy(&bytes[..count]);
    }
    assert!(seen.contains(": step 4 of 4, "), "{seen}");
    child.kill().expect("it runs");
    child.wait().expect("it was started here");
}

#[test]
fn two_processes_give_the_same_bytes() {
    for name in ["mix-001", "gang-004", "preempt-011", "reload-004"] {
        let file = format!("tests/conformance/scenarios/{name}.yaml");
        for profile in ["kornsole", "1.5.1", "1.8.0"] {
            let first = run(&[&file, "--core", profile], "");
            assert!(first.0 == Some(0) && first.1.len() > 2000, "{name}: {}", first.2);
            assert_eq!(run(&[&file, "--core", profile], ""), first, "{name} under {profile}");
        }
    }
}
