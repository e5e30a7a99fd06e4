//! The life of a demo application: it is submitted, requests stage by stage, its tasks end, it ends.
//!
//! Invariants:
//! - a task is pending, allocated, or preempted and soon requested again; a stage ends with its last task;
//! - placeholders are not tasks: a gang requests its tasks once all of its placeholders are allocated, or the scheduler
//!   has given up on them.

use std::collections::BTreeSet;
use std::time::Duration;

use super::crowd::{Crowd, Due, RunningApp, amount, slowed};
use super::legacy::LEGACY;
use super::streams::{Manner, STREAMS, Stream};
use model::{AppId, AppState, AskId, Identity, Priority, Time};
use scheduler::{AskSpec, Command, PartitionCommand, ReleaseReason, Submission};

const GANG_TIME: Duration = Duration::from_secs(12);
const TASK_GROUP: &str = "workers";

impl Crowd {
    /// Submits the next applications of a stream, and schedules the next arrival.
    pub(super) fn arrive(&mut self, now: Time, index: usize) {
        let stream = &STREAMS[index];
        for _ in 0..self.rng.between(stream.burst) {
            self.later(now, (0, 1500), Due::Submit(index));
        }
        let (least, most) = stream.every;
        let wait = if stream.waves { slowed(now, least, most) } else { (least, most) };
        self.later(now, wait, Due::Arrive(index));
    }

    /// Submits an application with its first requests, unless its stream is full or its queue drains.
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
            current: BTreeSet::new(),
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
            // Some request later.
            self.later(now, (200, 2000), Due::Stage(app));
        } else {
            self.ask(&app, commands);
        }
    }

    fn gather(&mut self, app: &AppId, commands: &mut Vec<Command>) {
        let Some(running) = self.apps.get_mut(app) else { return };
        let count = running.gathers.unwrap_or_default();
        let id = AskId::from(format!("{app}-hold"));
        running.placeholders = (1..=count).map(|number| AskId::from(format!("{id}-{number}"))).collect();
        let spec = AskSpec { id, count, placeholder: true, ..common(app, running) };
        commands.push(PartitionCommand::Ask(spec).into());
    }

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

    /// A request is allocated: its task runs for a while.
    pub(super) fn allocated(&mut self, now: Time, app: &AppId, ask: &AskId) {
        let Some(running) = self.apps.get_mut(app) else { return };
        if running.placeholders.contains(ask) {
            return;
        }
        running.current.insert(ask.clone());
        let runs = STREAMS[running.stream].runs;
        self.later(now, runs, Due::Release(app.clone(), ask.clone()));
    }

    /// An allocation ended, for any reason.
    pub(super) fn released(&mut self, now: Time, app: &AppId, ask: &AskId, reason: ReleaseReason) {
        let Some(running) = self.apps.get_mut(app) else { return };
        if running.placeholders.remove(ask) {
            return;
        }
        running.current.remove(ask);
        if reason == ReleaseReason::Preempted {
            self.later(now, (500, 3000), Due::Again(app.clone()));
        } else {
            self.task_ended(now, app);
        }
    }

    /// A request was removed without an allocation.
    pub(super) fn canceled(&mut self, now: Time, app: &AppId, ask: &AskId) {
        let Some(running) = self.apps.get_mut(app) else { return };
        if !running.placeholders.remove(ask) {
            self.task_ended(now, app);
        }
    }

    /// A complete gang, or one without placeholders, requests its tasks later.
    pub(super) fn gang_moves(&mut self, now: Time, app: &AppId, state: AppState) {
        let moves = matches!(state, AppState::Starting | AppState::Running | AppState::Resuming);
        let Some(running) = self.apps.get_mut(app).filter(|_| moves) else { return };
        if let Some(members) = running.gathers.take() {
            running.tasks = members;
            self.later(now, (2000, 5000), Due::Stage(app.clone()));
        }
    }

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

    pub(super) fn forget(&mut self, app: &AppId) {
        if let Some(running) = self.apps.remove(app) {
            self.streams[running.stream].live -= 1;
        }
    }
}

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
