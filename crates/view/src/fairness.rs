//! Compares the usage of each queue with its guaranteed resources: deficit, borrowed, idle.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::Vector;

use super::share::{Shares, add_since};
use super::{PartitionView, QueueRow, Sample};
use model::{MEMORY, QueuePath, Resource, Time, VCORE};

/// A queue and one of its guaranteed resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairnessRow {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// The resource name, for example `vcore`.
    pub resource: Arc<str>,
    /// The queue's own guaranteed quantity; 0 without one.
    pub guaranteed: i64,
    /// What it uses.
    pub used: i64,
    /// The pending quantity in addition to the usage.
    pub pending: i64,
    /// The queue's share of its parent's resources, divided by guaranteed resources among the requesting siblings.
    pub fair: i64,
    /// The parent's resources to divide.
    pub of_parent: i64,
    /// The earliest known time of the current deficit; `None` without one, or without samples.
    pub since: Option<Time>,
    /// The siblings above their guaranteed resources, the largest excess first, if this queue has a deficit.
    pub borrowers: Vec<QueuePath>,
}

impl FairnessRow {
    fn demand(&self) -> i64 {
        self.used.saturating_add(self.pending)
    }

    /// The requested but missing part of the guaranteed quantity.
    pub fn deficit(&self) -> i64 {
        self.guaranteed.min(self.demand()).saturating_sub(self.used).max(0)
    }

    /// The deficit in thousandths of the guaranteed quantity, comparable between resources.
    pub fn shortage(&self) -> i64 {
        let part = i128::from(self.deficit()) * 1000 / i128::from(self.guaranteed.max(1));
        i64::try_from(part).unwrap_or(i64::MAX)
    }

    /// The usage above the guaranteed quantity.
    pub fn borrowed(&self) -> i64 {
        self.used.saturating_sub(self.guaranteed).max(0)
    }

    /// The part of the guaranteed quantity that is neither used nor requested.
    pub fn idle(&self) -> i64 {
        self.guaranteed.saturating_sub(self.demand()).max(0)
    }
}

impl PartitionView {
    /// Every queue except the root, for each guaranteed or used resource: the largest relative deficits first, then
    /// borrowers, then by queue. Reads all queues: compute it on demand only.
    ///
    /// `history` gives the start of a deficit under the current guaranteed resources.
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
            let mut row = metrics(queue, name);
            (row.fair, row.of_parent) = shares.of_queue(queue, name);
            if row.deficit() > 0 {
                row.borrowers = self.borrowers(queue, name);
            }
            row
        };
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_by_key(|name| (*name != VCORE, *name != MEMORY));
        names.into_iter().map(row).collect()
    }

    fn borrowers(&self, queue: &QueueRow, name: &str) -> Vec<QueuePath> {
        let parent = queue.parent.and_then(|slot| self.queue(slot));
        let siblings = parent.iter().flat_map(|parent| parent.children.iter()).filter_map(|slot| self.queue(*slot));
        let mut found: Vec<FairnessRow> =
            siblings.map(|sibling| metrics(sibling, name)).filter(|row| row.borrowed() > 0).collect();
        found.sort_by_key(|row| std::cmp::Reverse(row.borrowed()));
        found.into_iter().map(|row| row.queue).collect()
    }
}

fn metrics(queue: &QueueRow, name: &str) -> FairnessRow {
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
