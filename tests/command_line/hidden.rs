//! Text of files and arguments reaches no output with its control characters.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::common::TestDir;

/// Would clear the screen, color it, ring, and reverse the line.
const HIDDEN: &str = "a\u{1b}[2J\u{9b}31m\u{7}\u{202e}";

fn is_shown(text: &str, of: &str) {
    let hidden = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
    assert!(!text.contains(hidden), "{of}: {text:?}");
}

fn configuration(max: u32) -> String {
    let escape = |c: char| if c.is_ascii_graphic() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    let name = format!("\"{}\"", HIDDEN.chars().map(escape).collect::<String>());
    format!(
        "partitions:\n- name: default\n  placementrules:\n  - {{name: fixed, value: root.default, filter: {{users: [{name}]}}}}\n  \
         limits: [{{limit: {name}, users: [{name}], maxresources: {{vcore: {max}, {name}: 5}}}}]\n  queues:\n  - name: root\n    \
         submitacl: '*'\n    queues:\n    - {{name: default, properties: {{{name}: {name}}}, resources: {{max: {{{name}: {max}}}}}}}\n"
    )
}

fn calls(dir: &TestDir, calls: &[&[&str]]) {
    for call in calls {
        let (code, out, err) = super::kornsole(&**dir, call, "");
        is_shown(&out, &format!("{call:?}"));
        is_shown(&err, &format!("{call:?}"));
        assert!(code.is_some_and(|code| code <= 2), "{call:?}: {out}{err}");
        assert!(
            out.contains("\\u") || err.contains("\\u") || out.contains("\\x"),
            "nothing to escape: {call:?}: {out}{err}"
        );
    }
}

#[test]
fn a_configuration_is_escaped_in_each_format() {
    let dir = TestDir::new();
    dir.write("one.yaml", configuration(4));
    dir.write("two.yaml", configuration(3));
    calls(
        &dir,
        &[
            &["check", "one.yaml"],
            &["check", "one.yaml", "--format", "json"],
            &["check", "one.yaml", "--format", "github"],
            &["check", "one.yaml", "--format", "sarif"],
            &["diff", "one.yaml", "two.yaml"],
            &["diff", "one.yaml", "two.yaml", "--json"],
            &["place", "one.yaml", "--user", HIDDEN, "--tag", HIDDEN],
            &["place", "one.yaml", "--user", HIDDEN, "--group", HIDDEN, "--json"],
        ],
    );
}

#[test]
fn an_argument_is_escaped_in_the_error_about_it() {
    let dir = TestDir::new();
    calls(&dir, &[&[HIDDEN], &["check", "--core", HIDDEN], &["run", HIDDEN], &["nodes", "--server", HIDDEN]]);
}

#[test]
fn a_warning_of_a_credential_plugin_is_passed_on() {
    let dir = TestDir::new();
    let answer = "echo '{\"status\": {\"token\": \"t\"}}'";
    let plugin = dir.write("plug", format!("#!/bin/sh\nprintf 'your \\033[31mlogin ends soon\\n' >&2\n{answer}\n"));
    std::fs::set_permissions(&plugin, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = dir.write(
        "config",
        "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nclusters: [{name: k, cluster: {server: \
         'http://127.0.0.1:1'}}]\nusers: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plug}}}]\n",
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    let output = command.args(["nodes", "--server", "k8s://c"]).env("KUBECONFIG", config).output().unwrap();
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(reported.matches("plug: your [31mlogin ends soon\n").count(), 1, "{reported}");
    assert!(reported.contains("cannot reach the API server"), "{reported}");
    is_shown(&reported, "plugin");
}
