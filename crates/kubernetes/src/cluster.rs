//! The objects of a cluster at one time.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use imbl::OrdMap;

use super::live::{LiveObject, ObjectKey};
use super::objects::{
    Attachment, Claim, ConfigMap, CsiNode, Meta, Node, Object, PersistentVolume, Plain, Pod, PodParts, PodStatus,
    StorageClass,
};
use super::predicates::{Labels, NamespaceLabels, Storage};

pub(crate) type Key = (String, String);

/// The ConfigMaps of YuniKorn; the second overrides the first (K8S-010).
const MAPS: [&str; 2] = ["yunikorn-defaults", "yunikorn-configs"];

/// The objects that scheduling reads.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub(crate) pods: OrdMap<Key, Arc<Pod>>,
    pub(crate) nodes: BTreeMap<String, Arc<Node>>,
    pub(crate) parts: PodParts,
    pub(crate) namespaces: BTreeMap<String, Plain>,
    pub(crate) classes: BTreeMap<String, Plain>,
    maps: BTreeMap<Key, ConfigMap>,
    claims: BTreeMap<Key, Claim>,
    volumes: BTreeMap<String, PersistentVolume>,
    storage_classes: BTreeMap<String, StorageClass>,
    csi_nodes: BTreeMap<String, CsiNode>,
    attachments: BTreeMap<String, Attachment>,
    notices: Vec<String>,
    pub(crate) submitted: BTreeSet<String>,
    pub(crate) is_scaled: bool,
}

impl Cluster {
    /// Whether an autoscaler adds nodes, so that those that are there are not all.
    pub fn is_scaled(&self) -> bool {
        self.is_scaled
    }

    pub(crate) fn add(&mut self, object: Object) -> Result<(), String> {
        let label = object.label();
        let key = |meta: &Meta| (meta.namespace.clone(), meta.name.clone());
        let is_new = match object {
            Object::Pod(mut pod) => {
                if pod.metadata.uid.is_empty() {
                    pod.metadata.uid = pod.metadata.path();
                }
                self.parts.share(&mut pod);
                let key = key(&pod.metadata);
                let is_new = !self.pods.contains_key(&key);
                if is_new {
                    self.pods.insert(key, Arc::from(pod));
                }
                is_new
            }
            Object::Node(node) => put(&mut self.nodes, node.metadata.name.clone(), Arc::from(node)),
            Object::Namespace(plain) => put(&mut self.namespaces, plain.metadata.name.clone(), plain),
            Object::PriorityClass(plain) => put(&mut self.classes, plain.metadata.name.clone(), plain),
            Object::ConfigMap(map) => put(&mut self.maps, key(&map.metadata), map),
            Object::Volume(volume) => put(&mut self.volumes, volume.metadata.name.clone(), *volume),
            Object::Claim(claim) => put(&mut self.claims, key(&claim.metadata), *claim),
            Object::StorageClass(class) => put(&mut self.storage_classes, class.metadata.name.clone(), *class),
            Object::CsiNode(node) => put(&mut self.csi_nodes, node.metadata.name.clone(), *node),
            Object::Attachment(one) => put(&mut self.attachments, one.metadata.name.clone(), *one),
        };
        if is_new { Ok(()) } else { Err(format!("{label} is a duplicate; remove one of them")) }
    }

    pub(crate) fn replace(&mut self, object: Object) -> bool {
        fn renew<K: Ord, V: PartialEq + Clone>(map: &mut BTreeMap<K, V>, key: K, value: V) -> bool {
            let before = map.insert(key, value.clone());
            before.is_none_or(|before| before != value)
        }
        let key = |meta: &Meta| (meta.namespace.clone(), meta.name.clone());
        match object {
            Object::ConfigMap(map) => renew(&mut self.maps, key(&map.metadata), map),
            Object::Volume(volume) => renew(&mut self.volumes, volume.metadata.name.clone(), *volume),
            Object::Claim(claim) => renew(&mut self.claims, key(&claim.metadata), *claim),
            Object::StorageClass(class) => renew(&mut self.storage_classes, class.metadata.name.clone(), *class),
            Object::CsiNode(node) => renew(&mut self.csi_nodes, node.metadata.name.clone(), *node),
            Object::Attachment(one) => renew(&mut self.attachments, one.metadata.name.clone(), *one),
            Object::Pod(_) | Object::Node(_) | Object::Namespace(_) | Object::PriorityClass(_) => false,
        }
    }

