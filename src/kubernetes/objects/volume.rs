//! Volumes, claims to them, and storage classes.

use serde::Deserialize;

use super::{Meta, NodeSelector};

/// A volume that exists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct PersistentVolume {
    pub metadata: Meta,
    pub spec: VolumeSpec,
}

/// The `spec` of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct VolumeSpec {
    pub node_affinity: VolumeAffinity,
}

/// From which nodes a volume can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct VolumeAffinity {
    pub required: Option<NodeSelector>,
}

/// A claim to a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Claim {
    pub metadata: Meta,
    pub spec: ClaimSpec,
}

/// The `spec` of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ClaimSpec {
    pub volume_name: String,
    pub storage_class_name: String,
    pub access_modes: Vec<String>,
}

impl Claim {
    /// Whether it is bound: it names a volume, and the binding is complete (K8S-175).
    pub fn is_bound(&self) -> bool {
        !self.spec.volume_name.is_empty() && self.metadata.annotations.contains_key("pv.kubernetes.io/bind-completed")
    }

    /// Whether one pod alone may use it (K8S-183).
    pub fn is_for_one_pod(&self) -> bool {
        self.spec.access_modes.iter().any(|mode| mode == "ReadWriteOncePod")
    }
}

/// A storage class: when its volumes are bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct StorageClass {
    pub metadata: Meta,
    pub volume_binding_mode: String,
}

impl StorageClass {
    /// Whether a volume is bound only once a pod has a node.
    pub fn waits(&self) -> bool {
        self.volume_binding_mode == "WaitForFirstConsumer"
    }
}
