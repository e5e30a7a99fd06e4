//! Receives inputs, follows the decisions of the other scheduler, and compares them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::PARTITION;
use super::doubt::{Entry, Past};
use super::foresee::{AskOf, Foreseen, foresee, part};
use super::judge::{Bench, Judged, judge};
use super::missed::Awaited;
use super::released::Released;
use super::seen::{Decision, Input};
use super::settings::Settings;
use super::verdict::{Comparison, PreemptionCheck, Ruling, Verdict};
use model::{AppId, AskId, NodeId, QueuePath, Time};
use scheduler::{Adopted, AskSpec, Command, Event, EventKind, Partition, PartitionCommand, Scheduler};

const MOST_REJECTED: usize = 10_000;

/// A kornsole scheduler that follows another one.
#[derive(Debug)]
pub struct Shadow {
    pub(super) settings: Settings,
    pub(super) partition: Arc<str>,
    pub(super) state: Scheduler,
    pub(super) now: Time,
    pub(super) past: Past,
    pub(super) released: Released,
    pub(super) specs: BTreeMap<AskOf, AskSpec>,
    /// Applications or requests that only kornsole rejected.
    rejected: BTreeMap<(AppId, Option<AskId>), String>,
    /// Events for a mapping since they were last taken; nothing until the first call.
    received: Option<Vec<Event>>,
    /// Requests that kornsole would allocate and the other scheduler skips, reported once.
    pub(super) passed_over: BTreeSet<AskOf>,
    pub(super) awaited: Option<Awaited>,
    pub(super) unsettled: Option<(Time, String)>,
    pub(super) cycles: u64,
    pub(super) checks: Vec<PreemptionCheck>,
}

impl Shadow {
    /// Starts from the state of the cluster.
    pub fn new(state: Scheduler, now: Time, settings: Settings) -> Self {
        Self {
            settings,
            partition: Arc::from(PARTITION),
            state,
            now,
            past: Past::default(),
            released: Released::default(),
            specs: BTreeMap::new(),
            rejected: BTreeMap::new(),
            received: None,
            passed_over: BTreeSet::new(),
            awaited: None,
            unsettled: None,
            cycles: 0,
            checks: Vec::new(),
        }
    }

    /// Returns the visible state of the other scheduler.
    pub fn scheduler(&self) -> &Scheduler {
        &self.state
    }

    /// Returns the latest time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Counts the cycles that were run to predict decisions.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// `None` before the first configuration.
    pub fn partition(&self) -> Option<&Partition> {
        part(&self.state, &self.partition)
    }

    /// Returns the partition, to change its predicates.
    pub fn partition_mut(&mut self) -> Option<&mut Partition> {
        self.state.partitions_mut().iter_mut().find(|part| *part.name == *self.partition)
    }

    /// Returns rejections and application states since the last call; stored from the first call on.
    pub fn take_received(&mut self) -> Vec<Event> {
        self.received.replace(Vec::new()).unwrap_or_default()
    }

    /// Returns which of these requests kornsole would allocate next, if any.
    pub fn next_of(&mut self, at: Time, asks: &BTreeSet<&AskId>) -> Option<AskId> {
        let Self { state, released, partition, .. } = self;
        let gone = |of: &AskOf| released.is_pending(of);
        let foreseen = foresee(state, partition, at.max(self.now), &gone)?;
        self.cycles += foreseen.cycles;
        let ((_, ask), _) = foreseen.next?.allocates?;
        asks.contains(&ask).then_some(ask)
    }

    /// Returns the compared preemptions since the last call.
    pub fn take_checks(&mut self) -> Vec<PreemptionCheck> {
        std::mem::take(&mut self.checks)
    }

    /// Leaves decisions unsettled while the other scheduler restarts or receives a configuration.
    pub fn unsettle(&mut self, until: Time, why: impl Into<String>) {
        self.awaited = None;
        if self.unsettled.as_ref().is_none_or(|(other, _)| *other <= until) {
            self.unsettled = Some((until, why.into()));
        }
    }

