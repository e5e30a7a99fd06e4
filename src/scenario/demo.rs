//! The demo: a cluster that is always alive, and the same for every seed on every machine.
//!
//! Applications of several kinds ([`streams`]) come, ask in stages, and go ([`apps`]); their tasks end some time after they were
//! allocated, which the demo learns from the scheduler's events. Some come as gangs, some preempt others, and from time to time a
//! reload takes a queue away ([`legacy`]). Everything that it keeps is bounded: each kind has a most number of applications at a
//! time, and what ends is forgotten.

mod apps;
mod legacy;
mod rng;
mod streams;

use std::collections::BTreeMap;
use std::time::Duration;

use super::pace::Pace;
use super::workload::Workload;
use crate::config::Config;
use crate::model::{AppId, AskId, MEMORY, NodeId, Profile, Resource, Time, VCORE};
use crate::scheduler::{Command, Event, EventKind, NodeSpec, PartitionCommand};
use apps::Running;
use legacy::{LEGACY, Legacy};
use rng::Rng;
use streams::STREAMS;

/// Things happen at multiples of this, several at once.
const TICK: Duration = Duration::from_millis(50);
/// What its state is called.
const KIND: &str = "demo";
/// A day of the demo.
const DAY: Duration = Duration::from_secs(8 * 60);
/// How many nodes of the smaller and of the larger size there are.
const NODES: [(&str, u32, u32, u32); 2] = [("std", 8, 32, 128), ("big", 4, 64, 512)];
/// Time between two drains of a node, and how long one takes, in milliseconds.
const DRAIN_EVERY: (u32, u32) = (120_000, 300_000);
const DRAIN_TAKES: (u32, u32) = (20_000, 45_000);
/// How long the old queue stays in the configuration at first and later, how soon it is looked at again when nothing runs in
/// it, and how long after its end it comes back.
const RETIRE_FIRST: (u32, u32) = (50_000, 75_000);
const RETIRE_EVERY: (u32, u32) = (80_000, 160_000);
const RETIRE_AGAIN: (u32, u32) = (1_000, 3_000);
const RESTORE: (u32, u32) = (20_000, 40_000);

/// The queue configuration of the demo, with comments for newcomers.
pub fn demo_config() -> &'static str {
    include_str!("demo/queues.yaml")
}

/// The demo's workload.
#[derive(Clone, Debug)]
pub struct Demo {
    seed: u64,
    pace: Pace<Crowd>,
}

impl Demo {
    /// The demo of a seed, for a scheduler of this profile.
    pub fn new(seed: u64, profile: Profile) -> Self {
        Self { seed, pace: Pace::new(Crowd::new(seed, profile)) }
    }
}

impl Workload for Demo {
    fn next(&self) -> Option<Time> {
        self.pace.next()
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        self.pace.act(now)
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        self.pace.observe(now, events);
    }

    fn runs_cycles(&self) -> bool {
        self.pace.runs_cycles()
    }

    fn save(&self) -> Option<Vec<u8>> {
        rmp_serde::to_vec(&(KIND, self.seed, &self.pace)).ok()
    }

    /// Goes on with the same applications and the same chances.
    fn resume(&mut self, played: &[u8]) -> Result<(), String> {
        let Ok((kind, seed, pace)) = rmp_serde::from_slice::<(String, u64, Pace<Crowd>)>(played) else {
            return Err("the state is of no demo that this version can go on with: name another folder".to_owned());
        };
        if kind != KIND || seed != self.seed {
            return Err(format!(
                "the state is of the {kind} with seed {seed}: give --seed {seed}, or name another folder"
            ));
        }
        self.pace = pace;
        Ok(())
    }

    fn text_of(&self, config: &Config) -> Option<&str> {
        self.pace.text_of(config)
    }
}

