use std::collections::BTreeMap;

use super::saved::{Moment, Write};
use super::*;
use crate::Dimension;
use model::VCORE;

const SECOND: u64 = 1_000_000;
/// The start time of the tests: an hour boundary plus some minutes.
const START: u64 = 100 * HOUR + 600 * SECOND;

fn at(seconds: u64) -> Time {
    Time(START + seconds * SECOND)
}

fn cores(cores: i64) -> Resource {
    [(VCORE, cores * 1_000)].into_iter().collect()
}

fn asked(id: &str, cores: i64) -> Change {
    Change::Asked("app".into(), id.into(), self::cores(cores))
}

fn allocated(id: &str, cores: i64) -> Change {
    Change::Allocated("app".into(), id.into(), self::cores(cores))
}

fn released(id: &str) -> Change {
    Change::Released("app".into(), id.into())
}

/// An application of sue with allocated (`true`) and pending (`false`) requests.
fn seen(asks: &[(&str, i64, bool)]) -> SeenApp {
    let ask = |(id, amount, has): &(&str, i64, bool)| {
        let (amount, priority) = (Some(cores(*amount)), Priority(7));
        let (pending, allocated) = if *has { (None, amount) } else { (amount, None) };
        (AskId::from(*id), SeenAsk { priority, pending, allocated })
    };
    SeenApp {
        id: "app".into(),
        submitted: at(0),
        queue: QueuePath::new("root.a"),
        user: "sue".into(),
        asks: asks.iter().map(ask).collect(),
        counted: Some(BTreeMap::from([(Box::from(VCORE), 4_000)])),
        ..SeenApp::default()
    }
}

fn look(seconds: u64, number: u64, apps: &[SeenApp]) -> Look {
    let part = SeenPartition { name: "default".into(), apps: apps.to_vec(), ..SeenPartition::default() };
    Look { at: at(seconds), number, partitions: vec![part] }
}

fn started(asks: &[(&str, i64, bool)]) -> Followed {
    let mut followed = Followed::default();
    followed.start(&look(0, 0, &[seen(asks)]), []);
    followed
}

/// Core seconds allocated and pending, by a dimension.
fn by(followed: &Followed, dimension: Dimension) -> Vec<(String, u64, u64)> {
    let report = followed.report(&Question { by: vec![dimension], ..Question::default() });
    let row = |row: crate::ReportRow| {
        let seconds = |integral: &crate::Integral| integral.seconds(VCORE) / 1_000;
        (row.key[0].clone(), seconds(&row.allocated), seconds(&row.waited))
    };
    report.rows.into_iter().map(row).collect()
}

fn total(followed: &Followed) -> (u64, u64) {
    by(followed, Dimension::User).iter().fold((0, 0), |sum, (_, used, waited)| (sum.0 + used, sum.1 + waited))
}

#[test]
fn user_and_priority_count_from_the_start_after_they_are_known() {
    let mut followed = Followed::default();
    followed.start(&look(0, 0, &[]), []);
    let events = [
        (1, 10, Change::Entered("app".into(), QueuePath::new("root.a"))),
        (2, 10, asked("one", 2)),
        (3, 10, asked("short", 1)),
        (4, 20, allocated("one", 2)),
        (5, 20, allocated("short", 1)),
        (6, 25, Change::Grouped("app".into(), Some("dev".into()))),
        (7, 30, released("short")),
    ];
    for (number, seconds, change) in events {
        followed.happened(number, at(seconds), change);
    }
    followed.received_until(at(40));
    assert_eq!(by(&followed, Dimension::User), [(String::new(), 2 * 20 + 10, 2 * 10 + 10)], "nobody is known yet");
    followed.compare(&look(41, 8, &[SeenApp { group: Some("dev".into()), ..seen(&[("one", 2, true)]) }]));
    followed.received_until(at(50));
    assert_eq!(by(&followed, Dimension::User), [("sue".to_owned(), 2 * 30 + 10, 30)]);
    let unknown = UNKNOWN_PRIORITY.0.to_string();
    assert_eq!(by(&followed, Dimension::Priority), [(unknown, 10, 10), ("7".to_owned(), 60, 20)], "one ended unseen");
    assert_eq!(by(&followed, Dimension::Group), [(String::new(), 3 * 5, 30), ("dev".to_owned(), 2 * 25 + 5, 0)]);
    assert_eq!(followed.inexact().count(), 0, "to learn a name is no difference");
}

