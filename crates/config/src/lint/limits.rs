//! W-007: limits above the queue's maximum.

use std::collections::BTreeSet;

use model::parse_quantity;

use super::{Lint, Queue, fields, list, text_of};
use crate::node::Fields;

const ANY: &str = "*";

impl Lint {
    pub(super) fn partition_limits(&mut self, partition: Fields<'_>) {
        self.limited_groups =
            limits(partition).iter().flat_map(|limit| names(*limit, "groups")).map(str::to_owned).collect();
    }

    /// W-007: the limits of a queue that can never be reached first, unless their names are excepted from another limit.
    pub(super) fn idle_limits(&mut self, queue: Queue<'_, '_>) {
        let all = limits(queue.fields);
        let effective: Vec<Fields<'_>> = all.iter().copied().filter(|limit| !queue.is_idle(*limit)).collect();
        let binds_users = effective.iter().any(|limit| names(*limit, "users").any(|name| name == ANY));
        for limit in all.into_iter().filter(|limit| queue.is_idle(*limit)) {
            // Named on the same queue beats `*` (LIM-005).
            let is_exception = binds_users && names(limit, "users").any(|name| name != ANY);
            if is_exception || self.selects_group(queue, limit) {
                continue;
            }
            let message = "this limit has no effect: the queue reaches its own maximum first".to_owned();
            let hint = "write less than the maximum of the queue, or remove the limit";
            self.warn("W-007", limit.at(), queue.path, message, hint);
        }
    }

    /// LIM-030: without this limit, applications of its groups count under a later group here, or under one above.
    fn selects_group(&self, queue: Queue<'_, '_>, limit: Fields<'_>) -> bool {
        let own: BTreeSet<&str> = names(limit, "groups").collect();
        let later = limits(queue.fields).into_iter().skip_while(|other| other.at() != limit.at()).skip(1);
        let above = std::iter::successors(queue.above, |queue| queue.above).flat_map(|queue| limits(queue.fields));
        let groups = later.chain(above).flat_map(|limit| names(limit, "groups"));
        let of_partition = self.limited_groups.iter().map(String::as_str).filter(|_| queue.above.is_some());
        // Of two own groups, the first would not hide the second.
        let mut others = groups.chain(of_partition).filter(|name| own.len() > 1 || !own.contains(name));
        !own.is_empty() && others.next().is_some()
    }
}

impl<'d> Queue<'_, 'd> {
    /// Whether the maximum is reached before each value.
    fn is_idle(&self, limit: Fields<'d>) -> bool {
        let resources: Vec<_> = limit.get("maxresources").and_then(fields).into_iter().flatten().collect();
        let apps = count(text_of(limit, "maxapplications"));
        let reached_first = |(name, value): (&str, Option<&str>)| {
            let Some(limit) = value.and_then(|text| parse_quantity(name, text).ok()) else { return false };
            self.maximum(name).is_some_and(|maximum| maximum <= limit)
        };
        let mut amounts = resources.iter().map(|(key, value)| (key.text, value.scalar().map(|scalar| scalar.text)));
        let apps_first = apps.is_none_or(|apps| self.most_apps().is_some_and(|most| most <= apps));
        !(resources.is_empty() && apps.is_none()) && apps_first && amounts.all(reached_first)
    }

    fn maximum(&self, name: &str) -> Option<i64> {
        let resources = self.fields.get("resources").and_then(fields);
        let own = resources.and_then(|resources| text_of(resources.get("max").and_then(fields)?, name));
        let own = own.and_then(|text| parse_quantity(name, text).ok());
        own.into_iter().chain(self.above.and_then(|above| above.maximum(name))).min()
    }

    fn most_apps(&self) -> Option<u64> {
        let own = count(text_of(self.fields, "maxapplications"));
        own.into_iter().chain(self.above.and_then(Self::most_apps)).min()
    }
}

fn limits(of: Fields<'_>) -> Vec<Fields<'_>> {
    list(of, "limits").into_iter().filter_map(fields).collect()
}

fn names<'d>(limit: Fields<'d>, key: &str) -> impl Iterator<Item = &'d str> + use<'d> {
    list(limit, key).into_iter().filter_map(|name| Some(name.scalar()?.text))
}

/// 0 means none.
fn count(text: Option<&str>) -> Option<u64> {
    text?.parse().ok().filter(|number| *number > 0)
}
