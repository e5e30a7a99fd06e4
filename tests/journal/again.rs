//! A scheduler rebuilt from its journal has the same view and the same future.

use std::sync::Arc;
use std::time::Duration;

use engine::journal::{Dir, MemoryDisk, RunningJournal};
use engine::{Core, Numbering, Progress, Setup};
use kornsole::cli::demo;
use model::{Profile, Time};
use scenario::{Demo, Workload};
use scheduler::Tuning;
use view::{Record, Toward, View};

const SEED: u64 = 42;

fn demo_on(disk: MemoryDisk, setup: &Setup, seed: u64) -> Result<(Core, RunningJournal, Arc<MemoryDisk>), String> {
    let disk = Arc::new(disk);
    let dir = Dir::on(Arc::clone(&disk) as _).map_err(|problem| problem.to_string())?;
    let workload: Box<dyn Workload> = Box::new(Demo::new(seed, setup.profile));
    let started = dir.start(setup, 1.0, Some(workload), Box::new(|_| demo::core(seed, setup)));
    let (core, retained) = started.map_err(|problem| problem.to_string())?;
    Ok((core, retained, disk))
}

fn run(core: &mut Core, until: Time) {
    while core.run_until(until, 1000) == Progress::Busy {}
}

/// The visible state, without counts of changes and of repeated reasons.
fn view_text(view: &View) -> String {
    let mut view = View { generation: 0, ..view.clone() };
    for partition in &mut view.partitions {
        (partition.tree_generation, partition.app_generation) = (0, 0);
        for app in partition.apps.iter_mut().flatten() {
            let app = Arc::make_mut(app);
            app.notes = app.notes.iter().map(|(arrival, _)| (*arrival, Arc::default())).collect();
        }
    }
    format!("{view:#?}")
}

#[track_caller]
fn same(left: &str, right: &str) {
    let different = left.lines().zip(right.lines()).enumerate().find(|(_, (left, right))| left != right);
    if let Some((line, (left, right))) = different {
        panic!("line {line}: {left} and {right}");
    }
    assert_eq!(left.len(), right.len());
}

#[test]
fn the_demo_continues_where_it_was_interrupted() {
    let cases = [(Profile::Kornsole, false, 100), (Profile::Kornsole, true, 1), (Profile::V1_5_1, true, 1)];
    for (profile, snapshot, ending_at_once) in cases {
        let setup = Setup { tuning: Tuning { ending_at_once, ..Tuning::default() }, ..Setup::of(profile) };
        let (mut core, retained, disk) = demo_on(MemoryDisk::default(), &setup, SEED).unwrap();
        let at = Time::ZERO + Duration::from_secs(95);
        if snapshot {
            run(&mut core, Time::ZERO + Duration::from_secs(70));
            retained.snapshot(&mut core).unwrap();
        }
        run(&mut core, at);
        assert!(retained.sync(&mut core));
        let (mut again, again_retained, _) = demo_on(MemoryDisk::from(disk.copy()), &setup, SEED).unwrap();
        run(&mut again, at);
        assert_eq!(core.now(), again.now());
        same(&view_text(&core.take_view().unwrap()), &view_text(&again.take_view().unwrap()));
        let later = at + Duration::from_secs(40);
        for core in [&mut core, &mut again] {
            run(core, later);
        }
        same(&view_text(&core.take_view().unwrap()), &view_text(&again.take_view().unwrap()));
        drop((retained, again_retained));
    }
}

#[test]
fn the_past_can_be_opened() {
    let setup = Setup::of(Profile::Kornsole);
    let (mut core, retained, _) = demo_on(MemoryDisk::default(), &setup, SEED).unwrap();
    let mut seen = Vec::new();
    for second in 1..60 {
        let at = Time::ZERO + Duration::from_secs(second);
        run(&mut core, at);
        if second % 20 == 0 {
            seen.push((at, view_text(&core.take_view().unwrap())));
            retained.snapshot(&mut core).unwrap();
        }
    }
    assert!(retained.sync(&mut core));
    let past = retained.history();
    for (at, then) in seen {
        same(&then, &view_text(&past.view_at(at).unwrap()));
    }
    assert_eq!(past.reaches_back_to(), Some(Time::ZERO));
    let end = core.now();
    let message = core.events().page(Numbering::All, 0, usize::MAX).records;
    let message: Vec<Record> = message.iter().map(|(_, record)| Record::clone(record)).collect();
    let (mut at, mut back) = (end, Vec::new());
    loop {
        let chapter = past.chapter(at, Toward::Earlier, |_| true).unwrap();
        assert!(chapter.from < at && (at <= chapter.to || chapter.last), "{at}");
        at = chapter.from;
        back.splice(0..0, chapter.records);
        if chapter.first {
            break;
        }
    }
    // The journal starts with the queues of its first configuration.
    let first = message.iter().position(|record| record.at > Time::ZERO).unwrap();
    assert_eq!(back, message[first..], "what is looked up is what was reported");
    let next = past.chapter(Time::ZERO + Duration::from_secs(45), Toward::Later, |_| true).unwrap();
    assert_eq!((next.last, next.from), (true, Time::ZERO + Duration::from_secs(40)));
}

#[test]
fn another_demo_is_not_taken_for_this_one() {
    let setup = Setup::of(Profile::Kornsole);
    let (mut core, retained, disk) = demo_on(MemoryDisk::default(), &setup, SEED).unwrap();
    run(&mut core, Time::ZERO + Duration::from_secs(1));
    retained.snapshot(&mut core).unwrap();
    let refused = demo_on(MemoryDisk::from(disk.copy()), &setup, 7).map(drop).unwrap_err();
    assert!(refused.contains("--seed 42"), "{refused}");
}
