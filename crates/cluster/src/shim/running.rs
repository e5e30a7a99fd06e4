//! A scheduler in a cluster: the thread `shim` passes changes to the engine, and starts operations.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

use super::configuration::Configured;
use super::core_sink::CoreSink;
use super::deciding::Deciding;
use super::feed::{Feed, FeedChange, KINDS, is_map};
use super::fence::Fence;
use super::hands::Hands;
use super::lease::{Lease, Turn};
use super::probes::{self, Health};
use super::process::Process;
use super::stopper::Stopper;
use super::time_of_day;
use crate::kube::{Cluster as Kube, Reader, Writer};
use engine::{Core, Earlier, Engine, Setup};
use kubernetes::live::{Input, Live, Outcome};
use kubernetes::{Cluster, Settings};
use scheduler::Tuning;

const TOGETHER: usize = 2000;
const LAST_WRITES: Duration = Duration::from_secs(10);
const PAUSE: &str = "registry.k8s.io/pause:3.7";

/// Options of a scheduler in a cluster.
#[derive(Clone, Debug)]
pub struct Options {
    /// The cluster, by its context.
    pub kube: Arc<Kube>,
    /// Namespace of the ConfigMaps and of the lease.
    pub namespace: String,
    /// Mapping of its pods.
    pub settings: Settings,
    /// Setup of the engine.
    pub setup: Setup,
    /// Lease and process identity; `None`: a single instance.
    pub lease: Option<(String, Process)>,
    /// Queue configuration that replaces the ConfigMaps'.
    pub queues: Option<String>,
    /// Address of the probes.
    pub probes: Option<SocketAddr>,
}

#[derive(Debug)]
pub(super) enum Message {
    Feed(FeedChange),
    Done(Outcome),
    Lease(Turn),
    Wake,
    Stop,
}

/// The state when a scheduler starts deciding.
#[derive(Clone)]
pub struct Started {
    /// The engine, for those who look at it.
    pub engine: Arc<Engine>,
    /// Settings of the ConfigMaps.
    pub configured: Configured,
    /// Pods of kornsole, and running ones.
    pub pods: (usize, usize),
    /// What of the cluster is odd.
    pub notices: Vec<String>,
}

/// A scheduler in a cluster, before it runs.
pub struct Shim {
    options: Options,
    runtime: Runtime,
    inbox: Receiver<Message>,
    sender: Sender<Message>,
    health: Health,
    fence: Fence,
    gathered: Cluster,
    listed: BTreeSet<&'static str>,
    mine: bool,
    is_standby: bool,
}

/// Dropping it ends the server of a standby.
pub type Serving = Box<dyn std::any::Any>;

/// The view of a standby, which follows and decides nothing. Its server is dropped first.
struct Observer {
    _serving: Serving,
    observing: Deciding,
}

impl Shim {
    /// Does not start it.
    ///
    /// # Errors
    /// Threads or the probe port are unavailable.
    pub fn new(options: Options) -> Result<Self, String> {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("shim-io").enable_all().build();
        let runtime = runtime.map_err(|error| format!("cannot start threads for requests: {error}"))?;
        let (sender, inbox) = channel();
        let health = Health::default();
        if let Some(address) = options.probes {
            let served = runtime.block_on(probes::serve(address, health.clone()));
            served.map_err(|error| format!("cannot answer probes on {address}: {error}"))?;
        }
        let fence = if options.lease.is_some() { Fence::closed() } else { Fence::open() };
        let mine = options.lease.is_none();
        let (gathered, listed) = Default::default();
        Ok(Self { options, runtime, inbox, sender, health, fence, gathered, listed, mine, is_standby: false })
    }

    /// Returns the progress, and the leader of a standby.
    pub fn health(&self) -> Health {
        self.health.clone()
    }

    /// Returns a handle to stop it.
    pub fn stopper(&self) -> Stopper {
        Stopper::new(self.sender.clone(), || Message::Stop)
    }

