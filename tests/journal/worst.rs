//! The largest file of operations, and a start on it. `KORNSOLE_FLOOD_MB=2000 cargo test --release --test journal worst
//! -- --nocapture` sends so many megabytes.

use std::fs;
use std::time::{Duration, Instant};

use ::engine::journal::Dir;
use model::Identity;
use scheduler::Submission;
use view::act::PartitionAct;

use super::stage::{engine, fresh, perform, setup};
use crate::common::{TestDir, kill, within};

fn megabytes() -> usize {
    std::env::var("KORNSOLE_FLOOD_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(48)
}

#[test]
fn a_start_after_the_worst_file_is_fast() {
    let (state, copy) = (TestDir::new(), TestDir::new());
    let setup = setup();
    let running = engine(Dir::open(&state, false).unwrap().start(&setup, 1.0, None, fresh(&setup)).unwrap());
    let orders = megabytes() * 4;
    let file = state.join("journal.redb");
    let mut largest = 0;
    for at in 0..orders {
        let tags = [("k".to_owned(), "x".repeat(250 << 10))].into();
        let (app, who) = (format!("app-{at}"), Identity::new("sue", ["dev"]));
        let submission =
            Submission { app: app.as_str().into(), queue: "root.a".to_owned(), who, tags, ..Submission::default() };
        perform(&running, within(PartitionAct::Submit(submission))).unwrap();
        perform(&running, kill(&app)).unwrap();
        largest = largest.max(fs::metadata(&file).unwrap().len());
    }
    // The state of a process that is killed while nothing is written.
    loop {
        let changed = || fs::metadata(&file).unwrap().modified().unwrap();
        let before = changed();
        for name in ["journal.redb", "journal.last"] {
            fs::copy(state.join(name), copy.join(name)).unwrap();
        }
        if changed() == before {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    drop(running);
    let started_at = Instant::now();
    let (core, _retained) = Dir::open(&copy, false).unwrap().start(&setup, 1.0, None, fresh(&setup)).unwrap();
    let took = started_at.elapsed();
    println!("{} MB of orders: {} MB at most, a start in {took:?}", megabytes(), largest >> 20);
    assert!(core.scheduler().partitions()[0].ended.len() <= orders);
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert!(largest < 1_000_000_000, "{largest} bytes");
}