    pub(crate) fn remove(&mut self, key: &ObjectKey) -> bool {
        let place = (key.namespace.clone(), key.name.clone());
        match key.kind {
            "ConfigMap" => self.maps.remove(&place).is_some(),
            "PersistentVolume" => self.volumes.remove(&key.name).is_some(),
            "PersistentVolumeClaim" => self.claims.remove(&place).is_some(),
            "StorageClass" => self.storage_classes.remove(&key.name).is_some(),
            "CSINode" => self.csi_nodes.remove(&key.name).is_some(),
            "VolumeAttachment" => self.attachments.remove(&key.name).is_some(),
            _ => false,
        }
    }

    pub(crate) fn note(&mut self, notice: String) {
        const MOST: usize = 1000;
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
            self.notices.drain(..self.notices.len().saturating_sub(MOST));
        }
    }

    /// Returns the warnings.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    pub(crate) fn note_submitted(&mut self, meta: &Meta) {
        let uid = if meta.uid.is_empty() { meta.path() } else { meta.uid.clone() };
        self.submitted.insert(uid);
    }

    pub(crate) fn has_pod(&self, namespace: &str, name: &str) -> bool {
        self.pods.contains_key(&(namespace.to_owned(), name.to_owned()))
    }

    /// Returns the number of pods and nodes.
    pub fn counts(&self) -> (usize, usize) {
        (self.pods.len(), self.nodes.len())
    }

    pub(crate) fn storage(&self) -> Storage<'_> {
        Storage {
            claims: &self.claims,
            volumes: &self.volumes,
            classes: &self.storage_classes,
            csi_nodes: &self.csi_nodes,
            attachments: &self.attachments,
            binds_late: false,
        }
    }

    /// Includes the namespace's name, like the API server.
    pub(crate) fn namespace_labels(&self) -> NamespaceLabels {
        let of_pods = self.pods.keys().map(|(namespace, _)| (namespace.clone(), BTreeMap::new()));
        let mut labels: BTreeMap<String, Labels> = of_pods.collect();
        labels.extend(
            self.namespaces.iter().map(|(name, object)| (name.clone(), Labels::clone(&object.metadata.labels))),
        );
        for (name, labels) in &mut labels {
            labels.entry("kubernetes.io/metadata.name".to_owned()).or_insert_with(|| name.clone());
        }
        labels.into_iter().map(|(name, labels)| (name, Arc::new(labels))).collect()
    }

    /// Merges the maps by key (K8S-010 to K8S-012). `unpack` decodes Base64 gzip.
    pub fn flattened(&self, namespace: &str, unpack: impl Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for name in MAPS {
            let Some(map) = self.maps.get(&(namespace.to_owned(), name.to_owned())) else { continue };
            all.extend(map.data.clone());
            for (key, packed) in &map.binary_data {
                let Some((key, kind)) = key.rsplit_once('.') else { continue };
                match (kind.eq_ignore_ascii_case("gz"), unpack(packed)) {
                    (true, Some(text)) => drop(all.insert(key.to_owned(), text)),
                    (true, None) => drop(all.insert(String::new(), String::new())),
                    (false, _) => drop(all.insert(key.to_owned(), String::new())),
                }
            }
        }
        all
    }

    /// Adds an object without side effects.
    pub fn gather(&mut self, object: LiveObject) {
        match object.0 {
            Object::Pod(mut pod) => {
                let key = (pod.metadata.namespace.clone(), pod.metadata.name.clone());
                if pod.is_terminated() {
                    self.pods.remove(&key);
                } else {
                    self.parts.share(&mut pod);
                    self.pods.insert(key, Arc::from(pod));
                }
            }
            Object::Node(node) => drop(self.nodes.insert(node.metadata.name.clone(), Arc::from(node))),
            Object::Namespace(plain) => drop(self.namespaces.insert(plain.metadata.name.clone(), plain)),
            Object::PriorityClass(plain) => drop(self.classes.insert(plain.metadata.name.clone(), plain)),
            other => drop(self.replace(other)),
        }
    }

    /// Adds an object for filters, which do not read how a running pod is.
    pub fn gather_for_filters(&mut self, mut object: LiveObject) {
        if let Object::Pod(pod) = &mut object.0
            && pod.node().is_some()
        {
            pod.status = PodStatus { phase: std::mem::take(&mut pod.status.phase), ..PodStatus::default() };
        }
        self.gather(object);
    }

    /// Returns true if all of them exist.
    pub fn has_pods(&self, uids: &BTreeSet<&str>) -> bool {
        let known = self.pods.values().filter(|pod| uids.contains(pod.metadata.uid.as_str()));
        known.count() >= uids.len()
    }

    /// Removes an object without side effects.
    pub fn forget(&mut self, key: &ObjectKey) {
        let place = || (key.namespace.clone(), key.name.clone());
        match key.kind {
            "Pod" => drop(self.pods.remove(&place())),
            "Node" => drop(self.nodes.remove(&key.name)),
            "Namespace" => drop(self.namespaces.remove(&key.name)),
            "PriorityClass" => drop(self.classes.remove(&key.name)),
            _ => drop(self.remove(key)),
        }
    }

    pub(crate) fn labels_of(&self, namespace: &str) -> NamespaceLabels {
        let mut labels =
            self.namespaces.get(namespace).map(|object| Labels::clone(&object.metadata.labels)).unwrap_or_default();
        labels.entry("kubernetes.io/metadata.name".to_owned()).or_insert_with(|| namespace.to_owned());
        NamespaceLabels::from([(namespace.to_owned(), Arc::new(labels))])
    }

    /// Returns text and key; `None` if missing or empty (K8S-010 to K8S-013). By default the maps name the policy
    /// group.
    ///
    /// # Errors
    /// They are in several namespaces, or a compressed entry cannot be unpacked.
    pub fn configuration(&self, policy_group: &str) -> Result<Option<(String, String)>, String> {
        let known = || self.maps.iter().filter(|((_, name), _)| MAPS.contains(&name.as_str()));
        let mut namespaces: Vec<&str> = known().map(|((namespace, _), _)| namespace.as_str()).collect();
        namespaces.dedup();
        if namespaces.len() > 1 {
            let all = namespaces.join(", ");
            return Err(format!("the ConfigMaps of YuniKorn are in several namespaces, {all}: use --config FILE"));
        }
        let Some(namespace) = namespaces.first() else { return Ok(None) };
        let mut all = self.flattened(namespace, |packed| config::input::packed_text(packed).ok());
        if all.contains_key("") {
            return Err(format!(
                "a compressed entry in a ConfigMap of YuniKorn in {namespace} cannot be unpacked; pack the text with gzip, or use \
                 --config FILE"
            ));
        }
        let reported = all.get("service.policyGroup").map(|group| group.trim()).filter(|group| !group.is_empty());
        let group = reported.filter(|_| policy_group == config::DEFAULT_POLICY_GROUP).unwrap_or(policy_group);
        let key = format!("{group}.yaml");
        Ok(all.remove(&key).filter(|text| !text.is_empty()).map(|text| (key, text)))
    }
}

fn put<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: V) -> bool {
    match map.entry(key) {
        Entry::Vacant(free) => {
            free.insert(value);
            true
        }
        Entry::Occupied(_) => false,
    }
}
