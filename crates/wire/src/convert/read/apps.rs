//! Active applications of a remote scheduler.

use std::sync::Arc;

use imbl::OrdMap;
use rustc_hash::FxHashMap;

use super::elements::{Element, ListReader};
use super::{Part, RemoteState, rows};
use crate::dto;
use model::{AppId, AppState, QueuePath, Time};
use view::{AppGroup, AppRow, AppSlot, AskRow, AskState, PartitionView, QueueSlot};

/// Reads a list of applications.
pub type AppReader = ListReader<AppId, AppRow>;

/// What an answer covers: a covered application that is missing no longer exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All active applications.
    All,
    /// Applications of one leaf.
    Leaf(QueuePath),
    /// The active or finished application with this ID.
    One(AppId),
}

impl RemoteState {
    /// Returns a reader for a list of applications.
    pub fn app_reader(&self, partition: &str) -> AppReader {
        let seen = self.index(partition).map(|index| self.parts[index].seen_apps.clone()).unwrap_or_default();
        let shapes = self.shapes;
        ListReader::new(seen, "applicationID", move |app: dto::Application| rows::app(app, shapes))
    }

    /// Returns whether some no longer exist.
    pub fn apps(&mut self, partition: &str, reader: AppReader, scope: &Scope, now: Time) -> bool {
        let Some(index) = self.index(partition) else { return false };
        let mut there = vec![false; self.view.partitions[index].apps.len()];
        let mut arrived = false;
        for element in reader.elements {
            let slot = match element {
                Element::Same(id, _) => self.parts[index].app_slots.get(&id).copied(),
                Element::Read(row, hash) if row.state.is_ended() => {
                    // It is in the list of finished ones.
                    let _ = hash;
                    None
                }
                Element::Read(row, hash) => {
                    self.parts[index].seen_apps.insert(row.id.clone(), hash);
                    let (slot, new) = self.put(index, *row);
                    arrived |= new;
                    Some(slot)
                }
            };
            if let Some(slot) = slot {
                let slot = slot.0 as usize;
                if there.len() <= slot {
                    there.resize(slot + 1, false);
                }
                there[slot] = true;
            }
        }
        let lost: Vec<AppSlot> = self.view.partitions[index]
            .apps
            .iter()
            .flatten()
            .filter(|row| !there.get(row.slot.0 as usize).is_some_and(|there| *there) && covers(scope, row))
            .map(|row| row.slot)
            .collect();
        let marks = self.parts[index].complete;
        lost.iter().for_each(|slot| self.lose(index, *slot, marks, now));
        if *scope == Scope::All {
            self.parts[index].complete = true;
        }
        if arrived || !lost.is_empty() {
            self.view.partitions[index].app_generation += 1;
            self.changed = true;
            self.recount(index);
        }
        self.view.partitions[index].live_apps = self.parts[index].app_slots.len();
        self.hold(index);
        !lost.is_empty()
    }

    /// Returns its slot, and whether applications or their queues changed.
    fn put(&mut self, index: usize, mut row: AppRow) -> (AppSlot, bool) {
        let (view, part) = (&mut self.view.partitions[index], &mut self.parts[index]);
        let known = part.app_slots.get(&row.id).copied();
        let slot = known.unwrap_or_else(|| {
            let next = u32::try_from(view.apps.len()).unwrap_or(u32::MAX);
            AppSlot(part.free_apps.pop().unwrap_or(next))
        });
        while view.apps.len() <= slot.0 as usize {
            view.apps.push_back(None);
        }
        let old = view.apps[slot.0 as usize].clone();
        row.slot = slot;
        row.group = group_of(part, &row.id);
        if let Some(old) = &old {
            if old.submitted == row.submitted {
                row.asks = renumbered(&old.asks, std::mem::take(&mut row.asks));
            }
            (row.blocked_by_queue, row.blocked_by_limits) = (old.blocked_by_queue, old.blocked_by_limits);
            if row.requested.is_empty() {
                // Only an application with a pod reports its requested queue.
                row.requested = Arc::clone(&old.requested);
            }
        }
        complete_asks(part, &mut row);
        if let Some(old) = &old
            && rows::same_app(old, &row)
        {
            return (slot, false);
        }
        let row = Arc::new(row);
        part.app_slots.insert(row.id.clone(), slot);
        let moved = old.as_ref().is_none_or(|old| old.queue != row.queue);
        if moved && let Some(old) = &old {
            unlink(part, view, old);
        }
        if moved {
            link(part, view, &row);
        }
        view.apps.set(slot.0 as usize, Some(row));
        self.changed = true;
        (slot, moved)
    }

