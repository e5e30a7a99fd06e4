//! A read-only shadow of another scheduler (K8S-300): compares each binding with kornsole's decision, in the order of
//! the other scheduler as far as known.
//!
//! ```text
//!  API server ──watches──> Feed ──> Queue (reserved for some seconds) ──> Live ──> Following: Shadow, Free, Tally
//!  Events of pods ─────────────────────┘ when a pod was decided        └──────> engine that follows: REST, explain, what-if
//! ```
//!
//! Invariants:
//! - nothing is written: the cluster is a [`Reader`], which can only send GET;
//! - the initial state is loaded, not compared;
//! - after a start, while a configuration changes, and while watches are lost, comparisons are unsettled.

mod events;
mod metrics;
mod queue;
pub mod report;
mod sink;
mod watching;

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use self::events::{DecisionEvent, DecisionEvents};
pub use self::metrics::serve as serve_metrics;
pub use self::sink::Following;
use self::watching::{StartMode, Step, Watching};
use super::configuration::Configured;
use super::feed::{Feed, FeedChange, KINDS};
use super::stopper::Stopper;
use super::time_of_day;
use crate::kube::Reader;
use engine::{Core, Engine, Setup};
use forecast::shadow::free::Free;
use forecast::shadow::tally::Tally;
use forecast::shadow::{Comparison, Settings, Source};
use kubernetes::live::Input;
use kubernetes::{Cluster, Settings as Reading};
use model::{AskId, Time};
use scheduler::Tuning;
use view::shadowed::ShadowSheet;

const LOOK: Duration = Duration::from_millis(250);

/// Options of a shadow.
#[derive(Clone, Debug)]
pub struct Options {
    /// The cluster, read-only.
    pub reader: Reader,
    /// Namespace of the ConfigMaps.
    pub namespace: String,
    /// Mapping and release.
    pub reading: Reading,
    /// Settings of the comparison.
    pub compare: Settings,
    /// The other scheduler may have just started: five minutes are unsettled.
    pub after_start: bool,
    /// Shows the state; `None`: no engine.
    pub engine: Option<Setup>,
}

/// News of a shadow.
#[derive(Debug)]
pub enum News<'a> {
    /// With `namespace/name` of the pod, if known.
    Compared(&'a Comparison, &'a str),
    /// What is odd and stops nothing.
    Notice(&'a str),
}

#[derive(Debug)]
enum Message {
    Feed(FeedChange),
    Decided(DecisionEvent),
    Stop,
}

/// Results while a shadow runs; clones share them.
#[derive(Clone, Debug)]
pub struct Shown {
    tally: Arc<Mutex<Tally>>,
    since: Time,
}

impl Shown {
    fn new() -> Self {
        Self { tally: Arc::default(), since: time_of_day() }
    }

    /// Returns the results for a console.
    pub fn sheet(&self) -> ShadowSheet {
        report::sheet(&self.tally(), self.since)
    }

    /// Returns the current counts.
    pub fn tally(&self) -> Tally {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, tally: Tally) {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner) = tally;
    }
}

/// Takes the times of decisions that the other scheduler reports over REST.
#[derive(Clone, Debug)]
pub struct DecisionTimes(Sender<Message>);

impl DecisionTimes {
    /// A pod was decided, by its UID. Returns whether the shadow still watches.
    pub fn decided(&self, ask: AskId, at: Time) -> bool {
        self.0.send(Message::Decided(DecisionEvent { ask, at, source: Source::RestEvent })).is_ok()
    }
}

/// What is known of a shadow once it watches.
pub struct Started {
    /// The other scheduler's pods, and those on nodes.
    pub pods: (usize, usize),
    /// What of the cluster is odd.
    pub notices: Vec<String>,
    /// Shows the state.
    pub engine: Option<Arc<Engine>>,
    /// Settings of the ConfigMaps.
    pub configured: Configured,
}

