//! Rejects pods like the API server if the ResourceQuota of their namespace is exhausted.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::objects::{Amounts, Meta, Pod, Unread, read_as};
use super::pod_resources::{SidecarSum, pod_resources};
use super::quantity;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Written {
    metadata: Meta,
    spec: WrittenSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WrittenSpec {
    hard: Amounts,
    scopes: Vec<String>,
    scope_selector: Option<Value>,
}

#[derive(Debug)]
struct Quota {
    name: String,
    hard: BTreeMap<String, i64>,
    used: BTreeMap<String, i64>,
}

/// The quotas of all namespaces.
#[derive(Debug, Default)]
pub(crate) struct Quotas {
    by_namespace: BTreeMap<String, Vec<Quota>>,
    /// Rejected pods by quota, with the first one and the reason.
    rejected: BTreeMap<String, (u64, String)>,
    skipped: Vec<String>,
}

impl Quotas {
    /// Adds a quota.
    ///
    /// # Errors
    /// The field that has the wrong type, or is not a quantity.
    pub fn take(&mut self, value: &Value) -> Result<(), Unread> {
        let Written { metadata, spec } = read_as(value)?;
        let name = metadata.path();
        if !spec.scopes.is_empty() || spec.scope_selector.is_some() {
            self.skipped.push(format!("ResourceQuota {name} has scopes, which are not evaluated; it rejects no pods"));
            return Ok(());
        }
        let mut hard = BTreeMap::new();
        for (key, amount) in &spec.hard {
            let Some(resource) = resource_of(key) else { continue };
            let read = if resource == "vcore" { quantity::thousandths(&amount.0) } else { quantity::whole(&amount.0) };
            let most = read.map_err(|why| Unread::whole(format!("spec.hard.{key}: {why}")))?;
            let least = hard.entry(resource.to_owned()).or_insert(most);
            *least = most.min(*least);
        }
        let quota = Quota { name, hard, used: BTreeMap::new() };
        self.by_namespace.entry(metadata.namespace).or_default().push(quota);
        Ok(())
    }

    /// Returns false if the pod is new and a quota rejects it.
    pub fn count(&mut self, pod: &Pod, is_new: bool) -> bool {
        let Some(quotas) = self.by_namespace.get_mut(&pod.metadata.namespace) else { return true };
        let Ok(needs) = pod_resources(pod, SidecarSum::Once) else { return true };
        if pod.is_terminated() {
            return true;
        }
        for quota in quotas.iter().filter(|_| is_new) {
            for (resource, most) in &quota.hard {
                let used = quota.used.get(resource).copied().unwrap_or(0);
                let need = needs.get(resource);
                let fits = need.is_some_and(|need| used.saturating_add(need) <= *most);
                let named = matches!(resource.as_str(), "vcore" | "memory");
                if fits || (need.is_none() && !named) {
                    continue;
                }
                let why = match need {
                    Some(_) => format!("{resource} of the quota is used up"),
                    None => format!("the pod requests no {resource}"),
                };
                let entry =
                    self.rejected.entry(quota.name.clone()).or_insert((0, format!("{}: {why}", pod.metadata.path())));
                entry.0 += 1;
                return false;
            }
        }
        for quota in quotas {
            for resource in quota.hard.keys() {
                let used = quota.used.entry(resource.clone()).or_default();
                *used = used.saturating_add(needs.amount(resource));
            }
        }
        true
    }

    /// Returns notices about rejections and unevaluated quotas.
    pub fn notices(&self) -> Vec<String> {
        let rejected = self.rejected.iter().map(|(quota, (count, first))| {
            format!(
                "ResourceQuota {quota} rejects {count} pod{}, for example {first}",
                if *count == 1 { "" } else { "s" }
            )
        });
        self.skipped.iter().cloned().chain(rejected).collect()
    }
}

/// `None` for limits, storage, and counts of other objects.
fn resource_of(key: &str) -> Option<&str> {
    match key {
        "pods" | "count/pods" => Some("pods"),
        "cpu" | "requests.cpu" => Some("vcore"),
        "memory" | "requests.memory" => Some("memory"),
        "requests.storage" => None,
        other => other.strip_prefix("requests."),
    }
}
