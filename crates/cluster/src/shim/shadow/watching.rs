//! Handles changes in the order of the other scheduler, as far as known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::queue::{Due, Queue};
use super::sink::{Both, Following};
use crate::shim::configuration::Configured;
use crate::shim::feed::is_map;
use engine::Core;
use forecast::shadow::free::Free;
use forecast::shadow::{Comparison, Settings, Shadow, Source};
use kubernetes::Cluster;
use kubernetes::Settings as Reading;
use kubernetes::live::{Input, Live};
use model::{AskId, Time};
use scheduler::Scheduler;

/// Delay of changes, so that their Events arrive first.
const DELAY: Duration = Duration::from_secs(3);
const PASS: Duration = Duration::from_secs(1);
const CLEAN: Duration = Duration::from_secs(10);
/// After a start nothing is settled for so long (K8S-303).
const AFTER_START: Duration = Duration::from_secs(300);
/// A configuration is active at the other scheduler after so long at most (K8S-022).
const ON_ITS_WAY: Duration = Duration::from_secs(30);
/// Nothing is settled for this time after the last report of lost changes.
const AFTER_LOSS: Duration = Duration::from_secs(60);

pub(super) struct Watching {
    live: Live,
    pub following: Following,
    queue: Queue,
    configured: Configured,
    namespace: String,
    schedulers: Vec<String>,
    bound: BTreeSet<AskId>,
    names: BTreeMap<AskId, String>,
    uids: BTreeMap<String, AskId>,
    passed: Time,
    cleaned: Time,
}

#[derive(Debug, Default)]
pub(super) struct Step {
    pub compared: Vec<(Comparison, String)>,
    pub notices: Vec<String>,
}

pub(super) struct StartMode {
    pub configured: Configured,
    pub config: Arc<config::Config>,
    pub namespace: String,
    pub reading: Reading,
    pub compare: Settings,
    pub after_start: bool,
    pub now: Time,
}

impl Watching {
    /// Loads a cluster.
    pub fn start(cluster: Cluster, how: StartMode, core: Option<&mut Core>) -> Self {
        let StartMode { configured, config, namespace, reading, compare, after_start, now } = how;
        let mut shadow = Shadow::new(Scheduler::new(reading.profile), now, compare);
        shadow.see(now, forecast::shadow::Input::Configure(Arc::clone(&config)));
        drop(shadow.take_received());
        let mut free = Free::new(Scheduler::new(reading.profile), now);
        free.see(now, &forecast::shadow::Input::Configure(config));
        let mut following = Following::new(shadow, free, now);
        let schedulers = reading.scheduler_names.clone();
        let live = Live::start(cluster, reading, now, &mut Both { following: &mut following, core });
        following.start();
        if after_start {
            following.shadow.unsettle(now + AFTER_START, "the scheduler may have started recently");
        }
        let bound = live.on_nodes();
        let names: BTreeMap<AskId, String> = live.names().collect();
        let uids = names.iter().map(|(uid, name)| (name.clone(), uid.clone())).collect();
        let queue = Queue::new(DELAY);
        Self {
            live,
            following,
            queue,
            configured,
            namespace,
            schedulers,
            bound,
            names,
            uids,
            passed: now,
            cleaned: now,
        }
    }

    /// Counts the other scheduler's pods, and those on nodes.
    pub fn counts(&self) -> (usize, usize) {
        self.live.counts()
    }

    /// Returns the warnings.
    pub fn notices(&self) -> Vec<String> {
        self.live.cluster().notices().to_vec()
    }

    /// Delays a change until its Events have arrived.
    pub fn hold(&mut self, seen: Time, input: Input) {
        let binding = match &input {
            Input::Put(object) => object.binding(&self.schedulers),
            _ => None,
        };
        let binding = binding.filter(|binding| self.bound.insert(binding.ask.clone()));
        self.queue.put(seen, input, binding);
    }

    /// Records a decision time from an Event.
    pub fn decided(&mut self, ask: AskId, at: Time, source: Source) {
        self.queue.decided(ask, at, source);
    }

    /// Records that changes of a kind do not arrive.
    pub fn lost(&mut self, now: Time, why: &str) {
        self.following.shadow.unsettle(now + AFTER_LOSS, why);
    }

