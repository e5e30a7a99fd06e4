//! Changes and steps carried out in a fork.

use std::sync::Arc;
use std::time::Duration;

use super::change::{Amount, Change};
use super::config_change;
use super::pair::{RefusedStep, Step, Unfinished};
use super::world::World;
use crate::config::{self, Severity};
use crate::model::{AppId, AskId, Identity, NodeId, Priority, QueuePath, parse_quantity};
use crate::scenario::{Cycles, StepKind};
use crate::scheduler::state::app::Application;
use crate::scheduler::state::ask::Ask;
use crate::scheduler::{AskSpec, Command, Event, EventKind, NodeSpec, PartitionCommand, Submission};

/// How far the clock moves with each step of a scenario. Other changes take no time, so that both runs decide at the same moments.
const STEP: Duration = Duration::from_millis(1);
/// The most commands that one change stands for.
const MOST_COMMANDS: usize = 250_000;

impl World<'_> {
    /// Carries out all of them, one after the other. What is refused is written down, and the others are carried out.
    pub fn carry_out(&mut self, steps: &[Step]) -> Result<(), Unfinished> {
        for (number, step) in steps.iter().enumerate() {
            self.step = i64::try_from(number).unwrap_or(i64::MAX);
            if matches!(step, Step::Scenario(_)) {
                self.now = self.now + STEP;
            }
            let refused = match step {
                Step::Change(change) => self.change(change)?,
                Step::Config(text) => self.configure(text)?,
                Step::Scenario(kind) => self.scenario_step(kind)?,
            };
            if let Err(why) = refused {
                self.refused.push(RefusedStep { step: number, what: step.to_string(), why });
            }
        }
        self.step = -1;
        Ok(())
    }

    /// Lets the time pass that the first of these steps take, up to the one by which time passes for a scheduler too: the run without them
    /// waits as long, so that nothing is called later for it.
    pub fn wait_for(&mut self, steps: &[Step]) {
        let quick = |step: &&Step| !matches!(step, Step::Scenario(StepKind::Advance(_) | StepKind::Schedule(_)));
        let first = steps.iter().take_while(quick).filter(|step| matches!(step, Step::Scenario(_)));
        first.for_each(|_| self.now = self.now + STEP);
    }

    /// A step of a scenario. Here time passes as it does for a scheduler: cycles run, and what runs ends.
    fn scenario_step(&mut self, kind: &StepKind) -> Result<Result<(), String>, Unfinished> {
        match kind {
            StepKind::Command(command) => self.all(vec![command.clone()]),
            StepKind::Clean => self.apply(&Command::Clean).map(|_| Ok(())),
            StepKind::Config(text) => self.configure(text.text()),
            StepKind::Advance(by) => self.until(self.now + *by).map(Ok),
            StepKind::Schedule(Cycles::Count(cycles)) => self.cycle_often(u64::from(*cycles)).map(Ok),
            StepKind::Schedule(Cycles::Idle) => self.until(self.now).map(Ok),
            StepKind::Snapshot(_) => Ok(Ok(())),
        }
    }

    fn change(&mut self, change: &Change) -> Result<Result<(), String>, Unfinished> {
        let commands = match change {
            Change::Set { queue, key, value } => {
                let edited = match (&self.text, self.part()) {
                    (Some(text), Some(part)) => config_change::edited(text, part, (queue, key, value)),
                    (None, _) => {
                        Err("the text of the configuration in force is not known; give a whole one".to_owned())
                    }
                    (_, None) => Err("the partition is gone".to_owned()),
                };
                return match edited {
                    Ok(text) => self.configure(&text),
                    Err(why) => Ok(Err(why)),
                };
            }
            Change::AddNodes(node, count) => self.more_nodes(node, *count),
            Change::RemoveNode(node) => Ok(vec![PartitionCommand::RemoveNode(node.clone())]),
            Change::DrainNode(node) => Ok(vec![PartitionCommand::DrainNode(node.clone())]),
            Change::ResumeNode(node) => Ok(vec![PartitionCommand::ResumeNode(node.clone())]),
            Change::Kill(app) => {
                let reason = "what if".to_owned();
                Ok(vec![PartitionCommand::Kill { app: app.clone(), by: Identity::default(), reason }])
            }
            Change::Move(app, to) => {
                Ok(vec![PartitionCommand::Move { app: app.clone(), to: to.clone(), by: Identity::default() }])
            }
            Change::ResizeNode(node, resource, amount) => self.resized(node, resource, amount),
            Change::Submit(app, count, priority) => self.more_apps(app, *count, *priority),
            Change::Demand(queue, factor) => self.demand(queue, *factor),
        };
        match commands {
            Ok(commands) => self.all(commands),
            Err(why) => Ok(Err(why)),
        }
    }

    /// Carries out commands. Gives the first refusal.
    fn all(&mut self, commands: Vec<PartitionCommand>) -> Result<Result<(), String>, Unfinished> {
        let mut refused = Ok(());
        for command in commands {
            let events = self.give(command)?;
            if let Some(why) = events.iter().find_map(refusal) {
                refused = refused.and(Err(why));
            }
        }
        Ok(refused)
    }

    fn configure(&mut self, text: &str) -> Result<Result<(), String>, Unfinished> {
        let reading = config::read(text, self.profile());
        let Some(config) = reading.config else {
            let first = reading.faults.iter().find(|fault| fault.severity == Severity::Error);
            return Ok(Err(first.map_or_else(|| "the configuration cannot be read".to_owned(), ToString::to_string)));
        };
        let events = self.apply(&Command::Configure(Arc::new(config)))?;
        match events.iter().find_map(refusal) {
            Some(why) => Ok(Err(why)),
            None => {
                self.text = Some(Arc::from(text));
                Ok(Ok(()))
            }
        }
    }

    fn more_nodes(&self, like: &NodeId, count: u32) -> Result<Vec<PartitionCommand>, String> {
        let part = self.part().ok_or("the partition is gone")?;
        let found = part.nodes.find(like).and_then(|key| part.nodes.get(key));
        let node = found.ok_or_else(|| format!("there is no node {like} that they could be like"))?;
        let names = free_names(like.as_str(), |name| part.nodes.find(&NodeId::from(name)).is_some());
        let specs = names.take(count as usize).map(|name| {
            PartitionCommand::AddNode(NodeSpec {
                id: NodeId::from(name),
                capacity: node.total.clone(),
                occupied: node.occupied.clone(),
                attributes: (*node.attributes).clone(),
                drained: false,
            })
        });
        Ok(specs.collect())
    }

    fn resized(&self, id: &NodeId, resource: &str, amount: &Amount) -> Result<Vec<PartitionCommand>, String> {
        let part = self.part().ok_or("the partition is gone")?;
        let found = part.nodes.find(id).and_then(|key| part.nodes.get(key));
        let node = found.ok_or_else(|| format!("there is no node {id}"))?;
        let text = config_change::quantity(resource, amount, || node.total.get(resource))?;
        let amount =
            text.map_or(Ok(0), |text| parse_quantity(resource, &text).map_err(|fault| format!("{text:?} is {fault}")))?;
        let mut capacity = node.total.clone();
        capacity.set(resource, amount);
        Ok(vec![PartitionCommand::UpdateNode { id: id.clone(), capacity: Some(capacity), occupied: None }])
    }

    fn more_apps(&self, like: &AppId, count: u32, priority: Option<Priority>) -> Result<Vec<PartitionCommand>, String> {
        let part = self.part().ok_or("the partition is gone")?;
        let live = part.app(like);
        let app = live.ok_or_else(|| format!("there is no live application {like} that they could be like"))?;
        within((app.asks.len() + 1).saturating_mul(count as usize))?;
        let mut commands = Vec::new();
        let names = free_names(like.as_str(), |name| part.app_key(&AppId::from(name)).is_some());
        for name in names.take(count as usize) {
            let id = AppId::from(name);
            commands.push(PartitionCommand::Submit(Submission {
                app: id.clone(),
                queue: app.requested_queue.to_string(),
                who: app.who.clone(),
                tags: (*app.tags).clone(),
                gang_style: app.gang_style,
                placeholder_timeout: app.placeholder_timeout,
                placeholder_ask: app.placeholder_ask.clone(),
            }));
            commands.extend(app.asks.iter().map(|(_, ask)| {
                let spec = again(&id, ask.id.clone(), ask);
                PartitionCommand::Ask(AskSpec { priority: priority.unwrap_or(ask.priority), ..spec })
            }));
        }
        Ok(commands)
    }

    /// All that is pending in a queue and below it so many times: asks more that are like those there, or the last ones withdrawn.
    fn demand(&self, queue: &QueuePath, factor: f64) -> Result<Vec<PartitionCommand>, String> {
        let part = self.part().ok_or("the partition is gone")?;
        if part.queues.find(queue).is_none() {
            return Err(format!("there is no queue {queue}"));
        }
        let mut apps: Vec<&Application> = part.apps.iter().map(|(_, app)| app).collect();
        apps.retain(|app| app.queue_path.is_within(queue));
        apps.sort_by_key(|app| &app.id);
        let pending: usize = apps.iter().map(|app| app.pending_order.len()).sum();
        // A float stops at the largest number by itself.
        within((pending as f64 * (factor - 1.0).abs()) as usize)?;
        let (mut before, mut after, mut commands) = (0_u64, 0_u64, Vec::new());
        for app in apps {
            for (.., key) in &app.pending_order {
                let ask = &app.asks[*key];
                before += 1;
                // So many of all so far; a rest is carried over to the next ask.
                let wanted = (before as f64 * factor).floor() as u64 - after;
                after += wanted;
                if wanted == 0 {
                    commands.push(PartitionCommand::Release { app: app.id.clone(), ask: ask.id.clone() });
                }
                let names = free_names(ask.id.as_str(), |name| app.ask_key(&AskId::from(name)).is_some());
                let more = names.take(usize::try_from(wanted.saturating_sub(1)).unwrap_or(usize::MAX));
                commands.extend(more.map(|name| PartitionCommand::Ask(again(&app.id, AskId::from(name), ask))));
            }
        }
        Ok(commands)
    }
}

