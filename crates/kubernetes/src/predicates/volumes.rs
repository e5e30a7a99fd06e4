//! VolumeBinding, VolumeZone, VolumeRestrictions (K8S-175 to K8S-178, K8S-183).

use std::collections::BTreeMap;

use super::labels::NodeTerms;
use super::nodes::NodeFacts;
use super::refusal::{Filter, Refusal};
use crate::objects::{
    Attachment, Claim, CsiNode, NodeSelector, NodeTerm, PersistentVolume, Pod, Requirement, StorageClass,
};

/// Zone labels of volumes, with the current label names of nodes.
const ZONES: [(&str, &str); 4] = [
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("topology.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
];

/// The selected node of the first pod of a claim.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// Volume kinds that every node has. Other kinds without a claim are rejected (K8S-185).
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

#[derive(Clone, Copy, Debug)]
pub(crate) struct Storage<'s> {
    pub claims: &'s BTreeMap<(String, String), Claim>,
    pub volumes: &'s BTreeMap<String, PersistentVolume>,
    pub classes: &'s BTreeMap<String, StorageClass>,
    pub csi_nodes: &'s BTreeMap<String, CsiNode>,
    pub attachments: &'s BTreeMap<String, Attachment>,
    /// Claims that wait for their first pod are bound with it (K8S-178), by a release but not by kornsole.
    pub binds_late: bool,
}

impl Storage<'_> {
    /// The scheduler of the pod binds the claim after the pod has a node.
    fn is_bound_late(&self, claim: &Claim) -> bool {
        self.binds_late && self.waits(claim)
    }

    fn waits(&self, claim: &Claim) -> bool {
        let class = self.classes.get(&claim.spec.storage_class_name);
        class.is_some_and(StorageClass::waits) && claim.spec.volume_name.is_empty()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VolumePlace {
    affinity: Option<NodeTerms>,
    /// The volume is created or selected after the pod has a node.
    late: bool,
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
        Ok(Self { affinity, late: false, zones: ZONES.iter().enumerate().filter_map(zone).collect() })
    }

    /// On the selected node, otherwise in the topologies of the class (K8S-178).
    fn of_late(claim: &Claim, storage: Storage<'_>) -> Result<Self, Refusal> {
        let term =
            |key: &str, values: Vec<String>| Requirement { key: key.to_owned(), operator: "In".to_owned(), values };
        let mut terms = Vec::new();
        if let Some(node) = claim.metadata.annotations.get(SELECTED_NODE) {
            let fields = vec![term("metadata.name", vec![node.clone()])];
            terms.push(NodeTerm { match_fields: fields, ..NodeTerm::default() });
        } else {
            let class = storage.classes.get(&claim.spec.storage_class_name);
            for topology in class.into_iter().flat_map(|class| &class.allowed_topologies) {
                let all = topology.match_label_expressions.iter();
                let all = all.map(|one| term(&one.key, one.values.clone())).collect();
                terms.push(NodeTerm { match_expressions: all, ..NodeTerm::default() });
            }
        }
        let selector = (!terms.is_empty()).then_some(NodeSelector { node_selector_terms: terms });
        let affinity = selector.as_ref().map(NodeTerms::of).transpose();
        let affinity = affinity.map_err(|why| Refusal::new(Filter::VolumeBinding, why))?;
        Ok(Self { affinity, late: true, zones: Vec::new() })
    }

    /// Rejects by K8S-175.
    pub fn wrong_place(&self, node: &NodeFacts) -> Option<Refusal> {
        // Volumes select nodes by labels only.
        let name = if self.late { node.id.as_str() } else { "" };
        let reached = self.affinity.as_ref().is_none_or(|terms| terms.matches(name, &node.labels));
        let words = if self.late {
            "node(s) did not find available persistent volumes to bind"
        } else {
            "node(s) had volume node affinity conflict"
        };
        (!reached).then(|| Refusal::new(Filter::VolumeBinding, words))
    }

    /// Rejects by K8S-176.
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

pub(super) fn claim_names(pod: &Pod) -> impl Iterator<Item = String> + '_ {
    pod.spec.volumes.iter().filter_map(|volume| match volume.kind.as_str() {
        "persistentVolumeClaim" => Some(volume.claim.clone()),
        "ephemeral" => Some(format!("{}-{}", pod.metadata.name, volume.name)),
        _ => None,
    })
}

/// Before the pod is requested (K8S-178, K8S-232).
pub(crate) fn waits_for(pod: &Pod, storage: Storage<'_>) -> Option<String> {
    claim_names(pod).find_map(|name| {
        let key = (pod.metadata.namespace.clone(), name);
        match storage.claims.get(&key) {
            None => Some(format!("its claim {:?} does not exist", key.1)),
            Some(claim) if claim.metadata.deletion_timestamp.is_some() => {
                Some(format!("its claim {:?} is being deleted", key.1))
            }
            Some(claim) if !claim.is_bound() && !storage.is_bound_late(claim) => {
                Some(format!("needs volume binding: its claim {:?} is not bound", key.1))
            }
            Some(_) => None,
        }
    })
}

/// Waiting claims whose volumes must exist; their availability is not checked.
pub(crate) fn chosen_late(pod: &Pod, storage: Storage<'_>) -> Option<String> {
    claim_names(pod).find(|name| {
        let claim = storage.claims.get(&(pod.metadata.namespace.clone(), name.clone()));
        let late = claim.filter(|claim| !claim.is_bound() && storage.is_bound_late(claim));
        let class = late.and_then(|claim| storage.classes.get(&claim.spec.storage_class_name));
        class.is_some_and(|class| class.provisioner == NO_PROVISIONER)
    })
}

/// Returns the locations of a pod's volumes.
///
/// # Errors
/// Why no node fits.
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
        if !claim.is_bound() && storage.is_bound_late(claim) {
            places.push(VolumePlace::of_late(claim, storage)?);
            continue;
        }
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

/// kornsole does not bind waiting claims, and other claims fit no node.
fn unbound(name: &str, claim: &Claim, storage: Storage<'_>) -> Refusal {
    if storage.waits(claim) {
        let message = format!("kornsole does not support binding volumes: claim {name:?} waits for its first pod");
        Refusal::new(Filter::VolumeBinding, message)
    } else {
        Refusal::new(Filter::Before, "pod has unbound immediate PersistentVolumeClaims")
    }
}

/// Driver and name of each volume (K8S-182).
pub(super) fn attached(pod: &Pod, storage: Storage<'_>) -> Vec<(String, String)> {
    let of_claim = |name: String| {
        let claim = storage.claims.get(&(pod.metadata.namespace.clone(), name))?;
        attached_by(&claim.spec.volume_name, storage)
    };
    claim_names(pod).filter_map(of_claim).collect()
}

pub(super) fn attached_by(volume: &str, storage: Storage<'_>) -> Option<(String, String)> {
    let (driver, handle) = storage.volumes.get(volume)?.attached_by()?;
    Some((driver.to_owned(), handle.to_owned()))
}

/// As `namespace/name` (K8S-183).
pub(super) fn for_one_pod(pod: &Pod, storage: Storage<'_>) -> Vec<String> {
    let namespace = &pod.metadata.namespace;
    let alone =
        |name: &String| storage.claims.get(&(namespace.clone(), name.clone())).is_some_and(Claim::is_for_one_pod);
    claim_names(pod).filter(alone).map(|name| format!("{namespace}/{name}")).collect()
}
