//! The result of one run, in figures.

use std::collections::BTreeMap;

use super::never::{NEVER, NeverRuns, wait};
use super::node_groups::GroupsReport;

/// How long asks waited, from their creation to their allocation, in milliseconds. Asks that are pending at the end count with the time up
/// to then, so that a run which leaves more pending asks does not look better. An ask that never runs has no finite wait: it counts as
/// [`NEVER`].
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Waits {
    /// How many asks.
    pub count: u64,
    /// How many of them wait at the end.
    pub waiting: u64,
    /// How many of those never run.
    #[serde(default)]
    pub never: u64,
    /// The arithmetic mean; [`NEVER`] if one of them never runs.
    #[serde(with = "wait")]
    pub mean: u64,
    /// Half of them waited at most so long.
    #[serde(with = "wait")]
    pub p50: u64,
    /// 95 of 100 waited at most so long.
    #[serde(with = "wait")]
    pub p95: u64,
    /// 99 of 100 waited at most so long.
    #[serde(with = "wait")]
    pub p99: u64,
    /// The longest of all.
    #[serde(with = "wait")]
    pub max: u64,
}

impl Waits {
    /// The figures of waits in milliseconds, of which this many have not ended. The percentiles are waits that occurred (nearest rank).
    pub fn of(mut waits: Vec<u64>, waiting: u64) -> Self {
        waits.sort_unstable();
        let count = waits.len();
        let Some(max) = waits.last().copied() else { return Self::default() };
        let rank = |percent: usize| waits[(count * percent).div_ceil(100).clamp(1, count) - 1];
        let never = waits.iter().rev().take_while(|wait| **wait == NEVER).count() as u64;
        let sum: u128 = waits.iter().map(|wait| u128::from(*wait)).sum();
        let mean = if never > 0 { NEVER } else { u64::try_from(sum / count as u128).unwrap_or(NEVER) };
        Self { count: count as u64, waiting, never, mean, p50: rank(50), p95: rank(95), p99: rank(99), max }
    }
}

/// The ask that waited longest.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Longest {
    /// Its application and id, with a stroke between them.
    pub name: String,
    /// How long, in milliseconds; [`NEVER`] if it never runs.
    #[serde(with = "wait")]
    pub wait: u64,
    /// What it needs, in base units.
    pub wants: BTreeMap<String, i64>,
}

/// What became of a queue with all below it, of a user, or of everything.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Group {
    /// The path of the queue, or the name of the user.
    pub name: String,
    /// How long asks waited.
    pub waits: Waits,
    /// The ask that waited longest; `None` where none waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<Longest>,
    /// Allocations that were made.
    pub allocated: u64,
    /// Allocations that others took.
    pub preempted: u64,
    /// Asks that were taken back while they waited; their waits are not counted.
    #[serde(default)]
    pub taken_back: u64,
    /// What was in use, times how long: base units (bytes, millicores) times seconds, by resource.
    pub used: BTreeMap<String, u64>,
}

/// How much of one resource there was, and how much was in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ResourceUse {
    /// What the nodes had, times how long, in base units times seconds.
    pub capacity: u64,
    /// What was in use, the same.
    pub used: u64,
    /// The most that was in use at a time, in base units.
    pub peak: i64,
    /// Usage at the end, in thousandths of the capacity at that time.
    pub last: u32,
}

impl ResourceUse {
    /// Average usage as a share of the capacity; `None` without capacity.
    pub fn share(&self) -> Option<f64> {
        (self.capacity > 0).then(|| self.used as f64 / self.capacity as f64)
    }
}

/// Use over time: the mean of each stretch of time of the same length.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Series {
    /// How long a stretch is, in milliseconds.
    pub every: u64,
    /// By resource, the usage in each stretch, in thousandths of the capacity.
    pub used: BTreeMap<String, Vec<u32>>,
    /// How many asks waited in each stretch, on average.
    pub waiting: Vec<u64>,
}

/// What one run gave.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Figures {
    /// When the last thing happened, in milliseconds from the start: with runtimes that end, the makespan.
    pub ended: u64,
    /// Applications that were submitted.
    pub applications: u64,
    /// Applications that were refused.
    pub rejected: u64,
    /// Why the first of them was refused.
    pub rejected_because: Option<String>,
    /// Asks that were refused.
    pub asks_rejected: u64,
    /// Everything together; the name is empty.
    pub total: Group,
    /// The queues, by path.
    pub queues: Vec<Group>,
    /// The users, by name.
    pub users: Vec<Group>,
    /// Use by resource.
    pub resources: BTreeMap<String, ResourceUse>,
    /// Jain's index of the users' dominant shares over the whole run, 1 where all had the same: how even the use was. `None` with fewer than
    /// two users.
    pub fairness: Option<f64>,
    /// Use over time.
    pub series: Series,
    /// The largest request that waits at the end, as `application/ask` and its amounts: it blocks further allocations.
    pub largest_waiting: Option<(String, BTreeMap<String, i64>)>,
    /// The asks that never run, by reason, the most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<NeverRuns>,
    /// What became of groups of nodes, where an autoscaler changes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_groups: Option<GroupsReport>,
}

/// Jain's index: 1 where all values are the same, 1/n where one has everything.
pub fn jain(values: &[f64]) -> Option<f64> {
    let (sum, squares) = values.iter().fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
    (values.len() > 1 && squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_waits_that_occurred() {
        assert_eq!(Waits::of(Vec::new(), 0), Waits::default());
        let one = Waits::of(vec![7], 1);
        assert_eq!((one.count, one.waiting, one.mean, one.p50, one.p95, one.p99, one.max), (1, 1, 7, 7, 7, 7, 7));
        let half = Waits::of(vec![3, NEVER, 1, NEVER], 2);
        assert_eq!((half.never, half.mean, half.p50, half.p95, half.max), (2, NEVER, 3, NEVER, NEVER));
        let written = serde_json::to_value(half).unwrap();
        assert_eq!((&written["p50"], &written["p95"]), (&3.into(), &serde_json::Value::Null));
        assert_eq!(serde_json::from_value::<Waits>(written).unwrap(), half);
        let hundred = Waits::of((1..=100).rev().collect(), 0);
        assert_eq!((hundred.p50, hundred.p95, hundred.p99, hundred.max, hundred.mean), (50, 95, 99, 100, 50));
    }

    #[test]
    fn jain_says_how_even_a_use_is() {
        assert_eq!((jain(&[]), jain(&[3.0]), jain(&[0.0, 0.0])), (None, None, None));
        assert_eq!(jain(&[2.0, 2.0, 2.0]), Some(1.0));
        assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
    }
}
