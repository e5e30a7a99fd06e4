//! The connection state and its retries. Time and randomness are parameters, for tests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::part::Part;
use crate::{Link, StalePart};
use client::Fault;
use view::unread::{MissingLists, Unread};

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);
/// The pause after a denied access, which only a user can fix.
const REFUSED: Duration = Duration::from_secs(60);

/// At the default interval of 2 seconds, a hanging remote is reported within 5.
const SILENCE: Duration = Duration::from_millis(2500);
/// For slow remotes: this factor of the usual round-trip time.
const SILENT_ROUNDS: u32 = 3;

/// A small random number generator for pauses.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Starts from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The pause after a number of consecutive failures: it doubles up to the maximum, and is random in its upper half,
    /// so that many consoles do not reconnect at the same time.
    pub fn within(&mut self, first: Duration, failures: u32) -> Duration {
        let doubled = first.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST);
        doubled.mul_f64(0.5 + self.share() / 2.0)
    }

    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // 53 bits fit.
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// `now` is the time since the start of the source.
#[derive(Clone, Debug)]
pub struct LinkState {
    chance: Chance,
    phase: Phase,
    good: Option<Duration>,
    rtt: Option<Duration>,
    failures: u32,
    /// The start of the oldest unanswered request.
    waiting: Option<Duration>,
    parts: BTreeMap<Part, PartState>,
}

#[derive(Clone, Debug, Default)]
struct PartState {
    good: Option<Duration>,
    cause: Option<Cause>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Cause {
    /// The last read of it failed.
    Failed(String),
    /// The connection was lost since the last read.
    Lost,
}

const READ_AGAIN: [Part; 8] =
    [Part::Partitions, Part::Queues, Part::Apps, Part::Users, Part::Groups, Part::Nodes, Part::Ended, Part::Config];
const NOT_READ_AGAIN: &str = "not updated since the connection was lost";

#[derive(Clone, Debug, PartialEq)]
enum Phase {
    /// Asking, without a failure since the last answer.
    Asking,
    /// The last try failed; the next one is scheduled.
    Waiting { cause: String, retry: Duration },
    /// Access is denied; the next try is scheduled.
    Refused { why: String, retry: Duration },
}

impl LinkState {
    /// The state before the first answer.
    pub fn new(seed: u64) -> Self {
        let (chance, phase, parts) = (Chance::new(seed), Phase::Asking, BTreeMap::new());
        Self { chance, phase, good: None, rtt: None, failures: 0, waiting: None, parts }
    }

    /// Sets whether a request is in progress.
    pub fn asking(&mut self, now: Duration, is: bool) {
        self.waiting = is.then(|| self.waiting.unwrap_or(now));
    }

    /// A part was read completely.
    pub fn part_arrived(&mut self, now: Duration, part: Part) {
        self.parts.insert(part, PartState { good: Some(now), cause: None });
    }

    /// The read of a part failed; others may succeed.
    pub fn part_failed(&mut self, part: Part, fault: &Fault) {
        self.parts.entry(part).or_default().cause = Some(Cause::Failed(fault.to_string()));
    }

    /// The connection is restored. Earlier parts are outdated until they are read again, because parts of different
    /// ages disagree.
    pub fn arrived_back(&mut self) {
        for part in READ_AGAIN {
            if let Some(state) = self.parts.get_mut(&part) {
                state.cause.get_or_insert(Cause::Lost);
            }
        }
    }

    /// How much older the applications are than the queues; `None` without applications.
    pub fn apps_lag(&self) -> Option<Duration> {
        let good = |part| self.parts.get(&part).and_then(|state| state.good);
        Some(good(Part::Queues)?.saturating_sub(good(Part::Apps)?))
    }

    /// The lists that were never loaded.
    pub fn unread(&self) -> Unread {
        let never = |part| self.parts.get(&part).is_none_or(|state| state.good.is_none());
        Unread {
            apps: never(Part::Apps),
            nodes: never(Part::Nodes),
            users: never(Part::Users) && never(Part::Groups),
            missing: self.missing(),
        }
    }

    fn missing(&self) -> MissingLists {
        let why = |part: Part| match self.parts.get(&part)? {
            PartState { good: None, cause: Some(Cause::Failed(why)) } => {
                Some(Arc::from(format!("cannot fetch {}: {why}", part.words())))
            }
            _ => None,
        };
        MissingLists {
            apps: why(Part::Apps),
            nodes: why(Part::Nodes),
            users: why(Part::Users),
            groups: why(Part::Groups),
        }
    }

    /// Drops parts that do not exist or are no longer requested, so that they do not count as outdated.
    pub fn keep_parts(&mut self, keep: impl Fn(&Part) -> bool) {
        self.parts.retain(|part, _| keep(part));
    }