fn within(commands: usize) -> Result<(), String> {
    if commands <= MOST_COMMANDS {
        return Ok(());
    }
    Err(format!("that is about {commands} new asks, and at most {MOST_COMMANDS} are tried; take a smaller number"))
}

/// The same ask once more.
fn again(app: &AppId, id: AskId, ask: &Ask) -> AskSpec {
    AskSpec {
        app: app.clone(),
        id,
        count: 1,
        resource: ask.resource.clone(),
        priority: ask.priority,
        required_node: ask.rare.required_node.clone(),
        allow_preempt_self: ask.allow_preempt_self,
        allow_preempt_other: ask.allow_preempt_other,
        originator: ask.originator,
        placeholder: ask.placeholder,
        task_group: ask.rare.task_group.clone(),
        tags: ask.rare.tags.clone(),
    }
}

/// Names of copies that nobody has.
fn free_names<'a>(name: &'a str, taken: impl Fn(&str) -> bool + 'a) -> impl Iterator<Item = String> + 'a {
    (1_u64..).map(move |number| format!("{name}-whatif-{number}")).filter(move |name| !taken(name))
}

/// Why a command was refused, if this says so.
pub(super) fn refusal(event: &Event) -> Option<String> {
    match &event.kind {
        EventKind::ConfigRejected { message }
        | EventKind::NodeRejected { message, .. }
        | EventKind::AppRejected { message, .. }
        | EventKind::AskRejected { message, .. }
        | EventKind::Denied { message, .. }
        | EventKind::Refused { message } => Some(message.clone()),
        _ => None,
    }
}
