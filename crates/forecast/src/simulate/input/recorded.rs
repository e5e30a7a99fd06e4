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
    started: HashMap<Key, Time>,
    ended: HashMap<Key, (Time, Fate)>,
}

impl Fates {
    /// Adds an initial request, running or pending since `at`.
    pub fn there(&mut self, app: &AppId, ask: &AskId, at: Time, runs: bool) {
        let of = if runs { &mut self.started } else { &mut self.asked };
        of.insert((app.clone(), ask.clone()), at);
    }

    /// Takes in what happened.
    pub fn take(&mut self, events: &[Event]) {
        for Event { at, kind } in events {
            match kind {
                EventKind::AskAdded { app, ask, .. } => drop(self.asked.insert((app.clone(), ask.clone()), *at)),
                EventKind::Allocated { app, ask, .. } => drop(self.started.insert((app.clone(), ask.clone()), *at)),
                EventKind::Released { app, ask, reason, .. } => {
                    let key = (app.clone(), ask.clone());
                    let Some(started) = self.started.remove(&key) else { continue };
                    let replaced = *reason == ReleaseReason::Preempted;
                    let fate = Fate { runs: Some(at.since(started)), replaced, ..Fate::default() };
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
        let started = match self.ended.get(&key) {
            Some((ended, fate)) if *ended <= at => return *fate,
            Some((ended, fate)) => fate.runs.and_then(|runs| ended.0.checked_sub(runs.as_micros() as u64)).map(Time),
            None => self.started.get(&key).copied(),
        };
        let runs = started.filter(|started| *started < at).map(|started| at.since(started) * 2);
        Fate { runs, ..Fate::default() }
    }
}

/// What becomes of placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gangs {
    /// They are omitted: the tasks were recorded when they were requested, after their gang had come together.
    Recorded,
    /// They are requested, and the tasks come after them; their wait counts from the submission.
    Simulated,
}

/// Makes jobs of the recorded submissions, with times from `begins` on, or from the first submission. `gangs` says what becomes of the
/// placeholders of an application, `fate` how an ask ended when it was recorded.
pub fn read(
    commands: impl IntoIterator<Item = (Time, PartitionCommand)>,
    starts: Option<Time>,
    gangs: impl Fn(&AppId) -> Gangs,
    fate: impl Fn(&AppId, &AskId) -> Fate,
) -> Workload {
    let mut workload = Workload::default();
    let mut known: BTreeMap<AppId, usize> = BTreeMap::new();
    let mut together = Together::default();
    let mut starts = starts;
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
                let at = Time(at.0 - starts.get_or_insert(at).0.min(at.0));
                let gangs = gangs(&submission.app);
                submitted(&mut workload, (&mut known, gangs), at, submission);
            }
            PartitionCommand::Ask(ask) => {
                let starts = *starts.get_or_insert(at);
                let Some(number) = known.get(&ask.app).copied() else {
                    workload.leave_out("requests of applications that existed before", place);
                    continue;
                };
                let job = &mut workload.jobs[number];
                if let Some(gang) = job.gang.as_mut().filter(|_| ask.placeholder) {
                    gang.placeholders.push(AskSpec { app: job.app.clone(), ..ask });
                    continue;
                }
                if ask.placeholder {
                    workload.leave_out("placeholders of gangs: their tasks are requested one by one", place);
                    continue;
                }
                let after = Time(at.0.saturating_sub(starts.0)).since(job.at);
                let is_gang = job.gang.as_ref().is_some_and(|gang| !gang.placeholders.is_empty());
                let after = if is_gang { together.since(number, after) } else { after };
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
    workload.jobs.iter_mut().for_each(complete);
    workload.jobs.retain(|job| !job.tasks.is_empty());
    workload.sort();
    workload
}

/// By the number of a job, when its gang had come together: its first task was requested then.
#[derive(Default)]
struct Together(BTreeMap<usize, Duration>);

impl Together {
    /// The tasks of a gang exist from its submission on. Later ones keep their distance.
    fn since(&mut self, job: usize, after: Duration) -> Duration {
        after.saturating_sub(*self.0.entry(job).or_insert(after))
    }
}

/// A gang without placeholders is not a gang. The tasks of a gang that was never complete are the tasks of its
/// placeholders.
fn complete(job: &mut Job) {
    let Some(gang) = job.gang.take_if(|gang| gang.placeholders.is_empty() || job.tasks.is_empty()) else { return };
    for placeholder in &gang.placeholders {
        job.tasks.extend(tasks(placeholder, Duration::ZERO, &|_, _| Fate::default()));
    }
    job.gang = Some(gang).filter(|gang| !gang.placeholders.is_empty());
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::Resource;

    fn cores(number: i64) -> Resource {
        [("vcore", number * 1000)].into_iter().collect()
    }

    fn submission(app: &str) -> (Time, PartitionCommand) {
        let submission = Submission { app: AppId::from(app), placeholder_ask: cores(4), ..Submission::default() };
        (Time(0), PartitionCommand::Submit(submission))
    }

    fn ask(at: u64, app: &str, id: &str, placeholder: bool) -> (Time, PartitionCommand) {
        let (app, id, task_group) = (AppId::from(app), AskId::from(id), Some("w".into()));
        let ask = AskSpec { app, id, count: 2, resource: cores(2), placeholder, task_group, ..AskSpec::default() };
        (Time::from_millis(at), PartitionCommand::Ask(ask))
    }

    #[test]
    fn a_recorded_gang_waits_from_its_submission_on_and_also_if_it_never_came_together() {
        let commands = [
            submission("a"),
            submission("never"),
            submission("plain"),
            ask(1, "a", "p", true),
            ask(1, "never", "p", true),
            ask(5000, "plain", "t", false),
            ask(60_000, "a", "t", false),
            ask(90_000, "a", "later", false),
        ];
        let runs = |_: &AppId, _: &AskId| Fate { runs: Some(Duration::from_secs(9)), ..Fate::default() };
        let workload = read(commands.clone(), None, |_| Gangs::Simulated, runs);
        let job = |name: &str| workload.jobs.iter().find(|job| job.app.as_str() == name).expect("a job");
        let tasks = |name: &str| -> Vec<(u64, u32, bool)> {
            job(name).tasks.iter().map(|task| (task.after.as_secs(), task.count, task.runs.is_some())).collect()
        };
        assert_eq!(tasks("a"), [(0, 2, true), (30, 2, true)], "the recorded wait of the gang is none of its tasks");
        assert_eq!(job("a").gang.as_ref().map(|gang| gang.placeholders.len()), Some(1));
        assert_eq!(tasks("never"), [(0, 2, false)], "its placeholders say what it waits for");
        assert!(job("never").gang.is_some() && job("plain").gang.is_none());
        assert_eq!(tasks("plain"), [(5, 2, true)]);
        let recorded = read(commands, None, |_| Gangs::Recorded, runs);
        let names: Vec<&str> = recorded.jobs.iter().map(|job| job.app.as_str()).collect();
        assert_eq!((names, recorded.jobs[0].tasks[0].after.as_secs()), (vec!["a", "plain"], 60));
    }
}
