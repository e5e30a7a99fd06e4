//! Objects as users write them, and their pods.

mod bad;
mod built_in;
mod defaults;
mod invalid;
mod kubeflow;
mod limit_ranges;
mod quotas;
mod ray;
mod spark;
mod workflows;

use crate::application;
use crate::pod_resources::{SidecarSum, pod_resources};
use crate::recovery::Settings;
use crate::{Cluster, ManifestReport, Manifests};

fn read(texts: &[&str]) -> (Cluster, ManifestReport) {
    let mut manifests = Manifests::default();
    for (number, text) in texts.iter().enumerate() {
        manifests.read(&format!("{number}.yaml"), text.as_bytes());
    }
    manifests.finish(&Settings::default().scheduler_names)
}

/// `namespace/name queue application milli-cores MiB priority scheduler`.
fn pods(text: &str) -> Vec<String> {
    let (cluster, report) = read(&[text]);
    assert_eq!(report.faults, Vec::<String>::new(), "{text}");
    lines(&cluster)
}

fn lines(cluster: &Cluster) -> Vec<String> {
    let line = |pod: &crate::objects::Pod| {
        let meta = &pod.metadata;
        let resource = pod_resources(pod, SidecarSum::Once).expect("quantities");
        let gpus = resource.amount("nvidia.com/gpu");
        let gpus = if gpus > 0 { format!(" gpu={gpus}") } else { String::new() };
        let queue = Some(application::queue(meta)).filter(|queue| !queue.is_empty()).unwrap_or("-");
        format!(
            "{} {queue} {} {}m {}Mi{gpus} {} {}",
            meta.path(),
            application::id(meta, false),
            resource.amount("vcore"),
            resource.amount("memory") >> 20,
            pod.spec.priority.unwrap_or(0),
            pod.spec.scheduler_name
        )
    };
    cluster.pods.values().map(|pod| line(pod)).collect()
}

fn notices(text: &str) -> String {
    let report = read(&[text]).1;
    [report.created, report.notices, report.rejected].concat().join("\n")
}

fn faults(text: &str) -> String {
    read(&[text]).1.faults.join("\n")
}

fn template(requests: &str) -> String {
    format!(
        "{{metadata: {{labels: {{applicationId: app, queue: root.a}}}}, \
         spec: {{schedulerName: yunikorn, containers: [{{name: c, resources: {{requests: {requests}}}}}]}}}}"
    )
}

/// Devices have a limit.
fn limited(limits: &str) -> String {
    template(limits).replace("requests: ", "limits: ")
}

const ONE: &str = "{cpu: 1, memory: 1Gi}";
