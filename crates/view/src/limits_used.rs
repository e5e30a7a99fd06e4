//! Who comes close to his limits, and what he requests beyond them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PartitionView;
use super::usage::LimitUse;
use super::users::Side;
use config::Place;
use model::QueuePath;

/// How a user or a group stands to a limit, in one resource or in its number of applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitUsed {
    /// Whether it is a user's or a group's.
    pub side: Side,
    /// Name of the user or group.
    pub name: Arc<str>,
    /// The queue that the limit is on.
    pub queue: QueuePath,
    /// Where it is written.
    pub at: Place,
    /// The resource; `None`: the number of running applications.
    pub resource: Option<Arc<str>>,
    /// How much there may be.
    pub limit: i64,
    /// How much is in use.
    pub used: i64,
    /// What is requested beyond that by applications that count here; of applications how many have not started to run.
    pub pending: i64,
}

impl LimitUsed {
    /// What is requested that the limit does not let through now.
    pub fn held_back(&self) -> i64 {
        let left = self.limit.saturating_sub(self.used).max(0);
        self.pending.saturating_sub(left).max(0)
    }

    /// What is blocked in thousandths of the limit: so that cpu and memory compare.
    pub fn beyond(&self) -> i64 {
        let part = i128::from(self.held_back()) * 1000 / i128::from(self.limit.max(1));
        i64::try_from(part).unwrap_or(i64::MAX)
    }

    /// The resource by its name in the configuration; `applications` for their number.
    pub fn resource_name(&self) -> &str {
        self.resource.as_deref().unwrap_or("applications")
    }

    /// How much of the limit is in use, in thousandths; of a limit of 0 all.
    pub fn part(&self) -> i64 {
        let part = if self.limit <= 0 { 1000 } else { i128::from(self.used) * 1000 / i128::from(self.limit) };
        i64::try_from(part).unwrap_or(i64::MAX)
    }
}

impl PartitionView {
    /// Every user and group next to each limit that applies to it: those who are blocked most first, in parts of the limit, then those who
    /// use most of theirs. Looks at all applications; meant for a question of a person.
    pub fn limits_used(&self) -> Vec<LimitUsed> {
        let mut rows = Vec::new();
        for side in [Side::User, Side::Group] {
            let mut apps: BTreeMap<&str, Vec<&super::AppRow>> = BTreeMap::new();
            for app in self.apps.iter().flatten().filter(|app| !app.state.is_ended()) {
                let name = match (side, &app.group) {
                    (Side::User, _) => Some(app.who.user.as_str()),
                    (Side::Group, super::rows::AppGroup::Group(group)) => Some(&**group),
                    (Side::Group, _) => None,
                };
                if let Some(name) = name {
                    apps.entry(name).or_default().push(app);
                }
            }
            for account in self.accounts(side) {
                let own = apps.get(&*account.name).map(Vec::as_slice).unwrap_or_default();
                for limit in account.limits(side) {
                    rows.extend(of_limit(&limit, own));
                }
            }
        }
        rows.sort_by(|one, other| other.beyond().cmp(&one.beyond()).then_with(|| other.part().cmp(&one.part())));
        rows
    }
}

fn of_limit(limit: &LimitUse, apps: &[&super::AppRow]) -> Vec<LimitUsed> {
    let here = || apps.iter().filter(|app| app.queue.is_within(&limit.queue));
    let row = |resource: Option<&str>, max: i64, used: i64, pending: i64| LimitUsed {
        side: limit.side,
        name: Arc::from(limit.name.as_str()),
        queue: limit.queue.clone(),
        at: limit.limit.at,
        resource: resource.map(Arc::from),
        limit: max,
        used,
        pending,
    };
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let of_resource = |(name, max): (&str, i64)| {
        let pending = here().fold(0_i64, |sum, app| sum.saturating_add(app.pending.amount(name)));
        row(Some(name), max, limit.allocated.amount(name), pending)
    };
    let resources = limit.max().into_iter().flat_map(model::Resource::iter).map(of_resource);
    let waiting = || here().filter(|app| app.pending_asks > 0 && !limit.running.contains(&app.id)).count();
    let applications = limit.max_running().map(|max| {
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        row(None, max, number(limit.running.len()), number(waiting()))
    });
    resources.chain(applications).collect()
}
