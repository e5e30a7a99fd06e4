//! The pods of an application, and their deletion by UID.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, DeleteParams, Preconditions};
use serde::Deserialize;

use super::cluster::Cluster;
use super::objects::{Followed, Texts};
use super::{Asked, KubeFault};
use crate::Answer;
use view::kubernetes::PodRow;

/// The labels with an application ID (K8S-111).
const LABELS: [&str; 3] = ["yunikorn.apache.org/app-id", "applicationId", "spark-app-selector"];
const PAGE: usize = 500;

const AT_ONCE: usize = 10;

/// The identity of a pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodRef {
    /// Namespace, for its rights.
    pub namespace: String,
    /// Name, which can be reused.
    pub name: String,
    /// The UID, which no other pod ever has.
    pub uid: String,
}

/// The result for a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodOutcome {
    /// It ends within its grace period.
    Deleted,
    /// It did not exist any more.
    Gone,
    /// Another pod has its name, and stays.
    Replaced,
    /// It was not deleted.
    Refused(KubeFault),
}

/// Progress of a deletion.
#[derive(Debug, Default)]
pub struct Deletions {
    all: AtomicUsize,
    done: AtomicUsize,
}

impl Deletions {
    fn start(&self, all: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
    }

    fn count(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts answered pods, and all pods of the newest deletion.
    pub fn so_far(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.all.load(Ordering::Relaxed))
    }
}

impl Cluster {
    /// Returns the progress of the newest deletion.
    pub fn deletions(&self) -> &Deletions {
        &self.deletions
    }

    /// Deletes at most ten at a time; failures do not stop others.
    pub fn delete<'a>(&'a self, pods: &'a [PodRef]) -> Answer<'a, Vec<(PodRef, PodOutcome)>> {
        Box::pin(async move {
            let client = match self.client().await {
                Ok(client) => client,
                Err(fault) => {
                    return pods.iter().map(|pod| (pod.clone(), PodOutcome::Refused(fault.clone()))).collect();
                }
            };
            let who = self.user();
            let mut done = Vec::new();
            self.deletions.start(pods.len());
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
                            Err(fault) if fault.is_missing() => PodOutcome::Gone,
                            Err(fault) if fault.is_conflict() => PodOutcome::Replaced,
                            Err(fault) => PodOutcome::Refused(fault),
                        };
                        (pod, outcome)
                    });
                }
                while let Some(one) = under_way.join_next().await {
                    done.extend(one.ok());
                    self.deletions.count();
                }
            }
            done.sort_by(|(one, _), (other, _)| one.cmp(other));
            done
        })
    }

    /// Lists pods by UID: in all namespaces, or without that permission in the given ones.
    ///
    /// # Errors
    /// They may not be listed there either.
    pub fn pods_of<'a>(
        &'a self,
        app: &'a str,
        namespaces: &'a BTreeSet<String>,
    ) -> Answer<'a, Result<Vec<Arc<PodRow>>, KubeFault>> {
        Box::pin(async move {
            if !is_label(app) {
                return Ok(Vec::new());
            }
            let mut found = BTreeMap::new();
            match self.collect_pods(app, None, &mut found).await {
                Err(fault) if fault.is_forbidden() && !namespaces.is_empty() => {
                    for namespace in namespaces {
                        self.collect_pods(app, Some(namespace), &mut found).await?;
                    }
                }
                done => done?,
            }
            Ok(found.into_values().collect())
        })
    }

    /// An API server reads all pods for each label, so all labels are requested at the same time.
    async fn collect_pods(
        &self,
        app: &str,
        namespace: Option<&str>,
        found: &mut BTreeMap<Arc<str>, Arc<PodRow>>,
    ) -> Result<(), KubeFault> {
        let [one, two, three] = LABELS.map(|label| self.labeled(label, app, namespace));
        let (one, two, three) = tokio::try_join!(one, two, three)?;
        // Pods for another scheduler belong to no application here, except if it knows their UIDs.
        let of_app = |pod: &PodRow| pod.app.as_deref().is_none_or(|of| of == app);
        let pods = one.into_iter().chain(two).chain(three).filter(of_app);
        found.extend(pods.map(|pod| (Arc::clone(&pod.uid), Arc::new(pod))));
        Ok(())
    }

    async fn labeled(&self, label: &str, app: &str, namespace: Option<&str>) -> Result<Vec<PodRow>, KubeFault> {
        let asked = Asked::core("list", "pods", namespace);
        let path = namespace.map_or_else(|| "/api/v1/pods".to_owned(), |one| format!("/api/v1/namespaces/{one}/pods"));
        let client = self.client().await?;
        let mut texts = Texts::default();
        let (mut pods, mut rest) = (Vec::new(), String::new());
        loop {
            let query = query(label, app, &rest);
            let request = http::Request::get(format!("{path}?{query}")).body(Vec::new());
            let request = request.map_err(|error| KubeFault::new(error.to_string()))?;
            let got = client.request::<PodList>(request).await;
            let list = got.map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))?;
            pods.extend(list.items.unwrap_or_default().into_iter().map(|wire| PodRow::read(wire, &mut texts)));
            rest = list.metadata.rest;
            if rest.is_empty() {
                return Ok(pods);
            }
        }
    }
}

fn query(label: &str, app: &str, rest: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("labelSelector", &format!("{label}={app}")).append_pair("limit", &PAGE.to_string());
    if !rest.is_empty() {
        query.append_pair("continue", rest);
    }
    query.finish()
}

/// Other IDs come from annotations or were generated.
fn is_label(text: &str) -> bool {
    text.len() <= 63 && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PodList {
    metadata: ListMeta,
    // An empty list may be `null`.
    items: Option<Vec<<PodRow as Followed>::Wire>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListMeta {
    #[serde(rename = "continue")]
    rest: String,
}
