//! Plays recorded scenarios to a shadow: the recorded trace has the other scheduler's decisions.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::scenario::{self, Cycles, Scenario, Sink, StepKind, Trace};
use forecast::shadow::{Comparison, Decision, Input, PreemptionCheck, Settings, Shadow, Source};
use model::{Identity, Priority, Profile, Time};
use scheduler::{AskSpec, NodeSpec, PartitionCommand, Scheduler, Submission};
use serde_json::Value;

/// Without a delay, and only equal times count as simultaneous.
pub const EXACT: Settings = Settings {
    window: Duration::ZERO,
    same_moment: Duration::from_micros(1),
    patience: Duration::from_secs(10),
    hold: Duration::from_secs(60),
};

pub struct Case {
    pub name: String,
    pub scenario: Scenario,
    /// The trace of a release.
    pub trace: Vec<Value>,
}

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/scenarios")
}

/// All recorded scenarios that did not depend on the order of a hash map.
pub fn cases(profile: Profile) -> Vec<Case> {
    let mut names: Vec<String> = std::fs::read_dir(dir())
        .expect("the recordings are there")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    names.sort();
    names.iter().filter_map(|name| case(name, profile)).collect()
}

pub fn case(name: &str, profile: Profile) -> Option<Case> {
    let read = |ending: &str| std::fs::read_to_string(dir().join(format!("{name}.{ending}"))).ok();
    let varies = dir().join(format!("{name}.1.8.varies")).exists();
    let old = || read("jsonl");
    let new = || read("1.8.jsonl").or_else(|| old().filter(|_| !varies));
    let trace = match profile {
        Profile::V1_5_1 => old(),
        Profile::V1_8_0 => new(),
        _ => read("1.9.jsonl").or_else(|| new().filter(|_| !dir().join(format!("{name}.1.9.varies")).exists())),
    }?;
    let trace = trace.lines().map(|line| serde_json::from_str(line).expect("a trace line is JSON")).collect();
    let scenario = scenario::read(&read("yaml")?).scenario.expect("a scenario without faults");
    Some(Case { name: name.to_owned(), scenario, trace })
}

/// The result of a case.
pub struct Played {
    pub comparisons: Vec<Comparison>,
    pub checks: Vec<PreemptionCheck>,
    /// Snapshots of the trace in which the shadow has a different state.
    pub snapshots: Vec<String>,
}

pub struct Player {
    pub shadow: Shadow,
    pub now: Time,
    profile: Profile,
    comparisons: Vec<Comparison>,
    snapshots: Vec<String>,
}

/// Plays a case to a shadow; `None` if the configuration is rejected.
pub fn play(case: &Case, profile: Profile, settings: Settings) -> Option<Played> {
    let mut player = Player::prepare(&case.scenario, profile, settings)?;
    for number in 0..case.scenario.steps.len() {
        player.step(case, number);
    }
    let checks = player.shadow.take_checks();
    Some(Played { comparisons: player.comparisons, checks, snapshots: player.snapshots })
}

impl Player {
    pub fn prepare(scenario: &Scenario, profile: Profile, settings: Settings) -> Option<Self> {
        let mut shadow = Shadow::new(Scheduler::new(profile), Time::ZERO, settings);
        let config = scenario.embedded_config(profile)?.config?;
        shadow.see(Time::ZERO, Input::Configure(Arc::new(config)));
        Some(Self { shadow, now: Time::ZERO, profile, comparisons: Vec::new(), snapshots: Vec::new() })
    }

    pub fn step(&mut self, case: &Case, number: usize) {
        let step = &case.scenario.steps[number];
        self.now = self.now + Duration::from_millis(1);
        let lines: Vec<&Value> = case.trace.iter().filter(|line| line["step"] == number).collect();
        match &step.kind {
            StepKind::Command(command) => drop(self.shadow.see(self.now, Input::Command(command.clone()))),
            StepKind::Config(text) => {
                if let Some(config) = text.read(self.profile).config {
                    self.shadow.see(self.now, Input::Configure(Arc::new(config)));
                }
            }
            StepKind::Clean => self.shadow.clean(self.now),
            StepKind::Advance(by) => self.now = self.now + *by,
            StepKind::Schedule(cycles) => return self.schedule(*cycles, &lines),
            StepKind::Snapshot(label) => return self.compare_state(&case.name, number, label, lines[0]),
        }
        lines.iter().for_each(|line| self.line(line));
    }