    /// Returns the events of kornsole.
    pub fn see(&mut self, at: Time, input: Input) -> Vec<Event> {
        let at = self.turn_to(at);
        match input {
            Input::Command(PartitionCommand::Release { app, ask }) => {
                self.gone(at, (app, ask));
                Vec::new()
            }
            input => self.take(at, input),
        }
    }

    pub(super) fn take(&mut self, at: Time, input: Input) -> Vec<Event> {
        self.past.keep(at, self.settings.window, &self.partition, &mut self.state);
        let events = put_in(&mut self.state, at, &input, &self.partition);
        if let Input::Command(PartitionCommand::Ask(spec)) = &input
            && spec.count <= 1
        {
            self.specs.insert((spec.app.clone(), spec.id.clone()), spec.clone());
        }
        self.note(&events);
        self.past.note(at, Entry::Input(input));
        events
    }

    /// Advances the time, never back. Returns the new time.
    pub fn turn_to(&mut self, at: Time) -> Time {
        let at = at.max(self.now);
        self.now = at;
        if self.state.next_timer().is_some_and(|due| due <= at) {
            let events = apply(&mut self.state, at, &Command::Tick);
            self.note(&events);
        }
        self.unsettled.take_if(|(until, _)| *until <= at);
        self.let_go(at);
        at
    }

    fn note(&mut self, events: &[Event]) {
        self.released.note(events);
        for event in events {
            let is_received = matches!(
                event.kind,
                EventKind::AppRejected { .. } | EventKind::AskRejected { .. } | EventKind::AppState { .. }
            );
            if let Some(received) = self.received.as_mut().filter(|_| is_received) {
                received.push(event.clone());
            }
            let (of, message) = match &event.kind {
                EventKind::AppRejected { app, message } => ((app.clone(), None), message),
                EventKind::AskRejected { app, ask, message } => ((app.clone(), Some(ask.clone())), message),
                _ => continue,
            };
            self.rejected.insert(of, message.clone());
            if self.rejected.len() > MOST_REJECTED {
                self.rejected.pop_first();
            }
        }
    }

    /// Compares a decision with kornsole, and adopts it.
    pub fn decided(&mut self, decision: &Decision) -> Comparison {
        let at = self.turn_to(decision.at);
        let decision = Decision { at, ..decision.clone() };
        self.past.keep(at, self.settings.window, &self.partition, &mut self.state);
        let Self { state, released, passed_over, settings, partition, past, .. } = self;
        let gone = |of: &AskOf| released.is_pending(of);
        let now = part(state, partition).and_then(|part| part.nodes.predicates()).cloned();
        let now = now.as_ref();
        let bench = Bench { partition, same_moment: settings.same_moment, passed_over, gone: &gone, now };
        let judged = judge(state, &decision, &bench);
        let mut ruling = judged.as_ref().map_or_else(nowhere, |judged| judged.ruling.clone());
        if !ruling.verdict.agrees() && ruling.verdict != Verdict::Unsettled {
            let doubt = past.doubt(&decision, settings.window, &ruling, &bench);
            ruling = doubt.map_or(ruling, |why| Ruling::new(Verdict::Unsettled, why));
        }
        if let Some(refused) = self.refused(&decision).filter(|_| ruling.verdict == Verdict::Unsettled) {
            ruling = refused;
        }
        if let Some((_, why)) = &self.unsettled {
            ruling = Ruling::new(Verdict::Unsettled, why.clone());
        }
        let queue = self.leaf(&decision.app);
        let local = judged.as_ref().and_then(|judged| judged.local.clone());
        self.follow(&decision, judged);
        let Ruling { verdict, rule, cause } = ruling;
        let Decision { at, app, ask, node, source } = decision;
        Comparison { at, verdict, app, ask, queue, node: Some(node), local, rule, cause, source: Some(source) }
    }

    fn refused(&self, decision: &Decision) -> Option<Ruling> {
        let Decision { app, ask, .. } = decision;
        let of_app = self.rejected.get(&(app.clone(), None)).map(|message| ("placement", message));
        let of_ask = || Some(("ask", self.rejected.get(&(app.clone(), Some(ask.clone())))?));
        let there = self.partition().is_some_and(|part| part.app(app).is_some_and(|app| app.ask_key(ask).is_some()));
        let (rule, message) = of_app.or_else(of_ask).filter(|_| !there)?;
        Some(Ruling { verdict: Verdict::Illegal, rule: Some(rule), cause: format!("kornsole rejected it: {message}") })
    }

