//! A second scheduler of kornsole next to the other one, which is given the same pods and decides by itself (K8S-302, free). Single decisions
//! cannot be compared then, since one difference leads to the next; what is compared are waiting times, shares and preemptions.
//!
//! A pod runs in it as long as it runs in the cluster. What it preempts asks again at once, as its owner would have it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::PARTITION;
use super::follow::put_in;
use super::foresee::{AskOf, part};
use super::seen::Input;
use model::{AppId, AskId, QueuePath, Resource, Time};
use scheduler::{AskSpec, Command, Event, EventKind, Partition, PartitionCommand, ReleaseReason, Scheduler};

/// So many cycles are made at most for one change.
const MOST_CYCLES: usize = 10_000;
/// So many queues have figures of their own.
const MOST_QUEUES: usize = 2_000;
/// So many pods may be gone from the cluster and not have run in kornsole yet; one more is not requested any longer.
const MOST_BEHIND: usize = 20_000;
/// Waiting times are counted in classes: four for each doubling, of seconds.
const CLASSES: usize = 96;

/// Waiting times, in classes.
#[derive(Clone, Debug)]
pub struct Waits {
    classes: [u32; CLASSES],
    count: u64,
}

impl Default for Waits {
    fn default() -> Self {
        Self { classes: [0; CLASSES], count: 0 }
    }
}

impl Waits {
    fn add(&mut self, wait: Duration) {
        // Below a second everything is the first class.
        let class = (wait.as_secs_f64().max(1.0).log2() * 4.0) as usize;
        self.classes[class.min(CLASSES - 1)] += 1;
        self.count += 1;
    }

    /// How many there are.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// A time within which `part` (0 to 1) of them lie, exact to a fifth; `None` where there is none.
    pub fn within(&self, part: f64) -> Option<Duration> {
        let wanted = (self.count as f64 * part).ceil().max(1.0) as u64;
        let mut seen = 0;
        let class = self.classes.iter().position(|count| {
            seen += u64::from(*count);
            seen >= wanted
        })?;
        Some(Duration::from_secs_f64(((class + 1) as f64 / 4.0).exp2()))
    }
}

/// The figures of a leaf: of the other scheduler, then of kornsole.
#[derive(Clone, Debug, Default)]
pub struct QueueFigures {
    /// How long asks waited for their nodes.
    pub waits: [Waits; 2],
    /// How many allocations were preempted.
    pub preempted: [u64; 2],
    /// The sum of the differences between both shares, in parts of the capacity, and of how many moments.
    shares: (f64, u64),
}

impl QueueFigures {
    /// How far the shares of both are apart, in percent of the capacity: the mean over all moments examined, with their number.
    pub fn share_difference(&self) -> Option<(f64, u64)> {
        let (sum, moments) = self.shares;
        (moments > 0).then(|| (100.0 * sum / moments as f64, moments))
    }
}

/// The scheduler that decides by itself.
#[derive(Debug)]
pub struct Free {
    state: Scheduler,
    now: Time,
    began: Time,
    specs: BTreeMap<AskOf, AskSpec>,
    /// Since when pods run: in the cluster, and in kornsole.
    runs: [BTreeMap<AskOf, Time>; 2],
    /// How long pods ran that no longer exist, and have not started in kornsole.
    runtimes: BTreeMap<AskOf, Duration>,
    /// When pods that no longer exist end in kornsole.
    ends: BTreeMap<(Time, AskOf), ()>,
    figures: BTreeMap<QueuePath, QueueFigures>,
    /// Nothing is decided before everything is taken over.
    begun: bool,
}

impl Free {
    /// Starts with a scheduler in the state of the cluster at a time.
    pub fn new(state: Scheduler, now: Time) -> Self {
        Self {
            state,
            now,
            began: now,
            specs: BTreeMap::new(),
            runs: Default::default(),
            runtimes: BTreeMap::new(),
            ends: BTreeMap::new(),
            figures: BTreeMap::new(),
            begun: false,
        }
    }

    /// Everything that was there at the start is taken over: from now on it decides.
    pub fn begin(&mut self) {
        self.begun = true;
        self.decide();
    }

    /// For how long it has run.
    pub fn span(&self) -> Duration {
        self.now.since(self.began)
    }

    /// The figures of each leaf that something was decided in.
    pub fn figures(&self) -> &BTreeMap<QueuePath, QueueFigures> {
        &self.figures
    }

    /// The scheduler as it decided.
    pub fn scheduler(&self) -> &Scheduler {
        &self.state
    }

    /// Its partition, to change its predicates; `None` before the first configuration.
    pub fn partition_mut(&mut self) -> Option<&mut Partition> {
        self.state.partitions_mut().iter_mut().find(|part| *part.name == *PARTITION)
    }

    /// Whether it still has an ask, so that its predicates have to know it.
    pub fn has(&self, of: &(AppId, AskId)) -> bool {
        self.asked(of).is_some()
    }

    /// These are known to the predicates no more: those that have no node yet never get one, so they are requested no longer.
    pub fn give_up(&mut self, asks: impl IntoIterator<Item = (AppId, AskId)>) {
        for of in asks {
            if !self.runs[1].contains_key(&of) {
                self.runtimes.remove(&of);
                self.release(&of);
            }
        }
    }

