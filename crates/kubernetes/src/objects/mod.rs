//! Kubernetes objects, reduced to what scheduling needs.

mod faulty_value;
mod pod;
mod pod_parts;
mod volume;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use model::Shared;

pub(crate) use faulty_value::{Step, Unread, read_as, shown};
pub(crate) use pod::{
    Affinity, Container, ContainerStatus, Named, Pod, PodStatus, PodTerm, Resources, SpreadConstraint, Toleration,
    Volume,
};
pub(crate) use pod_parts::PodParts;
pub(crate) use volume::{Attachment, Claim, CsiNode, PersistentVolume, StorageClass};

pub(crate) type Amounts = BTreeMap<String, Amount>;
pub(crate) type Texts = BTreeMap<String, String>;

#[derive(Clone, Debug)]
pub(crate) enum Object {
    Pod(Box<Pod>),
    Node(Box<Node>),
    Namespace(Plain),
    PriorityClass(Plain),
    ConfigMap(ConfigMap),
    Volume(Box<PersistentVolume>),
    Claim(Box<Claim>),
    StorageClass(Box<StorageClass>),
    CsiNode(Box<CsiNode>),
    Attachment(Box<Attachment>),
}

impl Object {
    /// Returns `None` for a kind that scheduling does not read.
    ///
    /// # Errors
    /// The invalid field with the kind, namespace, and name.
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

    /// Formats the name like `kubectl`.
    pub fn label(&self) -> String {
        format!("{} {}", self.kind(), self.meta().path())
    }

    /// Returns the kind as in a manifest.
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

    /// Returns the metadata.
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

/// Removes null fields, which count as missing.
pub(crate) fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            // To retain is slow, and nearly no map has a null.
            if map.values().any(Value::is_null) {
                map.retain(|_, value| !value.is_null());
            }
            map.values_mut().for_each(drop_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Meta {
    pub name: String,
    pub namespace: String,
    pub uid: String,
    pub labels: Shared<Texts>,
    pub annotations: Shared<Texts>,
    pub creation_timestamp: Option<String>,
    pub deletion_timestamp: Option<String>,
    pub owner_references: Shared<Vec<Owner>>,
}

impl Meta {
    /// Returns `namespace/name`, or the name alone.
    pub fn path(&self) -> String {
        if self.namespace.is_empty() { self.name.clone() } else { format!("{}/{}", self.namespace, self.name) }
    }

    /// Returns an empty text if missing.
    pub fn label(&self, key: &str) -> &str {
        self.labels.get(key).map_or("", String::as_str)
    }

    /// Returns an empty text if missing.
    pub fn annotation(&self, key: &str) -> &str {
        self.annotations.get(key).map_or("", String::as_str)
    }

    /// Returns true if an owner has this kind.
    pub fn is_owned_by(&self, kind: &str) -> bool {
        self.owner_references.iter().any(|owner| owner.kind == kind)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Owner {
    pub kind: String,
    pub uid: String,
}

/// An unparsed quantity: `250m`, `"1"`, `1`.
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

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Node {
    pub metadata: Meta,
    pub spec: NodeSpec,
    pub status: NodeStatus,
}

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

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct NodeCondition {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub(crate) struct Taint {
    pub key: String,
    pub value: String,
    pub effect: String,
}

/// One of the terms must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeSelector {
    pub node_selector_terms: Vec<NodeTerm>,
}

/// All requirements must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeTerm {
    pub match_expressions: Vec<Requirement>,
    pub match_fields: Vec<Requirement>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub(crate) struct Requirement {
    pub key: String,
    pub operator: String,
    pub values: Vec<String>,
}

/// All conditions must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LabelSelector {
    pub match_labels: BTreeMap<String, String>,
    pub match_expressions: Vec<Requirement>,
}
