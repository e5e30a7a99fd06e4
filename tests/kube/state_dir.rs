use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::schedule::{QUEUES, Scheduler, check, make, on_nodes, pod, pods, prepare, until};
use super::{Stage, has};

struct Retained<'s> {
    stage: &'s Stage,
    dir: String,
    tokens: String,
    token_file: String,
}

impl<'s> Retained<'s> {
    fn new(stage: &'s Stage) -> Self {
        let at = |name: &str| stage.dir.join(name).display().to_string();
        let (dir, tokens) = (at("kept-state"), at("kept-tokens.yaml"));
        let token = stage.works(&["token", "new", "--file", &tokens, "--user", "ann"]);
        let token_file = stage.file("kept.token", token.trim());
        std::fs::set_permissions(&token_file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        Self { stage, dir, tokens, token_file }
    }

    fn start(&self) -> Scheduler {
        let options = ["--tokens", &self.tokens, "--state", &self.dir, "--scheduler-acl", "ann"];
        Scheduler::launch_with(self.stage, &options).ready()
    }

    fn asks(&self, scheduler: &Scheduler, arguments: &[&str]) -> String {
        let url = scheduler.url();
        let all = [arguments, &["--server", &url, "--token-file", &self.token_file]].concat();
        self.stage.works(&all)
    }

    fn audit(&self, scheduler: Option<&Scheduler>) -> Vec<(u64, String, String)> {
        let text = match scheduler {
            Some(scheduler) => self.asks(scheduler, &["audit", "--json", "--user", "ann"]),
            None => self.stage.works(&["audit", "--json", "--user", "ann", "--state", &self.dir]),
        };
        let word = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
        let read = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        let entries = text.lines().map(read);
        entries.map(|one| (one["id"].as_u64().unwrap(), word(&one, "action"), word(&one, "object"))).collect()
    }

    /// Millicore-seconds, and the number of gaps.
    fn used(&self, scheduler: Option<&Scheduler>) -> (u64, usize) {
        let text = match scheduler {
            Some(scheduler) => self.asks(scheduler, &["usage", "--json"]),
            None => match self.stage.run(&["usage", "--json", "--state", &self.dir]) {
                // The ledger is written some time after the start.
                (1, _, why) if why.contains("has no ledger yet") => return (0, 0),
                (0, out, _) => out,
                (code, _, why) => panic!("{code}: {why}"),
            },
        };
        let report: Value = serde_json::from_str(&text).unwrap();
        (report["total"]["allocated"]["vcore"].as_u64().unwrap_or(0), report["gaps"].as_array().unwrap().len())
    }
}

fn write_queues(stage: &Stage, text: &str) {
    let patch = json!({"data": {"queues.yaml": text}}).to_string();
    stage.kubectl(&["-n", "kornsole", "patch", "configmap", "yunikorn-configs", "--type=merge", "-p", &patch]);
}

fn revisions(retained: &Retained, scheduler: &Scheduler) -> Vec<u64> {
    let text = retained.asks(scheduler, &["config", "history", "--json"]);
    let read = |line: &str| serde_json::from_str::<Value>(line).unwrap()["revision"].as_u64().unwrap();
    text.lines().map(read).collect()
}

/// Killed and restarted on its directory.
pub fn restarted(stage: &Stage) {
    prepare(stage);
    let open = QUEUES.replace("    submitacl: '*'\n", "    submitacl: '*'\n    adminacl: ann\n");
    write_queues(stage, &open);
    let retained = Retained::new(stage);
    let first = retained.start();
    make(stage, &[pod("a0", "a", "1"), pod("a1", "a", "1"), pod("a2", "a", "1"), pod("b0", "b", "1")]);
    until("four are bound", || on_nodes(&pods(stage)) == 4);
    write_queues(stage, &open.replace("    - {name: a}\n", "    - {name: a}\n    - {name: later}\n"));
    until("the second revision is active", || revisions(&retained, &first) == [1, 2]);
    retained.asks(&first, &["kill", "app-b", "--yes"]);
    until("what was killed is gone", || pods(stage).len() == 3);
    retained.asks(&first, &["alerts", "silence", "node-lost", "--for", "2h", "--reason", "they are replaced"]);
    let before = retained.audit(Some(&first));
    let kills = |all: &[(u64, String, String)]| {
        all.iter().filter(|(_, action, object)| (action.as_str(), object.as_str()) == ("kill", "app-b")).count()
    };
    assert_eq!(kills(&before), 1, "{before:?}");
    in_use(stage, &retained);
    until("the ledger is written while pods run", || retained.used(None).0 > 3_000);
    let (written, _) = retained.used(None);
    let (at_the_end, gaps) = retained.used(Some(&first));
    assert!(at_the_end >= written && gaps == 0, "{at_the_end} {written} {gaps}");
    std::thread::sleep(Duration::from_secs(1));
    drop(first);

    assert_eq!(retained.audit(None), before, "it is on the disk a second later");
    has(&stage.works(&["config", "show", "2", "--state", &retained.dir]), &["later"]);
    let refused = stage.fails(&["serve", "--listen", "127.0.0.1:0", "--state", &retained.dir]);
    has(&refused, &["is a state of `kornsole kube schedule`"]);
    let started = Instant::now();
    let second = retained.start();
    let (used, gaps) = retained.used(Some(&second));
    // One more second was not written.
    let most = at_the_end + 3_000 * (started.elapsed().as_secs() + 3);
    assert!(used >= written && used <= most, "{written} <= {used} <= {most}");
    assert_eq!(gaps, 1);
    assert_eq!(revisions(&retained, &second), [1, 2], "the same configuration is the same revision");
    retained.asks(&second, &["kill", "app-a", "--yes"]);
    let after = retained.audit(Some(&second));
    let (newest, older) = after.split_last().unwrap();
    assert_eq!((kills(&after), newest.0, older), (1, before.last().unwrap().0 + 1, &before[..]));
    until("what was killed is gone", || pods(stage).is_empty());
    check(stage, &second);
    has(&retained.asks(&second, &["alerts", "silences"]), &["node-lost", "they are replaced"]);
    for name in ["trends.redb", "alerts.json", "usage.redb", "audit.redb"] {
        assert!(Path::new(&retained.dir).join(name).exists(), "{name}");
    }
    second.stop();
    assert_eq!(retained.audit(None), after);
    write_queues(stage, QUEUES);
}

/// A second process names the owner of the directory and exits.
fn in_use(stage: &Stage, retained: &Retained) {
    let arguments = ["kube", "schedule", "--context", "root", "--namespace", "kornsole", "--listen", "127.0.0.1:0"];
    let own = ["--no-lease", "--scheduler-name", "nobody", "--state", &retained.dir];
    let second = stage.fails(&[&arguments[..], &own].concat());
    has(&second, &["is in use by another kornsole (process ", "serving http://127.0.0.1:"]);
    has(&stage.fails(&["audit", "--state", &retained.dir]), &["is in use by another kornsole", "--server URL"]);
}
