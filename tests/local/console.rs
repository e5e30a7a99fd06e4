use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use client::{Target, Token};
use console::{Driver, Options};
use local::client::Client;
use local::wire::{Reply, Request};
use serde_json::Value;
use source::local::LocalMachine;
use source::remote::RemoteOptions;
use source::{Remote, Source as _};

use super::machine::{Machine, is_root, until};

fn endpoint(machine: &Machine) -> (String, String) {
    let mut stream = UnixStream::connect(machine.socket()).unwrap();
    stream.write_all(b"\"door\"\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    let reply: Value = serde_json::from_str(&line).unwrap();
    let text = |key: &str| reply["door"][key].as_str().unwrap_or_else(|| panic!("{line}")).to_owned();
    (text("url"), text("token"))
}

fn asked(url: &str, token: Option<&str>, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(arguments).args(["--server", url]).env_remove("KORNSOLE_TOKEN");
    command.envs(token.map(|token| ("KORNSOLE_TOKEN", token)));
    let output = command.output().unwrap();
    let text = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn a_console_sees_jobs_only_with_a_token() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&["--name", "shown"], "sleep 300");
    machine.until(job, "running");
    let (url, token) = endpoint(&machine);
    let (same, another) = endpoint(&machine);
    assert!(url == same && token != another && url.starts_with("http://127.0.0.1:"), "{url} {same}");
    let (code, app) = asked(&url, Some(&token), &["app", "job-1", "--json"]);
    assert!(code == 0 && app.contains("\"applicationState\":\"Running\""), "{code} {app}");
    for wrong in [None, Some("kso_no_token")] {
        let (code, text) = asked(&url, wrong, &["apps"]);
        assert!(code != 0 && !text.contains("job-1"), "{wrong:?}: {code} {text}");
    }
}

#[test]
fn a_token_submits_no_application_in_the_place_of_anothers_job() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let (url, token) = endpoint(&machine);
    let app = r#"{"app":"job-1","queue":"root.users.root"}"#;
    for (method, path, body) in [
        ("POST", "applications", app),
        ("POST", "application/job-1/asks", r#"[{"id":"run-1","resource":{"vcore":"1"}}]"#),
        ("POST", "application/job-1/remove", "{}"),
        ("DELETE", "application/job-1/allocation/run-1", ""),
    ] {
        let answer = sent(&url, &token, method, path, body);
        assert!(answer.contains("only the job daemon can do this"), "{path}: {answer}");
    }
    let job = machine.submit_as(Some(65534), &["--dir", "/"], "exit 4");
    assert_eq!((job, machine.wait(job)), (1, 4), "the name is free for the job");
}