    pub(super) fn leaf(&self, app: &AppId) -> QueuePath {
        self.partition().and_then(|part| part.app(app)).map(|app| app.queue_path.clone()).unwrap_or_default()
    }

    fn follow(&mut self, decision: &Decision, judged: Option<Judged>) {
        let Decision { at, app, ask, node, source } = decision;
        let of = (app.clone(), ask.clone());
        let mut placeholder = None;
        if let Some(Judged { foreseen: Foreseen { quiet, next, cycles }, is_next, .. }) = judged {
            self.cycles += cycles;
            match next.filter(|_| is_next) {
                Some(next) => {
                    self.state = next.after;
                    placeholder =
                        next.replaces.filter(|pending| self.released.is_pending(&(app.clone(), pending.clone())));
                    self.confirm(*at, next.frees);
                    let other =
                        next_placeholder(&self.state, &self.partition, &self.released, &of, placeholder.as_ref());
                    if let Some(other) = other {
                        // The other scheduler replaced another placeholder of the task group.
                        self.end(*at, &(app.clone(), other));
                    }
                }
                None => {
                    self.state = quiet;
                    placeholder = next_placeholder(&self.state, &self.partition, &self.released, &of, None);
                    // Fails if kornsole rejected the request.
                    let _ = take_over(&mut self.state, *at, &self.partition, &of, node, placeholder.as_ref());
                }
            }
        }
        self.forget_gone();
        self.passed_over.remove(&of);
        self.awaited.take_if(|awaited| awaited.ask == of);
        self.past.note(*at, Entry::Decided(of, node.clone(), source.resolution(), placeholder));
    }
}

fn nowhere() -> Ruling {
    Ruling::new(Verdict::Unsettled, format!("partition {PARTITION:?} not found"))
}

/// The removed placeholder of its task group that a request replaced. `None` if it is `known`.
fn next_placeholder(
    state: &Scheduler,
    partition: &str,
    released: &Released,
    (app, ask): &AskOf,
    known: Option<&AskId>,
) -> Option<AskId> {
    let application = part(state, partition)?.app(app)?;
    let group = application.asks.get(application.ask_key(ask)?)?.rare.task_group.clone()?;
    let of_group = |id: &&AskId| {
        let pending = application.ask_key(id).and_then(|key| application.asks.get(key));
        pending.is_some_and(|pending| pending.placeholder && pending.rare.task_group.as_ref() == Some(&group))
    };
    released.pending_of(app).filter(|_| known.is_none()).find(of_group).cloned()
}

fn apply(state: &mut Scheduler, at: Time, command: &Command) -> Vec<Event> {
    let mut events = state.apply(at, command);
    while state.is_unfinished() {
        events.extend(state.apply(at, &Command::Continue));
    }
    events
}

pub(super) fn put_in(state: &mut Scheduler, at: Time, input: &Input, partition: &str) -> Vec<Event> {
    match input {
        Input::Configure(config) => apply(state, at, &Command::Configure(Arc::clone(config))),
        Input::Command(command) => apply(state, at, &Command::from(command.clone())),
        Input::Runs { app, ask, node } => {
            // A rejected request is reported when its decision is compared.
            let _ = take_over(state, at, partition, &(app.clone(), ask.clone()), node, None);
            Vec::new()
        }
    }
}

pub(super) fn take_over(
    state: &mut Scheduler,
    at: Time,
    partition: &str,
    (app, ask): &AskOf,
    node: &NodeId,
    placeholder: Option<&AskId>,
) -> Result<(), String> {
    if let Some(placeholder) = placeholder
        && state.adopt_replacement(at, partition, (app, ask), placeholder, node).is_ok()
    {
        return Ok(());
    }
    state.adopt_ask(at, partition, (app, ask), node, Adopted::Allocation)
}
