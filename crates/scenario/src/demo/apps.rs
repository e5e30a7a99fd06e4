//! The life of an application of the demo: it is submitted, asks stage by stage, its tasks end, it ends.
//!
//! Invariants:
//! - a task is pending, allocated, or preempted and soon requested again; the stage is over when there is none left;
//! - placeholders are no tasks: a gang requests its tasks once all of its placeholders stand, or once the scheduler has
//!   given up waiting for them.

use std::collections::BTreeSet;
use std::time::Duration;

use super::crowd::{Crowd, Due, RunningApp, amount, slowed};
use super::legacy::LEGACY;
use super::streams::{Manner, STREAMS, Stream};
use model::{AppId, AppState, AskId, Identity, Priority, Time};
use scheduler::{AskSpec, Command, PartitionCommand, ReleaseReason, Submission};

/// How long a gang may take to come together.
const GANG_TIME: Duration = Duration::from_secs(12);
/// What the task group of a gang is called.
const TASK_GROUP: &str = "workers";

impl Crowd {
    /// The next applications of a stream come, and those after them are awaited.
    pub(super) fn arrive(&mut self, now: Time, index: usize) {
        let stream = &STREAMS[index];
        for _ in 0..self.rng.between(stream.burst) {
            self.later(now, (0, 1500), Due::Submit(index));
        }
        let (least, most) = stream.every;
        let wait = if stream.waves { slowed(now, least, most) } else { (least, most) };
        self.later(now, wait, Due::Arrive(index));
    }

    /// Submits an application and has it ask at once, unless there are many of its kind or its queue is on its way out.
    pub(super) fn submit(&mut self, now: Time, index: usize, commands: &mut Vec<Command>) {
        let stream = &STREAMS[index];
        let count = &mut self.streams[index];
        if count.live >= stream.most || (stream.queue == LEGACY && !self.legacy.configured) {
            return;
        }
        count.live += 1;
        count.ever += 1;
        let app = AppId::from(format!("{}-{:04}", stream.name, count.ever));
        let user = self.rng.one_of(stream.users, "nobody");
        let group = if stream.group.is_empty() { user } else { stream.group };
        let running = RunningApp {
            stream: index,
            tasks: 0,
            stage: 0,
            stages: self.rng.between(stream.stages),
            size: self.rng.one_of(stream.sizes, (1000, 1)),
            again: 0,
            held: BTreeSet::new(),
            gathers: stream.gang.then(|| self.rng.between(stream.tasks)),
            placeholders: BTreeSet::new(),
        };
        let mut submission = Submission {
            app: app.clone(),
            queue: stream.queue.to_owned(),
            who: Identity::new(user, [group]),
            ..Submission::default()
        };
        if let Some(members) = running.gathers {
            submission.placeholder_ask = amount(running.size.0 * members, running.size.1 * members);
            submission.placeholder_timeout = Some(GANG_TIME);
        }
        commands.push(PartitionCommand::Submit(submission).into());
        self.apps.insert(app.clone(), running);
        if stream.gang {
            self.gather(&app, commands);
        } else if now > Time::ZERO && self.rng.between((1, 4)) == 1 {
            // Some take a moment before they ask.
            self.later(now, (200, 2000), Due::Stage(app));
        } else {
            self.ask(&app, commands);
        }
    }

    /// The placeholders of a gang.
    fn gather(&mut self, app: &AppId, commands: &mut Vec<Command>) {
        let Some(running) = self.apps.get_mut(app) else { return };
        let count = running.gathers.unwrap_or_default();
        let id = AskId::from(format!("{app}-hold"));
        running.placeholders = (1..=count).map(|number| AskId::from(format!("{id}-{number}"))).collect();
        let spec = AskSpec { id, count, placeholder: true, ..common(app, running) };
        commands.push(PartitionCommand::Ask(spec).into());
    }

    /// The next stage of an application.
    pub(super) fn ask(&mut self, app: &AppId, commands: &mut Vec<Command>) {
        let Some(running) = self.apps.get_mut(app) else { return };
        let Stream { tasks, priority, .. } = STREAMS[running.stream];
        running.stage += 1;
        // The tasks of a gang are counted already.
        if running.tasks == 0 {
            running.tasks = self.rng.between(tasks);
        }
        let above = self.rng.between((0, priority.1.abs_diff(priority.0)));
        let spec = AskSpec {
            id: AskId::from(format!("{app}-s{}", running.stage)),
            count: running.tasks,
            priority: Priority(priority.0.saturating_add_unsigned(above)),
            ..common(app, running)
        };
        commands.push(PartitionCommand::Ask(spec).into());
    }

    /// A task that was preempted, once more.
    pub(super) fn ask_again(&mut self, app: &AppId, commands: &mut Vec<Command>) {
        let Some(running) = self.apps.get_mut(app) else { return };
        running.again += 1;
        let spec = AskSpec {
            id: AskId::from(format!("{app}-s{}-again-{}", running.stage, running.again)),
            count: 1,
            priority: Priority(STREAMS[running.stream].priority.0),
            ..common(app, running)
        };
        commands.push(PartitionCommand::Ask(spec).into());
    }

    /// An ask of an application is allocated: a task runs for a while.
    pub(super) fn allocated(&mut self, now: Time, app: &AppId, ask: &AskId) {
        let Some(running) = self.apps.get_mut(app) else { return };
        if running.placeholders.contains(ask) {
            return;
        }
        running.held.insert(ask.clone());
        let runs = STREAMS[running.stream].runs;
        self.later(now, runs, Due::Release(app.clone(), ask.clone()));
    }

    /// An allocation no longer exists, for whatever reason.
    pub(super) fn released(&mut self, now: Time, app: &AppId, ask: &AskId, reason: ReleaseReason) {
        let Some(running) = self.apps.get_mut(app) else { return };
        if running.placeholders.remove(ask) {
            return;
        }
        running.held.remove(ask);
        if reason == ReleaseReason::Preempted {
            self.later(now, (500, 3000), Due::Again(app.clone()));
        } else {
            self.task_ended(now, app);
        }
    }

    /// An ask no longer exists without an allocation.
    pub(super) fn withdrawn(&mut self, now: Time, app: &AppId, ask: &AskId) {
        let Some(running) = self.apps.get_mut(app) else { return };
        if !running.placeholders.remove(ask) {
            self.task_ended(now, app);
        }
    }

    /// A gang that has come together, or that continues unchanged, requests its tasks some seconds later.
    pub(super) fn gang_moves(&mut self, now: Time, app: &AppId, state: AppState) {
        let moves = matches!(state, AppState::Starting | AppState::Running | AppState::Resuming);
        let Some(running) = self.apps.get_mut(app).filter(|_| moves) else { return };
        if let Some(members) = running.gathers.take() {
            running.tasks = members;
            self.later(now, (2000, 5000), Due::Stage(app.clone()));
        }
    }

    /// A task of an application has ended, however that came.
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

    /// An application is no longer of interest.
    pub(super) fn forget(&mut self, app: &AppId) {
        if let Some(running) = self.apps.remove(app) {
            self.streams[running.stream].live -= 1;
        }
    }
}

/// What all asks of an application have in common.
fn common(app: &AppId, running: &RunningApp) -> AskSpec {
    let Stream { manner, gang, .. } = STREAMS[running.stream];
    AskSpec {
        app: app.clone(),
        resource: running.resource(),
        allow_preempt_self: manner == Manner::Yields,
        allow_preempt_other: manner == Manner::Preempts,
        task_group: gang.then(|| TASK_GROUP.into()),
        ..AskSpec::default()
    }
}
