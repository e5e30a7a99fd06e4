use std::sync::Arc;
use std::time::Duration;

use forecast::simulate::{Job, Metrics, Plan, Stopped, Task, Workload, arrange, run};
use model::{AppId, Identity, NodeId, Priority, Profile, Resource, Time};
use scheduler::NodeSpec;

const QUEUES: &str = "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: a\n    - name: b\n      \
                      resources: {guaranteed: {vcore: 4}}\n";

fn vcore(cores: i64) -> Resource {
    [("vcore", cores * 1000)].into_iter().collect()
}

fn job(app: &str, queue: &str, at: u64, count: u32, runs: u64) -> Job {
    let task = Task { count, resource: vcore(1), runs: Some(Duration::from_secs(runs)), ..Task::default() };
    Job {
        app: AppId::from(app),
        at: Time::from_millis(at * 1000),
        queue: queue.to_owned(),
        who: Identity::new("sue", ["dev"]),
        tasks: vec![task],
        ..Job::default()
    }
}

fn workload(jobs: Vec<Job>) -> Workload {
    let node = NodeSpec { id: NodeId::from("n1"), capacity: vcore(4), ..NodeSpec::default() };
    Workload { nodes: vec![node], jobs, ..Workload::default() }
}

fn ran(workload: &Workload, queues: &str) -> Metrics {
    let config = Arc::new(config::read(queues, Profile::Kornsole).config.unwrap());
    let plan = Plan { config, profile: Profile::Kornsole, until: None, from: None, again: true };
    run(workload, &plan, &|_| true).unwrap()
}

#[test]
fn what_does_not_fit_waits_until_something_ends() {
    let metrics = ran(&workload(vec![job("one", "root.a", 0, 4, 60), job("two", "root.a", 10, 2, 30)]), QUEUES);
    let waits = metrics.total.waits;
    assert_eq!((waits.count, waits.waiting, waits.max, waits.p50), (6, 0, 50_000, 0));
    assert_eq!(metrics.total.used["vcore"], (4 * 60 + 2 * 30) * 1000);
    // 4 cores for 90 s until the last task ends.
    let ended = metrics.ended / 1000;
    assert!((90..=150).contains(&ended), "{ended}");
    assert_eq!(metrics.resources["vcore"].peak, 4000);
}

#[test]
fn preempted_jobs_restart_and_are_counted() {
    let mut second = job("two", "root.b", 30, 4, 60);
    second.tasks[0].priority = Priority(5);
    let metrics = ran(&workload(vec![job("one", "root.a", 0, 4, 600), second]), QUEUES);
    let preempted = metrics.total.preempted;
    assert!(preempted > 0, "{metrics:?}");
    assert_eq!(metrics.total.allocated, 8 + preempted);
    assert_eq!(metrics.total.waits.waiting, 0, "everything ran in the end");
}

#[test]
fn what_never_fits_is_named_and_the_run_ends() {
    let mut large = job("large", "root.a", 5, 1, 10);
    large.tasks[0].resource = vcore(5);
    let metrics = ran(&workload(vec![job("one", "root.a", 0, 1, 20), large]), QUEUES);
    assert_eq!((metrics.total.waits.waiting, metrics.total.allocated), (1, 1));
    let (name, amounts) = metrics.largest_waiting.unwrap();
    assert!(name.starts_with("large/") && amounts["vcore"] == 5000, "{name}");
}

#[test]
fn twice_the_load_waits_longer_and_more_nodes_help() {
    let jobs = || (0..50).map(|number| job(&format!("job-{number}"), "root.a", number * 10, 2, 30)).collect();
    let mut twice = workload(jobs());
    arrange::faster(&mut twice, 4.0);
    let (once, loaded) = (ran(&workload(jobs()), QUEUES), ran(&twice, QUEUES));
    assert!(loaded.total.waits.p95 > once.total.waits.p95);
    arrange::on_nodes(&mut twice, 8).unwrap();
    assert_eq!(ran(&twice, QUEUES).total.waits.max, 0);
    assert_eq!(ran(&twice, QUEUES), ran(&twice, QUEUES));
}

#[test]
fn a_run_that_is_no_longer_needed_stops() {
    let jobs = (0..500).map(|number| job(&format!("job-{number}"), "root.a", 0, 2, 30)).collect();
    let config = Arc::new(config::read(QUEUES, Profile::Kornsole).config.unwrap());
    let plan = Plan { config, profile: Profile::Kornsole, until: None, from: None, again: true };
    assert_eq!(run(&workload(jobs), &plan, &|_| false), Err(Stopped::Asked));
}

#[test]
fn what_is_taken_back_does_not_run_later_and_counts_by_itself() {
    let mut impatient = job("two", "root.a", 10, 2, 30);
    (impatient.tasks[0].runs, impatient.tasks[0].taken_back) = (None, Some(Duration::from_secs(20)));
    let metrics = ran(&workload(vec![job("one", "root.a", 0, 4, 60), impatient.clone()]), QUEUES);
    assert_eq!((metrics.total.waits.count, metrics.total.taken_back), (4, 2));
    assert_eq!((metrics.total.allocated, metrics.total.waits.waiting), (4, 0));
    // It runs with enough capacity, and ends when it is reclaimed.
    let metrics = ran(&workload(vec![impatient]), QUEUES);
    assert_eq!((metrics.total.allocated, metrics.total.used["vcore"]), (2, 2 * 20 * 1000));
}

#[test]
fn what_is_recorded_by_itself_after_a_preemption_is_not_asked_for_again() {
    let mut first = job("one", "root.a", 0, 4, 600);
    let mut second = job("two", "root.b", 30, 4, 60);
    second.tasks[0].priority = Priority(5);
    first.tasks[0].replaced = true;
    let metrics = ran(&workload(vec![first.clone(), second.clone()]), QUEUES);
    assert!(metrics.total.preempted > 0);
    assert_eq!(metrics.total.allocated, 8);
    second.tasks[0].allow_preempt_other = false;
    assert_eq!(ran(&workload(vec![first, second]), QUEUES).total.preempted, 0);
}
