//! Finds the owners of pods up to the top, and suspends an owner.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::config_map::MANAGER;
use super::objects::Meta;
use super::{Asked, KubeFault};
use crate::Answer;
use view::kubernetes::owners::MOST_ABOVE;
use view::kubernetes::{OwnerName, OwnerObject};

const TRIES: usize = 3;

const KINDS: [(&str, &str, &str); 18] = [
    ("Pod", "", "pods"),
    ("ReplicationController", "", "replicationcontrollers"),
    ("ReplicaSet", "apps", "replicasets"),
    ("Deployment", "apps", "deployments"),
    ("StatefulSet", "apps", "statefulsets"),
    ("DaemonSet", "apps", "daemonsets"),
    ("Job", "batch", "jobs"),
    ("CronJob", "batch", "cronjobs"),
    ("SparkApplication", "sparkoperator.k8s.io", "sparkapplications"),
    ("ScheduledSparkApplication", "sparkoperator.k8s.io", "scheduledsparkapplications"),
    ("RayCluster", "ray.io", "rayclusters"),
    ("RayJob", "ray.io", "rayjobs"),
    ("RayService", "ray.io", "rayservices"),
    ("JobSet", "jobset.x-k8s.io", "jobsets"),
    ("PyTorchJob", "kubeflow.org", "pytorchjobs"),
    ("MPIJob", "kubeflow.org", "mpijobs"),
    ("Workflow", "argoproj.io", "workflows"),
    ("FlinkDeployment", "flink.apache.org", "flinkdeployments"),
];

struct Place {
    path: String,
    group: &'static str,
    resource: &'static str,
}

impl Place {
    /// `None` for an unsupported kind.
    fn of(namespace: &str, owner: &OwnerName) -> Option<Self> {
        let (group, version) = owner.version.rsplit_once('/').unwrap_or(("", &owner.version));
        let (_, group, resource) = KINDS.into_iter().find(|(kind, of, _)| *kind == &*owner.kind && *of == group)?;
        let base = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        let name = encoded(&owner.name);
        Some(Self { path: format!("{base}/namespaces/{}/{resource}/{name}", encoded(namespace)), group, resource })
    }

    fn asked(&self, verb: &'static str, namespace: &str, name: &str) -> Asked {
        Asked { group: self.group, ..Asked::core(verb, self.resource, Some(namespace)) }.named(name)
    }
}

