//! Volumes of pods: VolumeBinding, VolumeZone, VolumeRestrictions (K8S-175 to K8S-178, K8S-183).

use std::collections::BTreeMap;

use super::labels::NodeTerms;
use super::nodes::NodeFacts;
use super::refusal::{Filter, Refusal};
use crate::objects::{Attachment, Claim, CsiNode, PersistentVolume, Pod, StorageClass};

/// Labels of a volume that say where it is, each with the name by which nodes say it now.
const ZONES: [(&str, &str); 4] = [
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("topology.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
];

/// Kinds of volumes that are on every node. What is not here and no claim is refused (K8S-185).
const ANYWHERE: [&str; 14] = [
    "emptyDir",
    "configMap",
    "secret",
    "downwardAPI",
    "projected",
    "hostPath",
    "nfs",
    "image",
    "csi",
    "gitRepo",
    "cephfs",
    "glusterfs",
    "fc",
    "",
];

/// The objects that claims lead to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Storage<'s> {
    /// By namespace and name.
    pub claims: &'s BTreeMap<(String, String), Claim>,
    pub volumes: &'s BTreeMap<String, PersistentVolume>,
    pub classes: &'s BTreeMap<String, StorageClass>,
    /// By the name of the node.
    pub csi_nodes: &'s BTreeMap<String, CsiNode>,
    pub attachments: &'s BTreeMap<String, Attachment>,
}

/// From which nodes one bound volume can be reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VolumePlace {
    affinity: Option<NodeTerms>,
    /// Labels of zones with the values that will do.
    zones: Vec<(usize, Vec<String>)>,
}

impl VolumePlace {
    fn of(volume: &PersistentVolume) -> Result<Self, Refusal> {
        let affinity = volume.spec.node_affinity.required.as_ref().map(NodeTerms::of).transpose();
        let affinity = affinity.map_err(|why| Refusal::new(Filter::VolumeBinding, why))?;
        let labels = &volume.metadata.labels;
        let zone = |(at, (key, _)): (usize, &(&str, &str))| {
            let values = labels.get(*key)?.split("__").map(|zone| zone.trim().to_owned());
            Some((at, values.collect()))
        };
        Ok(Self { affinity, zones: ZONES.iter().enumerate().filter_map(zone).collect() })
    }

    /// Whether the volume cannot be reached from a node (K8S-175).
    pub fn wrong_place(&self, node: &NodeFacts) -> Option<Refusal> {
        // A volume knows nodes by their labels alone.
        let reached = self.affinity.as_ref().is_none_or(|terms| terms.matches("", &node.labels));
        (!reached).then(|| Refusal::new(Filter::VolumeBinding, "node(s) had volume node affinity conflict"))
    }

    /// Whether the node is in another zone or region (K8S-176).
    pub fn wrong_zone(&self, node: &NodeFacts) -> Option<Refusal> {
        if !ZONES.iter().any(|(key, _)| node.labels.contains_key(*key)) {
            return None;
        }
        let here = |(at, values): &(usize, Vec<String>)| {
            let (key, now) = ZONES[*at];
            let value = node.labels.get(key).or_else(|| node.labels.get(now));
            value.is_some_and(|value| values.contains(value))
        };
        let wrong = !self.zones.iter().all(here);
        wrong.then(|| Refusal::new(Filter::VolumeZone, "node(s) had no available volume zone"))
    }
}

/// The names of the claims of a pod, in its namespace.
pub(super) fn claim_names(pod: &Pod) -> impl Iterator<Item = String> + '_ {
    pod.spec.volumes.iter().filter_map(|volume| match volume.kind.as_str() {
        "persistentVolumeClaim" => Some(volume.claim.clone()),
        "ephemeral" => Some(format!("{}-{}", pod.metadata.name, volume.name)),
        _ => None,
    })
}

/// What a pod waits for of its claims, in words: nothing is asked for it before that is there (K8S-178, K8S-232).
pub(crate) fn waits_for(pod: &Pod, storage: Storage<'_>) -> Option<String> {
    claim_names(pod).find_map(|name| {
        let key = (pod.metadata.namespace.clone(), name);
        match storage.claims.get(&key) {
            None => Some(format!("its claim {:?} is not there", key.1)),
            Some(claim) if claim.metadata.deletion_timestamp.is_some() => {
                Some(format!("its claim {:?} is being deleted", key.1))
            }
            Some(claim) if !claim.is_bound() => {
                Some(format!("needs volume binding: its claim {:?} is not bound", key.1))
            }
            Some(_) => None,
        }
    })
}

/// Where the volumes of a pod are.
///
/// # Errors
/// Why it can go to no node at all.
pub(super) fn places(pod: &Pod, storage: Storage<'_>) -> Result<Vec<VolumePlace>, Refusal> {
    for volume in &pod.spec.volumes {
        if !volume.is_claimed() && !ANYWHERE.contains(&volume.kind.as_str()) {
            let message = format!("kornsole does not support volumes of the kind {:?}", volume.kind);
            return Err(Refusal::new(Filter::VolumeRestrictions, message));
        }
    }
    let mut places: Vec<VolumePlace> = Vec::new();
    for name in claim_names(pod) {
        let Some(claim) = storage.claims.get(&(pod.metadata.namespace.clone(), name.clone())) else {
            return Err(Refusal::new(Filter::Before, format!("persistentvolumeclaim {name:?} not found")));
        };
        if !claim.is_bound() {
            return Err(unbound(&name, claim, storage));
        }
        let Some(volume) = storage.volumes.get(&claim.spec.volume_name) else {
            let message = format!("persistentvolume {:?} not found", claim.spec.volume_name);
            return Err(Refusal::new(Filter::VolumeBinding, message));
        };
        places.push(VolumePlace::of(volume)?);
    }
    places.sort();
    places.dedup();
    Ok(places)
}

/// A claim that is not bound: by a class that waits it is bound with the pod, which is not done here; by any other no node will do.
fn unbound(name: &str, claim: &Claim, storage: Storage<'_>) -> Refusal {
    let waits = storage.classes.get(&claim.spec.storage_class_name).is_some_and(StorageClass::waits);
    if waits && claim.spec.volume_name.is_empty() {
        let message = format!("kornsole does not support binding volumes: claim {name:?} waits for its first pod");
        Refusal::new(Filter::VolumeBinding, message)
    } else {
        Refusal::new(Filter::Before, "pod has unbound immediate PersistentVolumeClaims")
    }
}

/// The volumes of a pod that have to be attached to its node, each by its driver and its name there (K8S-182).
pub(super) fn attached(pod: &Pod, storage: Storage<'_>) -> Vec<(String, String)> {
    let of_claim = |name: String| {
        let claim = storage.claims.get(&(pod.metadata.namespace.clone(), name))?;
        attached_by(&claim.spec.volume_name, storage)
    };
    claim_names(pod).filter_map(of_claim).collect()
}

/// By which driver a volume is attached, and its name there.
pub(super) fn attached_by(volume: &str, storage: Storage<'_>) -> Option<(String, String)> {
    let (driver, handle) = storage.volumes.get(volume)?.attached_by()?;
    Some((driver.to_owned(), handle.to_owned()))
}

/// The claims of a pod that one pod alone may use, as `namespace/name` (K8S-183).
pub(super) fn for_one_pod(pod: &Pod, storage: Storage<'_>) -> Vec<String> {
    let namespace = &pod.metadata.namespace;
    let alone =
        |name: &String| storage.claims.get(&(namespace.clone(), name.clone())).is_some_and(Claim::is_for_one_pod);
    claim_names(pod).filter(alone).map(|name| format!("{namespace}/{name}")).collect()
}
