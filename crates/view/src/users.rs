//! The usage of users and groups. The binding limit depends on several rows and is computed on demand.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rows::{AppGroup, AppRow, QueueRow, QueueSlot};
use super::snapshot::PartitionView;
pub use super::usage::{LimitUse, QueueUsageRow, UsageRow, UsageRows};
use config::LimitConfig;
use model::{Identity, QueuePath, Resource};
use scheduler::Partition;
use scheduler::index::SlabKey;
pub use scheduler::usage::Side;
pub use scheduler::usage::limits::{ANYONE, max_applications, max_resources};
use scheduler::usage::{QueueLimits, QueueUsage, Trackers};

impl PartitionView {
    /// The usage of a user or a group: the row of active applications, or else the row of its limits without usage.
    pub fn usage_of(&self, side: Side, name: &str) -> Option<&Arc<UsageRow>> {
        let (live, limited) = self.usage_rows(side);
        live.get(name).or_else(|| limited.get(name))
    }

    /// Both rows merged: the queues of active applications and those of limits.
    pub fn whole_usage_of(&self, side: Side, name: &str) -> Option<Arc<UsageRow>> {
        let (live, limited) = self.usage_rows(side);
        let (Some(live), Some(limited)) = (live.get(name), limited.get(name)) else {
            return self.usage_of(side, name).cloned();
        };
        let mut queues: Vec<QueueUsageRow> = live.queues.to_vec();
        queues.extend(limited.queues.iter().filter(|row| live.at(&row.queue).is_none()).cloned());
        queues.sort_by(|a, b| a.queue.cmp(&b.queue));
        Some(Arc::new(UsageRow::new(Arc::clone(&live.name), queues)))
    }

    /// All users or groups with usage or a limit of their own, by name.
    pub fn accounts(&self, side: Side) -> impl Iterator<Item = &Arc<UsageRow>> {
        let (live, limited) = self.usage_rows(side);
        let idle = limited.iter().filter(|(name, _)| !live.contains_key(*name)).map(|(_, row)| row);
        live.values().chain(idle)
    }

    fn usage_rows(&self, side: Side) -> (&UsageRows, &UsageRows) {
        match side {
            Side::User => (&self.users, &self.limited_users),
            Side::Group => (&self.groups, &self.limited_groups),
        }
    }

    /// Whether an application counts for a user or a group.
    pub fn counts_under(app: &AppRow, side: Side, name: &str) -> bool {
        match (side, &app.group) {
            (Side::User, _) => app.who.user == name,
            (Side::Group, AppGroup::Group(group)) => &**group == name,
            (Side::Group, _) => false,
        }
    }

    /// The limits of a user in a queue, from the queue up to the root.
    pub fn user_limits(&self, user: &str, queue: &QueueRow) -> Vec<LimitUse> {
        self.limits(Side::User, user, queue)
    }

    /// The limits of a group in a queue, from the queue up to the root.
    pub fn group_limits(&self, group: &str, queue: &QueueRow) -> Vec<LimitUse> {
        self.limits(Side::Group, group, queue)
    }

    /// The limits of an application: those of its user, then those of its group.
    pub fn limits_of(&self, app: &AppRow) -> Vec<LimitUse> {
        let Some(queue) = self.queue_at(&app.queue) else { return Vec::new() };
        let mut limits = self.user_limits(&app.who.user, queue);
        if let AppGroup::Group(group) = &app.group {
            limits.extend(self.group_limits(group, queue));
        }
        limits
    }

    /// The limits of a new application of `who` in a queue: those of the user, then those of the group, each from the
    /// queue up to the root. A queue that does not exist yet has no limit of its own.
    pub fn limits_for(&self, who: &Identity, queue: &QueuePath) -> Vec<LimitUse> {
        let up = std::iter::successors(Some(queue.clone()), QueuePath::parent);
        let Some(queue) = up.into_iter().find_map(|path| self.queue_at(&path)) else { return Vec::new() };
        let mut limits = self.user_limits(&who.user, queue);
        if let Some(group) = self.group_by_limits(who, queue) {
            limits.extend(self.group_limits(&group, queue));
        }
        limits
    }

    /// The nearest limit in which `wanted` does not fit.
    pub fn limit_too_full_for(&self, app: &AppRow, wanted: &Resource) -> Option<LimitUse> {
        self.limits_of(app).into_iter().find(|limit| limit.short_of(wanted).is_some())
    }

    /// The nearest limit that blocks the start of an application.
    pub fn blocking_limit(&self, app: &AppRow) -> Option<LimitUse> {
        self.limits_of(app).into_iter().find(|limit| !limit.lets_run(&app.id))
    }

