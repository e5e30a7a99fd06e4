//! Every release from 1.4 on is read to the same picture.

use kornsole::api::client::{Release, Remote as Other};
use kornsole::source::Source;
use kornsole::view::act::{Act, Code, PartitionAct};

use crate::picture::{Looker, text};
use crate::serve::Server;
use crate::sets;

/// The picture of a release; the lists that 1.4 does not have are left out when `live` is set.
fn picture(release: &str, live: bool) -> String {
    let server = Server::start(sets::of(release));
    let looker = Looker::at(&server.url());
    looker.all();
    let settled = looker.wait("ended applications", |view, _| {
        let part = view.partitions.first()?;
        (release == "1.4" || part.ended.len() == 2).then(|| text(view))
    });
    let kept = settled.lines().filter(|line| !(live && line.starts_with("ended")));
    kept.map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn the_picture_of_1_8_0_is_what_was_recorded() {
    insta::assert_snapshot!(picture("1.8.0", false));
}

#[test]
fn other_releases_give_the_same_picture() {
    let of_1_8 = picture("1.8.0", false);
    for release in ["1.6", "1.7", "1.9"] {
        similar_asserts(&picture(release, false), &of_1_8, release);
    }
    // 1.4 does not tell whether a node was looked for.
    let of_1_5 = picture("1.5.1", true).replace(
        "ask big memory 31G, vcore 15 priority 3 placeholder false pending NoNode",
        "ask big memory 31G, vcore 15 priority 3 placeholder false pending NotTried",
    );
    similar_asserts(&picture("1.4", true), &of_1_5, "1.4");
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

/// 1.5.1 decided otherwise in a few places; those are named here, and everything else is the same.
#[test]
fn what_1_5_1_decided_otherwise_is_all_that_differs() {
    let (old, new) = (picture("1.5.1", false), picture("1.8.0", false));
    let differing: Vec<String> = similar::TextDiff::from_lines(&new, &old)
        .iter_all_changes()
        .filter(|change| change.tag() != similar::ChangeTag::Equal)
        .map(|change| format!("{}{}", change.tag(), change.value()))
        .collect();
    insta::assert_snapshot!(differing.concat());
}

#[test]
fn the_release_is_told_by_shape() {
    for (name, release) in [
        ("1.4", Release::V1_4),
        ("1.5.1", Release::V1_5),
        ("1.6", Release::V1_6),
        ("1.7", Release::V1_7),
        ("1.8.0", Release::V1_8),
        ("1.9", Release::V1_8),
    ] {
        let server = Server::start(sets::of(name));
        let looker = Looker::at(&server.url());
        looker.all();
        assert_eq!(looker.remote.remote().as_deref(), Some(&Other::YuniKorn(release)), "{name}");
        let told =
            looker.remote.view().notices.iter().any(|notice| notice.title == format!("connected: YuniKorn {release}"));
        assert!(told, "{name}");
    }
}

#[test]
fn what_upstream_does_not_offer_is_refused_with_the_reason() {
    let server = Server::start(sets::of("1.8.0"));
    let looker = Looker::at(&server.url());
    looker.all();
    let partition = std::sync::Arc::from("default");
    let kill = Act::within(&partition, PartitionAct::Kill { app: "etl-1".into(), expect_queue: None });
    let refusal = looker.remote.may(&kill).unwrap_err();
    assert_eq!(refusal.code, Code::NotSupported);
    assert!(refusal.to_string().contains("its REST API only reads"), "{refusal}");
    let (sender, answer) = std::sync::mpsc::channel();
    looker.remote.act(kill.into(), Box::new(move |outcome| sender.send(outcome).unwrap()));
    assert_eq!(answer.recv().unwrap().unwrap_err(), refusal);
    assert!(server.came().iter().all(|came| came.line.starts_with("GET ")), "nothing was sent");
}

/// Nothing that is not needed is asked for, and what is asked for carries no secret.
#[test]
fn requests_are_what_they_should_be() {
    let server = Server::start(sets::of("1.8.0"));
    let looker = Looker::at(&server.url());
    looker.all();
    let came = server.came();
    let first = &came[0];
    assert_eq!(first.line, "GET /kornsole/v1/server HTTP/1.1");
    let header = |name: &str| first.headers.iter().find(|header| header.to_lowercase().starts_with(name)).cloned();
    assert!(header("accept-encoding").unwrap().contains("gzip"));
    assert_eq!(header("authorization"), None);
    assert!(came.iter().all(|came| !came.line.contains("node-utilization")), "rule 19");
    let config = came.iter().find(|came| came.line.contains("/ws/v1/config")).unwrap();
    assert!(config.headers.iter().any(|header| header.to_lowercase().starts_with("accept: application/x-yaml")));
}
