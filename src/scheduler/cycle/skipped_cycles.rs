//! Cycles that something slept through: they count as tries too, and nothing is done in them but counting.
//!
//! A cycle that a whole partition sleeps through is counted once for it, one that a leaf sleeps through once for the leaf. How often an
//! ask was tried follows from that when somebody wants to know, or when its application wakes.

use crate::model::Time;
use crate::scheduler::index::AppKey;
use crate::scheduler::state::partition::Partition;
use crate::scheduler::state::skipped_cycles::{Since, Slept};

impl Partition {
    /// An application falls asleep now.
    pub(in crate::scheduler) fn sleeps_since(&self, now: Time, app: AppKey) -> Since {
        let leaf = self.apps[app].queue;
        Since { at: now, leaf, of_leaf: self.queues[leaf].slept, of_partition: self.slept, own: Slept::default() }
    }

    /// Counts the cycles that an application has slept through so far among the tries of its asks.
    pub(in crate::scheduler) fn count_slept(&mut self, app: AppKey) {
        let Some(application) = self.apps.get_mut(app) else { return };
        let Some(since) = application.sleep.as_mut().and_then(|sleep| sleep.since.as_mut()) else { return };
        let of_leaf = self.queues.get(since.leaf).map_or(since.of_leaf, |leaf| leaf.slept);
        let slept = since.own.and(of_leaf.since(since.of_leaf)).and(self.slept.since(since.of_partition));
        if slept.times == 0 {
            return;
        }
        let tried = since.at;
        (since.of_leaf, since.of_partition, since.own) = (of_leaf, self.slept, Slept::default());
        for (.., ask) in &application.pending_order {
            let ask = &mut application.asks[*ask];
            ask.log.note_again(ask.tried, tried, slept.times, slept.last);
        }
    }

    /// The same for all applications.
    pub fn count_all_slept(&mut self) {
        let asleep = self.apps.iter().filter(|(_, app)| app.sleep.is_some());
        let asleep: Vec<AppKey> = asleep.map(|(key, _)| key).collect();
        asleep.into_iter().for_each(|app| self.count_slept(app));
    }
}