    fn lose(&mut self, index: usize, slot: AppSlot, marks: bool, now: Time) {
        let (view, part) = (&mut self.view.partitions[index], &mut self.parts[index]);
        let Some(row) = view.apps.get_mut(slot.0 as usize).and_then(Option::take) else { return };
        part.app_slots.remove(&row.id);
        part.seen_apps.remove(&row.id);
        part.groups.remove(&row.id);
        part.free_apps.push(slot.0);
        for ask in row.asks.values() {
            part.since.remove(&(row.id.clone(), ask.id.clone()));
        }
        unlink(part, view, &row);
        if marks {
            self.mark_gone(index, &row, now);
        }
    }

    pub(super) fn link_all(&mut self, index: usize) {
        let (view, part) = (&mut self.view.partitions[index], &self.parts[index]);
        let slots: Vec<QueueSlot> = part.queue_slots.values().copied().collect();
        for slot in slots {
            if let Some(Some(row)) = view.queues.get_mut(slot.0 as usize)
                && row.app_count > 0
            {
                let row = Arc::make_mut(row);
                (row.app_count, row.apps) = (0, imbl::OrdSet::new());
            }
        }
        let apps: Vec<Arc<AppRow>> = view.apps.iter().flatten().cloned().collect();
        apps.iter().for_each(|row| link(part, view, row));
        view.app_generation += 1;
        self.changed = true;
    }

    /// Finds applications without allocations where no more may run (SCH-110, SCH-126).
    pub(super) fn hold(&mut self, index: usize) {
        let view = &self.view.partitions[index];
        let mut leaves: FxHashMap<&str, Holding<'_>> = FxHashMap::default();
        let mut changes: Vec<(AppSlot, bool, bool)> = Vec::new();
        for row in view.apps.iter().flatten() {
            let waits = matches!(row.state, AppState::New | AppState::Accepted)
                && row.pending_asks > 0
                && row.allocated.is_zero()
                && row.placeholder.is_zero();
            let (by_queue, by_limits) = if waits {
                let leaf = leaves.entry(row.queue.as_str()).or_insert_with(|| Holding::of(row, view));
                (leaf.full, leaf.blocks(row, view))
            } else {
                (false, false)
            };
            if (row.blocked_by_queue, row.blocked_by_limits) != (by_queue, by_limits) {
                changes.push((row.slot, by_queue, by_limits));
            }
        }
        for (slot, by_queue, by_limits) in changes {
            if let Some(Some(row)) = self.view.partitions[index].apps.get_mut(slot.0 as usize) {
                let row = Arc::make_mut(row);
                (row.blocked_by_queue, row.blocked_by_limits) = (by_queue, by_limits);
                self.changed = true;
            }
        }
    }

    /// Returns whether some changed.
    pub(super) fn regroup(&mut self, index: usize) -> bool {
        let part = &self.parts[index];
        let mut changes: Vec<(AppSlot, AppGroup)> = Vec::new();
        for row in self.view.partitions[index].apps.iter().flatten() {
            let group = group_of(part, &row.id);
            if row.group != group {
                changes.push((row.slot, group));
            }
        }
        let some = !changes.is_empty();
        for (slot, group) in changes {
            if let Some(Some(row)) = self.view.partitions[index].apps.get_mut(slot.0 as usize) {
                Arc::make_mut(row).group = group;
                self.changed = true;
            }
        }
        some
    }
}

struct Holding<'v> {
    full: bool,
    limits: FxHashMap<(&'v str, Option<&'v str>), bool>,
}

