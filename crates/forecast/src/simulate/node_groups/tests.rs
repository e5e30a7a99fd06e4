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
    - {name: one, maxapplications: 1}
    - name: limited
      limits:
      - {limit: ann, users: [ann], maxresources: {vcore: 8}}
      - {limit: ops, groups: [ops], maxapplications: 1, maxresources: {vcore: 100}}
    - name: parent
      resources: {max: {vcore: 8}}
      queues: [{name: x}, {name: y}]
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

fn simulated(groups: &[&str], jobs: Vec<Job>) -> (GroupsReport, crate::simulate::Metrics) {
    simulated_until(None, groups, jobs)
}

fn simulated_until(until: Option<Time>, groups: &[&str], jobs: Vec<Job>) -> (GroupsReport, crate::simulate::Metrics) {
    let groups = groups.iter().map(|text| text.parse().unwrap()).collect();
    let mut scaler = Autoscaler::new(groups, std::iter::empty(), Time::ZERO, true).until(until);
    let config = Arc::new(config::read(QUEUES, Profile::V1_9_0).config.unwrap());
    let plan = Plan { config, profile: Profile::V1_9_0, until, from: None, again: true };
    let workload = Workload { nodes: scaler.first_nodes(), jobs, ..Workload::default() };
    let metrics = run_with(&workload, &plan, Some(&mut scaler), &|_| true).unwrap();
    let end = Time::from_millis(metrics.ended);
    (scaler.report(end), metrics)
}

