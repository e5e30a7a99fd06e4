//! The demo: an active cluster, identical for a seed on every machine. All state is bounded.
//!
//! Applications of several `streams` arrive, request in stages, and end (`apps`). From time to time a reload removes a
//! queue (`legacy`).

mod apps;
mod crowd;
mod legacy;
pub mod rng;
mod streams;

use std::collections::BTreeMap;
use std::time::Duration;

use super::pace::Pace;
use super::workload::Workload;
use config::Config;
use crowd::{Crowd, Due, RunningApp, amount};
pub use legacy::demo_config;
use legacy::{LEGACY, Legacy};
use model::{NodeId, Profile, QueueState, Time, messagepack};
use rng::Rng;
use scheduler::{Command, Event, EventKind, NodeSpec, PartitionCommand};
use streams::STREAMS;

/// The granularity of times, so that events coincide.
const TICK: Duration = Duration::from_millis(50);
const KIND: &str = "demo";
/// The nodes of each size: name, count, cores, and memory.
const NODES: [(&str, u32, u32, u32); 2] = [("std", 8, 32, 128), ("big", 4, 64, 512)];
/// The time between two drains of a node, and the duration of one, in milliseconds.
const DRAIN_EVERY: (u32, u32) = (120_000, 300_000);
const DRAIN_DURATION: (u32, u32) = (20_000, 45_000);
/// How long the old queue stays in the configuration at first and later, the retry interval while it is empty, and how
/// long it is absent, in milliseconds.
const RETIRE_FIRST: (u32, u32) = (50_000, 75_000);
const RETIRE_EVERY: (u32, u32) = (80_000, 160_000);
const RETIRE_AGAIN: (u32, u32) = (1_000, 3_000);
const RESTORE: (u32, u32) = (20_000, 40_000);

/// The demo's workload.
#[derive(Clone, Debug)]
pub struct Demo {
    seed: u64,
    pace: Pace<Crowd>,
}

impl Demo {
    /// Returns the demo of a seed for a profile.
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

    /// Continues with the same applications and random numbers.
    fn resume(&mut self, played: &[u8]) -> Result<(), String> {
        let Ok((kind, seed, pace)) = messagepack::from_slice::<(String, u64, Pace<Crowd>)>(played) else {
            return Err("the state is not a demo that this version can continue: use another directory".to_owned());
        };
        if kind != KIND || seed != self.seed {
            return Err(format!("the state is a {kind} with seed {seed}: use --seed {seed}, or another directory"));
        }
        self.pace = pace;
        Ok(())
    }

    fn text_of(&self, config: &Config) -> Option<&str> {
        self.pace.text_of(config)
    }
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
                if self.apps.get(&app).is_some_and(|running| running.has(&ask)) {
                    commands.push(PartitionCommand::Release { app, ask }.into());
                }
            }
            Due::Remove(app) => commands.push(PartitionCommand::Remove { app }.into()),
            Due::Drain => {
                let (kind, count, ..) = NODES[0];
                let node = node_id(kind, self.rng.between((1, count)));
                self.later(now, DRAIN_DURATION, Due::Resume(node.clone()));
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

    /// A reload that another user's change prevented is retried.
    fn reload_answered(&mut self, now: Time, taken: bool) {
        if let Some(due) = self.legacy.answered(taken) {
            self.later(now, RETIRE_EVERY, due);
        }
    }

    /// Removes the old queue from the configuration while it has applications, so that it drains for a while.
    fn retire(&mut self, now: Time, commands: &mut Vec<Command>) {
        let runs = |app: &RunningApp| app.is_in(LEGACY) && app.has_tasks();
        if self.legacy.taken_out {
            self.later(now, RETIRE_EVERY, Due::Retire);
        } else if self.apps.values().any(runs) {
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
                    self.canceled(now, app, ask);
                }
                EventKind::AppRejected { app, .. } => self.forget(app),
                EventKind::AppState { app, state, .. } if state.is_ended() => self.forget(app),
                EventKind::AppState { app, state, .. } => self.gang_moves(now, app, *state),
                EventKind::QueueState { queue, to: QueueState::Draining, .. } if queue.as_str() == LEGACY => {
                    self.legacy.drains();
                }
                EventKind::QueueState { queue, to: QueueState::Active, .. } | EventKind::QueueAdded { queue, .. }
                    if queue.as_str() == LEGACY =>
                {
                    self.legacy.is_back();
                }
                EventKind::QueueRemoved { queue, .. } if queue.as_str() == LEGACY && !self.legacy.taken_out => {
                    self.later(now, RESTORE, Due::Restore);
                }
                EventKind::ConfigAccepted => self.reload_answered(now, true),
                EventKind::ConfigRejected { .. } => self.reload_answered(now, false),
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

#[cfg(test)]
mod tests;
