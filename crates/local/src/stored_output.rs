//! Stored output of ended attempts: bytes by user, and the order of removal.

use std::collections::{BTreeMap, HashMap};

use super::daemon::Daemon;
use super::job::Job;
use super::output;
use super::table::Table;

/// End time, job, and attempt: the smallest is the oldest.
type Key = (u64, u64, u32);

#[derive(Default)]
pub(super) struct RetainedOutput {
    users: HashMap<u32, OfUser>,
}

#[derive(Default)]
struct OfUser {
    bytes: u64,
    attempts: BTreeMap<Key, u64>,
}

impl RetainedOutput {
    fn add(&mut self, uid: u32, attempt: Key, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let own = self.users.entry(uid).or_default();
        own.bytes += bytes;
        own.bytes -= own.attempts.insert(attempt, bytes).unwrap_or_default();
    }

    pub(super) fn remove(&mut self, job: &Job) {
        let Some(own) = self.users.get_mut(&job.owner.uid) else { return };
        for (key, _) in ended(job) {
            own.bytes -= own.attempts.remove(&key).unwrap_or_default();
        }
        if own.attempts.is_empty() {
            self.users.remove(&job.owner.uid);
        }
    }

    fn take_over(&mut self, uid: u32, most: u64) -> Vec<Key> {
        let mut over = Vec::new();
        let Some(own) = self.users.get_mut(&uid) else { return over };
        while own.bytes > most
            && let Some((key, bytes)) = own.attempts.pop_first()
        {
            own.bytes -= bytes;
            over.push(key);
        }
        over
    }
}

fn ended(job: &Job) -> impl Iterator<Item = (Key, u32)> {
    let ended =
        |attempt: &super::job::Attempt| Some(((attempt.end.as_ref()?.at, job.number, attempt.number), attempt.number));
    job.attempts.iter().filter_map(ended)
}

impl Daemon {
    /// Counts ended attempts from `first` on, and removes the user's oldest output above the limit.
    pub(super) fn count_output(&self, table: &mut Table, number: u64, first: u32) {
        let Some(job) = table.jobs.get(&number) else { return };
        let uid = job.owner.uid;
        for (key, attempt) in ended(job).filter(|(_, attempt)| *attempt >= first) {
            table.retained_output.add(uid, key, output::retained(&self.store.attempt(number, attempt)));
        }
        for (_, job, attempt) in table.retained_output.take_over(uid, self.settings.user_output_bytes) {
            output::forget(&self.store.attempt(job, attempt));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_output_of_the_same_user_is_removed_first() {
        let mut retained = RetainedOutput::default();
        retained.add(1, (30, 7, 1), 40);
        retained.add(1, (10, 9, 1), 40);
        retained.add(1, (20, 8, 2), 40);
        retained.add(2, (5, 1, 1), 1000);
        assert_eq!(retained.take_over(1, 120), []);
        assert_eq!(retained.take_over(1, 119), [(10, 9, 1)]);
        retained.add(1, (30, 7, 1), 70);
        assert_eq!(retained.take_over(1, 100), [(20, 8, 2)], "an attempt counts once");
        assert_eq!(retained.take_over(1, 10), [(30, 7, 1)]);
        assert_eq!(retained.take_over(1, 0), []);
        assert_eq!(retained.take_over(2, 1000), []);
    }
}
