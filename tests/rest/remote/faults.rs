use std::sync::Arc;
use std::time::Duration;

use client::Target;
use console::{Driver, Options};
use serde_json::Value;
use source::remote::RemoteOptions;
use source::{Link, Remote, Source};
use view::View;
use view::act::Act;

use crate::remote::observer::{Observer, text};
use crate::remote::serve::{Answer, Mischief, Server, Set};
use crate::remote::sets::{self, get};

fn stale(link: &Link) -> Option<String> {
    match link {
        Link::Stale { cause, .. } => Some(cause.clone()),
        _ => None,
    }
}

fn live(_: &View, link: &Link) -> Option<()> {
    link.is_live().then_some(())
}

fn survives(mischief: Mischief, cause: &str) {
    let server = Server::start(sets::of("1.8.0"));
    let observer = Observer::at(&server.url());
    let before = observer.all();
    server.mischief(mischief.clone());
    let report = observer.wait("the cause", |_, link| stale(link).filter(|report| report.contains(cause)));
    assert!(!report.contains('\n'), "{mischief:?}: {report}");
    let retained = text(&observer.remote.view());
    assert_eq!(retained.lines().next(), before.lines().next(), "{mischief:?}: the last data stays");
    server.mischief(Mischief::None);
    observer.wait("that it is back", live);
}

#[test]
fn a_connection_that_is_closed_at_once() {
    survives(Mischief::HangUp, "closed the connection before it answered");
}

#[test]
fn a_server_without_answers() {
    survives(Mischief::Silence, "no answer within 400ms");
}

#[test]
fn answers_that_break_off() {
    survives(Mischief::Half(20), "the response ended too early");
}

