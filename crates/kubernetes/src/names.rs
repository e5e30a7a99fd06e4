//! The names that YuniKorn gives labels and annotations.

/// Before all of them.
const DOMAIN: &str = "yunikorn.apache.org/";
/// The schedulerName of the pods that YuniKorn schedules.
pub(crate) const OWN_SCHEDULER: &str = "yunikorn";
/// The annotation with the parameters of a gang, without its domain.
pub(crate) const PARAMETERS: &str = "schedulingPolicyParameters";
/// The annotation with the task groups of a gang, without its domain.
pub(crate) const TASK_GROUPS: &str = "task-groups";

/// A label or annotation of YuniKorn, with its domain.
pub(crate) fn own(name: &str) -> String {
    format!("{DOMAIN}{name}")
}
