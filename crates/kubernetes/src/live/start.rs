//! The start: loads everything before any decision (K8S-201).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Live, Sink};
use crate::cluster::Cluster;
use crate::moment::moment;
use crate::objects::Pod;
use crate::pod_resources::SidecarSum;
use crate::recovery::Settings;
use model::Time;

impl Live {
    /// Loads unschedulable nodes; pods by age, running ones as allocations; filters; then schedulable nodes. `now` is
    /// since 1970.
    pub fn start(cluster: Cluster, settings: Settings, now: Time, sink: &mut dyn Sink) -> Self {
        let sidecars = SidecarSum::of(settings.profile);
        let mut live = Self {
            settings,
            sidecars,
            now,
            cluster,
            started: false,
            nodes: BTreeMap::new(),
            tasks: BTreeMap::new(),
            apps: BTreeMap::new(),
            later: BTreeSet::new(),
            stale: false,
            reattach: false,
            deeds: Vec::new(),
        };
        for object in std::mem::take(&mut live.cluster.nodes).into_values() {
            live.put_node(object, sink);
        }
        let mut pods: Vec<Arc<Pod>> = live.cluster.pods.values().cloned().collect();
        pods.sort_by_key(|pod| (live.created(pod), pod.metadata.namespace.clone(), pod.metadata.name.clone()));
        for pod in pods {
            live.put_pod(pod, sink);
            live.handle(sink);
        }
        sink.set_filters(live.filters());
        live.started = true;
        (live.stale, live.reattach) = (false, false);
        for name in live.nodes.keys().cloned().collect::<Vec<_>>() {
            live.refresh_node(&name, None, sink);
        }
        live.handle(sink);
        for id in live.apps.keys().cloned().collect::<Vec<_>>() {
            live.check_gang(&id, sink);
        }
        live
    }

    pub(super) fn created(&self, pod: &Pod) -> Time {
        pod.metadata.creation_timestamp.as_deref().and_then(moment).unwrap_or(self.now)
    }
}