#[test]
fn errors_of_the_server() {
    survives(
        Mischief::Always(500, "application/json", r#"{"status_code":500,"message":"out of order"}"#),
        "500: out of order",
    );
    survives(Mischief::Always(503, "text/plain", "no healthy upstream"), "503: no healthy upstream");
}

#[test]
fn a_page_of_another_user() {
    survives(
        Mischief::Always(200, "text/html", "<html><body>Please sign in"),
        "not a YuniKorn server: status 200 with \"<html>",
    );
}

#[test]
fn json_that_does_not_read() {
    survives(
        Mischief::Always(200, "application/json", r#"{"name": "default", "capacity": 7}"#),
        "invalid response from /ws/v1/partitions",
    );
    survives(Mischief::Always(200, "application/json", "{\"half\": "), "invalid response");
}

#[test]
fn a_list_that_is_cut_is_old_though_all_else_is_answered() {
    let whole = sets::of("1.8.0");
    let cut = |path: &str| {
        let mut set = whole.clone();
        let answer = set.get_mut(&get(path)).unwrap();
        answer.body.truncate(answer.body.len() / 2);
        set
    };
    let server = Server::start(whole.clone());
    let observer = Observer::at(&server.url());
    observer.all();
    observer.wait("health", |_, link| (link.is_live() && observer.remote.stale_parts().is_empty()).then_some(()));
    server.answer(cut("/ws/v1/partition/default/nodes"));
    let part = observer.wait("the part", |_, _| observer.remote.stale_parts().into_iter().next());
    assert_eq!(part.what, "the list of nodes");
    assert!(observer.remote.link().is_live(), "the tree is fresh: {:?}", observer.remote.link());
    server.answer(cut("/ws/v1/partition/default/queues"));
    let aged = |least: Duration| {
        observer.wait("its age", |_, link| match link {
            Link::Stale { age, cause, .. } if *age >= least && cause.contains("queues") => Some(()),
            _ => None,
        });
    };
    aged(Duration::from_millis(1));
    let until = std::time::Instant::now() + Duration::from_secs(2);
    while std::time::Instant::now() < until {
        assert!(!observer.remote.link().is_live(), "{:?}", observer.remote.link());
        std::thread::sleep(Duration::from_millis(5));
    }
    aged(Duration::from_secs(2));
    server.answer(whole);
    observer
        .wait("that all is well", |_, link| (link.is_live() && observer.remote.stale_parts().is_empty()).then_some(()));
}

#[test]
fn a_hang_shows_within_five_seconds() {
    let server = Server::start(sets::of("1.8.0"));
    let target = Target::new(&server.url()).unwrap();
    let remote = Remote::start(&target, RemoteOptions::default()).unwrap();
    let started = std::time::Instant::now();
    let until = |what: &str, seconds: u64, is: &dyn Fn(&Link) -> bool| {
        let started = std::time::Instant::now();
        while !is(&remote.link()) {
            assert!(started.elapsed() < Duration::from_secs(seconds), "{what}: {:?}", remote.link());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until("it is there", 60, &Link::is_live);
    while started.elapsed() < Duration::from_secs(3) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(remote.link().is_live());
    server.mischief(Mischief::Silence);
    until("the hang shows", 5, &|link| !link.is_live());
}

/// The recorded times start in the year 2000.
fn move_events(set: &mut Set, seconds: i64) {
    for ((_, path), answer) in set {
        if path.contains("/events/batch") {
            let mut batch: Value = serde_json::from_slice(&answer.body).unwrap();
            for event in batch["EventRecords"].as_array_mut().into_iter().flatten() {
                let at = event["timestampNano"].as_i64().unwrap();
                event["timestampNano"] = (at + seconds * 1_000_000_000).into();
            }
            answer.body = batch.to_string().into_bytes();
        }
    }
}

#[test]
fn the_configuration_of_a_yunikorn_is_shown_and_cannot_be_changed() {
    let mut set = sets::of("1.8.0");
    move_events(&mut set, 20 * 366 * 86_400);
    let server = Server::start(set);
    let observer = Observer::at(&server.url());
    observer.all();
    let known = observer.wait("the configuration", |view, _| view.configuration.clone());
    assert!(known.text.contains("partitions:") && !known.text.contains("deadlocktimeoutseconds"), "{}", known.text);
    let view = observer.remote.view();
    let limits = view.partitions[0].walk().flat_map(|row| row.settings.limits.list().to_vec()).collect::<Vec<_>>();
    let lines: Vec<&str> = known.text.lines().collect();
    assert!(!limits.is_empty());
    for limit in limits {
        let line = lines[limit.at.line as usize - 1];
        assert!(line.contains("limit") || line.contains("users") || line.contains("groups"), "{:?}: {line}", limit.at);
    }
    let act = Act::Configure { text: known.text.to_string(), base: Some(known.checksum.clone()), dry_run: false };
    let refusal = observer.remote.may(&act).unwrap_err();
    assert!(refusal.to_string().contains("is read-only"), "{refusal}");
    let hints = view.notices.iter().any(|notice| notice.text.contains("token"));
    assert!(!hints && observer.remote.about().notes.is_empty(), "a YuniKorn takes no token");
    let mut screen = Driver::new(Arc::clone(&observer.remote) as _, Options::default(), 120, 40);
    screen.keys("jcm").unwrap();
    assert!(screen.screen_text().contains("read-only: the REST API of Apache YuniKorn"), "{}", screen.screen_text());
    observer.wait("events", |_, _| (!observer.remote.events(0, 1).records.is_empty()).then_some(()));
    screen.keys("7:events all<ret>").unwrap();
    screen.refresh();
    let dated = |line: &String| {
        line.trim_start_matches(['▌', ' '])
            .split(' ')
            .next()
            .is_some_and(|day| day.matches('-').count() > 0 && day.starts_with(char::is_numeric))
    };
    assert!(screen.lines().iter().any(dated), "{}", screen.screen_text());
    // A queue that was draining before the attach has an unknown start time.
    let row = view.partitions[0].root().unwrap();
    assert!(row.state_before);
}

#[test]
fn a_redirect_is_reported_and_not_followed() {
    let server = Server::start(sets::of("1.8.0"));
    let observer = Observer::at(&server.url());
    observer.all();
    server.mischief(Mischief::Redirect);
    let why = observer.wait("the refusal", |_, link| match link {
        Link::Refused { why, age: Some(_) } => Some(why.clone()),
        _ => None,
    });
    assert!(why.contains("302") && why.contains("https://login.example/"), "{why}");
}

#[test]
fn no_server_at_first() {
    let server = Server::start(sets::of("1.8.0"));
    let away = server.stop();
    let observer = Observer::at(&format!("127.0.0.1:{}", away.port));
    let cause = observer.wait("the cause", |_, link| match link {
        Link::Connecting { cause: Some(cause), retry_in: Some(_) } => Some(cause.clone()),
        _ => None,
    });
    assert!(cause.contains("refuses the connection"), "{cause}");
    let _server = Server::again(away, sets::of("1.8.0"));
    observer.all();
    observer.wait("that it is there", live);
}

#[test]
fn a_remote_that_restarts_is_another_run() {
    let server = Server::start(sets::of("1.8.0"));
    let observer = Observer::at(&server.url());
    observer.all();
    let away = server.stop();
    let age = observer.wait("its age", |_, link| match link {
        Link::Stale { age, cause, retry_in: Some(_) } if cause.contains("refuses the connection") => Some(*age),
        _ => None,
    });
    assert!(age < Duration::from_secs(20));
    let mut set = sets::of("1.7");
    for ((_, path), answer) in &mut set {
        if path.contains("/events/batch") {
            let mut batch: Value = serde_json::from_slice(&answer.body).unwrap();
            batch["InstanceUUID"] = "another".into();
            answer.body = batch.to_string().into_bytes();
        }
    }
    set.insert(get("/ws/v1/partition/default/applications/active"), Answer::json("[]"));
    let _server = Server::again(away, set);
    observer.wait("the restart", |view, link| {
        let report = view.notices.iter().any(|notice| notice.title.contains("the scheduler was restarted"));
        (report && link.is_live()).then_some(())
    });
    observer.wait("that its applications are not there", |view, _| (view.partitions[0].live_apps == 0).then_some(()));
    let ended = observer.wait("the release", |view, _| {
        let release = view.notices.iter().any(|notice| notice.title.contains("now connected to"));
        release.then(|| view.partitions[0].ended.len())
    });
    assert_eq!(ended, 2, "a new run has not removed the applications of the old one");
}

/// The counts can differ, and the screen says so.
#[test]
fn after_a_reconnect_a_list_is_old_until_it_is_fetched_again() {
    let server = Server::start(sets::of("1.8.0"));
    let observer = Observer::patient(&Target::new(&server.url()).unwrap(), RemoteOptions::default());
    observer.all();
    let away = server.stop();
    // A slow connection is not live either.
    observer.wait("that it is gone", |_, link| stale(link).filter(|why| why.contains("refuses the connection")));
    let delayed = Mischief::Delayed("/applications/active");
    let server = Server::again_with(away, sets::of("1.8.0"), delayed);
    observer.wait("the tree", live);
    let old = |what: &str| observer.remote.stale_parts().into_iter().find(|part| part.what == what);
    let part = observer.wait("that the list is old", |_, _| old("the list of applications"));
    assert!(part.cause.contains("since the connection was lost"), "{part:?}");
    observer.wait("the nodes", |_, _| old("the list of nodes").is_none().then_some(()));
    assert!(observer.remote.apps_lag().unwrap() > Duration::ZERO, "older than the tree");
    let mut screen = Driver::new(Arc::clone(&observer.remote) as _, Options::default(), 120, 40);
    screen.keys(":partitions<ret>").unwrap();
    screen.refresh();
    assert!(screen.screen_text().contains("OLD: the list of applications"), "{}", screen.screen_text());
    server.mischief(Mischief::None);
    observer.wait("the applications", |_, _| old("the list of applications").is_none().then_some(()));
}

#[test]
fn the_port_stays_in_the_header_however_long_the_name_is() {
    let server = Server::start(sets::of("1.8.0"));
    let name = Some("the-cluster-of-the-second-region-in-the-far-north-that-is-not-used-at-night".to_owned());
    let options = RemoteOptions { name, ..RemoteOptions::default() };
    let observer = Observer::patient(&Target::new(&server.url()).unwrap(), options);
    observer.all();
    for width in [80, 120, 200] {
        let mut screen = Driver::new(Arc::clone(&observer.remote) as _, Options::default(), width, 24);
        screen.refresh();
        let header = screen.lines()[0].clone();
        assert!(header.contains(&format!(":{}", server.port)), "{width}: {header}");
    }
}

#[test]
fn an_application_that_vanishes_is_retained_and_marked() {
    let server = Server::start(sets::of("1.8.0"));
    let observer = Observer::at(&server.url());
    observer.all();
    observer.wait("ended applications", |view, _| (view.partitions[0].ended.len() == 2).then_some(()));
    let mut set = sets::of("1.8.0");
    let path = get("/ws/v1/partition/default/applications/active");
    let mut apps: Vec<Value> = serde_json::from_slice(&set[&path].body).unwrap();
    apps.retain(|app| app["applicationID"] != "old-1");
    set.insert(path, Answer::json(Value::from(apps).to_string()));
    server.answer(set);
    let gone = observer.wait("that it is gone", |view, _| {
        view.partitions[0].ended.iter().find(|row| row.id.as_str() == "old-1").cloned()
    });
    assert!(
        gone.message.as_deref().unwrap().contains("removed by its submitter, last seen Running"),
        "{:?}",
        gone.message
    );
    assert_eq!(observer.remote.view().partitions[0].live_apps, 7);
}

#[test]
fn lost_events_are_reported_as_a_gap() {
    let server = Server::start(sets::of("1.8.0"));
    let observer = Observer::at(&server.url());
    observer.all();
    let mut set = sets::of("1.8.0");
    let batch: Value = serde_json::from_slice(&set[&get("/ws/v1/events/batch")].body).unwrap();
    let next = batch["HighestID"].as_u64().unwrap() + 1;
    let lost = serde_json::json!({"InstanceUUID": batch["InstanceUUID"], "LowestID": next + 10, "HighestID": next + 20, "EventRecords": null});
    set.insert(get(&format!("/ws/v1/events/batch?start={next}&count=5000")), Answer::json(lost.to_string()));
    server.answer(set);
    let report = observer.wait("the gap", |view, _| {
        view.notices.iter().map(|notice| notice.title.clone()).find(|title| title.contains("events are lost"))
    });
    assert_eq!(report, format!("10 events are lost, numbers {next} to {}", next + 9));
}

#[test]
fn an_invalid_list_is_reported_and_the_rest_continues() {
    let mut set = sets::of("1.8.0");
    set.insert(get("/ws/v1/partition/default/nodes"), Answer::json(r#"[{"nodeID": 1, "capacity": []}, {"#));
    let server = Server::start(set);
    let observer = Observer::at(&server.url());
    let report = observer.wait("the fault", |view, _| {
        view.notices
            .iter()
            .map(|notice| notice.title.clone())
            .find(|title| title.contains("cannot fetch the list of nodes: "))
    });
    assert!(report.contains("/ws/v1/partition/default/nodes"), "{report}");
    observer.wait("everything else", |view, link| {
        (view.partitions[0].live_apps == 8 && !view.partitions[0].users.is_empty() && link.is_live()).then_some(())
    });
}
