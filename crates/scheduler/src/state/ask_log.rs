//! Why a request was not allocated, with counts and times (`rest.md` section 5.4).

use std::time::Duration;

use smallvec::SmallVec;

use model::Time;

const MOST_CHANGES: usize = 8;

/// Counts change in every cycle, but are shown again only after this time or a new reason.
const SHOW_AGAIN: Duration = Duration::from_secs(10);

/// The result of the last attempt to allocate a request (SCH-082).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TryResult {
    /// Not tried yet.
    #[default]
    Never,
    /// A limit of its user or group has too little headroom.
    UserQuota,
    /// A queue on the path has too little headroom.
    QueueQuota,
    /// It fits the queues, but no node.
    NoNode,
    /// It waits to replace a placeholder of its task group.
    Placeholder,
    /// It fits, but a blocked ask has its turn first ([`Tuning::turns`](crate::Tuning::turns)).
    Turn,
}

/// The result of cycles since a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FoundSince {
    /// The first cycle with this result after another one.
    pub since: Time,
    /// The check that the ask failed.
    pub found: TryResult,
}

/// Why a request was not allocated, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Failure {
    /// A limit of its user or group has too little headroom (SCH-082.3).
    UserQuota,
    /// A queue on its path has too little headroom (SCH-082.5).
    QueueQuota,
    /// It may not preempt, or not yet (SCH-151).
    MayNotPreempt,
    /// Other requests of its leaf used up the attempts of a cycle (SCH-150).
    NoAttemptLeft,
    /// No victims were found (SCH-152).
    PreemptionHelpsNot,
}

/// A reason with its count and last time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FailureCount {
    /// The check that failed.
    pub failure: Failure,
    /// Includes the cycles that the backoff skipped.
    pub count: u32,
    /// The time of the last such cycle.
    pub last: Time,
}

/// The reasons for one request, in the order of their first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AskLog {
    /// Boxed: most requests never fail, and every cycle reads all.
    noted: Option<Box<Noted>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Noted {
    #[serde(with = "model::saved::list")]
    failures: SmallVec<[FailureCount; 1]>,
    attempted: bool,
    shown: Time,
    new: bool,
    /// Excludes the other results of preemption.
    #[serde(skip)]
    no_attempt: bool,
    /// Last field; missing in older snapshots.
    #[serde(default, with = "model::saved::list")]
    found: SmallVec<[FoundSince; 1]>,
}

impl AskLog {
    /// The reasons in the order of their first occurrence.
    pub fn failures(&self) -> &[FailureCount] {
        self.noted.as_ref().map_or(&[], |noted| &noted.failures)
    }

    /// The changes of the result, the oldest first. The last one is the present result.
    pub fn found(&self) -> &[FoundSince] {
        self.noted.as_ref().map_or(&[], |noted| &noted.found)
    }

    pub(crate) fn note_found(&mut self, found: TryResult, now: Time) {
        let noted = self.noted.get_or_insert_default();
        if noted.found.last().is_some_and(|last| last.found == found) {
            return;
        }
        if noted.found.len() >= MOST_CHANGES {
            noted.found.remove(0);
        }
        noted.found.push(FoundSince { since: now, found });
    }

    /// Whether the limits of user and group once had enough headroom.
    pub fn attempted(&self) -> bool {
        self.noted.as_ref().is_some_and(|noted| noted.attempted)
    }

    pub(crate) fn note(&mut self, failure: Failure, now: Time) {
        let noted = self.noted.get_or_insert_default();
        match failure {
            Failure::NoAttemptLeft => noted.no_attempt = true,
            Failure::MayNotPreempt => noted.no_attempt = false,
            _ => {}
        }
        match noted.failures.iter_mut().find(|known| known.failure == failure) {
            Some(known) => {
                known.count = known.count.saturating_add(1);
                known.last = now;
            }
            None => {
                noted.failures.push(FailureCount { failure, count: 1, last: now });
                noted.new = true;
            }
        }
    }

    /// Adds `times` cycles like the last attempt at `tried`, which ended as `how`.
    pub(crate) fn note_again(&mut self, how: TryResult, tried: Time, times: u64, last: Time) {
        let Some(noted) = &mut self.noted else { return };
        for known in &mut noted.failures {
            let reserved = match known.failure {
                Failure::UserQuota => how == TryResult::UserQuota,
                Failure::QueueQuota => how == TryResult::QueueQuota,
                of_preemption => {
                    let sought = matches!(how, TryResult::QueueQuota | TryResult::NoNode);
                    sought && known.last >= tried && noted.no_attempt == (of_preemption == Failure::NoAttemptLeft)
                }
            };
            if reserved {
                known.count = known.count.saturating_add(u32::try_from(times).unwrap_or(u32::MAX));
                known.last = last;
            }
        }
    }

    pub(crate) fn attempt(&mut self) {
        let noted = self.noted.get_or_insert_default();
        noted.new |= !std::mem::replace(&mut noted.attempted, true);
    }

    pub(crate) fn is_due(&mut self, now: Time) -> bool {
        let Some(noted) = &mut self.noted else { return false };
        let due = noted.new || (!noted.failures.is_empty() && now.since(noted.shown) >= SHOW_AGAIN);
        if due {
            noted.shown = now;
            noted.new = false;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_stored_with_the_time_of_each_change() {
        let mut log = AskLog::default();
        let at = |seconds: u64| Time::from_millis(seconds * 1000);
        for (seconds, found) in [(1, TryResult::UserQuota), (2, TryResult::UserQuota), (5, TryResult::NoNode)] {
            log.note_found(found, at(seconds));
        }
        let all: Vec<_> = log.found().iter().map(|one| (one.since, one.found)).collect();
        assert_eq!(all, [(at(1), TryResult::UserQuota), (at(5), TryResult::NoNode)]);
        for seconds in 10..40 {
            log.note_found(if seconds % 2 == 0 { TryResult::QueueQuota } else { TryResult::NoNode }, at(seconds));
        }
        assert_eq!((log.found().len(), log.found().last().map(|one| one.since)), (MOST_CHANGES, Some(at(39))));
    }

    #[test]
    fn each_reason_exists_once_and_is_shown_repeatedly() {
        let mut log = AskLog::default();
        let at = |seconds: u64| Time::from_millis(seconds * 1000);
        assert!(!log.is_due(at(0)));
        log.note(Failure::UserQuota, at(1));
        assert!(log.is_due(at(1)) && !log.is_due(at(1)));
        log.note(Failure::UserQuota, at(2));
        assert!(!log.is_due(at(2)), "a count alone is not worth it");
        log.note(Failure::QueueQuota, at(3));
        assert!(log.is_due(at(3)), "another reason is");
        assert!(log.is_due(at(13)), "and so is time");
        let noted: Vec<_> = log.failures().iter().map(|entry| (entry.failure, entry.count, entry.last)).collect();
        assert_eq!(noted, [(Failure::UserQuota, 2, at(2)), (Failure::QueueQuota, 1, at(3))]);
    }
}
