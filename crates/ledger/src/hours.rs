//! Sums per hour of scheduler time.

use std::sync::Arc;
use std::time::Duration;

use imbl::OrdMap;

use super::In;
use super::integral::Integral;
use super::meter::{AppMeter, QueueMeter, Rates};
use model::{AppId, Priority, QueuePath, Resource, Time};

/// An hour, in microseconds.
pub(super) const HOUR: u64 = 3_600_000_000;
/// The default of [`Hours::most_rows`].
pub const MOST_ROWS: usize = 50_000;
/// The maximum number of hours: 400 days.
const MOST_HOURS: usize = 9_600;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(super) struct Account {
    #[serde(with = "model::saved::text")]
    pub partition: Arc<str>,
    pub queue: QueuePath,
    #[serde(with = "model::saved::text")]
    pub user: Arc<str>,
    #[serde(with = "model::saved::text_option")]
    pub group: Option<Arc<str>>,
    /// `None` once the applications of the hour are summed up.
    pub app: Option<AppId>,
    /// Absent in files of earlier versions.
    #[serde(default)]
    pub priority: Priority,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Used {
    pub allocated: Integral,
    pub waited: Integral,
}

/// The guaranteed resources of a queue, and the usage of its subtree within them.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct QueueUsed {
    pub guaranteed: Integral,
    pub within: Integral,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hour {
    pub accounts: OrdMap<Account, Used>,
    pub queues: OrdMap<In<QueuePath>, QueueUsed>,
}

/// All hours, by their number since time zero.
#[derive(Clone, Debug)]
pub(super) struct Hours {
    pub hours: OrdMap<u64, Hour>,
    /// Complete from this time on.
    pub since: Time,
    /// Applications are summed up before this hour.
    pub folded: u64,
    /// The maximum number of application rows; above it, the oldest hours sum up the applications of a user in a queue.
    pub most_rows: usize,
    rows: usize,
}

impl Default for Hours {
    fn default() -> Self {
        Self::restored(OrdMap::new(), Time::ZERO, 0)
    }
}

impl Hours {
    pub fn start(&mut self, now: Time) {
        self.since = now;
    }

    pub fn restored(hours: OrdMap<u64, Hour>, since: Time, folded: u64) -> Self {
        let rows = hours.values().map(|hour| hour.accounts.len()).sum();
        Self { hours, since, folded, most_rows: MOST_ROWS, rows }
    }

    /// Adds the usage of an application since the last reading of its meter.
    pub fn add_app(&mut self, (partition, app): &In<AppId>, meter: &AppMeter, now: Time) {
        if now <= meter.since {
            return;
        }
        let Rates { queue, user, group, .. } = &meter.rates;
        for (priority, allocated, pending) in meter.rates.bands() {
            let account = |app: Option<AppId>| {
                let (partition, queue) = (Arc::clone(partition), queue.clone());
                Account { partition, queue, user: Arc::clone(user), group: group.clone(), app, priority }
            };
            self.add(app, account, (allocated, pending), (meter.since, now));
        }
    }

    /// Adds allocated and pending resources between two times. `account` has the id of an application, or none for all
    /// applications of a user in a queue.
    pub fn add(
        &mut self,
        app: &AppId,
        account: impl Fn(Option<AppId>) -> Account,
        (allocated, pending): (&Resource, &Resource),
        (since, until): (Time, Time),
    ) {
        if allocated.is_zero() && pending.is_zero() {
            return;
        }
        for (hour, time) in by_hour(since, until) {
            let account = account((hour >= self.folded).then(|| app.clone()));
            let accounts = &mut self.hours.entry(hour).or_default().accounts;
            let before = accounts.len();
            let used = accounts.entry(account).or_default();
            used.allocated.add(allocated, time);
            used.waited.add(pending, time);
            self.rows += accounts.len() - before;
        }
        self.bound(until);
    }

    pub fn forget_from(&mut self, hour: u64) {
        let gone: usize = self.hours.range(hour..).map(|(_, gone)| gone.accounts.len()).sum();
        self.rows = self.rows.saturating_sub(gone);
        self.hours = self.hours.split(&hour).0;
    }

    /// Adds the guaranteed resources of a queue since the last reading of its meter.
    pub fn add_queue(&mut self, key: &In<QueuePath>, meter: &QueueMeter, now: Time) {
        if now <= meter.since {
            return;
        }
        let within = meter.within();
        for (hour, time) in by_hour(meter.since, now) {
            let used = self.hours.entry(hour).or_default().queues.entry(key.clone()).or_default();
            used.guaranteed.add(&meter.guaranteed, time);
            used.within.add(&within, time);
        }
    }

    /// Limits the memory: old hours first lose their applications, then they are dropped.
    fn bound(&mut self, now: Time) {
        let current = now.0 / HOUR;
        while self.rows > self.most_rows && self.folded < current {
            let first = self.hours.keys().find(|hour| **hour >= self.folded).copied().unwrap_or(current);
            self.folded = first.min(current - 1) + 1;
            if let Some(hour) = self.hours.get_mut(&first).filter(|_| first < current) {
                let before = hour.accounts.len();
                hour.fold();
                self.rows -= before - hour.accounts.len();
            }
        }
        while self.hours.len() > MOST_HOURS || self.rows > 4 * self.most_rows && self.hours.len() > 1 {
            let Some(first) = self.hours.keys().next().copied() else { return };
            self.rows -= self.hours.remove(&first).map_or(0, |gone| gone.accounts.len());
            self.since = self.since.max(Time((first + 1).saturating_mul(HOUR)));
        }
    }
}

impl Hour {
    fn fold(&mut self) {
        let mut folded: OrdMap<Account, Used> = OrdMap::new();
        for (account, used) in &self.accounts {
            let sum = folded.entry(Account { app: None, ..account.clone() }).or_default();
            sum.allocated.add_assign(&used.allocated);
            sum.waited.add_assign(&used.waited);
        }
        self.accounts = folded;
    }
}

/// Splits a time range into hours with their durations; empty if time goes back.
fn by_hour(since: Time, now: Time) -> impl Iterator<Item = (u64, Duration)> {
    let mut at = since.0;
    std::iter::from_fn(move || {
        if at >= now.0 {
            return None;
        }
        let hour = at / HOUR;
        let end = (hour + 1).saturating_mul(HOUR).min(now.0);
        let time = Duration::from_micros(end - at);
        at = end;
        Some((hour, time))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{QueuePath, VCORE};

    fn meter(since: Time, user: &str) -> AppMeter {
        let allocated: Resource = [(VCORE, 2_000)].into_iter().collect();
        let rates = Rates {
            queue: QueuePath::new("root.a"),
            user: user.into(),
            group: None,
            allocated,
            pending: Resource::new(),
            priority: Priority::default(),
            higher: Vec::new(),
        };
        AppMeter { since, rates }
    }

    #[test]
    fn time_is_split_at_full_hours_and_never_counts_back() {
        let spans = |from: u64, to: u64| by_hour(Time(from), Time(to)).collect::<Vec<_>>();
        let minute = Duration::from_secs(60);
        assert_eq!(spans(HOUR - 60_000_000, 2 * HOUR + 60_000_000), [(0, minute), (1, 60 * minute), (2, minute)]);
        assert_eq!(spans(HOUR, HOUR), []);
        assert_eq!(spans(HOUR, 0), [], "a clock that goes back adds nothing");
    }

    #[test]
    fn old_hours_lose_their_applications_and_not_their_sums() {
        let mut hours = Hours::default();
        let apps = MOST_ROWS + 10;
        for number in 0..apps {
            let app = AppId::from(format!("app-{number}").as_str());
            let since = if number < 20 { Time(0) } else { Time(HOUR) };
            hours.add_app(&("default".into(), app), &meter(since, "sue"), since + Duration::from_secs(1));
        }
        assert_eq!((hours.folded, hours.hours[&0].accounts.len()), (1, 1), "twenty became one row");
        let sum = hours.hours[&0].accounts.values().next().map(|used| used.allocated.seconds(VCORE));
        assert_eq!(sum, Some(40_000), "twenty times two cores for a second");
        assert_eq!(hours.rows, hours.hours.values().map(|hour| hour.accounts.len()).sum::<usize>());
    }
}
