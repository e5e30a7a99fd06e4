const DOMAIN: &str = "yunikorn.apache.org/";
pub(crate) const OWN_SCHEDULER: &str = "yunikorn";
pub(crate) const PARAMETERS: &str = "schedulingPolicyParameters";
pub(crate) const TASK_GROUPS: &str = "task-groups";

pub(crate) fn own(name: &str) -> String {
    format!("{DOMAIN}{name}")
}

pub(crate) fn is_own(key: &str) -> bool {
    key.starts_with(DOMAIN)
}