    /// Runs until it is stopped. While another process has the lease, `standby` serves the followed state until
    /// dropped. Then `earlier` returns an earlier run's state; `started` follows loading. The error says why it stops.
    pub fn run(
        mut self,
        standby: &dyn Fn(Started) -> Result<Serving, String>,
        earlier: Box<dyn FnOnce() -> Result<Earlier, String> + '_>,
        started: Box<dyn FnOnce(Started) -> Result<(), String> + '_>,
    ) -> Result<(), String> {
        let writer = Writer::new(Arc::clone(&self.options.kube));
        let lease = self
            .options
            .lease
            .clone()
            .map(|(name, me)| Lease::new(writer.clone(), self.fence.clone(), &self.options.namespace, &name, me));
        let _entered = self.runtime.enter();
        let to = self.sender.clone();
        let take = move |change| drop(to.send(Message::Feed(change)));
        let reader = Reader::new(Arc::clone(&self.options.kube));
        let feed = Feed::start(&reader, &self.options.namespace, take);
        if let Some(lease) = lease.clone() {
            let to = self.sender.clone();
            self.runtime.spawn(lease.hold(move |turn| drop(to.send(Message::Lease(turn)))));
        }
        let outcome = match self.gather(&writer, standby)? {
            true => earlier().and_then(|earlier| self.start(&writer, earlier)).and_then(|mut deciding| {
                started(deciding.started())?;
                self.health.is_ready();
                let outcome = self.decide(&mut deciding);
                self.health.has_stopped();
                deciding.hands.finish(LAST_WRITES);
                outcome
            }),
            false => Ok(()),
        };
        drop(feed);
        if let Some(lease) = lease {
            self.runtime.block_on(lease.give_back());
        }
        outcome
    }

    /// Returns false if it was stopped before every kind was listed and this process had the lease.
    fn gather(
        &mut self,
        writer: &Writer,
        standby: &dyn Fn(Started) -> Result<Serving, String>,
    ) -> Result<bool, String> {
        let mut observer: Option<Observer> = None;
        let mut tried = false;
        loop {
            if self.listed.len() == KINDS {
                if self.mine {
                    return Ok(true);
                }
                self.health.enter_standby();
                if self.is_standby && !std::mem::replace(&mut tried, true) {
                    observer = self.observe(writer, standby);
                }
            }
            let Ok(message) = self.inbox.recv() else { return Ok(false) };
            match message {
                Message::Feed(FeedChange::Changed(inputs)) => {
                    observer = observer.and_then(|observer| self.show(observer, &inputs));
                    for input in inputs {
                        match input {
                            Input::Put(object) => self.gathered.gather(object),
                            Input::Gone(key) => self.gathered.forget(&key),
                            Input::Done(_) | Input::Configured => {}
                        }
                    }
                }
                Message::Feed(change) => self.note(change),
                Message::Lease(turn) => self.take_turn(turn)?,
                Message::Done(_) | Message::Wake => {}
                Message::Stop => return Ok(false),
            }
        }
    }

    /// A standby takes over even if this fails.
    fn observe(&self, writer: &Writer, standby: &dyn Fn(Started) -> Result<Serving, String>) -> Option<Observer> {
        let observing = self.take_over(self.gathered.clone(), writer, Earlier::default(), true);
        let shown = observing.and_then(|mut observing| {
            observing.batch(Vec::new())?;
            Ok(Observer { _serving: standby(observing.started())?, observing })
        });
        shown.inspect_err(|why| tracing::warn!("the standby cannot serve reads: {why}")).ok()
    }

    /// `None` if the observer cannot continue.
    fn show(&self, mut observer: Observer, inputs: &[Input]) -> Option<Observer> {
        let maps = inputs.iter().any(is_map);
        let taken = observer.observing.batch(inputs.to_vec()).and_then(|()| match maps {
            true => observer.observing.configure(&self.options.namespace),
            false => Ok(()),
        });
        taken.inspect_err(|why| tracing::warn!("the standby stopped serving reads: {why}")).ok()?;
        Some(observer)
    }

    fn note(&mut self, change: FeedChange) {
        match change {
            FeedChange::Listed(kind) => drop(self.listed.insert(kind)),
            FeedChange::Lost(kind, why) => tracing::warn!("cannot watch objects of the kind {kind}: {why}"),
            FeedChange::Unreadable(key, why) => {
                tracing::warn!("{} {}/{} is ignored: {why}", key.kind, key.namespace, key.name);
            }
            FeedChange::Changed(_) => {}
        }
    }

