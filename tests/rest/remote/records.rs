use std::process::Output;
use std::sync::Arc;
use std::time::{Duration, Instant};

use client::{Target, Token};
use console::{Driver, Options};
use serde_json::Value;
use source::Remote;
use source::remote::RemoteOptions;

use crate::common::{Program, TestDir, kornsole_command, serve_command};

const CONFIG: &str = "\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - {name: t, adminacl: ann, queues: [{name: a, resources: {max: {vcore: 4}}}]}
          - {name: b, adminacl: bob}
";

/// Tokens for `ann` and for `olga`, who is in the scheduler ACL.
pub struct Served {
    pub url: String,
    _program: Program,
    pub dir: TestDir,
    tokens: [(&'static str, String); 2],
}

impl Served {
    fn new() -> Self {
        Self::with(CONFIG, &[])
    }

    pub fn with(config: &str, flags: &[&str]) -> Self {
        let dir = TestDir::new();
        let queues = dir.write("queues.yaml", config);
        let tokens = ["ann", "olga"].map(|user| (user, dir.token(user, user)));
        for (user, token) in &tokens {
            dir.write(user, token);
        }
        let mut command = serve_command(&["--scheduler-acl", "olga"]);
        command.arg("--config").arg(queues).arg("--tokens").arg(dir.tokens()).args(flags);
        let program = Program::spawn(command);
        Self { url: program.url(), _program: program, dir, tokens }
    }

    pub fn kornsole(&self, who: &str, arguments: &[&str]) -> Output {
        let mut command = kornsole_command(arguments);
        command.args(["--server", &self.url, "--token-file"]).arg(self.dir.join(who)).output().unwrap()
    }

    #[track_caller]
    pub fn out(&self, who: &str, arguments: &[&str]) -> String {
        let output = self.kornsole(who, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn lines(&self, who: &str, arguments: &[&str]) -> Vec<Value> {
        let arguments = [arguments, &["--json"]].concat();
        self.out(who, &arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn apply(&self, who: &str, max: &str, reason: &str) -> Output {
        let file = self.dir.write("new.yaml", CONFIG.replace("vcore: 4", &format!("vcore: {max}")));
        self.kornsole(who, &["apply", file.to_str().unwrap(), "--yes", "--reason", reason])
    }
}

/// The server's entry need not be the default one.
#[test]
fn manifests_are_compared_by_the_entry_that_is_in_use() {
    let manifest = |max: &str| {
        let queues = CONFIG.replace("vcore: 4", &format!("vcore: {max}"));
        let queues: String = queues.lines().map(|line| format!("    {line}\n")).collect();
        format!("kind: ConfigMap\ndata:\n  queues.yaml: 'odd: 1'\n  tenants.yaml: |\n{queues}")
    };
    let served = Served::with(&manifest("4"), &["--policy-group", "tenants"]);
    let new = served.dir.write("new.yaml", manifest("1m"));
    served.out("ann", &["apply", new.to_str().unwrap(), "--yes"]);
    let diff = served.out("ann", &["config", "diff", "1"]);
    assert!(diff.starts_with("~ root.t.a\n") && diff.contains("max vcore 4 → 1m"), "{diff}");
}

#[test]
fn commands_show_the_previous_value_and_restore_it() {
    let served = Served::new();
    assert!(served.apply("ann", "1m", "smaller").status.success());
    assert!(!served.kornsole("ann", &["kill", "nobody", "--yes"]).status.success());
    let history = served.out("ann", &["config", "history"]);
    let rows: Vec<&str> = history.lines().collect();
    assert_eq!(rows.len(), 3, "{history}");
    assert!(rows[1].contains("start") && rows[2].contains("ann") && rows[2].ends_with("active  smaller"), "{history}");
    assert_eq!(served.out("ann", &["config", "show", "1"]), CONFIG);
    assert!(served.out("ann", &["config", "show"]).contains("vcore: 1m"));
    let diff = served.out("ann", &["config", "diff", "1"]);
    assert!(diff.starts_with("~ root.t.a\n") && diff.contains("max vcore 4 → 1m"), "{diff}");
    assert!(served.out("ann", &["config", "diff", "2", "1"]).contains("max vcore 1m → 4"));
    let would = served.out("ann", &["config", "rollback", "1", "--dry-run"]);
    assert!(would.starts_with("revision 3 would be active, 1 change"), "{would}");
    assert!(served.out("ann", &["config", "rollback", "1", "--yes"]).starts_with("revision 3 is active"));
    assert!(!served.kornsole("ann", &["config", "rollback", "9", "--yes"]).status.success());
    let message = served.lines("ann", &["config", "history"]);
    assert_eq!(
        (&message[2]["source"], &message[2]["rollbackOf"], &message[2]["current"]),
        (&Value::from("rollback"), &Value::from(1), &Value::from(true))
    );
    assert_eq!(std::fs::read_to_string(served.dir.join("queues.yaml")).unwrap(), CONFIG, "also in the file");

    let table = served.out("olga", &["audit"]);
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 5, "{table}");
    assert!(rows[1].contains("config") && rows[2].contains("kill") && rows[2].contains("NOT_FOUND"), "{table}");
    let lines = served.lines("olga", &["audit", "--action", "rollback"]);
    let outcomes: Vec<_> = lines.iter().map(|line| (line["allowed"].as_bool(), line["code"].as_str())).collect();
    assert_eq!(outcomes, [(Some(true), None), (Some(false), Some("NOT_FOUND"))]);
    assert!(served.lines("olga", &["audit", "--user", "bob"]).is_empty());
    let own = served.kornsole("ann", &["audit", "--last", "1"]);
    assert!(String::from_utf8_lossy(&own.stderr).contains("note: only the entries of ann"));
    assert_eq!(String::from_utf8_lossy(&own.stdout).lines().count(), 2);
}

#[test]
fn an_attached_console_shows_the_ledger_and_rolls_back() {
    let served = Served::new();
    assert!(served.apply("ann", "1m", "smaller").status.success());
    let (_, secret) = served.tokens.iter().find(|(user, _)| *user == "ann").unwrap();
    let target = Target::new(&served.url).unwrap().with_token(Token::new(secret).unwrap()).unwrap();
    let every = Duration::from_millis(50);
    let remote = Arc::new(Remote::start(&target, RemoteOptions { every, ..RemoteOptions::default() }).unwrap());
    let mut driver = Driver::new(remote, Options::default(), 140, 40);
    let until = |driver: &mut Driver, text: &str| {
        let patience = Instant::now() + Duration::from_secs(60);
        while driver.refresh().find_row(text).is_none() {
            assert!(Instant::now() < patience, "no {text:?} in\n{}", driver.screen_text());
            std::thread::yield_now();
        }
    };
    until(&mut driver, "root");
    driver.keys("L").unwrap();
    until(&mut driver, "only ann's entries; the scheduler ACL shows all");
    until(&mut driver, "smaller");
    driver.keys("H").unwrap();
    until(&mut driver, "max vcore 4 → 1m");
    driver.keys("j<ret>").unwrap();
    until(&mut driver, "{name: t, adminacl: ann, queues: [{name: a, resources: {max: {vcore: 4}}}]}");
    driver.keys("qb").unwrap();
    until(&mut driver, "Roll back to revision 1?");
    driver.keys("y").unwrap();
    until(&mut driver, "rollback to 1");
    assert!(served.out("ann", &["config", "show"]).contains("vcore: 4"));
}
