//! What users and groups have in use, and which limits hold for them.
//!
//! A row has what one tracker of the scheduler has. Which limit binds follows from several rows and is worked out when somebody
//! looks.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use super::rows::{AppGroup, AppRow, QueueRow, QueueSlot};
use super::{PartitionView, QueueLimits};
use crate::config::LimitConfig;
use crate::model::quantity::show_amount;
use crate::model::{AppId, Identity, QueuePath, Resource};
use crate::scheduler::Partition;
use crate::scheduler::index::SlabKey;
pub use crate::scheduler::usage::Side;
pub use crate::scheduler::usage::limits::{ANYONE, max_applications, max_resources};
use crate::scheduler::usage::{QueueUsage, Trackers};

/// What one user, or one group, has in use (LIM-010).
#[derive(Clone, Debug, Default)]
pub struct UsageRow {
    /// The name; the group `*` is the shared pot of those whom no limit names (LIM-004).
    pub name: Arc<str>,
    /// The queues with a live application that counts here in or below them, or with a limit, by path: the root first.
    pub queues: Arc<[QueueUsageRow]>,
}

/// Usage of one user or group in one queue and everything below it.
#[derive(Clone, Debug, Default)]
pub struct QueueUsageRow {
    /// The queue's slot.
    pub slot: QueueSlot,
    /// The queue.
    pub queue: QueuePath,
    /// In use.
    pub allocated: Resource,
    /// Applications that run, as limits count it (LIM-013).
    pub running: OrdSet<AppId>,
    /// Live applications that count here, in any state.
    pub apps: u64,
    /// The limit of this very queue that holds, with its place; limits of queues above hold as well (LIM-006).
    pub limit: Option<Arc<LimitConfig>>,
}

impl QueueUsageRow {
    /// The limit that stands on this very queue, with how much of it is used; `None` without one.
    pub fn limit_use(&self, side: Side, name: &str) -> Option<LimitUse> {
        Some(LimitUse {
            side,
            name: name.to_owned(),
            queue: self.queue.clone(),
            limit: Arc::clone(self.limit.as_ref()?),
            allocated: self.allocated.clone(),
            running: self.running.clone(),
        })
    }
}

impl UsageRow {
    /// The limits that hold for this user or group wherever it has a live application, the root's first.
    pub fn limits(&self, side: Side) -> impl Iterator<Item = LimitUse> {
        self.queues.iter().filter_map(move |row| row.limit_use(side, &self.name))
    }

    /// The usage in a queue and below it, if an application counts there.
    pub fn at(&self, queue: &QueuePath) -> Option<&QueueUsageRow> {
        let at = self.queues.binary_search_by(|row| row.queue.cmp(queue)).ok()?;
        self.queues.get(at)
    }
}

/// A limit that holds for a user or a group in some queue, and how much of it is used.
#[derive(Clone, Debug)]
pub struct LimitUse {
    /// Whether it is a user's or a group's.
    pub side: Side,
    /// Whose.
    pub name: String,
    /// The queue that the limit stands on.
    pub queue: QueuePath,
    /// The limit, with its description and place.
    pub limit: Arc<LimitConfig>,
    /// In use there and below.
    pub allocated: Resource,
    /// Running there and below.
    pub running: OrdSet<AppId>,
}

impl LimitUse {
    /// The most resources, where it sets any (SCH-123).
    pub fn max(&self) -> Option<&Resource> {
        max_resources(&self.limit)
    }

    /// The most applications that run, where it sets any (SCH-126).
    pub fn max_running(&self) -> Option<u64> {
        max_applications(&self.limit)
    }

    /// What is left of the resources that it names; may be negative after a reload. `None`: it names none (LIM-040).
    pub fn rest(&self) -> Option<Resource> {
        max_resources(&self.limit).map(|max| max.sub_only_existing(&self.allocated))
    }