/// Those who send work to the cluster, all of them at once.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Crowd {
    rng: Rng,
    /// What is to be done, by time, then in the order in which it was decided.
    due: BTreeMap<(Time, u64), Due>,
    decided: u64,
    /// Live applications of each stream, and how many it ever had.
    streams: [Count; STREAMS.len()],
    apps: BTreeMap<AppId, Running>,
    legacy: Legacy,
}

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Count {
    live: u32,
    ever: u64,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
enum Due {
    /// The cluster comes up.
    Start,
    /// Applications of a stream arrive.
    Arrive(usize),
    /// One application of a stream is submitted.
    Submit(usize),
    /// An application asks for its next stage.
    Stage(AppId),
    /// A task that was preempted is asked for again.
    Again(AppId),
    /// A task ends.
    Release(AppId, AskId),
    /// The submitter says that the application is over.
    Remove(AppId),
    /// A node is taken out of service for a while.
    Drain,
    /// It is back.
    Resume(NodeId),
    /// The old queue is taken out of the configuration, if something runs in it.
    Retire,
    /// It comes back.
    Restore,
}

impl Crowd {
    fn new(seed: u64, profile: Profile) -> Self {
        Self {
            rng: Rng::new(seed),
            due: BTreeMap::from([((Time::ZERO, 0), Due::Start)]),
            decided: 0,
            streams: Default::default(),
            apps: BTreeMap::new(),
            legacy: Legacy::new(profile),
        }
    }

    /// Has something done a while after `now`, at the next tick.
    fn later(&mut self, now: Time, wait: (u32, u32), due: Due) {
        let wait = Duration::from_millis(u64::from(self.rng.between(wait)));
        let tick = u64::try_from(TICK.as_micros()).unwrap_or(u64::MAX);
        let at = Time((now + wait).0.div_ceil(tick).saturating_mul(tick));
        self.decided += 1;
        self.due.insert((at, self.decided), due);
    }

    fn carry_out(&mut self, now: Time, due: Due, commands: &mut Vec<Command>) {
        match due {
            Due::Start => self.start(now, commands),
            Due::Arrive(stream) => self.arrive(now, stream),
            Due::Submit(stream) => self.submit(now, stream, commands),
            Due::Stage(app) => self.ask(&app, commands),
            Due::Again(app) => self.ask_again(&app, commands),
            Due::Release(app, ask) => {
                if self.apps.get(&app).is_some_and(|running| running.holds(&ask)) {
                    commands.push(PartitionCommand::Release { app, ask }.into());
                }
            }
            Due::Remove(app) => commands.push(PartitionCommand::Remove { app }.into()),
            Due::Drain => {
                let (kind, count, ..) = NODES[0];
                let node = node_id(kind, self.rng.between((1, count)));
                self.later(now, DRAIN_TAKES, Due::Resume(node.clone()));
                self.later(now, DRAIN_EVERY, Due::Drain);
                commands.push(PartitionCommand::DrainNode(node).into());
            }
            Due::Resume(node) => commands.push(PartitionCommand::ResumeNode(node).into()),
            Due::Retire => self.retire(now, commands),
            Due::Restore => {
                self.later(now, RETIRE_EVERY, Due::Retire);
                commands.extend(self.legacy.reload(true));
            }
        }
    }

    /// The nodes, and what runs on them already when somebody looks for the first time.
    fn start(&mut self, now: Time, commands: &mut Vec<Command>) {
        for (kind, count, cores, gigabytes) in NODES {
            for number in 1..=count {
                let spec = NodeSpec {
                    id: node_id(kind, number),
                    capacity: amount(cores * 1000, gigabytes),
                    attributes: BTreeMap::from([("pool".to_owned(), kind.to_owned())]),
                    ..NodeSpec::default()
                };
                commands.push(PartitionCommand::AddNode(spec).into());
            }
        }
        for (index, stream) in STREAMS.iter().enumerate() {
            for _ in 0..stream.first {
                self.submit(now, index, commands);
            }
            self.later(now, (0, stream.every.1), Due::Arrive(index));
        }
        self.later(now, DRAIN_EVERY, Due::Drain);
        self.later(now, RETIRE_FIRST, Due::Retire);
    }

    /// Takes the old queue out of the configuration while something runs in it, so that it drains for a while.
    fn retire(&mut self, now: Time, commands: &mut Vec<Command>) {
        let runs = |app: &Running| app.is_in(LEGACY) && app.has_tasks();
        if self.apps.values().any(runs) {
            commands.extend(self.legacy.reload(false));
        } else {
            self.later(now, RETIRE_AGAIN, Due::Retire);
        }
    }
}

impl Workload for Crowd {
    fn next(&self) -> Option<Time> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        let mut commands = Vec::new();
        while let Some(entry) = self.due.first_entry()
            && entry.key().0 <= now
        {
            let ((at, _), due) = entry.remove_entry();
            self.carry_out(at, due, &mut commands);
        }
        commands
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::Allocated { app, ask, .. } => self.allocated(now, app, ask),
                EventKind::Released { app, ask, reason, .. } => self.released(now, app, ask, *reason),
                EventKind::AskRemoved { app, ask, .. } | EventKind::AskRejected { app, ask, .. } => {
                    self.withdrawn(now, app, ask);
                }
                EventKind::AppRejected { app, .. } => self.forget(app),
                EventKind::AppState { app, state, .. } if state.is_ended() => self.forget(app),
                EventKind::AppState { app, state, .. } => self.gang_moves(now, app, *state),
                EventKind::QueueRemoved { queue, .. } if queue.as_str() == LEGACY => {
                    self.later(now, RESTORE, Due::Restore);
                }
                _ => {}
            }
        }
    }

    fn text_of(&self, config: &Config) -> Option<&str> {
        self.legacy.text_of(config)
    }
}

fn node_id(kind: &str, number: u32) -> NodeId {
    NodeId::from(format!("{kind}-{number:02}"))
}

fn amount(millicores: u32, gigabytes: u32) -> Resource {
    [(VCORE, i64::from(millicores)), (MEMORY, i64::from(gigabytes) * 1_000_000_000)].into_iter().collect()
}

/// The time between two arrivals at this time of day: at noon two thirds of what is written, at midnight 1.4
/// times as much.
fn slowed(now: Time, least: u32, most: u32) -> (u32, u32) {
    let day = u64::try_from(DAY.as_micros()).unwrap_or(u64::MAX);
    // The day begins with the morning rush.
    let hour = u32::try_from((now.0 + day / 3) % day * 240 / day).unwrap_or(0);
    let from_noon = hour.abs_diff(120);
    let percent = 66 + from_noon * 74 / 120;
    let scale = |wait: u32| u32::try_from(u64::from(wait) * u64::from(percent) / 100).unwrap_or(wait);
    (scale(least), scale(most))
}

#[cfg(test)]
mod tests;
