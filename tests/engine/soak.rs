//! Memory over a long run: the second half needs no more than the first.
//!
//! `KORNSOLE_SOAK_HOURS=720 cargo test --release --test engine soak -- --nocapture` runs a virtual month.

use std::process::Command;
use std::time::Duration;

use engine::{Core, Numbering, Progress, Setup};
use kornsole::cli::demo;
use model::{Profile, Time};

/// Limit for a finished application and its row, in KiB: twice the measured value.
const EACH: u64 = 12;

const ALONE: &str = "KORNSOLE_SOAK_ALONE";

fn hours() -> u64 {
    std::env::var("KORNSOLE_SOAK_HOURS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Resident memory of this process, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

fn run(core: &mut Core, until: Time) {
    while core.run_until(until, 1000) == Progress::Busy {}
}

/// Runs in a separate process, because other tests use memory of this one.
#[test]
fn the_demo_needs_no_more_memory_the_longer_it_runs() {
    if std::env::var_os(ALONE).is_some() {
        return measure();
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "soak::the_demo_needs_no_more_memory_the_longer_it_runs"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let (output, errors) = (String::from_utf8_lossy(&child.stdout), String::from_utf8_lossy(&child.stderr));
    println!("{output}");
    assert!(child.status.success() && output.contains("1 passed"), "{output}{errors}");
}

#[expect(clippy::print_stdout, reason = "the growth is what one reads of a long run")]
fn measure() {
    let setup = Setup::of(Profile::Kornsole);
    let mut core = demo::core(42, &setup).unwrap();
    let parts = 20;
    let (mut seen, mut ended_by_half) = (Vec::new(), 0);
    for part in 1..=parts {
        let until = Time::ZERO + Duration::from_secs(hours() * 3600) / parts * part;
        while core.now() < until {
            // A console refreshes 30 times per second of real time at any speed.
            let next = (core.now() + Duration::from_secs(3)).min(until);
            run(&mut core, next);
            let view = core.take_view();
            core.events().page(Numbering::All, 0, 100);
            drop(view);
        }
        seen.push(resident());
        if part == parts / 2 {
            ended_by_half = core.scheduler().partitions()[0].ended_total;
        }
        let partition = &core.scheduler().partitions()[0];
        println!(
            "{:>8} s: {:>8} KiB, {} live, {} ended",
            until.0 / 1_000_000,
            resident(),
            partition.apps.len(),
            partition.ended.len()
        );
    }
    let halves = [&seen[..seen.len() / 2], &seen[seen.len() / 2..]];
    let [first, second] = halves.map(|half| *half.iter().max().unwrap());
    let grown = second.saturating_sub(first);
    assert!(second < 300 << 10, "{second} KiB");
    let ended = core.scheduler().partitions()[0].ended_total;
    if ended < 10_000 {
        // Up to a limit, finished applications are retained.
        let most = (ended - ended_by_half) * EACH;
        assert!(grown < most, "{grown} KiB more in the second half, {most} are allowed");
    } else if hours() >= 24 {
        assert!(grown < first / 20, "{first} KiB in the first half, {second} KiB in the second");
    }
}
