//! 10,000 manifests in 50 MB, and 100,000 scheduled pods. Under `cargo test` a small number of both.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a bench is a program for its own people")]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use kubernetes::dry_run::plan;
use kubernetes::{Cluster, Manifests, Settings};
use model::Profile;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const QUEUES: &str = "partitions:\n- name: default\n  placementrules:\n  - name: tag\n    value: namespace\n    create: true\n  queues:\n  - \
                      name: root\n    submitacl: '*'\n";

/// A Job of about 5 KB, mostly environment, like from templates.
fn job(number: usize, pods: usize, variables: usize) -> String {
    let mut text = format!(
        "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: job-{number}\n  namespace: team-{}\n  labels: {{applicationId: app-{number}}}\n\
         spec:\n  parallelism: {pods}\n  completions: {pods}\n  template:\n    spec:\n      schedulerName: yunikorn\n      restartPolicy: Never\n      \
         containers:\n      - name: main\n        image: registry.example.com/team/image:1.2.3\n        resources:\n          requests: {{cpu: \
         500m, memory: 1Gi}}\n        env:\n",
        number % 50
    );
    for variable in 0..variables {
        let _written =
            writeln!(text, "        - {{name: VARIABLE_{variable}, value: 'some value of variable {variable}'}}");
    }
    text
}

fn node(number: usize) -> String {
    format!(
        "---\napiVersion: v1\nkind: Node\nmetadata: {{name: node-{number}}}\nstatus:\n  allocatable: {{cpu: '64', memory: 256Gi, pods: '250'}}\n  \
         conditions: [{{type: Ready, status: 'True'}}]\n"
    )
}

fn cluster(text: &str) -> Cluster {
    let mut manifests = Manifests::default();
    manifests.read("manifests.yaml", text.as_bytes());
    let (cluster, report) = manifests.finish(&Settings::default().scheduler_names);
    assert!(report.faults.is_empty(), "{:?}", report.faults.first());
    cluster
}

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (manifests, pods) = if full { (10_000, 100_000) } else { (20, 200) };
    let text: String = (0..manifests).map(|number| job(number, 1, 75)).collect();
    let began = Instant::now();
    let read = cluster(&text);
    println!("{manifests} manifests, {:.1} MB: read in {:.2?}", text.len() as f64 / 1e6, began.elapsed());
    assert_eq!(read.counts().0, manifests);

    let each = pods.min(1000);
    let jobs: String = (0..pods / each).map(|number| job(number, each, 1)).collect();
    let nodes: String = (0..pods / 100).map(node).collect();
    let config = Arc::new(config::read(QUEUES, Profile::NEWEST).config.expect("the configuration is valid"));
    let settings = Settings { profile: Profile::NEWEST, ..Settings::default() };
    let began = Instant::now();
    let plan = plan(&cluster(&format!("{jobs}{nodes}")), &settings, config).expect("the pods are scheduled");
    println!("{pods} pods on {} nodes: {} bound in {:.2?}", plan.nodes, plan.bound.len(), began.elapsed());
    assert_eq!(plan.bound.len(), pods);
}
