//! Why a queued job is pending, in one sentence with values.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::job::{Job, number_of};
use model::{AppId, AppState, Resource};
use view::units::show_amount;
use view::{AppGroup, AppRow, AskState, LimitUse, PartitionView, PendingReason, Side};

const MOST_USERS: usize = 3;

pub(super) struct Reasons<'v> {
    part: Option<&'v PartitionView>,
    drained: Option<String>,
    known: Known,
}

type Scope = (String, String, String);

#[derive(Default)]
struct Known(RefCell<BTreeMap<Scope, Vec<(String, i64)>>>);

impl<'v> Reasons<'v> {
    /// `drained` comes first because nothing starts on a drained machine.
    pub(super) fn new(part: Option<&'v PartitionView>, drained: Option<String>) -> Self {
        Self { part, drained, known: Known::default() }
    }

    pub(super) fn why_queued(&self, app: Option<&AppRow>, job: &Job) -> String {
        let allocated =
            app.is_some_and(|app| app.asks.values().any(|ask| matches!(ask.state, AskState::Allocated { .. })));
        match (self.drained.as_ref().filter(|_| !allocated), self.part, app) {
            (Some(drained), ..) => drained.clone(),
            (None, Some(part), Some(app)) => why(part, app, job, &self.known),
            _ => String::new(),
        }
    }
}

impl Known {
    fn users(&self, part: &PartitionView, queue: &str, name: &str, group: &str) -> Vec<(String, i64)> {
        let key = [queue, name, group].map(str::to_owned).into();
        self.0.borrow_mut().entry(key).or_insert_with(|| users(part, queue, name, group)).clone()
    }
}

fn why(part: &PartitionView, app: &AppRow, job: &Job, known: &Known) -> String {
    let pending = app.asks.iter().find_map(|(key, ask)| match ask.state {
        AskState::Pending { reason, .. } => Some((*key, reason)),
        AskState::Allocated { .. } => None,
    });
    if let Some((key, PendingReason::Turn)) = pending {
        return by_turn(app.notes.get(&key).and_then(|notes| notes.behind.as_ref()));
    }
    let pending = pending.map(|(_, reason)| reason);
    let wanted = job.resource();
    let running = app.state != AppState::Accepted;
    match pending {
        Some(PendingReason::QueueQuota) => {
            by_queue(part, app, &wanted, known).unwrap_or_else(|| "the queue has no capacity".to_owned())
        }
        Some(PendingReason::UserQuota) => {
            by_limit(part, app, &wanted, known).unwrap_or_else(|| "a limit of the user is reached".to_owned())
        }
        Some(PendingReason::NoNode) => {
            by_machine(part, &wanted, known).unwrap_or_else(|| "the machine has no capacity".to_owned())
        }
        Some(_) if !running => {
            by_applications(part, app).unwrap_or_else(|| "not evaluated yet; other jobs may have priority".to_owned())
        }
        Some(_) => String::new(),
        None => "about to start".to_owned(),
    }
}

fn by_turn(first: Option<&AppId>) -> String {
    let job = first.and_then(|app| number_of(app.as_str()));
    let job = job.map_or_else(|| "a job".to_owned(), |(number, _)| format!("job {number}"));
    format!("waits for {job}, which is ahead of it and would start later")
}

fn by_queue(part: &PartitionView, app: &AppRow, wanted: &Resource, known: &Known) -> Option<String> {
    let up = std::iter::successors(Some(app.queue.clone()), model::QueuePath::parent);
    up.filter_map(|path| part.queue_at(&path)).find_map(|row| {
        let max = row.max.as_ref()?;
        let (name, wanted, used, max) = short(wanted, &row.allocated, max)?;
        // The root has the capacity of the machine.
        let what = match row.parent {
            Some(_) => format!("max {name} of {}", row.path),
            None => format!("{name} of this machine"),
        };
        Some(reached(&what, name, (used, max, wanted), &known.users(part, row.path.as_str(), name, "")))
    })
}

