//! Requests over the socket, for the user that the kernel reports.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use super::cgroup::Enforcement;
use super::daemon::Daemon;
use super::filter::Filter;
use super::job::{Job, JobState, Owner};
use super::output;
use super::pending::Reasons;
use super::placing::Starts;
use super::table::Table;
use super::wire::{Info, JobReport, Reply, Request};
use super::{about_ms, crowd, wall_ms};
use view::AppRow;
use view::act::Refusal;
use view::placement::access;

/// Maximum wait of one request for the end of a job; clients repeat the request.
const WAIT: Duration = Duration::from_secs(20);
const MOST_OUTPUT: usize = 256 << 10;

const LONGEST_TITLE: usize = 100;
const MOST_NAMES: usize = 1000;

pub(super) struct Answered {
    pub reply: Reply,
    pub output: Vec<u8>,
    pub terminal: Option<UnixStream>,
}

impl From<Reply> for Answered {
    fn from(reply: Reply) -> Self {
        Self { reply, output: Vec::new(), terminal: None }
    }
}

pub(super) fn refused(message: impl Into<String>) -> Reply {
    Reply::Refused { usage: false, message: message.into() }
}

pub(super) fn misused(message: impl Into<String>) -> Reply {
    Reply::Refused { usage: true, message: message.into() }
}

pub(super) fn by_scheduler(why: &Refusal) -> Reply {
    refused(format!("{}: {}", why.message, why.description))
}

fn title(job: &Job) -> String {
    let command = job.spec.command.iter().skip(1).filter(|_| job.spec.name.is_empty());
    let name = job.name();
    let words = std::iter::once(name.as_str()).chain(command.flat_map(|word| [" ", word.as_str()]));
    words.flat_map(str::chars).take(LONGEST_TITLE).collect()
}

impl Daemon {
    pub(super) fn answer(&self, who: &Owner, request: Request) -> Answered {
        let reply = match request {
            Request::Submit(spec) => self.submit(who, *spec),
            Request::Jobs { ended } => self.list(who, &Filter { since: ended.then_some(0), ..Filter::default() }),
            Request::List(filter) => self.list(who, &filter),
            Request::Job(number) => self.one_job(who, number),
            Request::Logs { job, attempt, from, last } => return self.logs(who, job, attempt, (from, last)),
            Request::Wait(number) => self.wait_for_job(who, number),
            Request::Cancel(number) => self.cancel(who, number, ""),
            Request::CancelBecause { job, reason } => self.cancel(who, job, &reason),
            Request::Drain { reason } => self.drain(who, &reason),
            Request::Undrain => self.undrain(who),
            Request::Hold(number) => self.hold(who, number),
            Request::Release(number) => self.release(who, number),
            Request::Requeue(number) => self.requeue(who, number),
            Request::Move { job, queue } => self.move_to(who, job, &queue),
            Request::Priority { job, priority } => self.set_priority(who, job, priority),
            Request::Edit { job, edit } => self.edit(who, job, &edit),
            Request::Queues => self.queues(who),
            Request::Names(numbers) => self.names(who, &numbers),
            Request::Use => self.used(who, None),
            Request::UseOf(number) => self.used(who, Some(number)),
            Request::Where(spec) => self.where_to(who, *spec),
            Request::Attach(number) => match self.terminal_of(who, number) {
                Ok(stream) => return Answered { terminal: Some(stream), ..Reply::Attached.into() },
                Err(refused) => refused,
            },
            Request::Endpoint => self.let_in(who),
            Request::Info => Reply::Info(Box::new(self.info())),
        };
        reply.into()
    }

    fn let_in(&self, who: &Owner) -> Reply {
        let machine = self.settings.machine.name.clone();
        match self.token_source.get().map(|source| source(&who.identity)) {
            Some(Ok((url, token))) => Reply::Endpoint { machine, url, token },
            Some(Err(why)) => refused(format!("cannot create a console token: {why}")),
            None => refused("consoles are not accepted here"),
        }
    }

    pub(super) fn info(&self) -> Info {
        let (machine, owner) = (&self.settings.machine, &self.settings.owner);
        let serves = if owner.uid == 0 {
            "all users of this machine; jobs run as their submitter".to_owned()
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
            enforced: matches!(self.settings.enforcement, Enforcement::Cgroup(_)),
            notices: self.notices(),
        }
    }

    fn notices(&self) -> Vec<String> {
        let view = self.engine.published().view();
        let config = engine::rejected_file(&view).map(|notice| {
            let first = notice.text.lines().next().unwrap_or_default();
            format!("{}: {first}", notice.title)
        });
        self.drained(Self::partition(&view)).into_iter().chain(self.unkept()).chain(config).collect()
    }

    fn queues(&self, who: &Owner) -> Reply {
        let view = self.engine.published().view();
        let part = Self::partition(&view);
        let rows = part.into_iter().flat_map(|part| part.queues.iter().flatten().map(move |row| (part, row)));
        let leaves = rows.filter(|(_, row)| row.leaf);
        let may = leaves.filter(|(part, row)| access::submit(*part, row.path.as_str(), &who.identity).is_some());
        Reply::Queues(may.map(|(_, row)| row.path.to_string()).collect())
    }

    fn names(&self, who: &Owner, numbers: &[u64]) -> Reply {
        let table = self.table();
        let jobs = numbers.iter().take(MOST_NAMES).filter_map(|number| table.jobs.get(number));
        Reply::Names(jobs.filter(|job| self.may_see(who, job)).map(|job| (job.number, title(job))).collect())
    }

