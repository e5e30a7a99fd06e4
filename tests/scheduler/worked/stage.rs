use std::io;

use ::config::{self, Place};
use ::scenario::{self, RunOutcome, Runner, ScenarioStep, Sink, StepKind};
use model::{AppId, Profile, Resource, Time};
use scheduler::state::app::Application;
use scheduler::state::queue::Queue;
use scheduler::{Event, EventKind, Partition, PartitionCommand, Scheduler};
use view::waiting::Explanation;
use view::{PartitionView, ViewBuilder};

/// An open root, with a node that is large enough for everything.
pub struct Stage {
    runner: Runner,
}

#[derive(Default)]
struct Received(Vec<EventKind>);

impl Sink for Received {
    fn events(&mut self, _step: i64, events: &[Event]) -> io::Result<()> {
        self.0.extend(events.iter().map(|event| event.kind.clone()));
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> io::Result<()> {
        Ok(())
    }
}

impl Stage {
    /// The default profile, queues under an open root, and one large node.
    pub fn new(queues: &str) -> Self {
        Self::by(Profile::Kornsole, queues)
    }

    /// Like [`Self::new`], under this profile.
    pub fn by(profile: Profile, queues: &str) -> Self {
        let mut stage = Self::bare(profile, &open_root(queues));
        stage.play("- node: {id: n0, capacity: {memory: 1T, vcore: 1000}}");
        stage
    }

    /// A complete configuration without nodes.
    pub fn bare(profile: Profile, text: &str) -> Self {
        let mut runner = Runner::new(profile);
        let reading = config::read(text, profile);
        let faults = reading.faults.clone();
        let outcome = runner.load(reading, &mut Received::default()).expect("nothing is written");
        assert_eq!(outcome, RunOutcome::Done, "{faults:?}");
        Self { runner }
    }

    /// Plays steps and returns the events.
    pub fn play(&mut self, steps: &str) -> Vec<EventKind> {
        let reading = scenario::read(&format!("steps:\n{steps}\n"));
        assert_eq!(reading.faults, []);
        let mut received = Received::default();
        for step in reading.scenario.expect("steps without faults").steps {
            self.runner.step(&step, &mut received).expect("nothing is written");
        }
        received.0
    }

    /// Runs one cycle: `-t` is a victim, `t>n` and `t<n` a created and a released reservation, `t@n` an allocation,
    /// `t!n` a required node without enough victims.
    pub fn cycle(&mut self) -> String {
        let report = self.play("- schedule: 1").into_iter().filter_map(|event| match event {
            EventKind::Preempted { ask, .. } => Some(format!("-{ask}")),
            EventKind::Reserved { ask, node, .. } => Some(format!("{ask}>{node}")),
            EventKind::Unreserved { ask, node, .. } => Some(format!("{ask}<{node}")),
            EventKind::Allocated { ask, node, .. } => Some(format!("{ask}@{node}")),
            EventKind::NoVictim { ask, node, .. } => Some(format!("{ask}!{node}")),
            _ => None,
        });
        let report: Vec<String> = report.collect();
        if report.is_empty() { "nothing".to_owned() } else { report.join(" ") }
    }

    /// Applies a command that scenarios cannot express.
    pub fn command(&mut self, command: PartitionCommand) {
        let step = ScenarioStep { at: Place::default(), kind: StepKind::Command(command) };
        self.runner.step(&step, &mut Received::default()).expect("nothing is written");
    }

    /// Plays steps and returns the messages of rejections.
    pub fn refusals(&mut self, steps: &str) -> Vec<String> {
        let reported = self.play(steps).into_iter().filter_map(|event| match event {
            EventKind::AppRejected { message, .. } | EventKind::Denied { message, .. } => Some(message),
            _ => None,
        });
        reported.collect()
    }

    /// Submits an application of sue to a queue.
    pub fn submit(&mut self, app: &str, queue: &str) {
        let events = self.play(&format!("- submit: {{app: {app}, queue: {queue}, user: sue}}"));
        assert!(events.iter().any(|event| matches!(event, EventKind::AppAccepted { .. })), "{events:?}");
    }

    /// Adds `count` requests for one core.
    pub fn ask(&mut self, app: &str, id: &str, priority: i32, count: u32) {
        self.ask_for(app, id, "{vcore: 1}", priority, count);
    }