fn by_limit(part: &PartitionView, app: &AppRow, wanted: &Resource, known: &Known) -> Option<String> {
    let limits = part.limits_of(app);
    let of_resources = |limit: &LimitUse| {
        let (name, used, max) = limit.short_of(wanted)?;
        let what = format!("max {name} of {}", limit_name(limit, app));
        let users = match limit.side {
            Side::User => Vec::new(),
            Side::Group => known.users(part, limit.queue.as_str(), name, group(app)),
        };
        Some(reached(&what, name, (used, max, wanted.amount(name)), &users))
    };
    limits.iter().find_map(of_resources).or_else(|| by_applications(part, app))
}

fn group(app: &AppRow) -> &str {
    match &app.group {
        AppGroup::Group(name) => name,
        AppGroup::Undecided | AppGroup::Ungrouped => "",
    }
}

fn by_applications(part: &PartitionView, app: &AppRow) -> Option<String> {
    let limits = part.limits_of(app);
    let limit = limits.iter().find(|limit| !limit.lets_run(&app.id));
    if let Some((limit, max)) = limit.and_then(|limit| Some((limit, limit.max_running()?))) {
        let running = limit.running.len();
        return Some(format!("max running jobs of {} reached ({running} of {max})", limit_name(limit, app)));
    }
    let mut up = std::iter::successors(Some(app.queue.clone()), model::QueuePath::parent);
    up.find_map(|path| {
        let row = part.queue_at(&path)?;
        let max = row.max_running.filter(|max| row.running >= *max)?;
        Some(format!("max running jobs of {path} reached ({} of {max})", row.running))
    })
}

fn by_machine(part: &PartitionView, wanted: &Resource, known: &Known) -> Option<String> {
    let (_, node) = part.nodes.iter().next()?;
    let used = node.allocated.add(&node.occupied);
    let (name, wanted, used, max) = short(wanted, &used, &node.capacity)?;
    Some(reached(&format!("{name} of this machine"), name, (used, max, wanted), &known.users(part, "root", name, "")))
}

fn limit_name(limit: &LimitUse, app: &AppRow) -> String {
    match limit.side {
        // A limit of `*` applies to each user.
        Side::User => format!("user {} on {}", app.who.user, limit.queue),
        Side::Group => format!("group {} on {}", limit.name, limit.queue),
    }
}

fn short<'w>(wanted: &'w Resource, used: &Resource, max: &Resource) -> Option<(&'w str, i64, i64, i64)> {
    wanted.iter().find_map(|(name, wanted)| {
        let (max, used) = (max.get(name)?, used.amount(name));
        (wanted > max.saturating_sub(used).max(0)).then_some((name, wanted, used, max))
    })
}

/// `max vcore of root.a reached (4 of 4, requests 2); used by ann 3, bob 1`.
fn reached(what: &str, name: &str, (used, max, wanted): (i64, i64, i64), users: &[(String, i64)]) -> String {
    let show = |amount| show_amount(name, amount);
    let mut text = format!("{what} reached ({} of {}, requests {})", show(used), show(max), show(wanted));
    let named: Vec<String> =
        users.iter().take(MOST_USERS).map(|(user, amount)| format!("{user} {}", show(*amount))).collect();
    if !named.is_empty() {
        text.push_str(&format!("; used by {}", named.join(", ")));
    }
    if users.len() > MOST_USERS {
        text.push_str(&format!(", and {} more", users.len() - MOST_USERS));
    }
    text
}

/// Usage by user in a subtree, largest first; only of `of_group` if set.
fn users(part: &PartitionView, queue: &str, name: &str, of_group: &str) -> Vec<(String, i64)> {
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for app in part.apps.iter().flatten() {
        let path = app.queue.as_str();
        let is_in = path.strip_prefix(queue).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let used = app.allocated.amount(name);
        let counts = of_group.is_empty() || group(app) == of_group;
        if is_in && used > 0 && counts {
            *sums.entry(app.who.user.as_str()).or_default() += used;
        }
    }
    let mut users: Vec<(String, i64)> = sums.into_iter().map(|(user, sum)| (user.to_owned(), sum)).collect();
    users.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    users
}
