//! A remote scheduler over its REST API: a kornsole server, or Apache YuniKorn 1.4 or later.
//!
//! ```text
//!  console ── look, act ──> worker ── plan ──> requests ──┐
//!     ^                       ^  └── events <─────────────┤  (tokio threads)
//!     └── view, link, wake ───┴── state <── answers ────┘
//! ```
//!
//! Invariants:
//! - the console's thread only reads the published data of the worker;
//! - the last view remains when the connection is lost; its age is always known;
//! - an order that the remote does not support is rejected here, with the reason (`rest.md` E12).

mod act;
mod clock;
pub mod explain;
pub mod fetch;
pub mod follow;
pub mod link;
mod may;
mod objects;
pub mod once;
mod options;
pub mod part;
mod plan;
mod quotas;
mod readings;
mod records;
mod rights;
mod shadow;
mod shared;
pub mod stored;
mod twin;
mod usage;
mod words;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::cycles::Cycles;
use super::{
    About, Focus, ForecastAnswer, Link, Objects, OwnHealth, OwnersAnswer, QuotaAnswer, Records, ShadowAnswer, Source,
    SourcePlace, StalePart, StopFlag, SuspendAnswer, SuspendOrder, TextAnswer, Trends, UsageAnswer, WhatIfAnswer,
};
use ::client::{self, Client, Target, TargetFault};
use alerts::alerting::Board;
use clock::Clock;
use cluster::kube::Cluster;
use link::LinkState;
use model::{AppId, Identity, Time};
pub use options::RemoteOptions;
use readings::Readings;
use shared::Shared;
use view::act::{Act, Actor, Answer, Order, Refusal};
use view::unread::Unread;
use view::used::UsageQuestion;
use view::waiting::{Question, SheetAnswer};
use view::{EventPage, Record, View};
use words::notes;

const NOT_RECEIVED: &str = "waiting for its response";

/// Dropping it stops everything.
pub struct Remote {
    shared: Arc<Shared>,
    about: About,
    identity: OnceLock<Identity>,
    anonymous: Identity,
    requests: UnboundedSender<worker::Request>,
    /// A request was made since the last [`Remote::settle`].
    wanted: AtomicBool,
    runtime: Option<tokio::runtime::Runtime>,
    options: RemoteOptions,
    has_token: bool,
    seen_as_other: bool,
    cluster: Option<Arc<Cluster>>,
    /// The description, once the scheduler was found in its cluster.
    found: OnceLock<About>,
    readings: Option<Readings>,
    trends: Option<Arc<Trends>>,
    alerts: Option<Arc<Board>>,
}

impl Remote {
    /// Fails if the client or a thread cannot start.
    pub fn start(target: &Target, options: RemoteOptions) -> Result<Self, TargetFault> {
        Self::by(Clock::running(), target, options)
    }

    /// Connects with a manual clock ([`Remote::pass`]), one request at a time: the same answers give the same views.
    /// `began` is the initial wall clock, since 1970.
    ///
    /// # Errors
    /// As [`Remote::start`].
    pub fn stepped(target: &Target, options: RemoteOptions, started_at: Duration) -> Result<Self, TargetFault> {
        Self::by(Clock::stepped(started_at), target, options)
    }

    fn by(clock: Clock, target: &Target, options: RemoteOptions) -> Result<Self, TargetFault> {
        let client = Client::new(target, options.limits)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("remote")
            .enable_all()
            .build()
            .map_err(|error| TargetFault::Client(error.to_string()))?;
        let shared = Arc::new(Shared {
            view: ArcSwap::default(),
            link: Mutex::new(LinkState::new(options.seed)),
            remote: ArcSwapOption::empty(),
            who: ArcSwapOption::empty(),
            wake: Mutex::new(None),
            clock,
            ahead: AtomicI64::new(0),
            events: Mutex::default(),
            important: Mutex::default(),
            records: Mutex::new(Records::unknown("no response of the remote yet")),
            health: Mutex::new(OwnHealth::Unknown(Arc::from(NOT_RECEIVED))),
            book: OnceLock::new(),
            cycles: Cycles::default(),
        });
        let (requests, inbox) = unbounded_channel();
        let twins = Arc::new(twin::Twins::new(target.clone(), options.limits));
        let worker = worker::Worker::new((client, twins), Arc::clone(&shared), &options, target.has_token(), inbox);
        runtime.spawn(worker.run());
        let name = options.name.as_ref().map_or_else(|| target.host(), |name| format!("{name}, {}", target.host()));
        let about = About { place: SourcePlace::Remote, name, notes: notes(target, &options) };
        let has_token = target.has_token();
        let (identity, anonymous) = (OnceLock::new(), Identity::default());
        let (seen_as_other, wanted) = (target.seen_as().is_some(), AtomicBool::new(false));
        let handle = runtime.handle().clone();
        let readings = target.cluster().cloned().map(|cluster| Readings { cluster, handle });
        Ok(Self {
            shared,
            about,
            identity,
            anonymous,
            requests,
            wanted,
            runtime: Some(runtime),
            options,
            has_token,
            seen_as_other,
            cluster: target.cluster().cloned(),
            found: OnceLock::new(),
            readings,
            trends: None,
            alerts: None,
        })
    }