#[test]
fn who_ended_before_a_list_showed_it_is_named_by_the_list_of_those_that_ended() {
    let mut followed = Followed::default();
    followed.start(&look(0, 0, &[]), []);
    let events = [
        (1, 1, Change::Entered("app".into(), QueuePath::new("root.a"))),
        (2, 1, asked("one", 2)),
        (3, 2, allocated("one", 2)),
        (4, 5, released("one")),
        (5, 6, Change::Left("app".into())),
    ];
    for (number, seconds, change) in events {
        followed.happened(number, at(seconds), change);
    }
    assert_eq!(by(&followed, Dimension::User), [(String::new(), 6, 2)]);
    let mut ended = look(7, 6, &[]);
    ended.partitions[0].ended = followed.nameless([(&AppId::from("app"), "sue")].into_iter());
    followed.compare(&ended);
    assert_eq!(by(&followed, Dimension::User), [("sue".to_owned(), 6, 2)]);
}

#[test]
fn a_difference_counts_from_the_look_on_and_its_hours_are_not_exact() {
    let mut followed = started(&[("one", 2, true), ("two", 4, false)]);
    followed.compare(&look(60, 0, &[seen(&[("one", 3, true)])]));
    followed.compare(&look(60, 0, &[seen(&[("one", 3, true)])]));
    followed.received_until(at(100));
    assert_eq!(total(&followed), (2 * 60 + 3 * 40, 4 * 60));
    assert_eq!(followed.inexact().collect::<Vec<_>>(), [(Time(100 * HOUR), 2)], "the same look again says nothing new");
}

#[test]
fn what_moved_at_the_time_of_a_look_is_left_to_the_next_one() {
    let mut followed = started(&[("one", 2, true)]);
    followed.happened(10, at(30), released("one"));
    // The list was read before that, and after the event with number 9.
    followed.compare(&look(29, 10, &[seen(&[("one", 2, true)])]));
    assert_eq!((total(&followed), followed.inexact().count()), ((60, 0), 0));
    followed.compare(&look(40, 11, &[seen(&[])]));
    followed.received_until(at(100));
    assert_eq!((total(&followed), followed.inexact().count()), ((60, 0), 0));
}

#[test]
fn while_it_is_stopped_nothing_counts_and_the_gap_has_both_ends() {
    let mut followed = started(&[("one", 2, true)]);
    followed.received_until(at(10));
    followed.stop("5 events are lost".to_owned());
    followed.stop("again".to_owned());
    followed.happened(7, at(15), asked("two", 100));
    followed.received_until(at(50));
    assert_eq!((total(&followed), followed.until()), ((20, 0), at(15)));
    let since = vec![(8, at(58), asked("three", 1)), (9, at(59), allocated("three", 1))];
    followed.start(&look(55, 8, &[seen(&[("one", 2, true)])]), since);
    followed.received_until(at(70));
    assert_eq!(total(&followed), (20 + 3 * 11, 0), "from the newest event on");
    let gap = Gap { from: at(10), to: Some(at(59)), why: "5 events are lost".to_owned() };
    assert_eq!(followed.gaps().collect::<Vec<_>>(), [&gap]);
}

#[test]
fn a_clock_that_is_set_back_by_minutes_counts_no_time_twice() {
    let mut followed = started(&[("one", 2, true)]);
    followed.happened(1, at(100), asked("two", 1));
    followed.happened(2, at(40), allocated("two", 1));
    followed.received_until(at(60));
    assert_eq!(total(&followed), (200, 0), "nothing until it comes to where it was");
    followed.happened(3, at(110), released("one"));
    assert_eq!(total(&followed), (200 + 3 * 10, 0));
    let gap = followed.gaps().next().unwrap();
    assert_eq!((gap.from, gap.to), (at(100), Some(at(40))));
}

