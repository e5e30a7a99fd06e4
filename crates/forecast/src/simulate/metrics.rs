//! The result of one run.

use std::collections::BTreeMap;

use super::never::{NEVER, NeverRuns, wait};
use super::node_groups::GroupsReport;

/// Waiting times until the allocation, in milliseconds. Pending requests count with their time so far, so that a run
/// with more of them does not look better. A request that never runs counts as [`NEVER`].
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Waits {
    /// Number of requests.
    pub count: u64,
    /// Number of pending requests at the end.
    pub waiting: u64,
    /// Number of those that never run.
    #[serde(default)]
    pub never: u64,
    /// [`NEVER`] if a request never runs.
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
    /// Percentiles are waits that occurred (nearest rank).
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

/// The request that waited longest.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Longest {
    /// Its application and id, with a stroke between them.
    pub name: String,
    /// Milliseconds; [`NEVER`] if it never runs.
    #[serde(with = "wait")]
    pub wait: u64,
    /// Requested resources in base units.
    pub wants: BTreeMap<String, i64>,
}

/// A queue with its subtree, a user, or the total.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Group {
    /// Queue path or user name.
    pub name: String,
    /// Waiting times of requests.
    pub waits: Waits,
    /// The longest waiting request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<Longest>,
    /// Number of allocations.
    pub allocated: u64,
    /// Number of preempted allocations.
    pub preempted: u64,
    /// Withdrawn while pending; their waits do not count.
    #[serde(default)]
    pub taken_back: u64,
    /// Base units (bytes, millicores) times seconds.
    pub used: BTreeMap<String, u64>,
}

/// Capacity and usage of one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ResourceUse {
    /// Capacity in base units times seconds.
    pub capacity: u64,
    /// Usage in base units times seconds.
    pub used: u64,
    /// Peak usage in base units.
    pub peak: i64,
    /// Final usage in thousandths of the capacity.
    pub last: u32,
}

impl ResourceUse {
    /// Returns the mean share of the capacity, if any.
    pub fn share(&self) -> Option<f64> {
        (self.capacity > 0).then(|| self.used as f64 / self.capacity as f64)
    }
}

/// Means over time, in bins of equal length.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Series {
    /// Length of a bin in milliseconds.
    pub every: u64,
    /// Thousandths of the capacity by resource and bin.
    pub used: BTreeMap<String, Vec<u32>>,
    /// Mean number of pending requests by bin.
    pub waiting: Vec<u64>,
}

/// The result of one run.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Metrics {
    /// Last event, in milliseconds from the start: the makespan if run times end.
    pub ended: u64,
    /// Number of submitted applications.
    pub applications: u64,
    /// Number of rejected applications.
    pub rejected: u64,
    /// Reason of the first rejection.
    pub rejected_because: Option<String>,
    /// Number of rejected requests.
    pub asks_rejected: u64,
    /// Totals; the name is empty.
    pub total: Group,
    /// Queues by path.
    pub queues: Vec<Group>,
    /// Users by name.
    pub users: Vec<Group>,
    /// Usage by resource.
    pub resources: BTreeMap<String, ResourceUse>,
    /// Jain's index of the users' dominant shares; `None` with fewer than two users.
    pub fairness: Option<f64>,
    /// Usage over time.
    pub series: Series,
    /// The largest pending request at the end, as `application/ask`: it blocks further allocations.
    pub largest_waiting: Option<(String, BTreeMap<String, i64>)>,
    /// By reason, the most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<NeverRuns>,
    /// With an autoscaler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_groups: Option<GroupsReport>,
}

/// Returns 1 if all values are equal, 1/n if one has everything.
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
    fn jain_measures_how_even_usage_is() {
        assert_eq!((jain(&[]), jain(&[3.0]), jain(&[0.0, 0.0])), (None, None, None));
        assert_eq!(jain(&[2.0, 2.0, 2.0]), Some(1.0));
        assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
    }
}