#[test]
fn a_console_drains_with_a_reason_only() {
    let machine = Machine::up(&[]);
    let (url, token) = endpoint(&machine);
    let info: Value = serde_json::from_str(&machine.reported(&["local", "info", "--json"]).1).unwrap();
    let path = format!("node/{}/drain", info["machine"].as_str().unwrap());
    let drain = |body: &str| sent(&url, &token, "POST", &path, body);
    let answer = drain("{}");
    assert!(answer.contains("cannot drain this machine: missing reason"), "{answer}");
    assert!(!machine.reported(&["local", "status"]).1.contains("drained"));
    let answer = drain(r#"{"reason":"new disk"}"#);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    until(|| machine.reported(&["local", "status"]).1.contains(" UTC: new disk\n"));
}

fn sent(url: &str, token: &str, method: &str, path: &str, body: &str) -> String {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} /kornsole/v1/partition/default/{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Waits until the user of the token is known, because commands are disabled before.
fn source(machine: &Machine) -> LocalMachine {
    let mut client = Client::connect(&machine.socket()).unwrap();
    let (Reply::Info(info), _) = client.ask(&Request::Info).unwrap() else { panic!("it says what it is") };
    let (Reply::Endpoint { url, token, .. }, _) = client.ask(&Request::Endpoint).unwrap() else {
        panic!("it lets one in")
    };
    let target = Target::new(&url).unwrap().with_token(Token::new(&token).unwrap()).unwrap();
    let (target, endpoint) = target.renewable();
    let remote = Remote::start(&target, RemoteOptions::default()).unwrap();
    let source = LocalMachine::new(machine.socket(), &info, remote, endpoint, false).unwrap();
    let is_known = || source.actor().is_ok_and(|actor| actor.read_only.is_none());
    for _ in 0..400 {
        if is_known() {
            return source;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("it does not know who asks");
}

#[track_caller]
fn until_shown(driver: &mut Driver, text: &str) {
    for _ in 0..200 {
        driver.advance(Duration::from_millis(100));
        if driver.find_row(text).is_some() {
            return;
        }
        sleep(Duration::from_millis(50));
    }
    let screen = driver.screen_text();
    let _ = driver.keys(":messages<ret>");
    panic!("{text:?} does not come:\n{screen}\n{}", driver.screen_text());
}

#[test]
fn a_job_is_followed_canceled_and_run_again_in_the_console() {
    let machine = Machine::up(&["--history", "100"]);
    let script = "echo begun; trap 'echo caught; exit 3' TERM; while :; do sleep 0.1; done";
    let job = machine.submit(&["--name", "chatty", "--mem", "1Gi"], script);
    machine.until(job, "running");
    let mut driver = Driver::new(Arc::new(source(&machine)), Options::default(), 140, 40);
    until_shown(&mut driver, " THIS MACHINE ");
    driver.keys("2").unwrap();
    until_shown(&mut driver, "job-1");
    until_shown(&mut driver, "sh -c 'echo begun; trap");
    driver.keys("o").unwrap();
    until_shown(&mut driver, "begun");
    until_shown(&mut driver, "running for ");
    until_shown(&mut driver, " of 1Gi, at most ");
    until_shown(&mut driver, " sleep ");
    driver.keys("K").unwrap();
    until_shown(&mut driver, "End job 1, chatty?");
    driver.keys("y").unwrap();
    until_shown(&mut driver, "caught");
    until_shown(&mut driver, "canceled by ");
    driver.keys("Ry").unwrap();
    until_shown(&mut driver, "output of attempt 2");
    machine.until(job, "running");
    assert_eq!(machine.reported(&["cancel", "1"]).0, 0);
}

#[test]
fn what_waits_is_changed_in_the_console_and_on_the_command_line() {
    let machine = Machine::up(&[]);
    let running = machine.submit(&["--cpu", "4"], "sleep 300");
    machine.until(running, "running");
    let job = machine.submit(&["--cpu", "2", "--name", "later"], "true");
    machine.until(job, "queued");
    let mut driver = Driver::new(Arc::new(source(&machine)), Options::default(), 140, 40);
    driver.keys(":job 2<ret>").unwrap();
    until_shown(&mut driver, "queued for ");
    driver.keys(":edit-job cpu=1 mem=100Mi time=1h name=sooner<ret>y").unwrap();
    until_shown(&mut driver, "sooner requests 1 cpu, 100Mi");
    driver.keys(":priority 7<ret>y").unwrap();
    until_shown(&mut driver, "job 2: has priority 7");
    driver.keys("hy").unwrap();
    until_shown(&mut driver, "job 2: held");
    until_shown(&mut driver, "held for ");
    let now = machine.job(job);
    assert_eq!((&now["vcore"], &now["memory"], &now["time_limit"]), (&1000.into(), &104_857_600.into(), &3600.into()));
    assert_eq!((now["priority"].as_i64(), now["name"].as_str()), (Some(7), Some("sooner")));
    driver.keys("u").unwrap();
    until_shown(&mut driver, "job 2: released");
    machine.until(job, "queued");
    let (code, reported) = machine.reported(&["local", "edit", "2", "--cpu", "0.5", "--gpu", "0"]);
    assert!(code == 0 && machine.job(job)["vcore"] == 500, "{reported}");
    for (arguments, code, why) in [
        (&["--cpu", "9"][..], 1, "4 cores"),
        (&["--cpu", "0"], 2, "expected cores"),
        (&["--gpu", "1"], 1, "0 GPUs"),
        (&[], 2, "required"),
    ] {
        let (found, reported) = machine.reported(&[&["local", "edit", "2"], arguments].concat());
        assert!(found == code && reported.contains(why), "{arguments:?}: {found} {reported}");
    }
    assert_eq!(machine.reported(&["local", "edit", "1", "--cpu", "1"]).0, 1, "it runs");
    assert_eq!(machine.reported(&["cancel", "--yes", "1-2"]).0, 0);
}

#[test]
fn a_console_reconnects_and_shows_what_it_missed() {
    let mut machine = Machine::up(&[]);
    let job = machine.submit(&["--name", "first"], "echo begun; sleep 300");
    machine.until(job, "running");
    let mut driver = Driver::new(Arc::new(source(&machine)), Options::default(), 140, 40);
    driver.keys("2").unwrap();
    until_shown(&mut driver, "job-1");
    machine.kill();
    until_shown(&mut driver, " OLD ");
    machine.start();
    let missed = machine.submit(&["--name", "missed"], "sleep 300");
    machine.until(missed, "running");
    assert_eq!(machine.reported(&["cancel", "1"]).0, 0);
    until_shown(&mut driver, "job-2");
    until_shown(&mut driver, "missed");
    until(|| {
        driver.advance(Duration::from_millis(100));
        driver.find_row(" OLD ").is_none()
    });
    driver.keys(":job 2<ret>").unwrap();
    until_shown(&mut driver, "running for ");
    driver.keys("K").unwrap();
    until_shown(&mut driver, "End job 2, missed?");
    driver.keys("y").unwrap();
    until_shown(&mut driver, "canceled by ");
}
