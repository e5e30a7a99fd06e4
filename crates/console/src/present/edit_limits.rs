//! Users and groups for which an edited limit applies.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::present::{format, limits};
use config::diff::Key;
use config::{Config, Diff};
use model::{Profile, QueuePath};
use view::limits_used::LimitUsed;
use view::units::show_amount;
use view::{PartitionView, QueueRow, Side, View};

const NAMED: usize = 8;

/// Whether a change of this key decides about users or groups.
pub fn is_of_limit(key: &Key) -> bool {
    match key {
        Key::Limit(_) | Key::LimitOrder => true,
        // Its description.
        Key::InLimit(_, setting) => setting != "limit",
        _ => false,
    }
}

/// The queues with changed limits, each with its new row.
pub struct Changed {
    then: Option<Arc<View>>,
    seen: BTreeSet<(Arc<str>, QueuePath)>,
}

impl Changed {
    /// The queues of the new configuration are only built if a limit changes.
    pub fn new(diff: &Diff, config: &Arc<Config>, profile: Profile) -> Self {
        let changes = diff.changes.iter().any(|change| is_of_limit(&change.key));
        // A rejected text has no effect.
        let then = changes.then(|| View::of_config(Arc::clone(config), profile).ok()).flatten();
        Self { then, seen: BTreeSet::new() }
    }

    /// The affected users and groups of a queue, once for all changed limits of the queue.
    pub fn of(&mut self, part: &PartitionView, row: &QueueRow) -> Vec<String> {
        let then = self.then.as_ref().and_then(|then| then.partitions.iter().find(|then| then.name == part.name));
        let Some(after) = then.and_then(|then| then.queue_at(&row.path)) else { return Vec::new() };
        if !self.seen.insert((Arc::clone(&part.name), row.path.clone())) {
            return Vec::new();
        }
        let mut sentences: Vec<String> = [Side::User, Side::Group]
            .into_iter()
            .flat_map(|side| part.accounts(side).map(move |account| (side, Arc::clone(&account.name))))
            .flat_map(|(side, name)| changed(part, (side, &name), row, after))
            .collect();
        if sentences.len() > NAMED {
            let more = sentences.len() - NAMED;
            sentences.truncate(NAMED);
            sentences.push(format!("and {more} more of users and groups"));
        }
        sentences
    }
}

fn changed(part: &PartitionView, (side, name): (Side, &str), row: &QueueRow, after: &QueueRow) -> Vec<String> {
    let used = |queue| part.limit_on(side, name, queue).map_or_else(Vec::new, |limit| part.used_of(&limit));
    let before = used(row);
    let same = |one: &LimitUsed| before.iter().any(|old| old.resource == one.resource && old.limit == one.limit);
    let matters = |one: &LimitUsed| one.used > 0 || one.pending > 0;
    used(after).iter().filter(|one| !same(one) && matters(one)).map(sentence).collect()
}

fn sentence(one: &LimitUsed) -> String {
    let LimitUsed { side, limit, used, pending, .. } = one;
    let who = match (side, &*one.name) {
        (Side::Group, "*") => limits::name(*side, "*"),
        (_, name) => format!("{} {}", limits::kind(*side), limits::name(*side, name)),
    };
    let Some(resource) = &one.resource else {
        return match used > limit {
            true => format!("{who}: {} continue; none starts until fewer than {limit} run", applications(*used)),
            false => format!("{who}: {used} of {limit} running applications, {pending} pending"),
        };
    };
    let (called, show) = (format::resource_name(resource), |amount| show_amount(resource, amount));
    let (most, now) = (show(*limit), show(*used));
    match (used > limit, one.blocked()) {
        (true, _) => format!("{who}: {called}: {now} in use continues; no new allocations until below {most}"),
        (false, 0) => format!("{who}: {called}: {now} of {most} in use"),
        (false, held) => format!("{who}: {called}: {now} of {most} in use, the limit blocks {} pending", show(held)),
    }
}

fn applications(count: i64) -> String {
    format::count(u64::try_from(count).unwrap_or_default(), "application")
}
