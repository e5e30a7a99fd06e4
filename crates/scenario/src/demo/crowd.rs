//! The state of the demo's users: their running applications, and due actions.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::legacy::Legacy;
use super::rng::Rng;
use super::streams::STREAMS;
use model::{AppId, AskId, MEMORY, NodeId, Resource, Time, VCORE};

const DAY: Duration = Duration::from_secs(8 * 60);

/// Saved without field names, in this order.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Crowd {
    pub rng: Rng,
    /// Due actions by time, then in the order of their creation.
    pub due: BTreeMap<(Time, u64), Due>,
    pub decided: u64,
    /// Active applications of each stream, and the total count.
    pub streams: [Count; STREAMS.len()],
    pub apps: BTreeMap<AppId, RunningApp>,
    pub legacy: Legacy,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct RunningApp {
    pub stream: usize,
    /// Tasks of the current stage that have not ended.
    pub tasks: u32,
    pub stage: u32,
    pub stages: u32,
    pub size: (u32, u32),
    pub again: u32,
    /// Tasks that are allocated.
    #[serde(rename = "held")]
    pub current: BTreeSet<AskId>,
    /// The number of placeholders to wait for, if any.
    pub gathers: Option<u32>,
    /// Placeholders that have not ended.
    pub placeholders: BTreeSet<AskId>,
}

impl RunningApp {
    /// Whether it requested this queue.
    pub fn is_in(&self, queue: &str) -> bool {
        STREAMS[self.stream].queue == queue
    }

    pub fn has_tasks(&self) -> bool {
        !self.current.is_empty()
    }

    pub fn has(&self, ask: &AskId) -> bool {
        self.current.contains(ask)
    }

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
    Start,
    Arrive(usize),
    Submit(usize),
    Stage(AppId),
    /// A preempted task is requested again.
    Again(AppId),
    Release(AppId, AskId),
    /// The submitter ends the application.
    Remove(AppId),
    Drain,
    Resume(NodeId),
    /// The old queue is removed from the configuration, if it has applications.
    Retire,
    Restore,
}

pub(super) fn amount(millicores: u32, gibibytes: u32) -> Resource {
    [(VCORE, i64::from(millicores)), (MEMORY, i64::from(gibibytes) << 30)].into_iter().collect()
}

/// The time between two arrivals by time of day: two thirds at noon, 1.4 times at midnight.
pub(super) fn slowed(now: Time, least: u32, most: u32) -> (u32, u32) {
    let day = u64::try_from(DAY.as_micros()).unwrap_or(u64::MAX);
    // The day starts with the morning rush.
    let hour = u32::try_from((now.0 + day / 3) % day * 240 / day).unwrap_or(0);
    let from_noon = hour.abs_diff(120);
    let percent = 66 + from_noon * 74 / 120;
    let scale = |wait: u32| u32::try_from(u64::from(wait) * u64::from(percent) / 100).unwrap_or(wait);
    (scale(least), scale(most))
}
