//! Converts timed commands of a resource manager, from a scenario or a journal.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::simulate::job::{Gang, Job, Task, Workload};
use model::{AppId, AskId, Time};
use scheduler::{AskSpec, Event, EventKind, PartitionCommand, ReleaseReason, Submission};

type Key = (AppId, AskId);

/// The recorded fate of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// `None` if it did not start or end.
    pub runs: Option<Duration>,
    /// Time until its withdrawal while pending.
    pub taken_back: Option<Duration>,
    /// Preempted; the replacement is recorded separately.
    pub replaced: bool,
}

/// Collects fates while a record is replayed.
#[derive(Debug, Default)]
pub struct Fates {
    asked: HashMap<Key, Time>,
    begun: HashMap<Key, Time>,
    ended: HashMap<Key, (Time, Fate)>,
}

impl Fates {
    /// Adds an initial request, running or pending since `at`.
    pub fn there(&mut self, app: &AppId, ask: &AskId, at: Time, runs: bool) {
        let of = if runs { &mut self.begun } else { &mut self.asked };
        of.insert((app.clone(), ask.clone()), at);
    }

    /// Takes in what happened.
    pub fn take(&mut self, events: &[Event]) {
        for Event { at, kind } in events {
            match kind {
                EventKind::AskAdded { app, ask, .. } => drop(self.asked.insert((app.clone(), ask.clone()), *at)),
                EventKind::Allocated { app, ask, .. } => drop(self.begun.insert((app.clone(), ask.clone()), *at)),
                EventKind::Released { app, ask, reason, .. } => {
                    let key = (app.clone(), ask.clone());
                    let Some(begun) = self.begun.remove(&key) else { continue };
                    let replaced = *reason == ReleaseReason::Preempted;
                    let fate = Fate { runs: Some(at.since(begun)), replaced, ..Fate::default() };
                    self.ended.insert(key, (*at, fate));
                }
                EventKind::AskRemoved { app, ask, .. } => {
                    let key = (app.clone(), ask.clone());
                    let Some(asked) = self.asked.get(&key) else { continue };
                    let fate = Fate { taken_back: Some(at.since(*asked)), ..Fate::default() };
                    self.ended.insert(key, (*at, fate));
                }
                _ => {}
            }
        }
    }

    /// Returns the fate; empty if the request has not ended.
    pub fn ended(&self, app: &AppId, ask: &AskId) -> Fate {
        self.ended.get(&(app.clone(), ask.clone())).map(|(_, fate)| *fate).unwrap_or_default()
    }

    /// Assumes that a running request runs once more as long as it had.
    pub fn known(&self, app: &AppId, ask: &AskId, at: Time) -> Fate {
        let key = (app.clone(), ask.clone());
        let begun = match self.ended.get(&key) {
            Some((ended, fate)) if *ended <= at => return *fate,
            Some((ended, fate)) => fate.runs.and_then(|runs| ended.0.checked_sub(runs.as_micros() as u64)).map(Time),
            None => self.begun.get(&key).copied(),
        };
        let runs = begun.filter(|begun| *begun < at).map(|begun| at.since(begun) * 2);
        Fate { runs, ..Fate::default() }
    }
}

/// What becomes of placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gangs {
    /// They are omitted: the tasks were recorded when they were requested, after their gang had come together.
    Recorded,
    /// They are requested, and the tasks come after them.
    Simulated,
}

