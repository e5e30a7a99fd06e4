//! The event log: two numberings without gaps, a bounded buffer, and woken readers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use engine::events::IMPORTANT_BYTES;
use engine::{Core, EventLog, Numbering, Setup};
use model::{Identity, Profile, Time};
use scheduler::{EventKind, NodeSpec, PartitionCommand};
use source::{Source, Stepped};
use view::record::{ChangeDetail, EventPage, ObjectType, Record};
use view::{Health, health};

use super::{Beat, CONFIG, commands, core};
use crate::common::{about, millicores};

fn core_with_limit(events: u32, tracking: bool) -> Core {
    let mut setup = Setup { instance: "run-1".into(), ..Setup::of(Profile::Kornsole) };
    setup.event.ring_buffer_capacity = events;
    setup.event.tracking_enabled = tracking;
    let config = config::read(CONFIG, Profile::Kornsole).config.unwrap();
    Core::set_up(&setup, Arc::new(config), Some(Beat::new(&Arc::default()))).unwrap()
}

fn all(log: &EventLog, numbering: Numbering) -> EventPage {
    log.page(numbering, 0, usize::MAX)
}

fn numbers(page: &EventPage) -> Vec<u64> {
    page.records.iter().map(|(number, _)| *number).collect()
}

#[test]
fn both_numberings_begin_at_0_and_have_no_gaps() {
    let mut core = core_with_limit(100_000, true);
    core.run_until(Time::from_millis(10_000), usize::MAX);
    let (local, remote) = (all(core.events(), Numbering::All), all(core.events(), Numbering::Upstream));
    for page in [&local, &remote] {
        assert_eq!((&*page.instance, page.tracking, page.lowest), ("run-1", true, 0));
        assert_eq!(numbers(page), (0..page.next).collect::<Vec<_>>());
    }
    assert!(local.next > 200, "{}", local.next);
    let own: Vec<u32> = local.records.iter().map(|(_, r)| r.detail.0).filter(|detail| *detail >= 900).collect();
    assert_eq!(own, [900], "the configuration was loaded");
    let upstreams: Vec<_> = local.records.iter().map(|(_, r)| r).filter(|r| !r.is_own()).collect();
    assert_eq!(upstreams, remote.records.iter().map(|(_, r)| r).collect::<Vec<_>>());
    assert!(local.records.is_sorted_by_key(|(_, r)| r.at));
}

#[test]
fn any_stretch_is_the_same_stretch_of_the_whole() {
    let mut core = core_with_limit(100_000, true);
    core.run_until(Time::from_millis(30_000), usize::MAX);
    for numbering in [Numbering::All, Numbering::Upstream] {
        let whole = all(core.events(), numbering);
        for (since, limit) in
            [(0, 1), (1, 7), (300, 1), (511, 3), (whole.next - 2, 10), (whole.next, 10), (u64::MAX, 1), (3, 0)]
        {
            let page = core.events().page(numbering, since, limit);
            let wanted: Vec<_> = whole.records.iter().filter(|(n, _)| *n >= since).take(limit).cloned().collect();
            assert_eq!(page.records, wanted, "{numbering:?} {since} {limit}");
            assert_eq!((page.lowest, page.next), (whole.lowest, whole.next));
        }
    }
}

#[test]
fn the_log_stores_as_many_as_the_settings_allow_and_numbers_continue() {
    let (mut core, mut whole) = (core_with_limit(50, true), core_with_limit(100_000, true));
    for core in [&mut core, &mut whole] {
        core.run_until(Time::from_millis(20_000), 3);
        while core.run_until(Time::from_millis(20_000), 3) == engine::Progress::Busy {}
    }
    for numbering in [Numbering::All, Numbering::Upstream] {
        let (retained, whole) = (all(core.events(), numbering), all(whole.events(), numbering));
        assert_eq!((retained.lowest, retained.next), (whole.next - 50, whole.next));
        assert_eq!(retained.records, whole.records[whole.records.len() - 50..]);
        assert_eq!(retained.highest(), Some(whole.next - 1));
    }
}

