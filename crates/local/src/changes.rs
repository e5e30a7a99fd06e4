use super::daemon::Daemon;
use super::job::{Job, JobSpec, JobState, Outcome, Owner, Stop};
use super::requests::{misused, refused};
use super::submission::{check, too_large};
use super::wall_ms;
use super::wire::{Edit, Reply};
use view::act::PartitionAct;

const LONGEST_REASON: usize = 1000;

impl Daemon {
    pub(super) fn cancel_request(&self, job: &Job) {
        self.perform_later(&self.submitter(job), PartitionAct::Remove { app: job.app() }, |_| {});
    }

    fn shown(&self, who: &Owner, number: u64) -> Reply {
        self.with_job(who, number, |_, job| Reply::Job(Box::new(self.report(job))))
    }

    /// `change` returns whether to cancel the job's request. Without a disk, only the end of a running job is accepted.
    fn change(&self, who: &Owner, number: u64, change: impl FnOnce(&mut Job) -> Result<bool, String>) -> Option<Reply> {
        let mut table = self.table();
        let seen = table.jobs.get(&number).is_some_and(|job| self.may_see(who, job));
        let Some(job) = table.jobs.get_mut(&number).filter(|_| seen) else {
            return Some(refused(format!("job {number} not found, or it is not yours")));
        };
        let mut changed = job.clone();
        let cancels = match change(&mut changed) {
            Ok(cancels) => cancels,
            Err(why) => return Some(refused(format!("job {number} {why}"))),
        };
        if let Err(why) = self.save(&changed)
            && changed.state != JobState::Running
        {
            return Some(refused(format!("cannot save job {number}: {why}")));
        }
        if cancels {
            self.cancel_request(job);
        }
        let (job, ended) = (changed.number, changed.state == JobState::Ended);
        table.unpark(job);
        if changed.state == JobState::Waiting {
            changed.placed = None;
        }
        table.jobs.insert(job, changed);
        table.look = true;
        if ended {
            table.set_ended(job);
            self.ended.notify_all();
        } else {
            table.set_live(job);
            table.waiting.insert(job);
        }
        drop(table);
        self.wake();
        None
    }

    pub(super) fn cancel(&self, who: &Owner, number: u64, reason: &str) -> Reply {
        if reason.len() > LONGEST_REASON {
            return misused(format!("--reason: the request has {} bytes, the limit is {LONGEST_REASON}", reason.len()));
        }
        let found = {
            let table = self.table();
            let job = table.jobs.get(&number).filter(|job| self.may_see(who, job));
            job.map(|job| (job.clone(), job.owner.uid == who.uid))
        };
        let Some((job, own)) = found else { return refused(format!("job {number} not found, or it is not yours")) };
        let in_scheduler = matches!(job.state, JobState::Queued | JobState::Running);
        let by = who.identity.user.clone();
        let mut running = false;
        let refusal = self.change(who, number, |job| {
            if job.state != JobState::Ended {
                reason.clone_into(&mut job.cancel_reason);
            }
            match job.state {
                JobState::Ended => return Err("has already ended".to_owned()),
                JobState::Running => {
                    running = true;
                    job.stopping = Some(Stop::Cancelled(by));
                }
                JobState::Held | JobState::Waiting | JobState::Queued => {
                    let cancels = job.state == JobState::Queued && own;
                    job.end(Outcome::Cancelled(by), wall_ms());
                    return Ok(cancels);
                }
            }
            Ok(false)
        });
        if running {
            self.signal(&self.table(), number);
        }
        if refusal.is_none() && in_scheduler && !own {
            // The scheduler checks an administrator's action again and audits it.
            let act = PartitionAct::Kill { app: job.app(), expect_queue: None };
            self.perform_later_because(&self.actor(who), act, reason, |_| {});
        }
        refusal.unwrap_or_else(|| self.shown(who, number))
    }

    pub(super) fn hold(&self, who: &Owner, number: u64) -> Reply {
        let refusal = self.change(who, number, |job| {
            let cancels = job.state == JobState::Queued;
            match job.state {
                JobState::Running => return Err("is already running; use cancel to end it".to_owned()),
                JobState::Ended => return Err("has already ended".to_owned()),
                JobState::Queued => job.start_again(),
                JobState::Waiting | JobState::Held => {}
            }
            job.state = JobState::Held;
            Ok(cancels)
        });
        refusal.unwrap_or_else(|| self.shown(who, number))
    }

    pub(super) fn release(&self, who: &Owner, number: u64) -> Reply {
        let refusal = self.change(who, number, |job| match job.state {
            JobState::Held => {
                (job.state, job.confirmed) = (JobState::Waiting, false);
                Ok(false)
            }
            _ => Err("is not on hold".to_owned()),
        });
        if let Some(refusal) = refusal {
            return refusal;
        }
        let due = self.due(&mut self.table(), number);
        if let Some(job) = due {
            self.begin(&[job]);
        }
        self.shown(who, number)
    }

