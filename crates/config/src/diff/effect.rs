//! The effect of a change on a running scheduler (`config.md` section 15).

use super::{Key, What};

/// `lowered`: a bound was lowered or added.
pub(super) fn effect(key: &Key, what: What, lowered: bool) -> &'static str {
    match (key, what) {
        (Key::Partition, What::Added) => "created immediately",
        (Key::Partition, _) => "its queues drain, its applications fail, its nodes are dropped",
        (Key::Queue, What::Added) => "active immediately",
        (Key::Queue, _) => "drains; is removed when empty",
        (Key::Parent, _) if lowered => "remains a parent until its last child is removed",
        (Key::Parent, _) => "rejected while it has applications",
        (Key::MaxApplications, _) if lowered => {
            "running applications continue; none starts until the count is below the maximum"
        }
        (Key::Max(_), _) if lowered => {
            "running allocations continue; no new allocations until usage is below the maximum"
        }
        (Key::Guaranteed(_), _) => "from the next cycle",
        (Key::AdminAcl | Key::SubmitAcl, _) => "from the next check; running applications continue",
        (Key::Property(_), _) => "immediately; child queues inherit it",
        (Key::Template | Key::InTemplate(_), _) => "for new dynamic queues",
        (Key::InLimit(_, setting), _) if setting == "limit" => "no effect, a description",
        (Key::Limit(_) | Key::InLimit(..) | Key::LimitOrder, _) if lowered => {
            "immediately; running allocations continue"
        }
        (Key::Rule(_), _) => "for new applications",
        _ => "immediately",
    }
}
