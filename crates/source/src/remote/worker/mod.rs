//! Combines plan, requests, state, and link in one task that owns them; requests and events run in parallel.

mod answering;
mod cluster;
mod identify;
mod in_background;
mod ledger;
mod request;
mod take;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use self::identify::{IDENTIFY_AGAIN, Identity, PATIENCE};
pub(super) use self::identify::{Identified, identify, no_capacity};
pub use self::request::Request;
use super::act;
use super::fetch::{Fetch, FetchResult};
use super::follow::{EventMessage, Reader};
use super::link::{Chance, LinkState};
use super::plan::{Plan, Query};
use super::quotas;
use super::records;
use super::twin::Twins;
use super::{RemoteOptions, Shared};
use crate::{Focus, FocusKind, Records};
use client::{Client, ClientResponse, Fault, Remote};
use model::Profile;
use view::NoticeWeight;
use view::kubernetes::Kubernetes;
use wire::convert::read::{RemoteState, Shapes};
use wire::dto;

/// The minimum time between published views under load.
const PUBLISH_EVERY: Duration = Duration::from_millis(100);
const IDLE: Duration = Duration::from_secs(60);

enum Message {
    Identified(Duration, Box<Identity>),
    /// The server that may be kornsole is identified again, or the failure.
    IdentifiedAgain(Box<Identity>),
    OrderDone,
    TextFetched,
    Fetched(Box<FetchResult>),
    Objects(Arc<Kubernetes>),
    Retained(Box<Records>),
}

/// The owner of all data of a remote.
pub struct Worker {
    client: Client,
    twins: Arc<Twins>,
    shared: Arc<Shared>,
    every: Duration,
    seed: u64,
    has_token: bool,
    requests: UnboundedReceiver<Request>,
    messages_in: UnboundedSender<Message>,
    messages: UnboundedReceiver<Message>,
    events: Option<Receiver<EventMessage>>,
    follower: Option<JoinHandle<()>>,
    remote: Option<Remote>,
    plan: Plan,
    focus: Focus,
    remote_state: RemoteState,
    identifying: bool,
    /// When to identify the server again: it may be kornsole.
    doubt: Option<Duration>,
    /// The server answers, except for its list of partitions.
    without_list: bool,
    /// While disconnected: the start, and the next try.
    down: Option<(Duration, Duration)>,
    /// Consecutive failures per query, while connected.
    failing: BTreeMap<Query, u32>,
    unknown: BTreeMap<Query, Vec<dto::Unknown>>,
    chance: Chance,
    published: Option<Duration>,
    config_text: Option<String>,
    acting: usize,
    settling: Vec<std::sync::mpsc::Sender<()>>,
    reader: Option<Reader>,
    /// Whether to suggest a token for a kornsole server; Apache YuniKorn has none.
    hints_at_token: bool,
    follows_objects: bool,
    reviews_rights: bool,
    reviewing: Arc<AtomicBool>,
    tap: ledger::Tap,
}

impl Worker {
    /// Creates a worker without data.
    pub fn new(
        (client, twins): (Client, Arc<Twins>),
        shared: Arc<Shared>,
        options: &RemoteOptions,
        has_token: bool,
        requests: UnboundedReceiver<Request>,
    ) -> Self {
        let (messages_in, messages) = unbounded_channel();
        let plan = Plan::new(options.every);
        let plan = if shared.clock.is_stepped() { plan.one_by_one() } else { plan };
        Self {
            client,
            twins,
            shared,
            every: options.every,
            seed: options.seed,
            has_token,
            requests,
            messages_in,
            messages,
            events: None,
            follower: None,
            remote: None,
            plan,
            focus: Focus::default(),
            remote_state: RemoteState::new(Profile::default(), Shapes::default()),
            identifying: false,
            doubt: None,
            without_list: false,
            down: None,
            failing: BTreeMap::new(),
            unknown: BTreeMap::new(),
            chance: Chance::new(options.seed.wrapping_add(1)),
            published: None,
            config_text: None,
            acting: 0,
            settling: Vec::new(),
            reader: None,
            hints_at_token: !has_token && !options.read_only,
            follows_objects: false,
            reviews_rights: false,
            reviewing: Arc::default(),
            tap: ledger::Tap::default(),
        }
    }