    /// Handles the changes after their delay.
    pub fn step(&mut self, now: Time, mut core: Option<&mut Core>) -> Step {
        let mut step = Step::default();
        let mut due = self.queue.due(now);
        let mut maps = false;
        while !due.is_empty() {
            let Due { at, input, decided } = due.remove(self.next_of(&due));
            self.following.now = self.following.now.max(at);
            maps |= is_map(&input);
            if let Some((ask, source)) = decided {
                self.following.times.insert(ask, (self.following.now, source));
            }
            self.remember(&input);
            self.give(input, core.as_deref_mut());
            self.following.times.clear();
        }
        if maps {
            self.configure(core, &mut step.notices);
        }
        let at = now - DELAY;
        if at.since(self.passed) >= PASS {
            self.passed = at;
            self.following.pass(at);
        }
        if at.since(self.cleaned) >= CLEAN {
            self.cleaned = at;
            self.following.tidy();
        }
        for comparison in std::mem::take(&mut self.following.found) {
            let name = self.names.get(&comparison.ask).cloned().unwrap_or_default();
            self.following.tally.take(&comparison, &name);
            step.compared.push((comparison, name));
        }
        step
    }

    fn give(&mut self, input: Input, core: Option<&mut Core>) {
        let now = self.following.now;
        // The other scheduler acts, not kornsole.
        drop(self.live.batch(now, vec![input], &mut Both { following: &mut self.following, core }));
        self.following.flush();
    }

    /// Of decisions in unknown order, the one that kornsole makes next is first.
    fn next_of(&mut self, due: &[Due]) -> usize {
        let is_rough = |due: &&Due| due.decided.as_ref().is_some_and(|(_, source)| !source.resolution().is_zero());
        let rough: Vec<&Due> = due.iter().take_while(is_rough).collect();
        let Some(first) = rough.first().filter(|_| rough.len() > 1) else { return 0 };
        let off = rough.iter().filter_map(|due| Some(due.decided.as_ref()?.1.resolution())).max().unwrap_or_default();
        let close = rough.iter().take_while(|one| one.at.since(first.at) <= off).count();
        let asks: BTreeSet<&AskId> = rough[..close].iter().filter_map(|due| Some(&due.decided.as_ref()?.0)).collect();
        let Some(next) = self.following.shadow.next_of(self.following.now, &asks) else { return 0 };
        rough[..close].iter().position(|due| due.decided.as_ref().is_some_and(|(ask, _)| *ask == next)).unwrap_or(0)
    }

    fn remember(&mut self, input: &Input) {
        match input {
            Input::Put(object) => {
                let Some((ask, name)) = object.pod() else { return };
                if let Some(before) = self.uids.insert(name.clone(), ask.clone()).filter(|before| *before != ask) {
                    self.forget(&before);
                }
                self.names.insert(ask, name);
            }
            Input::Gone(key) if key.kind == "Pod" => {
                if let Some(ask) = self.uids.remove(&format!("{}/{}", key.namespace, key.name)) {
                    self.forget(&ask);
                }
            }
            _ => {}
        }
    }

    fn forget(&mut self, ask: &AskId) {
        self.names.remove(ask);
        self.bound.remove(ask);
    }

    /// Nothing is settled until the other scheduler has applied the ConfigMaps.
    fn configure(&mut self, core: Option<&mut Core>, notices: &mut Vec<String>) {
        if !self.configured.hot_refresh {
            return;
        }
        let configured = match Configured::read(self.live.cluster(), &self.namespace) {
            Ok(configured) => configured,
            Err(why) => {
                return notices.push(format!("the ConfigMaps in {} have no effect: {why}", self.namespace));
            }
        };
        let is_new = configured.queues != self.configured.queues;
        self.configured = configured;
        if !is_new {
            return;
        }
        let profile = self.following.shadow.scheduler().switches().profile;
        let config::Reading { config, faults } = config::read(&self.configured.queues, profile);
        let Some(config) = config.map(Arc::new) else {
            let first = faults.first().map(ToString::to_string).unwrap_or_default();
            return notices.push(format!("{} is rejected: {first}", self.configured.key));
        };
        self.following.see(forecast::shadow::Input::Configure(config));
        let until = self.following.now + ON_ITS_WAY;
        self.following.shadow.unsettle(until, "a configuration is being sent to the scheduler");
        let mut core = core;
        if let Some(core) = &mut core {
            let name = format!("{} of the ConfigMaps in {}", self.configured.key, self.namespace);
            core.reload(&name, self.configured.queues.as_bytes());
        }
        self.give(Input::Configured, core);
    }
}
