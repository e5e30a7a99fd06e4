//! Usage against the limits of users and groups, and the requests beyond them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PartitionView;
use super::usage::LimitUse;
use super::users::Side;
use config::Place;
use model::QueuePath;

/// The usage of a user or a group against a limit, for one resource or the number of applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitUsed {
    /// User or group.
    pub side: Side,
    /// The name of the user or group.
    pub name: Arc<str>,
    /// The queue of the limit.
    pub queue: QueuePath,
    /// The location of the limit in the configuration.
    pub at: Place,
    /// `None` for the number of running applications.
    pub resource: Option<Arc<str>>,
    /// How much there may be.
    pub limit: i64,
    /// How much is in use.
    pub used: i64,
    /// The pending quantity of applications under this limit; for applications, the number that has not started.
    pub pending: i64,
}

impl LimitUsed {
    /// The pending quantity that the limit blocks now.
    pub fn blocked(&self) -> i64 {
        let left = self.limit.saturating_sub(self.used).max(0);
        self.pending.saturating_sub(left).max(0)
    }

    /// The blocked quantity in thousandths of the limit, comparable between resources.
    pub fn beyond(&self) -> i64 {
        let part = i128::from(self.blocked()) * 1000 / i128::from(self.limit.max(1));
        i64::try_from(part).unwrap_or(i64::MAX)
    }

    /// The resource name in the configuration, or `applications`.
    pub fn resource_name(&self) -> &str {
        self.resource.as_deref().unwrap_or("applications")
    }

    /// The usage in thousandths of the limit; 1000 for a limit of 0.
    pub fn part(&self) -> i64 {
        let part = if self.limit <= 0 { 1000 } else { i128::from(self.used) * 1000 / i128::from(self.limit) };
        i64::try_from(part).unwrap_or(i64::MAX)
    }
}

impl PartitionView {
    /// Reads all applications.
    pub fn used_of(&self, limit: &LimitUse) -> Vec<LimitUsed> {
        let counts = |app: &&super::AppRow| !app.state.is_ended() && Self::counts_under(app, limit.side, &limit.name);
        let apps: Vec<&super::AppRow> = self.apps.iter().flatten().map(AsRef::as_ref).filter(counts).collect();
        of_limit(limit, &apps)
    }

    /// Every user and group with each of their limits: the most blocked first (relative to the limit), then the highest
    /// usage. Reads all applications: compute it on demand only.
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
