//! The time without bindings when a scheduler stops: the values in `docs/guide/kubernetes-scheduler.md`.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Stage;
use super::schedule::{PATIENCE, Scheduler, make, on_nodes, pod, pods, prepare};

/// Two such schedulers do not see each other's processes.
fn of_pod(stage: &Stage, uid: &str) -> Scheduler {
    Scheduler::launch_in(stage, &[("POD_UID", uid)], &[])
}

fn bound(stage: &Stage, started_at: Instant, name: &str) -> Duration {
    let before = on_nodes(&pods(stage));
    make(stage, &[pod(name, "a", "100m")]);
    while on_nodes(&pods(stage)) == before {
        assert!(started_at.elapsed() < PATIENCE, "{name} is not bound");
        std::thread::sleep(Duration::from_millis(50));
    }
    started_at.elapsed()
}

fn print_line(what: &str, took: Duration, (least, most): (u64, u64)) {
    super::print_line(&format!("fail-over, {what}: a new pod is bound after {:.1} s", took.as_secs_f64()));
    let seconds = Duration::from_secs(least)..Duration::from_secs(most);
    assert!(seconds.contains(&took), "{what}: {took:?}");
}

pub fn times(stage: &Stage) {
    prepare(stage);
    let first = of_pod(stage, "first").ready();
    let second = of_pod(stage, "second");
    std::thread::sleep(Duration::from_secs(5));
    let started_at = Instant::now();
    first.stop();
    print_line("clean stop, a standby", bound(stage, started_at, "stopped"), (0, 8));

    let second = second.ready();
    let third = of_pod(stage, "third");
    std::thread::sleep(Duration::from_secs(5));
    let started_at = Instant::now();
    drop(second);
    print_line("SIGKILL, a standby of another pod", bound(stage, started_at, "killed"), (8, 25));

    let third = third.ready();
    let started_at = Instant::now();
    drop(third);
    let again = of_pod(stage, "third");
    print_line("SIGKILL, restarted in the same pod", bound(stage, started_at, "restarted"), (0, 8));

    let again = again.ready();
    stage.command(&json!({"stop": true}));
    std::thread::sleep(Duration::from_secs(30));
    stage.command(&json!({"start": true}));
    let started_at = Instant::now();
    print_line("the API server was away for 30 s", bound(stage, started_at, "away"), (0, 12));
    again.stop();
}
