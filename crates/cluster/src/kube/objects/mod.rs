//! Objects, reduced while parsing. Equal texts are shared.

mod pod;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use model::{NodeId, Time};
use view::kubernetes::{Condition, NamespaceRow, NodeObject, OwnerName, PodRow};

const DOMAIN: &str = "yunikorn.apache.org/";
/// Maximum length of a condition text, in bytes.
const LONGEST: usize = 300;
/// Maximum number of shared texts; then the cache is cleared.
const SHARED: usize = 20_000;

/// Texts that many objects have, each once.
#[derive(Debug, Default)]
pub struct Texts(HashMap<Arc<str>, ()>);

impl Texts {
    fn share(&mut self, text: &str) -> Arc<str> {
        if let Some((known, ())) = self.0.get_key_value(text) {
            return Arc::clone(known);
        }
        if self.0.len() >= SHARED {
            self.0.clear();
        }
        let new: Arc<str> = Arc::from(text);
        self.0.insert(Arc::clone(&new), ());
        new
    }
}

/// An object that is followed.
pub trait Followed: Sized + Send + 'static {
    /// How an API server writes it.
    type Wire: for<'de> Deserialize<'de> + Send;
    /// Path of the list.
    const PATH: &'static str;
    /// Group and resource for RBAC rules.
    const RESOURCE: (&'static str, &'static str);

    /// Returns the resource version.
    fn version(wire: &Self::Wire) -> &str;

    /// Reduces the object.
    fn read(wire: Self::Wire, texts: &mut Texts) -> Self;

    /// Returns the key: the UID of a pod, otherwise the name.
    fn key(&self) -> Arc<str>;
}

/// The metadata of an object.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Meta {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) uid: String,
    pub(super) resource_version: String,
    creation_timestamp: Option<String>,
    deletion_timestamp: Option<String>,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
    owner_references: Vec<OwnerWire>,
}

