//! One endpoint without a usable answer: the page and the commands show the rest, with the reason.

use std::process::Output;
use std::sync::Arc;
use std::time::{Duration, Instant};

use client::{Limits, Target};
use console::{Driver, Options};
use serde_json::Value;
use source::Source;
use source::remote::once::{Once, Want};

use crate::common::kornsole_command;
use crate::remote::commands::kornsole_set;
use crate::remote::observer::{Observer, PATIENCE};
use crate::remote::serve::{Answer, Mischief, Server, Set};
use crate::remote::sets::{self, get};

const RELEASE: &str = "1.8.0";
const PARTITIONS: &str = "/ws/v1/partitions";
const SERVER: &str = "/kornsole/v1/server";
/// Every endpoint that the console and the commands read, and the words for its content.
const ENDPOINTS: [(&str, &str); 13] = [
    (PARTITIONS, "the list of partitions"),
    ("/ws/v1/partition/default/queues", "the queues"),
    ("/ws/v1/partition/default/applications/active", "the list of applications"),
    ("/ws/v1/partition/default/applications/completed", "the list of completed applications"),
    ("/ws/v1/partition/default/applications/rejected", "the list of rejected applications"),
    ("/ws/v1/partition/default/nodes", "the list of nodes"),
    ("/ws/v1/partition/default/usage/users", "the list of users"),
    ("/ws/v1/partition/default/usage/groups", "the list of groups"),
    ("/ws/v1/config", ""),
    ("/ws/v1/events/batch?start=0&count=1", ""),
    ("/ws/v1/events/batch?start=0&count=5000", ""),
    ("/ws/v1/scheduler/healthcheck", ""),
    ("/ws/v1/scheduler/node-utilization", ""),
];
/// The commands, a text of the whole answer, and the endpoint without which they show nothing.
const COMMANDS: [(&[&str], &str, &str); 7] = [
    (&["queues"], "tenants", "/ws/v1/partition/default/queues"),
    (&["apps"], "etl-1", "/ws/v1/partition/default/applications/active"),
    (&["app", "etl-1"], "sue", "/ws/v1/partition/default/applications/active"),
    (&["nodes"], "NODE", "/ws/v1/partition/default/nodes"),
    (&["users"], "sue", ""),
    (&["fairness"], "tenants", "/ws/v1/partition/default/queues"),
    (&["events"], "etl-1", "/ws/v1/events/batch"),
];

fn kornsole(arguments: &[&str]) -> Output {
    kornsole_command(arguments).output().unwrap()
}

