//! The saved form of a remote ledger.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::{Followed, Gap};
use crate::hours::{Account, Hour, Hours, QueueUsed, Used};
use crate::{Integral, Ledger, MOST_GAPS};
use model::{AppId, QueuePath, Time};

/// The usage of an application's ended allocations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub(super) submitted: Option<Time>,
    pub(super) of: Option<(String, QueuePath, String)>,
    pub(super) used: Integral,
    pub(super) allocations: u64,
    /// The number of ended allocations that are not counted.
    pub(super) before: u64,
    /// One second of each of them.
    pub(super) second: Integral,
    pub(super) base: BTreeMap<Box<str>, u64>,
    /// The usage, and the scheduler's sum since then, at the last comparison.
    pub(super) compared: Option<(Integral, BTreeMap<Box<str>, u64>)>,
}

/// The saved data except for the hours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    #[serde(rename = "begun")]
    started: bool,
    since: Time,
    folded: u64,
    until: Time,
    gaps: Vec<Gap>,
    inexact: Vec<(u64, u64)>,
}

/// A saved hour.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedHour {
    accounts: Vec<(Account, Used)>,
    queues: Vec<(String, QueuePath, QueueUsed)>,
}

/// A saved ledger at one time.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// The data except for the hours.
    pub head: Head,
    hours: OrdMap<u64, Hour>,
    ended: OrdMap<AppId, Ended>,
}

/// A difference to an earlier moment.
#[derive(Clone, Debug)]
pub enum Write {
    /// An hour by its number; `None` if it was dropped.
    Hour(u64, Option<SavedHour>),
    /// `None` if it was removed.
    Ended(AppId, Option<Ended>),
}

impl App {
    pub(super) fn ended_now(&self) -> Ended {
        let mut ended = self.ended.clone();
        ended.submitted = self.submitted;
        if let (Some(partition), Some(queue), Some(user)) = (&self.partition, &self.queue, &self.user) {
            ended.of = Some((partition.to_string(), queue.clone(), user.to_string()));
        }
        ended
    }
}

impl Moment {
    /// The differences to an earlier moment.
    pub fn changes(&self, before: &Self) -> Vec<Write> {
        let hours = before.hours.diff(&self.hours).map(|item| match item {
            DiffItem::Add(number, hour) => Write::Hour(*number, Some(hour.into())),
            DiffItem::Update { new: (number, hour), .. } => Write::Hour(*number, Some(hour.into())),
            DiffItem::Remove(number, _) => Write::Hour(*number, None),
        });
        let ended = before.ended.diff(&self.ended).map(|item| match item {
            DiffItem::Add(id, ended) => Write::Ended(id.clone(), Some(ended.clone())),
            DiffItem::Update { new: (id, ended), .. } => Write::Ended(id.clone(), Some(ended.clone())),
            DiffItem::Remove(id, _) => Write::Ended(id.clone(), None),
        });
        hours.chain(ended).collect()
    }

    /// Restores a saved moment.
    pub fn restored(
        head: Head,
        hours: impl IntoIterator<Item = (u64, SavedHour)>,
        ended: impl IntoIterator<Item = (AppId, Ended)>,
    ) -> Self {
        let hours = hours.into_iter().map(|(number, hour)| (number, Hour::from(hour)));
        Self { head, hours: hours.collect(), ended: ended.into_iter().collect() }
    }
}

impl Followed {
    /// The current moment, for saving.
    pub fn moment(&self) -> Moment {
        let mut all = self.clone();
        let until = all.until();
        all.close(until);
        let live = self.apps.iter().filter(|(_, app)| app.ended.is_of_something());
        let retained = self.ended.iter().filter(|(id, ended)| ended.is_of_something() && !self.apps.contains_key(*id));
        let retained = retained.map(|(id, ended)| (id.clone(), ended.clone()));
        let head = Head {
            started: self.started,
            since: all.ledger.hours.since,
            folded: all.ledger.hours.folded,
            until,
            gaps: self.gaps.iter().cloned().collect(),
            inexact: self.inexact.iter().map(|(hour, count)| (*hour, *count)).collect(),
        };
        let ended = live.map(|(id, app)| (id.clone(), app.ended_now())).chain(retained).collect();
        Moment { head, hours: all.ledger.hours.hours, ended }
    }

    /// Restores a ledger. It is stopped, because no process recorded the scheduler since; `why` is in words.
    pub fn restored(moment: Moment, why: &str) -> Self {
        let Moment { head, hours, ended } = moment;
        let mut gaps: imbl::Vector<Gap> = head.gaps.into_iter().collect();
        if head.started && gaps.back().is_none_or(|gap| gap.to.is_some()) {
            gaps.push_back(Gap { from: head.until, to: None, why: why.to_owned() });
        }
        Self {
            ledger: Ledger { hours: Hours::restored(hours, head.since, head.folded), ..Ledger::default() },
            started: head.started,
            newest: head.until,
            until: head.until,
            gaps,
            inexact: head.inexact.into_iter().collect(),
            ended,
            ..Self::default()
        }
    }
}