    /// Runs until the source is dropped.
    pub async fn run(mut self) {
        loop {
            self.ask_what_is_due();
            let (now, asking) = (self.now(), self.plan.is_asking() || self.identifying);
            self.with_link(|link| link.asking(now, asking));
            self.report_settled();
            let wait = self.until_next();
            let shared = Arc::clone(&self.shared);
            tokio::select! {
                request = self.requests.recv() => match request {
                    Some(request) => self.handle_request(request),
                    None => return,
                },
                Some(messages) = self.messages.recv() => self.handle_message(messages),
                event = next_event(&mut self.events) => match event {
                    Some(event) => self.take_events(event),
                    None => self.events = None,
                },
                () = shared.clock.sleep(wait) => {}
            }
            while let Ok(messages) = self.messages.try_recv() {
                self.handle_message(messages);
            }
            self.publish();
        }
    }

    fn now(&self) -> Duration {
        self.shared.now()
    }

    fn ask_what_is_due(&mut self) {
        let now = self.now();
        if self.down.is_some_and(|(_, retry)| now < retry) || self.identifying {
            return;
        }
        let Some(remote) = self.remote.clone().filter(|_| self.down.is_none()) else {
            self.identifying = true;
            let (client, messages) = (self.client.clone(), self.messages_in.clone());
            tokio::spawn(async move {
                let result = identify(&client, PATIENCE).await;
                // The worker may have ended.
                let _ = messages.send(Message::Identified(now, Box::new(result)));
            });
            return;
        };
        self.identify_again(now);
        for query in self.plan.take_due(now) {
            let request = match (&query, &self.reader) {
                (Query::Events, Some(reader)) => Some(Fetch::events(reader.clone())),
                _ => Fetch::of(query.clone(), &remote, self.has_token, &self.remote_state),
            };
            match request {
                Some(request) => {
                    let (client, messages) = (self.client.clone(), self.messages_in.clone());
                    tokio::spawn(async move {
                        let outcome = request.run(client, now).await;
                        let _ = messages.send(Message::Fetched(Box::new(outcome)));
                    });
                }
                None => self.plan.drop(&query),
            }
        }
    }

    fn report_settled(&mut self) {
        let busy = self.identifying || self.acting > 0 || self.plan.is_asking();
        if self.settling.is_empty() || busy || !self.requests.is_empty() || !self.messages.is_empty() {
            return;
        }
        self.publish();
        for waiting in self.settling.drain(..) {
            // The waiting side may be gone.
            let _ = waiting.send(());
        }
    }

    fn until_next(&self) -> Duration {
        let now = self.now();
        let publish = self.published.map(|last| last + PUBLISH_EVERY).filter(|at| *at > now);
        let due = match self.down {
            Some((_, retry)) => Some(retry),
            None if self.identifying => None,
            None => [self.plan.next_due(), self.doubt].into_iter().flatten().min(),
        };
        let next = [due, publish].into_iter().flatten().min();
        next.map_or(IDLE, |next| next.saturating_sub(now)).clamp(Duration::from_millis(1), IDLE)
    }

    fn handle_request(&mut self, request: Request) {
        match request {
            Request::SetFocus(focus) => {
                if focus.kind == FocusKind::Records && self.focus.kind != FocusKind::Records {
                    self.load_retained();
                }
                self.focus = focus.clone();
                self.plan.set_focus(focus, self.shared.now());
            }
            Request::Settle(sender) => self.settling.push(sender),
            Request::Text(number, answer) => {
                let (client, retained) = (self.client.clone(), self.retained());
                self.in_background(Message::TextFetched, async move {
                    answer(match retained {
                        Some(retained) => records::retained_text(retained, number).await,
                        None => records::text(&client, number).await,
                    });
                });
            }
            Request::Usage(question, answer) => self.used(question, answer),
            Request::Shadow(answer) => self.shadow(answer),
            Request::Explain(question, answer) => self.explain(question, answer),
            Request::WhatIf(partition, name, answer) => self.what_if(partition, name, answer),
            Request::Forecast(partition, text, stop, answer) => self.forecast(partition, text, stop, answer),
            Request::PreviewQuotas(text, answer) => {
                let client = self.client.clone();
                self.in_background(Message::TextFetched, async move { answer(quotas::preview(&client, &text).await) });
            }
            Request::Owners(partition, app, answer) => self.owners(partition, app, answer),
            Request::Suspend(order, answer) => self.suspend(*order, answer),
            Request::Refused(refused) => self.note_refusal(*refused),
            Request::Act(order, answer) => {
                let client = self.client.clone();
                let view = self.shared.view.load_full();
                let cluster = self.acts_in();
                self.in_background(Message::OrderDone, async move {
                    answer(match cluster {
                        Some(cluster) => act::cluster::perform(&client, &cluster, &view, &order).await,
                        None => act::perform(&client, &order).await,
                    });
                });
            }
        }
    }

