//! Completes pods like the API server and YuniKorn's admission controller (K8S-119, K8S-120).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::cluster::Cluster;
use super::limit_range::LimitRanges;
use super::names::own;
use super::objects::{Amounts, Meta, Named, Pod, Unread, drop_nulls, read_as};
use super::quota::Quotas;
use super::validity::{self, API_SERVER};

const SYSTEM: [(&str, i32); 2] = [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];
const DEFAULT_SCHEDULER: &str = "default-scheduler";
const YUNIKORN: &str = "yunikorn";
const POLICIES: [&str; 5] = ["PriorityClass", "LimitRange", "RuntimeClass", "ServiceAccount", "ResourceQuota"];
const BYPASSED: &str = "kube-system";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Class {
    metadata: Meta,
    value: i32,
    global_default: bool,
    preemption_policy: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RuntimeClass {
    metadata: Meta,
    overhead: Overhead,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Overhead {
    pod_fixed: Amounts,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ServiceAccount {
    metadata: Meta,
    image_pull_secrets: Vec<Named>,
}

#[derive(Debug, Default)]
pub(crate) struct Admission {
    classes: BTreeMap<String, Class>,
    pub ranges: LimitRanges,
    runtimes: BTreeMap<String, Amounts>,
    accounts: BTreeMap<(String, String), Vec<Named>>,
    pub quotas: Quotas,
    unknown: BTreeMap<String, u64>,
    given: u64,
}

impl Admission {
    /// Returns false for an object of another kind.
    ///
    /// # Errors
    /// The field that has the wrong type.
    pub fn take(&mut self, value: &Value) -> Result<bool, Unread> {
        let kind = value["kind"].as_str().unwrap_or_default();
        if !POLICIES.contains(&kind) {
            return Ok(false);
        }
        let mut value = value.clone();
        drop_nulls(&mut value);
        match kind {
            "PriorityClass" => {
                let class: Class = read_as(&value)?;
                self.classes.insert(class.metadata.name.clone(), class);
            }
            "LimitRange" => self.ranges.take(&value)?,
            "RuntimeClass" => {
                let class: RuntimeClass = read_as(&value)?;
                self.runtimes.insert(class.metadata.name, class.overhead.pod_fixed);
            }
            "ServiceAccount" => {
                let ServiceAccount { metadata, image_pull_secrets } = read_as(&value)?;
                self.accounts.insert((metadata.namespace, metadata.name), image_pull_secrets);
            }
            _ => self.quotas.take(&value)?,
        }
        Ok(true)
    }

    /// A pod that `count` pods copy; `is_new`: not admitted yet. Returns who rejects it, and the reason.
    pub fn admit(
        &mut self,
        (pod, count): (&mut Pod, u64),
        is_new: bool,
        cluster: &Cluster,
        scheduler_names: &[String],
    ) -> Option<(String, String)> {
        self.priority(pod, count);
        if is_new {
            self.overhead(pod, count);
            self.ranges.complete(pod);
            self.secrets(pod);
            let is_unknown = pod.metadata.uid.is_empty();
            // Defaults of a range can make a pod invalid: its words come first.
            let rejected = self.ranges.reject(pod).or_else(|| {
                let why = Some(&*pod).filter(|_| is_unknown).and_then(validity::of_pod)?;
                Some((API_SERVER.to_owned(), why))
            });
            if rejected.is_some() {
                return rejected;
            }
        }
        if pod.spec.scheduler_name.is_empty() {
            let is_own = |name: &str| scheduler_names.iter().any(|known| known == name);
            let given = is_new && !is_own(DEFAULT_SCHEDULER) && is_own(YUNIKORN);
            let given = given && is_processed(cluster, &pod.metadata.namespace);
            pod.spec.scheduler_name = if given { YUNIKORN } else { DEFAULT_SCHEDULER }.to_owned();
            self.given += if given { count } else { 0 };
        }
        None
    }

    /// Without a class, the global default.
    fn priority(&mut self, pod: &mut Pod, count: u64) {
        let spec = &mut pod.spec;
        if spec.priority.is_some() {
            return;
        }
        let name = spec.priority_class_name.as_str();
        if let Some((_, value)) = SYSTEM.iter().find(|(system, _)| *system == name) {
            spec.priority = Some(*value);
            return;
        }
        let class = match name {
            // Of several defaults, the lowest applies.
            "" => self.classes.values().filter(|class| class.global_default).min_by_key(|class| class.value),
            name => self.classes.get(name),
        };
        match class {
            Some(class) => {
                spec.priority = Some(class.value);
                spec.priority_class_name.clone_from(&class.metadata.name);
                if spec.preemption_policy.is_empty() {
                    spec.preemption_policy.clone_from(&class.preemption_policy);
                }
            }
            None if name.is_empty() => {}
            None => {
                let note = format!("PriorityClass {name} is not in the manifests; priority 0 is used");
                *self.unknown.entry(note).or_default() += count;
            }
        }
    }

    fn overhead(&mut self, pod: &mut Pod, count: u64) {
        let spec = &mut pod.spec;
        if spec.runtime_class_name.is_empty() || !spec.overhead.is_empty() {
            return;
        }
        match self.runtimes.get(&spec.runtime_class_name) {
            Some(overhead) => spec.overhead.clone_from(overhead),
            None => {
                let name = &spec.runtime_class_name;
                let note = format!("RuntimeClass {name} is not in the manifests; no overhead is added");
                *self.unknown.entry(note).or_default() += count;
            }
        }
    }

    fn secrets(&self, pod: &mut Pod) {
        let account = Some(pod.spec.service_account_name.as_str()).filter(|name| !name.is_empty()).unwrap_or("default");
        let secrets = self.accounts.get(&(pod.metadata.namespace.clone(), account.to_owned()));
        if let Some(secrets) = secrets.filter(|_| pod.spec.image_pull_secrets.is_empty()) {
            pod.spec.image_pull_secrets.clone_from(secrets);
        }
    }

    /// Returns notices about unknown and added values.
    pub fn notices(&self) -> Vec<String> {
        let of_pods = |count: u64| format!("{count} pod{}", if count == 1 { "" } else { "s" });
        let unknown = self.unknown.iter().map(|(note, count)| format!("{note} for {}", of_pods(*count)));
        let given = (self.given > 0).then(|| {
            format!(
                "schedulerName yunikorn is set for {}, as YuniKorn's admission controller does",
                of_pods(self.given)
            )
        });
        unknown.chain(given).collect()
    }
}

/// Whether YuniKorn's admission controller changes the pods of a namespace (K8S-120).
fn is_processed(cluster: &Cluster, namespace: &str) -> bool {
    let object = cluster.namespaces.get(namespace);
    match object.and_then(|object| object.metadata.annotations.get(&own("namespace.enableYuniKorn"))) {
        Some(word) => word == "true",
        None => namespace != BYPASSED,
    }
}
