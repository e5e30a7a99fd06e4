//! The queue tree: counters on every level, and priorities that are reported up to the root.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::index::{QueueKey, Slab};
use crate::state::backoff::{Backoff, LeafNote, LeafNotes};
use crate::state::candidates::Candidates;
use crate::state::queue::{Queue, ROOT};
use crate::state::share::ShareList;
use crate::state::siblings::Siblings;
use model::{AppId, Priority, QueuePath, QueueState, Resource, Time};

/// The queues of a partition.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct QueueTree {
    pub(crate) queues: Slab<QueueKey, Queue>,
    #[serde(skip)]
    pub(crate) marked: Vec<QueueKey>,
    #[serde(skip)]
    pub(crate) leaf_notes: LeafNotes,
}

impl std::ops::Index<QueueKey> for QueueTree {
    type Output = Queue;

    #[inline]
    fn index(&self, key: QueueKey) -> &Queue {
        &self.queues[key]
    }
}

impl std::ops::IndexMut<QueueKey> for QueueTree {
    /// Mutable access may change the position among siblings.
    #[inline]
    fn index_mut(&mut self, key: QueueKey) -> &mut Queue {
        let queue = &mut self.queues[key];
        if !std::mem::replace(&mut queue.marked, true) {
            self.marked.push(key);
        }
        queue
    }
}

/// The keys of a queue and its ancestors, from the queue up to the root.
pub type PathUp = SmallVec<[QueueKey; 8]>;

impl QueueTree {
    /// The queue of a key, if it exists.
    pub fn get(&self, key: QueueKey) -> Option<&Queue> {
        self.queues.get(key)
    }

    /// For changes that do not affect the position among siblings.
    pub(crate) fn candidates_mut(&mut self, leaf: QueueKey) -> &mut Candidates {
        &mut self.queues[leaf].candidates
    }

    pub(crate) fn end_backoff(&mut self, leaf: QueueKey) {
        if self.queues.get(leaf).is_some_and(|queue| queue.backoff.is_some()) {
            self.queues[leaf].backoff = None;
        }
    }

    pub(crate) fn start_backoff(&mut self, leaf: QueueKey, backoff: Box<Backoff>) {
        self.leaf_notes.get_mut(leaf).seen = backoff.seen;
        self.queues[leaf].backoff = Some(backoff);
    }

    /// The number of queues.
    pub fn len(&self) -> usize {
        self.queues.len()
    }

