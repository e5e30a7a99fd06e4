//! Added, changed, and removed objects.

use std::sync::Arc;

use serde_json::Value;

use super::{Live, LiveObject, ObjectKey, PodBinding, Sink};
use crate::moment::moment;
use crate::objects::Object;
use model::AskId;

impl LiveObject {
    /// Parses an object; objects in a list do not contain their kind.
    ///
    /// # Errors
    /// The kind is not supported, or a field is invalid.
    pub fn read(kind: &'static str, mut value: Value) -> Result<Self, String> {
        if let Value::Object(fields) = &mut value {
            fields.insert("kind".to_owned(), Value::from(kind));
        }
        let read = Object::read(value).map_err(|unread| unread.to_string())?;
        read.map(Self).ok_or_else(|| format!("objects of the kind {kind} are ignored"))
    }

    /// Returns its key.
    pub fn key(&self) -> ObjectKey {
        let meta = self.0.meta();
        ObjectKey { kind: self.0.kind(), namespace: meta.namespace.clone(), name: meta.name.clone() }
    }

    /// Returns the UID, and `namespace/name`, of a pod.
    pub fn pod(&self) -> Option<(AskId, String)> {
        let Object::Pod(pod) = &self.0 else { return None };
        Some((AskId::from(pod.metadata.uid.as_str()), pod.metadata.path()))
    }

    /// Returns `None` if the pod has no node, has ended, or belongs to another scheduler.
    pub fn binding(&self, schedulers: &[String]) -> Option<PodBinding> {
        let Object::Pod(pod) = &self.0 else { return None };
        pod.node().filter(|_| schedulers.contains(&pod.spec.scheduler_name) && !pod.is_terminated())?;
        let bound = pod.status.conditions.iter().find(|one| one.kind == "PodScheduled" && one.status == "True");
        let scheduled = bound.and_then(|one| moment(&one.last_transition_time));
        Some(PodBinding { ask: AskId::from(pod.metadata.uid.as_str()), scheduled })
    }
}

impl Live {
    pub(super) fn put(&mut self, object: Object, sink: &mut dyn Sink) {
        match object {
            Object::Pod(pod) => self.put_pod(Arc::from(pod), sink),
            Object::Node(node) => self.put_node(Arc::from(node), sink),
            Object::Namespace(namespace) => {
                let name = namespace.metadata.name.clone();
                let old = self.cluster.namespaces.insert(name, namespace.clone());
                let labels = old.as_ref().map(|old| &old.metadata.labels);
                // Watches are separate: pods may have arrived before their namespace, without its labels.
                self.stale |= match labels {
                    Some(labels) => *labels != namespace.metadata.labels,
                    None => !namespace.metadata.labels.is_empty() && self.has_pods_in(&namespace.metadata.name),
                };
                if old.is_some_and(|old| old.metadata.annotations != namespace.metadata.annotations) {
                    self.try_refused_again(sink);
                }
            }
            Object::PriorityClass(class) => {
                self.cluster.classes.insert(class.metadata.name.clone(), class);
            }
            object @ (Object::Volume(_) | Object::Claim(_) | Object::StorageClass(_)) => {
                if self.cluster.replace(object) {
                    self.storage_changed(sink);
                }
            }
            Object::CsiNode(csi_node) => {
                let name = csi_node.metadata.name.clone();
                if self.cluster.replace(Object::CsiNode(csi_node)) {
                    self.limits_changed(&name, sink);
                }
            }
            attachment @ Object::Attachment(_) => {
                self.reattach |= self.cluster.replace(attachment);
            }
            map @ Object::ConfigMap(_) => drop(self.cluster.replace(map)),
        }
    }

    fn has_pods_in(&self, namespace: &str) -> bool {
        let first = self.cluster.pods.range((namespace.to_owned(), String::new())..).next();
        first.is_some_and(|((of, _), _)| of == namespace)
    }

    pub(super) fn gone(&mut self, key: &ObjectKey, sink: &mut dyn Sink) {
        match key.kind {
            "Pod" => {
                let place = (key.namespace.clone(), key.name.clone());
                if let Some(pod) = self.cluster.pods.get(&place).cloned() {
                    self.end_pod(&pod, sink);
                }
            }
            "Node" => self.remove_node(&key.name, sink),
            "Namespace" => drop(self.cluster.namespaces.remove(&key.name)),
            "PriorityClass" => drop(self.cluster.classes.remove(&key.name)),
            kind => {
                let existed = self.cluster.remove(key);
                match kind {
                    "CSINode" if existed => self.limits_changed(&key.name, sink),
                    "VolumeAttachment" => self.reattach |= existed,
                    "ConfigMap" => {}
                    _ if existed => self.storage_changed(sink),
                    _ => {}
                }
            }
        }
    }

    fn limits_changed(&self, node: &str, sink: &mut dyn Sink) {
        if self.started {
            let csi_node = self.cluster.storage().csi_nodes.get(node);
            sink.filters(&mut |filters| filters.put_limits(node, csi_node));
        }
    }
}
