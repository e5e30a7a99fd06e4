//! Volumes, claims, storage classes, and attachment limits of nodes.

use serde::Deserialize;

use super::{Meta, NodeSelector};

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct PersistentVolume {
    pub metadata: Meta,
    pub spec: VolumeSpec,
}

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

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct CsiSource {
    pub driver: String,
    pub volume_handle: String,
}

/// A field of which only the presence matters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Present {}

impl PersistentVolume {
    /// Returns the driver, and the name there; `None` if the volume needs no attachment. Formerly built-in kinds have
    /// the driver that replaced them.
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

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CsiNode {
    pub metadata: Meta,
    pub spec: CsiNodeSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CsiNodeSpec {
    pub drivers: Vec<CsiDriver>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CsiDriver {
    pub name: String,
    pub allocatable: CsiAllocatable,
}

/// `None`: volumes without limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CsiAllocatable {
    pub count: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Attachment {
    pub metadata: Meta,
    pub spec: AttachmentSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AttachmentSpec {
    pub node_name: String,
    pub source: AttachmentSource,
}

/// The volume; an inline one has no name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AttachmentSource {
    pub persistent_volume_name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct VolumeAffinity {
    pub required: Option<NodeSelector>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Claim {
    pub metadata: Meta,
    pub spec: ClaimSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ClaimSpec {
    pub volume_name: String,
    pub storage_class_name: String,
    pub access_modes: Vec<String>,
}

impl Claim {
    /// Names a volume, and the binding is complete (K8S-175).
    pub fn is_bound(&self) -> bool {
        !self.spec.volume_name.is_empty() && self.metadata.annotations.contains_key("pv.kubernetes.io/bind-completed")
    }

    /// Returns true if only one pod may use it (K8S-183).
    pub fn is_for_one_pod(&self) -> bool {
        self.spec.access_modes.iter().any(|mode| mode == "ReadWriteOncePod")
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct StorageClass {
    pub metadata: Meta,
    pub volume_binding_mode: String,
    pub provisioner: String,
    pub allowed_topologies: Vec<Topology>,
}

/// Node labels that must all match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Topology {
    pub match_label_expressions: Vec<TopologyLabel>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct TopologyLabel {
    pub key: String,
    pub values: Vec<String>,
}

impl StorageClass {
    /// Returns true if volumes are bound only after a pod has a node.
    pub fn waits(&self) -> bool {
        self.volume_binding_mode == "WaitForFirstConsumer"
    }
}
