//! A second kornsole scheduler that gets the same pods and decides by itself (K8S-302, free). One different decision
//! causes the next, so it compares waiting times, shares, and preemptions.
//!
//! A pod runs as long as in the cluster. A preempted pod is requested again at once, like by its owner.

use std::collections::BTreeMap;
use std::time::Duration;

use super::PARTITION;
use super::follow::put_in;
use super::foresee::{AskOf, part};
use super::seen::Input;
use model::{AppId, AskId, QueuePath, Resource, Time};
use scheduler::{AskSpec, Command, Event, EventKind, Partition, PartitionCommand, ReleaseReason, Scheduler};

const MOST_CYCLES: usize = 10_000;
const MOST_QUEUES: usize = 2_000;
/// Pods that left the cluster and have not run in kornsole; more are no longer requested.
const MOST_BEHIND: usize = 20_000;
/// Number of classes of waiting times: four per doubling, from 1 s.
const CLASSES: usize = 96;

/// Histogram of waiting times.
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
        // The first class contains everything below a second.
        let class = (wait.as_secs_f64().max(1.0).log2() * 4.0) as usize;
        self.classes[class.min(CLASSES - 1)] += 1;
        self.count += 1;
    }

    /// Returns the number of waits.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the quantile for `part` (0 to 1), exact to a fifth; `None` without waits.
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

/// The other scheduler's values, then kornsole's.
#[derive(Clone, Debug, Default)]
pub struct QueueMetrics {
    /// Waiting times of requests.
    pub waits: [Waits; 2],
    /// Number of preempted allocations.
    pub preempted: [u64; 2],
    /// Sum of the absolute differences of the shares of the capacity, and number of samples.
    shares: (f64, u64),
}

impl QueueMetrics {
    /// Returns the mean difference in percent of the capacity, and the number of samples.
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
    started_at: Time,
    specs: BTreeMap<AskOf, AskSpec>,
    /// Start of running pods: in the cluster, and in kornsole.
    runs: [BTreeMap<AskOf, Time>; 2],
    /// Run time of pods that left the cluster before they started in kornsole.
    runtimes: BTreeMap<AskOf, Duration>,
    /// End times in kornsole of pods that left the cluster.
    ends: BTreeMap<(Time, AskOf), ()>,
    metrics: BTreeMap<QueuePath, QueueMetrics>,
    /// It decides only after the initial state is complete.
    started: bool,
}

impl Free {
    /// Starts from the state of the cluster.
    pub fn new(state: Scheduler, now: Time) -> Self {
        Self {
            state,
            now,
            started_at: now,
            specs: BTreeMap::new(),
            runs: Default::default(),
            runtimes: BTreeMap::new(),
            ends: BTreeMap::new(),
            metrics: BTreeMap::new(),
            started: false,
        }
    }

    /// Starts deciding, after the initial state is complete.
    pub fn start(&mut self) {
        self.started = true;
        self.decide();
    }

    /// Returns the time since the start.
    pub fn span(&self) -> Duration {
        self.now.since(self.started_at)
    }

    /// Returns the values of each leaf with decisions.
    pub fn metrics(&self) -> &BTreeMap<QueuePath, QueueMetrics> {
        &self.metrics
    }

    /// Returns the scheduler.
    pub fn scheduler(&self) -> &Scheduler {
        &self.state
    }

    /// Returns the partition to change its predicates; `None` before the first configuration.
    pub fn partition_mut(&mut self) -> Option<&mut Partition> {
        self.state.partitions_mut().iter_mut().find(|part| *part.name == *PARTITION)
    }

    /// Its predicates must still know the request.
    pub fn has(&self, of: &(AppId, AskId)) -> bool {
        self.asked(of).is_some()
    }

    /// Drops requests without a node that the predicates no longer know.
    pub fn give_up(&mut self, asks: impl IntoIterator<Item = (AppId, AskId)>) {
        for of in asks {
            if !self.runs[1].contains_key(&of) {
                self.runtimes.remove(&of);
                self.release(&of);
            }
        }
    }

    /// Handles an input, like [`Shadow::see`](super::Shadow::see).
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

    /// Records that the other scheduler allocated a request.
    pub fn decided(&mut self, at: Time, of: &AskOf) {
        self.turn_to(at);
        let now = self.now;
        if let Some((queue, created)) = self.asked(of) {
            self.runs[0].insert(of.clone(), now);
            self.note(&queue, |metrics| metrics.waits[0].add(now.since(created)));
        }
    }

    /// Records that the other scheduler preempted an allocation.
    pub fn preempted(&mut self, at: Time, of: &AskOf) {
        self.turn_to(at);
        if let Some((queue, _)) = self.asked(of) {
            self.note(&queue, |metrics| metrics.preempted[0] += 1);
        }
    }

    /// Runs what is due until `at`.
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

    /// Compares the leaves' shares with the state that follows the other scheduler.
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
                let local = own.queues.find(&queue.path).and_then(|key| own.queues.get(key));
                let local = local.map_or(0.0, |queue| share(&queue.allocated));
                (queue.path.clone(), (share(&queue.allocated) - local).abs())
            })
            .collect();
        for (queue, difference) in differences {
            self.note(&queue, |metrics| {
                metrics.shares.0 += difference;
                metrics.shares.1 += 1;
            });
        }
    }

    fn note(&mut self, queue: &QueuePath, change: impl FnOnce(&mut QueueMetrics)) {
        if self.metrics.contains_key(queue) || self.metrics.len() < MOST_QUEUES {
            change(self.metrics.entry(queue.clone()).or_default());
        }
    }

    fn asked(&self, (app, ask): &AskOf) -> Option<(QueuePath, Time)> {
        let app = part(&self.state, PARTITION)?.app(app)?;
        let ask = app.asks.get(app.ask_key(ask)?)?;
        Some((app.queue_path.clone(), ask.created))
    }

    /// In kornsole the pod ends after the same run time.
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

    fn decide(&mut self) {
        for _ in 0..if self.started { MOST_CYCLES } else { 0 } {
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
                        self.note(&holder.queue, |metrics| metrics.waits[1].add(event.at.since(created)));
                    }
                    if let Some(ran) = self.runtimes.remove(&of) {
                        self.ends.insert((event.at + ran, of.clone()), ());
                    }
                    self.runs[1].insert(of, event.at);
                }
                EventKind::Released { app, ask, holder, reason: ReleaseReason::Preempted, .. } => {
                    let of = (app.clone(), ask.clone());
                    self.runs[1].remove(&of);
                    self.note(&holder.queue, |metrics| metrics.preempted[1] += 1);
                    if let Some(spec) = self.specs.get(&of).cloned() {
                        self.state.apply(self.now, &Command::from(PartitionCommand::Ask(spec)));
                    }
                }
                _ => {}
            }
        }
    }
}
