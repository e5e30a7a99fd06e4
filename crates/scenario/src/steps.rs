//! The steps of a scenario as a workload, with an external clock.

use std::sync::Arc;

use super::file::{Cycles, Scenario, ScenarioStep, StepKind};
use super::run::STEP;
use super::workload::Workload;
use config::Config;
use model::{Profile, Time};
use scheduler::{Command, Event};

const BATCH: u32 = 64;

/// The steps of a scenario: each takes 1 ms, `advance` waits, `schedule` runs its cycles, and `snapshot` does nothing.
/// Until the last step only the workload runs cycles, so the result equals that of a run. A `config` step with an
/// invalid configuration changes nothing.
pub struct ScenarioWorkload {
    steps: std::vec::IntoIter<ScenarioStep>,
    count: usize,
    profile: Profile,
    /// When the next step, or the next cycles of the current one, are due.
    at: Time,
    cycles: Option<Cycling>,
    text: Option<(String, Box<str>)>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct PlayResult {
    done: usize,
    at: Time,
    cycles: Option<(u32, bool, bool)>,
}

struct Cycling {
    left: u32,
    idle: bool,
    progress: bool,
}

impl ScenarioWorkload {
    /// Creates the workload of a scenario; its reloads are parsed for `profile`.
    pub fn new(scenario: Scenario, profile: Profile) -> Self {
        let count = scenario.steps.len();
        Self { steps: scenario.steps.into_iter(), count, profile, at: Time::ZERO + STEP, cycles: None, text: None }
    }

    fn step(&mut self, step: StepKind) -> Vec<Command> {
        match step {
            StepKind::Command(command) => vec![command.into()],
            StepKind::Clean => vec![Command::Clean],
            StepKind::Config(text) => {
                let config = text.read(self.profile).config;
                self.text = config.as_ref().map(|config| (config.checksum.clone(), text.text().into()));
                config.into_iter().map(|config| Command::Configure(Arc::new(config))).collect()
            }
            StepKind::Advance(by) => {
                self.at = self.at + by;
                Vec::new()
            }
            StepKind::Schedule(cycles) => {
                let (left, idle) = match cycles {
                    Cycles::Count(count) => (count, false),
                    Cycles::Idle => (Cycles::MOST, true),
                };
                self.cycles = Some(Cycling { left, idle, progress: true });
                self.cycle()
            }
            StepKind::Snapshot(_) => Vec::new(),
        }
    }

    fn cycle(&mut self) -> Vec<Command> {
        let Some(cycling) = &mut self.cycles else { return Vec::new() };
        let batch = if cycling.idle { 1 } else { BATCH };
        let count = batch.min(cycling.left);
        if count == 0 || (cycling.idle && !cycling.progress) {
            self.cycles = None;
            self.at = self.at + STEP;
            return Vec::new();
        }
        cycling.left -= count;
        cycling.progress = false;
        (0..count).map(|_| Command::Cycle).collect()
    }
}

impl Workload for ScenarioWorkload {
    fn next(&self) -> Option<Time> {
        (self.cycles.is_some() || self.steps.len() > 0).then_some(self.at)
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        self.at = self.at.max(now);
        if self.cycles.is_some() {
            return self.cycle();
        }
        let Some(step) = self.steps.next() else { return Vec::new() };
        let commands = self.step(step.kind);
        if self.cycles.is_none() {
            self.at = self.at + STEP;
        }
        commands
    }

    fn observe(&mut self, _now: Time, events: &[Event]) {
        if let Some(cycling) = &mut self.cycles {
            cycling.progress |= events.iter().any(Event::is_activity);
        }
    }

    fn runs_cycles(&self) -> bool {
        self.next().is_some()
    }

    fn save(&self) -> Option<Vec<u8>> {
        let done = self.count - self.steps.len();
        let cycles = self.cycles.as_ref().map(|cycling| (cycling.left, cycling.idle, cycling.progress));
        serde_json::to_vec(&PlayResult { done, at: self.at, cycles }).ok()
    }

    fn resume(&mut self, played: &[u8]) -> Result<(), String> {
        let Ok(PlayResult { done, at, cycles }) = serde_json::from_slice(played) else {
            return Err("the state belongs to another workload: remove --workload, or use another directory".to_owned());
        };
        // A file that now has fewer steps has ended.
        let skipped = done.min(self.steps.len());
        self.steps.by_ref().take(skipped).for_each(drop);
        self.at = at;
        self.cycles = cycles.map(|(left, idle, progress)| Cycling { left, idle, progress });
        Ok(())
    }

    fn text_of(&self, config: &Config) -> Option<&str> {
        let (checksum, text) = self.text.as_ref()?;
        (*checksum == config.checksum).then_some(text)
    }
}
