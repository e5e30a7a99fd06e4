//! A state after all due decisions, and copies of it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::super::carry_out::refusal;
use super::super::fork::Fork;
use model::{AppId, AskId, Identity, NodeId, Resource, Time};
use scheduler::inspect::explain::types::{Remedy, RemedyEffect, RemedyKind};
use scheduler::{Command, Copies, Event, EventKind, NodeSpec, Partition, PartitionCommand, Scheduler};

/// Maximum number of cycles for due decisions.
const MOST_BEFORE: usize = 5_000;
const MOST_AFTER: usize = 300;
const MOST_EFFECTS: usize = 200;

pub(super) struct Settled {
    scheduler: Scheduler,
    now: Time,
    /// Requests that were allocated before, with the number of earlier decisions.
    served: BTreeMap<(AppId, AskId), u64>,
    /// What happens without a change, if cycles were left.
    usual: Outcome,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// Resources of the request, if it was allocated.
    served: Option<Resource>,
    gets: BTreeMap<AppId, (u64, Resource)>,
    preempted: BTreeMap<AppId, u64>,
    ended: BTreeMap<AppId, u64>,
}

impl Outcome {
    pub fn is_served(&self) -> bool {
        self.served.is_some()
    }

    fn note(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::Allocated { app, resource, .. } => {
                    let gets = self.gets.entry(app.clone()).or_default();
                    gets.0 += 1;
                    gets.1.add_assign(resource);
                }
                EventKind::Preempted { app, .. } => *self.preempted.entry(app.clone()).or_default() += 1,
                _ => {}
            }
        }
    }
}

impl Settled {
    pub fn of(fork: &Fork) -> Self {
        let mut settled = Self {
            scheduler: fork.scheduler.clone(),
            now: fork.now,
            served: BTreeMap::new(),
            usual: Outcome::default(),
        };
        let mut decisions = 0;
        let mut idle = false;
        for _ in 0..MOST_BEFORE {
            let events = settled.scheduler.apply(settled.now, &Command::Cycle);
            for event in &events {
                if let EventKind::Allocated { app, ask, .. } | EventKind::Replacing { app, ask, .. } = &event.kind {
                    settled.served.entry((app.clone(), ask.clone())).or_insert(decisions);
                }
                decisions += u64::from(event.is_activity());
            }
            idle = !events.iter().any(Event::is_activity);
            if idle {
                break;
            }
        }
        settled.scheduler.share();
        if !idle {
            settled.usual = run(settled.scheduler.clone(), settled.now, None);
        }
        settled
    }

    /// Decisions before a request is allocated without any change.
    pub fn turn_of(&self, app: &AppId, ask: &AskId) -> Option<u64> {
        self.served.get(&(app.clone(), ask.clone())).copied()
    }
}

pub(super) struct Stage<'a> {
    settled: &'a Settled,
    target: (&'a AppId, &'a AskId),
    /// Cached tests: copying a large state is the most expensive part.
    known: RefCell<Vec<(Vec<RemedyKind>, Option<Outcome>)>>,
}

impl<'a> Stage<'a> {
    pub fn new(settled: &'a Settled, app: &'a AppId, ask: &'a AskId) -> Self {
        Self { settled, target: (app, ask), known: RefCell::default() }
    }

    pub fn part(&self) -> Option<&Partition> {
        self.settled.scheduler.partitions().first()
    }

    /// Returns `None` if a change is rejected.
    pub fn outcome_of(&self, steps: &[RemedyKind]) -> Option<Outcome> {
        let changes: Vec<RemedyKind> = steps.iter().map(as_change).collect();
        let known = self.known.borrow().iter().find(|(known, _)| *known == changes).map(|(_, outcome)| outcome.clone());
        known.unwrap_or_else(|| {
            let outcome = self.outcome_in_copy(steps);
            self.known.borrow_mut().push((changes, outcome.clone()));
            outcome
        })
    }

    fn outcome_in_copy(&self, steps: &[RemedyKind]) -> Option<Outcome> {
        let mut copy = self.settled.scheduler.clone();
        let mut ended = BTreeMap::new();
        for step in steps {
            if let RemedyKind::End { app, .. } = step {
                let has_allocations = self.part()?.app(app)?.allocations.len() as u64;
                ended.insert(app.clone(), has_allocations);
            }
            self.change(&mut copy, step)?;
        }
        Some(Outcome { ended, ..run(copy, self.settled.now, Some(self.target)) })
    }

    /// Returns `None` if the request does not run.
    pub fn served_by(&self, steps: Vec<RemedyKind>) -> Option<Remedy> {
        let outcome = self.outcome_of(&steps)?;
        outcome.is_served().then(|| self.remedy(steps, &outcome))
    }

    /// Adds the other effects.
    pub fn remedy(&self, steps: Vec<RemedyKind>, outcome: &Outcome) -> Remedy {
        let effects = effects(&self.settled.usual, outcome, self.target.0);
        Remedy { steps, enough: true, effects: Some(effects) }
    }

