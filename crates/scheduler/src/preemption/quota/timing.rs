//! The time at which a maximum is enforced, and its change by a reload (`profiles.md` section 10.1).

use std::time::Duration;

use super::tree::QuotaLaw;
use model::{Resource, Time};

const SECOND: u64 = 1_000_000;

/// A queue before a reload.
#[derive(Clone, Debug)]
pub struct QuotaBefore {
    /// `None` also for a new queue.
    pub max: Option<Resource>,
    /// How long it may be above its maximum.
    pub delay: Duration,
}

/// A queue after the reload.
#[derive(Clone, Copy, Debug)]
pub struct QuotaAfter<'q> {
    /// Its delay; zero means unlimited.
    pub delay: Duration,
    /// Whether the delay is configured on its path.
    pub has_key: bool,
    /// The usage, including its subtree.
    pub allocated: &'q Resource,
    /// Its own maximum.
    pub max: Option<&'q Resource>,
}

/// Whether the usage exceeds a maximum in a name that both have.
pub fn is_above(allocated: &Resource, max: Option<&Resource>) -> bool {
    max.is_some_and(|max| max.iter().any(|(name, most)| allocated.get(name).is_some_and(|used| used > most)))
}

/// The first pass after now that covers `due`: passes are at full seconds.
pub fn look_after(now: Time, due: Time) -> Time {
    let next = (now.0 / SECOND).saturating_add(1);
    Time(next.max(due.0.div_ceil(SECOND)).saturating_mul(SECOND))
}

/// The time of a queue after a reload, from its previous time.
pub fn time_after(
    law: QuotaLaw,
    now: Time,
    due: Option<Time>,
    before: &QuotaBefore,
    after: &QuotaAfter<'_>,
) -> Option<Time> {
    let delay = after.delay;
    if law.keeps_time && (!after.has_key || delay.is_zero()) {
        return due;
    }
    if delay.is_zero() || !is_above(after.allocated, after.max) {
        return None;
    }
    match (due, change(before.max.as_ref(), after.max)) {
        (due, Change::Other) => due,
        (Some(due), _) => Some(moved(due, delay, before.delay)),
        (None, Change::Lowered) => Some(now + delay),
        (None, Change::Same) => before.delay.is_zero().then(|| now + delay),
        (None, Change::Raised) => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Same,
    Lowered,
    Raised,
    Other,
}

fn change(before: Option<&Resource>, now: Option<&Resource>) -> Change {
    let (Some(before), Some(now)) = (before, now) else { return Change::Other };
    let names = || before.iter().chain(now.iter()).map(|(name, _)| name);
    let up = names().any(|name| now.amount(name) > before.amount(name));
    let down = names().any(|name| now.amount(name) < before.amount(name));
    match (up, down) {
        (false, false) => Change::Same,
        (false, true) => Change::Lowered,
        (true, false) => Change::Raised,
        (true, true) => Change::Other,
    }
}

/// Converts a time to the new delay; the result may be past.
fn moved(due: Time, delay: Duration, before: Duration) -> Time {
    if delay >= before { due + (delay - before) } else { due - (before - delay) }
}
