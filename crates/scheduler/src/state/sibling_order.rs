//! The order in which children are tried (SCH-050 to SCH-053), updated instead of sorted in every cycle.
//!
//! Priority and share are total orders; pending is not (SCH-002). The list is sorted by priority and share, then by
//! pending, name by name, then by the queue's name. Neighbors that differ in pending, while neither needs more, are a
//! *break*. A class of equals with a break is sorted as specified when a cycle reaches it.
//!
//! Invariants:
//! - every change of a queue marks it ([`QueueTree`]'s `IndexMut`, and `note_priority`); an order is read only after
//!   [`QueueTree::settle_order`];
//! - a list contains exactly the children with something to do, each with the rank of its position;
//! - `front`, if not empty, is the first class in its specified order, the next child last.

use std::cmp::Ordering;

use crate::index::QueueKey;
use crate::state::app_rank::OrderKey;
use crate::state::queue::Queue;
use crate::state::queue_tree::QueueTree;
use crate::state::share::ordered;
use crate::state::siblings::{Entry, SiblingRank, Siblings, Visit};
use model::Resource;

const MANY: usize = 64;
/// A queue that was just served was in front, so these positions are searched one by one.
const FIRST: usize = 32;
const BLOCK: usize = 64;

impl SiblingRank {
    /// `None` if a cycle does not examine the queue.
    fn of(queue: &Queue) -> Option<Self> {
        let (priority, share) = (queue.current_priority(), &queue.share);
        queue.wants().then(|| Self { priority, share: share.clone(), pending: queue.pending.clone() })
    }

    /// The total keys (SCH-052, SCH-053).
    fn class(&self, other: &Self, by_priority: bool) -> Ordering {
        let priority = || other.priority.cmp(&self.priority);
        let share = || self.share.cmp(&other.share);
        if by_priority { priority().then_with(share) } else { share().then_with(priority) }
    }

    /// As numbers, up to the largest share. Equal leads may still differ in smaller shares and, by share first, in
    /// priority.
    fn lead(&self, by_priority: bool) -> [i64; 2] {
        let share = ordered(self.share.as_slice().first().copied().unwrap_or(0.0));
        if by_priority { [-i64::from(self.priority.0), share] } else { [share, 0] }
    }

    fn breaks(&self, other: &Self) -> bool {
        !self.pending.at_least(&other.pending) && !other.pending.at_least(&self.pending)
    }
}

impl QueueTree {
    pub(crate) fn settle_order(&mut self) {
        if self.marked.is_empty() {
            return;
        }
        let mut marked = std::mem::take(&mut self.marked);
        if marked.len() > MANY && marked.len() * 8 > self.len() {
            self.sort_all();
        } else {
            marked.iter().for_each(|key| self.settle(*key));
        }
        marked.clear();
        self.marked = marked;
    }

    pub(crate) fn order_of(&self, parent: QueueKey) -> Vec<QueueKey> {
        let queue = &self.queues[parent];
        let by_priority = queue.settings.properties.sort_by_priority;
        if self.marked.is_empty() && queue.siblings.breaks == 0 && queue.siblings.by_priority == by_priority {
            return queue.siblings.list.iter().map(|entry| entry.key).collect();
        }
        let rank = |key: &QueueKey| Some((SiblingRank::of(&self.queues[*key])?, *key));
        let mut ranks: Vec<(SiblingRank, QueueKey)> = queue.children.iter().filter_map(rank).collect();
        // Stable: sorted by name.
        ranks.sort_by(|(left, _), (right, _)| left.class(right, by_priority));
        let classes = ranks.chunk_by(|(left, _), (right, _)| left.class(right, by_priority).is_eq());
        classes.flat_map(|class| self.sorted_as_specified(class.iter().map(|(_, key)| *key))).collect()
    }

    /// `None` if only names decide, or one has nothing to do.
    pub(crate) fn apart(&self, one: QueueKey, other: QueueKey) -> Option<(OrderKey, Ordering)> {
        let parent = self.queues[one].parent?;
        let (left, right) = (SiblingRank::of(&self.queues[one])?, SiblingRank::of(&self.queues[other])?);
        let priority = (OrderKey::Priority, right.priority.cmp(&left.priority));
        let share = (OrderKey::Share, left.share.cmp(&right.share));
        let by_priority = self.queues[parent].settings.properties.sort_by_priority;
        let keys = if by_priority { [priority, share] } else { [share, priority] };
        let pending = match () {
            () if left.pending.strictly_greater(&right.pending) => Ordering::Less,
            () if right.pending.strictly_greater(&left.pending) => Ordering::Greater,
            () => Ordering::Equal,
        };
        keys.into_iter().chain([(OrderKey::Pending, pending)]).find(|(_, order)| order.is_ne())
    }

