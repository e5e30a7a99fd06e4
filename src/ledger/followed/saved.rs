//! What is kept of a ledger of a scheduler elsewhere: the hours, each by itself, what ended allocations used, and a head.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::{Followed, Gap};
use crate::ledger::hours::{Account, Hour, Hours, QueueUsed, Used};
use crate::ledger::{Integral, Ledger};
use crate::model::{AppId, QueuePath, Time};

/// What the ended allocations of an application used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    /// When it was submitted.
    pub(super) submitted: Option<Time>,
    /// Partition, leaf and user.
    pub(super) of: Option<(String, QueuePath, String)>,
    pub(super) used: Integral,
    /// How many allocations that is.
    pub(super) allocations: u64,
    /// How many ended that it is not.
    pub(super) before: u64,
    /// A second of each of them.
    pub(super) second: Integral,
    /// What the scheduler had counted when the ledger first saw the application.
    pub(super) base: BTreeMap<Box<str>, u64>,
    /// What was used beside what the scheduler has counted since then, when that was seen last.
    pub(super) compared: Option<(Integral, BTreeMap<Box<str>, u64>)>,
}

/// What is kept beside the hours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    begun: bool,
    since: Time,
    folded: u64,
    until: Time,
    gaps: Vec<Gap>,
    inexact: Vec<(u64, u64)>,
}

/// An hour as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedHour {
    accounts: Vec<(Account, Used)>,
    queues: Vec<(String, QueuePath, QueueUsed)>,
}

/// A moment of a ledger, as it is written down.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// What stands beside the hours.
    pub head: Head,
    hours: OrdMap<u64, Hour>,
    ended: OrdMap<AppId, Ended>,
}

/// What is another one than before.
#[derive(Clone, Debug)]
pub enum Write {
    /// An hour by its number; `None`: it is not kept any more.
    Hour(u64, Option<SavedHour>),
    /// What the ended allocations of an application used; `None`: it has gone.
    Ended(AppId, Option<Ended>),
}

impl App {
    /// What its ended allocations used, and under what that counts.
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
    /// What is another one than at an earlier moment.
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

    /// A moment that was written down.
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
    /// This moment, to write it down.
    pub fn moment(&self) -> Moment {
        let mut all = self.clone();
        let until = all.until();
        all.close(until);
        let live = self.apps.iter().filter(|(_, app)| app.ended.is_of_something());
        let kept = self.ended.iter().filter(|(id, ended)| ended.is_of_something() && !self.apps.contains_key(*id));
        let kept = kept.map(|(id, ended)| (id.clone(), ended.clone()));
        let head = Head {
            begun: self.begun,
            since: all.ledger.hours.since,
            folded: all.ledger.hours.folded,
            until,
            gaps: self.gaps.iter().cloned().collect(),
            inexact: self.inexact.iter().map(|(hour, count)| (*hour, *count)).collect(),
        };
        let ended = live.map(|(id, app)| (id.clone(), app.ended_now())).chain(kept).collect();
        Moment { head, hours: all.ledger.hours.hours, ended }
    }

    /// The ledger of a moment that was written down. It does not count: since then nobody followed the scheduler.
    pub fn restored(moment: Moment, why: &str) -> Self {
        let Moment { head, hours, ended } = moment;
        let mut gaps: imbl::Vector<Gap> = head.gaps.into_iter().collect();
        if head.begun && gaps.back().is_none_or(|gap| gap.to.is_some()) {
            gaps.push_back(Gap { from: head.until, to: None, why: why.to_owned() });
        }
        Self {
            ledger: Ledger { hours: Hours::restored(hours, head.since, head.folded), ..Ledger::default() },
            begun: head.begun,
            newest: head.until,
            until: head.until,
            gaps,
            inexact: head.inexact.into_iter().collect(),
            ended,
            ..Self::default()
        }
    }
}

impl Ended {
    /// Takes what the scheduler has counted by now.
    pub(super) fn compare(&mut self, counted: Option<&BTreeMap<Box<str>, u64>>) {
        let Some(counted) = counted else { return self.compared = None };
        let mut theirs = counted.clone();
        for (name, amount) in &mut theirs {
            *amount = amount.saturating_sub(self.base.get(name).copied().unwrap_or(0));
        }
        theirs.retain(|_, amount| *amount > 0);
        self.compared = Some((self.used.clone(), theirs));
    }

    fn is_of_something(&self) -> bool {
        self.allocations > 0 || self.before > 0 || self.compared.as_ref().is_some_and(|(_, theirs)| !theirs.is_empty())
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