    pub(super) fn requeue(&self, who: &Owner, number: u64) -> Reply {
        let by = who.identity.user.clone();
        let mut running = false;
        let refusal = self.change(who, number, |job| match job.state {
            JobState::Running if job.stopping.is_some() => Err("is ending".to_owned()),
            JobState::Running => {
                running = true;
                job.stopping = Some(Stop::Requeued(by));
                Ok(false)
            }
            JobState::Ended => {
                job.next = job.attempts.last().map_or(1, |last| last.number + 1);
                (job.outcome, job.ended, job.retried) = (None, None, 0);
                job.cancel_reason.clear();
                job.start_again();
                Ok(false)
            }
            JobState::Held => Err("is on hold; use release".to_owned()),
            JobState::Waiting | JobState::Queued => Err("has not started".to_owned()),
        });
        if running {
            self.signal(&self.table(), number);
        }
        refusal.unwrap_or_else(|| self.shown(who, number))
    }

    pub(super) fn move_to(&self, who: &Owner, number: u64, queue: &str) -> Reply {
        let queued = {
            let table = self.table();
            let job = table.jobs.get(&number).filter(|job| self.may_see(who, job));
            let Some(job) = job.cloned() else {
                return refused(format!("job {number} not found, or it is not yours"));
            };
            job
        };
        let spec = JobSpec { queue: queue.to_owned(), ..JobSpec::clone(&queued.spec) };
        let moved = Job { spec: spec.into(), ..queued.clone() };
        match queued.state {
            JobState::Running => {
                return refused(format!("job {number} is already running; requeue it to start it again later"));
            }
            JobState::Ended => return refused(format!("job {number} has already ended")),
            JobState::Held | JobState::Waiting | JobState::Queued => {}
        }
        // With the rights of the owner, not of the user who moves the job.
        let to = match self.would_take(&moved) {
            Ok(to) => to,
            Err(why) => return refused(why),
        };
        if to != queue {
            return refused(format!("the placement rules select {to}, not {queue:?}"));
        }
        let refusal = self.change(who, number, |job| {
            let cancels = job.state == JobState::Queued;
            match job.state {
                JobState::Running => return Err("is already running".to_owned()),
                JobState::Ended => return Err("has already ended".to_owned()),
                // As another application: moving one needs the admin ACL.
                JobState::Queued => job.start_again(),
                JobState::Held | JobState::Waiting => {}
            }
            to.clone_into(&mut job.spec.queue);
            Ok(cancels)
        });
        refusal.unwrap_or_else(|| self.shown(who, number))
    }

    pub(super) fn set_priority(&self, who: &Owner, number: u64, priority: i32) -> Reply {
        let mut queued = None;
        let refusal = self.change(who, number, |job| {
            match job.state {
                JobState::Running => return Err("is already running".to_owned()),
                JobState::Ended => return Err("has already ended".to_owned()),
                JobState::Held | JobState::Waiting | JobState::Queued => job.spec.priority = priority,
            }
            queued = (job.state == JobState::Queued).then(|| job.clone());
            Ok(false)
        });
        if let Some(job) = queued.filter(|_| refusal.is_none()) {
            self.ask_again(&job);
        }
        refusal.unwrap_or_else(|| self.shown(who, number))
    }

    /// Repeats the request of a queued job, which replaces the pending one.
    fn ask_again(&self, job: &Job) {
        self.perform_later(&self.submitter(job), Self::ask_of(job), |_| {});
    }

    /// A queued job loses its position in the queue.
    pub(super) fn edit(&self, who: &Owner, number: u64, edit: &Edit) -> Reply {
        let machine = self.settings.machine.capacity();
        let (mut misuse, mut queued) = (None, None);
        let refusal = self.change(who, number, |job| {
            match job.state {
                JobState::Running => return Err("is already running".to_owned()),
                JobState::Ended => return Err("has already ended".to_owned()),
                JobState::Held | JobState::Waiting | JobState::Queued => {}
            }
            let changed = Job { spec: edited(&job.spec, edit).into(), ..job.clone() };
            if let Err(why) = check(&changed.spec) {
                misuse = Some(why.clone());
                return Err(why);
            }
            if too_large(&machine, &changed) {
                return Err(format!("can never start: this machine has {}", self.has()));
            }
            let cancels = job.state == JobState::Queued && changed.resource() != job.resource();
            if cancels {
                job.start_again();
            }
            let new_limit = job.spec.time_limit != changed.spec.time_limit;
            job.spec = changed.spec;
            queued = (job.state == JobState::Queued && new_limit).then(|| job.clone());
            Ok(cancels)
        });
        if let Some(job) = queued.filter(|_| refusal.is_none()) {
            self.ask_again(&job);
        }
        match misuse {
            Some(why) => misused(why),
            None => refusal.unwrap_or_else(|| self.shown(who, number)),
        }
    }
}

fn edited(spec: &JobSpec, edit: &Edit) -> JobSpec {
    let mut spec = spec.clone();
    spec.vcore = edit.vcore.unwrap_or(spec.vcore);
    spec.memory = edit.memory.unwrap_or(spec.memory);
    spec.gpu = edit.gpu.unwrap_or(spec.gpu);
    if let Some(seconds) = edit.time {
        spec.time_limit = (seconds > 0).then_some(seconds);
    }
    if let Some(name) = &edit.name {
        spec.name.clone_from(name);
    }
    spec
}