#[test]
fn what_is_not_tracked_gets_no_number() {
    let mut core = core_with_limit(100_000, false);
    core.run_until(Time::from_millis(5_000), usize::MAX);
    let page = all(core.events(), Numbering::All);
    assert_eq!((page.next, page.tracking, page.records.len(), page.highest()), (0, false, 0, None));
    core.events().configure(&Setup::of(Profile::Kornsole).event);
    core.run_until(Time::from_millis(6_000), usize::MAX);
    let page = all(core.events(), Numbering::All);
    assert!(page.tracking && !page.records.is_empty());
    assert!(page.records.iter().all(|(_, record)| record.at > Time::from_millis(5_000)));
    assert_eq!(page.records[0].0, 0);
}

#[test]
fn followers_are_notified_when_a_command_has_been_carried_out() {
    let mut core = core(None);
    let mut follower = core.events().follow();
    let before = *follower.borrow_and_update();
    core.apply(&PartitionCommand::DrainNode("nowhere".into()).into());
    assert!(!follower.has_changed().unwrap(), "what is refused is no event");
    let node = NodeSpec { id: "n".into(), capacity: millicores(8000), ..NodeSpec::default() };
    core.apply(&PartitionCommand::AddNode(node).into());
    assert!(follower.has_changed().unwrap());
    let now = *follower.borrow_and_update();
    assert_eq!((now.all - before.all, now.upstream - before.upstream), (3, 3));
    core.emit_event(EventKind::ConfigRolledBack { message: "to version 3".to_owned() });
    let page = core.events().page(Numbering::All, now.all, 10);
    assert_eq!(page.records[0].1.detail, ChangeDetail::CONFIG_ROLLED_BACK);
    assert_eq!(*follower.borrow_and_update(), view::record::Tally { all: now.all + 1, upstream: now.upstream });
}

#[test]
fn a_source_gives_events_history_and_health() {
    let source = Stepped::new(core(Some(Beat::new(&Arc::default()))), about("test"), Identity::new("sue", ["dev"]));
    source.advance(Duration::from_secs(9));
    assert!(source.view().history.is_empty(), "the first sample is ten seconds old");
    source.advance(Duration::from_secs(175));
    let view = source.view();
    let at: Vec<u64> = view.history.iter().map(|sample| sample.at.as_millis()).collect();
    assert!(at.into_iter().eq((1..=18).map(|step| step * 10_000)));
    let minutes: Vec<u64> =
        view.history.iter().filter(|sample| sample.on_the_minute()).map(|sample| sample.at.as_millis()).collect();
    assert_eq!(minutes, [60_000, 120_000, 180_000], "REST shows those");
    let last = view.history.last().unwrap();
    let partition = &last.partitions[0];
    assert_eq!(last.allocations * 1000, u64::try_from(partition.allocated.amount("vcore")).unwrap());
    assert!(last.running > 0 && last.live >= last.running && last.made > 400, "{last:?}");
    let queues: Vec<&str> = partition.queues.iter().map(|queue| queue.queue.as_str()).collect();
    assert_eq!(queues, ["root", "root.a"]);
    assert_eq!(source.events(2, 3).records.len(), 3);

    let Health { healthy, checks } = health(&view);
    assert!(healthy && checks.len() == 9 && checks.iter().all(|check| check.succeeded), "{checks:?}");
    let mut broken = (*view).clone();
    broken.partitions[0].capacity = millicores(1);
    let row = broken.partitions[0].nodes.get_mut("n").unwrap();
    Arc::make_mut(row).allocations = Default::default();
    let failed: Vec<_> = health(&broken).checks.into_iter().filter(|check| !check.succeeded).collect();
    let names: Vec<&str> = failed.iter().map(|check| check.name.as_ref()).collect();
    assert_eq!(names, ["Consistency of data", "Consistency of data", "Orphan allocation on app check"]);
    assert!(failed[2].diagnosis.contains("/t-"), "{failed:?}");
}

