//! Clusters for benches.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use ::config::{self, Config};
use model::{AppId, AskId, Identity, NodeId, Profile, Resource, Time};
use scheduler::{AskSpec, Command, Event, NodeSpec, PartitionCommand, Scheduler, Submission};

/// A scheduler and its clock.
#[derive(Clone)]
pub struct World {
    pub scheduler: Scheduler,
    pub now: Time,
}

impl World {
    pub fn new(config: &str) -> Self {
        let mut world = Self { scheduler: Scheduler::new(Profile::Kornsole), now: Time::ZERO };
        world.apply(&Command::Configure(read(config)));
        world
    }

    pub fn apply(&mut self, command: &Command) -> Vec<Event> {
        self.now = self.now + Duration::from_millis(1);
        self.scheduler.apply(self.now, command)
    }

    pub fn give(&mut self, command: PartitionCommand) -> Vec<Event> {
        self.apply(&command.into())
    }

    /// `count` equal nodes.
    pub fn nodes(&mut self, count: usize, each: i64) {
        for number in 0..count {
            let id = NodeId::from(format!("node-{number:05}"));
            self.give(PartitionCommand::AddNode(NodeSpec { id, capacity: amounts(each, each), ..NodeSpec::default() }));
        }
    }

    pub fn app(&mut self, number: usize, queue: &str) {
        let (app, who) = (app(number), Identity::new("sue", ["dev"]));
        self.give(PartitionCommand::Submit(Submission { app, queue: queue.to_owned(), who, ..Submission::default() }));
    }

    /// Adds `count` equal requests of an application.
    pub fn ask(&mut self, number: usize, id: &str, resource: Resource, count: usize) -> Vec<Event> {
        self.ask_for(number, id, resource, count, |ask| ask)
    }

    /// Adds a request without advancing the time.
    pub fn ask_now(&mut self, number: usize, id: &str, resource: Resource) {
        let ask = AskSpec { app: app(number), id: AskId::from(id), resource, count: 1, ..AskSpec::default() };
        self.scheduler.apply(self.now, &PartitionCommand::Ask(ask).into());
    }

    /// Like [`Self::ask`], with more options.
    pub fn ask_for(
        &mut self,
        number: usize,
        id: &str,
        resource: Resource,
        count: usize,
        with: impl Fn(AskSpec) -> AskSpec,
    ) -> Vec<Event> {
        let count = u32::try_from(count).expect("no bench asks so often");
        let ask = AskSpec { app: app(number), id: AskId::from(id), resource, count, ..AskSpec::default() };
        self.give(PartitionCommand::Ask(with(ask)))
    }

    pub fn cycle(&mut self) -> Vec<Event> {
        self.scheduler.apply(self.now, &Command::Cycle)
    }

    /// Runs cycles until one finds nothing. Returns the number of the others.
    pub fn settle(&mut self) -> usize {
        let mut found = 0;
        while self.cycle().iter().any(Event::is_activity) {
            found += 1;
        }
        found
    }

    pub fn release(&mut self, number: usize, ask: &str) -> Vec<Event> {
        self.give(PartitionCommand::Release { app: app(number), ask: AskId::from(ask) })
    }
}

pub fn app(number: usize) -> AppId {
    AppId::from(format!("app-{number:06}"))
}

pub fn amounts(memory: i64, vcore: i64) -> Resource {
    [("memory", memory), ("vcore", vcore)].into_iter().collect()
}

pub fn read(config: &str) -> Arc<Config> {
    Arc::new(config::read(config, Profile::Kornsole).config.expect("the configurations of the benches are valid"))
}

/// A configuration with leaves `root.q00000` and so on, each with the keys `extra`.
pub fn flat(leaves: usize, extra: &str) -> String {
    let mut text = "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: '*'\n        adminacl: '*'\n        queues:\n".to_owned();
    for leaf in 0..leaves {
        let comma = if extra.is_empty() { "" } else { ", " };
        writeln!(text, "          - {{name: q{leaf:05}{comma}{extra}}}").expect("writing to a text cannot fail");
    }
    text
}

pub fn leaf(number: usize) -> String {
    format!("root.q{number:05}")
}