impl Meta {
    pub(super) fn controller(&self) -> Option<OwnerName> {
        let owner = self.owner_references.iter().find(|owner| owner.controller)?;
        let text = |text: &str| Arc::from(text);
        Some(OwnerName { kind: text(&owner.kind), version: text(&owner.api_version), name: text(&owner.name) })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OwnerWire {
    api_version: String,
    kind: String,
    name: String,
    controller: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ConditionWire {
    #[serde(rename = "type")]
    kind: String,
    status: String,
    reason: Option<String>,
    message: Option<String>,
    last_transition_time: Option<String>,
}

impl ConditionWire {
    fn read(&self, texts: &mut Texts) -> Condition {
        Condition {
            kind: texts.share(&self.kind),
            status: texts.share(&self.status),
            reason: texts.share(self.reason.as_deref().unwrap_or_default()),
            message: texts.share(cut(self.message.as_deref().unwrap_or_default())),
            since: self.last_transition_time.as_deref().and_then(moment),
        }
    }
}

pub(super) fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

pub(super) fn moment(text: &str) -> Option<Time> {
    let nanos = OffsetDateTime::parse(text, &Rfc3339).ok()?.unix_timestamp_nanos();
    u64::try_from(nanos / 1000).ok().map(Time)
}

impl Followed for PodRow {
    type Wire = pod::PodWire;
    const PATH: &'static str = "/api/v1/pods";
    const RESOURCE: (&'static str, &'static str) = ("", "pods");

    fn version(wire: &Self::Wire) -> &str {
        &wire.metadata.resource_version
    }

    fn read(wire: Self::Wire, texts: &mut Texts) -> Self {
        pod::read(&wire, texts)
    }

    fn key(&self) -> Arc<str> {
        Arc::clone(&self.uid)
    }
}

/// A node by name.
#[derive(Debug)]
pub struct NamedNode(pub NodeId, pub NodeObject);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct NodeWire {
    metadata: Meta,
    spec: NodeSpec,
    status: NodeStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NodeSpec {
    unschedulable: bool,
    taints: Vec<TaintWire>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TaintWire {
    key: String,
    value: Option<String>,
    effect: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct NodeStatus {
    conditions: Vec<ConditionWire>,
    node_info: NodeInfo,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct NodeInfo {
    kubelet_version: String,
}

impl Followed for NamedNode {
    type Wire = NodeWire;
    const PATH: &'static str = "/api/v1/nodes";
    const RESOURCE: (&'static str, &'static str) = ("", "nodes");

    fn version(wire: &Self::Wire) -> &str {
        &wire.metadata.resource_version
    }

    fn read(wire: Self::Wire, texts: &mut Texts) -> Self {
        let taint = |taint: &TaintWire| match taint.value.as_deref().filter(|value| !value.is_empty()) {
            Some(value) => format!("{}={value}:{}", taint.key, taint.effect),
            None => format!("{}:{}", taint.key, taint.effect),
        };
        let node = NodeObject {
            cordoned: wire.spec.unschedulable,
            conditions: wire.status.conditions.iter().map(|one| one.read(texts)).collect(),
            taints: wire.spec.taints.iter().map(|one| texts.share(&taint(one))).collect(),
            labels: wire.metadata.labels.iter().map(|(key, value)| (texts.share(key), texts.share(value))).collect(),
            kubelet: texts.share(&wire.status.node_info.kubelet_version),
            created: wire.metadata.creation_timestamp.as_deref().and_then(moment).unwrap_or_default(),
        };
        Self(NodeId::from(wire.metadata.name.as_str()), node)
    }

    fn key(&self) -> Arc<str> {
        Arc::from(self.0.as_str())
    }
}

/// A namespace by name.
#[derive(Debug)]
pub struct NamedNamespace(pub Arc<str>, pub NamespaceRow);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct NamespaceWire {
    metadata: Meta,
}

impl Followed for NamedNamespace {
    type Wire = NamespaceWire;
    const PATH: &'static str = "/api/v1/namespaces";
    const RESOURCE: (&'static str, &'static str) = ("", "namespaces");

    fn version(wire: &Self::Wire) -> &str {
        &wire.metadata.resource_version
    }

    fn read(wire: Self::Wire, texts: &mut Texts) -> Self {
        let own = |(key, value): (&String, &String)| {
            let key = key.strip_prefix(DOMAIN)?;
            Some((Arc::from(key), Arc::from(cut(value))))
        };
        let annotations = wire.metadata.annotations.iter().filter_map(own).collect();
        Self(texts.share(&wire.metadata.name), NamespaceRow { annotations })
    }

    fn key(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

/// A priority class: name and value.
#[derive(Debug)]
pub struct PriorityClass(pub Arc<str>, pub i32);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PriorityClassWire {
    metadata: Meta,
    value: i32,
}

impl Followed for PriorityClass {
    type Wire = PriorityClassWire;
    const PATH: &'static str = "/apis/scheduling.k8s.io/v1/priorityclasses";
    const RESOURCE: (&'static str, &'static str) = ("scheduling.k8s.io", "priorityclasses");

    fn version(wire: &Self::Wire) -> &str {
        &wire.metadata.resource_version
    }

    fn read(wire: Self::Wire, texts: &mut Texts) -> Self {
        Self(texts.share(&wire.metadata.name), wire.value)
    }

    fn key(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_node_shows_why_nothing_is_bound_to_it() {
        let node = |spec: serde_json::Value, ready: &str| {
            let conditions = json!([{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": ready}]);
            let wire = json!({"metadata": {"name": "n", "labels": {"zone": "a"}}, "spec": spec, "status": {"conditions": conditions}});
            NamedNode::read(serde_json::from_value(wire).unwrap(), &mut Texts::default()).1
        };
        let taints = json!({"unschedulable": true, "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}, {"key": "x", "effect": "NoExecute"}]});
        assert_eq!(node(json!({}), "True").closed(), None);
        assert_eq!(node(taints.clone(), "True").closed(), Some("cordoned"));
        assert_eq!(node(json!({}), "Unknown").closed(), Some("not ready"));
        assert_eq!(node(taints.clone(), "False").closed(), Some("cordoned, not ready"));
        assert_eq!(*node(taints, "True").taints, [Arc::from("gpu=yes:NoSchedule"), Arc::from("x:NoExecute")]);
        assert_eq!(NodeObject::default().closed(), None, "a node without conditions has not reported yet");
    }

    #[test]
    fn the_annotations_of_yunikorn_on_a_namespace_are_stored() {
        let wire = json!({"metadata": {"name": "a", "annotations": {"yunikorn.apache.org/namespace.quota": "{}", "other": "x"}}});
        let NamedNamespace(name, row) =
            NamedNamespace::read(serde_json::from_value(wire).unwrap(), &mut Texts::default());
        assert_eq!((&*name, row.annotations.len()), ("a", 1));
        assert_eq!(row.annotations.get("namespace.quota").map(|value| &**value), Some("{}"));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = "é".repeat(LONGEST);
        assert!(cut(&long).len() <= LONGEST && long.starts_with(cut(&long)));
    }
}
