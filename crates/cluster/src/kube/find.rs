//! Finds the scheduler in the cluster: its Service and its pod.

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service};
use kube::api::{Api, ListParams};
use kube::{Client, ResourceExt as _};

use super::cluster::Cluster;
use super::config_map::CONFIGS;
use super::{Asked, KubeFault, Via};
use crate::Answer;

/// The Service of the Helm chart.
pub const SERVICE: &str = "yunikorn-service";
/// Service port of the scheduler, not of the web server.
pub const PORT_NAME: &str = "yunikorn-core";
/// Port of the process.
pub const PORT: u16 = 9080;
/// Container of the scheduler.
pub const CONTAINER: &str = "yunikorn-scheduler-k8s";
/// Namespaces to search without permission for all.
const USUAL: [&str; 2] = ["yunikorn", "default"];

/// The Service of a scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The namespace of the scheduler.
    pub namespace: String,
    /// The name of its Service.
    pub service: String,
    /// Port name or number.
    pub port: String,
    selector: String,
}

impl Place {
    fn of(service: &Service, namespace: &str) -> Self {
        let spec = service.spec.clone().unwrap_or_default();
        let ports = spec.ports.unwrap_or_default();
        let named = ports.iter().any(|port| port.name.as_deref() == Some(PORT_NAME));
        let port = match ports.first() {
            Some(only) if !named => {
                ports.iter().find(|port| port.port == i32::from(PORT)).unwrap_or(only).port.to_string()
            }
            _ => PORT_NAME.to_owned(),
        };
        let labels = spec.selector.unwrap_or_default();
        let selector: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let selector = if selector.is_empty() { "app=yunikorn".to_owned() } else { selector.join(",") };
        Self { namespace: namespace.to_owned(), service: service.name_any(), port, selector }
    }

    /// Returns the chart's defaults.
    pub fn usual(namespace: &str, service: &str) -> Self {
        let (port, selector) = (PORT_NAME.to_owned(), "app=yunikorn".to_owned());
        Self { namespace: namespace.to_owned(), service: service.to_owned(), port, selector }
    }

    /// Returns the name for the service proxy and for RBAC rules.
    pub fn proxied(&self) -> String {
        format!("{}:{}", self.service, self.port)
    }
}

/// Searches the given namespace, else all, else the usual ones. The error for none or several lists the search.
pub fn service<'a>(
    client: &'a Client,
    namespace: Option<&'a str>,
    name: Option<&'a str>,
    own: &'a str,
) -> Answer<'a, Result<Place, KubeFault>> {
    Box::pin(async move {
        let service = name.unwrap_or(SERVICE);
        if let Some(namespace) = namespace {
            return match get(client, namespace, service).await {
                Ok(found) => Ok(Place::of(&found, namespace)),
                Err(fault) if fault.is_forbidden() => Ok(Place::usual(namespace, service)),
                Err(fault) if fault.is_missing() => Err(nowhere(service, &[namespace], None)),
                Err(fault) => Err(fault),
            };
        }
        let asked = Asked::core("list", "services", None);
        let fields = ListParams::default().fields(&format!("metadata.name={service}"));
        let forbidden = match Api::<Service>::all(client.clone()).list(&fields).await {
            Ok(list) => {
                let mut found: Vec<Place> = list
                    .items
                    .iter()
                    .filter(|one| one.name_any() == service)
                    .map(|one| Place::of(one, one.namespace().as_deref().unwrap_or_default()))
                    .collect();
                return match found.len() {
                    0 => Err(nowhere(service, &[], None)),
                    1 => Ok(found.remove(0)),
                    _ => Err(several(&found)),
                };
            }
            Err(error) => KubeFault::of(error, &asked, None),
        };
        if !forbidden.is_forbidden() {
            return Err(forbidden);
        }
        let mut tried: Vec<&str> = Vec::new();
        for namespace in [USUAL[0], own, USUAL[1]] {
            if tried.contains(&namespace) {
                continue;
            }
            tried.push(namespace);
            match get(client, namespace, service).await {
                Ok(found) => return Ok(Place::of(&found, namespace)),
                Err(fault) if fault.is_forbidden() || fault.is_missing() => {}
                Err(fault) => return Err(fault),
            }
        }
        Err(nowhere(service, &tried, Some(&forbidden)))
    })
}