    fn schedule(&mut self, cycles: Cycles, lines: &[&Value]) {
        let before = self.shadow.cycles();
        lines.iter().for_each(|line| self.line(line));
        match cycles {
            Cycles::Count(count) => {
                while self.shadow.cycles() - before < u64::from(count) && self.shadow.scheduler().has_work() {
                    self.shadow.idle(self.now);
                }
            }
            // A cycle without an allocation is the last one.
            Cycles::Idle if lines.last().is_none_or(|line| line["event"] == "allocated") => {
                self.shadow.idle(self.now);
            }
            Cycles::Idle => {}
        }
    }

    fn line(&mut self, line: &Value) {
        let text = |key: &str| line[key].as_str().unwrap_or_default();
        let (app, ask) = (text("app").into(), text("ask").into());
        match text("event") {
            "released" => {
                let release = PartitionCommand::Release { app, ask };
                self.shadow.see(self.now, Input::Command(release));
            }
            "allocated" => {
                let (at, node, source) = (self.now, text("node").into(), Source::RestEvent);
                self.comparisons.push(self.shadow.decided(&Decision { at, app, ask, node, source }));
            }
            _ => {}
        }
    }

    fn compare_state(&mut self, case: &str, number: usize, label: &str, recorded: &Value) {
        let mut trace = Trace::new(Vec::new());
        let step = i64::try_from(number).unwrap();
        self.shadow.turn_to(self.now);
        trace.snapshot(step, label, self.shadow.scheduler()).unwrap();
        let local: Value = serde_json::from_slice(&trace.finish().unwrap()).unwrap();
        if local != *recorded {
            let lists =
                ["queues", "apps", "nodes", "users", "groups"].into_iter().filter(|list| local[list] != recorded[list]);
            let lists: Vec<String> = lists.map(|list| format!("{list}: {} {}", local[list], recorded[list])).collect();
            self.snapshots.push(format!("{case} {label} {}", lists.join("; ")));
        }
    }
}

/// `root.small` has a maximum of 2 cores; `big` requests twice as much.
pub const CONFIG: &str = "
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - {name: a}
    - {name: b}
    - {name: small, resources: {max: {vcore: 2}}}
";

/// A shadow with configuration, nodes, and applications.
pub struct Stage {
    pub shadow: Shadow,
    pub at: Time,
}

impl Stage {
    pub fn new(config: &str, settings: Settings, nodes: &[(&str, i64)]) -> Self {
        let config = config::read(config, Profile::V1_8_0).config.expect("a good configuration");
        let at = Time::from_millis(1_000);
        let mut shadow = Shadow::new(Scheduler::new(Profile::V1_8_0), at, settings);
        shadow.see(at, Input::Configure(Arc::new(config)));
        let mut stage = Self { shadow, at };
        for (id, cores) in nodes {
            let capacity = [("vcore", cores * 1000)].into_iter().collect();
            stage.give(PartitionCommand::AddNode(NodeSpec { id: (*id).into(), capacity, ..Default::default() }));
        }
        stage
    }

    pub fn give(&mut self, command: PartitionCommand) {
        self.shadow.see(self.at, Input::Command(command));
    }

    pub fn wait(&mut self, ms: u64) -> &mut Self {
        self.at = self.at + Duration::from_millis(ms);
        self
    }

    pub fn submit(&mut self, app: &str, queue: &str) -> &mut Self {
        let who = Identity::new("ann", Vec::<String>::new());
        self.give(PartitionCommand::Submit(Submission {
            app: app.into(),
            queue: queue.into(),
            who,
            ..Default::default()
        }));
        self
    }

    /// Adds a request for this number of cores.
    pub fn ask(&mut self, app: &str, ask: &str, cores: i64, priority: i32) -> &mut Self {
        self.give(PartitionCommand::Ask(AskSpec {
            app: app.into(),
            id: ask.into(),
            count: 1,
            resource: [("vcore", cores * 1000)].into_iter().collect(),
            priority: Priority(priority),
            allow_preempt_self: true,
            allow_preempt_other: true,
            ..Default::default()
        }));
        self
    }

    pub fn decided(&mut self, app: &str, ask: &str, node: &str) -> Comparison {
        let (at, source) = (self.at, Source::RestEvent);
        self.shadow.decided(&Decision { at, app: app.into(), ask: ask.into(), node: node.into(), source })
    }
}
