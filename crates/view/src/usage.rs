//! Usage of users and groups per queue, and their limits.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use super::rows::QueueSlot;
use crate::units::show_amount;
use config::LimitConfig;
use model::{AppId, QueuePath, Resource};
use scheduler::usage::Side;
use scheduler::usage::limits::{max_applications, max_resources};

/// Rows by name.
pub type UsageRows = OrdMap<Arc<str>, Arc<UsageRow>>;

/// The usage of a user or a group (LIM-010).
#[derive(Clone, Debug, Default)]
pub struct UsageRow {
    /// The name; the group `*` is the shared wildcard limit (LIM-004).
    pub name: Arc<str>,
    /// The queues with an active application in their subtree or with a limit, by path, the root first.
    pub queues: Arc<[QueueUsageRow]>,
    /// The positions of the queues with a limit: there are few, and each frame reads them.
    limited: Arc<[usize]>,
}

/// The usage of a user or a group in the subtree of a queue.
#[derive(Clone, Debug, Default)]
pub struct QueueUsageRow {
    /// The queue's slot.
    pub slot: QueueSlot,
    /// The full path of the queue.
    pub queue: QueuePath,
    /// The allocated resources in the subtree.
    pub allocated: Resource,
    /// The running applications, as limits count them (LIM-013).
    pub running: OrdSet<AppId>,
    /// The active applications.
    pub apps: u64,
    /// The limit on this queue; limits of parents also apply (LIM-006).
    pub limit: Option<Arc<LimitConfig>>,
}

impl QueueUsageRow {
    /// Whether resources are allocated or applications run.
    pub fn is_used(&self) -> bool {
        !self.allocated.is_zero() || !self.running.is_empty()
    }

    /// The limit on this queue with its usage, if any.
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
    /// Creates a row; the queues are sorted by path.
    pub fn new(name: Arc<str>, queues: impl Into<Arc<[QueueUsageRow]>>) -> Self {
        let queues = queues.into();
        let limited = queues.iter().enumerate().filter_map(|(at, row)| row.limit.is_some().then_some(at)).collect();
        Self { name, queues, limited }
    }

    /// The limits that apply to this user or group in the queues with an active application, the root's first.
    pub fn limits(&self, side: Side) -> impl Iterator<Item = LimitUse> {
        self.limited.iter().filter_map(move |at| self.queues.get(*at)?.limit_use(side, &self.name))
    }

    /// The usage in the subtree of a queue, if any.
    pub fn at(&self, queue: &QueuePath) -> Option<&QueueUsageRow> {
        let at = self.queues.binary_search_by(|row| row.queue.cmp(queue)).ok()?;
        self.queues.get(at)
    }
}

/// A limit with its usage.
#[derive(Clone, Debug)]
pub struct LimitUse {
    /// User or group.
    pub side: Side,
    /// The user or group of the limit, or `*`.
    pub name: String,
    /// The queue of the limit.
    pub queue: QueuePath,
    /// The limit with its description and location.
    pub limit: Arc<LimitConfig>,
    /// The allocated resources in the subtree.
    pub allocated: Resource,
    /// The running applications in the subtree.
    pub running: OrdSet<AppId>,
}

impl LimitUse {
    /// The maximum resources, if set (SCH-123).
    pub fn max(&self) -> Option<&Resource> {
        max_resources(&self.limit)
    }

    /// The maximum of running applications, if set (SCH-126).
    pub fn max_running(&self) -> Option<u64> {
        max_applications(&self.limit)
    }

    /// The remaining resources; can be negative after a reload. `None` if the limit has no resources (LIM-040).
    pub fn rest(&self) -> Option<Resource> {
        max_resources(&self.limit).map(|max| max.sub_only_existing(&self.allocated))
    }

    /// The first resource without enough remaining for `wanted`: its name, usage, and maximum (LIM-042).
    pub fn short_of<'w>(&self, wanted: &'w Resource) -> Option<(&'w str, i64, i64)> {
        let max = max_resources(&self.limit)?;
        wanted.iter().find_map(|(name, wanted)| {
            let (max, used) = (max.get(name)?, self.allocated.amount(name));
            (wanted > max.saturating_sub(used).max(0)).then_some((name, used, max))
        })
    }

    /// Whether an application may start or continue to run (LIM-044).
    pub fn lets_run(&self, app: &AppId) -> bool {
        let has_place = |max| self.running.contains(app) || (self.running.len() as u64) < max;
        max_applications(&self.limit).is_none_or(has_place)
    }

    /// `user sue in root.etl: at most 4 applications, vcore 10`
    pub fn what(&self) -> String {
        let side = if self.side == Side::User { "user" } else { "group" };
        let apps = self.max_running().map(|max| format!("{max} application{}", if max == 1 { "" } else { "s" }));
        let set: Vec<String> = apps.into_iter().chain(self.max().map(ToString::to_string)).collect();
        format!("{side} {} in {}: at most {}", self.name, self.queue, set.join(", "))
    }

    /// The effect on one more application at the current usage (LIM-040, LIM-044).
    pub fn would(&self) -> String {
        if let Some(max) = self.max_running().filter(|max| self.running.len() as u64 >= *max) {
            return format!("block it: {} of {max} run", self.running.len());
        }
        let full =
            self.rest().and_then(|rest| rest.iter().find(|(_, rest)| *rest <= 0).map(|(name, _)| name.to_owned()));
        if let (Some(name), Some(max)) = (full, self.max()) {
            let used = show_amount(&name, self.allocated.amount(&name));
            return format!(
                "block its requests for {name}: {used} of {} in use",
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
        let message: Vec<String> = apps.into_iter().chain(used).collect();
        format!("allow it: {}", message.join(", "))
    }

    /// Whether a resource or the number of applications is exhausted.
    pub fn is_full(&self) -> bool {
        let out = self.rest().is_some_and(|rest| rest.iter().any(|(_, rest)| rest <= 0));
        out || max_applications(&self.limit).is_some_and(|max| self.running.len() as u64 >= max)
    }
}
