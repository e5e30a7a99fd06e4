use std::io::Write;
use std::net::TcpStream;
use std::time::Instant;

use model::Profile;
use server::{Options, WhatIfLimits};

use super::stage::{Answer, PATIENCE, Stage};
use crate::common::{TestDir, kornsole_command};

const PATH: &str = "/kornsole/v1/whatif";
/// The cleaner runs every 10 s for many years.
const ENDLESS: &str = r#"{"run":{"advance":"200000h"}}"#;
const SHORT: &str = r#"{"run":{"advance":"1s"}}"#;

struct Asked {
    stage: Stage,
    tokens: [String; 2],
    _dir: TestDir,
}

impl Asked {
    fn of(limits: impl Fn(&mut WhatIfLimits)) -> Self {
        let dir = TestDir::new();
        let tokens = ["sue", "joe"].map(|user| format!("Bearer {}", dir.token(user, "dev")));
        let path = dir.tokens();
        let set = |options: &mut Options| {
            options.access.tokens = Some(path);
            options.limits.what_if.nice = 0;
            limits(&mut options.limits.what_if);
            options.limits.answer = 60 * PATIENCE;
            options.limits.work = 60 * PATIENCE;
        };
        let scenario = "tests/conformance/rest/scenario.yaml".as_ref();
        Self { stage: Stage::resting(scenario, Profile::Kornsole, set), tokens, _dir: dir }
    }

    fn ask(&self, user: usize, body: &str) -> Answer {
        let headers = [("Authorization", self.tokens[user].as_str()), ("Content-Type", "application/json")];
        self.stage.ask("POST", PATH, &headers, body.as_bytes())
    }

    fn start(&self) -> TcpStream {
        let mut stream = self.stage.connect();
        let (token, length) = (&self.tokens[0], ENDLESS.len());
        let head = format!("POST {PATH} HTTP/1.1\r\nHost: test\r\nAuthorization: {token}\r\n");
        write!(stream, "{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{ENDLESS}").unwrap();
        stream.set_nonblocking(true).unwrap();
        stream
    }

    fn ask_until(&self, body: &str, status: u16) -> Answer {
        let started_at = Instant::now();
        loop {
            let answer = self.ask(0, body);
            if answer.status == status {
                return answer;
            }
            assert!(started_at.elapsed() < PATIENCE, "{} instead of {status}: {}", answer.status, answer.text());
            std::thread::yield_now();
        }
    }
}

#[test]
fn what_changes_is_answered_and_nothing_real_changes() {
    let asked = Asked::of(|_| {});
    let before = asked.stage.get("/ws/v1/partition/default/queues").text().to_owned();
    let body = r#"{"changes":["kill etl-1","kill nobody"],"run":{"advance":"1m"},"compare":["applications"]}"#;
    let answer = asked.ask(0, body);
    let json = answer.json();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!((json["refused"][0]["step"].as_u64(), json["stopped"].as_str()), (Some(1), Some("time")));
    assert!(json["verdict"].as_str().unwrap().contains("1 application is killed"), "{json}");
    assert_eq!(json["diff"]["queues"].as_array().unwrap().len(), 0, "only applications were asked for");
    assert_eq!(asked.stage.get("/ws/v1/partition/default/queues").text(), before);
}