    /// Returns the additional resources and applications that are allocated before or with the request.
    pub fn taken(&self, outcome: &Outcome) -> (Resource, i64) {
        let (mut taken, mut started) = (Resource::new(), 0);
        for (app, (count, resource)) in &outcome.gets {
            let usual = self.settled.usual.gets.get(app);
            if usual.is_none_or(|(usual, _)| usual < count) {
                taken.add_assign(resource);
                started += 1;
            }
        }
        if let Some(own) = &outcome.served {
            taken.sub_assign(own);
            started -= 1;
        }
        (taken, started)
    }

    fn change(&self, copy: &mut Scheduler, step: &RemedyKind) -> Option<()> {
        let (app, ask) = self.target;
        let now = self.settled.now;
        let command = match step {
            RemedyKind::Raise { place, resource, to, .. } => {
                return copy.raise(app, place, resource.as_deref(), *to).then_some(());
            }
            RemedyKind::Priority { to, .. } => return copy.set_priority(app, ask, *to).then_some(()),
            RemedyKind::AddNode { size, .. } => {
                let part = copy.partitions().first()?;
                let free = (1_u64..).map(|number| NodeId::from(format!("new-node-{number}")));
                let id = free.into_iter().find(|id| part.nodes.find(id).is_none())?;
                // Predicates treat the new node like an existing one that accepts the request.
                let like = part.node_for(app, ask).map(|like| (like, id.clone()));
                let copies = Copies { nodes: like.into_iter().collect(), ..Copies::default() };
                copy.partitions_mut().first_mut()?.nodes.expect_copies(&copies);
                PartitionCommand::AddNode(NodeSpec { id, capacity: size.clone(), ..NodeSpec::default() })
            }
            RemedyKind::End { app, .. } | RemedyKind::Wait { app, .. } => {
                PartitionCommand::Kill { app: app.clone(), by: Identity::default(), reason: String::new() }
            }
            RemedyKind::Move { app, to } => {
                PartitionCommand::Move { app: app.clone(), to: to.clone(), by: Identity::default() }
            }
            RemedyKind::ChangeAsk(app, ask) => PartitionCommand::Release { app: app.clone(), ask: ask.clone() },
            RemedyKind::Turn(_) => return Some(()),
        };
        let mut events = copy.apply(now, &Command::from(command));
        while copy.is_unfinished() {
            events.extend(copy.apply(now, &Command::Continue));
        }
        events.iter().all(|event| refusal(event).is_none()).then_some(())
    }
}

fn as_change(step: &RemedyKind) -> RemedyKind {
    match step {
        RemedyKind::End { app, .. } => RemedyKind::End { app: app.clone(), amount: 0 },
        other => other.clone(),
    }
}

fn run(mut scheduler: Scheduler, now: Time, target: Option<(&AppId, &AskId)>) -> Outcome {
    let mut outcome = Outcome::default();
    for _ in 0..MOST_AFTER {
        let events = scheduler.apply(now, &Command::Cycle);
        outcome.note(&events);
        let served = events.iter().find_map(|event| match &event.kind {
            EventKind::Allocated { app, ask, resource, .. } if Some((app, ask)) == target => Some(resource.clone()),
            EventKind::Replacing { app, ask, .. } if Some((app, ask)) == target => Some(Resource::new()),
            _ => None,
        });
        outcome.served = outcome.served.or(served);
        if !events.iter().any(Event::is_activity) {
            break;
        }
    }
    outcome
}

pub(super) fn effects(usual: &Outcome, outcome: &Outcome, but: &AppId) -> Vec<RemedyEffect> {
    let mut effects: Vec<RemedyEffect> =
        outcome.ended.iter().map(|(app, has_allocations)| RemedyEffect::Loses(app.clone(), *has_allocations)).collect();
    let preempted = outcome.preempted.iter().filter_map(|(app, count)| {
        let more = count.saturating_sub(usual.preempted.get(app).copied().unwrap_or_default());
        (more > 0).then(|| RemedyEffect::Preempted(app.clone(), more))
    });
    effects.extend(preempted);
    let of = |outcome: &Outcome, app: &AppId| outcome.gets.get(app).map_or(0, |(count, _)| *count);
    for app in usual.gets.keys().filter(|app| !outcome.ended.contains_key(*app) && *app != but) {
        let less = of(usual, app).saturating_sub(of(outcome, app));
        if less > 0 {
            effects.push(RemedyEffect::Waits(app.clone(), less));
        }
    }
    for app in outcome.gets.keys().filter(|app| *app != but) {
        let more = of(outcome, app).saturating_sub(of(usual, app));
        if more > 0 {
            effects.push(RemedyEffect::Gets(app.clone(), more));
        }
    }
    effects.truncate(MOST_EFFECTS);
    effects
}

pub(super) fn without_losses(effects: Vec<RemedyEffect>, app: &AppId) -> Vec<RemedyEffect> {
    effects.into_iter().filter(|effect| !matches!(effect, RemedyEffect::Loses(of, _) if of == app)).collect()
}
