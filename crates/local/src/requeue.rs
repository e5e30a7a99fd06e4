//! After an attempt: the job's end or another attempt, and dependent jobs.

use std::collections::HashSet;

use super::after::{Alone, met};
use super::crowd;
use super::daemon::Daemon;
use super::job::{AttemptEnd, Job, JobState, Outcome, Stop, WhenStopped};
use super::offer::Offered;
use super::table::Table;
use super::wall_ms;
use model::AppState;
use view::View;
use view::act::{PartitionAct, Refusal};

/// Number of jobs that are submitted before other work has its turn.
const MOST_AT_ONCE: usize = 64;

/// Maximum number of restarts of a job whose supervisor ends at its start.
const MOST_LOST: usize = 5;
/// What is soon, in milliseconds.
const SOON: u64 = 60_000;

enum Next {
    End(Outcome),
    Again,
}

/// Counts the consecutive attempts before the last one that were lost soon after their start.
fn lost_at_once(job: &Job) -> usize {
    let ended = job.attempts.iter().rev().skip(1).map(|attempt| (attempt.started, attempt.end.as_ref()));
    let lost = ended.take_while(|(started, end)| {
        end.is_some_and(|end| matches!(end.outcome, Outcome::Lost(_)) && end.at.saturating_sub(*started) < SOON)
    });
    lost.count()
}

fn next(job: &Job, end: &AttemptEnd) -> Next {
    let requeues = job.spec.when_stopped == WhenStopped::Requeue;
    // A shutdown kills the job before its supervisor can report that it was asked to end.
    let stopped = end.asked || matches!(end.outcome, Outcome::Lost(_));
    match (&job.stopping, &end.outcome) {
        (Some(Stop::Cancelled(by)), _) if stopped => Next::End(Outcome::Cancelled(by.clone())),
        (Some(Stop::Cancelled(_)), outcome) => Next::End(outcome.clone()),
        (Some(Stop::Requeued(_)), _) if stopped => Next::Again,
        (Some(Stop::Preempted), _) if end.asked && requeues => Next::Again,
        (Some(Stop::Preempted), _) if end.asked => Next::End(Outcome::Preempted),
        (_, Outcome::Lost(_)) if requeues && lost_at_once(job) < MOST_LOST => Next::Again,
        (_, Outcome::Exited(0)) => Next::End(end.outcome.clone()),
        _ if job.retried < job.spec.retry => Next::Again,
        (_, outcome) => Next::End(outcome.clone()),
    }
}

impl Daemon {
    pub(super) fn finish(&self, table: &mut Table, number: u64, end: AttemptEnd) {
        let Some(job) = table.jobs.get_mut(&number) else { return };
        let (actor, attempt) = (self.submitter(job), job.next);
        let next = next(job, &end);
        let own_failure = job.stopping.is_none() && !matches!(end.outcome, Outcome::Lost(_));
        let at = end.at;
        if let Some(last) = job.attempts.last_mut() {
            last.end = Some(end);
        }
        self.count_output(table, number, attempt);
        let Some(job) = table.jobs.get_mut(&number) else { return };
        match next {
            Next::End(outcome) => {
                job.end(outcome, at);
                if self.keep(job) {
                    self.store.has_ended(number, attempt);
                }
                self.perform_later(&actor, PartitionAct::Remove { app: job.app() }, |_| {});
                table.set_ended(number);
                self.forget_old(table);
                self.wake();
            }
            Next::Again => {
                job.retried += u32::from(own_failure);
                (job.next, job.state, job.stopping) = (attempt + 1, JobState::Queued, None);
                if self.keep(job) {
                    self.store.has_ended(number, attempt);
                }
                // The request before the release: an application without both would complete.
                self.perform_later(&actor, Self::ask_of(job), |_| {});
                self.perform_later(&actor, Self::release_of(job, attempt), |_| {});
            }
        }
    }

    /// Finds queued jobs that the scheduler no longer has, and jobs without a request.
    pub(super) fn look_for_the_missing(&self, table: &mut Table, view: &View) {
        let apps = Self::apps(view);
        let queued: Vec<u64> = table.live.iter().copied().collect();
        for number in queued {
            let Some(job) = table.jobs.get_mut(&number) else { continue };
            if job.state != JobState::Queued || !job.confirmed {
                continue;
            }
            let ended = || {
                let ended = Self::partition(view).map(|part| part.ended.iter().find(|app| app.id == job.app()));
                ended.flatten().map(|app| app.state)
            };
            match apps.get(&job.app()) {
                Some(app) if !app.asks.values().any(|ask| ask.id == job.ask()) => {
                    self.perform_later(&self.submitter(job), Self::ask_of(job), |_| {});
                }
                Some(_) => {}
                None => {
                    match ended() {
                        // The daemon ended before the scheduler had the job.
                        None => (job.state, job.confirmed) = (JobState::Waiting, false),
                        // The daemon ended between a release and the next request.
                        Some(AppState::Completing | AppState::Completed) => job.start_again(),
                        Some(_) => job.end(Outcome::Cancelled("an administrator".to_owned()), wall_ms()),
                    }
                    self.keep(job);
                    if job.state == JobState::Ended {
                        table.set_ended(number);
                        self.ended.notify_all();
                    } else {
                        table.waiting.insert(number);
                    }
                    table.look = true;
                }
            }
        }
    }