    /// The first resource of which it leaves too little for `wanted`: its name, what is in use, and the maximum (LIM-042).
    pub fn short_of<'w>(&self, wanted: &'w Resource) -> Option<(&'w str, i64, i64)> {
        let max = max_resources(&self.limit)?;
        wanted.iter().find_map(|(name, wanted)| {
            let (max, used) = (max.get(name)?, self.allocated.amount(name));
            (wanted > max.saturating_sub(used).max(0)).then_some((name, used, max))
        })
    }

    /// Whether it lets an application begin to run, or go on (LIM-044).
    pub fn lets_run(&self, app: &AppId) -> bool {
        let has_place = |max| self.running.contains(app) || (self.running.len() as u64) < max;
        max_applications(&self.limit).is_none_or(has_place)
    }

    /// Whose it is and what it sets: `user sue in root.etl: at most 4 applications, vcore 10`.
    pub fn what(&self) -> String {
        let side = if self.side == Side::User { "user" } else { "group" };
        let apps = self.max_running().map(|max| format!("{max} application{}", if max == 1 { "" } else { "s" }));
        let set: Vec<String> = apps.into_iter().chain(self.max().map(ToString::to_string)).collect();
        format!("{side} {} in {}: at most {}", self.name, self.queue, set.join(", "))
    }

    /// What it would do to one more application, by what runs at this moment (LIM-040, LIM-044).
    pub fn would(&self) -> String {
        if let Some(max) = self.max_running().filter(|max| self.running.len() as u64 >= *max) {
            return format!("hold it back: {} of {max} run", self.running.len());
        }
        let full =
            self.rest().and_then(|rest| rest.iter().find(|(_, rest)| *rest <= 0).map(|(name, _)| name.to_owned()));
        if let (Some(name), Some(max)) = (full, self.max()) {
            let used = show_amount(&name, self.allocated.amount(&name));
            return format!(
                "hold back what it asks of {name}: {used} of {} in use",
                show_amount(&name, max.amount(&name))
            );
        }
        let apps = self.max_running().map(|max| format!("{} of {max} run", self.running.len()));
        let used = self.max().map(|max| {
            let of = |(name, max): (&str, i64)| {
                format!("{name} {} of {}", show_amount(name, self.allocated.amount(name)), show_amount(name, max))
            };
            format!("{} in use", max.iter().map(of).collect::<Vec<_>>().join(", "))
        });
        let told: Vec<String> = apps.into_iter().chain(used).collect();
        format!("let it run: {}", told.join(", "))
    }

    /// Whether nothing more of some resource, or no further application, goes into it.
    pub fn is_full(&self) -> bool {
        let out = self.rest().is_some_and(|rest| rest.iter().any(|(_, rest)| rest <= 0));
        out || max_applications(&self.limit).is_some_and(|max| self.running.len() as u64 >= max)
    }
}

impl PartitionView {
    /// What a user or a group has in use: where a live application counts there, or else where a limit names it, with nothing in
    /// use.
    pub fn usage_of(&self, side: Side, name: &str) -> Option<&Arc<UsageRow>> {
        let (live, limited) = self.usage_rows(side);
        live.get(name).or_else(|| limited.get(name))
    }

    /// The same with both: the queues of live applications and those of limits that name it.
    pub fn whole_usage_of(&self, side: Side, name: &str) -> Option<Arc<UsageRow>> {
        let (live, limited) = self.usage_rows(side);
        let (Some(live), Some(limited)) = (live.get(name), limited.get(name)) else {
            return self.usage_of(side, name).cloned();
        };
        let mut queues: Vec<QueueUsageRow> = live.queues.to_vec();
        queues.extend(limited.queues.iter().filter(|row| live.at(&row.queue).is_none()).cloned());
        queues.sort_by(|a, b| a.queue.cmp(&b.queue));
        Some(Arc::new(UsageRow { name: Arc::clone(&live.name), queues: queues.into() }))
    }

    /// All users, or all groups, that use something or have a limit of their own, by name.
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

    /// Whether an application counts under a user or a group.
    pub fn counts_under(app: &AppRow, side: Side, name: &str) -> bool {
        match (side, &app.group) {
            (Side::User, _) => app.who.user == name,
            (Side::Group, AppGroup::Group(group)) => &**group == name,
            (Side::Group, _) => false,
        }
    }

    /// The limits that hold for a user in a queue, from the queue up to the root.
    pub fn user_limits(&self, user: &str, queue: &QueueRow) -> Vec<LimitUse> {
        self.limits(Side::User, user, queue)
    }

    /// The limits that hold in a queue for applications that count under a group, from the queue up to the root.
    pub fn group_limits(&self, group: &str, queue: &QueueRow) -> Vec<LimitUse> {
        self.limits(Side::Group, group, queue)
    }

