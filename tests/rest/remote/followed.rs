use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use client::Target;
use serde_json::{Value, json};
use source::book::Book;
use source::remote::RemoteOptions;
use source::{Focus, FocusKind, Remote, Source};
use view::used::{UsageBy, UsageQuestion, Used};

use crate::common::{TestDir, kornsole_command};
use crate::remote::observer::PATIENCE;
use crate::remote::serve::{Answer, Server, Set};
use crate::remote::sets::{self, get};

const ACTIVE: &str = "/ws/v1/partition/default/applications/active";

fn apps(set: &Set) -> Vec<Value> {
    serde_json::from_slice(&set[&get(ACTIVE)].body).unwrap()
}

fn usage(server: &Server, dir: &Path, arguments: &[&str]) -> Output {
    let mut command = kornsole_command(&[&["usage", "--server", &server.url()], arguments].concat());
    command.env("XDG_STATE_HOME", dir).output().unwrap()
}

fn watched(server: &Server, dir: &Path) -> Value {
    let until = Instant::now() + PATIENCE;
    for seconds in [7, 12, 30] {
        let mut watch: Command = kornsole_command(&["watch", "--server", &server.url()]);
        let mut program = watch.env("XDG_STATE_HOME", dir).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(seconds));
        let ended = Command::new("kill").args(["-TERM", &program.id().to_string()]).status();
        assert!(ended.unwrap().success() && program.wait().unwrap().success());
        let report = usage(server, dir, &["--by", "application", "--json"]);
        let report: Value = serde_json::from_slice(&report.stdout).unwrap_or_default();
        if report["counted"].as_i64() >= Some(1_000_000_000) && report.get("onlyAllocated").is_none() {
            return report;
        }
        assert!(Instant::now() < until, "{report:#}");
    }
    panic!("not counted");
}

#[test]
fn watch_follows_the_ledger_and_usage_compares_it_with_the_count_of_the_scheduler() {
    let (dir, mut set) = (TestDir::new(), sets::of("1.8.0"));
    let mut list = apps(&set);
    list[0]["resourceHistory"] = json!({"resourceUsage": {"UNKNOWN": {"vcore": 1_000_000}}});
    set.insert(get(ACTIVE), Answer::json(Value::from(list.clone()).to_string()));
    let server = Server::start(set);
    let retained = dir.join("kept");
    let report = watched(&server, &retained);
    let counted = report["counted"].as_i64().unwrap();
    assert_eq!(report["to"].as_i64().unwrap() - report["from"].as_i64().unwrap(), counted, "without a gap: {report:#}");
    let mut compared = 0;
    for app in &list {
        let sum = |what: &str| -> i64 {
            let all = app[what].as_array().into_iter().flatten();
            all.map(|one| one["resource"]["vcore"].as_i64().unwrap_or(0)).sum()
        };
        let row = report["rows"].as_array().unwrap().iter().find(|row| row["application"] == app["applicationID"]);
        for (list, amount) in [("allocations", "allocated"), ("requests", "waited")] {
            let found = row.map_or(0, |row| row[amount]["vcore"].as_i64().unwrap_or(0));
            let expected = sum(list) as f64 * counted as f64 / 1e9;
            assert!((found as f64 - expected).abs() <= 1.0, "{amount} {found} is not {expected}: {app:#}");
            compared += usize::from(found > 0);
        }
    }
    assert!(compared > 5, "{report:#}");
    assert_eq!(report.get("compared"), None, "{report:#}");
    let text = String::from_utf8(usage(&server, &retained, &["--by", "tree", "--from", "1h"]).stdout).unwrap();
    assert!(text.contains("WAITED core-h") && text.contains("root.tenants"), "{text}");
    let page = String::from_utf8(usage(&server, &retained, &["--format", "html"]).stdout).unwrap();
    assert!(page.ends_with("</html>\n"), "{page}");
    let text = String::from_utf8(usage(&server, &dir.join("elsewhere"), &[]).stdout).unwrap();
    assert!(text.contains("its own count (resourceHistory)"), "{text}");
}

fn ask(remote: &Remote, by: UsageBy) -> Result<Used, String> {
    let (sender, answer) = channel();
    remote.usage(UsageQuestion { by, ..UsageQuestion::default() }, Box::new(move |used| drop(sender.send(used))));
    answer.recv_timeout(PATIENCE).unwrap()
}

fn wait(remote: &Remote, what: &str, mut is: impl FnMut(&Used) -> bool) -> Used {
    let until = Instant::now() + PATIENCE;
    loop {
        let answer = ask(remote, UsageBy::Application);
        if let Ok(used) = &answer
            && is(used)
        {
            return answer.unwrap();
        }
        assert!(Instant::now() < until, "never seen: {what}; {answer:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn another_run_of_the_scheduler_is_a_gap_in_the_ledger_of_an_attached_console() {
    let server = Server::start(sets::of("1.8.0"));
    let target = Target::new(&server.url()).unwrap();
    let options = RemoteOptions { every: Duration::from_millis(100), ..RemoteOptions::default() };
    let remote = Remote::start(&target, options).unwrap().with_book(Book::start(None));
    remote.set_focus(&Focus { kind: FocusKind::Apps(None), ..Focus::default() });
    let counts = |used: &Used| !used.only_allocated && !used.total.waited.is_empty() && !used.counted.is_zero();
    let first = wait(&remote, "that it counts", counts);
    assert_eq!(first.gaps, []);
    let mut set = sets::of("1.8.0");
    for ((_, path), answer) in &mut set {
        if path.contains("/events/batch") {
            let mut batch: Value = serde_json::from_slice(&answer.body).unwrap();
            batch["InstanceUUID"] = "another".into();
            answer.body = batch.to_string().into_bytes();
        }
    }
    server.answer(set);
    let again = wait(&remote, "that it counts again", |used| {
        used.gaps.first().is_some_and(|gap| gap.why.contains("the scheduler restarted") && gap.to < used.to)
    });
    let gap = &again.gaps[0];
    assert!(gap.from < gap.to && again.counted < Duration::from_nanos((again.to - again.from) as u64), "{again:?}");
    assert!(again.gaps.len() == 1 && again.from == first.from, "{again:?}");
}
