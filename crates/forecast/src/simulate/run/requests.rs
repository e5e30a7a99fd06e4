//! What the resource manager of a run requests: the tasks of jobs, and those of gangs once they have come together.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{Live, Run, Stopped};
use crate::simulate::job::{Job, Task};
use model::{AppId, AskId, Time};
use scheduler::PartitionCommand;

/// Something that arrives: the job, and the task of it; the first one brings the application.
pub(super) struct Arrival<'w> {
    pub at: Time,
    job: &'w Job,
    task: usize,
}

pub(super) fn arrivals(jobs: &[Job]) -> Vec<Arrival<'_>> {
    let tasks = |job| move |task: usize| Arrival { at: at_of(job, task), job, task };
    let mut all: Vec<Arrival<'_>> = jobs.iter().flat_map(|job| (0..job.tasks.len()).map(tasks(job))).collect();
    // Those of one time stay in the order of the jobs.
    all.sort_by_key(|arrival| arrival.at);
    all.reverse();
    all
}

fn at_of(job: &Job, task: usize) -> Time {
    job.at + job.tasks[task].after
}

impl<'w> Run<'w, '_> {
    pub(super) fn ask_again(&mut self, app: &AppId, ask: &AskId) -> Result<(), Stopped> {
        let Some(live) = self.live.get_mut(app) else { return Ok(()) };
        let Some((task, times)) = live.asks.remove(ask) else { return Ok(()) };
        if live.job.tasks[task].replaced {
            self.done.over += 1;
            return Ok(());
        }
        let base = ask.as_str().split('~').next().unwrap_or_default();
        let id = AskId::from(format!("{base}~{}", times + 1));
        live.asks.insert(id.clone(), (task, times + 1));
        let (job, spec) = (live.job, live.job.request(task, id));
        self.made(job, task, &spec.id);
        self.apply(&PartitionCommand::Ask(spec).into()).map(drop)
    }

    /// Schedules the known future events of a new request: its end, and when it may get more.
    pub(super) fn made(&mut self, job: &Job, task: usize, ask: &AskId) {
        self.will_mature();
        if let Some(after) = job.tasks[task].taken_back {
            self.ends_set += 1;
            let at = (at_of(job, task) + after).max(self.now);
            self.ends.push((Reverse((at, self.ends_set)), job.app.clone(), ask.clone()));
        }
    }

    /// A task arrives. If its application does not exist or has ended, it is submitted first. The tasks of a gang are
    /// requested after its placeholders.
    pub(super) fn arrive(&mut self, Arrival { job, task, .. }: Arrival<'w>) -> Result<(), Stopped> {
        if !self.live.contains_key(&job.app) {
            let gang_tasks = job.gang.as_ref().map(|_| Vec::new());
            self.gang_tasks += usize::from(gang_tasks.is_some());
            self.live.insert(job.app.clone(), Live { job, asks: HashMap::new(), gang_tasks });
            self.apply(&PartitionCommand::Submit(job.submission()).into())?;
            for placeholder in job.gang.iter().flat_map(|gang| &gang.placeholders) {
                self.apply(&PartitionCommand::Ask(placeholder.clone()).into())?;
            }
        }
        if job.tasks[task].never_ends() {
            self.done.over += u64::from(job.tasks[task].count);
        }
        match self.live.get_mut(&job.app).and_then(|live| live.gang_tasks.as_mut()) {
            Some(gang_tasks) => {
                gang_tasks.push(task);
                Ok(())
            }
            None => self.request(job, task),
        }
    }

    /// A gang has come together, or continues without its placeholders: its tasks are requested.
    pub(super) fn assemble_gang(&mut self, app: &AppId) -> Result<(), Stopped> {
        let Some(live) = self.live.get_mut(app) else { return Ok(()) };
        let (job, gang_tasks) = (live.job, live.gang_tasks.take());
        self.gang_tasks -= usize::from(gang_tasks.is_some());
        gang_tasks.into_iter().flatten().try_for_each(|task| self.request(job, task))
    }

    fn request(&mut self, job: &'w Job, task: usize) -> Result<(), Stopped> {
        let Task { count, .. } = job.tasks[task];
        for copy in 0..count {
            let Some(live) = self.live.get_mut(&job.app) else {
                // A refused application has left meanwhile.
                self.done.over += if job.tasks[task].never_ends() { 0 } else { u64::from(count - copy) };
                return Ok(());
            };
            let id = AskId::from(format!("{}-{task}-{copy}", job.app));
            live.asks.insert(id.clone(), (task, 0));
            if job.gang.is_some() {
                self.meter.waits_since(&job.app, &id, at_of(job, task));
            }
            self.made(job, task, &id);
            self.apply(&PartitionCommand::Ask(job.request(task, id)).into())?;
        }
        Ok(())
    }

    pub(super) fn count_gangs(&mut self) {
        for Live { job, gang_tasks, .. } in self.live.values() {
            for task in gang_tasks.iter().flatten() {
                let wants = &job.tasks[*task].resource;
                for copy in 0..job.tasks[*task].count {
                    self.meter.allocate(
                        &job.app,
                        AskId::from(format!("{}-{task}-{copy}", job.app)),
                        wants,
                        at_of(job, *task),
                    );
                }
            }
        }
    }
}
