//! Counters of skipped cycles, which count as attempts too.
//!
//! A skipped partition or leaf counts once; the attempts of a request are derived on demand.

use crate::index::AppKey;
use crate::state::app::Application;
use crate::state::partition::Partition;
use crate::state::queue_tree::QueueTree;
use crate::state::skipped_cycles::{SkippedCycles, SkippedSince};
use model::Time;

/// The cycles that skipped the whole group of an application, if it is in one.
fn group_cycles(queues: &QueueTree, app: &Application) -> Option<SkippedCycles> {
    let group = app.asleep?.group;
    Some(queues.get(app.queue)?.candidates.group(group).skipped_cycles)
}

impl Partition {
    pub(crate) fn skipped_since(&self, now: Time, app: AppKey) -> SkippedSince {
        let leaf = self.apps[app].queue;
        SkippedSince {
            at: now,
            leaf,
            of_leaf: self.queues.leaf_notes.get(leaf).skipped_cycles,
            of_partition: self.skipped_cycles,
            of_group: group_cycles(&self.queues, &self.apps[app]).unwrap_or_default(),
            own: SkippedCycles::default(),
        }
    }

    pub(crate) fn count_skipped_cycles(&mut self, app: AppKey) {
        let of_group = self.apps.get(app).and_then(|app| group_cycles(&self.queues, app));
        let Some(application) = self.apps.get_mut(app) else { return };
        let Some(since) = application.backoff.as_mut().and_then(|backoff| backoff.since.as_mut()) else { return };
        let of_leaf = match self.queues.get(since.leaf) {
            Some(_) => self.queues.leaf_notes.get(since.leaf).skipped_cycles,
            None => since.of_leaf,
        };
        let of_group = of_group.unwrap_or(since.of_group);
        let of_queues = of_leaf.since(since.of_leaf).and(of_group.since(since.of_group));
        let skipped_cycles = since.own.and(of_queues).and(self.skipped_cycles.since(since.of_partition));
        if skipped_cycles.times == 0 {
            return;
        }
        let tried = since.at;
        (since.of_leaf, since.of_group, since.of_partition) = (of_leaf, of_group, self.skipped_cycles);
        since.own = SkippedCycles::default();
        for (.., ask) in &application.pending_order {
            let ask = &mut application.asks[*ask];
            ask.log.note_again(ask.tried, tried, skipped_cycles.times, skipped_cycles.last);
        }
    }

    /// Does the same for all applications.
    pub fn count_all_skipped_cycles(&mut self) {
        let backed_off = self.apps.iter().filter(|(_, app)| app.backoff.is_some());
        let backed_off: Vec<AppKey> = backed_off.map(|(key, _)| key).collect();
        backed_off.into_iter().for_each(|app| self.count_skipped_cycles(app));
    }
}