    /// The limits that hold for an application: its user's, then those of the group that it counts under.
    pub fn limits_of(&self, app: &AppRow) -> Vec<LimitUse> {
        let Some(queue) = self.queue_at(&app.queue) else { return Vec::new() };
        let mut limits = self.user_limits(&app.who.user, queue);
        if let AppGroup::Group(group) = &app.group {
            limits.extend(self.group_limits(group, queue));
        }
        limits
    }

    /// The limits that would count for an application of `who` in a queue: his, then those of the group that it would count under,
    /// each from the queue up to the root. A queue that is not there yet has none of its own.
    pub fn limits_for(&self, who: &Identity, queue: &QueuePath) -> Vec<LimitUse> {
        let up = std::iter::successors(Some(queue.clone()), QueuePath::parent);
        let Some(queue) = up.into_iter().find_map(|path| self.queue_at(&path)) else { return Vec::new() };
        let mut limits = self.user_limits(&who.user, queue);
        if let Some(group) = self.group_by_limits(who, queue) {
            limits.extend(self.group_limits(&group, queue));
        }
        limits
    }

    /// The limit in which `wanted` does not fit for an application, the one nearest to its queue.
    pub fn limit_too_full_for(&self, app: &AppRow, wanted: &Resource) -> Option<LimitUse> {
        self.limits_of(app).into_iter().find(|limit| limit.short_of(wanted).is_some())
    }

    /// The limit that keeps an application from beginning to run, the one nearest to its queue.
    pub fn limit_that_holds_back(&self, app: &AppRow) -> Option<LimitUse> {
        self.limits_of(app).into_iter().find(|limit| !limit.lets_run(&app.id))
    }

    /// The limits of everybody with a live application in a queue or below it.
    pub fn limits_in(&self, queue: &QueueRow) -> Vec<LimitUse> {
        let users = self.users.values().map(|row| (Side::User, row));
        let all = users.chain(self.groups.values().map(|row| (Side::Group, row)));
        let here = all.filter(|(_, row)| row.at(&queue.path).is_some());
        here.flat_map(|(side, row)| self.limits(side, &row.name, queue)).collect()
    }

    /// The group that an application would count under if it were decided now. It differs from the one that it has where
    /// limits have changed since (`acl-and-users.md` section 9).
    pub fn group_by_limits(&self, who: &Identity, queue: &QueueRow) -> Option<String> {
        self.path_up(queue).find_map(|row| row.settings.limits.group_of(who).map(str::to_owned))
    }

    fn limits(&self, side: Side, name: &str, queue: &QueueRow) -> Vec<LimitUse> {
        let row = self.usage_of(side, name);
        let limit = |queue: &QueueRow| {
            let limit = Arc::clone(limit_of(&queue.settings.limits, side, name)?);
            let usage = row.and_then(|row| row.at(&queue.path)).cloned().unwrap_or_default();
            let (allocated, running) = (usage.allocated, usage.running);
            Some(LimitUse { side, name: name.to_owned(), queue: queue.path.clone(), limit, allocated, running })
        };
        self.path_up(queue).filter_map(limit).collect()
    }
}

fn limit_of<'l>(limits: &'l QueueLimits, side: Side, name: &str) -> Option<&'l Arc<LimitConfig>> {
    match side {
        Side::User => limits.for_user(name),
        Side::Group => limits.for_group(name),
    }
}

/// The users, or the groups, that limits of the queues name, with nothing in use. The `*` of users is nobody.
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
        let queues = queues.into_values().map(|row| level(name, row)).collect();
        let name: Arc<str> = name.into();
        (Arc::clone(&name), Arc::new(UsageRow { name, queues }))
    });
    rows.collect()
}

/// Rows by name.
pub type UsageRows = OrdMap<Arc<str>, Arc<UsageRow>>;

/// Keeps rows up to date with trackers.
#[derive(Debug, Default)]
pub(super) struct UsageBuilder {
    /// The name of the tracker in each slot.
    names: Vec<Option<Arc<str>>>,
}

impl UsageBuilder {
    /// Brings the rows of some slots up to date.
    pub fn update<K: SlabKey>(
        &mut self,
        rows: &mut UsageRows,
        trackers: &Trackers<K>,
        side: Side,
        touched: impl Iterator<Item = K> + Clone,
        partition: &Partition,
    ) {
        // Slots are used again: all that is gone goes first, or a name in a new slot would go with its old one.
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
            rows.insert(Arc::clone(&name), Arc::new(UsageRow { name, queues: queues.into() }));
        }
    }
}
