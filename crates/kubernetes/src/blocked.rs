//! Pods that a remote scheduler does not request yet: scheduling gates, unbound claims (K8S-178, K8S-232).

use std::collections::{BTreeMap, BTreeSet};

use super::application;
use super::cluster::Cluster;
use super::context::{AskSeen, created, storage};
use super::names::OWN_SCHEDULER;
use super::not_yet::not_yet;
use super::pod_resources::{SidecarSum, pod_resources};
use model::{AppId, AskId, Resource, Time};

/// A pod that is not requested yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedPod {
    /// Its UID, the ID of its future request.
    pub uid: AskId,
    /// Namespace and name.
    pub pod: String,
    /// What it requests of a node.
    pub resource: Resource,
    /// When it was made.
    pub created: Time,
    /// The blocking reason, as a sentence.
    pub why: String,
}

pub(super) fn pods(cluster: &Cluster, asks: &[AskSeen<'_>]) -> BTreeMap<AppId, Vec<BlockedPod>> {
    let asked: BTreeSet<&str> = asks.iter().map(|ask| ask.id.as_str()).collect();
    let storage = storage(cluster);
    let mut found: BTreeMap<AppId, Vec<BlockedPod>> = BTreeMap::new();
    let waiting = cluster.pods.values().filter(|pod| {
        pod.node().is_none()
            && pod.metadata.deletion_timestamp.is_none()
            && pod.spec.scheduler_name == OWN_SCHEDULER
            && !asked.contains(pod.metadata.uid.as_str())
    });
    for pod in waiting {
        let (Some(why), Ok(resource)) = (not_yet(pod, storage), pod_resources(pod, SidecarSum::default())) else {
            continue;
        };
        let app = AppId::from(application::id(&pod.metadata, false).as_str());
        let (uid, created) = (AskId::from(pod.metadata.uid.as_str()), created(pod));
        found.entry(app).or_default().push(BlockedPod { uid, pod: pod.metadata.path(), resource, created, why });
    }
    found
}
