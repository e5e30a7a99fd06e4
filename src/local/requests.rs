//! What is asked over the socket, carried out for whom the kernel names.

use std::time::Duration;

use super::daemon::{Daemon, Table};
use super::job::{Job, JobSpec, JobState, Outcome, Owner, Stop};
use super::reconcile::too_large;
use super::wire::{Info, JobReport, Reply, Request};
use super::{output, wall_ms};
use crate::model::{AppState, MEMORY, VCORE, quantity};
use crate::view::act::{Act, PartitionAct, Refusal};
use crate::view::{AskState, PendingReason, View};

/// How long one request waits at most for the end of a job; who waits longer asks again.
const WAIT: Duration = Duration::from_secs(20);
/// How many bytes of output one answer has at most.
const MOST_OUTPUT: usize = 256 << 10;
/// How many bytes a command with its environment may have.
const LARGEST_JOB: usize = 1 << 20;

/// An answer with the output that goes with it.
pub(super) type Answered = (Reply, Vec<u8>);

fn refused(message: impl Into<String>) -> Reply {
    Reply::Refused { usage: false, message: message.into() }
}

fn misused(message: impl Into<String>) -> Reply {
    Reply::Refused { usage: true, message: message.into() }
}

fn by_scheduler(why: &Refusal) -> Reply {
    refused(format!("{}: {}", why.message, why.description))
}

impl Daemon {
    /// Carries a request out.
    pub(super) fn answer(&self, who: &Owner, request: Request) -> Answered {
        let reply = match request {
            Request::Submit(spec) => self.submit(who, *spec),
            Request::Jobs { ended } => self.jobs(who, ended),
            Request::Job(number) => self.with_job(who, number, |_, job| Reply::Job(Box::new(self.report(job)))),
            Request::Logs { job, attempt, from } => return self.logs(who, job, attempt, from),
            Request::Wait(number) => self.wait_for_job(who, number),
            Request::Cancel(number) => self.cancel(who, number),
            Request::Hold(number) => self.hold(who, number),
            Request::Release(number) => self.release(who, number),
            Request::Info => Reply::Info(self.info()),
        };
        (reply, Vec::new())
    }

    fn info(&self) -> Info {
        let (machine, owner) = (&self.settings.machine, &self.settings.owner);
        let serves = if owner.uid == 0 {
            "every user of this machine; jobs run as who submitted them".to_owned()
        } else {
            format!("{} only", owner.identity.user)
        };
        Info {
            machine: machine.name.clone(),
            vcore: machine.vcore,
            memory: machine.memory,
            gpu: machine.gpu,
            serves,
            limits: self.settings.enforcement.describe(),
        }
    }

    fn submit(&self, who: &Owner, mut spec: JobSpec) -> Reply {
        let machine = &self.settings.machine;
        if spec.memory == 0 && machine.vcore > 0 {
            let share = i128::from(machine.memory) * i128::from(spec.vcore) / i128::from(machine.vcore);
            spec.memory = i64::try_from(share).unwrap_or(i64::MAX);
        }
        if let Err(why) = self.check(&spec) {
            return misused(why);
        }
        let job = {
            let mut table = self.table();
            if let Some(missing) = spec.after.iter().find(|after| !self.knows(&table, who, after.job)) {
                return misused(format!("--after {}: you have no such job", missing.job));
            }
            let number = table.last + 1;
            let job = Job::new(number, spec, who.clone(), wall_ms());
            if too_large(&machine.capacity(), &job) {
                return refused(format!("this machine has no room for it, ever: it has {}", self.has()));
            }
            table.last = number;
            job
        };
        // On the disk before anything is done: a daemon that ends now continues with it at its next start.
        if let Err(why) = self.store.save(&job, true) {
            return refused(format!("the job cannot be kept: {why}"));
        }
        let number = job.number;
        let at_once = {
            let mut table = self.table();
            table.jobs.insert(number, job);
            table.live.insert(number);
            self.due(&mut table, number)
        };
        if let Some(job) = at_once
            && let Err(why) = self.enqueue(&job)
        {
            self.table().jobs.remove(&number);
            self.table().live.remove(&number);
            self.store.remove(number);
            return by_scheduler(&why);
        }
        let mut table = self.table();
        let Some(job) = table.jobs.get_mut(&number) else { return refused("the job is gone already") };
        job.confirmed = true;
        Reply::Job(Box::new(self.report(job)))
    }

    /// Marks a job as queued if it waits for nothing. Gives it, to be submitted to the scheduler.
    fn due(&self, table: &mut Table, number: u64) -> Option<Job> {
        let job = table.jobs.get_mut(&number)?;
        if job.state != JobState::Waiting || !job.spec.after.is_empty() {
            return None;
        }
        job.state = JobState::Queued;
        self.keep(job, false);
        Some(job.clone())
    }

