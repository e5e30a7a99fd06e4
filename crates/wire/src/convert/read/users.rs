//! Usage of users and groups.

use std::collections::BTreeMap;
use std::iter::successors;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Part, RemoteState, rows};
use crate::dto;
use config::LimitConfig;
use model::{AppId, QueuePath};
use view::users::UsageRows;
use view::{AppGroup, PartitionView, QueueSlot, QueueUsageRow, Side, UsageRow};

pub(super) type UsageByName = Vec<(String, Option<dto::QueueUsage>)>;

/// The number of applications by user or group, and by queue with the queues below it.
type Counts = FxHashMap<String, FxHashMap<QueuePath, u64>>;

impl RemoteState {
    /// Applies users. Up to 1.9 they count over all partitions together.
    pub fn users(&mut self, partition: &str, users: Vec<dto::UserUsage>) {
        let Some(index) = self.index(partition) else { return };
        let part = &mut self.parts[index];
        part.groups.clear();
        for user in &users {
            for (app, group) in &user.groups {
                part.groups.insert(AppId::from(app.as_str()), Arc::from(group.as_str()));
            }
        }
        let message = users.into_iter().map(|user| (user.user_name, user.queues));
        self.parts[index].users = Some(message.collect());
        if self.regroup(index) {
            self.recount(index);
        }
        self.usage(index, Side::User);
        self.hold(index);
    }

    /// Applies the groups of a partition.
    pub fn groups(&mut self, partition: &str, groups: Vec<dto::GroupUsage>) {
        let Some(index) = self.index(partition) else { return };
        let message = groups.into_iter().map(|group| (group.group_name, group.queues));
        self.parts[index].group_usage = Some(message.collect());
        self.usage(index, Side::Group);
        self.hold(index);
    }

    pub(super) fn recount(&mut self, index: usize) {
        for side in [Side::User, Side::Group] {
            if self.parts[index].has_idle_levels(side) {
                self.usage(index, side);
                continue;
            }
            let view = &self.view.partitions[index];
            let rows = if side == Side::User { &view.users } else { &view.groups };
            let counts = counts(view, side);
            let mut changes: Vec<Arc<UsageRow>> = Vec::new();
            for row in rows.values() {
                let of = counts.get(&*row.name);
                let there: Vec<u64> = row.queues.iter().map(|level| within(of, &level.queue)).collect();
                if row.queues.iter().zip(&there).any(|(level, there)| level.apps != *there) {
                    let level = |(level, apps): (&QueueUsageRow, u64)| QueueUsageRow { apps, ..level.clone() };
                    let queues: Vec<QueueUsageRow> = row.queues.iter().zip(there).map(level).collect();
                    changes.push(Arc::new(UsageRow::new(Arc::clone(&row.name), queues)));
                }
            }
            let view = &mut self.view.partitions[index];
            let rows = if side == Side::User { &mut view.users } else { &mut view.groups };
            self.changed |= !changes.is_empty();
            changes.into_iter().for_each(|row| drop(rows.insert(Arc::clone(&row.name), row)));
        }
    }

    /// A dump has no usage of users and groups.
    pub(super) fn count_usage(&mut self, partition: &str) {
        let Some(index) = self.index(partition) else { return };
        let view = &self.view.partitions[index];
        let mut users: BTreeMap<String, BTreeMap<QueuePath, dto::QueueUsage>> = BTreeMap::new();
        let mut groups = users.clone();
        let mut counted: Vec<(AppId, Arc<str>)> = Vec::new();
        for row in view.apps.iter().flatten() {
            let Some(leaf) = view.queue_at(&row.queue) else { continue };
            let group = view.group_by_limits(&row.who, leaf);
            let used = row.allocated.add(&row.placeholder);
            let add = |all: &mut BTreeMap<String, BTreeMap<QueuePath, dto::QueueUsage>>, name: &str| {
                let levels = all.entry(name.to_owned()).or_default();
                for up in view.path_up(leaf) {
                    let level = levels.entry(up.path.clone()).or_insert_with(|| dto::QueueUsage {
                        queue_path: up.path.to_string(),
                        ..dto::QueueUsage::default()
                    });
                    level.resource_usage.0.add_assign(&used);
                    if !used.is_zero() {
                        level.running_applications.push(row.id.to_string());
                    }
                }
            };
            add(&mut users, &row.who.user);
            if let Some(group) = group {
                add(&mut groups, &group);
                counted.push((row.id.clone(), Arc::from(group)));
            }
        }
        let message = |all: BTreeMap<String, BTreeMap<QueuePath, dto::QueueUsage>>| -> UsageByName {
            let tree = |levels: BTreeMap<QueuePath, dto::QueueUsage>| {
                let mut levels = levels.into_values();
                levels.next().map(|root| dto::QueueUsage { children: levels.collect(), ..root })
            };
            all.into_iter().map(|(name, levels)| (name, tree(levels))).collect()
        };
        let part = &mut self.parts[index];
        part.groups = counted.into_iter().collect();
        (part.users, part.group_usage) = (Some(message(users)), Some(message(groups)));
        self.regroup(index);
        self.recast_usage(index);
        self.hold(index);
    }

    pub(super) fn recast_usage(&mut self, index: usize) {
        self.usage(index, Side::User);
        self.usage(index, Side::Group);
    }

