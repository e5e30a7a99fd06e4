//! Disks that fail or lose data: rejected operations have no effect, acknowledged ones are present.

use std::sync::Arc;

use ::engine::audit_log::NewEntries;
use ::engine::journal::MemoryDisk;
use view::NoticeWeight;

use crate::common::share;

use super::disk::{BadDisk, Fault};
use super::stage::{AnsweredOrders, Chance, Step, engine, is_not_durable, on, perform, seed, steps};

const FAULTS: [Fault; 5] = [Fault::Full, Fault::Io, Fault::Short, Fault::Sync, Fault::ReadOnly];

const CUTS: u32 = 60;

fn rounds(least: u32) -> u64 {
    std::env::var("KORNSOLE_CRASH_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(share::so_many(least, 4).into())
}

/// An operation that was rejected because of the disk is unknown until the disk has accepted a later one.
fn drive(disk: &Arc<BadDisk>, name: &str, chance: &mut Chance, answered: &mut AnsweredOrders) {
    let Ok((core, retained)) = on(Arc::clone(disk) as _) else { return };
    let journal = retained.journal().clone();
    let engine = engine((core, retained));
    let mut unsure = Vec::new();
    for step in steps(name, chance, 40) {
        match perform(&engine, step.act()) {
            Ok(_) => {
                answered.done.push(step.line());
                answered.refused.append(&mut unsure);
            }
            Err(refusal) if is_not_durable(&refusal) => {
                unsure.push(step.line());
                if disk.is_cut() {
                    break;
                }
                journal.wait_until_well();
            }
            Err(_) => answered.refused.push(step.line()),
        }
    }
}

#[test]
fn a_disk_that_loses_writes_keeps_what_was_acknowledged() {
    for seed in 0..rounds(CUTS) {
        let mut chance = Chance(self::seed() + seed);
        let (mut bytes, mut answered) = (Vec::new(), AnsweredOrders::default());
        for life in 0..3 {
            let disk = Arc::new(BadDisk::new(bytes));
            disk.cut(chance.below(150));
            drive(&disk, &format!("life-{life}"), &mut chance, &mut answered);
            bytes = disk.after_cut(&mut chance);
            if answered.done.is_empty() && answered.refused.is_empty() {
                // The file appears in its directory only after it has its header.
                bytes.clear();
            }
        }
        let (core, _retained) =
            on(Arc::new(MemoryDisk::from(bytes))).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        answered.check(&core);
        answered.check_audit(&core);
    }
}

#[test]
fn a_process_that_is_killed_on_a_failing_disk_loses_nothing() {
    for seed in 0..rounds(CUTS) {
        let mut chance = Chance(self::seed() + 1000 + seed);
        let (mut bytes, mut answered) = (Vec::new(), AnsweredOrders::default());
        for life in 0..2 {
            let disk = Arc::new(BadDisk::new(bytes));
            let fault = FAULTS[chance.below(FAULTS.len() as u64) as usize];
            let from = 20 + chance.below(100);
            disk.fail(from..from + 1 + chance.below(12), fault);
            drive(&disk, &format!("life-{life}"), &mut chance, &mut answered);
            bytes = disk.seen();
        }
        let (core, _retained) =
            on(Arc::new(MemoryDisk::from(bytes))).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        answered.check(&core);
        answered.check_audit(&core);
    }
}

#[test]
fn each_call_of_a_commit_may_fail() {
    for fault in FAULTS {
        for call in 0..12 {
            let disk = Arc::new(BadDisk::default());
            let (core, retained) = on(Arc::clone(&disk) as _).unwrap();
            let journal = retained.journal().clone();
            let engine = engine((core, retained));
            let first = Step::Submit("first".to_owned(), "root.a");
            perform(&engine, first.act()).unwrap();
            disk.fail(call..call + 1, fault);
            let second = Step::Submit("second".to_owned(), "root.a");
            let outcome = perform(&engine, second.act());
            disk.repair();
            journal.wait_until_well();
            let third = Step::Submit("third".to_owned(), "root.a");
            perform(&engine, third.act()).unwrap_or_else(|why| panic!("{fault:?} {call}: {why}"));
            drop(engine);
            let mut answered = AnsweredOrders { done: vec![first.line(), third.line()], refused: Vec::new() };
            match outcome {
                Ok(_) => answered.done.push(second.line()),
                Err(refusal) => {
                    assert!(is_not_durable(&refusal), "{fault:?} {call}: {refusal}");
                    answered.refused.push(second.line());
                }
            }
            let (core, _retained) = on(Arc::new(MemoryDisk::from(disk.seen()))).unwrap();
            answered.check(&core);
        }
    }
}

#[test]
fn a_full_disk_stops_the_scheduler_until_it_has_space() {
    stops_until_it_is_over(Fault::Full, "full");
}

#[test]
fn a_read_only_disk_stops_the_scheduler_until_it_is_writable() {
    stops_until_it_is_over(Fault::ReadOnly, "read-only");
}

fn stops_until_it_is_over(fault: Fault, word: &str) {
    let disk = Arc::new(BadDisk::default());
    let (core, retained) = on(Arc::clone(&disk) as _).unwrap();
    let journal = retained.journal().clone();
    let engine = engine((core, retained));
    perform(&engine, Step::Submit("app".to_owned(), "root.a").act()).unwrap();
    let before = engine.published().view();
    disk.fail(0..u64::MAX, fault);
    for step in [Step::Ask("app".to_owned()), Step::Node("node".to_owned()), Step::Kill("app".to_owned())] {
        let refusal = perform(&engine, step.act()).unwrap_err();
        assert_eq!((refusal.code.name(), refusal.code.status()), ("NOT_DURABLE", 503));
        let reported = [word, "failed"].iter().any(|word| refusal.description.contains(word));
        assert!(reported, "{refusal}");
    }
    let view = engine.published().view();
    let notice = view.notices.last().unwrap();
    assert!(notice.weight == NoticeWeight::Error && notice.title.contains("cannot write the state"), "{notice:?}");
    assert!(view.paused, "it says that it is paused");
    let apps = |view: &view::View| format!("{:?}", view.partitions[0].apps);
    assert_eq!(apps(&view), apps(&before), "no change was made");
    disk.repair();
    journal.wait_until_well();
    perform(&engine, Step::Ask("app".to_owned()).act()).unwrap();
    let view = engine.published().view();
    assert!(
        !view.paused && view.notices.last().unwrap().title.contains("the scheduler continues"),
        "{:?}",
        view.notices.last()
    );
    assert!(view.generation > before.generation + 1);
    drop(engine);
    let (core, _retained) = on(Arc::new(MemoryDisk::from(disk.seen()))).unwrap();
    let answered = AnsweredOrders {
        done: vec!["submit app root.a".to_owned(), "ask app".to_owned()],
        refused: vec!["node node".to_owned()],
    };
    answered.check(&core);
}

#[test]
fn a_journal_with_a_stopped_thread_reports_it() {
    let (core, retained) = on(Arc::new(MemoryDisk::default())).unwrap();
    let journal = retained.journal().clone();
    journal.write(
        None,
        &NewEntries::default(),
        Some(Box::new(|| panic!("something is wrong in what is done after a write"))),
    );
    assert!(!journal.wait_for(u64::MAX));
    assert!(journal.failing().is_some_and(|why| why.contains("restart")));
    let engine = engine((core, retained));
    assert!(is_not_durable(&perform(&engine, Step::Node("n".to_owned()).act()).unwrap_err()));
}
