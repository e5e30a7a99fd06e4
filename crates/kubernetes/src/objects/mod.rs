//! Objects of Kubernetes as their manifests say, reduced to what scheduling needs. Other fields are skipped while they are read.

mod culprit;
mod pod;
mod volume;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

pub(crate) use culprit::{Step, Unread, read_as, shown};
pub(crate) use pod::{Affinity, Container, ContainerStatus, Named, Pod, PodTerm, SpreadConstraint, Toleration, Volume};
pub(crate) use volume::{Attachment, Claim, CsiNode, PersistentVolume, StorageClass};

/// Amounts by the name of their resource, as written.
pub(crate) type Amounts = BTreeMap<String, Amount>;

/// An object of a kind that scheduling examines.
#[derive(Clone, Debug)]
pub(crate) enum Object {
    /// A pod of the core API.
    Pod(Box<Pod>),
    /// A node of the core API.
    Node(Box<Node>),
    /// A namespace, with its quota in annotations.
    Namespace(Plain),
    /// A priority class of `scheduling.k8s.io`.
    PriorityClass(Plain),
    /// A map of settings, perhaps with a queue configuration.
    ConfigMap(ConfigMap),
    /// A volume that exists.
    Volume(Box<PersistentVolume>),
    /// A claim to a volume.
    Claim(Box<Claim>),
    /// A storage class of `storage.k8s.io`.
    StorageClass(Box<StorageClass>),
    /// The CSI drivers of a node, of `storage.k8s.io`.
    CsiNode(Box<CsiNode>),
    /// A volume that is attached to a node, of `storage.k8s.io`.
    Attachment(Box<Attachment>),
}

impl Object {
    /// Reads one object. `None`: it is of a kind that scheduling does not look at.
    ///
    /// # Errors
    /// What of it cannot be read, with its kind, namespace and name.
    pub fn read(mut value: Value) -> Result<Option<Self>, Unread> {
        drop_nulls(&mut value);
        let kind = value["kind"].as_str().unwrap_or_default().to_owned();
        let text = |key: &str| value["metadata"][key].as_str().unwrap_or_default().to_owned();
        let who = match (text("namespace"), text("name")) {
            (_, name) if name.is_empty() => return unnamed(&kind).map_err(Unread::whole),
            (namespace, name) if namespace.is_empty() => format!("{kind} {name}"),
            (namespace, name) => format!("{kind} {namespace}/{name}"),
        };
        let read = match kind.as_str() {
            "Pod" => read_as(&value).map(Self::Pod),
            "Node" => read_as(&value).map(Self::Node),
            "Namespace" => read_as(&value).map(Self::Namespace),
            "PriorityClass" => read_as(&value).map(Self::PriorityClass),
            "ConfigMap" => read_as(&value).map(Self::ConfigMap),
            "PersistentVolume" => read_as(&value).map(Self::Volume),
            "PersistentVolumeClaim" => read_as(&value).map(Self::Claim),
            "StorageClass" => read_as(&value).map(Self::StorageClass),
            "CSINode" => read_as(&value).map(Self::CsiNode),
            "VolumeAttachment" => read_as(&value).map(Self::Attachment),
            _ => return Ok(None),
        };
        read.map(Some).map_err(|unread| Unread { who, ..unread })
    }

    /// Its kind with its namespace and name, as `kubectl` takes them.
    pub fn label(&self) -> String {
        format!("{} {}", self.kind(), self.meta().path())
    }

    /// Its kind, as a manifest names it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Pod(_) => "Pod",
            Self::Node(_) => "Node",
            Self::Namespace(_) => "Namespace",
            Self::PriorityClass(_) => "PriorityClass",
            Self::ConfigMap(_) => "ConfigMap",
            Self::Volume(_) => "PersistentVolume",
            Self::Claim(_) => "PersistentVolumeClaim",
            Self::StorageClass(_) => "StorageClass",
            Self::CsiNode(_) => "CSINode",
            Self::Attachment(_) => "VolumeAttachment",
        }
    }

    /// Its metadata, which every kind has.
    pub fn meta(&self) -> &Meta {
        match self {
            Self::Pod(pod) => &pod.metadata,
            Self::Node(node) => &node.metadata,
            Self::Namespace(plain) | Self::PriorityClass(plain) => &plain.metadata,
            Self::ConfigMap(map) => &map.metadata,
            Self::Volume(volume) => &volume.metadata,
            Self::Claim(claim) => &claim.metadata,
            Self::StorageClass(class) => &class.metadata,
            Self::CsiNode(node) => &node.metadata,
            Self::Attachment(attachment) => &attachment.metadata,
        }
    }
}

