//! Rows of usage: what users and groups have in use, queue by queue, and how much of a limit that is.

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
    /// The full path of the queue.
    pub queue: QueuePath,
    /// What is in use in the queue and below it.
    pub allocated: Resource,
    /// Applications that run, as limits count it (LIM-013).
    pub running: OrdSet<AppId>,
    /// Live applications that count here, in any state.
    pub apps: u64,
    /// The limit of this very queue that holds, with its place; limits of queues above hold as well (LIM-006).
    pub limit: Option<Arc<LimitConfig>>,
}

impl QueueUsageRow {
    /// Whether something is in use or runs here.
    pub fn is_used(&self) -> bool {
        !self.allocated.is_zero() || !self.running.is_empty()
    }

    /// The limit that is on this very queue, with how much of it is used; `None` without one.
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
    /// The limits that apply to this user or group wherever it has a live application, the root's first.
    pub fn limits(&self, side: Side) -> impl Iterator<Item = LimitUse> {
        self.queues.iter().filter_map(move |row| row.limit_use(side, &self.name))
    }

    /// The usage in a queue and below it, if an application counts there.
    pub fn at(&self, queue: &QueuePath) -> Option<&QueueUsageRow> {
        let at = self.queues.binary_search_by(|row| row.queue.cmp(queue)).ok()?;
        self.queues.get(at)
    }
}

/// A limit that applies to a user or a group in some queue, and how much of it is used.
#[derive(Clone, Debug)]
pub struct LimitUse {
    /// Whether it is a user's or a group's.
    pub side: Side,
    /// The user or group whom the limit is for, or `*`.
    pub name: String,
    /// The queue that the limit is on.
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

    /// Whether it lets an application start to run, or continue (LIM-044).
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

    /// What it would do to one more application, by what runs at this time (LIM-040, LIM-044).
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

    /// Whether nothing more of some resource, or no further application, goes into it.
    pub fn is_full(&self) -> bool {
        let out = self.rest().is_some_and(|rest| rest.iter().any(|(_, rest)| rest <= 0));
        out || max_applications(&self.limit).is_some_and(|max| self.running.len() as u64 >= max)
    }
}