    /// Something arrived, as in [`Shadow::see`](super::Shadow::see).
    pub fn see(&mut self, at: Time, input: &Input) {
        self.turn_to(at);
        match input {
            Input::Command(PartitionCommand::Release { app, ask }) => return self.gone((app.clone(), ask.clone())),
            Input::Command(PartitionCommand::Ask(spec)) if spec.count <= 1 => {
                self.specs.insert((spec.app.clone(), spec.id.clone()), spec.clone());
            }
            Input::Runs { app, ask, .. } => {
                let of = (app.clone(), ask.clone());
                for runs in &mut self.runs {
                    runs.insert(of.clone(), self.now);
                }
            }
            _ => {}
        }
        put_in(&mut self.state, self.now, input, PARTITION);
        self.decide();
    }

    /// The other scheduler gave an ask its node.
    pub fn decided(&mut self, at: Time, of: &AskOf) {
        self.turn_to(at);
        let now = self.now;
        if let Some((queue, created)) = self.asked(of) {
            self.runs[0].insert(of.clone(), now);
            self.note(&queue, |figures| figures.waits[0].add(now.since(created)));
        }
    }

    /// The other scheduler preempted an allocation.
    pub fn preempted(&mut self, at: Time, of: &AskOf) {
        self.turn_to(at);
        if let Some((queue, _)) = self.asked(of) {
            self.note(&queue, |figures| figures.preempted[0] += 1);
        }
    }

    /// Time comes to `at`: what is due by then is done.
    pub fn turn_to(&mut self, at: Time) {
        while let Some(((due, of), ())) = self.ends.first_key_value().map(|(key, ())| (key.clone(), ()))
            && due <= at
        {
            self.ends.remove(&(due, of.clone()));
            self.now = self.now.max(due);
            self.release(&of);
            self.decide();
        }
        self.now = self.now.max(at);
        if self.state.next_timer().is_some_and(|due| due <= self.now) {
            let events = self.state.apply(self.now, &Command::Tick);
            self.take(&events);
            self.decide();
        }
    }

    /// Compares the shares of the leaves with those in the state that follows the other scheduler.
    pub fn sample(&mut self, followed: &Partition) {
        let Some(own) = part(&self.state, PARTITION) else { return };
        let whole = |part: &Partition| part.nodes.iter().fold(Resource::new(), |sum, node| sum.add(&node.total));
        let capacity = whole(followed);
        let share = |used: &Resource| {
            let of = |(name, amount): (&str, i64)| {
                let all = capacity.amount(name);
                if all > 0 { amount as f64 / all as f64 } else { 0.0 }
            };
            used.iter().map(of).fold(0.0, f64::max)
        };
        let leaves = followed.queues.iter().filter(|queue| queue.leaf);
        let differences: Vec<(QueuePath, f64)> = leaves
            .map(|queue| {
                let ours = own.queues.find(&queue.path).and_then(|key| own.queues.get(key));
                let ours = ours.map_or(0.0, |queue| share(&queue.allocated));
                (queue.path.clone(), (share(&queue.allocated) - ours).abs())
            })
            .collect();
        for (queue, difference) in differences {
            self.note(&queue, |figures| {
                figures.shares.0 += difference;
                figures.shares.1 += 1;
            });
        }
    }

    fn note(&mut self, queue: &QueuePath, change: impl FnOnce(&mut QueueFigures)) {
        if self.figures.contains_key(queue) || self.figures.len() < MOST_QUEUES {
            change(self.figures.entry(queue.clone()).or_default());
        }
    }

    /// The leaf of an ask, and when it was made.
    fn asked(&self, (app, ask): &AskOf) -> Option<(QueuePath, Time)> {
        let app = part(&self.state, PARTITION)?.app(app)?;
        let ask = app.asks.get(app.ask_key(ask)?)?;
        Some((app.queue_path.clone(), ask.created))
    }

    /// A pod no longer exists from the cluster: in kornsole it ends when it has run for as long.
    fn gone(&mut self, of: AskOf) {
        self.specs.remove(&of);
        let ran = self.runs[0].remove(&of).map(|since| self.now.since(since));
        match (ran, self.runs[1].get(&of)) {
            (Some(ran), Some(since)) if *since + ran > self.now => drop(self.ends.insert((*since + ran, of), ())),
            (Some(ran), None) if self.runtimes.len() < MOST_BEHIND => drop(self.runtimes.insert(of, ran)),
            _ => {
                self.release(&of);
                self.decide();
            }
        }
    }

    fn release(&mut self, of: &AskOf) {
        self.runs[1].remove(of);
        let release = PartitionCommand::Release { app: of.0.clone(), ask: of.1.clone() };
        let events = self.state.apply(self.now, &Command::from(release));
        self.take(&events);
    }

    /// Cycles until nothing is allocated any more.
    fn decide(&mut self) {
        for _ in 0..if self.begun { MOST_CYCLES } else { 0 } {
            let events = self.state.apply(self.now, &Command::Cycle);
            self.take(&events);
            if !events.iter().any(Event::is_activity) {
                return;
            }
        }
    }

    fn take(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::Allocated { app, ask, holder, .. } => {
                    let of = (app.clone(), ask.clone());
                    if let Some((_, created)) = self.asked(&of) {
                        self.note(&holder.queue, |figures| figures.waits[1].add(event.at.since(created)));
                    }
                    if let Some(ran) = self.runtimes.remove(&of) {
                        self.ends.insert((event.at + ran, of.clone()), ());
                    }
                    self.runs[1].insert(of, event.at);
                }
                EventKind::Released { app, ask, holder, reason: ReleaseReason::Preempted, .. } => {
                    let of = (app.clone(), ask.clone());
                    self.runs[1].remove(&of);
                    self.note(&holder.queue, |figures| figures.preempted[1] += 1);
                    if let Some(spec) = self.specs.get(&of).cloned() {
                        self.state.apply(self.now, &Command::from(PartitionCommand::Ask(spec)));
                    }
                }
                _ => {}
            }
        }
    }
}
