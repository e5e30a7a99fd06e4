//! What becomes of a job after an attempt: its end, or another attempt; and of jobs that wait for it.

use super::daemon::{Daemon, Table};
use super::job::{AttemptEnd, Dependency, Job, JobState, Outcome, Stop, WhenStopped};
use super::wall_ms;
use crate::view::View;
use crate::view::act::PartitionAct;

/// What follows an attempt.
enum Next {
    /// It is over.
    End(Outcome),
    /// It is queued again.
    Again,
}

/// What follows the end of an attempt.
fn next(job: &Job, end: &AttemptEnd) -> Next {
    let requeues = job.spec.when_stopped == WhenStopped::Requeue;
    match (&job.stopping, &end.outcome) {
        (Some(Stop::Cancelled(by)), _) if end.asked => Next::End(Outcome::Cancelled(by.clone())),
        (Some(Stop::Cancelled(_)), outcome) => Next::End(outcome.clone()),
        (Some(Stop::Preempted), _) if end.asked && requeues => Next::Again,
        (Some(Stop::Preempted), _) if end.asked => Next::End(Outcome::Preempted),
        (_, Outcome::Lost(_)) if requeues => Next::Again,
        (_, Outcome::Exited(0)) => Next::End(end.outcome.clone()),
        _ if job.retried < job.spec.retry => Next::Again,
        (_, outcome) => Next::End(outcome.clone()),
    }
}

impl Daemon {
    /// Takes note of the end of an attempt.
    pub(super) fn finish(&self, table: &mut Table, number: u64, end: AttemptEnd) {
        let Some(job) = table.jobs.get_mut(&number) else { return };
        let (actor, attempt) = (self.submitter(job), job.next);
        let next = next(job, &end);
        let own_failure = job.stopping.is_none() && !matches!(end.outcome, Outcome::Lost(_));
        if let Some(last) = job.attempts.last_mut() {
            last.end = Some(end);
        }
        match next {
            Next::End(outcome) => {
                job.end(outcome, wall_ms());
                self.keep(job, true);
                self.perform_later(&actor, PartitionAct::Remove { app: job.app() }, |_| {});
                table.live.remove(&number);
                self.forget_old(table);
                self.wake();
            }
            Next::Again => {
                job.retried += u32::from(own_failure);
                (job.next, job.state, job.stopping) = (attempt + 1, JobState::Queued, None);
                self.keep(job, true);
                // The ask before the release: an application that has nothing left would complete.
                self.perform_later(&actor, Self::ask_of(job), |_| {});
                self.perform_later(&actor, Self::release_of(job, attempt), |_| {});
            }
        }
    }

    /// Forgets the oldest of those that ended, where there are too many.
    fn forget_old(&self, table: &mut Table) {
        let ended = table.jobs.len() - table.live.len();
        if ended > self.settings.history
            && let Some(oldest) = table.jobs.values().find(|job| job.state == JobState::Ended).map(|job| job.number)
        {
            table.jobs.remove(&oldest);
            self.store.remove(oldest);
        }
    }

    /// Finds queued jobs that the scheduler does not have any more, and those whose ask was not taken.
    pub(super) fn look_for_the_missing(&self, table: &mut Table, view: &View) {
        let queued: Vec<u64> = table.live.iter().copied().collect();
        for number in queued {
            let Some(job) = table.jobs.get_mut(&number) else { continue };
            if job.state != JobState::Queued || !job.confirmed {
                continue;
            }
            let ended = || Self::partition(view).is_some_and(|part| part.ended.iter().any(|app| app.id == job.app()));
            match Self::app(view, job) {
                Some(app) if app.asks.is_empty() => {
                    self.perform_later(&self.submitter(job), Self::ask_of(job), |_| {});
                }
                Some(_) => {}
                None if ended() => {
                    job.end(Outcome::Cancelled("an administrator".to_owned()), wall_ms());
                    self.keep(job, true);
                    table.live.remove(&number);
                }
                // The daemon was ended before the scheduler had it.
                None => (job.state, job.confirmed) = (JobState::Waiting, false),
            }
        }
    }

    /// Takes the jobs that wait for nothing any more out of those that wait; ends those whose wait is in vain.
    pub(super) fn ready(&self, table: &mut Table) -> Vec<Job> {
        let live = table.live.iter().filter_map(|number| table.jobs.get(number));
        let waiting: Vec<u64> = live.filter(|job| job.state == JobState::Waiting).map(|job| job.number).collect();
        let mut ready = Vec::new();
        for number in waiting {
            let Some(found) = table.jobs.get(&number).map(|job| met(table, &job.spec.after)) else { continue };
            let Some(job) = table.jobs.get_mut(&number) else { continue };
            match found {
                Ok(false) => {}
                Ok(true) => {
                    job.state = JobState::Queued;
                    self.keep(job, false);
                    ready.push(job.clone());
                }
                Err(why) => {
                    job.end(Outcome::NotStarted(why), wall_ms());
                    self.keep(job, true);
                    table.live.remove(&number);
                    self.wake();
                }
            }
        }
        ready
    }

    /// Submits a job whose wait is over to the scheduler; a refusal ends it.
    pub(super) fn begin(&self, job: &Job) {
        let outcome = self.enqueue(job);
        let mut table = self.table();
        let Some(kept) = table.jobs.get_mut(&job.number) else { return };
        match outcome {
            Ok(()) => kept.confirmed = true,
            Err(why) => {
                kept.end(Outcome::NotStarted(format!("{}: {}", why.message, why.description)), wall_ms());
                self.keep(kept, true);
                table.live.remove(&job.number);
                drop(table);
                self.ended.notify_all();
            }
        }
    }
}

/// Whether the jobs have ended that another one waits for.
///
/// # Errors
/// Why they never will as they should.
fn met(table: &Table, after: &[Dependency]) -> Result<bool, String> {
    let mut all = true;
    for dependency in after {
        match table.jobs.get(&dependency.job).map(|job| (job.state, &job.outcome)) {
            Some((JobState::Ended, Some(outcome))) if dependency.ok && *outcome != Outcome::Exited(0) => {
                return Err(format!("job {} ended otherwise than by 0: {outcome}", dependency.job));
            }
            // One that is not kept any more has ended long ago.
            Some((JobState::Ended, _)) | None => {}
            Some(_) => all = false,
        }
    }
    Ok(all)
}