    /// The parts that are outdated because a read failed, with their ages. Parts that were never loaded are not
    /// included.
    pub fn stale_parts(&self, now: Duration) -> Vec<StalePart> {
        let stale = self.parts.iter().filter_map(|(part, state)| {
            let age = now.saturating_sub(state.good?);
            let cause = match state.cause.as_ref()? {
                Cause::Failed(why) => why.clone(),
                Cause::Lost => NOT_READ_AGAIN.to_owned(),
            };
            Some(StalePart { what: part.words(), age, cause })
        });
        stale.collect()
    }

    /// The basic part that is outdated, if any: every page depends on it.
    fn stale_basis(&self, now: Duration) -> Option<(Duration, String)> {
        let (part, state) = self.parts.iter().find(|(part, state)| part.is_basic() && state.cause.is_some())?;
        let age = now.saturating_sub(state.good?);
        let cause = match state.cause.as_ref()? {
            Cause::Failed(why) => format!("cannot fetch {}: {why}", part.words()),
            Cause::Lost => format!("{}: {NOT_READ_AGAIN}", part.words()),
        };
        Some((age, cause))
    }

    /// An answer arrived.
    pub fn good(&mut self, now: Duration, rtt: Duration) {
        self.good = Some(now);
        self.waiting = self.waiting.map(|_| now);
        // Smoothed, so that the header does not flicker.
        self.rtt = Some(self.rtt.map_or(rtt, |before| (before * 3 + rtt) / 4));
        self.failures = 0;
        self.phase = Phase::Asking;
    }

    /// A try failed. Returns the time of the next one.
    pub fn bad(&mut self, now: Duration, fault: &Fault) -> Duration {
        self.failures = self.failures.saturating_add(1);
        let pause =
            if fault.is_final() && !fault.may_pass() { REFUSED } else { self.chance.within(FIRST, self.failures) };
        let (cause, retry) = (fault.to_string(), now + pause);
        self.phase =
            if fault.is_final() { Phase::Refused { why: cause, retry } } else { Phase::Waiting { cause, retry } };
        retry
    }

    /// The time of the next try, while disconnected.
    pub fn retry(&self) -> Option<Duration> {
        match &self.phase {
            Phase::Asking => None,
            Phase::Waiting { retry, .. } | Phase::Refused { retry, .. } => Some(*retry),
        }
    }

    /// The state for display.
    pub fn link(&self, now: Duration) -> Link {
        let basis = self.stale_basis(now);
        let age = self.good.map(|good| now.saturating_sub(good));
        // The data is as old as its basis.
        let age = age.map(|age| basis.as_ref().map_or(age, |(old, _)| age.max(*old)));
        let silence = SILENCE.max(self.rtt.unwrap_or_default() * SILENT_ROUNDS);
        let is_silent = self.waiting.is_some_and(|since| now.saturating_sub(since) > silence);
        let retry_in = self.retry().map(|retry| whole_seconds(retry.saturating_sub(now)));
        match (&self.phase, age) {
            (Phase::Refused { why, .. }, _) => Link::Refused { why: why.clone(), age },
            (Phase::Asking, None) => Link::Connecting { cause: None, retry_in: None },
            (Phase::Waiting { cause, .. }, None) => Link::Connecting { cause: Some(cause.clone()), retry_in },
            (Phase::Asking, Some(age)) if is_silent => {
                Link::Stale { age, cause: "no response yet".to_owned(), retry_in: None }
            }
            (Phase::Asking, Some(age)) => match basis {
                Some((_, cause)) => Link::Stale { age, cause, retry_in: None },
                None => Link::Live { rtt: self.rtt.map(rounded) },
            },
            (Phase::Waiting { cause, .. }, Some(age)) => Link::Stale { age, cause: cause.clone(), retry_in },
        }
    }
}

/// Rounded up, so that the screen changes once per second.
fn whole_seconds(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs() + u64::from(time.subsec_nanos() > 0))
}

