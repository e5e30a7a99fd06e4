//! Odd answers: too large numbers, missing lists, terminal escapes, endless answers. Unknown values have a reason, and
//! no raw text reaches the terminal.

use std::process::Output;
use std::sync::Arc;
use std::time::{Duration, Instant};

use client::{Limits, Target};
use console::{Driver, Options};
use model::Identity;
use serde_json::{Value, json};
use source::remote::once::{Once, Want};
use source::{Saved, Source};

use crate::common::kornsole_command;
use crate::remote::observer::{Observer, PATIENCE};
use crate::remote::serve::{Answer, Mischief, Server, Set};
use crate::remote::sets::{self, get};

/// Escape, CSI, OSC 52, bell, C1, direction marks, newlines.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{9b}31m\u{202e}\u{2066}\r\n\u{8}\u{7f}\u{85}\u{200b}";

fn kornsole(arguments: &[&str]) -> Output {
    kornsole_command(arguments).output().unwrap()
}

fn both(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Names of partitions stay, because they are in addresses.
fn poison(value: &mut Value) {
    match value {
        Value::String(text) if text != "default" => text.push_str(HOSTILE),
        Value::Array(list) => list.iter_mut().for_each(poison),
        Value::Object(map) => map.values_mut().for_each(poison),
        _ => {}
    }
}

fn hostile() -> Set {
    let mut set = sets::of("1.8.0");
    for answer in set.values_mut() {
        if let Ok(mut value) = serde_json::from_slice::<Value>(&answer.body) {
            poison(&mut value);
            answer.body = value.to_string().into_bytes();
        }
    }
    set
}

fn is_safe(output: &Output, of: &[&str]) {
    let text = both(output);
    let bad = text.chars().find(|c| {
        (c.is_control() && *c != '\n') || matches!(*c, '\u{200b}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    });
    assert_eq!(bad, None, "{of:?}: {text:?}");
    assert!(!text.trim().is_empty(), "{of:?}: it prints something");
}

#[test]
fn no_text_of_a_remote_reaches_the_terminal_unescaped() {
    let server = Server::start(hostile());
    let url = server.url();
    let app = format!("etl-1{HOSTILE}");
    let commands: [&[&str]; 12] = [
        &["queues"],
        &["apps", "--ended"],
        &["app", &app],
        &["nodes"],
        &["users"],
        &["explain", &app],
        &["fairness"],
        &["events"],
        &["whoami"],
        &["usage"],
        &["audit"],
        &["config", "history"],
    ];
    for command in commands {
        for json in [&[][..], &["--json"]] {
            let arguments = [command, &["--server", &url], json].concat();
            is_safe(&kornsole(&arguments), &arguments);
        }
    }
    let shown = both(&kornsole(&["nodes", "--server", &url]));
    assert!(shown.contains("\\x1b[2J") && shown.lines().count() >= 2, "{shown}");
}

#[test]
fn no_error_of_a_remote_reaches_the_terminal_unescaped() {
    let server = Server::start(sets::of("1.8.0"));
    let url = server.url();
    let body =
        r#"{"status_code":500,"message":"a\u001b[2J\u001b]52;c;aGk=\u0007\u009b31m\u202e\nb","description":"\u0085"}"#;
    for mischief in [
        Mischief::Always(500, "application/json", body),
        Mischief::Always(503, "text/plain", "a\u{1b}[2J\u{7}\u{9b}\u{202e}"),
        Mischief::Always(200, "text/html", "<html>\u{1b}[2J\u{7}\u{9b}\u{202e}"),
        Mischief::Always(200, "application/json", "[{\"a\u{1b}\u{9b}\": 1}"),
    ] {
        server.mischief(mischief);
        for command in ["queues", "apps", "nodes", "users", "fairness", "events", "whoami"] {
            let arguments = [command, "--server", &url];
            is_safe(&kornsole(&arguments), &arguments);
        }
    }
}

fn changed(path: &str, change: impl Fn(&mut Value)) -> Set {
    let mut set = sets::of("1.8.0");
    let answer = set.get_mut(&get(path)).unwrap();
    let mut value: Value = serde_json::from_slice(&answer.body).unwrap();
    change(&mut value);
    // A valid JSON number that fits no Rust type.
    answer.body = value.to_string().replace("\"LARGE\"", "16487540320812345678").into_bytes();
    set
}

#[test]
fn a_number_that_is_too_large_is_unknown_and_the_rest_is_shown() {
    let before = Server::start(sets::of("1.8.0"));
    let set = changed("/ws/v1/partition/default/nodes", |nodes| {
        nodes[0]["capacity"]["memory"] = json!("LARGE");
        nodes[0]["allocations"] = json!(7);
    });
    let server = Server::start(set);
    let rows = |url: &str| both(&kornsole(&["nodes", "--server", url])).lines().count();
    let output = kornsole(&["nodes", "--server", &server.url()]);
    assert!(output.status.success(), "{}", both(&output));
    let text = both(&output);
    assert!(text.contains("capacity.memory: the number 16487540320812345678 is out of range"), "{text}");
    assert!(String::from_utf8_lossy(&output.stdout).contains(" ? "), "{text}");
    let table = String::from_utf8_lossy(&output.stdout).lines().count();
    assert_eq!(table, rows(&before.url()), "every node has its row: {text}");
    let observer = Observer::at(&server.url());
    observer.wait("the notice", |view, _| {
        view.notices.iter().any(|one| one.title.contains("of the list of nodes unknown")).then_some(())
    });
}

fn console(server: &Server) -> Driver {
    let observer = Observer::at(&server.url());
    observer.all();
    Driver::new(Arc::clone(&observer.remote) as Arc<dyn Source>, Options::default(), 200, 50)
}

fn line(driver: &mut Driver, of: &str, with: &str) -> String {
    let patience = Instant::now() + PATIENCE;
    loop {
        let screen = driver.refresh().screen_text();
        if let Some(line) = screen.lines().find(|line| line.contains(of) && line.contains(with)) {
            return line.to_owned();
        }
        assert!(Instant::now() < patience, "no line with {of:?} and {with:?} in\n{screen}");
        std::thread::yield_now();
    }
}

#[test]
fn an_unknown_value_is_not_zero_on_any_page() {
    let nodes: Value = serde_json::from_slice(&sets::of("1.8.0")[&get("/ws/v1/partition/default/nodes")].body).unwrap();
    let node = nodes[0]["nodeID"].as_str().unwrap().to_owned();
    let mut set = changed("/ws/v1/partition/default/nodes", |nodes| {
        nodes[0]["capacity"]["memory"] = json!("LARGE");
        nodes[0]["allocated"]["vcore"] = json!("LARGE");
    });
    let queues = get("/ws/v1/partition/default/queues");
    let mut tree: Value = serde_json::from_slice(&set[&queues].body).unwrap();
    tree["allocatedResource"]["memory"] = json!("LARGE");
    tree["runningApps"] = json!(-1);
    let text = tree.to_string().replace("\"LARGE\"", "16487540320812345678");
    set.get_mut(&queues).unwrap().body = text.into_bytes();
    let server = Server::start(set);
    let mut driver = console(&server);
    driver.keys(":nodes<ret>").unwrap();
    let row = line(&mut driver, &node, "–");
    assert!(row.contains("–/") && row.contains("/     –"), "{row}");
    driver.keys("W").unwrap();
    line(&mut driver, "cpu free", &format!("unknown: node {node}: allocated.vcore: the number"));
    driver.keys("<esc>").unwrap();
    line(&mut driver, "unknown", "allocated.vcore: the number");
    line(&mut driver, "capacity.memory: the number", "");
    driver.keys(":queues<ret>").unwrap();
    let row = line(&mut driver, "root ", "–");
    assert!(row.contains("–/"), "{row}");
}

#[test]
fn a_page_without_an_answer_shows_the_reason() {
    let mut set = sets::of("1.8.0");
    for path in ["nodes", "usage/users", "usage/groups", "applications/active"] {
        set.insert(get(&format!("/ws/v1/partition/default/{path}")), Answer::text(500, "out of order"));
    }
    let server = Server::start(set);
    let observer = Observer::at(&server.url());
    let mut driver = Driver::new(Arc::clone(&observer.remote) as Arc<dyn Source>, Options::default(), 200, 50);
    for (page, words) in [
        (":nodes<ret>", "nodes unknown: cannot fetch the list of nodes: "),
        (":users<ret>", "users and groups unknown: cannot fetch the list of users: "),
        (":apps<ret>", "applications unknown: cannot fetch the list of applications: "),
    ] {
        driver.keys(page).unwrap();
        line(&mut driver, words, "out of order");
    }
    let queues = &sets::of("1.8.0")[&get("/ws/v1/partition/default/queues")].body;
    let saved = Saved::read("x.json", queues, Identity::default()).unwrap();
    let mut driver = Driver::new(Arc::new(saved), Options::default(), 200, 50);
    driver.keys(":nodes<ret>").unwrap();
    line(&mut driver, "nodes unknown: x.json has only queues", "");
}

#[test]
fn a_list_of_which_no_entry_can_be_read_is_unknown_not_empty() {
    let mut set = sets::of("1.8.0");
    for (path, key) in [
        ("nodes", "nodeID"),
        ("usage/users", "userName"),
        ("usage/groups", "groupName"),
        ("applications/active", "applicationID"),
    ] {
        let answer = Answer::json(format!(r#"[{{"{key}": 7}}, {{"{key}": []}}]"#));
        set.insert(get(&format!("/ws/v1/partition/default/{path}")), answer);
    }
    let server = Server::start(set);
    let observer = Observer::at(&server.url());
    let mut driver = Driver::new(Arc::clone(&observer.remote) as Arc<dyn Source>, Options::default(), 200, 50);
    for (page, words) in [
        (":nodes<ret>", "nodes unknown: cannot fetch the list of nodes: "),
        (":users<ret>", "users and groups unknown: cannot fetch the list of users: "),
        (":apps<ret>", "applications unknown: cannot fetch the list of applications: "),
    ] {
        driver.keys(page).unwrap();
        line(&mut driver, words, "");
    }
    let apps = kornsole(&["apps", "--server", &server.url()]);
    assert!(!apps.status.success(), "what the table is about has no answer: {}", both(&apps));
    assert!(both(&apps).contains("none of its entries can be read"), "{}", both(&apps));
}

#[test]
fn a_list_without_an_answer_leaves_the_others() {
    for (status, kind, body) in [
        (404, "text/plain", "404 page not found\n"),
        (500, "application/json", r#"{"status_code":500,"message":"out of order"}"#),
        (200, "text/html", "<html>sign in"),
        (200, "application/json", "{\"a\": 1}"),
    ] {
        let mut set = sets::of("1.8.0");
        let headers = vec![("Content-Type".to_owned(), kind.to_owned())];
        set.insert(get("/ws/v1/partition/default/usage/users"), Answer { status, headers, body: body.into() });
        let server = Server::start(set);
        let apps = kornsole(&["apps", "--server", &server.url()]);
        assert!(apps.status.success() && both(&apps).contains("etl-1"), "{}", both(&apps));
        assert!(both(&apps).contains("cannot fetch the list of users: "), "{}", both(&apps));
        let observer = Observer::at(&server.url());
        observer.wait("applications and the reason", |view, link| {
            let reported = view.notices.iter().any(|one| one.title.starts_with("cannot fetch the list of users"));
            (reported && link.is_live() && view.partitions[0].apps.iter().flatten().count() > 0).then_some(())
        });
    }
}

#[test]
fn an_event_that_cannot_be_read_leaves_the_others_and_says_why() {
    let before = Server::start(sets::of("1.8.0"));
    let rows = |url: &str| both(&kornsole(&["events", "--server", url])).lines().count();
    let mut set = sets::of("1.8.0");
    let events = set.iter_mut().filter(|((_, path), _)| path.contains("/events/batch"));
    for (_, answer) in events {
        let mut value: Value = serde_json::from_slice(&answer.body).unwrap();
        if let Some(event) = value["EventRecords"].as_array_mut().and_then(|events| events.last_mut()) {
            event["timestampNano"] = json!("LARGE");
        }
        answer.body = value.to_string().replace("\"LARGE\"", "16487540320812345678").into_bytes();
    }
    let server = Server::start(set);
    let output = kornsole(&["events", "--server", &server.url()]);
    assert!(output.status.success(), "{}", both(&output));
    assert!(both(&output).contains("invalid event: timestampNano: the number 1648754032081234"), "{}", both(&output));
    assert_eq!(rows(&server.url()), rows(&before.url()), "every event has its line");
}

#[test]
fn what_waits_is_explained_without_partitions_applications_that_ended_and_users() {
    let mut set = sets::of("1.8.0");
    for path in ["applications/completed", "applications/rejected", "usage/users", "usage/groups"] {
        set.insert(get(&format!("/ws/v1/partition/default/{path}")), Answer::text(500, "out of order"));
    }
    set.insert(get("/ws/v1/partitions"), Answer::text(500, "out of order"));
    let explained = |set: Set| {
        let server = Server::start(set);
        both(&kornsole(&["explain", "--all", "--server", &server.url()]))
    };
    let (whole, partly) = (explained(sets::of("1.8.0")), explained(set));
    let first = whole.lines().next().unwrap();
    assert!(partly.contains(first), "{whole}\n{partly}");
    for list in ["completed applications", "rejected applications", "users", "groups", "partitions"] {
        assert!(partly.contains(&format!("cannot fetch the list of {list}: ")), "{partly}");
    }
}

#[test]
fn an_answer_that_never_ends_is_left() {
    let server = Server::start(sets::of("1.8.0"));
    server.mischief(Mischief::Trickle);
    let limits = Limits { whole: Duration::from_millis(200), ..Limits::default() };
    let started_at = Instant::now();
    let found = Once::connect(&Target::new(&server.url()).unwrap(), limits).map(|mut once| once.look(&[Want::Apps]));
    assert!(matches!(found, Err(_) | Ok(Err(_))));
    assert!(started_at.elapsed() < Duration::from_secs(20), "{:?}", started_at.elapsed());
}

#[test]
fn single_answers_are_opened() {
    let set = sets::of("1.8.0");
    let open = |path: &str| {
        let body = &set[&get(path)].body;
        Saved::read("x.json", body, Identity::default()).unwrap()
    };
    let queues = open("/ws/v1/partition/default/queues");
    assert!(queues.view().partitions[0].walk().count() > 1);
    assert!(queues.unread().apps && queues.unread().nodes && queues.unread().users);
    assert!(queues.about().notes[1].starts_with("x.json has only queues; "), "{:?}", queues.about().notes);
    let apps = open("/ws/v1/partition/default/applications/active");
    assert!(apps.view().partitions[0].apps.iter().flatten().count() > 0 && !apps.unread().apps);
    let nodes = open("/ws/v1/partition/default/nodes");
    assert!(!nodes.view().partitions[0].nodes.is_empty() && !nodes.unread().nodes);
    let users = open("/ws/v1/partition/default/usage/users");
    assert!(!users.view().partitions[0].users.is_empty() && !users.unread().users);
}