    fn has(&self) -> String {
        let machine = &self.settings.machine;
        let (cores, memory) = (quantity::show_vcore(machine.vcore), quantity::show_memory(machine.memory));
        format!("{cores} cores, {memory} of memory, {} GPUs", machine.gpu)
    }

    fn check(&self, spec: &JobSpec) -> Result<(), String> {
        let size: usize = spec.command.iter().map(String::len).sum::<usize>()
            + spec.env.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        let text = || spec.command.iter().chain(spec.env.iter().flat_map(|(name, value)| [name, value]));
        match spec {
            _ if spec.command.first().is_none_or(String::is_empty) => Err("there is no command".to_owned()),
            _ if size > LARGEST_JOB => Err(format!("command and environment have {size} bytes, at most {LARGEST_JOB}")),
            _ if text().chain([&spec.dir]).any(|text| text.contains('\0')) => Err("there is a NUL in it".to_owned()),
            _ if !spec.dir.starts_with('/') => Err(format!("the directory {:?} is not absolute", spec.dir)),
            _ if spec.vcore <= 0 || spec.memory <= 0 || spec.gpu < 0 => {
                Err(format!("it must ask for more than nothing of {VCORE} and {MEMORY}"))
            }
            _ => Ok(()),
        }
    }

    fn knows(&self, table: &Table, who: &Owner, number: u64) -> bool {
        table.jobs.get(&number).is_some_and(|job| self.may_see(who, job))
    }

    /// Whether somebody may see and end a job: his own, as the administrator of its queue, or as who runs the daemon.
    fn may_see(&self, who: &Owner, job: &Job) -> bool {
        if who.uid == job.owner.uid || who.uid == 0 || who.uid == self.settings.owner.uid {
            return true;
        }
        let view = self.engine.published().view();
        let part = Self::partition(&view).map(|part| part.name.clone());
        let act = PartitionAct::Kill { app: job.app(), expect_queue: None };
        part.is_some_and(|partition| view.may(&self.actor(who), &Act::In { partition, act }).is_ok())
    }

    /// Does something with a job that somebody may see. To others it is not there.
    fn with_job(&self, who: &Owner, number: u64, act: impl FnOnce(&Table, &Job) -> Reply) -> Reply {
        let table = self.table();
        match table.jobs.get(&number).filter(|job| self.may_see(who, job)) {
            Some(job) => act(&table, job),
            None => refused(format!("there is no job {number}, or it is not yours")),
        }
    }

    fn report(&self, job: &Job) -> JobReport {
        Self::report_by(&self.engine.published().view(), job)
    }

    fn report_by(view: &View, job: &Job) -> JobReport {
        let app = Self::app(view, job);
        let queue = app.map_or_else(|| job.spec.queue.clone(), |app| app.queue.to_string());
        let reason = match job.state {
            JobState::Waiting => {
                let jobs: Vec<String> = job.spec.after.iter().map(|after| after.job.to_string()).collect();
                format!("after {}", jobs.join(", "))
            }
            JobState::Running if job.stopping.is_some() => "being ended".to_owned(),
            JobState::Queued => app.map_or_else(String::new, |app| {
                let pending = app.asks.values().find_map(|ask| match ask.state {
                    AskState::Pending { reason, .. } => Some(reason),
                    AskState::Allocated { .. } => None,
                });
                match pending {
                    Some(PendingReason::QueueQuota) => "the queue has no room".to_owned(),
                    Some(PendingReason::UserQuota) => "the limits of the user have no room".to_owned(),
                    Some(PendingReason::NoNode) => "the machine has no room".to_owned(),
                    Some(_) if app.state == AppState::Accepted => "others are before it".to_owned(),
                    Some(_) => String::new(),
                    None => "about to begin".to_owned(),
                }
            }),
            _ => String::new(),
        };
        JobReport::new(job, queue, reason)
    }

    fn jobs(&self, who: &Owner, ended: bool) -> Reply {
        let (table, view) = (self.table(), self.engine.published().view());
        let wanted = table.jobs.values().filter(|job| ended || job.state != JobState::Ended);
        let seen = wanted.filter(|job| self.may_see(who, job));
        Reply::Jobs(seen.map(|job| Self::report_by(&view, job)).collect())
    }

    fn wait_for_job(&self, who: &Owner, number: u64) -> Reply {
        let until = std::time::Instant::now() + WAIT;
        let mut table = self.table();
        loop {
            let Some(job) = table.jobs.get(&number).filter(|job| self.may_see(who, job)) else {
                return refused(format!("there is no job {number}, or it is not yours"));
            };
            let left = until.saturating_duration_since(std::time::Instant::now());
            if job.state == JobState::Ended || left.is_zero() {
                return Reply::Job(Box::new(self.report(job)));
            }
            table = self.wait_for_end(table, left);
        }
    }

