//! Counts of equal decisions by queue and day (K8S-304).

use std::collections::{BTreeMap, VecDeque};

use super::verdict::{Comparison, PreemptionCheck, Verdict};
use model::{QueuePath, Time};

const MOST_DAYS: usize = 35;
/// The other queues are counted together.
const MOST_QUEUES: usize = 2_000;
const MOST_DIFFERENCES: usize = 1_000;
const MOST_SPANS: usize = 144;
/// Ten minutes, in microseconds.
const SPAN: u64 = 600_000_000;
const DAY: u64 = 86_400_000_000;

/// Counts of comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// By verdict, in the order of [`Verdict::ALL`].
    pub by_verdict: [u64; Verdict::ALL.len()],
    /// Preemptions with the same victims.
    pub same_victims: u64,
    /// Different victims, or a preemption by only one of the two.
    pub other_victims: u64,
}

impl Counts {
    /// Returns the count of a verdict.
    pub const fn of(&self, verdict: Verdict) -> u64 {
        self.by_verdict[verdict as usize]
    }

    /// Counts compared decisions, without missed ones.
    pub fn decisions(&self) -> u64 {
        self.by_verdict.iter().sum::<u64>() - self.of(Verdict::Missed)
    }

    /// Counts settled decisions: the base of the rates.
    pub fn settled(&self) -> u64 {
        self.decisions() - self.of(Verdict::Unsettled)
    }

    /// Returns the share that agrees, 0 to 1; `None` without decisions.
    pub fn agreement(&self) -> Option<f64> {
        let agreed = self.of(Verdict::Same) + self.of(Verdict::Equal);
        // Counts are far below 2^53.
        (self.settled() > 0).then(|| agreed as f64 / self.settled() as f64)
    }

    /// Returns the share that kornsole allows, 0 to 1; `None` without decisions.
    pub fn legality(&self) -> Option<f64> {
        (self.settled() > 0).then(|| 1.0 - self.of(Verdict::Illegal) as f64 / self.settled() as f64)
    }

    fn add(&mut self, other: &Self) {
        self.by_verdict.iter_mut().zip(other.by_verdict).for_each(|(own, more)| *own += more);
        self.same_victims += other.same_victims;
        self.other_victims += other.other_victims;
    }
}

/// A comparison that does not agree.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Number of the difference, from 1.
    pub number: u64,
    /// What came out.
    pub comparison: Comparison,
    /// `namespace/name`; empty if unknown.
    pub pod: String,
}

/// Counts of days, and the last differences.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By day since 1970, then by leaf; the empty path is for unknown and excess queues.
    days: BTreeMap<u64, BTreeMap<QueuePath, Counts>>,
    total: Counts,
    /// By leaf since the start; the empty path is for unknown and excess queues.
    ever: BTreeMap<QueuePath, Counts>,
    /// The last day in spans of ten minutes, numbered since 1970, without empty spans.
    spans: VecDeque<(u64, Counts)>,
    differences: VecDeque<Difference>,
    differed: u64,
}

impl Tally {
    /// `pod` is `namespace/name`, if known.
    pub fn take(&mut self, comparison: &Comparison, pod: &str) {
        let counts = self.counts(comparison.at, &comparison.queue);
        counts.by_verdict[comparison.verdict as usize] += 1;
        self.total.by_verdict[comparison.verdict as usize] += 1;
        self.ever_of(&comparison.queue).by_verdict[comparison.verdict as usize] += 1;
        self.span(comparison.at).by_verdict[comparison.verdict as usize] += 1;
        if !comparison.verdict.agrees() {
            self.differed += 1;
            let (number, comparison, pod) = (self.differed, comparison.clone(), pod.to_owned());
            self.differences.push_back(Difference { number, comparison, pod });
            if self.differences.len() > MOST_DIFFERENCES {
                self.differences.pop_front();
            }
        }
    }

    /// Counts a preemption.
    pub fn take_check(&mut self, check: &PreemptionCheck) {
        let same = check.is_same();
        let count = |counts: &mut Counts| {
            counts.same_victims += u64::from(same);
            counts.other_victims += u64::from(!same);
        };
        count(self.counts(check.at, &check.queue));
        count(&mut self.total);
        count(self.ever_of(&check.queue));
        count(self.span(check.at));
    }

    /// A time before all spans counts in the oldest.
    fn span(&mut self, at: Time) -> &mut Counts {
        let number = at.0 / SPAN;
        let mut place = self.spans.partition_point(|(other, _)| *other < number);
        if self.spans.get(place).is_none_or(|(other, _)| *other != number) {
            self.spans.insert(place, (number, Counts::default()));
            if self.spans.len() > MOST_SPANS {
                self.spans.pop_front();
                place = place.saturating_sub(1);
            }
        }
        &mut self.spans[place].1
    }

    fn ever_of(&mut self, queue: &QueuePath) -> &mut Counts {
        let own = self.ever.contains_key(queue) || self.ever.len() < MOST_QUEUES;
        self.ever.entry(if own { queue.clone() } else { QueuePath::default() }).or_default()
    }

    fn counts(&mut self, at: Time, queue: &QueuePath) -> &mut Counts {
        let number = at.0 / DAY;
        if !self.days.contains_key(&number) && self.days.len() >= MOST_DAYS {
            self.days.pop_first();
        }
        let day = self.days.entry(number).or_default();
        let own = day.contains_key(queue) || day.len() < MOST_QUEUES;
        day.entry(if own { queue.clone() } else { QueuePath::default() }).or_default()
    }

    /// Returns the counts since the start.
    pub const fn total(&self) -> &Counts {
        &self.total
    }

    /// Returns the counts since the start, which never decrease.
    pub const fn ever(&self) -> &BTreeMap<QueuePath, Counts> {
        &self.ever
    }

    /// Returns days since 1970 with queues.
    pub fn days(&self) -> impl Iterator<Item = (u64, &BTreeMap<QueuePath, Counts>)> {
        self.days.iter().map(|(day, queues)| (*day, queues))
    }

    /// Returns spans of ten minutes with start times.
    pub fn spans(&self) -> impl Iterator<Item = (Time, &Counts)> {
        self.spans.iter().map(|(number, counts)| (Time(number * SPAN), counts))
    }

    /// Sums over all stored days.
    pub fn queues(&self) -> BTreeMap<QueuePath, Counts> {
        let mut queues: BTreeMap<QueuePath, Counts> = BTreeMap::new();
        for (queue, counts) in self.days.values().flatten() {
            queues.entry(queue.clone()).or_default().add(counts);
        }
        queues
    }

    /// Returns the last differences, latest last.
    pub fn differences(&self) -> impl DoubleEndedIterator<Item = &Difference> {
        self.differences.iter()
    }
}
