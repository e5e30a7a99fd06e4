//! The queues and priorities in which victims are sought (SCH-152, SCH-153).

use smallvec::SmallVec;

use crate::index::QueueKey;
use crate::interface::switches::MaxIsFence;
use crate::state::queue_tree::QueueTree;
use model::{Priority, PriorityPolicy, Resource};

pub(super) struct Fence {
    leaf: QueueKey,
    /// From the leaf up, each with the request's priority as seen from outside the queue.
    path: SmallVec<[(QueueKey, i64); 8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VictimQueue {
    /// The leaf that the victims are in.
    pub leaf: QueueKey,
    /// The highest priority of a victim there.
    pub up_to: i64,
}

impl Fence {
    /// The queues up to the first preemption fence or the root, or the first queue with a maximum that is a fence
    /// (P-10, N-03).
    pub(super) fn around(
        queues: &QueueTree,
        leaf: QueueKey,
        (priority, wanted): (Priority, &Resource),
        max_is_fence: MaxIsFence,
    ) -> Self {
        let mut path = SmallVec::new();
        let mut seen = i64::from(priority.0);
        for key in queues.path_up(leaf) {
            let queue = &queues[key];
            let properties = &queue.settings.properties;
            let offset = i64::from(properties.priority_offset);
            seen = match properties.priority_policy {
                PriorityPolicy::Fence => offset,
                PriorityPolicy::Default => seen + offset,
            };
            path.push((key, seen));
            if is_fence_by_max(queues, key, wanted, max_is_fence) || properties.preemption_policy.is_fence() {
                break;
            }
        }
        Self { leaf, path }
    }

    pub(super) fn victim_queues(&self, queues: &QueueTree) -> Vec<VictimQueue> {
        let mut victim_queues = Vec::new();
        // (queue, the request's priority inside it, whether priorities inside do not matter)
        let mut stack: Vec<(QueueKey, i64, bool)> =
            self.path.last().map(|(root, p)| (*root, *p, false)).into_iter().collect();
        while let Some((key, priority, fenced)) = stack.pop() {
            let queue = &queues[key];
            if key == self.leaf || queue.allocated.is_zero() {
                continue;
            }
            if queue.leaf {
                if queue.settings.properties.preemption_policy.is_enabled() {
                    victim_queues.push(VictimQueue { leaf: key, up_to: if fenced { i64::MAX } else { priority } });
                }
                continue;
            }
            for child in &queue.children {
                let properties = &queues[*child].settings.properties;
                let offset = i64::from(properties.priority_offset);
                let own = self.path.iter().find(|(on_path, _)| on_path == child);
                match (own, properties.priority_policy) {
                    (Some((_, seen)), _) => stack.push((*child, *seen, fenced)),
                    (None, PriorityPolicy::Fence) if offset > priority => {}
                    (None, PriorityPolicy::Fence) => stack.push((*child, priority, true)),
                    (None, PriorityPolicy::Default) => stack.push((*child, priority - offset, fenced)),
                }
            }
        }
        victim_queues
    }
}

/// Whether the maximum of a queue makes it a fence for an ask (P-10, N-03).
pub(super) fn is_fence_by_max(queues: &QueueTree, key: QueueKey, wanted: &Resource, rule: MaxIsFence) -> bool {
    match rule {
        MaxIsFence::Never => false,
        MaxIsFence::Full => queues[key].max.as_ref().is_some_and(|max| *max == queues[key].allocated),
        MaxIsFence::Exceeded => would_exceed(queues, key, wanted),
    }
}

fn would_exceed(queues: &QueueTree, key: QueueKey, wanted: &Resource) -> bool {
    let path = queues.path_up(key);
    let most = path.iter().filter_map(|key| queues[*key].max.as_ref());
    let most = most.fold(None, |most: Option<Resource>, max| Resource::min_permissive_unset(most.as_ref(), Some(max)));
    let then = queues[key].allocated.add(wanted);
    most.is_some_and(|most| then.iter().any(|(name, amount)| most.get(name).is_some_and(|most| amount > most)))
}