    fn usage(&mut self, index: usize, side: Side) {
        let view = &self.view.partitions[index];
        let part = &self.parts[index];
        let slots = &part.queue_slots;
        let message = if side == Side::User { &part.users } else { &part.group_usage };
        let Some(message) = message else { return };
        let counts = counts(view, side);
        let old = if side == Side::User { &view.users } else { &view.groups };
        let mut new = UsageRows::new();
        let mut changed = message.len() != old.len();
        for (name, tree) in message {
            let name: Arc<str> = Arc::from(name.as_str());
            let mut queues = Vec::new();
            let mut stack: Vec<&dto::QueueUsage> = tree.iter().collect();
            while let Some(level) = stack.pop() {
                stack.extend(&level.children);
                let row = level_row(level, side, &name, slots, view, counts.get(&*name));
                queues.extend(row);
            }
            queues.sort_by(|one, other| one.queue.cmp(&other.queue));
            let row = UsageRow::new(Arc::clone(&name), queues);
            let before = old.get(&name).filter(|before| same(before, &row)).cloned();
            changed |= before.is_none();
            new.insert(name, before.unwrap_or_else(|| Arc::new(row)));
        }
        if changed {
            let view = &mut self.view.partitions[index];
            *(if side == Side::User { &mut view.users } else { &mut view.groups }) = new;
            self.changed = true;
        }
    }
}

impl Part {
    fn has_idle_levels(&self, side: Side) -> bool {
        fn idle(level: &dto::QueueUsage) -> bool {
            let nothing = level.running_applications.is_empty() && level.resource_usage.is_zero();
            nothing || level.children.iter().any(idle)
        }
        let message = if side == Side::User { &self.users } else { &self.group_usage };
        message.iter().flatten().flat_map(|(_, tree)| tree).any(idle)
    }
}

/// `None` if only a limit check created it.
fn level_row(
    level: &dto::QueueUsage,
    side: Side,
    name: &str,
    slots: &FxHashMap<QueuePath, QueueSlot>,
    view: &PartitionView,
    counts: Option<&FxHashMap<QueuePath, u64>>,
) -> Option<QueueUsageRow> {
    let queue = QueuePath::new(&level.queue_path);
    let slot = match slots.get(&queue) {
        Some(slot) => *slot,
        // The queues are unknown, and so are their limits; the usage is known.
        None if slots.is_empty() => QueueSlot(u32::MAX),
        None => return None,
    };
    let apps = within(counts, &queue);
    let limits = view.queue(slot).map(|row| &row.settings.limits);
    let configured = limits.and_then(|limits| match side {
        Side::User => limits.for_user(name),
        Side::Group => limits.for_group(name),
    });
    let limit = configured.cloned().or_else(|| reported_limit(level, side, name));
    let running = rows::ids(&level.running_applications);
    if limit.is_none() && running.is_empty() && apps == 0 && level.resource_usage.is_zero() {
        return None;
    }
    Some(QueueUsageRow { slot, queue, allocated: level.resource_usage.0.clone(), running, apps, limit })
}

fn within(counts: Option<&FxHashMap<QueuePath, u64>>, queue: &QueuePath) -> u64 {
    counts.and_then(|counts| counts.get(queue)).copied().unwrap_or_default()
}

/// The limit from the usage, if the configuration is unknown.
fn reported_limit(level: &dto::QueueUsage, side: Side, name: &str) -> Option<Arc<LimitConfig>> {
    let max_resources = rows::set(&level.max_resources);
    let max_applications = (level.max_applications > 0).then_some(level.max_applications);
    if max_resources.is_none() && max_applications.is_none() {
        return None;
    }
    let (users, groups) = match side {
        Side::User => (vec![name.to_owned()], Vec::new()),
        Side::Group => (Vec::new(), vec![name.to_owned()]),
    };
    Some(Arc::new(LimitConfig { users, groups, max_applications, max_resources, ..LimitConfig::default() }))
}

fn counts(view: &PartitionView, side: Side) -> Counts {
    let mut counts = Counts::default();
    for row in view.apps.iter().flatten() {
        let name = match (side, &row.group) {
            (Side::User, _) => row.who.user.as_str(),
            (Side::Group, AppGroup::Group(group)) => group,
            (Side::Group, _) => continue,
        };
        if !counts.contains_key(name) {
            counts.insert(name.to_owned(), FxHashMap::default());
        }
        if let Some(counts) = counts.get_mut(name) {
            *counts.entry(row.queue.clone()).or_default() += 1;
        }
    }
    for counts in counts.values_mut() {
        for (leaf, count) in counts.clone() {
            for path in successors(leaf.parent(), QueuePath::parent) {
                *counts.entry(path).or_default() += count;
            }
        }
    }
    counts
}

fn same(one: &UsageRow, other: &UsageRow) -> bool {
    let limit = |one: &QueueUsageRow, other: &QueueUsageRow| match (&one.limit, &other.limit) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            Arc::ptr_eq(one, other)
                || (one.at, &one.max_resources, one.max_applications, &one.description)
                    == (other.at, &other.max_resources, other.max_applications, &other.description)
        }
        _ => false,
    };
    one.queues.len() == other.queues.len()
        && one.queues.iter().zip(other.queues.iter()).all(|(one, other)| {
            (one.slot, &one.queue, one.apps) == (other.slot, &other.queue, other.apps)
                && one.allocated == other.allocated
                && one.running == other.running
                && limit(one, other)
        })
}