    /// Whether it does not even have a root.
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// All queues in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &Queue> {
        self.queues.iter().map(|(_, queue)| queue)
    }

    /// Adds a leaf in `parent` (or as the root), sorted by name.
    pub fn add(&mut self, parent: Option<QueueKey>, name: &str, managed: bool, now: Time) -> QueueKey {
        let path = match parent {
            Some(parent) => self.queues[parent].path.child(name),
            None => QueuePath::new(name),
        };
        let key = self.queues.insert_with(|key| Queue {
            key,
            path,
            parent,
            children: Vec::new(),
            leaf: parent.is_some(),
            managed,
            state: QueueState::Active,
            state_since: now,
            alerts: 0,
            settings: Arc::default(),
            max: None,
            guaranteed: None,
            allocated: Resource::new(),
            pending: Resource::new(),
            preempting: Resource::new(),
            running: 0,
            allocating_accepted: BTreeSet::new(),
            app_count: 0,
            apps: imbl::OrdSet::new(),
            candidates: Candidates::default(),
            replacers: BTreeSet::new(),
            reserved: BTreeSet::new(),
            raw_priority: Priority::MIN,
            reported_priority: Priority::MIN,
            priorities: BTreeMap::new(),
            share: ShareList::default(),
            share_base: None,
            marked: false,
            rank: None,
            siblings: Siblings::default(),
            backoff: None,
            quota_due: None,
        });
        if let Some(parent) = parent {
            let at = self.child_position(parent, name).unwrap_or_else(|at| at);
            self.queues[parent].children.insert(at, key);
            // Nothing is reported upwards: under P-02 that would refresh outdated parents.
            *self.queues[parent].priorities.entry(Priority::MIN).or_default() += 1;
        }
        key
    }

    /// Removes an empty queue.
    pub fn remove(&mut self, key: QueueKey) {
        let Some(queue) = self.queues.get(key) else { return };
        let reported_priority = queue.reported_priority;
        if let Some(parent) = queue.parent {
            let at = self.child_position(parent, queue.path.name());
            self.unlist(parent, key);
            if let Ok(at) = at {
                self.queues[parent].children.remove(at);
            }
            self.note_priority(parent, Some(reported_priority), None);
            self.report_priority_up(parent);
        }
        self.queues.remove(key);
        *self.leaf_notes.get_mut(key) = LeafNote::default();
    }

    fn child_position(&self, parent: QueueKey, name: &str) -> Result<usize, usize> {
        let parent = &self.queues[parent];
        let from = parent.path.as_str().len() + 1;
        let name_of = |child: QueueKey| self.queues[child].path.as_str().get(from..).unwrap_or_default();
        parent.children.binary_search_by(|child| name_of(*child).cmp(name))
    }

    pub(crate) fn child_near(&self, parent: QueueKey, at: usize, name: &str) -> Option<QueueKey> {
        let there = self.queues[parent].children.get(at).copied();
        there.filter(|child| self.queues[*child].path.name() == name).or_else(|| self.child(parent, name))
    }

    /// The child with a lower-case name.
    pub fn child(&self, parent: QueueKey, name: &str) -> Option<QueueKey> {
        let at = self.child_position(parent, name).ok()?;
        Some(self.queues[parent].children[at])
    }

    /// The queue with a path.
    pub fn find(&self, path: &QueuePath) -> Option<QueueKey> {
        self.find_text(path.as_str())
    }

    /// The queue of a path in lower case, which may be invalid.
    pub fn find_text(&self, path: &str) -> Option<QueueKey> {
        let mut parts = path.split('.');
        if parts.next() != Some("root") || self.queues.is_empty() {
            return None;
        }
        parts.try_fold(ROOT, |key, part| self.child(key, part))
    }

    /// The queue and its ancestors, from the queue up to the root.
    pub fn path_up(&self, key: QueueKey) -> PathUp {
        // Called many times in every cycle: a plain loop is much cheaper than collecting.
        let mut path = PathUp::new();
        let mut at = Some(key);
        while let Some(key) = at {
            path.push(key);
            at = self.queues[key].parent;
        }
        path
    }

    /// All queues, children before their parent.
    pub fn bottom_up(&self) -> Vec<QueueKey> {
        let mut order = self.top_down();
        order.reverse();
        order
    }

    /// All queues, a parent before its children.
    pub fn top_down(&self) -> Vec<QueueKey> {
        let mut order = Vec::with_capacity(self.queues.len());
        let mut stack = if self.queues.is_empty() { Vec::new() } else { vec![ROOT] };
        while let Some(key) = stack.pop() {
            order.push(key);
            stack.extend(self.queues[key].children.iter().rev());
        }
        order
    }

    /// The headroom of a queue (SCH-100). `None`: nothing on the path is limited.
    pub fn headroom(&self, key: QueueKey) -> Option<Resource> {
        let mut headroom: Option<Resource> = None;
        let mut at = Some(key);
        while let Some(key) = at {
            let queue = &self.queues[key];
            if let Some(max) = &queue.max {
                let rest = max.sub_only_existing(&queue.allocated);
                headroom = Some(match headroom {
                    Some(below) => below.min_permissive(&rest),
                    None => rest,
                });
            }
            at = queue.parent;
        }
        headroom
    }

    /// The maximum along the path without the root (SCH-104). `None`: no queue has one. `strict`: a name that is
    /// missing in one maximum counts 0 (D-06).
    pub fn path_max(&self, key: QueueKey, strict: bool) -> Option<Resource> {
        let path = self.path_up(key);
        let own = path.iter().filter(|key| **key != ROOT).filter_map(|key| self.queues[*key].max.clone());
        own.reduce(|one, other| if strict { one.min_strict(&other) } else { one.min_permissive(&other) })
    }

    /// Whether `maxapplications` allows an application to start (SCH-110).
    pub fn can_run(&self, key: QueueKey, app: &AppId) -> bool {
        self.path_up(key).iter().all(|key| {
            let queue = &self.queues[*key];
            queue.settings.max_applications.is_none_or(|max| {
                queue.allocating_accepted.contains(app)
                    || queue.running + (queue.allocating_accepted.len() as u64) < max
            })
        })
    }

    /// Replaces the priority of an application, up to every ancestor that it affects (SCH-062).
    pub fn note_priority(&mut self, key: QueueKey, old: Option<Priority>, new: Option<Priority>) {
        if old == new {
            return;
        }
        let (mut at, mut old, mut new) = (key, old, new);
        loop {
            self.count_priority(at, old, new);
            let Some(change) = self.report_priority(at) else { return };
            (at, old, new) = change;
        }
    }

    /// Replaces a priority without a report to the parents.
    pub fn count_priority(&mut self, key: QueueKey, old: Option<Priority>, new: Option<Priority>) {
        let queue = &mut self[key];
        if let Some(old) = old
            && let Some(count) = queue.priorities.get_mut(&old)
        {
            *count -= 1;
            if *count == 0 {
                queue.priorities.remove(&old);
            }
        }
        if let Some(new) = new {
            *queue.priorities.entry(new).or_default() += 1;
        }
        queue.raw_priority = queue.priorities.last_key_value().map_or(Priority::MIN, |(highest, _)| *highest);
    }

    /// Returns the parent and the change there, if any.
    fn report_priority(&mut self, key: QueueKey) -> Option<(QueueKey, Option<Priority>, Option<Priority>)> {
        let queue = &mut self.queues[key];
        let now = queue.current_priority();
        let before = std::mem::replace(&mut queue.reported_priority, now);
        match queue.parent {
            Some(parent) if before != now => Some((parent, Some(before), Some(now))),
            _ => None,
        }
    }

    /// Reports a change of offset or policy (SCH-062, P-02, P-03).
    pub fn report_priority_up(&mut self, key: QueueKey) {
        for key in self.path_up(key) {
            if let Some((parent, old, new)) = self.report_priority(key) {
                self.note_priority(parent, old, new);
            }
        }
    }

    /// The raw priority from the children or the given applications, to verify the incremental one.
    pub fn recounted_priority(&self, key: QueueKey, apps: impl Iterator<Item = Priority>) -> Priority {
        let queue = &self.queues[key];
        let children = queue.children.iter().map(|child| self.queues[*child].reported_priority);
        children.chain(apps).max().unwrap_or(Priority::MIN)
    }
}
