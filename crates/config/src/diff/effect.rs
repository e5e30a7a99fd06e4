//! The effect of a change on a running scheduler (`config.md` section 15).

use super::{Key, What};

/// `lowered`: a bound was lowered or added.
pub(super) fn effect(key: &Key, what: What, lowered: bool) -> &'static str {
    match (key, what) {
        (Key::Partition, What::Added) => "created immediately",
        (Key::Partition, _) => "its queues drain, its applications fail, its nodes are dropped",
        (Key::Queue, What::Added) => "active immediately",
        (Key::Queue, _) => "drains, and is removed when empty",
        (Key::Parent, _) if lowered => "stays a parent until its last child is removed",
        (Key::Parent, _) => "rejected while it has applications",
        (Key::MaxApplications, _) if lowered => "running applications stay, none starts until the count is below",
        (Key::Max(_), _) if lowered => "running allocations stay, no new ones until usage is below",
        (Key::Guaranteed(_), _) => "from the next cycle",
        (Key::AdminAcl | Key::SubmitAcl, _) => "from the next check, running applications stay",
        (Key::Property(_), _) => "immediately, child queues inherit it",
        (Key::Template | Key::InTemplate(_), _) => "for new dynamic queues",
        (Key::InLimit(_, setting), _) if setting == "limit" => "no effect, a description",
        (Key::Limit(_) | Key::InLimit(..) | Key::LimitOrder, _) if lowered => "immediately, running allocations stay",
        (Key::Rule(_), _) => "for new applications",
        _ => "immediately",
    }
}