#[test]
fn an_application_is_reported_from_the_first_to_the_last() {
    let mut core = core(None);
    let node = NodeSpec { id: "n".into(), capacity: millicores(8000), ..NodeSpec::default() };
    core.apply(&PartitionCommand::AddNode(node).into());
    let from = core.events().page(Numbering::All, 0, 0).next;
    commands("one").iter().for_each(|command| drop(core.apply(command)));
    core.run_until(Time::from_millis(10), 100);
    for (ask, by) in [("t-1", None), ("t-2", None), ("t-3", Some(()))] {
        match by {
            None => core.apply(&PartitionCommand::Release { app: "one".into(), ask: ask.into() }.into()),
            Some(()) => {
                let by = Identity::new("ops", ["ops"]);
                core.apply(&PartitionCommand::Kill { app: "one".into(), by, reason: "enough".to_owned() }.into())
            }
        };
    }
    let page = core.events().page(Numbering::All, from, usize::MAX);
    let of_app = page.records.iter().map(|(_, r)| r).filter(|r| *r.object == *"one" || *r.reference == *"one");
    let text: Vec<String> =
        of_app.map(|r| format!("{} {} {}", r.change, r.detail, r.message).trim_end().to_owned()).collect();
    insta::assert_snapshot!(text.join("\n"), @r"
    add new
    add application
    set accepted
    add request
    add request
    add request
    set starting
    add allocation
    set running
    add allocation
    add allocation
    remove allocation ended
    remove request canceled
    remove allocation ended
    remove request canceled
    set killed by ops: enough
    set failing killed by ops: enough
    remove allocation ended
    set failed killed by ops: enough
    remove application
    remove none
    ");
}

fn an_hour_of_the_demo() -> Core {
    let config = config::read(scenario::demo_config(), Profile::Kornsole).config.unwrap();
    let mut setup = Setup::of(Profile::Kornsole);
    setup.event.ring_buffer_capacity = 100;
    let workload = Box::new(scenario::Demo::new(42, Profile::Kornsole));
    let mut core = Core::set_up(&setup, Arc::new(config), Some(workload)).unwrap();
    core.run_until(Time::ZERO + Duration::from_secs(3600), usize::MAX);
    core
}

#[test]
fn important_events_are_stored_longer_than_routine_ones() {
    let core = an_hour_of_the_demo();
    let log = core.events();
    let ring = log.page(Numbering::All, 0, usize::MAX);
    let end = Time::ZERO + Duration::from_secs(3600);
    let all = log.important(end, usize::MAX);
    assert!(ring.lowest > 100 && all[0].0 < 100, "{} and {}", ring.lowest, all[0].0);
    assert!(all.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1.at <= two[1].1.at));
    assert!(all.iter().all(|(_, record)| record.is_important()), "records and events agree on what matters");
    let hour = log.important_bytes();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, record) in &all {
        let what = format!(
            "{} {} {} {}",
            record.kind,
            record.change,
            record.detail,
            record.message.split(' ').next().unwrap_or_default()
        );
        *counts.entry(what).or_default() += 1;
    }
    assert!(hour > 0 && hour * 24 < IMPORTANT_BYTES, "{} records, {hour} bytes in an hour: {counts:#?}", all.len());
    let middle = Time::ZERO + Duration::from_secs(1800);
    let then = log.important(middle, 10);
    assert_eq!(then.len(), 10);
    assert!(then.iter().all(|(_, record)| record.at <= middle));
    assert!(all.iter().any(|(_, record)| record.detail == ChangeDetail::QUEUE_STATE));
    assert!(all.iter().any(|(_, record)| record.kind == ObjectType::NODE));
}

fn names_the_preemptor(record: &Record) -> bool {
    record.message.starts_with("preempted by request ") && record.message.contains(" in root.")
}

#[test]
fn what_is_preempted_names_the_preemptor() {
    let core = an_hour_of_the_demo();
    let important = core.events().important(Time(u64::MAX), usize::MAX);
    let preempted: Vec<_> = important.iter().filter(|(_, record)| record.message.contains("preempted")).collect();
    assert!(!preempted.is_empty() && preempted.iter().all(|(_, record)| names_the_preemptor(record)), "{preempted:?}");
}

#[test]
fn the_end_of_a_preempted_allocation_names_the_preemptor() {
    let config = config::read(scenario::demo_config(), Profile::Kornsole).config.unwrap();
    let workload = Box::new(scenario::Demo::new(42, Profile::Kornsole));
    let mut core = Core::set_up(&Setup::of(Profile::Kornsole), Arc::new(config), Some(workload)).unwrap();
    let (mut gone, mut next) = (0, 0);
    for _ in 0..20 {
        core.run_until(core.now() + Duration::from_secs(60), usize::MAX);
        let page = core.events().page(Numbering::All, next, usize::MAX);
        next = page.next;
        for (_, record) in page.records.iter().filter(|(_, record)| record.detail == ChangeDetail::ALLOC_PREEMPT) {
            gone += 1;
            assert!(names_the_preemptor(record), "{record:?}");
        }
    }
    assert!(gone > 0, "the demo preempts");
}
