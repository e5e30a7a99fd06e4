//! The cases KT-01 to KT-36 of the mapping and the predicates, by name.

mod gang_hints;
mod mapping;
mod nodes;
mod reading;
mod resources;
mod scheduling;
mod workloads;

use std::sync::Arc;

use super::dry_run::{Plan, plan};
use super::objects::Pod;
use super::{Cluster, ManifestReport, Recovery, Settings, read_manifests};
use model::Profile;

pub(super) const ONE_QUEUE: &str =
    "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]";

pub(super) fn cluster(text: &str) -> Cluster {
    let (mut cluster, mut report) = (Cluster::default(), ManifestReport::default());
    read_manifests("test.yaml", text.as_bytes(), &mut cluster, &mut report);
    assert_eq!(report.faults, Vec::<String>::new());
    cluster
}

/// A pod of a cluster, which is not checked like a new one.
pub(super) fn pod(text: &str) -> Pod {
    let text =
        if text.contains(", uid: ") { text.to_owned() } else { text.replacen("{name: p", "{uid: u, name: p", 1) };
    let cluster = cluster(&format!("kind: Pod\n{text}"));
    (**cluster.pods.values().next().expect("one pod")).clone()
}

pub(super) fn recovery(text: &str, profile: Profile) -> Recovery {
    Recovery::of(&cluster(text), &Settings { profile, ..Settings::default() })
}

pub(super) fn planned(text: &str, queues: &str) -> Plan {
    planned_by(text, queues, Profile::Kornsole)
}

pub(super) fn planned_by(text: &str, queues: &str, profile: Profile) -> Plan {
    let config = config::read(queues, profile);
    let config = Arc::new(config.config.unwrap_or_else(|| panic!("{:?}", config.faults)));
    plan(&cluster(text), &Settings { profile, ..Settings::default() }, config).expect("a plan")
}

/// Returns `pod on node` in the order of the decisions.
pub(super) fn bound(plan: &Plan) -> Vec<String> {
    plan.bound.iter().map(|bound| format!("{} on {}", bound.pod, bound.node)).collect()
}

/// A node for ten pods of one core; `more` goes into its `spec`.
pub(super) fn node(name: &str, labels: &str, more: &str) -> String {
    format!(
        "---\nkind: Node\nmetadata: {{name: {name}, labels: {{{labels}}}}}\nspec: {{{more}}}\n\
         status: {{allocatable: {{cpu: '10', memory: 10Gi, pods: '10'}}}}\n"
    )
}

/// A pod of one core in namespace ns and queue root.a, created in second `at`; `more` goes into its `spec`.
pub(super) fn small(name: &str, at: u32, more: &str) -> String {
    let more = if more.is_empty() { String::new() } else { format!(", {more}") };
    format!(
        "---\nkind: Pod\nmetadata: {{namespace: ns, name: {name}, uid: {name}, labels: {{queue: root.a, app: {name}}}, \
         creationTimestamp: '2026-11-01T10:{:02}:{:02}Z'}}\n\
         spec: {{schedulerName: yunikorn, containers: [{{name: c, resources: {{requests: {{cpu: '1'}}}}}}]{more}}}\n",
        at / 60,
        at % 60
    )
}