#[test]
fn a_clock_that_was_wrong_by_hours_is_forgotten_from_the_next_hour_on() {
    let mut followed = started(&[("one", 2, true)]);
    followed.happened(1, at(5 * 3_600), asked("two", 1));
    assert_eq!(total(&followed).0, 2 * 5 * 3_600);
    followed.happened(2, at(10), allocated("two", 1));
    let rest = 3_000;
    assert_eq!(total(&followed), (2 * rest, 0), "this hour counts as far as it did");
    followed.happened(3, at(rest + 60), released("two"));
    assert_eq!(total(&followed), (2 * rest + 3 * 60, 0));
}

#[test]
fn slightly_reordered_events_are_not_a_gap() {
    let mut followed = started(&[("one", 2, true)]);
    followed.happened(1, at(10), asked("two", 1));
    followed.happened(2, Time(at(10).0 - 300), allocated("two", 1));
    followed.happened(3, at(20), released("two"));
    assert_eq!((total(&followed), followed.gaps().count()), ((40 + 10, 0), 0));
}

fn written(before: &Moment, now: &Moment) -> (usize, Moment) {
    let changes = now.changes(before);
    let (mut hours, mut ended) = (Vec::new(), Vec::new());
    for change in now.changes(&Moment::default()) {
        match change {
            Write::Hour(number, Some(hour)) => hours.push((number, hour)),
            Write::Ended(app, Some(used)) => ended.push((app, used)),
            Write::Hour(_, None) | Write::Ended(_, None) => panic!("nothing goes from nothing"),
        }
    }
    (changes.len(), Moment::restored(now.head.clone(), hours, ended))
}

#[test]
fn after_a_restart_it_continues_with_a_gap() {
    let mut followed = started(&[("one", 2, true)]);
    followed.happened(1, at(10), asked("two", 1));
    followed.happened(2, at(20), allocated("two", 1));
    followed.happened(3, at(30), released("two"));
    let first = followed.moment();
    followed.received_until(at(3_100));
    let second = followed.moment();
    let (changed, retained) = written(&first, &second);
    assert_eq!(changed, 2, "this hour, and the next one");
    let mut again = Followed::restored(retained, "nobody followed it");
    assert_eq!(total(&again), total(&followed));
    assert_eq!(again.gaps().map(|gap| (gap.from, gap.to)).collect::<Vec<_>>(), [(at(3_100), None)]);
    again.start(&look(4_000, 0, &[seen(&[("one", 2, true)])]), []);
    again.received_until(at(4_010));
    assert_eq!(total(&again).0, 2 * 3_100 + 10 + 20);
    assert_eq!(again.gaps().next().and_then(|gap| gap.to), Some(at(4_000)));
}

#[test]
fn usage_of_finished_allocations_is_compared_with_the_count_of_the_scheduler() {
    let mut followed = started(&[("old", 2, true)]);
    let events =
        [(1, 10, asked("one", 1)), (2, 20, allocated("one", 1)), (3, 50, released("one")), (4, 60, released("old"))];
    for (number, seconds, change) in events {
        followed.happened(number, at(seconds), change);
    }
    let counted = Some(BTreeMap::from([(Box::from(VCORE), 4_000 + 29_000 + 500_000)]));
    followed.compare(&look(70, 5, &[SeenApp { counted, ..seen(&[]) }]));
    let against = followed.against(&Question::default());
    let [one] = against.as_slice() else { panic!("{against:?}") };
    assert_eq!((one.local.seconds(VCORE), one.allocations, one.before), (30_000, 1, 1));
    assert_eq!((one.second.seconds(VCORE), one.remote.get(VCORE)), (1_000, Some(&529_000)));
    let retained = Followed::restored(written(&Moment::default(), &followed.moment()).1, "");
    assert_eq!(retained.against(&Question::default()), against, "another process sees the same");
    let of_bob = Question { user: Some("bob".to_owned()), ..Question::default() };
    assert_eq!(followed.against(&of_bob), []);
}
