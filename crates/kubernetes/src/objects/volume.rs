//! Volumes, claims to them, storage classes, and what nodes can have attached.

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
    pub csi: Option<CsiSource>,
    pub aws_elastic_block_store: Option<Present>,
    pub azure_disk: Option<Present>,
    pub cinder: Option<Present>,
    pub gce_persistent_disk: Option<Present>,
    pub vsphere_volume: Option<Present>,
}

/// Where a CSI driver has a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct CsiSource {
    pub driver: String,
    pub volume_handle: String,
}

/// A field of which only matters that it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Present {}

impl PersistentVolume {
    /// By which driver it is attached to a node, and its name there; `None` of one that needs not be attached. The kinds that were once built in
    /// are attached by the driver that has taken them over.
    pub fn attached_by(&self) -> Option<(&str, &str)> {
        let spec = &self.spec;
        if let Some(CsiSource { driver, volume_handle }) = &spec.csi {
            return Some((driver, volume_handle));
        }
        let built_in = [
            (&spec.aws_elastic_block_store, "ebs.csi.aws.com"),
            (&spec.azure_disk, "disk.csi.azure.com"),
            (&spec.cinder, "cinder.csi.openstack.org"),
            (&spec.gce_persistent_disk, "pd.csi.storage.gke.io"),
            (&spec.vsphere_volume, "csi.vsphere.vmware.com"),
        ];
        let (_, driver) = built_in.into_iter().find(|(kind, _)| kind.is_some())?;
        Some((driver, &self.metadata.name))
    }
}

/// What CSI drivers are on a node, by the name of the node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CsiNode {
    pub metadata: Meta,
    pub spec: CsiNodeSpec,
}

/// The `spec` of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CsiNodeSpec {
    pub drivers: Vec<CsiDriver>,
}

/// A driver on a node, with how many of its volumes the node can have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CsiDriver {
    pub name: String,
    pub allocatable: CsiAllocatable,
}

/// `None`: there is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CsiAllocatable {
    pub count: Option<u32>,
}

/// A volume that is attached to a node, or is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Attachment {
    pub metadata: Meta,
    pub spec: AttachmentSpec,
}

/// The `spec` of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AttachmentSpec {
    pub node_name: String,
    pub source: AttachmentSource,
}

/// Which volume it is; one in a pod itself has no name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AttachmentSource {
    pub persistent_volume_name: String,
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
    pub provisioner: String,
    /// Where its volumes may be; empty: anywhere.
    pub allowed_topologies: Vec<Topology>,
}

/// Labels of nodes, all of which must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Topology {
    pub match_label_expressions: Vec<TopologyLabel>,
}

/// A label with the values that will do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct TopologyLabel {
    pub key: String,
    pub values: Vec<String>,
}

impl StorageClass {
    /// Whether a volume is bound only once a pod has a node.
    pub fn waits(&self) -> bool {
        self.volume_binding_mode == "WaitForFirstConsumer"
    }
}