impl<'v> Holding<'v> {
    fn of(row: &AppRow, view: &PartitionView) -> Self {
        let full = view.queue_at(&row.queue).is_some_and(|leaf| {
            view.path_up(leaf).any(|up| up.max_running.is_some_and(|max| up.running + up.allocating_accepted >= max))
        });
        Self { full, limits: FxHashMap::default() }
    }

    fn blocks(&mut self, row: &'v AppRow, view: &PartitionView) -> bool {
        let group = match &row.group {
            AppGroup::Group(name) => Some(&**name),
            AppGroup::Undecided | AppGroup::Ungrouped => None,
        };
        let back = || view.blocking_limit(row).is_some();
        *self.limits.entry((row.who.user.as_str(), group)).or_insert_with(back)
    }
}

fn covers(scope: &Scope, row: &AppRow) -> bool {
    match scope {
        Scope::All => true,
        Scope::Leaf(leaf) => row.queue == *leaf,
        Scope::One(id) => row.id == *id,
    }
}

fn group_of(part: &Part, id: &AppId) -> AppGroup {
    match part.groups.get(id) {
        Some(group) => AppGroup::Group(Arc::clone(group)),
        None if part.users.is_some() => AppGroup::Ungrouped,
        None => AppGroup::Undecided,
    }
}

fn link(part: &Part, view: &mut PartitionView, app: &AppRow) {
    count(part, view, app, |row, leaf| {
        row.app_count += 1;
        if leaf {
            row.apps.insert(app.slot);
        }
    });
}

fn unlink(part: &Part, view: &mut PartitionView, app: &AppRow) {
    count(part, view, app, |row, leaf| {
        row.app_count = row.app_count.saturating_sub(1);
        if leaf {
            row.apps.remove(&app.slot);
        }
    });
}

fn count(part: &Part, view: &mut PartitionView, app: &AppRow, change: impl Fn(&mut view::QueueRow, bool)) {
    let leaf = part.queue_slots.get(&app.queue).copied();
    let mut at = leaf;
    while let Some(slot) = at {
        let Some(Some(row)) = view.queues.get_mut(slot.0 as usize) else { return };
        change(Arc::make_mut(row), at == leaf);
        at = row.parent;
    }
}

/// Unchanged rows keep their numbers; new ones are appended.
fn renumbered(old: &OrdMap<u64, Arc<AskRow>>, new: OrdMap<u64, Arc<AskRow>>) -> OrdMap<u64, Arc<AskRow>> {
    let numbers: FxHashMap<&str, (u64, &Arc<AskRow>)> =
        old.iter().map(|(number, row)| (row.id.as_str(), (*number, row))).collect();
    let mut next = old.get_max().map_or(1, |(number, _)| number + 1);
    let mut asks = OrdMap::new();
    for row in new.into_iter().map(|(_, row)| row) {
        match numbers.get(row.id.as_str()) {
            Some((number, old)) => {
                asks.insert(*number, if rows::same_ask(old, &row) { Arc::clone(old) } else { row });
            }
            None => {
                asks.insert(next, row);
                next += 1;
            }
        }
    }
    asks
}

/// Adds data from other answers: allocation times and reserved nodes.
fn complete_asks(part: &Part, row: &mut AppRow) {
    if part.since.is_empty() && part.retained.is_empty() {
        return;
    }
    let mut changes: Vec<(u64, AskState)> = Vec::new();
    for (number, ask) in &row.asks {
        let state = match &ask.state {
            AskState::Allocated { node, since: None, number } => {
                let since = part.since.get(&(row.id.clone(), ask.id.clone())).copied();
                since.map(|since| AskState::Allocated { node: node.clone(), since: Some(since), number: *number })
            }
            AskState::Pending { reason, reserved: None } => {
                let retained = part.retained.get(&ask.id).cloned();
                retained.map(|node| AskState::Pending { reason: *reason, reserved: Some(node) })
            }
            _ => None,
        };
        changes.extend(state.map(|state| (*number, state)));
    }
    for (number, state) in changes {
        if let Some(ask) = row.asks.get_mut(&number) {
            Arc::make_mut(ask).state = state;
        }
    }
}
