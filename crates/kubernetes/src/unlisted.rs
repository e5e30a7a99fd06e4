//! The effect of missing kinds on a simulation copy.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cluster::Cluster;
use super::context::NotListed;
use super::names::own;
use super::objects::{LabelSelector, Pod, PodTerm, Volume};
use model::AskId;

pub(super) const VOLUME_LISTS: [&str; 2] = ["PersistentVolume", "PersistentVolumeClaim"];
const STORAGE_LISTS: [&str; 3] = ["StorageClass", "CSINode", "VolumeAttachment"];

/// One line for each check that is skipped because kinds are missing. `pods` are those of requests.
pub(super) fn words(missing: &[NotListed], cluster: &Cluster, pods: &BTreeMap<AskId, Arc<Pod>>) -> Vec<String> {
    let of = |kinds: &[&str]| -> Vec<&NotListed> { missing.iter().filter(|one| kinds.contains(&one.kind)).collect() };
    let count = |concerns: &dyn Fn(&Pod) -> bool| pods.values().filter(|pod| concerns(pod)).count();
    let mut lines = Vec::new();
    let mut line = |kinds: &[&NotListed], words: &str| lines.push(format!("{}: {words}", cannot(kinds)));
    let (no_pods, no_nodes) = (of(&["Pod"]), of(&["Node"]));
    if !no_pods.is_empty() {
        let words = "node selectors, taints, affinity, and volumes are not evaluated; a request is assumed to preempt and to be preempted";
        line(&of(&["Pod", "Node"]), words);
        return lines;
    }
    let unsaid = count(&|pod| asks_its_class(pod));
    if unsaid > 0 && !of(&["PriorityClass"]).is_empty() {
        let verb = if unsaid == 1 { "is" } else { "are" };
        let words = format!("{} {verb} assumed to be preemptible", pods_in_words(unsaid));
        line(&of(&["PriorityClass"]), &words);
    }
    if !no_nodes.is_empty() {
        line(&no_nodes, "node selectors, taints, affinity, and volumes are not evaluated");
        return lines;
    }
    let claimed = count(&|pod| pod.spec.volumes.iter().any(Volume::is_claimed));
    if claimed > 0 {
        let all = [VOLUME_LISTS.as_slice(), &STORAGE_LISTS].concat();
        if !of(&VOLUME_LISTS).is_empty() {
            line(&of(&all), &format!("the volumes of {} are not evaluated", pods_in_words(claimed)));
        } else if !of(&STORAGE_LISTS).is_empty() {
            let words = "volume limits of nodes, and claims that are bound with their pod, are not evaluated";
            line(&of(&STORAGE_LISTS), &format!("{words}, for {}", pods_in_words(claimed)));
        }
    }
    let selecting = cluster.pods.values().filter(|pod| selects_namespaces(pod)).count();
    if selecting > 0 && !of(&["Namespace"]).is_empty() {
        let of_pods = pods_in_words(selecting);
        line(&of(&["Namespace"]), &format!("the namespace labels for the affinity of {of_pods} are unknown"));
    }
    lines
}

fn cannot(kinds: &[&NotListed]) -> String {
    let names: Vec<&str> = kinds.iter().map(|one| plural(one.kind)).collect();
    let names = match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    let why: Vec<&str> = kinds.iter().filter_map(|one| one.why.as_deref()).collect();
    match why.first() {
        None => format!("{names} may not be listed"),
        Some(why) => format!("{names} cannot be listed ({why})"),
    }
}

fn pods_in_words(count: usize) -> String {
    format!("{count} pod{}", if count == 1 { "" } else { "s" })
}

fn plural(kind: &'static str) -> &'static str {
    match kind {
        "Pod" => "pods",
        "Node" => "nodes",
        "Namespace" => "namespaces",
        "PriorityClass" => "priority classes",
        "PersistentVolume" => "persistent volumes",
        "PersistentVolumeClaim" => "persistent volume claims",
        "StorageClass" => "storage classes",
        "CSINode" => "CSI nodes",
        "VolumeAttachment" => "volume attachments",
        other => other,
    }
}

/// Only the priority class decides whether the pod may be preempted.
fn asks_its_class(pod: &Pod) -> bool {
    let is_annotated = matches!(pod.metadata.annotation(&own("allow-preemption")), "true" | "false");
    !is_annotated && !pod.spec.priority_class_name.is_empty()
}

fn selects_namespaces(pod: &Pod) -> bool {
    let affinity = &pod.spec.affinity;
    let mut terms = affinity.pod_affinity.required.iter().chain(&affinity.pod_anti_affinity.required);
    let selects = |term: &PodTerm| {
        let all = |selector: &LabelSelector| selector.match_labels.is_empty() && selector.match_expressions.is_empty();
        term.namespace_selector.as_ref().is_some_and(|selector| !all(selector))
    };
    terms.any(selects)
}