    pub(super) fn knows(&self, table: &Table, who: &Owner, number: u64) -> bool {
        table.jobs.get(&number).is_some_and(|job| self.may_see(who, job))
    }

    /// The owner, an administrator of the queue, and the daemon's user.
    pub(super) fn may_see(&self, who: &Owner, job: &Job) -> bool {
        if who.uid == job.owner.uid || who.uid == 0 || who.uid == self.settings.owner.uid {
            return true;
        }
        self.administers(who, job)
    }

    /// Acts on a job if the user may see it; otherwise reports it as missing.
    pub(super) fn with_job(&self, who: &Owner, number: u64, act: impl FnOnce(&Table, &Job) -> Reply) -> Reply {
        let table = self.table();
        match table.jobs.get(&number).filter(|job| self.may_see(who, job)) {
            Some(job) => act(&table, job),
            None => refused(format!("job {number} not found, or it is not yours")),
        }
    }

    pub(super) fn report(&self, job: &Job) -> JobReport {
        let view = self.engine.published().view();
        let part = Self::partition(&view);
        let reasons = Reasons::new(part, self.drained(part));
        if (job.state == JobState::Queued && !job.confirmed) || (job.state == JobState::Waiting && job.placed.is_none())
        {
            // The scheduler gets the job later: a search of all applications would not find it.
            let app = Self::newest_app(&view, job);
            let mut report = self.report_by(&reasons, app, job);
            if app.is_none() {
                report.queue = self.would_place(job).unwrap_or(report.queue);
            }
            return report;
        }
        let ended = || part?.app_by_id(&job.app());
        self.report_by(&reasons, Self::app(&view, job).or_else(ended), job)
    }

    pub(super) fn report_by(&self, reasons: &Reasons<'_>, app: Option<&Arc<AppRow>>, job: &Job) -> JobReport {
        let queue = app.map_or_else(|| job.queue().to_owned(), |app| app.queue.to_string());
        let reason = match job.state {
            JobState::Waiting if job.after().next().is_some() => {
                let jobs: Vec<String> = job.after().map(ToString::to_string).collect();
                format!("after {}", jobs.join(", "))
            }
            JobState::Waiting if job.spec.singleton => {
                format!("after earlier jobs of {} with this name (singleton)", job.owner.identity.user)
            }
            JobState::Waiting if job.spec.begin.is_some_and(|begin| begin > wall_ms()) => {
                let left = job.spec.begin.unwrap_or_default().saturating_sub(wall_ms());
                format!("waits for its start time, in {}", about_ms(left))
            }
            JobState::Waiting => match job.array {
                Some(task) if (1..crowd::most(&self.settings.machine.capacity(), job)).contains(&task.most) => {
                    format!("at most {} tasks of its array run at the same time", task.most)
                }
                Some(_) => "waits for earlier tasks of its array".to_owned(),
                None if job.placed.is_some() => "waits for earlier jobs with the same request".to_owned(),
                None => "about to be queued".to_owned(),
            },
            JobState::Running if job.stopping.is_some() => "being ended".to_owned(),
            JobState::Queued => reasons.why_queued(app.map(|app| &**app), job),
            _ => String::new(),
        };
        JobReport::new(job, queue, reason)
    }

    fn one_job(&self, who: &Owner, number: u64) -> Reply {
        let is_queued = self.table().jobs.get(&number).is_some_and(|job| job.state == JobState::Queued);
        let starts = if is_queued { self.starts() } else { Starts::default() };
        self.with_job(who, number, |_, job| Reply::Job(Box::new(starts.add_to(self.report(job)))))
    }

    fn wait_for_job(&self, who: &Owner, number: u64) -> Reply {
        let until = std::time::Instant::now() + WAIT;
        let mut table = self.table();
        loop {
            let Some(job) = table.jobs.get(&number).filter(|job| self.may_see(who, job)) else {
                return refused(format!("job {number} not found, or it is not yours"));
            };
            let left = until.saturating_duration_since(std::time::Instant::now());
            if job.state == JobState::Ended || left.is_zero() {
                return Reply::Job(Box::new(self.report(job)));
            }
            table = self.wait_for_end(table, left);
        }
    }

    fn logs(&self, who: &Owner, number: u64, attempt: Option<u32>, (from, last): (u64, Option<u64>)) -> Answered {
        let mut found = None;
        let reply = self.with_job(who, number, |_, job| {
            let wanted = job.attempts.iter().rev().find(|one| attempt.is_none_or(|number| one.number == number));
            let over = job.state == JobState::Ended;
            match wanted {
                Some(one) => {
                    found = Some((one.number, over || one.end.is_some()));
                    Reply::Jobs(Vec::new())
                }
                None if attempt.is_some() => refused(format!("job {number} does not have this attempt")),
                None => Reply::Output { bytes: 0, first: 0, attempt: 0, ended: over },
            }
        });
        let Some((attempt, over)) = found else { return reply.into() };
        let dir = self.store.attempt(number, attempt);
        let from = match last {
            Some(last) => from.max(output::end(&dir).saturating_sub(last)),
            None => from,
        };
        match output::read(&dir, from, MOST_OUTPUT) {
            Ok((first, bytes)) => {
                let ended = over && bytes.len() < MOST_OUTPUT;
                let reply = Reply::Output { bytes: bytes.len() as u64, first, attempt, ended };
                Answered { output: bytes, ..reply.into() }
            }
            Err(why) => refused(format!("cannot read the output: {why}")).into(),
        }
    }
}
