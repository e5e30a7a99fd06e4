//! 100 runs with 100,000 allocations each on all cores; two small ones under `cargo test`.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a bench is a program for its own people")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use forecast::simulate::{Job, Plan, Task, Workload, run};
use model::{AppId, Identity, NodeId, Profile, Resource, Time};
use scheduler::NodeSpec;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LEAVES: u64 = 100;
const TASKS: u32 = 25;

fn amounts(cores: i64) -> Resource {
    [("vcore", cores * 1000), ("memory", cores << 32)].into_iter().collect()
}

fn workload(asks: u64, nodes: usize) -> Workload {
    let node =
        |number| NodeSpec { id: NodeId::from(format!("node-{number}")), capacity: amounts(64), ..NodeSpec::default() };
    let job = |number: u64| Job {
        app: AppId::from(format!("app-{number}")),
        at: Time::from_millis(number * 1000),
        queue: format!("root.leaf-{}", number % LEAVES),
        who: Identity::new(format!("user-{}", number % 20), ["all"]),
        tasks: vec![Task {
            count: TASKS,
            resource: amounts(1),
            runs: Some(Duration::from_mins(10)),
            ..Task::default()
        }],
        ..Job::default()
    };
    let jobs = (0..asks / u64::from(TASKS)).map(job).collect();
    Workload { nodes: (0..nodes).map(node).collect(), jobs, ..Workload::default() }
}

/// Processor time of this process; zero if not available.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = after_name.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// Time on a core, and time waiting for one; zero if not available.
fn on_a_core() -> [u64; 2] {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let mut nanoseconds = stat.split_whitespace().map(|field| field.parse().unwrap_or_default());
    [nanoseconds.next().unwrap_or_default(), nanoseconds.next().unwrap_or_default()]
}

/// Peak memory of this process in MB; zero if not available.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or_default() / 1024
}

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (runs, asks) = if full { (100, 100_000) } else { (2, 1_000) };
    let leaves: String = (0..LEAVES).map(|leaf| format!("    - name: leaf-{leaf}\n")).collect();
    let text =
        format!("partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n{leaves}");
    let config = Arc::new(config::read(&text, Profile::Kornsole).config.expect("the configuration is valid"));
    let plan = Plan { config, profile: Profile::Kornsole, until: None, from: None, again: true };
    let workload = workload(asks, 250);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, allocated) = (AtomicUsize::new(0), AtomicU64::new(0));
    let (ran, waited) = (AtomicU64::new(0), AtomicU64::new(0));
    let (started_at, cpu) = (Instant::now(), cpu_time());
    let work = || {
        while next.fetch_add(1, Ordering::Relaxed) < runs {
            let metrics = run(&workload, &plan, &|_| true).expect("nothing stops it");
            allocated.fetch_add(metrics.total.allocated, Ordering::Relaxed);
        }
        let [on_a_core, for_one] = on_a_core();
        ran.fetch_add(on_a_core, Ordering::Relaxed);
        waited.fetch_add(for_one, Ordering::Relaxed);
    };
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    let (took, used) = (started_at.elapsed(), cpu_time().saturating_sub(cpu));
    assert_eq!(allocated.into_inner(), asks * runs as u64, "every ask ran");
    let of_all = took.as_secs_f64() * cores as f64;
    let share = |nanoseconds: u64| nanoseconds as f64 / 1e9 / of_all * 100.0;
    let (ran, waited) = (ran.into_inner(), waited.into_inner());
    println!(
        "{runs} runs of {asks} allocations on {cores} cores: {:.1} s, {:.1} s of processor time; of each core {:.0} %, and for another {:.0} % \
         other programs had it; {} MB at most",
        took.as_secs_f64(),
        used.as_secs_f64(),
        share(ran),
        share(waited),
        peak_memory()
    );
}
