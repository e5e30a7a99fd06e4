//! Groups that grow and shrink, and similar ones that do not.

use std::sync::Arc;

use super::*;
use crate::simulate::{Job, Plan, Task, Workload, run_with};
use model::{AppId, Identity, Profile};

const QUEUES: &str = "\
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - {name: a}
    - {name: small, resources: {max: {vcore: 4}}}
";

fn amounts(cores: i64) -> Resource {
    [("vcore", cores * 1000), ("memory", cores << 30)].into_iter().collect()
}

fn job(name: &str, queue: &str, at: u64, count: u32, cores: i64) -> Job {
    let runs = Some(Duration::from_mins(10));
    Job {
        app: AppId::from(name),
        at: Time::from_millis(at * 1000),
        queue: queue.to_owned(),
        who: Identity::new("ann", ["dev"]),
        tasks: vec![Task { count, resource: amounts(cores), runs, ..Task::default() }],
        ..Job::default()
    }
}

fn simulated(groups: &[&str], jobs: Vec<Job>) -> (GroupsReport, crate::simulate::Figures) {
    let groups = groups.iter().map(|text| text.parse().unwrap()).collect();
    let mut scaler = Autoscaler::new(groups);
    let config = Arc::new(config::read(QUEUES, Profile::V1_9_0).config.unwrap());
    let plan = Plan { config, profile: Profile::V1_9_0, until: None, from: None, again: true };
    let workload = Workload { nodes: scaler.first_nodes(), jobs, ..Workload::default() };
    let figures = run_with(&workload, &plan, Some(&mut scaler), &|_| true).unwrap();
    let end = Time::from_millis(figures.ended);
    (scaler.report(end), figures)
}

#[test]
fn nodes_come_for_what_waits_and_cost_until_they_go() {
    let group = "m5: cpu=4, memory=16Gi, max=10, delay=90s, price=2";
    let (report, figures) = simulated(&[group], vec![job("one", "root.a", 5, 4, 2)]);
    let [one] = report.groups.as_slice() else { panic!("{report:?}") };
    assert_eq!((one.added, one.peak), (2, 2), "4 requests of 2 cores on nodes of 4 cores: {one:?}");
    // Noticed after 10 s, ready 90 s later.
    assert!((90_000..=105_000).contains(&figures.total.waits.max), "{:?}", figures.total.waits);
    // 90 s, 10 minutes of work, 10 minutes idle, and at most 20 s until it is noticed.
    let hours = 2.0 * 1290.0 / 3600.0;
    assert!((hours..hours + 40.0 / 3600.0).contains(&one.node_hours), "{one:?}");
    assert_eq!(one.cost, Some(one.node_hours * 2.0));
}

#[test]
fn the_cheapest_group_that_fits_is_taken_up_to_its_maximum() {
    let groups = ["big: cpu=16, memory=64Gi, delay=1m, price=4", "cheap: cpu=4, memory=16Gi, max=1, delay=1m, price=1"];
    let (report, _) = simulated(&groups, vec![job("one", "root.a", 0, 3, 4)]);
    let added: Vec<u32> = report.groups.iter().map(|group| group.added).collect();
    assert_eq!(added, [1, 1], "one on the cheap node, two on the big one");
}

#[test]
fn what_fits_no_group_and_what_its_queue_does_not_admit_brings_no_node() {
    let group = "m5: cpu=4, memory=16Gi";
    let (report, _) = simulated(&[group], vec![job("large", "root.a", 0, 1, 8)]);
    assert_eq!((report.groups[0].added, report.never[0].0.as_str()), (0, "large"));
    assert_eq!(report.never[0].1["vcore"], 8000);
    let (report, _) = simulated(&[group], vec![job("many", "root.small", 0, 5, 4)]);
    assert!(report.never.is_empty() && report.groups[0].peak == 1, "max of the queue is 4 cores: {report:?}");
}

#[test]
fn the_smallest_number_of_nodes_stays() {
    let (report, figures) =
        simulated(&["m5: cpu=4, memory=16Gi, min=1, delay=90s"], vec![job("one", "root.a", 0, 1, 2)]);
    let one = &report.groups[0];
    assert_eq!((one.added, one.removed, one.peak, figures.total.waits.max), (0, 0, 1, 0));
    assert_eq!(one.cost, None);
}

#[test]
fn a_group_is_read_or_refused_with_its_form() {
    let group: NodeGroup = "m5.4xlarge: cpu=16, memory=64Gi, min=1, max=40, delay=90s, price=0.8".parse().unwrap();
    assert_eq!((group.capacity.amount("vcore"), group.min, group.max), (16_000, 1, 40));
    assert_eq!((group.delay, group.price, group.capacity.amount("pods")), (Duration::from_secs(90), Some(0.8), 110));
    for (text, why) in [
        ("cpu=4", "has no name"),
        ("a: min=0", "no capacity"),
        ("a: cpu=4, min=3, max=2", "min 3 is above max 2"),
        ("a: cpu=4, delay=soon", "invalid delay"),
        ("a: cpu=x", "cpu: "),
        ("a: cpu", "is not KEY=VALUE"),
        ("a: cpu=1, price=-1", "invalid price"),
    ] {
        let said = text.parse::<NodeGroup>().unwrap_err();
        assert!(said.contains(why), "{text}: {said}");
    }
}
