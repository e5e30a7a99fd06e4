use std::fs;

use super::*;
use crate::{About, SourcePlace, Stepped};
use engine::{Core, Setup};
use model::{Identity, QueuePath, VCORE};
use scenario::{Demo, demo_config};
use view::trends::{Measure, Subject, SubjectKind, Value};

fn demo(minutes: u64) -> Stepped {
    let setup = Setup::of(model::Profile::default());
    let config = config::read(demo_config(), setup.profile).config.map(Arc::new).unwrap();
    let core = Core::set_up(&setup, config, Some(Box::new(Demo::new(42, setup.profile)))).unwrap();
    let about = About { place: SourcePlace::Embedded, name: "demo".to_owned(), notes: Vec::new() };
    let source = Stepped::new(core, about, Identity::new("ann", ["ann"]));
    source.advance(Duration::from_secs(60 * minutes));
    source
}

fn known(rings: &Rings, value: &str, from: u64, to: u64) -> usize {
    let (value, time): (Value, _) = (value.parse().unwrap(), |minute: u64| Time(minute * 60_000_000));
    let subject = if value.of == SubjectKind::Cluster { Subject::Cluster } else { Subject::Queue(QueuePath::root()) };
    let series = rings.series(&subject, &value, time(from), time(to), 60);
    series.metrics.iter().flatten().count()
}

#[test]
fn the_virtual_past_of_a_demo_has_trends() {
    let rings = demo(60).trends().unwrap().rings("default").unwrap();
    assert_eq!(known(&rings, "cluster.use.cpu", 0, 60), 60, "each minute, from the samples");
    assert_eq!(known(&rings, "queue.pending.cpu", 10, 60), 60);
    assert_eq!(known(&rings, "queue.waiting.p95", 0, 59), 0, "a sample does not know how long anybody waits");
    let now = rings.newest_metric(&Subject::Cluster, &Value::plain(SubjectKind::Cluster, Measure::NodesUp));
    assert!(now > Some(0), "{now:?}");
    assert!(rings.marks().next().is_some(), "nodes came, at least");
}

#[test]
fn one_process_writes_and_the_other_reads_and_takes_over() {
    let dir = std::env::temp_dir().join(format!("kornsole-trends-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    let (source, one) = (demo(30), Trends::retained_in(&dir));
    one.open();
    assert_eq!(*one.storage(), Storage::Writes(dir.join("trends.redb")));
    one.observe(&source);
    one.finish();
    let other = Trends::retained_in(&dir);
    other.open();
    assert_eq!(*other.storage(), Storage::Reads(dir.join("trends.redb")));
    let count = |trends: &Trends| known(&trends.rings("default").unwrap(), "cluster.use.cpu", 0, 30);
    assert_eq!([count(&one), count(&other)], [60; 2]);
    let metric = Value::amount(SubjectKind::Cluster, Measure::Use, VCORE);
    let newest = |trends: &Trends| trends.rings("default").unwrap().newest_metric(&Subject::Cluster, &metric);
    assert_eq!(newest(&one), newest(&other));
    drop(one);
    let third = Trends::retained_in(&dir);
    third.open();
    assert_eq!(*third.storage(), Storage::Writes(dir.join("trends.redb")), "who ended does not write any more");
    source.advance(Duration::from_secs(600));
    third.observe(&source);
    assert_eq!(known(&third.rings("default").unwrap(), "cluster.use.cpu", 0, 40), 60, "it continues without a gap");
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_file_that_cannot_be_written_stops_the_storage_and_is_reported() {
    let dir = std::env::temp_dir().join(format!("kornsole-trends-full-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    let (source, trends) = (demo(1), Trends::retained_in(&dir));
    trends.open();
    // Simulates a full disk: the file cannot be created.
    fs::create_dir_all(dir.join("trends.redb")).unwrap();
    trends.observe(&source);
    trends.finish();
    let why = trends.storage().problem().unwrap();
    assert!(why.starts_with("cannot save trends: ") && why.contains("trends.redb"), "{why}");
    assert!(trends.rings("default").is_some(), "what is in memory continues");
    fs::remove_dir(dir.join("trends.redb")).unwrap();
    trends.finish();
    assert_eq!(trends.storage().problem(), None, "it is tried again");
    drop(trends);
    let again = Trends::retained_in(&dir);
    again.open();
    assert_eq!(known(&again.rings("default").unwrap(), "cluster.use.cpu", 0, 1), 6, "and nothing is missing");
    fs::remove_dir_all(&dir).unwrap();
}