/// A shadow in a cluster, before it runs.
pub struct ShadowShim {
    options: Options,
    runtime: Runtime,
    inbox: Receiver<Message>,
    sender: Sender<Message>,
    shown: Shown,
}

impl ShadowShim {
    /// Fails without threads.
    pub fn new(options: Options) -> Result<Self, String> {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("shadow-io").enable_all().build();
        let runtime = runtime.map_err(|error| format!("cannot start threads for requests: {error}"))?;
        let (sender, inbox) = channel();
        Ok(Self { options, runtime, inbox, sender, shown: Shown::new() })
    }

    /// Returns a handle to stop it.
    pub fn stopper(&self) -> Stopper {
        Stopper::new(self.sender.clone(), || Message::Stop)
    }

    /// Takes times of decisions from elsewhere; each counts before that of an Event.
    pub fn times(&self) -> DecisionTimes {
        DecisionTimes(self.sender.clone())
    }

    /// What others look at meanwhile.
    pub fn shown(&self) -> Shown {
        self.shown.clone()
    }

    /// Returns the runtime, also for other servers.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Runs until it is stopped. `begun` follows loading; `news` gets comparisons. Returns counts and the free
    /// scheduler; `None` if stopped before loading.
    pub fn run(
        mut self,
        on_start: Box<dyn FnOnce(Started) -> Result<(), String> + '_>,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<Option<(Tally, Free)>, String> {
        let runtime = self.runtime.handle().clone();
        let _entered = runtime.enter();
        let to = self.sender.clone();
        let take = move |change| drop(to.send(Message::Feed(change)));
        let feed = Feed::start(&self.options.reader, &self.options.namespace, take);
        let to = self.sender.clone();
        let events = DecisionEvents::start(&self.options.reader, move |event| drop(to.send(Message::Decided(event))));
        let Some(cluster) = self.gather(news) else { return Ok(None) };
        let (mut running, first) = self.start(cluster)?;
        on_start(first)?;
        while self.take(&mut running, news)? {
            let now = time_of_day();
            let Step { compared, notices } = running.with(move |watching, core| watching.step(now, core))?;
            notices.iter().for_each(|notice| news(News::Notice(notice)));
            compared.iter().for_each(|(comparison, pod)| news(News::Compared(comparison, pod)));
            if !compared.is_empty() {
                self.shown.set(running.tally());
            }
        }
        drop((feed, events));
        Ok(running.watching.map(|watching| (watching.following.tally, watching.following.free)))
    }