    pub(crate) fn forget_order(&mut self) {
        let all = self.top_down();
        for key in &all {
            let queue = &mut self.queues[*key];
            queue.marked = true;
            queue.siblings = Siblings::default();
            queue.rank = None;
        }
        self.marked = all;
    }

    pub(crate) fn next_child(&mut self, visit: &mut Visit) -> Option<QueueKey> {
        let siblings = &self.queues[visit.parent].siblings;
        let next = if siblings.breaks == 0 {
            siblings.list.get(visit.at).map(|entry| entry.key)
        } else {
            self.next_of_class(visit)
        };
        visit.at += usize::from(next.is_some());
        next
    }

    fn next_of_class(&mut self, visit: &mut Visit) -> Option<QueueKey> {
        let siblings = &self.queues[visit.parent].siblings;
        if visit.at == 0 && siblings.front.is_empty() {
            let front = self.specified(visit.parent, 0);
            self.queues[visit.parent].siblings.front = front;
        }
        let Siblings { list, front, .. } = &self.queues[visit.parent].siblings;
        if visit.at < front.len() {
            return Some(front[front.len() - 1 - visit.at]);
        }
        if visit.class.is_empty() && visit.at < list.len() {
            visit.class = self.specified(visit.parent, visit.at);
        }
        visit.class.pop()
    }

    fn specified(&self, parent: QueueKey, at: usize) -> Vec<QueueKey> {
        let queue = &self.queues[parent];
        let Siblings { list, by_priority, .. } = &queue.siblings;
        let Some((lead, first)) = list.get(at).and_then(|e| Some((e.lead, self.rank_of(e.key)?))) else {
            return Vec::new();
        };
        let equal = |key: QueueKey| self.rank_of(key).is_some_and(|rank| first.class(rank, *by_priority).is_eq());
        let end = list[at..].partition_point(|entry| entry.lead == lead && equal(entry.key));
        let class = &list[at..at + end];
        if !class.windows(2).any(|pair| self.is_break(&pair[0], &pair[1])) {
            return class.iter().rev().map(|entry| entry.key).collect();
        }
        let mut sorted = if class.len() * 8 > queue.children.len() {
            self.sorted_as_specified(queue.children.iter().copied().filter(|key| equal(*key)))
        } else {
            let mut class: Vec<QueueKey> = class.iter().map(|entry| entry.key).collect();
            class.sort_by(|left, right| self.queues[*left].path.name().cmp(self.queues[*right].path.name()));
            self.sorted_as_specified(class.into_iter())
        };
        sorted.reverse();
        sorted
    }

    /// Insertion sort by pending, the larger first. The largest values of a block show whether any queue in it stops a
    /// move.
    fn sorted_as_specified(&self, by_name: impl Iterator<Item = QueueKey>) -> Vec<QueueKey> {
        let pending = |key: QueueKey| &self.queues[key].pending;
        let mut blocks: Vec<(Vec<QueueKey>, Resource)> = vec![Default::default()];
        for key in by_name {
            let wish = pending(key);
            let stops = |(at, (block, most)): (usize, &(Vec<QueueKey>, Resource))| {
                if wish.strictly_greater(most) {
                    return None;
                }
                let stop = block.iter().rposition(|other| !wish.strictly_greater(pending(*other)))?;
                Some((at, stop + 1))
            };
            let (at, place) = blocks.iter().enumerate().rev().find_map(stops).unwrap_or_default();
            let (block, most) = &mut blocks[at];
            block.insert(place, key);
            *most = most.max(wish);
            if block.len() > 2 * BLOCK {
                let rest = block.split_off(BLOCK);
                let most_of =
                    |block: &[QueueKey]| block.iter().fold(Resource::new(), |max, key| max.max(pending(*key)));
                *most = most_of(block);
                let most_of_rest = most_of(&rest);
                blocks.insert(at + 1, (rest, most_of_rest));
            }
        }
        blocks.into_iter().flat_map(|(block, _)| block).collect()
    }

    fn rank_of(&self, key: QueueKey) -> Option<&SiblingRank> {
        self.queues[key].rank.as_ref()
    }

    fn behind_lead(&self, left: QueueKey, right: QueueKey, by_priority: bool) -> Ordering {
        let (Some(l), Some(r)) = (self.rank_of(left), self.rank_of(right)) else { return Ordering::Equal };
        let name = |key: QueueKey| self.queues[key].path.name();
        l.class(r, by_priority)
            .then_with(|| r.pending.cmp_by_name(&l.pending))
            .then_with(|| if left == right { Ordering::Equal } else { name(left).cmp(name(right)) })
    }

    fn listed(&self, left: &Entry, right: &Entry, by_priority: bool) -> Ordering {
        let lead = left.lead[0].cmp(&right.lead[0]).then(left.lead[1].cmp(&right.lead[1]));
        lead.then_with(|| self.behind_lead(left.key, right.key, by_priority))
    }

