//! Reasons to not request a pod yet (K8S-134, K8S-178, K8S-232).

use super::objects::Pod;
use super::predicates::{Storage, waits_for};

/// The missing dependency; `None` if the pod can be requested.
pub(super) fn not_yet(pod: &Pod, storage: Storage<'_>) -> Option<String> {
    let gates: Vec<&str> = pod.spec.scheduling_gates.iter().map(|gate| gate.name.as_str()).collect();
    if !gates.is_empty() {
        return Some(format!("it has scheduling gates: {}", gates.join(", ")));
    }
    if pod.metadata.deletion_timestamp.is_some() {
        return Some("it is being deleted".to_owned());
    }
    waits_for(pod, storage)
}