    /// The limits of all users and groups with an active application in the subtree.
    pub fn limits_in(&self, queue: &QueueRow) -> Vec<LimitUse> {
        let users = self.users.values().map(|row| (Side::User, row));
        let all = users.chain(self.groups.values().map(|row| (Side::Group, row)));
        let here = all.filter(|(_, row)| row.at(&queue.path).is_some());
        here.flat_map(|(side, row)| self.limits(side, &row.name, queue)).collect()
    }

    /// The group of an application by the current limits. It differs from the actual group if the limits changed since
    /// (`acl-and-users.md` section 9).
    pub fn group_by_limits(&self, who: &Identity, queue: &QueueRow) -> Option<String> {
        self.path_up(queue).find_map(|row| row.settings.limits.group_of(who).map(str::to_owned))
    }

    fn limits(&self, side: Side, name: &str, queue: &QueueRow) -> Vec<LimitUse> {
        self.path_up(queue).filter_map(|queue| self.limit_on(side, name, queue)).collect()
    }

    /// The limit of a user or a group on this row of a queue, which can be of another configuration, with the usage here.
    pub fn limit_on(&self, side: Side, name: &str, queue: &QueueRow) -> Option<LimitUse> {
        let limit = Arc::clone(limit_of(&queue.settings.limits, side, name)?);
        let usage = self.usage_of(side, name).and_then(|row| row.at(&queue.path)).cloned().unwrap_or_default();
        let (allocated, running) = (usage.allocated, usage.running);
        Some(LimitUse { side, name: name.to_owned(), queue: queue.path.clone(), limit, allocated, running })
    }
}

fn limit_of<'l>(limits: &'l QueueLimits, side: Side, name: &str) -> Option<&'l Arc<LimitConfig>> {
    match side {
        Side::User => limits.for_user(name),
        Side::Group => limits.for_group(name),
    }
}

pub(super) fn limited(part: &PartitionView, side: Side) -> UsageRows {
    let mut named: BTreeMap<&str, BTreeMap<&QueuePath, &QueueRow>> = BTreeMap::new();
    for row in part.walk() {
        for limit in row.settings.limits.list() {
            let names = if side == Side::User { &limit.users } else { &limit.groups };
            for name in names.iter().filter(|name| side == Side::Group || *name != ANYONE) {
                named.entry(name).or_default().extend(part.path_up(row).map(|row| (&row.path, row)));
            }
        }
    }
    let level = |name: &str, row: &QueueRow| QueueUsageRow {
        slot: row.slot,
        queue: row.path.clone(),
        limit: limit_of(&row.settings.limits, side, name).cloned(),
        ..QueueUsageRow::default()
    };
    let rows = named.into_iter().map(|(name, queues)| {
        let queues: Vec<QueueUsageRow> = queues.into_values().map(|row| level(name, row)).collect();
        let name: Arc<str> = name.into();
        (Arc::clone(&name), Arc::new(UsageRow::new(name, queues)))
    });
    rows.collect()
}

#[derive(Debug, Default)]
pub(super) struct UsageBuilder {
    names: Vec<Option<Arc<str>>>,
}

impl UsageBuilder {
    pub fn update<K: SlabKey>(
        &mut self,
        rows: &mut UsageRows,
        trackers: &Trackers<K>,
        side: Side,
        touched: impl Iterator<Item = K> + Clone,
        partition: &Partition,
    ) {
        // Slots are reused: a new name must stay.
        for key in touched.clone() {
            if let Some(gone) = self.names.get_mut(key.slot()).and_then(Option::take) {
                rows.remove(&gone);
            }
        }
        for key in touched {
            let Some(tracker) = trackers.get(key) else { continue };
            let level = |(slot, usage): (QueueSlot, &QueueUsage)| {
                let queue = partition.queues.get(slot)?;
                Some(QueueUsageRow {
                    slot,
                    queue: queue.path.clone(),
                    allocated: usage.allocated.clone(),
                    running: usage.running.clone(),
                    apps: usage.apps,
                    limit: limit_of(&queue.settings.limits, side, &tracker.name).cloned(),
                })
            };
            let mut queues: Vec<QueueUsageRow> = tracker.levels().filter_map(level).collect();
            queues.sort_by(|a, b| a.queue.cmp(&b.queue));
            let name = Arc::clone(&tracker.name);
            if self.names.len() <= key.slot() {
                self.names.resize(key.slot() + 1, None);
            }
            self.names[key.slot()] = Some(Arc::clone(&name));
            rows.insert(Arc::clone(&name), Arc::new(UsageRow::new(name, queues)));
        }
    }
}
