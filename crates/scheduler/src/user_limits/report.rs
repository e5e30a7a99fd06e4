//! Events of added, changed, and removed limits (SCH-223).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::interface::event::{Event, EventKind};
use crate::usage::limits::{ANYONE, QueueLimits, max_applications, max_resources};
use crate::usage::{Side, Usage};
use config::LimitConfig;
use model::{QueuePath, Time};

pub(crate) struct LimitsChange {
    pub queue: QueuePath,
    pub old: Arc<QueueLimits>,
    pub new: Arc<QueueLimits>,
}

/// With `again`, every limited one. Names come first, then the users under `*`: those with a limit, then those with
/// usage.
pub(crate) fn report_limits(now: Time, changes: &[LimitsChange], usage: &Usage, again: bool, events: &mut Vec<Event>) {
    let mut report = |change: &LimitsChange, side: Side, name: &str, set: bool| {
        let kind = EventKind::Limit { side, name: Arc::from(name), queue: change.queue.clone(), set };
        events.push(Event::new(now, kind));
    };
    let changed = || changes.iter().filter(|change| again || !Arc::ptr_eq(&change.old, &change.new));
    let same = |one: &LimitConfig, other: &LimitConfig| !again && same_maxima(one, other);
    for change in changed() {
        let LimitsChange { old, new, .. } = change;
        for (side, name, limit) in new.named() {
            if old.naming(side, name).is_none_or(|old| !same(old, limit)) {
                report(change, side, name, true);
            }
        }
        for (side, name, _) in old.named().filter(|(side, name, _)| new.naming(*side, name).is_none()) {
            report(change, side, name, false);
        }
    }
    let known = known_users(changes, usage);
    for change in changed() {
        let LimitsChange { old, new, .. } = change;
        let (before, after) = (old.naming(Side::User, ANYONE), new.naming(Side::User, ANYONE));
        let set = match (before, after) {
            (Some(before), Some(after)) if same(before, after) => continue,
            (None, None) => continue,
            (_, after) => after.is_some(),
        };
        for user in known.iter().filter(|user| new.naming(Side::User, user).is_none()) {
            report(change, Side::User, user, set);
        }
    }
}

fn known_users<'a>(changes: &'a [LimitsChange], usage: &'a Usage) -> Vec<&'a str> {
    let named = changes.iter().flat_map(|change| change.new.named());
    let named = named.filter(|(side, ..)| *side == Side::User).map(|(_, name, _)| name);
    let tracked = usage.users.iter().map(|(_, tracker)| &*tracker.name);
    let mut seen = BTreeSet::new();
    named.chain(tracked).filter(|name| seen.insert(*name)).collect()
}

fn same_maxima(one: &LimitConfig, other: &LimitConfig) -> bool {
    max_resources(one) == max_resources(other) && max_applications(one) == max_applications(other)
}

impl QueueLimits {
    /// In the order of the configuration. `*` of users is not a name; `*` of groups is the shared pot.
    fn named(&self) -> impl Iterator<Item = (Side, &str, &Arc<LimitConfig>)> {
        let mut all = BTreeMap::new();
        let mut order = Vec::new();
        for limit in self.list() {
            let users = limit.users.iter().filter(|user| *user != ANYONE).map(|user| (Side::User, user.as_str()));
            for key in users.chain(limit.groups.iter().map(|group| (Side::Group, group.as_str()))) {
                if all.insert(key, limit).is_none() {
                    order.push(key);
                }
            }
        }
        order.into_iter().filter_map(move |key| all.get(&key).map(|limit| (key.0, key.1, *limit)))
    }
}