    fn is_break(&self, left: &Entry, right: &Entry) -> bool {
        if left.lead != right.lead {
            return false;
        }
        let (Some(l), Some(r)) = (self.rank_of(left.key), self.rank_of(right.key)) else { return false };
        l.breaks(r) && l.class(r, true).is_eq()
    }

    fn settle(&mut self, key: QueueKey) {
        let Some(queue) = self.queues.get_mut(key) else { return };
        queue.marked = false;
        let by_priority = queue.settings.properties.sort_by_priority;
        let moved = queue.parent.map(|parent| (parent, SiblingRank::of(queue)));
        let moved = moved.filter(|(_, rank)| *rank != queue.rank);
        if queue.siblings.by_priority != by_priority {
            self.sort_children_of(key);
        }
        if let Some((parent, rank)) = moved {
            self.unlist(parent, key);
            self.queues[key].rank = rank;
            self.enlist(parent, key);
        }
    }

    fn place_of(&self, parent: QueueKey, own: &Entry) -> Result<usize, usize> {
        let Siblings { list, by_priority, .. } = &self.queues[parent].siblings;
        list.binary_search_by(|other| self.listed(other, own, *by_priority))
    }

    fn place_in(&self, parent: QueueKey, key: QueueKey) -> Option<usize> {
        let list = &self.queues[parent].siblings.list;
        let first = list.iter().take(FIRST).position(|entry| entry.key == key);
        first.or_else(|| self.place_of(parent, &self.entry_of(parent, key)?).ok())
    }

    fn entry_of(&self, parent: QueueKey, key: QueueKey) -> Option<Entry> {
        let lead = self.rank_of(key)?.lead(self.queues[parent].siblings.by_priority);
        Some(Entry { lead, key })
    }

    fn breaks_at(&self, parent: QueueKey, at: usize) -> (usize, usize) {
        let list = &self.queues[parent].siblings.list;
        let (before, own, behind) = (at.checked_sub(1).map(|at| &list[at]), &list[at], list.get(at + 1));
        let pair = |left: Option<&Entry>, right: Option<&Entry>| match (left, right) {
            (Some(left), Some(right)) => usize::from(self.is_break(left, right)),
            _ => 0,
        };
        (pair(before, Some(own)) + pair(Some(own), behind), pair(before, behind))
    }

    pub(crate) fn unlist(&mut self, parent: QueueKey, key: QueueKey) {
        let Some(at) = self.place_in(parent, key) else { return };
        let (with, without) = self.breaks_at(parent, at);
        let same_class = self.is_of_front(parent, key) == Some(Ordering::Equal);
        let siblings = &mut self.queues[parent].siblings;
        siblings.list.remove(at);
        siblings.breaks = siblings.breaks + without - with;
        if siblings.front.last() == Some(&key) {
            siblings.front.pop();
        } else if same_class {
            siblings.front.clear();
        }
        self.queues[key].rank = None;
    }

    fn enlist(&mut self, parent: QueueKey, key: QueueKey) {
        let Some(own) = self.entry_of(parent, key) else { return };
        let (Ok(at) | Err(at)) = self.place_of(parent, &own);
        let joins_front = self.is_of_front(parent, key).is_some_and(Ordering::is_le);
        self.queues[parent].siblings.list.insert(at, own);
        let (with, without) = self.breaks_at(parent, at);
        let siblings = &mut self.queues[parent].siblings;
        siblings.breaks = siblings.breaks + with - without;
        if joins_front {
            siblings.front.clear();
        }
    }

    fn is_of_front(&self, parent: QueueKey, key: QueueKey) -> Option<Ordering> {
        let Siblings { front, by_priority, .. } = &self.queues[parent].siblings;
        let first = self.rank_of(*front.last()?)?;
        let own = self.rank_of(key)?;
        Some(own.class(first, *by_priority))
    }

    fn sort_children_of(&mut self, parent: QueueKey) {
        let queue = &self.queues[parent];
        let by_priority = queue.settings.properties.sort_by_priority;
        let entry = |key: &QueueKey| Some(Entry { lead: self.rank_of(*key)?.lead(by_priority), key: *key });
        let mut list: Vec<Entry> = queue.children.iter().filter_map(entry).collect();
        list.sort_by(|left, right| self.listed(left, right, by_priority));
        let breaks = list.windows(2).filter(|pair| self.is_break(&pair[0], &pair[1])).count();
        self.queues[parent].siblings = Siblings { list, by_priority, breaks, front: Vec::new() };
    }

    fn sort_all(&mut self) {
        for (_, queue) in self.queues.iter_mut() {
            queue.marked = false;
            queue.rank = SiblingRank::of(queue);
        }
        let parents: Vec<QueueKey> = self.iter().filter(|queue| !queue.children.is_empty()).map(|q| q.key).collect();
        parents.into_iter().for_each(|parent| self.sort_children_of(parent));
    }
}
