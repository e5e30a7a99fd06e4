//! Options of a scheduler that the operator sets once, when it is made.

use std::time::Duration;

/// The settings of a core. The default is what the core does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tuning {
    /// How many allocations one cycle makes for one application on one node, at least 1.
    pub allocations_per_cycle: u32,
    /// How long a queue drains before it counts as stuck (SCH-211); zero: it never does.
    pub stuck_after: Duration,
    /// How long after one try to preempt the same ask may try again (SCH-151).
    pub preemption_interval: Duration,
    /// The part of the cluster, in percent, that must be in use before anything is preempted.
    pub preemption_min_load: u8,
    /// How many asks and allocations one command takes off an application that ends, at least 1.
    #[serde(default = "ending_at_once")]
    pub ending_at_once: usize,
    /// A queue that is above its guarantee in one resource makes room, even if it falls below its guarantee in others (D-18): where
    /// few cores are held with little memory, its guarantee of memory would protect all of them. Else as the profile says.
    #[serde(default)]
    pub above_in_one_gives: bool,
    /// The resource manager takes its time to stop something, and confirms that by a release: until then the allocation stands
    /// (SCH-046). Otherwise what was asked to stop has stopped at once.
    #[serde(default)]
    pub awaits_stops: bool,
    /// What the asks behind a blocked one may take.
    #[serde(default)]
    pub turns: Turns,
}

/// What happens to an ask that fits, but is behind one that is blocked by a lack of resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Turns {
    /// It is allocated, even if the blocked one then waits longer: what all profiles do.
    #[default]
    Skipped,
    /// It takes nothing that the blocked one lacks. No node is reserved.
    Kept,
    /// The same, but it may if it ends by its limit before the blocked one can start, or fits beside it then.
    Backfilled,
}

/// What takes some milliseconds.
const fn ending_at_once() -> usize {
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
            above_in_one_gives: false,
            awaits_stops: false,
            turns: Turns::Skipped,
        }
    }
}
