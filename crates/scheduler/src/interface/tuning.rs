//! The options that the operator sets when a scheduler is created.

use std::time::Duration;

/// The default is the behavior of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tuning {
    /// The allocations of one cycle for one application on one node, at least 1.
    pub allocations_per_cycle: u32,
    /// How long a queue drains before it counts as stuck (SCH-211); zero: never.
    pub stuck_after: Duration,
    /// The minimum time between two preemption attempts of a request (SCH-151).
    pub preemption_interval: Duration,
    /// The usage of the cluster, in percent, from which preemption is active.
    pub preemption_min_load: u8,
    /// Requests and allocations that one command removes from an ending application, at least 1.
    #[serde(default = "ending_at_once")]
    pub ending_at_once: usize,
    /// The maximum number of ended applications; above it, the oldest are dropped before their time (SCH-172).
    #[serde(default = "ended_applications")]
    pub ended_applications: usize,
    /// A queue above its guaranteed resources in one name gives victims, even if it falls below them in others (D-18):
    /// otherwise guaranteed memory protects cores that are used with little memory.
    #[serde(default)]
    pub above_in_one_gives: bool,
    /// Whether the resource manager takes time to stop an allocation (SCH-046); otherwise a stop is immediate.
    #[serde(default)]
    pub awaits_stops: bool,
    /// What the asks behind a blocked one may take.
    #[serde(default)]
    pub turns: Turns,
}

/// The treatment of a request that fits and follows a blocked one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Turns {
    /// It is allocated, even if the blocked one then waits longer: what all profiles do.
    #[default]
    Skipped,
    /// It uses no resources that the blocked one needs. No node is reserved.
    #[serde(rename = "Kept")]
    Ordered,
    /// As [`Ordered`](Self::Ordered), but it may start if it ends by its limit before the blocked one can start, or fits next to it
    /// then.
    Backfilled,
}

const fn ending_at_once() -> usize {
    10_000
}

const fn ended_applications() -> usize {
    10_000
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            allocations_per_cycle: 1,
            stuck_after: Duration::from_secs(60 * 60),
            preemption_interval: Duration::from_secs(15),
            preemption_min_load: 0,
            ending_at_once: ending_at_once(),
            ended_applications: ended_applications(),
            above_in_one_gives: false,
            awaits_stops: false,
            turns: Turns::Skipped,
        }
    }
}