#[test]
fn what_is_wrong_in_the_question_is_named() {
    let asked = Asked::of(|_| {});
    for (body, part) in [
        (r#"{"changes":["burn it"]}"#, "changes[0]"),
        (r#"{"compare":["moods"]}"#, "compare"),
        (r#"{"run":{"advance":"soon"}}"#, "run.advance"),
        (r#"{"runtimes":["user:sue"]}"#, "runtimes[0]"),
    ] {
        let answer = asked.ask(0, body);
        assert!(answer.status == 400 && answer.text().contains(part), "{} {}", answer.status, answer.text());
    }
    assert_eq!(asked.ask(0, r#"{"partition":"nowhere"}"#).status, 404);
}

#[test]
fn a_load_that_needs_too_much_memory_time_or_cycles_is_rejected() {
    let answer = Asked::of(|limits| limits.bytes = 100).ask(0, SHORT);
    assert_eq!(answer.status, 413, "{}", answer.text());
    assert!(answer.text().contains("two copies of the state need about 1 MB"), "{}", answer.text());
    let answer = Asked::of(|limits| limits.time = std::time::Duration::ZERO).ask(0, ENDLESS);
    assert!(answer.status == 413 && answer.text().contains("more than 0 s"), "{}", answer.text());
    let answer = Asked::of(|limits| limits.cycles = 3).ask(0, ENDLESS);
    assert!(answer.status == 413 && answer.text().contains("more than 3 cycles"), "{}", answer.text());
}

/// Only a disconnect can stop the first request: its limits are hours.
#[test]
fn one_at_a_time_for_each_user_until_its_client_leaves() {
    let asked = Asked::of(|limits| {
        limits.time = 60 * PATIENCE;
        limits.cycles = u64::MAX;
    });
    let (mut first, started_at) = (asked.start(), Instant::now());
    let refused = loop {
        let answer = asked.ask(0, SHORT);
        if answer.status == 429 {
            break answer;
        }
        // The requests can arrive in reverse order.
        if first.peek(&mut [0]).is_ok() {
            first = asked.start();
        }
        assert!(started_at.elapsed() < PATIENCE, "the long one never has its turn");
    };
    assert!(refused.header("retry-after").is_some() && refused.text().contains("one what-if at a time"), "{refused:?}");
    assert_eq!(asked.ask(1, SHORT).status, 200, "another user has a turn of their own");
    drop(first);
    asked.ask_until(SHORT, 200);
}

#[test]
fn the_program_asks_a_server_and_writes_a_page() {
    let asked = Asked::of(|_| {});
    let dir = TestDir::new();
    let token = dir.write("token", asked.tokens[0].trim_start_matches("Bearer "));
    std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let (page, address) = (dir.join("page.html"), format!("http://{}", asked.stage.address()));
    let mut command = kornsole_command(&["whatif", "--server", &address, "--change", "kill etl-1", "--for", "1m"]);
    let output = command.arg("--token-file").arg(&token).arg("--html").arg(&page).output().unwrap();
    let [reported, wrong] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success() && reported.contains("1 application is killed"), "{reported}{wrong}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains("<code>kill etl-1</code>") && page.contains("<td>etl-1</td>") && page.contains(">core "),
        "{page}"
    );
}

fn two_commits(old: &str, new: &str) -> TestDir {
    let dir = TestDir::new();
    let git = |arguments: &[&str]| {
        let names = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"];
        let mut command = std::process::Command::new("git");
        let done = command.args(names).args(arguments).current_dir(&*dir).output().unwrap();
        assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "-q"]);
    for text in [old, new] {
        dir.write("queues.yaml", text);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "change"]);
    }
    dir
}

#[test]
fn two_commits_are_compared_with_the_applications_of_a_server() {
    let asked = Asked::of(|_| {});
    let tokens = TestDir::new();
    let token = tokens.write("token", asked.tokens[0].trim_start_matches("Bearer "));
    std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let scenario = std::fs::read_to_string("tests/conformance/rest/scenario.yaml").unwrap();
    let config = scenario.split_once("config: |\n").unwrap().1.split_once("steps:").unwrap().0;
    let old: String = config.lines().map(|line| format!("{}\n", line.get(2..).unwrap_or_default())).collect();
    let new = old.replace("[{name: etl}, ", "[");
    assert_ne!(old, new);
    let dir = two_commits(&old, &new);
    let address = format!("http://{}", asked.stage.address());
    let mut command = kornsole_command(&["diff", "--git", "HEAD~1..HEAD", "--format", "json", "--server", &address]);
    let output = command.arg("--token-file").arg(&token).current_dir(&*dir).output().unwrap();
    let [reported, wrong] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{reported}{wrong}");
    let json: serde_json::Value = serde_json::from_str(&reported).unwrap();
    let effects = json["effects"].to_string();
    assert!(effects.contains("etl-1") && !effects.contains("adhoc-1"), "only the queue of etl-1 is removed: {effects}");
}