    /// The same with what is measured of it.
    #[must_use]
    pub fn with_trends(mut self, trends: Arc<Trends>) -> Self {
        self.trends = Some(trends);
        self
    }

    /// The same with the alerts of its cluster.
    #[must_use]
    pub fn with_alerts(mut self, board: Arc<Board>) -> Self {
        self.alerts = Some(board);
        self
    }

    /// Advances a manual clock, and waits until everything due is read.
    pub fn pass(&self, by: Duration) {
        self.shared.clock.pass(by);
        self.settle();
    }

    /// Waits until all requests are done and everything due is read. Returns whether there were requests since the last
    /// call. With a running clock it does not wait.
    pub fn settle(&self) -> bool {
        let wanted = self.wanted.swap(false, Ordering::AcqRel);
        if self.shared.clock.is_stepped() {
            let (sender, receiver) = std::sync::mpsc::channel();
            // The worker ends only with this source.
            let _ = self.requests.send(worker::Request::Settle(sender));
            let _ = receiver.recv();
        }
        wanted
    }

    fn request(&self, request: worker::Request) {
        self.wanted.store(true, Ordering::Release);
        // The worker ends only with this source.
        let _ = self.requests.send(request);
    }

    /// `None` until the first answer.
    pub fn remote(&self) -> Option<Arc<client::Remote>> {
        self.shared.remote.load_full()
    }
}

impl Source for Remote {
    fn alerts(&self) -> Option<&Arc<Board>> {
        self.alerts.as_ref()
    }

    fn view(&self) -> Arc<View> {
        self.shared.view.load_full()
    }

    fn now(&self) -> Time {
        self.shared.cluster_time()
    }

    /// The observed events: at most the last 10,000, including some before the connection.
    fn events(&self, since: u64, limit: usize) -> EventPage {
        self.shared.event_page(since, limit)
    }

    fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        self.shared.important(until, limit)
    }

    fn trends(&self) -> Option<Arc<Trends>> {
        self.trends.clone()
    }

    fn about(&self) -> &About {
        let Some(found) = self.cluster.as_ref().and_then(|cluster| cluster.found()) else {
            return &self.about;
        };
        self.found.get_or_init(|| {
            let name = format!("{}/{} by {}", self.about.name, found.namespace, found.via.name());
            let mut notes = self.about.notes.clone();
            notes.push(format!("Asked {found}."));
            About { name, notes, ..self.about.clone() }
        })
    }

    fn version(&self) -> String {
        self.shared.remote.load_full().map(|remote| remote.to_string()).unwrap_or_default()
    }

    fn link(&self) -> Link {
        self.shared.link()
    }

    fn stale_parts(&self) -> Vec<StalePart> {
        self.shared.stale_parts()
    }

    fn unread(&self) -> Unread {
        self.shared.unread()
    }

    fn apps_lag(&self) -> Option<Duration> {
        self.shared.link_state().apps_lag()
    }

    fn identity(&self) -> &Identity {
        if let Some(identity) = self.identity.get() {
            return identity;
        }
        if let Some(who) = self.cluster.as_ref().and_then(|cluster| cluster.user()) {
            return self.identity.get_or_init(|| Identity { user: who.user.clone(), groups: who.groups.clone() });
        }
        match self.shared.who.load_full().filter(|who| who.authenticated) {
            Some(who) => self.identity.get_or_init(|| who.identity()),
            None => &self.anonymous,
        }
    }

    fn actor(&self) -> Result<Actor, Arc<str>> {
        Ok(self.acting())
    }

    fn estimates(&self) -> bool {
        matches!(self.shared.remote.load_full().as_deref(), Some(client::Remote::YuniKorn(_)))
    }

    fn may(&self, act: &Act) -> Result<(), Refusal> {
        self.allowed(act)
    }

    fn act(&self, order: Order, answer: Answer) {
        match self.may(&order.act) {
            Ok(()) => {
                self.request(worker::Request::Act(Box::new(order), answer));
            }
            Err(refusal) => answer(Err(refusal)),
        }
    }

    fn refused(&self, order: Order, refusal: Refusal) {
        if self.acts_in().is_some() {
            self.request(worker::Request::Refused(Box::new((order, refusal))));
        }
    }

    fn owners(&self, partition: &str, app: &AppId, answer: OwnersAnswer) {
        self.request(worker::Request::Owners(Arc::from(partition), app.clone(), answer));
    }

    fn suspend(&self, order: SuspendOrder, answer: SuspendAnswer) {
        self.request(worker::Request::Suspend(Box::new(order), answer));
    }

    fn explain(&self, question: Question, answer: SheetAnswer) {
        match explain::may_ask(self.shared.remote.load_full().as_deref(), self.link()) {
            Ok(()) => self.request(worker::Request::Explain(question, answer)),
            Err((code, why)) => answer(Err(Refusal::new(code, format!("cannot explain {}", question.of), why))),
        }
    }

    fn preview_quotas(&self, text: Arc<str>, answer: QuotaAnswer) {
        let knows = matches!(self.shared.remote.load_full().as_deref(), Some(client::Remote::Kornsole(server)) if server.can("quotas"));
        match self.link() {
            Link::Live { .. } if knows => self.request(worker::Request::PreviewQuotas(text, answer)),
            _ => answer(Vec::new()),
        }
    }

    fn what_if(&self, partition: &str, answer: WhatIfAnswer) {
        let name = Box::new((self.about().name.clone(), self.identity().clone()));
        self.request(worker::Request::WhatIf(Arc::from(partition), name, answer));
    }

    fn forecast(&self, partition: &str, text: Arc<str>, stop: StopFlag, answer: ForecastAnswer) {
        self.request(worker::Request::Forecast(Arc::from(partition), text, stop, answer));
    }

    fn objects(&self) -> Option<&dyn Objects> {
        self.acts_in()?;
        self.readings.as_ref().map(|readings| readings as &dyn Objects)
    }

    fn records(&self, known: u64) -> Option<Records> {
        let records = self.shared.records.lock().unwrap_or_else(PoisonError::into_inner);
        (records.generation != known || known == 0).then(|| records.clone())
    }

    fn health(&self) -> OwnHealth {
        self.shared.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn revision_text(&self, number: u64, answer: TextAnswer) {
        let records = self.shared.records.lock().unwrap_or_else(PoisonError::into_inner);
        let known = records.revisions.as_ref().ok();
        let seen = known.and_then(|known| known.iter().find(|one| one.number == number)?.text.clone());
        drop(records);
        match seen {
            Some(text) => answer(Ok(text)),
            None => self.request(worker::Request::Text(number, answer)),
        }
    }

    fn usage(&self, question: UsageQuestion, answer: UsageAnswer) {
        usage::ask(self, question, answer);
    }

    fn shadow(&self, answer: ShadowAnswer) {
        shadow::ask(self, answer);
    }

    fn cycle(&self) -> Option<Duration> {
        self.shared.cycles.mean()
    }

    fn set_focus(&self, focus: &Focus) {
        self.request(worker::Request::SetFocus(focus.clone()));
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        *self.shared.wake.lock().unwrap_or_else(PoisonError::into_inner) = Some(wake);
        self.shared.wake();
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(book) = self.shared.book.get() {
            book.finish();
        }
        if let Some(runtime) = self.runtime.take() {
            // Do not wait for open requests.
            runtime.shutdown_background();
        }
    }
}
