//! Every release since 1.4 results in the same view.

use std::sync::Arc;
use std::time::{Duration, Instant};

use client::{Release, Remote as Other, Target};
use console::{Driver, Options};
use model::Profile;
use source::remote::RemoteOptions;
use source::{Remote, Source};
use view::act::{Act, Code, PartitionAct};

use crate::common::{Program, TestDir};
use crate::remote::observer::{Observer, PATIENCE, text};
use crate::remote::serve::{Answer, Server};
use crate::remote::sets;

/// `live` omits the lists that 1.4 does not have.
fn screens(release: &str, live: bool) -> String {
    let server = Server::start(sets::of(release));
    let observer = Observer::at(&server.url());
    observer.all();
    let settled = observer.wait("ended applications", |view, _| {
        let part = view.partitions.first()?;
        (release == "1.4" || part.ended.len() == 2).then(|| text(view))
    });
    let retained = settled.lines().filter(|line| !(live && line.starts_with("ended")));
    retained.map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn the_snapshot_of_1_8_0_is_the_recorded_one() {
    insta::assert_snapshot!(screens("1.8.0", false));
}

#[test]
fn other_releases_give_the_same_screens() {
    let of_1_8 = screens("1.8.0", false);
    // N-05: a queue of 1.9 shows properties that it does not inherit with their defaults.
    let mut of_1_9 = screens("1.9.0", false);
    for reported in ["\"priority.offset=0\"", "\"priority.policy=default\""] {
        of_1_9 =
            of_1_9.replace(&format!(", {reported}"), "").replace(&format!("{reported}, "), "").replace(reported, "");
    }
    similar_asserts(&of_1_9, &of_1_8, "1.9.0");
    for release in ["1.6", "1.7"] {
        similar_asserts(&screens(release, false), &of_1_8, release);
    }
    // 1.4 does not report whether a node was searched.
    let of_1_5 = screens("1.5.1", true).replace(
        "ask big memory 28.8Gi, vcore 15 priority 3 placeholder false pending NoNode",
        "ask big memory 28.8Gi, vcore 15 priority 3 placeholder false pending NotTried",
    );
    similar_asserts(&screens("1.4", true), &of_1_5, "1.4");
}

fn similar_asserts(one: &str, other: &str, release: &str) {
    let differing: Vec<String> = one
        .lines()
        .zip(other.lines())
        .filter(|(one, other)| one != other)
        .map(|(one, other)| format!("- {other}\n+ {one}"))
        .collect();
    assert!(
        differing.is_empty() && one.lines().count() == other.lines().count(),
        "{release}\n{}",
        differing.join("\n")
    );
}

#[test]
fn what_1_5_1_decided_otherwise_is_all_that_differs() {
    let (old, new) = (screens("1.5.1", false), screens("1.8.0", false));
    let differing: Vec<String> = similar::TextDiff::from_lines(&new, &old)
        .iter_all_changes()
        .filter(|change| change.tag() != similar::ChangeTag::Equal)
        .map(|change| format!("{}{}", change.tag(), change.value()))
        .collect();
    insta::assert_snapshot!(differing.concat());
}

#[test]
fn the_release_is_recognized_by_shape() {
    for (name, release) in [
        ("1.4", Release::V1_4),
        ("1.5.1", Release::V1_5),
        ("1.6", Release::V1_6),
        ("1.7", Release::V1_7),
        ("1.8.0", Release::V1_8),
        ("1.9.0", Release::V1_9),
    ] {
        let server = Server::start(sets::of(name));
        let observer = Observer::at(&server.url());
        observer.all();
        assert_eq!(observer.remote.remote().as_deref(), Some(&Other::YuniKorn(release)), "{name}");
        let message = observer
            .remote
            .view()
            .notices
            .iter()
            .any(|notice| notice.title == format!("connected: YuniKorn {release}"));
        assert!(message, "{name}");
    }
}

#[test]
fn what_upstream_does_not_offer_is_refused_with_the_reason() {
    let server = Server::start(sets::of("1.8.0"));
    let observer = Observer::at(&server.url());
    observer.all();
    let partition = std::sync::Arc::from("default");
    let kill = Act::within(&partition, PartitionAct::Kill { app: "etl-1".into(), expect_queue: None });
    let refusal = observer.remote.may(&kill).unwrap_err();
    assert_eq!(refusal.code, Code::NotSupported);
    assert!(refusal.to_string().contains("is read-only"), "{refusal}");
    let (sender, answer) = std::sync::mpsc::channel();
    observer.remote.act(kill.into(), Box::new(move |outcome| sender.send(outcome).unwrap()));
    assert_eq!(answer.recv().unwrap().unwrap_err(), refusal);
    assert!(server.arrived().iter().all(|arrived| arrived.line.starts_with("GET ")), "nothing was sent");
}

#[test]
fn the_duration_of_a_cycle_is_read_from_the_available_metrics() {
    let path = sets::get("/ws/v1/metrics");
    for (release, name) in [("1.5.1", "scheduling_latency"), ("1.8.0", "scheduling_cycle")] {
        let mut set = sets::of(release);
        let metrics = String::from_utf8(set[&path].body.clone()).unwrap();
        let sum = format!("yunikorn_scheduler_{name}_milliseconds_sum ");
        assert!(metrics.contains(&sum));
        // By the recorder's clock, a cycle took no time.
        let metrics = metrics.replace(&format!("{sum}0"), &format!("{sum}0.09"));
        set.insert(path.clone(), Answer::text(200, &metrics));
        let server = Server::start(set);
        let observer = Observer::at(&server.url());
        let cycle = observer.wait("the time of a cycle", |_, _| observer.remote.cycle());
        assert!([5_000, 3_600].contains(&cycle.as_micros()), "{release}: {cycle:?}");
    }
    let mut set = sets::of("1.8.0");
    set.insert(path, Answer::no_endpoint());
    let server = Server::start(set);
    let observer = Observer::at(&server.url());
    observer.all();
    observer.wait("that it was asked", |_, _| {
        server.arrived().iter().any(|arrived| arrived.line.contains("/ws/v1/metrics")).then_some(())
    });
    assert_eq!(observer.remote.cycle(), None, "what is not said is not known");
}

#[test]
fn events_are_stored_with_their_numbers() {
    let server = Server::start(sets::of("1.8.0"));
    let observer = Observer::at(&server.url());
    let last = observer.wait("all events", |_, _| {
        let page = observer.remote.events(0, usize::MAX);
        (page.records.len() > 100).then_some(page)
    });
    assert!(last.records.windows(2).all(|two| two[1].0 == two[0].0 + 1), "without a gap");
    let page = observer.remote.events(5, 3);
    assert_eq!(page.records.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [5, 6, 7]);
    assert_eq!((page.lowest, page.next), (0, last.records.len() as u64));
}

#[test]
fn requests_are_what_they_should_be() {
    let server = Server::start(sets::of("1.8.0"));
    let observer = Observer::at(&server.url());
    observer.all();
    let arrived = server.arrived();
    let first = &arrived[0];
    assert_eq!(first.line, "GET /kornsole/v1/server HTTP/1.1");
    let header = |name: &str| first.headers.iter().find(|header| header.to_lowercase().starts_with(name)).cloned();
    assert!(header("accept-encoding").unwrap().contains("gzip"));
    assert_eq!(header("authorization"), None);
    // Rule 19, but once, because nothing else distinguishes 1.8 from 1.9.
    let utilization: Vec<&str> =
        arrived.iter().map(|arrived| arrived.line.as_str()).filter(|line| line.contains("node-utilization")).collect();
    assert_eq!(utilization, ["GET /ws/v1/scheduler/node-utilization HTTP/1.1"]);
    let config = arrived.iter().find(|arrived| arrived.line.contains("/ws/v1/config")).unwrap();
    assert!(config.headers.iter().any(|header| header.to_lowercase().starts_with("accept: application/x-yaml")));
}

#[test]
fn the_health_is_reported_by_the_scheduler() {
    let mut set = sets::of("1.8.0");
    let path = sets::get("/ws/v1/scheduler/healthcheck");
    let message = |healthy: bool, found: &str| {
        let check = serde_json::json!({"Name": "Scheduling errors", "Succeeded": healthy,
            "Description": "Check for scheduling error entries in metrics", "DiagnosisMessage": found});
        Answer::json(serde_json::json!({"Healthy": healthy, "HealthChecks": [check]}).to_string())
    };
    set.insert(path.clone(), message(false, "There were 7 scheduling errors logged in the metrics"));
    let server = Server::start(set.clone());
    let options = RemoteOptions { every: Duration::from_millis(40), ..RemoteOptions::default() };
    let remote = Remote::start(&Target::new(&server.url()).unwrap(), options).unwrap();
    let mut driver = Driver::new(Arc::new(remote), Options::default(), 140, 60);
    let until = |driver: &mut Driver, text: &str| {
        let patience = Instant::now() + PATIENCE;
        while driver.refresh().find_row(text).is_none() {
            assert!(Instant::now() < patience, "no {text:?} in\n{}", driver.screen_text());
            std::thread::yield_now();
        }
    };
    until(&mut driver, "root");
    let asked = |server: &Server| server.arrived().iter().any(|arrived| arrived.line.contains("healthcheck"));
    let patience = Instant::now() + PATIENCE;
    while !asked(&server) {
        assert!(Instant::now() < patience, "what needs attention includes the health on every page");
        std::thread::yield_now();
    }
    driver.keys("9").unwrap();
    until(&mut driver, "1 of 1 checks failed by its own check at ");
    until(&mut driver, "There were 7 scheduling errors");
    until(&mut driver, "On the data shown here: ");
    assert!(driver.find_row("0 scheduling errors").is_none(), "what is not known is not counted");
    set.insert(path.clone(), message(true, "There were 0 scheduling errors"));
    server.answer(set.clone());
    until(&mut driver, "all 1 checks passed by its own check");
    set.insert(path, Answer::text(404, "Health check is not available"));
    server.answer(set);
    until(&mut driver, "the scheduler health is unknown: ");
}

#[test]
fn an_attached_kornsole_is_shown_as_the_core_that_it_decides_like() {
    let dir = TestDir::new();
    let file = dir.write("queues.yaml", "partitions: [{name: default, queues: [{name: root}]}]\n");
    let file = file.display().to_string();
    for core in [Profile::V1_9_0, Profile::V1_5_1, Profile::Kornsole] {
        let program = Program::serve(&["--core", &core.to_string(), "--config", &file]);
        let observer = Observer::at(&program.url());
        observer
            .wait("the rules", |view, _| view.partitions.first().filter(|part| part.rules.profile() == core).map(drop));
        let mut driver = Driver::new(Arc::clone(&observer.remote) as Arc<dyn Source>, Options::default(), 120, 40);
        driver.keys(":info<ret>").unwrap();
        let screen = driver.screen_text();
        assert!(screen.contains(&format!("decides as {core}")), "{screen}");
        program.kill();
    }
}
