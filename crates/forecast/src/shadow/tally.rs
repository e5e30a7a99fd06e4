//! How often both decided alike, by queue and day (K8S-304).

use std::collections::{BTreeMap, VecDeque};

use super::verdict::{Comparison, PreemptionCheck, Verdict};
use model::{QueuePath, Time};

/// So many days are kept.
const MOST_DAYS: usize = 35;
/// So many queues are counted by themselves on one day; the others together.
const MOST_QUEUES: usize = 2_000;
/// So many differences are kept, the last ones.
const MOST_DIFFERENCES: usize = 1_000;
/// So many spans are kept: a day.
const MOST_SPANS: usize = 144;
/// A span, in microseconds: ten minutes.
const SPAN: u64 = 600_000_000;
/// A day, in microseconds.
const DAY: u64 = 86_400_000_000;

/// Numbers of comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// By verdict, in the order of [`Verdict::ALL`].
    pub by_verdict: [u64; Verdict::ALL.len()],
    /// Preemptions with the same victims.
    pub same_victims: u64,
    /// Preemptions with other victims, or of one of the two only.
    pub other_victims: u64,
}

impl Counts {
    /// How many of one verdict.
    pub const fn of(&self, verdict: Verdict) -> u64 {
        self.by_verdict[verdict as usize]
    }

    /// How many decisions of the other scheduler were compared. Those that it missed are none.
    pub fn decisions(&self) -> u64 {
        self.by_verdict.iter().sum::<u64>() - self.of(Verdict::Missed)
    }

    /// How many decisions rates are of: all that are settled.
    pub fn settled(&self) -> u64 {
        self.decisions() - self.of(Verdict::Unsettled)
    }

    /// The part of the settled decisions that both made alike, 0 to 1; `None` where there is none.
    pub fn agreement(&self) -> Option<f64> {
        let agreed = self.of(Verdict::Same) + self.of(Verdict::Equal);
        // Counts are far below 2^53.
        (self.settled() > 0).then(|| agreed as f64 / self.settled() as f64)
    }

    /// The part of the settled decisions that kornsole does not forbid, 0 to 1; `None` where there is none.
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
    /// Differences are counted from 1 on.
    pub number: u64,
    /// What came out.
    pub comparison: Comparison,
    /// The namespace and name of the pod; empty where they are unknown.
    pub pod: String,
}

/// Counts of the last days, and the last differences.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By days since 1970, then by leaf; what has no queue, or is one too many, is under the empty path.
    days: BTreeMap<u64, BTreeMap<QueuePath, Counts>>,
    /// Since the start.
    total: Counts,
    /// By leaf, since the start; what is one queue too many is under the empty path.
    ever: BTreeMap<QueuePath, Counts>,
    /// The last day in spans of ten minutes, each with its number since 1970; those without anything are omitted.
    spans: VecDeque<(u64, Counts)>,
    differences: VecDeque<Difference>,
    /// How many differences there were.
    differed: u64,
}

impl Tally {
    /// Counts a comparison. `pod`: the namespace and name of its pod, as far as they are known.
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

    /// The span of a time; one that is older than all that are kept counts as the oldest.
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

    /// All since the start.
    pub const fn total(&self) -> &Counts {
        &self.total
    }

    /// Each queue since the start: these numbers never shrink.
    pub const fn ever(&self) -> &BTreeMap<QueuePath, Counts> {
        &self.ever
    }

    /// The days that are kept, in days since 1970, each with its queues.
    pub fn days(&self) -> impl Iterator<Item = (u64, &BTreeMap<QueuePath, Counts>)> {
        self.days.iter().map(|(day, queues)| (*day, queues))
    }

    /// The spans of ten minutes that are kept, each with when it started.
    pub fn spans(&self) -> impl Iterator<Item = (Time, &Counts)> {
        self.spans.iter().map(|(number, counts)| (Time(number * SPAN), counts))
    }

    /// Each queue over all days that are kept.
    pub fn queues(&self) -> BTreeMap<QueuePath, Counts> {
        let mut queues: BTreeMap<QueuePath, Counts> = BTreeMap::new();
        for (queue, counts) in self.days.values().flatten() {
            queues.entry(queue.clone()).or_default().add(counts);
        }
        queues
    }

    /// The last comparisons that do not agree, the latest last.
    pub fn differences(&self) -> impl DoubleEndedIterator<Item = &Difference> {
        self.differences.iter()
    }
}
