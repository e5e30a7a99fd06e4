use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Amounts, LabelSelector, Meta, NodeSelector};
use crate::gang::PLACEHOLDER;
use crate::names::is_own;
use model::Shared;

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "WrittenPod")]
pub(crate) struct Pod {
    pub metadata: Meta,
    pub spec: Shared<PodSpec>,
    pub node: String,
    pub status: PodStatus,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WrittenPod {
    metadata: Meta,
    spec: PodSpec,
    status: PodStatus,
}

impl From<WrittenPod> for Pod {
    fn from(written: WrittenPod) -> Self {
        let WrittenPod { mut metadata, mut spec, status } = written;
        // Other annotations differ in each pod: addresses, times.
        metadata.annotations.retain(|key, _| is_own(key) || key == PLACEHOLDER);
        let node = std::mem::take(&mut spec.node_name);
        Self { metadata, spec: spec.into(), node, status }
    }
}

impl Pod {
    /// Its resources are free (K8S-137).
    pub fn is_terminated(&self) -> bool {
        matches!(self.status.phase.as_str(), "Failed" | "Succeeded")
    }

    /// Returns its node.
    pub fn node(&self) -> Option<&str> {
        Some(self.node.as_str()).filter(|node| !node.is_empty())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodSpec {
    /// Only while it is read: [`Pod::node`].
    node_name: String,
    pub scheduler_name: String,
    pub priority: Option<i32>,
    pub priority_class_name: String,
    pub preemption_policy: String,
    pub containers: Vec<Container>,
    pub init_containers: Vec<Container>,
    pub resources: PodResources,
    pub runtime_class_name: String,
    pub overhead: Amounts,
    pub node_selector: BTreeMap<String, String>,
    pub affinity: Affinity,
    pub tolerations: Vec<Toleration>,
    pub topology_spread_constraints: Vec<SpreadConstraint>,
    pub volumes: Vec<Volume>,
    pub scheduling_gates: Vec<Named>,
    pub resource_claims: Vec<Named>,
    pub image_pull_secrets: Vec<Named>,
    pub service_account_name: String,
    pub active_deadline_seconds: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub(crate) struct Named {
    pub name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Container {
    pub name: String,
    pub restart_policy: String,
    pub resources: Resources,
    pub ports: Vec<ContainerPort>,
}

impl Container {
    /// Returns true for an init container that keeps running.
    pub fn is_sidecar(&self) -> bool {
        self.restart_policy == "Always"
    }
}

/// Requests and limits of a container. A resource with only a limit is requested up to the limit, like the API server.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "PodResources")]
pub(crate) struct Resources {
    pub requests: Amounts,
    pub limits: Amounts,
}

impl From<PodResources> for Resources {
    fn from(written: PodResources) -> Self {
        let PodResources { mut requests, limits } = written;
        for (name, limit) in &limits {
            requests.entry(name.clone()).or_insert_with(|| limit.clone());
        }
        Self { requests, limits }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub(crate) struct PodResources {
    pub requests: Amounts,
    pub limits: Amounts,
}

/// `host_port` 0 uses no port of the node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ContainerPort {
    pub host_port: i32,
    #[serde(rename = "hostIP")]
    pub host_ip: String,
    pub protocol: String,
}

/// Preferred ones are skipped (K8S-160).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Affinity {
    pub node_affinity: NodeAffinity,
    pub pod_affinity: PodAffinity,
    pub pod_anti_affinity: PodAffinity,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub required: Option<NodeSelector>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub required: Vec<PodTerm>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodTerm {
    pub label_selector: Option<LabelSelector>,
    pub namespaces: Vec<String>,
    pub namespace_selector: Option<LabelSelector>,
    pub topology_key: String,
    pub match_label_keys: Vec<String>,
    pub mismatch_label_keys: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct SpreadConstraint {
    pub max_skew: i64,
    pub topology_key: String,
    pub when_unsatisfiable: String,
    pub label_selector: Option<LabelSelector>,
    pub match_label_keys: Vec<String>,
    pub min_domains: Option<i64>,
    pub node_affinity_policy: String,
    pub node_taints_policy: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub(crate) struct Toleration {
    pub key: String,
    pub operator: String,
    pub value: String,
    pub effect: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "BTreeMap<String, Value>")]
pub(crate) struct Volume {
    /// Of an `ephemeral` one: its claim is named after it.
    pub name: String,
    pub kind: String,
    pub claim: String,
}

impl Volume {
    /// Returns true if it uses a claim.
    pub fn is_claimed(&self) -> bool {
        matches!(self.kind.as_str(), "persistentVolumeClaim" | "ephemeral")
    }
}

impl From<BTreeMap<String, Value>> for Volume {
    fn from(fields: BTreeMap<String, Value>) -> Self {
        // The names of others differ in each pod.
        let name = fields.get("name").filter(|_| fields.contains_key("ephemeral"));
        let name = name.and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = fields.keys().find(|key| *key != "name").cloned().unwrap_or_default();
        let claim = fields.get("persistentVolumeClaim").and_then(|claim| claim["claimName"].as_str());
        Self { name, kind, claim: claim.unwrap_or_default().to_owned() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodStatus {
    pub phase: String,
    pub resize: String,
    pub conditions: Vec<Condition>,
    pub container_statuses: Vec<ContainerStatus>,
    pub init_container_statuses: Vec<ContainerStatus>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Condition {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: String,
    pub reason: String,
    pub last_transition_time: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ContainerStatus {
    pub name: String,
    pub allocated_resources: Amounts,
    pub resources: Option<Resources>,
}
