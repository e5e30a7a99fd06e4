//! A lossy world: what the console shows when something is wrong, and that it comes back.

use std::time::Duration;

use kornsole::source::{Link, Source};
use kornsole::view::View;
use serde_json::Value;

use crate::remote::picture::{Looker, text};
use crate::remote::serve::{Answer, Mischief, Server};
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

/// The data stays, the cause is reported, and all is well again when the mischief ends.
fn survives(mischief: Mischief, cause: &str) {
    let server = Server::start(sets::of("1.8.0"));
    let looker = Looker::at(&server.url());
    let before = looker.all();
    server.mischief(mischief.clone());
    let report = looker.wait("the cause", |_, link| stale(link).filter(|report| report.contains(cause)));
    assert!(!report.contains('\n'), "{mischief:?}: {report}");
    let kept = text(&looker.remote.view());
    assert_eq!(kept.lines().next(), before.lines().next(), "{mischief:?}: the last data stays");
    server.mischief(Mischief::None);
    looker.wait("that it is back", live);
}

#[test]
fn a_connection_that_is_closed_at_once() {
    survives(Mischief::HangUp, "hung up before it answered");
}

#[test]
fn a_server_that_says_nothing() {
    survives(Mischief::Silence, "no answer within 400ms");
}

#[test]
fn answers_that_break_off() {
    survives(Mischief::Half(20), "the answer broke off");
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
fn a_page_of_somebody_else() {
    survives(
        Mischief::Always(200, "text/html", "<html><body>Please sign in"),
        "not a YuniKorn: answers 200 with \"<html>",
    );
}

#[test]
fn json_that_does_not_read() {
    survives(
        Mischief::Always(200, "application/json", r#"[{"name": "default", "capacity": 7}]"#),
        "/ws/v1/partitions does not read",
    );
    survives(Mischief::Always(200, "application/json", "{\"half\": "), "does not read");
}

#[test]
fn a_redirect_is_told_and_not_followed() {
    let server = Server::start(sets::of("1.8.0"));
    let looker = Looker::at(&server.url());
    looker.all();
    server.mischief(Mischief::Redirect);
    let why = looker.wait("the refusal", |_, link| match link {
        Link::Refused { why, age: Some(_) } => Some(why.clone()),
        _ => None,
    });
    assert!(why.contains("302") && why.contains("https://login.example/"), "{why}");
}

#[test]
fn nobody_there_at_first() {
    let server = Server::start(sets::of("1.8.0"));
    let away = server.stop();
    let looker = Looker::at(&format!("127.0.0.1:{}", away.port));
    let cause = looker.wait("the cause", |_, link| match link {
        Link::Connecting { cause: Some(cause), retry_in: Some(_) } => Some(cause.clone()),
        _ => None,
    });
    assert!(cause.contains("refuses the connection"), "{cause}");
    let _server = Server::again(away, sets::of("1.8.0"));
    looker.all();
    looker.wait("that it is there", live);
}

#[test]
fn a_remote_that_goes_and_comes_back_as_another_run() {
    let server = Server::start(sets::of("1.8.0"));
    let looker = Looker::at(&server.url());
    looker.all();
    let away = server.stop();
    let age = looker.wait("its age", |_, link| match link {
        Link::Stale { age, cause, retry_in: Some(_) } if cause.contains("refuses the connection") => Some(*age),
        _ => None,
    });
    assert!(age < Duration::from_secs(20));
    // It comes back with another instance, with fewer applications, and as another release.
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
    looker.wait("the restart", |view, link| {
        let report = view.notices.iter().any(|notice| notice.title.contains("another run of the scheduler"));
        (report && link.is_live()).then_some(())
    });
    looker.wait("that its applications are not there", |view, _| (view.partitions[0].live_apps == 0).then_some(()));
    let ended = looker.wait("the release", |view, _| {
        let release = view.notices.iter().any(|notice| notice.title.contains("YuniKorn 1.7 answers now"));
        release.then(|| view.partitions[0].ended.len())
    });
    assert_eq!(ended, 2, "a new run has not removed the applications of the old one");
}

#[test]
fn an_application_that_vanishes_is_kept_and_marked() {
    let server = Server::start(sets::of("1.8.0"));
    let looker = Looker::at(&server.url());
    looker.all();
    looker.wait("ended applications", |view, _| (view.partitions[0].ended.len() == 2).then_some(()));
    let mut set = sets::of("1.8.0");
    let path = get("/ws/v1/partition/default/applications/active");
    let mut apps: Vec<Value> = serde_json::from_slice(&set[&path].body).unwrap();
    apps.retain(|app| app["applicationID"] != "old-1");
    set.insert(path, Answer::json(Value::from(apps).to_string()));
    server.answer(set);
    let gone = looker.wait("that it is gone", |view, _| {
        view.partitions[0].ended.iter().find(|row| row.id.as_str() == "old-1").cloned()
    });
    assert!(
        gone.message.as_deref().unwrap().contains("removed by its submitter, last seen Running"),
        "{:?}",
        gone.message
    );
    assert_eq!(looker.remote.view().partitions[0].live_apps, 7);
}

#[test]
fn lost_events_are_told_as_a_gap() {
    let server = Server::start(sets::of("1.8.0"));
    let looker = Looker::at(&server.url());
    looker.all();
    let mut set = sets::of("1.8.0");
    let batch: Value = serde_json::from_slice(&set[&get("/ws/v1/events/batch")].body).unwrap();
    let next = batch["HighestID"].as_u64().unwrap() + 1;
    let lost = serde_json::json!({"InstanceUUID": batch["InstanceUUID"], "LowestID": next + 10, "HighestID": next + 20, "EventRecords": null});
    set.insert(get(&format!("/ws/v1/events/batch?start={next}&count=5000")), Answer::json(lost.to_string()));
    server.answer(set);
    let report = looker.wait("the gap", |view, _| {
        view.notices.iter().map(|notice| notice.title.clone()).find(|title| title.contains("events are lost"))
    });
    assert_eq!(report, format!("10 events are lost, numbers {next} to {}: what happened then is not known", next + 9));
}

/// One list that is broken spoils nothing else.
#[test]
fn a_list_that_does_not_read_is_told_and_the_rest_goes_on() {
    let mut set = sets::of("1.8.0");
    set.insert(get("/ws/v1/partition/default/nodes"), Answer::json(r#"[{"nodeID": 1, "capacity": []}, {"#));
    let server = Server::start(set);
    let looker = Looker::at(&server.url());
    let report = looker.wait("the fault", |view, _| {
        view.notices
            .iter()
            .map(|notice| notice.title.clone())
            .find(|title| title.contains("the list of nodes cannot be had"))
    });
    assert!(report.contains("/ws/v1/partition/default/nodes does not read"), "{report}");
    looker.wait("everything else", |view, link| {
        (view.partitions[0].live_apps == 8 && !view.partitions[0].users.is_empty() && link.is_live()).then_some(())
    });
}