    /// Adds `count` requests for a resource.
    pub fn ask_for(&mut self, app: &str, id: &str, resource: &str, priority: i32, count: u32) {
        self.play(&format!(
            "- ask: {{app: {app}, id: {id}, resource: {resource}, priority: {priority}, count: {count}}}"
        ));
    }

    fn allocated(&mut self, cycles: usize, outcome: impl Fn(&EventKind) -> Option<String>) -> String {
        let mut cycle = || self.play("- schedule: 1").iter().find_map(&outcome).unwrap_or("nothing".to_owned());
        let report: Vec<String> = (0..cycles).map(|_| cycle()).collect();
        report.join(" ")
    }

    /// Runs cycles and returns the application of each allocation.
    pub fn apps(&mut self, cycles: usize) -> String {
        self.allocated(cycles, |event| match event {
            EventKind::Allocated { app, .. } => Some(app.to_string()),
            _ => None,
        })
    }

    /// Runs cycles and returns the request of each allocation.
    pub fn asks(&mut self, cycles: usize) -> String {
        self.allocated(cycles, |event| match event {
            EventKind::Allocated { ask, .. } => Some(ask.to_string()),
            _ => None,
        })
    }

    /// Runs cycles and returns the node of each allocation.
    pub fn nodes(&mut self, cycles: usize) -> String {
        self.allocated(cycles, |event| match event {
            EventKind::Allocated { node, .. } => Some(node.to_string()),
            _ => None,
        })
    }

    /// The view of the partition.
    pub fn view(&self) -> PartitionView {
        let mut scheduler = self.runner.scheduler().clone();
        let view = ViewBuilder::default().update(Time::ZERO, &mut scheduler).expect("a first view");
        view.partitions[0].clone()
    }

    /// Loads another configuration and returns the events.
    pub fn configure(&mut self, text: &str) -> Vec<EventKind> {
        self.play(&format!("- config: \"{text}\""))
    }

    /// Explains why an application is pending.
    pub fn explain(&self, app: &str) -> Explanation {
        self.partition().explain(self.runner.now(), &app.into(), None).expect("the application is there")
    }

    /// The scheduler.
    pub fn scheduler(&self) -> &Scheduler {
        self.runner.scheduler()
    }

    /// The partition.
    pub fn partition(&self) -> &Partition {
        &self.runner.scheduler().partitions()[0]
    }

    /// Finds an existing queue.
    pub fn queue(&self, path: &str) -> &Queue {
        self.find(path).expect("the queue is there")
    }

    /// Finds a queue, if it exists.
    pub fn find(&self, path: &str) -> Option<&Queue> {
        let queues = &self.partition().queues;
        queues.find_text(path).map(|key| &queues[key])
    }

    /// The states of queues, or `gone`.
    pub fn states(&self, paths: &[&str]) -> String {
        let state = |path: &&str| self.find(path).map_or("gone".to_owned(), |queue| queue.state.to_string());
        paths.iter().map(state).collect::<Vec<_>>().join(" ")
    }

    /// The current priorities of queues, `-` without requests.
    pub fn priorities(&self, paths: &[&str]) -> String {
        let priority = |path: &&str| self.queue(path).current_priority().to_string();
        paths.iter().map(priority).collect::<Vec<_>>().join(" ")
    }

    /// The state of an active or finished application.
    pub fn app(&self, id: &str) -> &'static str {
        let partition = self.partition();
        let live = partition.app_key(&AppId::from(id)).map(|key| partition.apps[key].state);
        let ended = || partition.ended.iter().rev().find(|app| app.id.as_str() == id).map(|app| app.state);
        live.or_else(ended).map_or("unknown", |state| state.name())
    }

    /// Finds an active application.
    pub fn application(&self, id: &str) -> &Application {
        let partition = self.partition();
        let key = partition.app_key(&AppId::from(id)).expect("the application is live");
        &partition.apps[key]
    }

    /// The headroom of a queue.
    pub fn headroom(&self, path: &str) -> Resource {
        self.partition().queues.headroom(self.queue(path).key).unwrap_or_default()
    }
}

/// A configuration with these queues under a root that accepts all users.
pub fn open_root(queues: &str) -> String {
    format!("partitions: [{{name: default, queues: [{{name: root, submitacl: '*', queues: [{queues}]}}]}}]")
}

/// Creates a resource from cores.
pub fn cores(vcore: i64) -> Resource {
    [("vcore", vcore * 1000)].into_iter().collect()
}
