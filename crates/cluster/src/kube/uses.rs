//! The rights that kornsole uses, and whether the user has them.

use super::cluster::Cluster;
use super::config_map::CONFIGS;
use super::find::{PORT_NAME, SERVICE};
use super::{Asked, KubeFault};
use crate::Answer;

/// A right that kornsole uses.
#[derive(Clone, Debug)]
pub struct UsedRight {
    /// Verb, resource, and namespace.
    pub asked: Asked,
    /// What kornsole does with it.
    pub used_for: &'static str,
    /// With the reason of the API server; or the error.
    pub answer: Result<(bool, String), KubeFault>,
}

fn used(namespace: Option<&str>) -> Vec<(Asked, &'static str)> {
    let of = |group, verb, resource| Asked { group, ..Asked::core(verb, resource, None) };
    let mut rights = Vec::new();
    if let Some(namespace) = namespace {
        let here = |verb, resource| Asked::core(verb, resource, Some(namespace));
        let proxied = format!("{SERVICE}:{PORT_NAME}");
        rights = vec![
            (here("create", "pods/portforward"), "connect by port-forward"),
            (here("get", "services/proxy").named(&proxied), "connect by the service proxy"),
            (here("get", "configmaps").named(CONFIGS), "read the configuration"),
            (Cluster::writing(namespace), "apply a configuration"),
            (here("create", "events"), "record operations as events"),
        ];
    }
    rights.extend([
        (Asked::core("list", "pods", None), "show pods"),
        (Cluster::killing(None), "kill applications"),
        (Asked::core("get", "pods/log", None), "show logs"),
        (of("events.k8s.io", "list", "events"), "show the events of a pod"),
        (Asked::core("list", "nodes", None), "show nodes"),
        (Cluster::cordoning(), "drain and resume nodes"),
        (Asked::core("list", "namespaces", None), "show namespaces"),
        (of("scheduling.k8s.io", "list", "priorityclasses"), "explain preemption"),
        (Asked::core("list", "persistentvolumeclaims", None), "explain volumes"),
        (of("batch", "patch", "jobs"), "suspend jobs"),
    ]);
    rights
}

impl Cluster {
    /// Reviews the rights that kornsole uses.
    pub fn used_rights(&self) -> Answer<'_, Vec<UsedRight>> {
        Box::pin(async move {
            let namespace = self.namespace().await.ok();
            let mut rights = Vec::new();
            for (asked, used_for) in used(namespace.as_deref()) {
                let answer = self.review(&asked).await;
                rights.push(UsedRight { asked, used_for, answer });
            }
            rights
        })
    }
}