/// One significant digit, so that the header is stable.
fn rounded(rtt: Duration) -> Duration {
    let micros = u64::try_from(rtt.as_micros()).unwrap_or(u64::MAX).max(1000);
    let unit = 10_u64.pow(micros.ilog10());
    Duration::from_micros((micros + unit / 2) / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use client::{ErrorBody, Problem};

    const S: Duration = Duration::from_secs(1);

    fn down() -> Fault {
        Fault::Unreachable(Problem::new("x cannot be reached", ""))
    }

    #[test]
    fn a_link_shows_its_whole_history() {
        let mut link = LinkState::new(7);
        assert_eq!(link.link(S), Link::Connecting { cause: None, retry_in: None });
        link.asking(S, true);
        link.good(2 * S, Duration::from_micros(12_345));
        assert_eq!(link.link(2 * S), Link::Live { rtt: Some(Duration::from_millis(10)) });
        let slow = |age| Link::Stale { age, cause: "no response yet".to_owned(), retry_in: None };
        assert!(link.link(4 * S).is_live());
        assert_eq!(link.link(8 * S), slow(6 * S));
        let retry = link.bad(10 * S, &down());
        assert!(retry > 10 * S && retry <= 11 * S, "{retry:?}");
        let stale = Link::Stale { age: 8 * S, cause: "x cannot be reached".to_owned(), retry_in: Some(S) };
        assert_eq!(link.link(10 * S), stale);
        link.good(12 * S, S / 100);
        assert_eq!(link.retry(), None);
        link.asking(12 * S, false);
        assert!(link.link(60 * S).is_live(), "nothing is asked for: nothing is late");
        let refusal = Fault::Refused(401, Box::<ErrorBody>::default());
        assert_eq!(link.bad(13 * S, &refusal), 73 * S);
        assert!(matches!(link.link(14 * S), Link::Refused { age: Some(age), .. } if age == 2 * S));
    }

    #[test]
    fn a_hang_shows_within_five_seconds_of_the_last_answer() {
        let mut link = LinkState::new(7);
        link.good(S, S / 100);
        // The next request goes out two seconds later without an answer.
        link.asking(3 * S, true);
        assert!(!link.link(6 * S).is_live());
        let mut slow = LinkState::new(7);
        slow.good(S, 2 * S);
        slow.asking(3 * S, true);
        assert!(slow.link(6 * S).is_live(), "answers take two seconds there");
    }

    #[test]
    fn each_part_has_an_age_of_its_own() {
        let mut link = LinkState::new(7);
        let (queues, nodes) = (Part::Queues, Part::Nodes);
        for (at, part) in [(S, queues), (2 * S, nodes)] {
            link.good(at, S / 100);
            link.part_arrived(at, part);
        }
        assert_eq!(link.stale_parts(3 * S), []);
        link.part_failed(nodes, &down());
        link.good(5 * S, S / 100);
        assert!(link.link(5 * S).is_live(), "the tree is fresh");
        let old = link.stale_parts(5 * S);
        assert_eq!((old.len(), old[0].age, old[0].what), (1, 3 * S, "the list of nodes"));
        link.part_failed(queues, &down());
        let stale = link.link(9 * S);
        assert!(
            matches!(&stale, Link::Stale { age, cause, .. } if *age == 8 * S && cause.contains("the queues")),
            "{stale:?}"
        );
        link.part_arrived(10 * S, queues);
        assert!(link.link(10 * S).is_live());
    }

    #[test]
    fn after_a_reconnect_each_part_is_old_until_it_is_fetched_again() {
        let mut link = LinkState::new(7);
        for part in [Part::Partitions, Part::Queues, Part::Apps] {
            link.part_arrived(S, part);
        }
        link.good(S, S / 100);
        link.bad(4 * S, &down());
        link.good(10 * S, S / 100);
        link.arrived_back();
        assert!(matches!(link.link(10 * S), Link::Stale { age, .. } if age == 9 * S), "{:?}", link.link(10 * S));
        link.part_arrived(10 * S, Part::Partitions);
        link.part_arrived(10 * S, Part::Queues);
        assert!(link.link(11 * S).is_live());
        let old = link.stale_parts(11 * S);
        assert_eq!((old.len(), old[0].what, old[0].age), (1, "the list of applications", 10 * S));
        assert_eq!(link.apps_lag(), Some(9 * S));
        let unread = link.unread();
        assert_eq!([unread.apps, unread.nodes, unread.users], [false, true, true]);
        link.part_arrived(11 * S, Part::Apps);
        assert_eq!((link.stale_parts(11 * S), link.apps_lag()), (Vec::new(), Some(Duration::ZERO)));
    }

    #[test]
    fn pauses_grow_up_to_the_longest_and_differ_by_chance_only() {
        let pauses = |seed| {
            let mut link = LinkState::new(seed);
            (0..12).map(|_| link.bad(Duration::ZERO, &down())).collect::<Vec<_>>()
        };
        let (one, other) = (pauses(1), pauses(2));
        assert_eq!(one, pauses(1));
        assert_ne!(one, other);
        for (n, pause) in one.iter().enumerate() {
            let most = FIRST.saturating_mul(1 << n).min(LONGEST);
            assert!(*pause >= most / 2 && *pause <= most, "{n}: {pause:?}");
        }
    }
}
