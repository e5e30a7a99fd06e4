//! The end of the journal is missing: a start reports it and restores the rest.

use std::fs;

use ::engine::journal::{Dir, DirError};
use model::AppId;

use super::stage::{engine, fresh, perform, setup, submit};
use crate::common::{TestDir, share};

const HEADER: usize = 320;
const FILES: [&str; 2] = ["journal.redb", "journal.last"];

fn killed(orders: usize) -> [Vec<u8>; 2] {
    let scratch = TestDir::new();
    let setup = setup();
    let running = engine(Dir::open(&scratch, false).unwrap().start(&setup, 1.0, None, fresh(&setup)).unwrap());
    for at in 0..orders {
        perform(&running, submit(&format!("app-{at}"), "root.a")).unwrap();
    }
    FILES.map(|name| fs::read(scratch.join(name)).unwrap())
}

fn start(files: &[Vec<u8>; 2], orders: usize, repair: bool) -> Result<(Vec<usize>, String), String> {
    let scratch = TestDir::new();
    FILES.iter().zip(files).for_each(|(name, bytes)| fs::write(scratch.join(name), bytes).unwrap());
    let setup = setup();
    let open = || -> Result<_, DirError> {
        let dir = Dir::open(&scratch, repair)?;
        let notes = dir.notes().join("\n");
        Ok((dir.start(&setup, 1.0, None, fresh(&setup))?, notes))
    };
    let ((core, _retained), notes) = open().map_err(|problem| problem.to_string())?;
    let part = &core.scheduler().partitions()[0];
    let missing = (0..orders).filter(|at| part.app(&AppId::from(format!("app-{at}").as_str())).is_none());
    Ok((missing.collect(), notes))
}

#[test]
fn a_flipped_bit_in_a_commit_slot_loses_no_answered_order_in_silence() {
    const ORDERS: usize = 5;
    let files = killed(ORDERS);
    assert_eq!(start(&files, ORDERS, false).unwrap().0, Vec::<usize>::new());
    let (mut reported, mut silent) = (0, Vec::new());
    for at in share::part_of((0..HEADER).collect(), 4) {
        let mut damaged = files.clone();
        damaged[0][at] ^= 1 << (at % 8);
        match start(&damaged, ORDERS, false) {
            Ok((missing, _)) if missing.is_empty() => continue,
            Ok(_) => silent.push(at),
            Err(message) => {
                assert!(message.contains("damaged") && message.contains("--state-repair"), "byte {at}: {message}");
                reported += usize::from(message.contains("was written and may have been confirmed"));
                let (missing, notes) = start(&damaged, ORDERS, true).unwrap();
                assert!(missing.is_empty(), "byte {at}: it was in the file still: {missing:?}, {notes}");
            }
        }
    }
    assert!(silent.is_empty(), "{} places lose an answered order: {silent:?}", silent.len());
    assert!(reported > if share::all() { 10 } else { 2 }, "{reported} places");
}

#[test]
fn an_older_copy_is_noticed_and_continues_when_that_is_allowed() {
    let files = killed(3);
    let older = [killed(2)[0].clone(), files[1].clone()];
    let message = start(&older, 3, false).unwrap_err();
    assert!(message.contains("record") && message.contains("--state-repair"), "{message}");
    let (missing, notes) = start(&older, 3, true).unwrap();
    assert_eq!(missing, [2]);
    assert!(notes.contains("the end of the journal is lost"), "{notes}");
}

#[test]
fn a_damaged_or_missing_note_loses_nothing() {
    let [journal, last] = killed(3);
    let mut damaged = last;
    damaged[40] ^= 1;
    let (missing, notes) = start(&[journal.clone(), damaged], 3, false).unwrap();
    assert!(missing.is_empty() && notes.contains("journal.last is damaged"), "{notes}");
    let (missing, notes) = start(&[journal, Vec::new()], 3, false).unwrap();
    assert!(missing.is_empty() && notes.is_empty(), "a folder of an older version has none: {notes}");
}