fn unnamed(kind: &str) -> Result<Option<Object>, String> {
    const KINDS: [&str; 10] = [
        "Pod",
        "Node",
        "Namespace",
        "PriorityClass",
        "ConfigMap",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "StorageClass",
        "CSINode",
        "VolumeAttachment",
    ];
    if KINDS.contains(&kind) { Err(format!("a {kind} has no metadata.name")) } else { Ok(None) }
}

/// A field that is null is one that is not there.
pub(crate) fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(drop_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// The `metadata` of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Meta {
    pub name: String,
    pub namespace: String,
    pub uid: String,
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
    pub creation_timestamp: Option<String>,
    pub deletion_timestamp: Option<String>,
    pub owner_references: Vec<Owner>,
}

impl Meta {
    /// `namespace/name`, or the name alone of what is in no namespace.
    pub fn path(&self) -> String {
        if self.namespace.is_empty() { self.name.clone() } else { format!("{}/{}", self.namespace, self.name) }
    }

    /// The value of a label, empty where there is none.
    pub fn label(&self, key: &str) -> &str {
        self.labels.get(key).map_or("", String::as_str)
    }

    /// The value of an annotation, empty where there is none.
    pub fn annotation(&self, key: &str) -> &str {
        self.annotations.get(key).map_or("", String::as_str)
    }

    /// Whether an owner is of a kind.
    pub fn is_owned_by(&self, kind: &str) -> bool {
        self.owner_references.iter().any(|owner| owner.kind == kind)
    }
}

/// What an object belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Owner {
    pub kind: String,
    pub uid: String,
}

/// A quantity as written: `250m`, `"1"`, `1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "WrittenAmount")]
pub(crate) struct Amount(pub String);

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenAmount {
    Text(String),
    Number(serde_json::Number),
}

impl From<WrittenAmount> for Amount {
    fn from(written: WrittenAmount) -> Self {
        match written {
            WrittenAmount::Text(text) => Self(text),
            WrittenAmount::Number(number) => Self(number.to_string()),
        }
    }
}

/// An object of which only the metadata matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Plain {
    pub metadata: Meta,
}

/// A ConfigMap; binary entries are Base64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ConfigMap {
    pub metadata: Meta,
    pub data: BTreeMap<String, String>,
    pub binary_data: BTreeMap<String, String>,
}

/// A node with what it offers and whom it keeps off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Node {
    pub metadata: Meta,
    pub spec: NodeSpec,
    pub status: NodeStatus,
}

/// The `spec` of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct NodeSpec {
    pub unschedulable: bool,
    pub taints: Vec<Taint>,
}

/// The `status` of a node; its `capacity` is not used (K8S-150).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct NodeStatus {
    pub allocatable: Amounts,
    pub conditions: Vec<NodeCondition>,
}

/// One of the conditions of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct NodeCondition {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: String,
}

/// What keeps pods without a toleration off a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub(crate) struct Taint {
    pub key: String,
    pub value: String,
    pub effect: String,
}

/// Nodes by their labels and names: one of the terms must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeSelector {
    pub node_selector_terms: Vec<NodeTerm>,
}

/// One of the terms: all its requirements must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeTerm {
    pub match_expressions: Vec<Requirement>,
    pub match_fields: Vec<Requirement>,
}

/// What is required of one label or field.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub(crate) struct Requirement {
    pub key: String,
    pub operator: String,
    pub values: Vec<String>,
}

/// Objects by their labels: everything of it must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LabelSelector {
    pub match_labels: BTreeMap<String, String>,
    pub match_expressions: Vec<Requirement>,
}
