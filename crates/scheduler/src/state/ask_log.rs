//! Why an ask was not allocated: each reason that ever held, how often, and when last (`rest.md` section 5.4).

use std::time::Duration;

use smallvec::SmallVec;

use model::Time;

/// How many changes of what is found are kept; the oldest go.
const MOST_CHANGES: usize = 8;

/// How long what is shown of an ask may be behind while the same reasons still hold: counts change in every cycle.
const SHOW_AGAIN: Duration = Duration::from_secs(10);

/// What the last cycle that tried an ask found (SCH-082).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TryResult {
    /// Not tried yet.
    #[default]
    Never,
    /// A limit of its user or group has no room.
    UserQuota,
    /// A queue on the path has no room.
    QueueQuota,
    /// It fits the queues, no node has room.
    NoNode,
    /// It is to take over from a placeholder of its task group.
    Placeholder,
    /// It fits, but a blocked ask has its turn first ([`Tuning::turns`](crate::Tuning::turns)).
    Turn,
}

/// What cycles found for an ask from some moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FoundSince {
    /// When a cycle found it first, after it had found something else or nothing.
    pub since: Time,
    /// The check that the ask failed.
    pub found: TryResult,
}

/// Why an ask was not allocated, in the order in which a cycle finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Failure {
    /// A limit of its user or group has no room (SCH-082.3).
    UserQuota,
    /// A queue of its path has no room (SCH-082.5).
    QueueQuota,
    /// It may not preempt, or not yet (SCH-151).
    MayNotPreempt,
    /// Other asks of its leaf have used up the attempts of a cycle (SCH-150).
    NoAttemptLeft,
    /// Nothing that could be preempted would be preempted for it (SCH-152).
    PreemptionHelpsNot,
}

/// One reason with how often, and from when to when, it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FailureCount {
    /// The check that failed.
    pub failure: Failure,
    /// In how many cycles it held, those included in which it needed no trying to know that.
    pub count: u32,
    /// When it held last.
    pub last: Time,
}

/// The reasons that ever reserved for one ask, in the order in which each held first.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AskLog {
    /// Boxed: most asks never fail, and every cycle reads all asks.
    noted: Option<Box<Noted>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Noted {
    #[serde(with = "model::saved::list")]
    failures: SmallVec<[FailureCount; 1]>,
    /// A node was looked for.
    attempted: bool,
    shown: Time,
    /// Something is in it that was not there when it was last shown.
    new: bool,
    /// The last try found no attempt at preemption left, which excludes the other things said of preemption.
    #[serde(skip)]
    no_attempt: bool,
    /// How what is found has changed, the oldest first. Last, and missing in snapshots that were made before.
    #[serde(default, with = "model::saved::list")]
    found: SmallVec<[FoundSince; 1]>,
}

impl AskLog {
    /// The reasons, in the order in which each was found first.
    pub fn failures(&self) -> &[FailureCount] {
        self.noted.as_ref().map_or(&[], |noted| &noted.failures)
    }

    /// How what cycles find has changed, the oldest first: the last one holds since then.
    pub fn found(&self) -> &[FoundSince] {
        self.noted.as_ref().map_or(&[], |noted| &noted.found)
    }

    /// Notes what a try found, where that is something else than before.
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

    /// Whether a node was looked for: the limits of user and group had room for it once.
    pub fn attempted(&self) -> bool {
        self.noted.as_ref().is_some_and(|noted| noted.attempted)
    }

    /// Notes that a reason holds.
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

    /// Notes that what held when the ask was `tried` the last time held in `times` more cycles. It ended as `how` then.
    pub(crate) fn note_again(&mut self, how: TryResult, tried: Time, times: u64, last: Time) {
        let Some(noted) = &mut self.noted else { return };
        for known in &mut noted.failures {
            let held = match known.failure {
                Failure::UserQuota => how == TryResult::UserQuota,
                Failure::QueueQuota => how == TryResult::QueueQuota,
                of_preemption => {
                    let sought = matches!(how, TryResult::QueueQuota | TryResult::NoNode);
                    sought && known.last >= tried && noted.no_attempt == (of_preemption == Failure::NoAttemptLeft)
                }
            };
            if held {
                known.count = known.count.saturating_add(u32::try_from(times).unwrap_or(u32::MAX));
                known.last = last;
            }
        }
    }

    /// Notes that a node was looked for.
    pub(crate) fn attempt(&mut self) {
        let noted = self.noted.get_or_insert_default();
        noted.new |= !std::mem::replace(&mut noted.attempted, true);
    }

    /// Whether it is to be shown again; if so, that is noted.
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
    fn what_is_found_is_kept_with_the_moment_of_each_change() {
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
    fn each_reason_stands_once_and_is_shown_now_and_then() {
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