    /// Takes jobs with met conditions, a few at a time; ends jobs whose conditions can never be met.
    pub(super) fn ready(&self, table: &mut Table) -> Vec<Job> {
        let machine = self.settings.machine.capacity();
        table.unpark_first(&machine);
        let (mut alone, mut arrays) = (None, HashSet::new());
        let (mut ready, mut from) = (Vec::new(), 0);
        while let Some(number) = table.waiting.range(from..).next().copied() {
            from = number + 1;
            if ready.len() >= MOST_AT_ONCE {
                table.look = true;
                self.wake();
                break;
            }
            let Some(job) = table.jobs.get(&number).filter(|job| job.state == JobState::Waiting) else {
                // A held job returns at its release.
                table.waiting.remove(&number);
                continue;
            };
            let later = job.spec.begin.is_some_and(|begin| begin > wall_ms());
            let found = met(table, job.after()).map(|met| met && !later);
            if found == Ok(true) && job.spec.singleton {
                let alone = alone.get_or_insert_with(|| Alone::of(table));
                if !alone.lets(job) {
                    continue;
                }
                alone.take(job);
            }
            if let Some(task) = job.array {
                arrays.insert(task.first);
                let turn = match found {
                    Ok(true) => table.busy.has_space(&table.jobs, &task, crowd::most(&machine, job)),
                    Ok(false) => !job.own_after.is_empty(),
                    Err(_) => true,
                };
                if !turn {
                    // Nor have the others of the array, of which there may be very many.
                    (from, table.look_again) = (task.last() + 1, table.look_again || later);
                    continue;
                }
            }
            let crowd = crowd::key(job).filter(|_| found == Ok(true));
            if let Some(key) = crowd.filter(|key| !table.crowds.enter(*key, crowd::most(&machine, job))) {
                let queue = self.would_place(job).unwrap_or_else(|| job.spec.queue.clone());
                table.park(key, number, queue);
                continue;
            }
            let Some(job) = table.jobs.get_mut(&number) else { continue };
            match found {
                Ok(false) => {
                    table.look_again |= later;
                    continue;
                }
                Ok(true) => {
                    if !self.queue(job) {
                        table.look_again = true;
                        continue;
                    }
                    table.busy.add(job);
                    ready.push(job.clone());
                }
                Err(why) => {
                    self.end_unstarted(table, number, why);
                    self.wake();
                }
            }
            table.waiting.remove(&number);
        }
        table.busy.retain(|first| arrays.contains(&first));
        ready
    }

    pub(super) fn begin(&self, jobs: &[Job]) {
        let offered: Vec<Offered> = jobs.iter().map(|job| self.offer(job)).collect();
        jobs.iter().zip(offered).for_each(|(job, offered)| self.has_started(job, self.taken(job, offered)));
    }

    pub(super) fn take_answers(&self) {
        let answered = self.table_in_turn().take_answered();
        answered.into_iter().for_each(|(job, offered)| self.has_started(&job, self.taken(&job, offered)));
    }

    fn has_started(&self, job: &Job, outcome: Result<(), Refusal>) {
        let mut table = self.table();
        let Some(state) = table.confirm(job) else {
            drop(table);
            return self.cancel_request(job);
        };
        if let Err(why) = outcome
            && state == JobState::Queued
        {
            self.end_unstarted(&mut table, job.number, format!("{}: {}", why.message, why.description));
            drop(table);
            self.wake();
        }
    }

    fn end_unstarted(&self, table: &mut Table, number: u64, why: String) {
        let Some(job) = table.jobs.get_mut(&number) else { return };
        job.end(Outcome::NotStarted(why), wall_ms());
        self.keep(job);
        table.set_ended(number);
        table.look = true;
        self.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Attempt, JobSpec, Owner};
    use model::Identity;

    #[test]
    fn a_job_that_is_lost_at_each_start_is_not_restarted_forever() {
        let identity = Identity { user: "sue".to_owned(), groups: Vec::new() };
        let owner = Owner { uid: 1, gid: 1, groups: Vec::new(), identity };
        let lost = |number: u32, after: u64| {
            let end = AttemptEnd { at: after, ..AttemptEnd::new(Outcome::Lost("gone".to_owned())) };
            Attempt { number, started: 0, gpus: Vec::new(), end: Some(end) }
        };
        let with = |after: u64, number: u32| {
            let mut job = Job::new(1, JobSpec::default(), owner.clone(), 0);
            job.attempts = (1..=number).map(|number| lost(number, after)).collect();
            let end = AttemptEnd::new(Outcome::Lost("gone".to_owned()));
            matches!(next(&job, &end), Next::Again)
        };
        assert!(with(10, 1) && with(10, 5), "it is tried again");
        assert!(!with(10, 6), "but not for ever");
        assert!(with(3_600_000, 50), "a machine that restarts now and then keeps no job from its end");
    }
}
