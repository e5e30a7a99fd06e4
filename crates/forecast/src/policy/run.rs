//! Runs a case.

use std::sync::Arc;
use std::time::Duration;

use super::{Amounts, Case, CaseKind, Expectation, Expected, Placement, QueueUse, Scheduling, When};
use crate::simulate::{Guest, Plan, Stopped, Workload, run_with};
use config::{Config, Place};
use model::quantity::show_amount;
use model::{AppId, AppState, Profile, Resource, Time};
use scheduler::state::app::Application;
use scheduler::{Command, EventKind, Partition, PartitionCommand, Scheduler, Submission};

const EVERY: Duration = Duration::from_secs(1);

/// A failed expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Of the expectation, or of the case if it could not run.
    pub at: Place,
    /// What happened instead.
    pub why: String,
}

/// Fails if the configuration is rejected.
pub fn run(case: &Case, config: &Arc<Config>, profile: Profile) -> Result<Vec<Failure>, String> {
    match &case.kind {
        CaseKind::Placement(placement) => {
            let why = placed(placement, config, profile)?;
            Ok(why.map(|why| Failure { at: case.at, why }).into_iter().collect())
        }
        CaseKind::Scheduling(scheduling) => scheduled(scheduling, config, profile),
    }
}

/// Fails if the configuration is rejected.
pub(super) fn configured(config: &Arc<Config>, profile: Profile) -> Result<Scheduler, String> {
    let mut scheduler = Scheduler::new(profile);
    let events = scheduler.apply(Time::ZERO, &Command::Configure(Arc::clone(config)));
    if let Some(why) = events.into_iter().find_map(|event| match event.kind {
        EventKind::ConfigRejected { message } => Some(message),
        _ => None,
    }) {
        return Err(why);
    }
    Ok(scheduler)
}

fn placed(of: &Placement, config: &Arc<Config>, profile: Profile) -> Result<Option<String>, String> {
    let scheduler = configured(config, profile)?;
    let part = scheduler.partitions().first().ok_or("the configuration has no partition")?;
    let submission = Submission {
        app: AppId::from("application"),
        queue: of.queue.clone(),
        who: of.who.clone(),
        tags: of.tags.clone(),
        ..Submission::default()
    };
    let admission = part.would_place(&submission);
    let found = admission.placement.placed().map(|placed| placed.path.as_str());
    let is_expected = match (found, of.expected.as_deref()) {
        (Some(found), Some(expected)) => found.eq_ignore_ascii_case(expected),
        (None, None) => true,
        _ => false,
    };
    if is_expected {
        return Ok(None);
    }
    let expected = of.expected.as_deref().unwrap_or("rejected");
    Ok(Some(match (found, admission.placement.refused()) {
        (Some(found), _) => format!("expected {expected}, placed in {found}"),
        (None, Some(refused)) => format!("expected {expected}, rejected: {}", refused.refusal),
        (None, None) => format!("expected {expected}, rejected"),
    }))
}

fn scheduled(of: &Scheduling, config: &Arc<Config>, profile: Profile) -> Result<Vec<Failure>, String> {
    let last = of.jobs.iter().map(|job| job.at).max().unwrap_or_default();
    let (first, until) = match of.when {
        When::Within(time) => (last, last + time),
        When::After(time) => (last + time, last + time),
    };
    let mut watched = Watched { expected: &of.expected, next: Some(first), until, failures: Vec::new() };
    let mut jobs = of.jobs.clone();
    jobs.sort_by_key(|job| job.at);
    let workload = Workload { nodes: of.nodes.clone(), jobs, ..Workload::default() };
    // One more step, to include the events at the end.
    let plan = Plan { config: Arc::clone(config), profile, until: Some(until + EVERY), from: None, again: true };
    match run_with(&workload, &plan, Some(&mut watched), &|_| true) {
        Ok(_) => Ok(watched.failures),
        Err(Stopped::Config(why)) => Err(why),
        Err(Stopped::Asked) => Err("the simulation was stopped".to_owned()),
    }
}

struct Watched<'e> {
    expected: &'e [Expected],
    /// `None` after they are met.
    next: Option<Time>,
    until: Time,
    /// Failures of the last check.
    failures: Vec<Failure>,
}