    /// `None`: it was stopped.
    fn gather(&mut self, news: &mut dyn FnMut(News<'_>)) -> Option<Cluster> {
        let (mut cluster, mut listed) = (Cluster::default(), BTreeSet::new());
        while listed.len() < KINDS {
            match self.inbox.recv().ok()? {
                Message::Feed(FeedChange::Changed(inputs)) => {
                    for input in inputs {
                        match input {
                            Input::Put(object) => cluster.gather(object),
                            Input::Gone(key) => cluster.forget(&key),
                            Input::Done(_) | Input::Configured => {}
                        }
                    }
                }
                Message::Feed(FeedChange::Listed(kind)) => drop(listed.insert(kind)),
                Message::Feed(change) => noted(&change).iter().for_each(|words| news(News::Notice(words))),
                Message::Decided(_) => {}
                Message::Stop => return None,
            }
        }
        Some(cluster)
    }

    fn start(&self, cluster: Cluster) -> Result<(Running, Started), String> {
        let Options { namespace, reading, compare, after_start, engine, .. } = &self.options;
        let (compare, after_start) = (*compare, *after_start);
        let configured = Configured::read(&cluster, namespace)?;
        let reading = Reading {
            gangs: reading.gangs && configured.gangs,
            unique_ids: reading.unique_ids || configured.unique_ids,
            // A decision is seen when its pod is already bound: its conditions are still needed.
            copies: true,
            ..reading.clone()
        };
        let now = time_of_day();
        let config::Reading { config, faults } = config::read(&configured.queues, reading.profile);
        let config = Arc::new(config.ok_or_else(|| {
            let first = faults.first().map(ToString::to_string).unwrap_or_default();
            let (key, profile) = (&configured.key, reading.profile);
            format!("{key} of the ConfigMaps in {namespace} is invalid for {profile}: {first}")
        })?);
        let mut core = match engine {
            Some(setup) => Some(following_core(setup, now, &config, &configured)?),
            None => None,
        };
        let namespace = namespace.clone();
        let how = StartMode { configured: configured.clone(), config, namespace, reading, compare, after_start, now };
        let watching = Watching::start(cluster, how, core.as_mut());
        let engine = core.map(|core| Engine::start(core, 1.0)).transpose();
        let engine = engine.map_err(|error| format!("the state cannot be shown: {error}"))?.map(Arc::new);
        let (pods, notices) = (watching.counts(), watching.notices());
        let on_start = Started { pods, notices, engine: engine.clone(), configured };
        Ok((Running { watching: Some(Box::new(watching)), engine }, on_start))
    }

    /// Returns false to stop.
    fn take(&mut self, running: &mut Running, news: &mut dyn FnMut(News<'_>)) -> Result<bool, String> {
        let first = match self.inbox.recv_timeout(LOOK) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(false),
        };
        let Some(watching) = &mut running.watching else { return Err(LOST.to_owned()) };
        let mut next = first;
        while let Some(message) = next.take().or_else(|| self.inbox.try_recv().ok()) {
            match message {
                Message::Feed(FeedChange::Changed(inputs)) => {
                    let seen = time_of_day();
                    inputs.into_iter().for_each(|input| watching.hold(seen, input));
                }
                Message::Feed(change) => {
                    if let Some(words) = noted(&change) {
                        watching.lost(time_of_day(), &words);
                        news(News::Notice(&words));
                    }
                }
                Message::Decided(DecisionEvent { ask, at, source }) => watching.decided(ask, at, source),
                Message::Stop => return Ok(false),
            }
        }
        Ok(true)
    }
}

const LOST: &str = "the engine that shows the state has stopped";

struct Running {
    /// `None` only while the engine's thread has it.
    watching: Option<Box<Watching>>,
    engine: Option<Arc<Engine>>,
}

impl Running {
    fn with<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Watching, Option<&mut Core>) -> T + Send + 'static,
    ) -> Result<T, String> {
        let Some(mut watching) = self.watching.take() else { return Err(LOST.to_owned()) };
        let (watching, done) = match &self.engine {
            Some(engine) => {
                let answer = engine.work(move |core| {
                    let done = work(&mut watching, Some(core));
                    (watching, done)
                });
                answer.recv().map_err(|_| LOST.to_owned())?
            }
            None => {
                let done = work(&mut watching, None);
                (watching, done)
            }
        };
        self.watching = Some(watching);
        Ok(done)
    }

    fn tally(&self) -> Tally {
        self.watching.as_ref().map(|watching| watching.following.tally.clone()).unwrap_or_default()
    }
}

fn following_core(
    setup: &Setup,
    now: Time,
    config: &Arc<config::Config>,
    configured: &Configured,
) -> Result<Core, String> {
    let tuning = Tuning { awaits_stops: true, ..setup.tuning };
    let setup = Setup { starts: now, tuning, follows: true, ..setup.clone() };
    let core = Core::set_up(&setup, Arc::clone(config), None)?;
    Ok(core.with_config_text(configured.queues.as_bytes(), None))
}

fn noted(change: &FeedChange) -> Option<String> {
    match change {
        FeedChange::Changed(_) | FeedChange::Listed(_) => None,
        FeedChange::Lost(kind, why) => Some(format!("cannot watch objects of the kind {kind}: {why}")),
        FeedChange::Unreadable(key, why) => {
            Some(format!("{} {}/{} is ignored: {why}", key.kind, key.namespace, key.name))
        }
    }
}