/// Makes jobs of the recorded submissions, with times from `begins` on, or from the first submission. `fate` says how an ask ended when it was
/// recorded.
pub fn read(
    commands: impl IntoIterator<Item = (Time, PartitionCommand)>,
    begins: Option<Time>,
    gangs: Gangs,
    fate: impl Fn(&AppId, &AskId) -> Fate,
) -> Workload {
    let mut workload = Workload::default();
    let mut known: BTreeMap<AppId, usize> = BTreeMap::new();
    let mut begins = begins;
    for (at, command) in commands {
        let place = || format!("at {at}");
        match command {
            PartitionCommand::AddNode(spec) if workload.nodes.iter().any(|node| node.id == spec.id) => {
                workload.leave_out("nodes that return: all nodes exist from the start of the simulation", place);
            }
            PartitionCommand::AddNode(spec) => workload.nodes.push(spec),
            PartitionCommand::UpdateNode { .. }
            | PartitionCommand::RemoveNode(_)
            | PartitionCommand::DrainNode(_)
            | PartitionCommand::ResumeNode(_) => {
                workload.leave_out("changes of nodes: all nodes exist from the start of the simulation", place);
            }
            PartitionCommand::Submit(submission) => {
                let at = Time(at.0 - begins.get_or_insert(at).0.min(at.0));
                submitted(&mut workload, (&mut known, gangs), at, submission);
            }
            PartitionCommand::Ask(ask) => {
                let begins = *begins.get_or_insert(at);
                let Some(job) = known.get(&ask.app).map(|number| &mut workload.jobs[*number]) else {
                    workload.leave_out("requests of applications that existed before", place);
                    continue;
                };
                if let Some(gang) = job.gang.as_mut().filter(|_| ask.placeholder) {
                    gang.placeholders.push(AskSpec { app: job.app.clone(), ..ask });
                    continue;
                }
                if ask.placeholder {
                    workload.leave_out("placeholders of gangs: their tasks are requested one by one", place);
                    continue;
                }
                let after = Time(at.0.saturating_sub(begins.0)).since(job.at);
                job.tasks.extend(tasks(&ask, after, &fate));
            }
            PartitionCommand::Kill { .. } | PartitionCommand::Move { .. } => {
                workload
                    .leave_out("user actions (kill, move): affected applications end at their recorded time", place);
            }
            PartitionCommand::Adopt { .. }
            | PartitionCommand::Release { .. }
            | PartitionCommand::Remove { .. }
            | PartitionCommand::SetForeign { .. }
            | PartitionCommand::Clean { .. } => {}
        }
    }
    workload.jobs.retain(|job| !job.tasks.is_empty());
    workload.sort();
    workload
}

/// Requests with the same fate are one task.
fn tasks(ask: &AskSpec, after: Duration, fate: &impl Fn(&AppId, &AskId) -> Fate) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for id in ask.ids() {
        let Fate { runs, taken_back, replaced } = fate(&ask.app, &id);
        let one = Task {
            after,
            count: 1,
            resource: ask.resource.clone(),
            priority: ask.priority,
            runs,
            required_node: ask.required_node.clone(),
            allow_preempt_self: ask.allow_preempt_self,
            allow_preempt_other: ask.allow_preempt_other,
            taken_back,
            task_group: ask.task_group.clone(),
            replaced,
        };
        match tasks.last_mut() {
            Some(last) if last.is_like(&one) => last.count += 1,
            _ => tasks.push(one),
        }
    }
    tasks
}

fn submitted(
    workload: &mut Workload,
    (known, gangs): (&mut BTreeMap<AppId, usize>, Gangs),
    at: Time,
    submission: Submission,
) {
    let Submission { app, queue, who, tags, gang_style, placeholder_timeout, placeholder_ask, .. } = submission;
    let is_gang = gangs == Gangs::Simulated && !placeholder_ask.is_zero();
    let (style, timeout, total) = (gang_style, placeholder_timeout, placeholder_ask);
    let gang = is_gang.then_some(Gang { style, timeout, total, placeholders: Vec::new() });
    let again = known.len();
    // A reused ID is another application.
    let name = if known.contains_key(&app) { AppId::from(format!("{app}+{again}")) } else { app.clone() };
    known.insert(app, workload.jobs.len());
    workload.jobs.push(Job { app: name, at, queue, who, tags, tasks: Vec::new(), gang });
}