fn both(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn with(path: &str, answer: Answer) -> Set {
    let mut set = sets::of(RELEASE);
    set.insert(get(path), answer);
    set
}

fn out_of_order() -> Answer {
    Answer { status: 500, ..Answer::json(r#"{"status_code":500,"message":"out of order"}"#) }
}

fn shows(driver: &mut Driver, text: &str) -> String {
    let patience = Instant::now() + PATIENCE;
    loop {
        let screen = driver.refresh().screen_text();
        if screen.contains(text) {
            return screen;
        }
        assert!(Instant::now() < patience, "no {text:?} in\n{screen}");
        std::thread::yield_now();
    }
}

fn console(observer: &Observer) -> Driver {
    Driver::new(Arc::clone(&observer.remote) as Arc<dyn Source>, Options::default(), 200, 50)
}

/// Checks every command of a server whose endpoint at `path` has no usable answer.
fn commands(server: &Server, path: &str, words: &str) {
    for (command, text, own) in COMMANDS {
        let output = kornsole(&[command, &["--server", &server.url()]].concat());
        let (reported, command) = (both(&output), command[0]);
        if path == own || (command == "events" && path.starts_with(own)) {
            assert!(!output.status.success() && reported.contains("error: "), "{command} without {path}: {reported}");
            continue;
        }
        assert!(output.status.success(), "{command} without {path}: {reported}");
        if !(command == "users" && path.contains("/usage/")) {
            assert!(reported.contains(text), "{command} without {path}: {reported}");
        }
        let reads = match command {
            "users" => path.contains("/active") || path.contains("/usage/"),
            "fairness" => path.contains("/active") || path.contains("/usage/"),
            "app" => ["/usage/", "/completed", "/rejected", "/nodes"].iter().any(|list| path.contains(list)),
            "apps" => path.contains("/usage/"),
            _ => false,
        };
        if reads || (path == PARTITIONS && command != "events") {
            assert!(
                reported.contains(&format!("warning: cannot fetch {words}: ")),
                "{command} without {path}: {reported}"
            );
        }
    }
}

fn pages(server: &Server, path: &str) {
    let observer = Observer::at(&server.url());
    observer.wait("the other lists", |view, link| {
        let part = view.partitions.first()?;
        let is = |list: &str| path.ends_with(list);
        let whole = (is("/queues") || part.walk().count() > 1)
            && (is("/active") || part.apps.iter().flatten().count() > 0)
            && (is("/nodes") || part.nodes.len() == 3)
            && (is("/users") || !part.users.is_empty())
            && (is("/groups") || !part.groups.is_empty())
            && (is("/completed") || is("/rejected") || !part.ended.is_empty())
            && (is("/config") || !part.rules.is_empty());
        (whole && (is("/queues") || link.is_live())).then_some(())
    });
}

#[test]
fn each_endpoint_is_missed_alone() {
    for (path, words) in ENDPOINTS {
        for answer in [out_of_order(), Answer::no_endpoint(), Answer::text(200, "{\"half\": ")] {
            let server = Server::start(with(path, answer));
            pages(&server, path);
            commands(&server, path, words);
        }
    }
}

#[test]
fn a_number_with_400_digits_is_unknown_in_each_answer() {
    let whole = sets::of(RELEASE);
    for (path, _) in ENDPOINTS {
        let Some(answer) = whole.get(&get(path)) else { continue };
        let Ok(mut value) = serde_json::from_slice::<Value>(&answer.body) else { continue };
        let first = [value.is_array().then_some("/0"), value.get("EventRecords").map(|_| "/EventRecords/0")];
        let object = value.pointer_mut(first.into_iter().flatten().next().unwrap_or_default());
        let Some(Value::Object(object)) = object else { continue };
        let number = object.iter_mut().find(|(_, value)| value.is_number());
        let Some(number) = number.map(|(_, value)| value) else { continue };
        *number = Value::from("LARGE");
        let body = value.to_string().replace("\"LARGE\"", &"9".repeat(400));
        let server = Server::start(with(path, Answer::json(body)));
        pages(&server, "");
        for (command, text, _) in COMMANDS {
            let output = kornsole(&[command, &["--server", &server.url()]].concat());
            assert!(output.status.success() && both(&output).contains(text), "{command:?}, {path}: {}", both(&output));
        }
    }
}

#[test]
fn an_endpoint_that_hangs_is_missed_alone() {
    for (path, _) in ENDPOINTS {
        let server = Server::start(sets::of(RELEASE));
        let end = path.strip_prefix("/ws/v1/").unwrap();
        server.mischief(Mischief::Delayed(end));
        pages(&server, path);
        let limits = Limits { header: Duration::from_millis(300), ..Limits::default() };
        let mut once = Once::connect(&Target::new(&server.url()).unwrap(), limits).unwrap();
        let pages = [(Want::Queues, "queues"), (Want::Apps, "active"), (Want::Nodes, "nodes"), (Want::Users, "")];
        for (page, own) in pages {
            let is_own = !own.is_empty() && path.ends_with(own);
            assert_eq!(once.look_for(page, &[Want::Apps, page]).is_err(), is_own, "{page:?} without {path}");
        }
    }
}

#[test]
fn without_the_list_of_partitions_the_capacity_is_unknown_with_its_reason() {
    let server = Server::start(with(PARTITIONS, out_of_order()));
    let observer = Observer::at(&server.url());
    pages(&server, PARTITIONS);
    let mut driver = console(&observer);
    let reason = "cannot fetch the list of partitions: 500: out of order (answer to GET /ws/v1/partitions)";
    let screen = shows(&mut driver, "etl-1");
    assert!(screen.contains("cpu – of –  mem – of –"), "{screen}");
    let view = observer.remote.view();
    assert!(view.notices.iter().any(|one| one.title == reason), "{:?}", view.notices);
    let unknown = &view.partitions[0].unknown;
    assert_eq!((unknown[0].kind, &*unknown[0].path, &*unknown[0].reason), ("partition", "capacity", reason));
    server.answer(sets::of(RELEASE));
    observer.wait("the capacity", |view, _| {
        let part = &view.partitions[0];
        (part.unknown.is_empty() && part.capacity.iter().count() > 0).then_some(())
    });
}

#[test]
fn the_release_and_the_partition_are_found_without_the_list_of_partitions() {
    for (release, named) in
        [("1.5.1", "YuniKorn 1.5"), ("1.7", "YuniKorn 1.7"), ("1.8.0", "YuniKorn 1.8"), ("1.9.0", "YuniKorn 1.9")]
    {
        let mut set = sets::of(release);
        set.insert(get(PARTITIONS), out_of_order());
        let server = Server::start(set);
        let observer = Observer::at(&server.url());
        observer.wait("the release", |view, link| {
            let reported = view.notices.iter().any(|one| one.title == format!("connected: {named}"));
            (reported && link.is_live() && &*view.partitions.first()?.name == "default").then_some(())
        });
    }
}

#[test]
fn of_users_and_groups_the_list_that_answers_is_shown() {
    let (users, groups) = ("/ws/v1/partition/default/usage/users", "/ws/v1/partition/default/usage/groups");
    for (path, missed, gone, shown) in [(users, "users", "sue", "group "), (groups, "groups", "group dev", "sue")] {
        let server = Server::start(with(path, out_of_order()));
        let output = kornsole(&["users", "--server", &server.url()]);
        let (out, reported) = (String::from_utf8_lossy(&output.stdout).into_owned(), both(&output));
        assert!(output.status.success() && out.contains(shown) && !out.contains(gone), "{reported}");
        assert!(out.lines().any(|line| line.starts_with(missed) && line.contains(" ? ")), "{out}");
        let why = format!("cannot fetch the list of {missed}: 500: out of order (answer to GET {path})");
        assert!(reported.contains(&format!("warning: {why}")), "{reported}");
        let json = kornsole(&["users", "--json", "--server", &server.url()]);
        let value: Value = serde_json::from_slice(&json.stdout).unwrap();
        let other = if missed == "users" { "groups" } else { "users" };
        assert!(value[missed].is_null() && value[other].as_array().is_some_and(|all| !all.is_empty()), "{value}");
        let observer = Observer::at(&server.url());
        let mut driver = console(&observer);
        driver.keys(":users<ret>").unwrap();
        shows(&mut driver, &format!("{missed} unknown: cannot fetch the list of {missed}: 500"));
    }
    let mut set = with(users, out_of_order());
    set.insert(get(groups), out_of_order());
    let output = kornsole(&["users", "--server", &Server::start(set).url()]);
    assert!(!output.status.success(), "without both lists nothing is shown: {}", both(&output));
}

#[test]
fn an_error_of_a_remote_names_the_endpoint() {
    let path = "/ws/v1/partition/default/nodes";
    for (answer, words) in [
        (out_of_order(), "500: out of order"),
        (Answer::text(503, "no healthy upstream"), "503: no healthy upstream"),
        (
            Answer {
                headers: vec![("Content-Type".to_owned(), "text/html".to_owned())],
                ..Answer::text(403, "<html>")
            },
            "<html>",
        ),
    ] {
        let output = kornsole(&["nodes", "--server", &Server::start(with(path, answer)).url()]);
        let reported = both(&output);
        assert!(!output.status.success() && reported.contains(words), "{reported}");
        assert!(reported.contains(&format!("(answer to GET {path})")), "{reported}");
    }
}

/// Waits until a kornsole server is shown by its other answers, and, after `mend`, as what it is.
fn identified_later(server: &Server, why: &str, mend: impl FnOnce()) {
    let observer = Observer::at(&server.url());
    observer.wait("the lists", |view, link| {
        let doubted = format!("The server may be kornsole: {why}");
        let reported = view.notices.iter().any(|one| one.title == "connected: YuniKorn 1.8" && one.text == doubted);
        let part = view.partitions.first()?;
        (reported && link.is_live() && part.nodes.len() == 3 && part.apps.iter().flatten().count() > 0).then_some(())
    });
    mend();
    observer.wait("the product", |view, link| {
        let title = "now connected to kornsole 0.1.0, previously to YuniKorn 1.8";
        (link.is_live() && view.notices.iter().any(|one| one.title == title)).then_some(())
    });
}

#[test]
fn a_kornsole_server_whose_identity_is_lost_for_a_while_is_identified_later() {
    let busy = Answer { status: 429, ..Answer::json(r#"{"status_code":429,"message":"too many requests"}"#) };
    let (gone, cut) = (Answer::text(503, "no healthy upstream"), Mischief::Delayed(SERVER));
    for (answer, why) in [(busy, "429: too many requests"), (gone, "503: no healthy upstream")] {
        let mut set = kornsole_set();
        set.insert(get(SERVER), answer);
        let server = Server::start(set);
        let output = kornsole(&["queues", "--server", &server.url()]);
        let warning = format!("warning: read as YuniKorn 1.8, but it may be kornsole: {why} (answer to GET {SERVER})");
        assert!(output.status.success() && both(&output).contains(&warning), "{}", both(&output));
        identified_later(&server, &format!("{why} (answer to GET {SERVER})"), || server.answer(kornsole_set()));
    }
    let server = Server::start(kornsole_set());
    server.mischief(cut);
    identified_later(&server, "no answer within 400ms", || server.mischief(Mischief::None));
}