#[test]
fn nodes_are_added_for_pending_requests_and_cost_until_they_are_removed() {
    let group = "m5: cpu=4, memory=16Gi, max=10, delay=90s, price=2";
    let (report, metrics) = simulated(&[group], vec![job("one", "root.a", 5, 4, 2)]);
    let [one] = report.groups.as_slice() else { panic!("{report:?}") };
    assert_eq!((one.added, one.peak), (2, 2), "4 requests of 2 cores on nodes of 4 cores: {one:?}");
    // Noticed after 10 s, ready 90 s later.
    assert!((90_000..=105_000).contains(&metrics.total.waits.max), "{:?}", metrics.total.waits);
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
fn requests_without_a_group_or_queue_add_no_node() {
    let group = "m5: cpu=4, memory=16Gi";
    let (report, _) = simulated(&[group], vec![job("large", "root.a", 0, 1, 8)]);
    assert_eq!((report.groups[0].added, report.never[0].0.as_str()), (0, "large"));
    assert_eq!(report.never[0].1["vcore"], 8000);
    let (report, _) = simulated(&[group], vec![job("many", "root.small", 0, 5, 4)]);
    assert!(report.never.is_empty() && report.groups[0].peak == 1, "max of the queue is 4 cores: {report:?}");
}

#[test]
fn the_smallest_number_of_nodes_stays() {
    let (report, metrics) =
        simulated(&["m5: cpu=4, memory=16Gi, min=1, delay=90s"], vec![job("one", "root.a", 0, 1, 2)]);
    let one = &report.groups[0];
    assert_eq!((one.added, one.removed, one.peak, metrics.total.waits.max), (0, 0, 1, 0));
    assert_eq!(one.cost, None);
}

#[test]
fn a_group_is_read_or_refused_with_its_form() {
    let group: NodeGroup = "m5.4xlarge: cpu=16, memory=64Gi, min=1, max=40, delay=90s, price=0.8".parse().unwrap();
    assert_eq!((group.types[0].capacity.amount("vcore"), group.min, group.max), (16_000, 1, 40));
    assert_eq!(
        (group.delay, group.types[0].price, group.types[0].capacity.amount("pods")),
        (Duration::from_secs(90), Some(0.8), 110)
    );
    for (text, why) in [
        ("cpu=4", "has no name"),
        ("a: min=0", "no capacity"),
        ("a: cpu=4, min=3, max=2", "min 3 is above max 2"),
        ("a: cpu=4, delay=soon", "invalid delay"),
        ("a: cpu=x", "cpu: "),
        ("a: cpu", "is not KEY=VALUE"),
        ("a: cpu=1, price=-1", "invalid price"),
    ] {
        let reported = text.parse::<NodeGroup>().unwrap_err();
        assert!(reported.contains(why), "{text}: {reported}");
    }
}

#[test]
fn a_pool_requests_the_cheapest_type_for_all_that_it_packs_within_its_limits() {
    let pool = "pool: limit.cpu=12; small: cpu=2, memory=8Gi, price=1; large: cpu=8, memory=32Gi, price=2";
    let (report, metrics) = simulated(&[pool], vec![job("one", "root.a", 0, 8, 1)]);
    assert_eq!((report.groups[0].added, report.groups[0].cost), (1, Some(report.groups[0].node_hours * 2.0)));
    assert_eq!(metrics.total.waits.waiting, 0);
    // 8 cores, then 2 and 2: a second large node would be above the limit.
    let (report, _) = simulated(&[pool], vec![job("one", "root.a", 0, 16, 1)]);
    assert_eq!(report.groups[0].peak, 3, "{report:?}");
}

#[test]
fn a_request_is_counted_after_the_patience_of_the_group() {
    let (_, metrics) = simulated(&["m5: cpu=4, memory=16Gi, patience=1m"], vec![job("one", "root.a", 0, 1, 2)]);
    assert!((60_000..75_000).contains(&metrics.total.waits.max), "{:?}", metrics.total.waits);
}

#[test]
fn a_heavier_group_is_preferred_to_a_cheaper_one() {
    let groups = ["cheap: cpu=4, memory=16Gi, price=1", "heavy: cpu=4, memory=16Gi, price=9, weight=1"];
    let (report, _) = simulated(&groups, vec![job("one", "root.a", 0, 1, 4)]);
    let added: Vec<u32> = report.groups.iter().map(|group| group.added).collect();
    assert_eq!(added, [0, 1]);
}

#[test]
fn a_node_in_use_is_removed_only_where_its_group_consolidates() {
    let jobs = || {
        let mut short = job("short", "root.a", 0, 1, 3);
        short.tasks[0].runs = Some(Duration::from_mins(1));
        let mut long = job("long", "root.a", 0, 2, 1);
        long.tasks[0].runs = Some(Duration::from_mins(60));
        let mut other = job("other", "root.a", 20, 1, 3);
        other.tasks[0].runs = Some(Duration::from_mins(1));
        vec![short, long, other]
    };
    let nodes = |group: &str| simulated(&[group], jobs()).0.groups.remove(0);
    let stays = nodes("m5: cpu=4, memory=16Gi, unneeded=2m");
    let consolidated = nodes("m5: cpu=4, memory=16Gi, unneeded=2m, consolidate=true");
    assert_eq!((stays.peak, consolidated.peak), (2, 2), "{stays:?} {consolidated:?}");
    assert!(consolidated.node_hours < stays.node_hours * 0.7, "{consolidated:?} {stays:?}");
    let never = nodes("m5: cpu=4, memory=16Gi, unneeded=never, consolidate=true");
    assert_eq!(never.removed, 0);
}

#[test]
fn existing_nodes_of_a_type_are_of_its_group_and_keep_their_names() {
    let attributes = BTreeMap::from([("si/instance-type".to_owned(), "m5".to_owned())]);
    let node = NodeSpec { id: NodeId::from("m5-1"), capacity: amounts(4), attributes, ..NodeSpec::default() };
    let nodes = || std::iter::once((&node.id, &node.attributes));
    let groups: Vec<NodeGroup> = vec!["m5: cpu=4, memory=16Gi, min=2, max=2".parse().unwrap()];
    let scaler = Autoscaler::new(groups, nodes(), Time::ZERO, true);
    let names: Vec<String> = scaler.first_nodes().into_iter().map(|node| node.id.to_string()).collect();
    assert_eq!(names, ["m5-2"]);
    let report = scaler.report(Time::from_millis(3_600_000));
    assert_eq!((report.groups[0].peak, report.groups[0].node_hours), (2, 2.0));
}

fn gang(style: scheduler::GangStyle) -> Job {
    let mut job = job("gang", "root.a", 0, 4, 2);
    job.tasks[0].task_group = Some(Arc::from("workers"));
    let placeholder = |number: u32| scheduler::AskSpec {
        app: job.app.clone(),
        id: format!("tg-{number}").as_str().into(),
        count: 1,
        resource: amounts(2),
        placeholder: true,
        task_group: Some(Arc::from("workers")),
        ..scheduler::AskSpec::default()
    };
    let placeholders = (0..4).map(placeholder).collect();
    job.gang =
        Some(crate::simulate::Gang { style, timeout: Some(Duration::from_mins(5)), total: amounts(8), placeholders });
    job
}

#[test]
fn nodes_are_added_for_the_placeholders_of_a_gang_and_its_tasks_wait_since_they_arrived() {
    let group = "m5: cpu=4, memory=16Gi, max=10, delay=90s";
    let (report, metrics) = simulated(&[group], vec![gang(scheduler::GangStyle::Hard)]);
    assert_eq!((report.groups[0].added, report.groups[0].peak), (2, 2), "placeholders and tasks are not counted twice");
    assert_eq!((metrics.total.waits.count, metrics.total.waits.waiting), (4, 0));
    assert!(metrics.total.waits.p50 >= 90_000, "{:?}", metrics.total.waits);
}

#[test]
fn a_gang_without_capacity_continues_after_its_timeout_or_fails_by_its_style() {
    let group = "m5: cpu=4, memory=16Gi, max=1";
    let (_, soft) = simulated(&[group], vec![gang(scheduler::GangStyle::Soft)]);
    assert_eq!((soft.total.waits.count, soft.total.waits.waiting), (4, 0));
    assert!(soft.total.waits.max >= 300_000, "{:?}", soft.total.waits);
    let (_, hard) = simulated(&[group], vec![gang(scheduler::GangStyle::Hard)]);
    assert_eq!(hard.total.allocated, 0, "{:?}", hard.total);
    let (report, never) = simulated(&["m5: cpu=1, memory=16Gi"], vec![gang(scheduler::GangStyle::Soft)]);
    assert_eq!((never.total.waits.waiting, report.never.len()), (4, 1), "the tasks wait with their placeholders");
}

const HOUR: u64 = 3600;

#[test]
fn idle_nodes_are_removed_after_the_last_event() {
    let run = |seconds: Option<u64>| {
        let until = seconds.map(|seconds| Time::from_millis(seconds * 1000));
        let (report, _) =
            simulated_until(until, &["m5: cpu=4, memory=16Gi, delay=90s"], vec![job("one", "root.a", 5, 4, 2)]);
        (report.groups[0].removed, report.groups[0].node_hours)
    };
    let (removed, hours) = run(None);
    assert_eq!((removed, run(Some(24 * HOUR))), (2, (2, hours)), "it does not matter how long it is watched");
    assert!((2.0 * 1290.0 / 3600.0..0.73).contains(&hours), "{hours}");
    let (removed, hours) = run(Some(15 * 60));
    assert_eq!(removed, 0, "not yet");
    assert!((2.0 * 880.0 / 3600.0..=0.5).contains(&hours), "nothing counts after the end: {hours}");
}

#[test]
fn nodes_are_consolidated_after_the_last_event() {
    let mut forever = job("forever", "root.a", 0, 2, 1);
    forever.tasks[0].runs = None;
    let mut short = job("short", "root.a", 0, 1, 3);
    short.tasks[0].runs = Some(Duration::from_mins(1));
    let group = "m5: cpu=4, memory=16Gi, unneeded=10m, consolidate=true";
    let until = Some(Time::from_millis(24 * HOUR * 1000));
    let (report, _) = simulated_until(until, &[group], vec![short, forever]);
    assert_eq!((report.groups[0].peak, report.groups[0].removed), (2, 1), "{report:?}");
}

#[test]
fn nodes_are_added_only_for_what_limits_and_counts_admit() {
    let peak = |jobs: Vec<Job>| simulated(&["m5: cpu=4, memory=16Gi"], jobs).0.groups[0].peak;
    assert_eq!(peak(vec![job("u", "root.limited", 0, 6, 4)]), 2, "ann may have 8 cores");
    let two = |queues: [&str; 2]| vec![job("one", queues[0], 0, 6, 4), job("two", queues[1], 1, 6, 4)];
    assert_eq!(peak(two(["root.limited"; 2])), 2, "of both applications together");
    assert_eq!(peak(two(["root.parent.x", "root.parent.y"])), 2, "both queues share the maximum of their parent");
    let mut one = two(["root.one"; 2]);
    one.iter_mut().for_each(|job| job.tasks[0].count = 2);
    assert_eq!(peak(one), 2, "one application runs, the other one after it");
    let mut ops = two(["root.limited"; 2]);
    for job in &mut ops {
        job.who = Identity::new("joe", ["ops"]);
        job.tasks[0].count = 2;
    }
    assert_eq!(peak(ops), 2, "one application of the group");
}

#[test]
fn nodes_of_the_minimum_stay_when_work_arrives_and_take_it() {
    let group = "m5: cpu=16, memory=64Gi, min=1, delay=1m";
    let (report, metrics) = simulated(&[group], vec![job("etl", "root.a", 3600, 5, 4)]);
    let one = &report.groups[0];
    assert_eq!((one.added, one.peak), (1, 2), "{one:?}");
    assert_eq!((metrics.total.waits.p50, metrics.total.waits.max / 10_000), (0, 6), "four start at once");
    let gone =
        simulated(&["m5: cpu=16, memory=64Gi"], vec![job("a", "root.a", 0, 1, 4), job("b", "root.a", 1200, 1, 4)]);
    assert_eq!(gone.0.groups[0].added, 1, "a node that is idle for 10 minutes is not removed when it is needed");
}

#[test]
fn a_request_of_another_node_adds_none() {
    let mut daemon = job("daemon", "root.a", 0, 1, 1);
    daemon.tasks[0].required_node = Some(NodeId::from("n9"));
    assert_eq!(simulated(&["m5: cpu=16, memory=64Gi"], vec![daemon]).0.groups[0].added, 0);
}

#[test]
fn keys_that_no_request_names_are_refused_with_the_nearest() {
    let requested = BTreeSet::from(["gres".to_owned()]);
    let check = |text: &str| checked_names(&[text.parse().unwrap()], &requested);
    let fine = "a: cpu=1, vcore=1, memory=1Gi, ephemeral-storage=1, hugepages-2Mi=1, x.y/gpu=1, gres=1, limit.cpu=9";
    assert_eq!(check(fine), Ok(()));
    for (text, words) in [
        ("a: cpu=1, mx=3", "node group a: unknown key mx: no request names this resource; did you mean max? keys are"),
        ("a: cpu=1, limit.cpus=3", "unknown key limit.cpus: no request names this resource; did you mean limit.cpu?"),
        ("a: max=1; b: cpu=1, memroy=3", "did you mean memory?"),
        ("a: cpu=1, gpu=3", "unknown key gpu: no request names this resource; keys are"),
    ] {
        let why = check(text).unwrap_err();
        assert!(why.contains(words), "{text}: {why}");
    }
}

#[test]
fn a_group_that_can_have_no_node_names_what_forbids_it() {
    let barred = |text: &str| text.parse::<NodeGroup>().unwrap().barred();
    let of_limit = "node group a: limit.cpu=8 allows no node of a, which has cpu 16";
    assert_eq!(barred("a: cpu=16, limit.cpu=8"), [of_limit]);
    assert_eq!(barred("a: cpu=16, max=0"), ["node group a: max=0 allows no node"]);
    assert!(barred("a: cpu=8, limit.cpu=8").is_empty());
    for group in ["a: cpu=16, memory=64Gi, max=0", "a: cpu=16, memory=64Gi, limit.cpu=8"] {
        let (report, _) = simulated(&[group], vec![job("one", "root.a", 0, 1, 1)]);
        assert_eq!((report.groups[0].peak, report.never.len()), (0, 1), "{group}");
    }
}
