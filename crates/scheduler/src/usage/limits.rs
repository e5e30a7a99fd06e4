//! The limits of one queue, and the users and groups that they name (LIM-001 to LIM-008).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::side::Side;
use config::LimitConfig;
use model::{Identity, Resource};

/// The name that represents everyone.
pub const ANYONE: &str = "*";

/// The limits of one queue, made for look-ups.
#[derive(Clone, Debug, Default)]
pub struct QueueLimits {
    list: Vec<Arc<LimitConfig>>,
    users: BTreeMap<String, usize>,
    groups: BTreeMap<String, usize>,
    /// The named groups in the order of the configuration.
    group_order: Vec<String>,
}

impl QueueLimits {
    /// The limits as the configuration has them.
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

    /// Whether these limits are those of a configuration, at the same places.
    pub(crate) fn says(&self, limits: &[LimitConfig]) -> bool {
        self.list.iter().map(|limit| &**limit).eq(limits)
    }

    /// The limits in their order.
    pub fn list(&self) -> &[Arc<LimitConfig>] {
        &self.list
    }

    /// Whether no one is limited.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The limit for a user: the one that names him, else that for `*` (LIM-005, SCH-122).
    pub fn for_user(&self, user: &str) -> Option<&Arc<LimitConfig>> {
        let index = self.users.get(user).or_else(|| self.users.get(ANYONE))?;
        self.list.get(*index)
    }

    /// The limit that names someone, `*` taken as a name.
    pub(crate) fn naming(&self, side: Side, name: &str) -> Option<&Arc<LimitConfig>> {
        let names = if side == Side::User { &self.users } else { &self.groups };
        self.list.get(*names.get(name)?)
    }

    /// The limit for a group that applications count under; `*` is that of the shared pot (LIM-032).
    pub fn for_group(&self, group: &str) -> Option<&Arc<LimitConfig>> {
        self.list.get(*self.groups.get(group)?)
    }

    /// The group that an application of `who` counts under by these limits alone: the first named one that he is a
    /// member of, else `*` (LIM-030).
    pub fn group_of(&self, who: &Identity) -> Option<&str> {
        if who.groups.is_empty() {
            return None;
        }
        let named = self.group_order.iter().find(|group| who.groups.contains(group)).map(String::as_str);
        named.or_else(|| self.groups.contains_key(ANYONE).then_some(ANYONE))
    }

    /// The groups that have a limit here, `*` included.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str)
    }
}

impl serde::Serialize for QueueLimits {
    /// The limits as the configuration has them.
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.list.iter().map(|limit| &**limit))
    }
}

impl<'de> serde::Deserialize<'de> for QueueLimits {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Vec::deserialize(from).map(|limits| Self::of(&limits))
    }
}

/// The maximum of resources that a limit sets; one of only zeros sets none (SCH-123).
pub fn max_resources(limit: &LimitConfig) -> Option<&Resource> {
    limit.max_resources.as_ref().filter(|max| !max.is_zero())
}

/// The maximum of running applications that a limit sets; 0 sets none (SCH-126).
pub fn max_applications(limit: &LimitConfig) -> Option<u64> {
    limit.max_applications.filter(|max| *max > 0)
}
