//! Collects an application: its pods by age, and what follows from them.

use super::gang::{self, TaskGroup};
use super::objects::Pod;
use model::{Resource, Time};

pub(super) struct Member<'c> {
    pub pod: &'c Pod,
    pub at: Time,
    pub resource: Resource,
}

pub(super) struct Making<'c> {
    pub first: &'c Pod,
    pub first_at: Time,
    pub members: Vec<Member<'c>>,
}

pub(super) fn is_placeholder(pod: &Pod) -> bool {
    gang::is_placeholder(&pod.metadata)
}

pub(super) fn members(group: &TaskGroup) -> u64 {
    u64::try_from(group.min_member).unwrap_or(0)
}

/// UID of the first pod, or of a placeholder's owner (K8S-127).
pub(super) fn originator(making: &Making<'_>) -> Option<String> {
    let first = &making.first.metadata;
    if gang::is_placeholder(first) {
        first.owner_references.first().map(|owner| owner.uid.clone())
    } else {
        Some(first.uid.clone())
    }
}

/// The placeholders that a gang lacks (K8S-220, K8S-223).
pub(super) fn missing_placeholders(id: &str, making: &Making<'_>, groups: &[TaskGroup]) -> Vec<Pod> {
    let mut made = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let there = making.members.iter().filter(|one| is_placeholder(one.pod));
        let there = there.filter(|one| gang::group_of(&one.pod.metadata) == group.name).count() as u64;
        for number in there..members(group) {
            made.push(gang::placeholder(id, making.first, group, &format!("{at:03}{number:07}")));
        }
    }
    made
}