/// Object names need no encoding; other characters are rejected.
fn encoded(name: &str) -> String {
    form_urlencoded::byte_serialize(name.as_bytes()).collect()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Wire {
    metadata: Meta,
    spec: Spec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spec {
    suspend: Option<bool>,
}

impl Wire {
    fn object(&self, namespace: &str, name: &OwnerName) -> OwnerObject {
        OwnerObject {
            namespace: Arc::from(namespace),
            name: name.clone(),
            uid: Arc::from(self.metadata.uid.as_str()),
            suspended: name.suspends().then(|| self.spec.suspend.unwrap_or(false)),
        }
    }
}

impl Cluster {
    /// Returns owners, nearest first, and why the chain is incomplete.
    pub fn owners_from<'a>(
        &'a self,
        namespace: &'a str,
        nearest: &'a OwnerName,
    ) -> Answer<'a, (Vec<OwnerObject>, Option<String>)> {
        Box::pin(async move {
            let mut found = Vec::new();
            let mut next = nearest.clone();
            loop {
                let (object, above) = match self.owner(namespace, &next).await {
                    Ok(read) => read,
                    Err(why) => {
                        let (namespace, name) = (Arc::from(namespace), next);
                        found.push(OwnerObject { namespace, name, ..OwnerObject::default() });
                        return (found, Some(why));
                    }
                };
                found.push(object);
                match above {
                    None => return (found, None),
                    Some(_) if found.len() >= MOST_ABOVE => return (found, Some("it has more owners".to_owned())),
                    Some(above) => next = above,
                }
            }
        })
    }

    async fn owner(&self, namespace: &str, name: &OwnerName) -> Result<(OwnerObject, Option<OwnerName>), String> {
        let place = Place::of(namespace, name)
            .ok_or_else(|| format!("kornsole cannot read objects of the kind {}", name.kind))?;
        let wire = self.owner_wire(namespace, name, &place).await.map_err(|fault| match fault.status {
            Some(403) => format!("RBAC of the API server: needs get on {} in {namespace}", place.resource),
            Some(404) => "it no longer exists".to_owned(),
            _ => fault.to_string(),
        })?;
        Ok((wire.object(namespace, name), wire.metadata.controller()))
    }

    async fn owner_wire(&self, namespace: &str, name: &OwnerName, place: &Place) -> Result<Wire, KubeFault> {
        let request = http::Request::get(&place.path).body(Vec::new());
        let request = request.map_err(|error| KubeFault::new(error.to_string()))?;
        let got = self.client().await?.request(request).await;
        let asked = place.asked("get", namespace, &name.name);
        got.map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))
    }

    /// Sets `spec.suspend` at the version that was just read.
    ///
    /// # Errors
    /// It does not exist, was replaced, may not be changed, or the API server does not store the field.
    pub fn suspend<'a>(&'a self, owner: &'a OwnerObject, suspended: bool) -> Answer<'a, Result<(), KubeFault>> {
        Box::pin(async move {
            let (namespace, name) = (&*owner.namespace, &owner.name);
            let place = Place::of(namespace, name).filter(|_| name.suspends());
            let place = place.ok_or_else(|| KubeFault::new(format!("a {} cannot be suspended", name.kind)))?;
            let mut left = TRIES;
            loop {
                let now = self.owner_wire(namespace, name, &place).await?;
                if !owner.uid.is_empty() && *now.metadata.uid != *owner.uid {
                    return Err(KubeFault::new(format!("another {} now has that name", name.kind)));
                }
                match self.set_suspend(owner, &place, &now.metadata.resource_version, suspended).await {
                    Ok(after) if after.spec.suspend.unwrap_or(false) == suspended => return Ok(()),
                    Ok(_) => {
                        let message = format!(
                            "this API server does not support spec.suspend of a {}; Kubernetes supports it for a Job since 1.21",
                            name.kind
                        );
                        return Err(KubeFault::new(message));
                    }
                    // Its status changes while its pods end.
                    Err(fault) if fault.is_conflict() && left > 1 => left -= 1,
                    Err(fault) => return Err(fault),
                }
            }
        })
    }

    async fn set_suspend(
        &self,
        owner: &OwnerObject,
        place: &Place,
        version: &str,
        suspended: bool,
    ) -> Result<Wire, KubeFault> {
        let body: Value = json!({"metadata": {"resourceVersion": version}, "spec": {"suspend": suspended}});
        let request = http::Request::patch(format!("{}?fieldManager={MANAGER}", place.path))
            .header("content-type", "application/merge-patch+json")
            .body(body.to_string().into_bytes())
            .map_err(|error| KubeFault::new(error.to_string()))?;
        let done = self.client().await?.request(request).await;
        let asked = place.asked("patch", &owner.namespace, &owner.name.name);
        done.map_err(|error| KubeFault::of(error, &asked, self.user().as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_found_by_its_group_and_version() {
        let path = |kind: &str, version: &str| {
            let owner = OwnerName { kind: Arc::from(kind), version: Arc::from(version), name: Arc::from("x") };
            Place::of("ns", &owner).map(|place| place.path)
        };
        assert_eq!(path("Job", "batch/v1").as_deref(), Some("/apis/batch/v1/namespaces/ns/jobs/x"));
        assert_eq!(path("Pod", "v1").as_deref(), Some("/api/v1/namespaces/ns/pods/x"));
        assert_eq!(path("Job", "kueue.x/v1"), None, "a kind of the same name is another one");
        assert_eq!(path("Thing", "a/v1"), None);
    }
}
