//! Who starves, who borrows, who idles: each queue next to its guarantee.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::Vector;

use super::share::{Shares, add_since};
use super::{PartitionView, QueueRow, Sample};
use model::{QueuePath, Resource, Time};

/// How a queue stands to its guarantee in one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairnessRow {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// The name of the resource, as `vcore`.
    pub resource: Arc<str>,
    /// Its own guarantee; 0 without one.
    pub guaranteed: i64,
    /// What it uses.
    pub used: i64,
    /// What it requests beyond that.
    pub pending: i64,
    /// What it would have if its parent's share went by guarantees among the siblings that ask.
    pub fair: i64,
    /// What its parent has to share out.
    pub of_parent: i64,
    /// Since when it has had a deficit, at least; `None` without one, or where nothing was sampled.
    pub since: Option<Time>,
    /// The siblings that use more than their guarantee, the most first, where it lacks some of its own.
    pub borrowers: Vec<QueuePath>,
}

impl FairnessRow {
    fn demand(&self) -> i64 {
        self.used.saturating_add(self.pending)
    }

    /// What it lacks of its guarantee though it requests it.
    pub fn deficit(&self) -> i64 {
        self.guaranteed.min(self.demand()).saturating_sub(self.used).max(0)
    }

    /// The deficit as a part of the guarantee, in thousandths: so that cpu and memory compare.
    pub fn shortage(&self) -> i64 {
        let part = i128::from(self.deficit()) * 1000 / i128::from(self.guaranteed.max(1));
        i64::try_from(part).unwrap_or(i64::MAX)
    }

    /// What it uses beyond its guarantee.
    pub fn borrowed(&self) -> i64 {
        self.used.saturating_sub(self.guaranteed).max(0)
    }

    /// What of its guarantee it does not even request.
    pub fn idle(&self) -> i64 {
        self.guaranteed.saturating_sub(self.demand()).max(0)
    }
}

impl PartitionView {
    /// Every queue but the root next to its guarantee, for each resource that it is guaranteed or uses: those that lack the largest part of
    /// their guarantee first, then those that borrow, then by queue. Looks at all queues; meant for a question of a person.
    ///
    /// `history` says since when a queue has had a deficit, under the guarantee that it has now.
    pub fn fairness(&self, history: &Vector<Arc<Sample>>, now: Time) -> Vec<FairnessRow> {
        let shares = Shares::of(self);
        let mut rows: Vec<FairnessRow> =
            self.walk().skip(1).flat_map(|queue| self.fairness_of(queue, &shares)).collect();
        add_since(&mut rows, history, &self.name, now);
        rows.sort_by(|one, other| {
            let borrows = |row: &FairnessRow| row.borrowed() > 0;
            other.shortage().cmp(&one.shortage()).then_with(|| borrows(other).cmp(&borrows(one)))
        });
        rows
    }

    fn fairness_of(&self, queue: &QueueRow, shares: &Shares) -> Vec<FairnessRow> {
        let guaranteed = queue.guaranteed.iter().flat_map(Resource::iter);
        let names: BTreeSet<&str> = guaranteed.chain(queue.allocated.iter()).map(|(name, _)| name).collect();
        let row = |name: &str| {
            let mut row = figures(queue, name);
            (row.fair, row.of_parent) = shares.of_queue(queue, name);
            if row.deficit() > 0 {
                row.borrowers = self.borrowers(queue, name);
            }
            row
        };
        names.into_iter().map(row).collect()
    }

    fn borrowers(&self, queue: &QueueRow, name: &str) -> Vec<QueuePath> {
        let parent = queue.parent.and_then(|slot| self.queue(slot));
        let siblings = parent.iter().flat_map(|parent| parent.children.iter()).filter_map(|slot| self.queue(*slot));
        let mut found: Vec<FairnessRow> =
            siblings.map(|sibling| figures(sibling, name)).filter(|row| row.borrowed() > 0).collect();
        found.sort_by_key(|row| std::cmp::Reverse(row.borrowed()));
        found.into_iter().map(|row| row.queue).collect()
    }
}

fn figures(queue: &QueueRow, name: &str) -> FairnessRow {
    FairnessRow {
        queue: queue.path.clone(),
        resource: Arc::from(name),
        guaranteed: queue.guaranteed.as_ref().map_or(0, |guaranteed| guaranteed.amount(name)),
        used: queue.allocated.amount(name),
        pending: queue.pending.amount(name),
        fair: 0,
        of_parent: 0,
        since: None,
        borrowers: Vec::new(),
    }
}
