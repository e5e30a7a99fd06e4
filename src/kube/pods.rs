//! Ending pods: each by its name and its UID, so that another pod of the same name stays.

use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, DeleteParams, Preconditions};

use super::cluster::Cluster;
use super::{Asked, KubeFault};

/// How many deletions are under way at a time.
const AT_ONCE: usize = 10;

/// One pod, so that another one of the same name is not taken for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodRef {
    /// The namespace, by whose rights it is deleted.
    pub namespace: String,
    /// The name, which a later pod may have again.
    pub name: String,
    /// The UID, which no other pod ever has.
    pub uid: String,
}

/// What became of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodOutcome {
    /// Its deletion began; it ends within its grace period.
    Deleted,
    /// It was gone already, or another pod has its name.
    Gone,
    /// It was not deleted.
    Refused(KubeFault),
}

impl Cluster {
    /// Deletes pods, at most ten at a time, with the grace period of each. One that cannot be deleted stops no other.
    pub async fn delete(&self, pods: &[PodRef]) -> Vec<(PodRef, PodOutcome)> {
        let client = match self.client().await {
            Ok(client) => client,
            Err(fault) => return pods.iter().map(|pod| (pod.clone(), PodOutcome::Refused(fault.clone()))).collect(),
        };
        let who = self.user();
        let mut done = Vec::new();
        for part in pods.chunks(AT_ONCE) {
            let mut under_way = tokio::task::JoinSet::new();
            for pod in part {
                let (client, pod, who) = (client.clone(), pod.clone(), who.clone());
                under_way.spawn(async move {
                    let asked = Asked::core("delete", "pods", Some(&pod.namespace)).named(&pod.name);
                    let only = Preconditions { uid: Some(pod.uid.clone()), resource_version: None };
                    let params = DeleteParams { preconditions: Some(only), ..DeleteParams::default() };
                    let deleted = Api::<Pod>::namespaced(client, &pod.namespace).delete(&pod.name, &params).await;
                    let outcome = match deleted.map_err(|error| KubeFault::of(error, &asked, who.as_deref())) {
                        Ok(_) => PodOutcome::Deleted,
                        Err(fault) if fault.is_missing() || fault.is_conflict() => PodOutcome::Gone,
                        Err(fault) => PodOutcome::Refused(fault),
                    };
                    (pod, outcome)
                });
            }
            while let Some(one) = under_way.join_next().await {
                done.extend(one.ok());
            }
        }
        done.sort_by(|(one, _), (other, _)| one.cmp(other));
        done
    }
}
