//! The limits of one queue, by user and group (LIM-001 to LIM-008).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::side::Side;
use config::LimitConfig;
use model::{Identity, Resource};

/// The name that represents all users or groups.
pub const ANYONE: &str = "*";

/// The limits of one queue, indexed by name.
#[derive(Clone, Debug, Default)]
pub struct QueueLimits {
    list: Vec<Arc<LimitConfig>>,
    users: BTreeMap<String, usize>,
    groups: BTreeMap<String, usize>,
    group_order: Vec<String>,
}

impl QueueLimits {
    /// Indexes the configured limits.
    pub fn of(limits: &[LimitConfig]) -> Self {
        let mut all = Self::default();
        for (index, limit) in limits.iter().enumerate() {
            all.list.push(Arc::new(limit.clone()));
            for user in &limit.users {
                all.users.insert(user.clone(), index);
            }
            for group in &limit.groups {
                if group != ANYONE && !all.groups.contains_key(group) {
                    all.group_order.push(group.clone());
                }
                all.groups.insert(group.clone(), index);
            }
        }
        all
    }

    /// Whether these are the limits of a configuration in the same order.
    pub(crate) fn has_groups_of(&self, limits: &[LimitConfig]) -> bool {
        self.list.iter().map(|limit| &**limit).eq(limits)
    }

    /// The limits in the order of the configuration.
    pub fn list(&self) -> &[Arc<LimitConfig>] {
        &self.list
    }

    /// Whether the queue has no limits.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The limit of a user, otherwise that of `*` (LIM-005, SCH-122).
    pub fn for_user(&self, user: &str) -> Option<&Arc<LimitConfig>> {
        let index = self.users.get(user).or_else(|| self.users.get(ANYONE))?;
        self.list.get(*index)
    }

    /// `*` is a name here.
    pub(crate) fn naming(&self, side: Side, name: &str) -> Option<&Arc<LimitConfig>> {
        let names = if side == Side::User { &self.users } else { &self.groups };
        self.list.get(*names.get(name)?)
    }

    /// `*` is the shared pot (LIM-032).
    pub fn for_group(&self, group: &str) -> Option<&Arc<LimitConfig>> {
        self.list.get(*self.groups.get(group)?)
    }

    /// The group by these limits alone: the first named group of the user, otherwise `*` (LIM-030).
    pub fn group_of(&self, who: &Identity) -> Option<&str> {
        if who.groups.is_empty() {
            return None;
        }
        let named = self.group_order.iter().find(|group| who.groups.contains(group)).map(String::as_str);
        named.or_else(|| self.groups.contains_key(ANYONE).then_some(ANYONE))
    }

    /// The groups with a limit, including `*`.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str)
    }
}

impl serde::Serialize for QueueLimits {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.list.iter().map(|limit| &**limit))
    }
}

impl<'de> serde::Deserialize<'de> for QueueLimits {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Vec::deserialize(from).map(|limits| Self::of(&limits))
    }
}

/// The maximum resources of a limit; only zeros mean no maximum (SCH-123).
pub fn max_resources(limit: &LimitConfig) -> Option<&Resource> {
    limit.max_resources.as_ref().filter(|max| !max.is_zero())
}

/// The maximum number of running applications of a limit; 0 means no maximum (SCH-126).
pub fn max_applications(limit: &LimitConfig) -> Option<u64> {
    limit.max_applications.filter(|max| *max > 0)
}