    fn logs(&self, who: &Owner, number: u64, attempt: Option<u32>, from: u64) -> Answered {
        let mut found = None;
        let reply = self.with_job(who, number, |_, job| {
            let wanted = job.attempts.iter().rev().find(|one| attempt.is_none_or(|number| one.number == number));
            let over = job.state == JobState::Ended;
            match wanted {
                Some(one) => {
                    found = Some((one.number, over || one.end.is_some()));
                    Reply::Jobs(Vec::new())
                }
                None if attempt.is_some() => refused(format!("job {number} has no such attempt")),
                None => Reply::Output { bytes: 0, first: 0, attempt: 0, ended: over },
            }
        });
        let Some((attempt, over)) = found else { return (reply, Vec::new()) };
        match output::read(&self.store.attempt(number, attempt), from, MOST_OUTPUT) {
            Ok((first, bytes)) => {
                let ended = over && bytes.len() < MOST_OUTPUT;
                (Reply::Output { bytes: bytes.len() as u64, first, attempt, ended }, bytes)
            }
            Err(why) => (refused(format!("the output cannot be read: {why}")), Vec::new()),
        }
    }

    fn cancel(&self, who: &Owner, number: u64) -> Reply {
        let found = {
            let table = self.table();
            let job = table.jobs.get(&number).filter(|job| self.may_see(who, job));
            job.map(|job| (job.clone(), job.owner.uid == who.uid))
        };
        let Some((job, own)) = found else { return refused(format!("there is no job {number}, or it is not yours")) };
        let in_scheduler = matches!(job.state, JobState::Queued | JobState::Running);
        if in_scheduler && !own {
            // An administrator's right is checked, and kept in the audit, where every other one's is.
            let act = PartitionAct::Kill { app: job.app(), expect_queue: None };
            if let Err(why) = self.perform(&self.actor(who), act) {
                return by_scheduler(&why);
            }
        }
        let mut table = self.table();
        let by = who.identity.user.clone();
        let Some(job) = table.jobs.get_mut(&number) else { return refused(format!("there is no job {number}")) };
        match job.state {
            JobState::Ended => return refused(format!("job {number} has ended already")),
            JobState::Running => {
                job.stopping = Some(Stop::Cancelled(by));
                self.keep(job, true);
                self.signal(&table, number);
            }
            JobState::Held | JobState::Waiting | JobState::Queued => {
                job.end(Outcome::Cancelled(by), wall_ms());
                self.keep(job, true);
                if in_scheduler && own {
                    self.perform_later(&self.submitter(job), PartitionAct::Remove { app: job.app() }, |_| {});
                }
                table.live.remove(&number);
                self.ended.notify_all();
                self.wake();
            }
        }
        drop(table);
        self.with_job(who, number, |_, job| Reply::Job(Box::new(self.report(job))))
    }

    fn hold(&self, who: &Owner, number: u64) -> Reply {
        let reply = self.with_job(who, number, |_, job| match job.state {
            JobState::Queued | JobState::Waiting | JobState::Held => Reply::Job(Box::new(self.report(job))),
            JobState::Running => refused(format!("job {number} runs already; cancel ends it")),
            JobState::Ended => refused(format!("job {number} has ended already")),
        });
        if matches!(reply, Reply::Job(_)) {
            let mut table = self.table();
            if let Some(job) = table.jobs.get_mut(&number) {
                if job.state == JobState::Queued {
                    self.perform_later(&self.submitter(job), PartitionAct::Remove { app: job.app() }, |_| {});
                    job.generation += 1;
                }
                job.state = JobState::Held;
                self.keep(job, true);
            }
            drop(table);
            return self.with_job(who, number, |_, job| Reply::Job(Box::new(self.report(job))));
        }
        reply
    }

    fn release(&self, who: &Owner, number: u64) -> Reply {
        let reply = self.with_job(who, number, |_, job| match job.state {
            JobState::Held => Reply::Job(Box::new(self.report(job))),
            _ => refused(format!("job {number} is not held")),
        });
        if !matches!(reply, Reply::Job(_)) {
            return reply;
        }
        let due = {
            let mut table = self.table();
            if let Some(job) = table.jobs.get_mut(&number) {
                (job.state, job.confirmed) = (JobState::Waiting, false);
                self.keep(job, true);
            }
            self.due(&mut table, number)
        };
        if let Some(job) = due {
            self.begin(&job);
        }
        self.with_job(who, number, |_, job| Reply::Job(Box::new(self.report(job))))
    }
}
