use std::process::Output;
use std::time::{Duration, Instant};

use crate::common::{Program, TestDir, kornsole_command};

const RULES: &str = "[[rule]]\nname = 'few'\nkind = 'expression'\nwhen = 'cluster.nodes.up < 1000'\n\n\
                     [[rule]]\nname = 'idle'\nkind = 'expression'\nwhen = 'queue.use.cpu < 1'\n";
const SCENARIO: &str = "\
version: 1
name: two
config: |
  partitions:
  - name: default
    queues:
    - {name: root, submitacl: '*', queues: [{name: a}]}
steps:
- node: {id: n1, capacity: {vcore: 4}}
- advance: 1s
- snapshot: end
";

struct Served {
    program: Program,
    tokens: [String; 2],
    _dir: TestDir,
}

impl Served {
    fn start() -> Self {
        let dir = TestDir::new();
        let token = |user: &str| {
            let secret = dir.token(user, "dev");
            let file = dir.write(&format!("{user}.token"), format!("{secret}\n"));
            std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
            file.display().to_string()
        };
        let tokens = [token("sue"), token("joe")];
        let text = |path: std::path::PathBuf| path.display().to_string();
        let (rules, scenario) = (text(dir.write("alerts.toml", RULES)), text(dir.write("two.yaml", SCENARIO)));
        let known = text(dir.tokens());
        let program = Program::serve(&[
            "--workload",
            &scenario,
            "--alerts",
            &rules,
            "--tokens",
            &known,
            "--scheduler-acl",
            "sue",
        ]);
        let this = Self { program, tokens, _dir: dir };
        let started_at = Instant::now();
        while !out(&this.alerts(0, &["list"])).contains("idle: queue root.a") {
            assert!(
                started_at.elapsed() < Duration::from_secs(60),
                "no alert comes: {}",
                out(&this.alerts(0, &["list"]))
            );
            std::thread::sleep(Duration::from_millis(200));
        }
        this
    }

    fn alerts(&self, user: usize, words: &[&str]) -> Output {
        let url = self.program.url();
        let asked = ["--server", &url, "--token-file", &self.tokens[user]];
        kornsole_command(&[&["alerts"], words, &asked].concat()).output().unwrap()
    }
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_rule_is_silenced_listed_and_unsilenced() {
    let server = Served::start();
    let done = server.alerts(0, &["silence", "few", "--for", "2h", "--reason", "a migration"]);
    assert!(done.status.success(), "{}", err(&done));
    assert!(out(&done).starts_with("silence 1, few") && out(&done).contains("by sue: a migration"), "{}", out(&done));
    let listed = out(&server.alerts(1, &["silences"]));
    assert!(listed.contains("silence 1, few") && listed.contains(" left, "), "{listed}");
    let ended = server.alerts(0, &["unsilence", "1", "--reason", "it is done, schön"]);
    assert!(ended.status.success() && out(&ended).contains("over"), "{}", err(&ended));
    assert_eq!(out(&server.alerts(0, &["silences"])), "no silence\n");
    assert!(out(&server.alerts(0, &["silences", "--all"])).contains("silence 1"));
    let audit =
        kornsole_command(&["audit", "--server", &server.program.url(), "--token-file", &server.tokens[0], "--json"]);
    let audit = out(&{ audit }.output().unwrap());
    assert!(audit.contains("a migration") && audit.contains("it is done, schön"), "{audit}");
}

#[test]
fn a_label_silences_only_the_alerts_that_have_it() {
    let server = Served::start();
    let silence =
        |label: &str| server.alerts(0, &["silence", "idle", "--label", label, "--for", "1d", "--reason", "x"]);
    let refused = silence("queue=root.b");
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        err(&refused).contains("no alert of idle has these labels: its alerts name queue root"),
        "{}",
        err(&refused)
    );
    let done = silence("queue=root.a");
    assert!(
        out(&done).contains("idle of queue root.a, ") && out(&done).lines().count() == 1,
        "{}{}",
        out(&done),
        err(&done)
    );
    let listed = out(&server.alerts(0, &["silences"]));
    assert_eq!(listed.lines().count(), 1, "{listed}");
    let done = silence("partition=default");
    assert_eq!(out(&done).lines().count(), 2, "{}{}", out(&done), err(&done));
}

#[test]
fn a_rejected_operation_gives_a_reason_and_changes_nothing() {
    let server = Served::start();
    for (user, words, why) in [
        (1, &["silence", "few", "--for", "2h", "--reason", "x"][..], "scheduler ACL"),
        (0, &["silence", "fewer", "--for", "2h", "--reason", "x"], "not found"),
        (0, &["silence", "few", "--for", "soon", "--reason", "x"], "is not a duration; use for example `2h`"),
        (0, &["unsilence", "7"], "7"),
        (0, &["silence", "few", "--for", "2h"], "--reason"),
        (0, &["silence", "few", "--for", "2h", "--reason", "x", "--label", "node"], "NAME=VALUE"),
    ] {
        let output = server.alerts(user, words);
        assert!(!output.status.success() && err(&output).contains(why), "{words:?}: {}", err(&output));
    }
    assert_eq!(out(&server.alerts(0, &["silences", "--all"])), "no silence\n");
}