/// Returns the given namespace, or that of the only ConfigMap; empty if unknown.
///
/// # Errors
/// The API server does not answer.
pub fn without_service<'a>(client: &'a Client, namespace: Option<&'a str>) -> Answer<'a, Result<Place, KubeFault>> {
    Box::pin(async move {
        if let Some(namespace) = namespace {
            return Ok(Place::usual(namespace, ""));
        }
        let asked = Asked::core("list", "configmaps", None);
        let fields = ListParams::default().fields(&format!("metadata.name={CONFIGS}"));
        let maps = match Api::<ConfigMap>::all(client.clone()).list(&fields).await {
            Ok(list) => list.items,
            Err(error) => match KubeFault::of(error, &asked, None) {
                fault if fault.is_forbidden() => Vec::new(),
                fault => return Err(fault),
            },
        };
        let only = if let [only] = maps.as_slice() { only.namespace() } else { None };
        Ok(Place::usual(&only.unwrap_or_default(), ""))
    })
}

async fn get(client: &Client, namespace: &str, name: &str) -> Result<Service, KubeFault> {
    let asked = Asked::core("get", "services", Some(namespace)).named(name);
    Api::namespaced(client.clone(), namespace).get(name).await.map_err(|error| KubeFault::of(error, &asked, None))
}

fn nowhere(service: &str, tried: &[&str], forbidden: Option<&KubeFault>) -> KubeFault {
    let where_ = if tried.is_empty() { "any namespace".to_owned() } else { format!("namespace {}", tried.join(", ")) };
    let hint = "use k8s://CONTEXT/NAMESPACE and --service NAME";
    let message = format!("Service {service} not found in {where_}; {hint}");
    let Some(forbidden) = forbidden else { return KubeFault::new(message) };
    KubeFault {
        rule: forbidden.rule.clone(),
        ..KubeFault::new(format!("{message}; searching all namespaces: {forbidden}"))
    }
}

fn several(found: &[Place]) -> KubeFault {
    let names: Vec<String> = found.iter().map(|place| format!("{}/{}", place.namespace, place.service)).collect();
    let hint = "use k8s://CONTEXT/NAMESPACE";
    KubeFault::new(format!("found {} schedulers: {}; {hint}", found.len(), names.join(", ")))
}

/// Finds the newest ready pod.
///
/// # Errors
/// None exists, or the search is not permitted.
pub fn pod<'a>(client: &'a Client, place: &'a Place) -> Answer<'a, Result<String, KubeFault>> {
    Box::pin(async move {
        let asked = Asked::core("list", "pods", Some(&place.namespace));
        let pods = Api::<Pod>::namespaced(client.clone(), &place.namespace);
        let list = pods.list(&ListParams::default().labels(&place.selector)).await;
        let list = list.map_err(|error| KubeFault::of(error, &asked, None))?;
        let mut candidates: Vec<&Pod> =
            list.items.iter().filter(|pod| is_scheduler(pod) || place.service != SERVICE).collect();
        candidates.retain(|pod| pod.metadata.deletion_timestamp.is_none() && is_running(pod));
        candidates.sort_by_key(|pod| (is_ready(pod), pod.metadata.creation_timestamp.clone()));
        let found = candidates.last().map(|pod| pod.name_any());
        found.ok_or_else(|| {
            let count = list.items.len();
            KubeFault::new(format!(
                "no pod of the scheduler runs in namespace {} ({count} with the labels {})",
                place.namespace, place.selector
            ))
        })
    })
}

impl Cluster {
    /// Searches them if the path has no pod.
    pub(super) async fn scheduler_pod(&self) -> Result<(String, String), KubeFault> {
        let namespace = self.namespace().await?;
        if let Some(known) = self.found().and_then(|found| found.pod.clone()) {
            return Ok((namespace, known));
        }
        let client = self.client().await?;
        let found = service(&client, Some(&namespace), self.wanted.service.as_deref(), &namespace).await;
        let place = match (found, &self.wanted.via) {
            (Err(_), Some(Via::Url(_))) => Place::usual(&namespace, SERVICE),
            (place, _) => place?,
        };
        Ok((namespace, pod(&client, &place).await?))
    }
}

/// The labels of a Service may also match the admission controller.
fn is_scheduler(pod: &Pod) -> bool {
    let component = pod.labels().get("component").is_some_and(|component| component == "yunikorn-scheduler");
    let mut containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    component || containers.any(|container| container.name == CONTAINER)
}

fn is_running(pod: &Pod) -> bool {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()) == Some("Running")
}

fn is_ready(pod: &Pod) -> bool {
    let mut conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}
