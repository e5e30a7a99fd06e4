//! Rejects pods like the API server if the ResourceQuota of their namespace is exhausted.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::objects::{Amounts, Container, Meta, Pod, Step, Unread, read_as};
use super::pod_resources::{SidecarSum, pod_resources, written};
use super::quantity::{self, of_core};
use super::quota_scope::{Scope, WrittenScopes};
use model::Resource;
use model::quantity::write_quantity;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Written {
    metadata: Meta,
    spec: WrittenSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WrittenSpec {
    hard: Amounts,
    #[serde(flatten)]
    scopes: WrittenScopes,
}

#[derive(Debug)]
struct Quota {
    name: String,
    scopes: Vec<Scope>,
    entries: Vec<Entry>,
    /// Number of counted objects by their resource, `jobs.batch`, with the maximum.
    objects: BTreeMap<String, (i64, i64)>,
}

#[derive(Debug)]
struct Entry {
    key: String,
    counts: Counts,
    most: i64,
    used: i64,
}

#[derive(Debug)]
enum Counts {
    Pods,
    /// Also completed pods.
    AllPods,
    Requests(String),
    Limits(String),
}

impl Counts {
    /// Returns `None` for storage and other objects.
    fn of(key: &str) -> Option<Self> {
        let (requests, limits) = (key.strip_prefix("requests."), key.strip_prefix("limits."));
        match (key, requests, limits) {
            ("pods", ..) => Some(Self::Pods),
            ("count/pods", ..) => Some(Self::AllPods),
            ("requests.storage", ..) => None,
            (_, Some(name), _) => Some(Self::Requests(name.to_owned())),
            (_, _, Some(name)) => Some(Self::Limits(name.to_owned())),
            ("cpu" | "memory" | "ephemeral-storage", ..) => Some(Self::Requests(key.to_owned())),
            _ if key.starts_with("hugepages-") => Some(Self::Requests(key.to_owned())),
            _ => None,
        }
    }

    fn resource(&self) -> &str {
        match self {
            Self::Pods | Self::AllPods => "pods",
            Self::Requests(name) | Self::Limits(name) => name,
        }
    }

    /// A quota of CPU or memory requires that each container sets it.
    fn is_missing_in(&self, container: &Container) -> bool {
        match self {
            Self::Requests(name) if is_compute(name) => !container.resources.requests.contains_key(name),
            Self::Limits(name) if is_compute(name) => !container.resources.limits.contains_key(name),
            _ => false,
        }
    }
}

fn is_compute(name: &str) -> bool {
    matches!(name, "cpu" | "memory")
}

struct Usage {
    requests: Resource,
    limits: Resource,
}

impl Usage {
    /// # Errors
    /// An invalid quantity, which is reported elsewhere.
    fn of(pod: &Pod) -> Result<Self, String> {
        let requests = pod_resources(pod, SidecarSum::Once)?;
        let mut limits = written(pod)?.limits;
        for (name, amount) in quantity::resource(&pod.spec.overhead)?.iter() {
            if let Some(limit) = limits.get(name) {
                limits.set(name, limit.saturating_add(amount));
            }
        }
        Ok(Self { requests, limits })
    }

    fn amount(&self, counts: &Counts) -> i64 {
        match counts {
            Counts::Pods | Counts::AllPods => 1,
            Counts::Requests(name) => self.requests.amount(of_core(name)),
            Counts::Limits(name) => self.limits.amount(of_core(name)),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Quotas {
    by_namespace: BTreeMap<String, Vec<Quota>>,
    skipped: Vec<String>,
}

impl Quotas {
    /// Fails with the invalid field.
    pub fn take(&mut self, value: &Value) -> Result<(), Unread> {
        let Written { metadata, spec } = read_as(value)?;
        let name = metadata.path();
        let scopes = match spec.scopes.read() {
            Ok(scopes) => scopes,
            Err(scope) => {
                let words = "which is not evaluated; the quota rejects no pods";
                self.skipped.push(format!("ResourceQuota {name} has {scope}, {words}"));
                return Ok(());
            }
        };
        let (mut entries, mut objects) = (Vec::new(), BTreeMap::new());
        for (key, amount) in &spec.hard {
            let unread = |why| {
                let path = ["spec", "hard", key].map(|key| Step::Key(key.to_owned())).into();
                Unread { path, ..Unread::whole(why) }
            };
            let counts = Counts::of(key);
            let resource = counts.as_ref().map_or("pods", Counts::resource);
            let most = quantity::value(resource, amount).map_err(unread)?;
            if let Some(counts) = counts {
                entries.push(Entry { key: key.clone(), counts, most, used: 0 });
            } else if let Some(object) = key.strip_prefix("count/") {
                objects.insert(object.to_owned(), (0, most));
            }
        }
        self.by_namespace.entry(metadata.namespace).or_default().push(Quota { name, scopes, entries, objects });
        Ok(())
    }

    /// Counts a pod. Returns the quota that rejects it if it is new, and the reason.
    pub fn count(&mut self, pod: &Pod, is_new: bool) -> Option<(String, String)> {
        let quotas = self.by_namespace.get_mut(&pod.metadata.namespace)?;
        let usage = Usage::of(pod).ok()?;
        let applies = |quota: &&mut Quota| quota.scopes.iter().all(|scope| scope.matches(pod));
        let mut quotas: Vec<&mut Quota> = quotas.iter_mut().filter(applies).collect();
        let rejects = |quota: &&mut Quota| Some((format!("ResourceQuota {}", quota.name), quota.rejects(pod, &usage)?));
        if is_new && let Some(rejected) = quotas.iter().find_map(rejects) {
            return Some(rejected);
        }
        let entries = quotas.iter_mut().flat_map(|quota| &mut quota.entries);
        for entry in entries.filter(|entry| !pod.is_terminated() || matches!(entry.counts, Counts::AllPods)) {
            entry.used = entry.used.saturating_add(usage.amount(&entry.counts));
        }
        None
    }

    /// Counts an object by its resource, `jobs.batch`. Returns the quota that rejects it if it is new, and the reason.
    pub fn count_object(&mut self, namespace: &str, resource: &str, is_new: bool) -> Option<(String, String)> {
        let quotas = self.by_namespace.get_mut(namespace)?;
        for quota in quotas.iter().filter(|_| is_new) {
            if let Some((used, most)) = quota.objects.get(resource).filter(|(used, most)| used >= most) {
                let why = format!("count/{resource} would be {}, and the quota allows {most}", used + 1);
                return Some((format!("ResourceQuota {}", quota.name), why));
            }
        }
        quotas.iter_mut().filter_map(|quota| quota.objects.get_mut(resource)).for_each(|(used, _)| *used += 1);
        None
    }

    /// Returns notices about unevaluated quotas.
    pub fn notices(&self) -> impl Iterator<Item = String> + '_ {
        self.skipped.iter().cloned()
    }
}

impl Quota {
    fn rejects(&self, pod: &Pod, usage: &Usage) -> Option<String> {
        let of_pod = &pod.spec.resources;
        let containers = pod.spec.init_containers.iter().chain(&pod.spec.containers);
        let has_own = !of_pod.requests.is_empty() || !of_pod.limits.is_empty();
        for entry in self.entries.iter().filter(|_| !has_own) {
            if let Some(container) = containers.clone().find(|container| entry.counts.is_missing_in(container)) {
                let (kind, resource) = match entry.counts {
                    Counts::Limits(_) => ("limit", entry.counts.resource()),
                    _ => ("request", entry.counts.resource()),
                };
                return Some(format!(
                    "container {} has no {resource} {kind}, which {} requires",
                    container.name, entry.key
                ));
            }
        }
        let exceeds = |entry: &&Entry| {
            let needs = usage.amount(&entry.counts);
            needs > 0 && entry.used.saturating_add(needs) > entry.most
        };
        let Entry { key, counts, most, used } = self.entries.iter().find(exceeds)?;
        let text = |amount: i64| write_quantity(of_core(counts.resource()), amount);
        let sum = used.saturating_add(usage.amount(counts));
        Some(format!("{key} would be {}, and the quota allows {}", text(sum), text(*most)))
    }
}