impl Ledger {
    /// The moment up to now, or up to the end of complete data, for saving.
    pub fn moment(&self, now: Time) -> Moment {
        let mut all = self.clone();
        let until = self.whole_until.map_or(now, |until| now.min(until)).max(self.counted_until);
        all.read_all(until);
        let head = Head {
            started: true,
            since: all.hours.since,
            folded: all.hours.folded,
            until,
            gaps: all.gaps.into_iter().collect(),
            inexact: Vec::new(),
        };
        Moment { head, hours: all.hours.hours, ended: OrdMap::new() }
    }

    /// Restores a saved ledger as of its time.
    pub fn restored(moment: Moment) -> Self {
        let Moment { head, hours, .. } = moment;
        Self {
            hours: Hours::restored(hours, head.since, head.folded),
            whole_until: Some(head.until),
            counted_until: head.until,
            gaps: head.gaps.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Continues a ledger with an empty scheduler. The time in between is a gap; `why` is in words.
    #[must_use]
    pub fn continued(mut self, now: Time, why: &str) -> Self {
        self.whole_until = None;
        if now != self.counted_until {
            self.gaps.push_back(Gap { from: self.counted_until, to: Some(now), why: why.to_owned() });
        }
        while self.gaps.len() > MOST_GAPS {
            self.gaps.pop_front();
        }
        self.counted_until = self.counted_until.max(now);
        self
    }
}

impl Ended {
    pub(super) fn compare(&mut self, counted: Option<&BTreeMap<Box<str>, u64>>) {
        let Some(counted) = counted else { return self.compared = None };
        let mut remote = counted.clone();
        for (name, amount) in &mut remote {
            *amount = amount.saturating_sub(self.base.get(name).copied().unwrap_or(0));
        }
        remote.retain(|_, amount| *amount > 0);
        self.compared = Some((self.used.clone(), remote));
    }

    fn is_of_something(&self) -> bool {
        self.allocations > 0 || self.before > 0 || self.compared.as_ref().is_some_and(|(_, remote)| !remote.is_empty())
    }
}

impl From<&Hour> for SavedHour {
    fn from(hour: &Hour) -> Self {
        let queues = hour.queues.iter().map(|((part, path), used)| (part.to_string(), path.clone(), used.clone()));
        let accounts = hour.accounts.iter().map(|(key, used)| (key.clone(), used.clone()));
        Self { accounts: accounts.collect(), queues: queues.collect() }
    }
}

impl From<SavedHour> for Hour {
    fn from(saved: SavedHour) -> Self {
        let queues = saved.queues.into_iter().map(|(part, path, used)| ((Arc::from(part), path), used));
        Self { accounts: saved.accounts.into_iter().collect(), queues: queues.collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::Question;
    use crate::meter::Rates;
    use model::{Priority, Resource, VCORE};

    proptest! {
        #[test]
        fn of_runs_that_are_killed_what_was_written_counts_once(
            runs in prop::collection::vec((0_u64..9_000_000, 0_u64..9_000_000, 0_u64..9_000_000), 1..6),
        ) {
            let start = Time::from_millis(1_700_000_000_000);
            let rates = Rates {
                queue: QueuePath::new("root.a"),
                user: "sue".into(),
                group: None,
                allocated: [(VCORE, 3)].into_iter().collect::<Resource>(),
                pending: Resource::new(),
                priority: Priority::default(),
                higher: Vec::new(),
            };
            let (mut now, mut retained, mut counted) = (start, None::<Moment>, 0);
            for (written, lost, off) in runs {
                let mut ledger = Ledger::default();
                match retained.take() {
                    Some(moment) => ledger = Ledger::restored(moment).continued(now, "it was killed"),
                    None => ledger.hours.start(now),
                }
                ledger.set_app(now, ("default".into(), "app".into()), Some(rates.clone()));
                now = now + Duration::from_millis(written);
                retained = Some(ledger.moment(now));
                counted += u128::from(written) * 1_000;
                now = now + Duration::from_millis(lost);
                ledger.set_app(now, ("default".into(), "app".into()), None);
                now = now + Duration::from_millis(off);
            }
            let ledger = Ledger::restored(retained.unwrap());
            let until = ledger.counted_until();
            let report = ledger.report(until, &Question::default());
            let used: u128 = report.total.allocated.micros().map(|(_, amount)| amount).sum();
            prop_assert_eq!(used, counted * 3);
            let gaps: u128 = report.gaps.iter().map(|gap| gap.to.unwrap().since(gap.from).as_micros()).sum();
            prop_assert_eq!(counted + gaps, until.since(start).as_micros());
        }
    }
}
