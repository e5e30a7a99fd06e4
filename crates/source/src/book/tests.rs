use std::fs;

use super::*;
use ledger::{Dimension, Question};
use model::{Profile, VCORE};
use wire::convert::read::{RemoteState, Scope, Shapes};

const START: u64 = 1_700_000_000;

fn at(seconds: u64) -> Time {
    Time((START + seconds) * 1_000_000)
}

fn rows() -> Vec<Rows> {
    let mut state = RemoteState::new(Profile::V1_8_0, Shapes::default());
    let partitions = r#"[{"clusterId": "lab", "name": "default"}]"#;
    state.partitions(serde_json::from_str(partitions).unwrap());
    let mut reader = state.app_reader("default");
    let app = r#"{"applicationID": "app", "partition": "default", "queueName": "root.a", "user": "sue",
        "applicationState": "Running", "submissionTime": 1700000000000000000,
        "allocations": [{"allocationKey": "one", "resource": {"vcore": 1000}, "priority": "3"}]}"#;
    reader.take(app.as_bytes()).unwrap();
    state.apps("default", reader, &Scope::All, at(0));
    let part = &state.view().partitions[0];
    vec![Rows {
        name: Arc::clone(&part.name),
        apps: part.apps.clone(),
        queues: part.queues.clone(),
        ended: part.ended.clone(),
    }]
}

fn lists(number: u64, seconds: u64) -> Fed {
    let dialect = Dialect { numbers_allocations: false, counts_ended: true };
    Fed::Lists(Lists { number, at: at(seconds), read: Duration::from_secs(seconds), rows: rows(), dialect })
}

fn received(seconds: u64) -> Fed {
    Fed::Received(Duration::from_secs(seconds), at(seconds))
}

fn used(followed: &Followed) -> u64 {
    let question = Question { by: vec![Dimension::User], ..Question::default() };
    followed.report(&question).total.allocated.seconds(VCORE) / 1_000
}

fn started(dir: Option<&Path>) -> Arc<Book> {
    let book = Book::start(dir);
    for fed in [Fed::Events(5, Vec::new()), lists(5, 0), received(2), received(13)] {
        book.feed(fed);
    }
    book
}

fn dir(name: &str) -> std::path::PathBuf {
    let dir = std::env::temp_dir().join(format!("kornsole-usage-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    dir
}

#[test]
fn it_starts_after_the_events_of_the_lists_were_received() {
    let book = Book::start(None);
    book.feed(lists(3, 0));
    book.feed(received(2));
    book.feed(Fed::Events(5, Vec::new()));
    // Their events are unknown from the third on.
    book.feed(lists(4, 2));
    book.feed(received(5));
    book.feed(lists(5, 6));
    book.feed(Fed::Events(
        5,
        vec![(5, at(8), Change::Allocated("app".into(), "two".into(), [(VCORE, 2_000)].into_iter().collect()))],
    ));
    book.feed(received(8));
    book.feed(received(13));
    book.finish();
    let followed = book.followed();
    assert_eq!(
        (followed.since(), used(&followed)),
        (Some(at(8)), 3 * 2),
        "up to three seconds before it was asked last"
    );
}

#[test]
fn lost_events_are_a_gap_and_it_restarts() {
    let book = started(None);
    book.feed(Fed::Lost("7 events are lost".to_owned()));
    for fed in [received(20), Fed::Events(20, Vec::new()), lists(20, 21), received(23), received(33)] {
        book.feed(fed);
    }
    book.finish();
    let followed = book.followed();
    assert_eq!(used(&followed), 10 + 9);
    let gaps: Vec<_> = followed.gaps().map(|gap| (gap.from, gap.to, gap.why.as_str())).collect();
    assert_eq!(gaps, [(at(10), Some(at(21)), "7 events are lost")]);
}

#[test]
fn one_process_writes_another_reads_and_continues() {
    let dir = dir("kept");
    let book = started(Some(&dir));
    book.finish();
    assert_eq!(*book.storage(), Storage::Writes(dir.join("usage.redb")));
    let retained = retained(&dir).unwrap().expect("it was written at the end");
    assert_eq!((used(&retained), retained.since()), (10, Some(at(0))));
    let other = Book::start(Some(&dir));
    other.feed(Fed::Events(30, Vec::new()));
    for fed in [lists(30, 40), received(42), received(53)] {
        other.feed(fed);
    }
    other.finish();
    assert_eq!(used(&other.followed()), 20, "and does not count what went by between them");
    assert_eq!(other.followed().gaps().count(), 1);
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn while_another_process_has_the_file_its_ledger_is_shown() {
    let dir = dir("shared");
    started(Some(&dir)).finish();
    let mut writer = File::new(&dir);
    assert_eq!(writer.open().map(|(role, _)| role), Ok(Role::Writer));
    let reader = started(Some(&dir));
    reader.finish();
    assert_eq!(*reader.storage(), Storage::Reads(dir.join("usage.redb")));
    assert_eq!(used(&reader.followed()), 10, "what it hears itself counts nothing");
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_damaged_file_is_moved_aside_and_a_full_disk_is_reported() {
    let dir = dir("damaged");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("usage.redb"), b"this is no ledger, and was never one").unwrap();
    let book = started(Some(&dir));
    book.finish();
    assert!(dir.join("usage.redb.damaged").exists() || book.storage().problem().is_some(), "{:?}", book.storage());
    fs::remove_dir_all(&dir).unwrap();
    // Simulates a full disk: the file cannot be created.
    fs::create_dir_all(dir.join("usage.redb")).unwrap();
    let book = started(Some(&dir));
    book.finish();
    assert!(book.storage().problem().is_some(), "{:?}", book.storage());
    assert_eq!(used(&book.followed()), 10, "what is in memory continues");
    fs::remove_dir_all(&dir).unwrap();
}
