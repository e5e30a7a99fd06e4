//! A long run at the highest speed: disk and memory usage are bounded.
//!
//! A virtual month: `KORNSOLE_MONTH_HOURS=720 cargo test --release --test journal month -- --nocapture`.

use std::path::Path;
use std::time::{Duration, Instant};

use engine::journal::{EntryTable, FileDisk, Store};
use engine::{Engine, Numbering, Setup};
use kornsole::cli::demo::open_retained;
use kornsole::cli::state::StateArgs;
use model::{Profile, Time};

use crate::common::TestDir;

const SPEED: f64 = 1e7;

/// Virtual hours, and the size limit in bytes.
fn extent() -> (f64, u64) {
    let set = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<f64>().ok());
    let hours = set("KORNSOLE_MONTH_HOURS");
    let mebibytes = set("KORNSOLE_MONTH_MIB").unwrap_or(if hours.is_some() { 64.0 } else { 1.0 });
    (hours.unwrap_or(0.25), (mebibytes * 1_048_576.0) as u64)
}

fn used(dir: &Path) -> u64 {
    let sizes = std::fs::read_dir(dir).unwrap().filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len()));
    sizes.sum()
}

#[expect(clippy::print_stdout, reason = "the growth is what one reads of a long run")]
fn retained(dir: &Path) -> (u64, u64) {
    let store = Store::open(std::sync::Arc::new(FileDisk::open(&dir.join("journal.redb")).unwrap())).unwrap();
    let all: Vec<u64> = store.snapshots().unwrap().iter().map(|(_, index)| index.bytes).collect();
    let sum = |catalog| store.entry_sizes(catalog).unwrap().iter().map(|(_, bytes)| bytes).sum::<u64>();
    let [audit, revisions] = [EntryTable::Audit, EntryTable::Revisions].map(sum);
    println!("records {}, snapshots {all:?}, audit {audit}, revisions {revisions}", store.record_bytes(..).unwrap());
    let first = store.blocks(0, 1).unwrap().first().map_or(0, |(number, _)| *number);
    (all.iter().rev().take(2).sum(), first)
}

#[test]
fn a_directory_does_not_exceed_its_limit() {
    let ((hours, most), dir) = (extent(), TestDir::new());
    let state = dir.join("state");
    let mut setup = Setup::of(Profile::Kornsole);
    (setup.state_bytes, setup.event.ring_buffer_capacity) = (most, 2_000);
    let opened = open_retained(42, &setup, &StateArgs { dir: Some(state.clone()), repair: false }, SPEED).unwrap();
    let engine = Engine::start_with_journal(opened.core, SPEED, None, opened.retained).unwrap();
    let (end, started_at) = (Time::ZERO + Duration::from_secs_f64(hours * 3600.0), Instant::now());
    let (mut largest, mut half) = (0, None);
    loop {
        std::thread::sleep(Duration::from_millis(50));
        let view = engine.published().view();
        largest = largest.max(used(&state));
        if half.is_none() && view.at.0 > end.0 / 2 {
            half = Some(largest);
        }
        let part = &view.partitions[0];
        assert!(part.ended.len() <= 10_000, "{} ended applications", part.ended.len());
        let events = engine.events().page(Numbering::All, 0, usize::MAX).records.len();
        assert!(events <= 2_000, "{events} events");
        if view.at >= end {
            println!("{} ended, {} samples, {events} events", part.ended.len(), view.history.len());
            break;
        }
        assert!(started_at.elapsed() < Duration::from_secs(60 * 60 * 4), "at {} of {end}", view.at);
    }
    drop(engine);
    let (newest, first) = retained(&state);
    println!(
        "{hours} h in {:?}: {largest} bytes at most, {half:?} at half; two snapshots of {newest}, records from {first}",
        started_at.elapsed()
    );
    assert!(first > 1, "the oldest has gone");
    assert!(largest <= most + 4 * newest, "{largest} of {most}, and {newest} of two snapshots");
    // The file doubles when it grows, so halves of a short run are not comparable.
    if hours >= 24.0 {
        let half = half.unwrap();
        assert!(largest < half + half / 4, "{half} bytes in the first half, {largest} in all");
    }
}
