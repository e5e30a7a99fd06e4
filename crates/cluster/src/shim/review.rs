//! Why pods are pending, as Events and as the condition for autoscalers (K8S-231).

use std::collections::BTreeMap;

use engine::Core;
use kubernetes::live::{Live, PARTITION, PodName};
use model::{AppId, AskId, Time};
use scheduler::Partition;
use scheduler::index::AppKey;
use scheduler::inspect::explain::types::{BlockLevel, Blocker, Place};
use scheduler::state::ask_log::TryResult;
use view::waiting::AskWords;
use view::waiting::Sentence;

/// Explanations are expensive.
const AT_ONCE: usize = 10;
/// So many pending requests cost an idle cluster almost nothing.
const WALKED: usize = 5_000;
/// Minimum time between two reviews of a pod, in microseconds.
const AGAIN: u64 = 300_000_000;
/// Minimum waiting time, in microseconds.
const SETTLED: u64 = 2_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    pub pod: PodName,
    /// The first failed check, like in the console.
    pub words: String,
    /// It fits its queues and limits, but no node.
    pub needs_nodes: bool,
}

#[derive(Debug, Default)]
pub(super) struct Review {
    checked: BTreeMap<AskId, (Time, bool)>,
    /// End of the last walk: before this application, or after this many of its requests. `None`: at the end.
    ended: Option<(AppKey, usize)>,
}

impl Review {
    /// Returns due pods, the longest waiting first.
    pub fn look(&mut self, core: &Core, live: &Live) -> Vec<Wait> {
        let now = core.now();
        let from = self.ended.take();
        if from.is_none() {
            self.checked.retain(|ask, _| live.is_pending(ask));
        }
        let Some(part) = core.scheduler().partitions().iter().find(|part| *part.name == *PARTITION) else {
            return Vec::new();
        };
        let mut due = self.due(now, part, live, from);
        due.sort();
        due.truncate(AT_ONCE);
        let mut waits = Vec::new();
        for (_, app, ask, no_node) in due {
            self.checked.insert(ask.clone(), (now, no_node));
            let found = part.explain(now, &app, Some(&ask)).and_then(|found| found.asks.into_iter().next());
            // The maximum of the root is the capacity of the nodes: more nodes would help.
            let of_nodes = |blocker: &Blocker| match (blocker.level, &blocker.place) {
                (BlockLevel::Node | BlockLevel::Partition, _) => true,
                (BlockLevel::Queue, Place::Queue(path)) => path.parent().is_none(),
                _ => false,
            };
            let blockers = found.as_ref().map(|found| found.blockers.as_slice()).unwrap_or_default();
            let needs_nodes = !blockers.is_empty() && blockers.iter().all(of_nodes);
            let words = found.and_then(|found| match (found.blockers.first(), found.next_step()) {
                (Some(first), _) => Some(format!("waits for {}", first.sentence())),
                (None, step) => step,
            });
            if let (Some(words), Some(pod)) = (words, live.pod_of(&ask)) {
                waits.push(Wait { pod, words, needs_nodes });
            }
        }
        waits
    }

    fn due(
        &mut self,
        now: Time,
        part: &Partition,
        live: &Live,
        from: Option<(AppKey, usize)>,
    ) -> Vec<(Time, AppId, AskId, bool)> {
        let mut due = Vec::new();
        let mut left = WALKED;
        for (app_key, app) in part.apps.iter().skip_while(|(key, _)| from.is_some_and(|(from, _)| *key < from)) {
            let passed = from.filter(|(from, _)| *from == app_key).map_or(0, |(_, passed)| passed);
            for (number, (.., key)) in app.pending_order.iter().enumerate().skip(passed) {
                if left == 0 {
                    self.ended = Some((app_key, number));
                    return due;
                }
                left -= 1;
                let ask = &app.asks[*key];
                let needs_nodes = ask.tried == TryResult::NoNode;
                let known = self.checked.get(&ask.id);
                // A pod that starts to wait for nodes is reviewed at once, for the autoscaler.
                let again =
                    known.is_none_or(|(at, nodes)| now.0.saturating_sub(at.0) >= AGAIN || *nodes != needs_nodes);
                let waits = now.0.saturating_sub(ask.created.0) >= SETTLED && ask.tried != TryResult::Never;
                if again && waits && live.is_pending(&ask.id) {
                    due.push((ask.created, app.id.clone(), ask.id.clone(), needs_nodes));
                }
            }
        }
        due
    }
}
