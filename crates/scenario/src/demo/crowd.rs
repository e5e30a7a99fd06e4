//! The users of the demo as data: what they have running, and what is due.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::legacy::Legacy;
use super::rng::Rng;
use super::streams::STREAMS;
use model::{AppId, AskId, MEMORY, NodeId, Resource, Time, VCORE};

/// A day of the demo.
const DAY: Duration = Duration::from_secs(8 * 60);

/// The users who send work to the cluster, all of them at once. It is saved without field names, in this order.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Crowd {
    pub rng: Rng,
    /// What is to be done, by time, then in the order in which it was decided.
    pub due: BTreeMap<(Time, u64), Due>,
    pub decided: u64,
    /// Live applications of each stream, and how many it ever had.
    pub streams: [Count; STREAMS.len()],
    pub apps: BTreeMap<AppId, RunningApp>,
    pub legacy: Legacy,
}

/// A live application.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct RunningApp {
    pub stream: usize,
    /// Tasks of the present stage that have not ended.
    pub tasks: u32,
    pub stage: u32,
    pub stages: u32,
    pub size: (u32, u32),
    /// How often a task was requested again.
    pub again: u32,
    /// Tasks that are allocated.
    pub held: BTreeSet<AskId>,
    /// For as long as it waits for its placeholders: how many there are to be.
    pub gathers: Option<u32>,
    /// Placeholders that have not ended.
    pub placeholders: BTreeSet<AskId>,
}

impl RunningApp {
    /// Whether it requested this queue.
    pub fn is_in(&self, queue: &str) -> bool {
        STREAMS[self.stream].queue == queue
    }

    /// Whether a task is allocated.
    pub fn has_tasks(&self) -> bool {
        !self.held.is_empty()
    }

    /// Whether this task is allocated.
    pub fn holds(&self, ask: &AskId) -> bool {
        self.held.contains(ask)
    }

    /// What one task requests.
    pub fn resource(&self) -> Resource {
        amount(self.size.0, self.size.1)
    }
}

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Count {
    pub live: u32,
    pub ever: u64,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) enum Due {
    /// The cluster comes up.
    Start,
    /// Applications of a stream arrive.
    Arrive(usize),
    /// One application of a stream is submitted.
    Submit(usize),
    /// An application requests its next stage.
    Stage(AppId),
    /// A task that was preempted is requested again.
    Again(AppId),
    /// A task ends.
    Release(AppId, AskId),
    /// The submitter says that the application has ended.
    Remove(AppId),
    /// A node is taken out of service for a while.
    Drain,
    /// It is back.
    Resume(NodeId),
    /// The old queue is taken out of the configuration, if something runs in it.
    Retire,
    /// The old queue returns to the configuration.
    Restore,
}

pub(super) fn amount(millicores: u32, gibibytes: u32) -> Resource {
    [(VCORE, i64::from(millicores)), (MEMORY, i64::from(gibibytes) << 30)].into_iter().collect()
}

/// The time between two arrivals at this time of day: at noon two thirds of the given time, at midnight 1.4
/// times as much.
pub(super) fn slowed(now: Time, least: u32, most: u32) -> (u32, u32) {
    let day = u64::try_from(DAY.as_micros()).unwrap_or(u64::MAX);
    // The day starts with the morning rush.
    let hour = u32::try_from((now.0 + day / 3) % day * 240 / day).unwrap_or(0);
    let from_noon = hour.abs_diff(120);
    let percent = 66 + from_noon * 74 / 120;
    let scale = |wait: u32| u32::try_from(u64::from(wait) * u64::from(percent) / 100).unwrap_or(wait);
    (scale(least), scale(most))
}