    fn in_background(&mut self, done: Message, work: impl Future<Output = ()> + Send + 'static) {
        self.acting += 1;
        let messages = self.messages_in.clone();
        tokio::spawn(async move {
            work.await;
            let _ = messages.send(done);
        });
    }

    fn handle_message(&mut self, messages: Message) {
        match messages {
            Message::Identified(started, result) => {
                self.identifying = false;
                match *result {
                    Ok(got) => self.identified(got),
                    Err(fault) => self.failed(started, &fault),
                }
            }
            Message::IdentifiedAgain(result) => self.identified_again(*result),
            Message::TextFetched => self.acting = self.acting.saturating_sub(1),
            Message::OrderDone => {
                self.acting = self.acting.saturating_sub(1);
                self.load_retained();
                // Look for its effects at once.
                let (now, focus) = (self.now(), self.focus.clone());
                self.plan.expedite(
                    |query| {
                        matches!(query, Query::Queues(_) | Query::Apps(_) | Query::Config | Query::Resting)
                            || matches!(query, Query::Audit | Query::History)
                            || query.is_on(&focus)
                    },
                    now,
                );
            }
            Message::Fetched(outcome) => self.take(*outcome),
            Message::Objects(all) => self.remote_state.set_kubernetes(all),
            Message::Retained(retained) => self.shared.keep_records(|records| *records = *retained),
        }
    }

    fn identified(&mut self, got: ClientResponse<Option<Identified>>) {
        self.good(&got);
        let now = self.now();
        let Some(Identified { remote, doubt, without_list }) = got.value else {
            // A scheduler without a resource manager has no data yet: retry later.
            self.down = Some((now, now + self.every));
            return;
        };
        let before = self.shared.remote.load_full();
        // A doubt about a known server does not change it.
        let remote = before.as_deref().filter(|_| doubt.is_some()).cloned().unwrap_or(remote);
        if self.down.take().is_some() && before.is_some() {
            self.with_link(LinkState::arrived_back);
            let title = format!("connected again: {remote}");
            self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Info, title, String::new());
        }
        self.remote = Some(remote.clone());
        self.doubt = doubt.as_ref().map(|_| now + IDENTIFY_AGAIN);
        self.review_rights();
        self.follow_objects();
        if before.as_deref() != Some(&remote) {
            self.start_over(before.as_deref(), &remote, doubt.as_ref());
        }
        self.plan.all_due(now);
        self.take_partitions(without_list);
        self.plan.set_focus(self.focus.clone(), now);
    }

    fn good<T>(&mut self, got: &ClientResponse<T>) {
        self.shared.compare_clocks(got.date);
        let now = self.now();
        let rtt = if self.shared.clock.is_stepped() { Duration::ZERO } else { got.rtt };
        self.shared.link_state().good(now, rtt);
    }

    fn with_link(&self, change: impl FnOnce(&mut LinkState)) {
        change(&mut self.shared.link_state());
    }

    /// Failures of requests from before are not new.
    fn failed(&mut self, started: Duration, fault: &Fault) {
        if self.down.is_some_and(|(since, _)| started < since) {
            return;
        }
        let now = self.now();
        let retry = self.shared.link_state().bad(now, fault);
        if self.down.is_none() {
            let title = format!("no connection: {fault}");
            let details = fault.technical().to_owned();
            self.remote_state.notice(self.shared.cluster_time(), NoticeWeight::Info, title, details);
        }
        self.down = Some((now, retry));
        self.shared.wake();
    }
}

async fn next_event(events: &mut Option<Receiver<EventMessage>>) -> Option<EventMessage> {
    match events {
        Some(events) => events.recv().await,
        None => std::future::pending().await,
    }
}
