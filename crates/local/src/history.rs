//! Which records of ended jobs stay: by number, bytes, and age. Early removal hits the user with the most.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use super::daemon::Daemon;
use super::table::Table;
use super::wall_ms;

/// The share of time that the search of records may take: 1/N. Many records may be needed.
const SHARE: u32 = 20;

/// The limits. A limit of 0 keeps only records that are needed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of ended jobs.
    pub jobs: usize,
    /// Bytes of their requests and records.
    pub bytes: u64,
    /// Time after the end.
    pub age: Duration,
}

/// End in milliseconds since 1970, and the job.
type Key = (u64, u64);

#[derive(Default)]
pub(super) struct History {
    users: BTreeMap<u32, OfUser>,
    of: HashMap<u64, (u32, u64)>,
    bytes: u64,
    due: Option<Instant>,
}

#[derive(Default)]
struct OfUser {
    jobs: BTreeMap<Key, u64>,
    bytes: u64,
}

impl History {
    pub(super) fn add(&mut self, number: u64, (uid, ended): (u32, u64), bytes: u64) {
        self.remove(number);
        self.of.insert(number, (uid, ended));
        let own = self.users.entry(uid).or_default();
        own.jobs.insert((ended, number), bytes);
        own.bytes += bytes;
        self.bytes += bytes;
    }

    pub(super) fn remove(&mut self, number: u64) {
        let Some((uid, ended)) = self.of.remove(&number) else { return };
        let Some(own) = self.users.get_mut(&uid) else { return };
        let bytes = own.jobs.remove(&(ended, number)).unwrap_or_default();
        own.bytes -= bytes;
        self.bytes -= bytes;
        if own.jobs.is_empty() {
            self.users.remove(&uid);
        }
    }

    pub(super) fn resize(&mut self, number: u64, bytes: u64) {
        if let Some((uid, ended)) = self.of.get(&number).copied() {
            self.add(number, (uid, ended), bytes);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    pub(super) fn bytes_of(&self, uid: u32) -> u64 {
        self.users.get(&uid).map_or(0, |own| own.bytes)
    }

    pub(super) fn oldest_of(&self, uid: u32, may_go: impl Fn(u64) -> bool) -> Option<u64> {
        let own = self.users.get(&uid)?;
        own.jobs.keys().map(|(_, number)| *number).find(|number| may_go(*number))
    }

    fn over(&self, limits: &Limits, now: u64, may_go: impl Fn(u64) -> bool) -> Option<u64> {
        let before = now.saturating_sub(u64::try_from(limits.age.as_millis()).unwrap_or(u64::MAX));
        let too_old = |own: &OfUser| {
            let old = own.jobs.range(..(before, 0)).map(|((_, number), _)| *number);
            old.into_iter().find(|number| may_go(*number))
        };
        if let Some(old) = self.users.values().find_map(too_old) {
            return Some(old);
        }
        let size: fn(&OfUser) -> u64 = match (self.of.len() > limits.jobs, self.bytes > limits.bytes) {
            (true, _) => |own| own.jobs.len() as u64,
            (_, true) => |own| own.bytes,
            _ => return None,
        };
        let mut users: Vec<(&u32, &OfUser)> = self.users.iter().collect();
        users.sort_by_key(|(uid, own)| (std::cmp::Reverse(size(own)), **uid));
        users.into_iter().find_map(|(uid, _)| self.oldest_of(*uid, &may_go))
    }
}

impl Daemon {
    /// What they used stays in the ledger.
    pub(super) fn forget_old(&self, table: &mut Table) {
        let (started_at, now) = (Instant::now(), wall_ms());
        if table.history.due.is_some_and(|due| started_at < due) {
            return;
        }
        while let Some(oldest) = table.over(&self.settings.history, now) {
            table.remove(oldest);
            self.store.remove(oldest);
        }
        table.history.due = Some(Instant::now() + started_at.elapsed() * SHARE);
    }
}

impl Table {
    /// Returns the next job that goes. The newest one stays: the next start would use its ID again.
    fn over(&mut self, limits: &Limits, now: u64) -> Option<u64> {
        let (last, awaited) = (self.last, self.awaited.all());
        self.history.over(limits, now, |number| number != last && !awaited.contains(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Limits = Limits { jobs: 100, bytes: 100_000, age: Duration::from_secs(100) };

    fn gone(history: &mut History, limits: Limits, now: u64, needed: u64) -> Vec<u64> {
        let mut gone = Vec::new();
        while let Some(number) = history.over(&limits, now, |number| number != needed) {
            history.remove(number);
            gone.push(number);
        }
        gone
    }

    #[test]
    fn the_user_with_most_records_gives_its_oldest_ones() {
        let full = || {
            let mut history = History::default();
            (1..=4).for_each(|number| history.add(number, (1, 1000 + number), 10));
            (5..=6).for_each(|number| history.add(number, (2, number), 100));
            history
        };
        assert_eq!(gone(&mut full(), ALL, 2000, 0), [0; 0]);
        assert_eq!(gone(&mut full(), Limits { jobs: 4, ..ALL }, 2000, 0), [1, 2], "the older records of another stay");
        assert_eq!(gone(&mut full(), Limits { jobs: 4, ..ALL }, 2000, 1), [2, 3], "what is needed stays");
        assert_eq!(gone(&mut full(), Limits { bytes: 239, ..ALL }, 2000, 0), [5]);
        assert_eq!(gone(&mut full(), Limits { bytes: 0, ..ALL }, 2000, 6), [5, 1, 2, 3, 4]);
        let age = Duration::from_millis(998);
        assert_eq!(gone(&mut full(), Limits { age, ..ALL }, 2000, 0), [1, 5, 6], "by age, of each user");
    }

    #[test]
    fn a_record_that_is_gone_or_lives_again_does_not_count() {
        let mut history = History::default();
        history.add(1, (1, 10), 50);
        history.add(1, (1, 20), 70);
        history.resize(1, 60);
        history.resize(2, 1000);
        assert_eq!((history.bytes, history.bytes_of(1), history.of.len()), (60, 60, 1));
        history.remove(1);
        history.remove(1);
        assert_eq!((history.bytes, history.bytes_of(1), history.is_empty()), (0, 0, true));
        assert!(history.users.is_empty());
    }
}
