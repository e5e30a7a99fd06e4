//! Finds ineffective or misleading gang settings (K8S-133, SCH-143), which are only reported.

use super::gang::{TaskGroup, group_of, is_placeholder};
use super::names::{PARAMETERS, own};
use super::objects::{Meta, Pod};
use super::pod_resources::{SidecarSum, pod_resources};
use super::quantity;
use model::quantity::show_amount;

/// The default timeout of a gang (K8S-133).
const DEFAULT_TIMEOUT: &str = "15 min";

pub(super) fn parameters(meta: &Meta) -> Vec<String> {
    let parts = meta.annotation(&own(PARAMETERS)).split(' ').filter(|part| !part.is_empty());
    parts.filter_map(without_effect).collect()
}

fn without_effect(part: &str) -> Option<String> {
    let mut sides = part.split('=');
    let (Some(key), Some(value), None) = (sides.next(), sides.next(), sides.next()) else {
        return Some(format!("{part:?} has no effect: a parameter of a gang is KEY=VALUE"));
    };
    match key {
        "gangSchedulingStyle" if ["Hard", "Soft"].contains(&value) => None,
        "gangSchedulingStyle" => Some(format!("{part} has no effect: the style is Hard or Soft; Soft is used")),
        "placeholderTimeoutInSeconds" if value.parse::<i64>().is_ok_and(|seconds| seconds > 0) => None,
        "placeholderTimeoutInSeconds" => {
            Some(format!("{part} has no effect: it is not a number of seconds above 0; {DEFAULT_TIMEOUT} are used"))
        }
        _ => Some(format!(
            "{part} has no effect: the parameters are placeholderTimeoutInSeconds and gangSchedulingStyle"
        )),
    }
}

pub(super) fn too_small(pod: &Pod, groups: &[TaskGroup], sidecars: SidecarSum) -> Option<String> {
    if is_placeholder(&pod.metadata) {
        return None;
    }
    let name = group_of(&pod.metadata);
    let group = groups.iter().find(|group| group.name == name)?;
    let (Ok(requested), Ok(needed)) = (quantity::resource(&group.min_resource), pod_resources(pod, sidecars)) else {
        return None;
    };
    // A placeholder counts as one pod in any case.
    let short = needed.iter().filter(|(of, amount)| *of != "pods" && *amount > requested.amount(of));
    let words: Vec<String> = short
        .map(|(of, amount)| format!("{of} {} of {}", show_amount(of, requested.amount(of)), show_amount(of, amount)))
        .collect();
    if words.is_empty() {
        return None;
    }
    Some(format!(
        "its task group {name:?} requests less than the pod: {}. Its placeholder is released, and the pod waits for other capacity; the \
         containers, sidecars, and the overhead count together",
        words.join(", ")
    ))
}
