use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::simulate::node_groups::GroupReport;
use kubernetes::{Manifests, Recovered, Settings};

const NODE: &str = "
kind: Node
apiVersion: v1
metadata: {name: n1, labels: {node.kubernetes.io/instance-type: m5}}
status:
  allocatable: {cpu: '4', memory: 16Gi, pods: '110'}
  conditions: [{type: Ready, status: 'True'}]
";

fn pod(spec: &str) -> String {
    format!(
        "---
kind: Pod
apiVersion: v1
metadata: {{name: big, namespace: x, uid: big, labels: {{applicationId: big}}, creationTimestamp: '2026-01-01T00:00:00Z'}}
spec: {{schedulerName: yunikorn, {spec} containers: [{{name: c, image: i, resources: {{requests: {{cpu: '8', memory: 1Gi}}}}}}]}}
"
    )
}

fn scaled(manifests: &str, groups: &[&str]) -> (GroupReport, Pair) {
    let mut read = Manifests::default();
    read.read("a.yaml", manifests.as_bytes());
    let settings = Settings { copies: true, ..Settings::default() };
    let (cluster, report) = read.finish(&settings.scheduler_names);
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    let config = Arc::new(config::read(config::DEFAULT_CONFIG, settings.profile).config.unwrap());
    let Recovered { scheduler, now, .. } = Recovered::of(&cluster, &settings, config).unwrap();
    let fork = Fork::of(&scheduler, None, (now, Pace::initial(now)), None, usize::MAX).unwrap();
    let plan = Plan {
        steps: Vec::new(),
        span: Span::For(Duration::from_hours(1)),
        runtimes: vec![RuntimeRule::Else(Some(Duration::from_mins(10)))],
        seed: None,
        arrivals: Arrivals::default(),
        long_wait: LONG_WAIT,
        node_groups: groups.iter().map(|group| group.parse().unwrap()).collect(),
    };
    plan.check_names(&fork).unwrap();
    let bounds = Bounds { cycles: 100_000, trace_lines: 10 };
    let pair = run(&fork, &plan, bounds, &|| true).unwrap();
    (pair.node_groups.clone().unwrap()[1].groups[0].clone(), pair)
}

#[test]
fn pods_of_a_cluster_run_on_the_nodes_that_are_added_for_them() {
    let group = "big: cpu=16, memory=64Gi, delay=60s, price=1";
    for manifests in [format!("{NODE}{}", pod("")), pod("")] {
        let (group, pair) = scaled(&manifests, &[group]);
        let total = &pair.comparison.total[1];
        assert_eq!((total.started, total.waiting, group.added, group.removed), (1, 0, 1, 1), "{manifests}");
        // A minute until it is ready, 10 of work, and 10 without any.
        assert!((0.35..0.36).contains(&group.node_hours), "{group:?}");
    }
}

#[test]
fn a_node_that_the_conditions_of_a_pod_exclude_is_not_added() {
    let selects = |label: &str| format!("{NODE}{}", pod(&format!("nodeSelector: {{{label}}},")));
    let added = |manifests: &str, group: &str| scaled(manifests, &[group]).0.added;
    assert_eq!(added(&selects("gpu: 'yes'"), "big: cpu=16, memory=64Gi"), 0);
    assert_eq!(added(&selects("kubernetes.io/arch: arm64"), "m6g.4xlarge: cpu=16, memory=64Gi"), 1);
    assert_eq!(added(&selects("kubernetes.io/arch: arm64"), "m6a.4xlarge: cpu=16, memory=64Gi"), 0);
    // A group whose type is there has nodes like those.
    let labeled = selects("pool: a").replace("instance-type: m5", "instance-type: m5, pool: a");
    assert_eq!(added(&labeled, "g: max=5; m5: cpu=16, memory=64Gi"), 1);
}