    fn take_turn(&mut self, turn: Turn) -> Result<(), String> {
        match turn {
            Turn::Mine => {
                tracing::info!("holding the lease");
                self.mine = true;
            }
            Turn::Other(who) if who.is_empty() => {}
            Turn::Other(who) => {
                tracing::info!("standby: {who} has the lease");
                self.health.follows(&Process::name_of(&who));
                self.is_standby = true;
            }
            Turn::Lost(why) => return Err(format!("the lease is lost, so this instance stops writing: {why}")),
        }
        Ok(())
    }

    fn start(&mut self, writer: &Writer, earlier: Earlier) -> Result<Deciding, String> {
        let cluster = std::mem::take(&mut self.gathered);
        let mut deciding = self.take_over(cluster, writer, earlier, false)?;
        deciding.batch(Vec::new())?;
        Ok(deciding)
    }

    fn take_over(
        &self,
        cluster: Cluster,
        writer: &Writer,
        earlier: Earlier,
        observes: bool,
    ) -> Result<Deciding, String> {
        let mut configured = Configured::read(&cluster, &self.options.namespace)?;
        if let Some(queues) = &self.options.queues {
            configured.queues.clone_from(queues);
            (configured.by_default, configured.hot_refresh) = (false, false);
        }
        let settings = Settings {
            gangs: self.options.settings.gangs && configured.gangs,
            unique_ids: self.options.settings.unique_ids || configured.unique_ids,
            ..self.options.settings.clone()
        };
        let now = time_of_day();
        let tuning = Tuning { awaits_stops: true, ..self.options.setup.tuning };
        let place = match &self.options.queues {
            Some(_) => "the file of --config".to_owned(),
            None => format!("the ConfigMap yunikorn-configs of namespace {}", self.options.namespace),
        };
        let configured_by = Some(Arc::from(place));
        let setup = Setup { starts: now, tuning, configured_by, follows: observes, ..self.options.setup.clone() };
        let config::Reading { config, faults } = config::read(&configured.queues, setup.profile);
        let config = config.ok_or_else(|| {
            let first = faults.first().map(ToString::to_string).unwrap_or_default();
            format!("{} of the ConfigMaps in {} is rejected: {first}", configured.key, self.options.namespace)
        })?;
        let mut core =
            Core::set_up_after(&setup, Arc::new(config), earlier)?.with_config_text(configured.queues.as_bytes(), None);
        let to = self.sender.clone();
        core.tap(move || {
            if !observes {
                let _ = to.send(Message::Wake);
            }
        });
        let live = Live::start(cluster, settings, now, &mut CoreSink(&mut core));
        let engine = Engine::start(core, 1.0).map_err(|error| format!("cannot start the scheduler: {error}"))?;
        let image = configured.placeholder_image.clone().unwrap_or_else(|| PAUSE.to_owned());
        let hands =
            Hands::new(self.runtime.handle().clone(), writer.clone(), self.fence.clone(), self.sender.clone(), &image);
        let (engine, checked_at) = (Arc::new(engine), Instant::now());
        let (live, review) = (Some(Box::new(live)), Some(Box::default()));
        Ok(Deciding { engine, live, review, hands, configured, checked_at, observes })
    }

    fn decide(&mut self, deciding: &mut Deciding) -> Result<(), String> {
        loop {
            let first = match self.inbox.recv_timeout(deciding.wait()) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            let (mut inputs, mut maps) = (Vec::new(), false);
            let mut next = first;
            while let Some(message) = next.take().or_else(|| self.inbox.try_recv().ok()) {
                match message {
                    Message::Feed(FeedChange::Changed(more)) => {
                        maps |= more.iter().any(is_map);
                        inputs.extend(more);
                    }
                    Message::Feed(change) => self.note(change),
                    Message::Done(outcome) => inputs.push(Input::Done(outcome)),
                    Message::Lease(turn) => self.take_turn(turn)?,
                    Message::Wake => {}
                    Message::Stop => return Ok(()),
                }
                if inputs.len() >= TOGETHER {
                    break;
                }
            }
            deciding.batch(inputs)?;
            if maps {
                deciding.configure(&self.options.namespace)?;
            }
            deciding.look()?;
        }
    }
}
