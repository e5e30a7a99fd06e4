//! The demo: a cluster that is always alive, and the same for every seed on every machine.
//!
//! Applications of several kinds ([`streams`]) come, ask in stages, and go; their tasks end some time after they were
//! allocated, which the demo learns from the scheduler's events. Everything that it keeps is bounded: each kind has a most
//! number of applications at a time, and what ends is forgotten.

mod rng;
mod streams;

use std::collections::BTreeMap;
use std::time::Duration;

use super::pace::Pace;
use super::workload::Workload;
use crate::model::{AppId, AskId, Identity, MEMORY, NodeId, Priority, Resource, Time, VCORE};
use crate::scheduler::{AskSpec, Command, Event, EventKind, NodeSpec, PartitionCommand, Submission};
use rng::Rng;
use streams::{STREAMS, Stream};

/// Things happen at multiples of this, several at once.
const TICK: Duration = Duration::from_millis(50);
/// A day of the demo.
const DAY: Duration = Duration::from_secs(8 * 60);
/// How many nodes of the smaller and of the larger size there are.
const NODES: [(&str, u32, u32, u32); 2] = [("std", 8, 32, 128), ("big", 4, 64, 512)];
/// Time between two drains of a node, and how long one takes, in milliseconds.
const DRAIN_EVERY: (u32, u32) = (120_000, 300_000);
const DRAIN_TAKES: (u32, u32) = (20_000, 45_000);

/// The queue configuration of the demo, with comments for newcomers.
pub fn demo_config() -> &'static str {
    include_str!("demo/queues.yaml")
}

/// The demo's workload.
#[derive(Clone, Debug)]
pub struct Demo(Pace<Crowd>);

impl Demo {
    /// The demo of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Pace::new(Crowd::new(seed)))
    }
}

impl Workload for Demo {
    fn next(&self) -> Option<Time> {
        self.0.next()
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        self.0.act(now)
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        self.0.observe(now, events);
    }

    fn runs_cycles(&self) -> bool {
        self.0.runs_cycles()
    }
}

/// Those who send work to the cluster, all of them at once.
#[derive(Clone, Debug)]
struct Crowd {
    rng: Rng,
    /// What is to be done, by time, then in the order in which it was decided.
    due: BTreeMap<(Time, u64), Due>,
    decided: u64,
    /// Live applications of each stream, and how many it ever had.
    streams: [Count; STREAMS.len()],
    apps: BTreeMap<AppId, Running>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    live: u32,
    ever: u64,
}

/// A live application.
#[derive(Clone, Debug)]
struct Running {
    stream: usize,
    /// Tasks of the present stage that have not ended.
    tasks: u32,
    stage: u32,
    stages: u32,
    size: (u32, u32),
}

#[derive(Clone, Debug)]
enum Due {
    /// The cluster comes up.
    Start,
    /// Applications of a stream arrive.
    Arrive(usize),
    /// One application of a stream is submitted.
    Submit(usize),
    /// An application asks for its next stage.
    Stage(AppId),
    /// A task ends.
    Release(AppId, AskId),
    /// The submitter says that the application is over.
    Remove(AppId),
    /// A node is taken out of service for a while.
    Drain,
    /// It is back.
    Resume(NodeId),
}

impl Crowd {
    fn new(seed: u64) -> Self {
        let due = BTreeMap::from([((Time::ZERO, 0), Due::Start)]);
        Self { rng: Rng::new(seed), due, decided: 0, streams: Default::default(), apps: BTreeMap::new() }
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
            Due::Release(app, ask) => {
                if self.apps.contains_key(&app) {
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
    }

    /// The next applications of a stream come, and those after them are awaited.
    fn arrive(&mut self, now: Time, index: usize) {
        let stream = &STREAMS[index];
        for _ in 0..self.rng.between(stream.burst) {
            self.later(now, (0, 1500), Due::Submit(index));
        }
        let (least, most) = stream.every;
        let wait = if stream.waves { slowed(now, least, most) } else { (least, most) };
        self.later(now, wait, Due::Arrive(index));
    }

    /// Submits an application and has it ask at once, unless there are many of its kind.
    fn submit(&mut self, now: Time, index: usize, commands: &mut Vec<Command>) {
        let stream = &STREAMS[index];
        let count = &mut self.streams[index];
        if count.live >= stream.most {
            return;
        }
        count.live += 1;
        count.ever += 1;
        let app = AppId::from(format!("{}-{:04}", stream.name, count.ever));
        let user = self.rng.one_of(stream.users, "nobody");
        let group = if stream.group.is_empty() { user } else { stream.group };
        let submission = Submission {
            app: app.clone(),
            queue: stream.queue.to_owned(),
            who: Identity::new(user, [group]),
            ..Submission::default()
        };
        commands.push(PartitionCommand::Submit(submission).into());
        let stages = self.rng.between(stream.stages);
        let size = self.rng.one_of(stream.sizes, (1000, 1));
        self.apps.insert(app.clone(), Running { stream: index, tasks: 0, stage: 0, stages, size });
        // Some take a moment before they ask.
        if now > Time::ZERO && self.rng.between((1, 4)) == 1 {
            self.later(now, (200, 2000), Due::Stage(app));
        } else {
            self.ask(&app, commands);
        }
    }

    /// The next stage of an application.
    fn ask(&mut self, app: &AppId, commands: &mut Vec<Command>) {
        let Some(running) = self.apps.get_mut(app) else { return };
        let Stream { tasks, priority, .. } = STREAMS[running.stream];
        running.stage += 1;
        running.tasks = self.rng.between(tasks);
        let above = self.rng.between((0, priority.1.abs_diff(priority.0)));
        let spec = AskSpec {
            app: app.clone(),
            id: AskId::from(format!("{app}-s{}", running.stage)),
            count: running.tasks,
            resource: amount(running.size.0, running.size.1),
            priority: Priority(priority.0.saturating_add_unsigned(above)),
            ..AskSpec::default()
        };
        commands.push(PartitionCommand::Ask(spec).into());
    }

    /// A task of an application is over, however that came.
    fn task_ended(&mut self, now: Time, app: &AppId) {
        let Some(running) = self.apps.get_mut(app) else { return };
        running.tasks = running.tasks.saturating_sub(1);
        if running.tasks > 0 {
            return;
        }
        if running.stage < running.stages {
            self.later(now, (300, 3000), Due::Stage(app.clone()));
            return;
        }
        self.forget(app);
        if self.rng.between((1, 4)) == 1 {
            self.later(now, (100, 5000), Due::Remove(app.clone()));
        }
    }

    fn forget(&mut self, app: &AppId) {
        if let Some(running) = self.apps.remove(app) {
            self.streams[running.stream].live -= 1;
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
                EventKind::Allocated { app, ask, .. } => {
                    if let Some(running) = self.apps.get(app) {
                        let runs = STREAMS[running.stream].runs;
                        self.later(now, runs, Due::Release(app.clone(), ask.clone()));
                    }
                }
                EventKind::Released { app, .. }
                | EventKind::AskRemoved { app, .. }
                | EventKind::AskRejected { app, .. } => self.task_ended(now, app),
                EventKind::AppRejected { app, .. } => self.forget(app),
                EventKind::AppState { app, state, .. } if state.is_ended() => self.forget(app),
                _ => {}
            }
        }
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