impl Guest for Watched<'_> {
    fn next(&self) -> Option<Time> {
        self.next
    }

    fn is_busy(&self) -> bool {
        self.next.is_some()
    }

    fn act(&mut self, now: Time, scheduler: &Scheduler) -> Vec<PartitionCommand> {
        if let Some(part) = scheduler.partitions().first() {
            let fails = |one: &Expected| Some(Failure { at: one.at, why: failed(&one.what, part)? });
            self.failures = self.expected.iter().filter_map(fails).collect();
        }
        self.next = (!self.failures.is_empty() && now < self.until).then(|| (now + EVERY).min(self.until));
        Vec::new()
    }
}

fn failed(what: &Expectation, part: &Partition) -> Option<String> {
    let (id, app) = match what {
        Expectation::Uses(bounds) => return uses(bounds, part),
        Expectation::Running(id, _)
        | Expectation::Pending(id, _)
        | Expectation::Rejected(id)
        | Expectation::InQueue(id, _) => (id, part.app(id)),
    };
    let rejection = || {
        let ended = part.ended_app(id)?;
        let message = ended.message.as_deref().unwrap_or_default();
        (ended.state == AppState::Rejected).then(|| format!("{id} is rejected: {message}"))
    };
    let Some(app) = app else {
        return match (what, rejection()) {
            (Expectation::Rejected(_), Some(_)) => None,
            (_, Some(why)) => Some(why),
            (_, None) => Some(format!("{id} has completed, or was not submitted")),
        };
    };
    let (running, pending) = counts(app);
    match what {
        Expectation::Running(_, Some(least)) if running >= *least => None,
        Expectation::Running(_, None) if pending == 0 && running > 0 => None,
        Expectation::Running(..) => Some(format!("{id} has {running} running and {pending} pending pods")),
        Expectation::Pending(_, count) if pending == *count => None,
        Expectation::Pending(..) => Some(format!("{id} has {pending} pending and {running} running pods")),
        Expectation::Rejected(_) => Some(format!("{id} is accepted in {}", app.queue_path.as_str())),
        Expectation::InQueue(_, queue) if app.queue_path.as_str().eq_ignore_ascii_case(queue) => None,
        Expectation::InQueue(..) => Some(format!("{id} is in {}", app.queue_path.as_str())),
        Expectation::Uses(_) => None,
    }
}

fn counts(app: &Application) -> (u32, u32) {
    let running = u32::try_from(app.allocations.len()).unwrap_or(u32::MAX);
    (running, u32::try_from(app.pending_order.len()).unwrap_or(u32::MAX))
}

fn uses(bounds: &QueueUse, part: &Partition) -> Option<String> {
    let found = part.queues.find_text(&bounds.queue.to_ascii_lowercase()).and_then(|key| part.queues.get(key));
    let nothing = Resource::new();
    let used = found.map_or(&nothing, |queue| &queue.allocated);
    let all = part.queues.find_text("root").and_then(|key| part.queues.get(key)).and_then(|root| root.max.clone());
    let all = all.unwrap_or_default();
    let wanted = |amounts: &Amounts| -> Vec<(String, i64)> {
        match amounts {
            Amounts::Resource(resource) => resource.iter().map(|(name, amount)| (name.to_owned(), amount)).collect(),
            Amounts::Share(name, share) => vec![(name.clone(), (all.amount(name) as f64 * share).round() as i64)],
        }
    };
    let words = |name: &str, bound: &str, amount: i64| {
        let (used, amount) = (used.amount(name), show_amount(name, amount));
        let share = match all.amount(name) {
            0 => String::new(),
            all => format!(" ({:.0}%)", used as f64 * 100.0 / all as f64),
        };
        format!("{} uses {name} {}{share}, expected {bound} {amount}", bounds.queue, show_amount(name, used))
    };
    let short = bounds.at_least.iter().flat_map(wanted).find(|(name, amount)| used.amount(name) < *amount);
    let over = bounds.at_most.iter().flat_map(wanted).find(|(name, amount)| used.amount(name) > *amount);
    let short = short.map(|(name, amount)| words(&name, "at least", amount));
    short.or_else(|| over.map(|(name, amount)| words(&name, "at most", amount)))
}
