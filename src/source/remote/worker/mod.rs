//! Holds plan, requests, picture and link together. One task owns all of them; requests and events run beside it.

mod take;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::act;
use super::ask::{Outcome, Request};
use super::follow::{self, EventNews, Feed, Reader};
use super::link::Chance;
use super::plan::{Ask, Plan};
use super::records;
use super::{RemoteOptions, Shared};
use crate::api::client::{Client, Fault, Got, Release, Remote, release};
use crate::api::convert::read::{Picture, Shapes};
use crate::api::dto;
use crate::model::Profile;
use crate::source::{Glance, TextAnswer};
use crate::view::NoticeWeight;
use crate::view::act::{Answer as Done, Order};

/// The longest time between two published views while answers keep coming in.
const PUBLISH_EVERY: Duration = Duration::from_millis(100);
/// How long the worker sleeps when nothing is due.
const IDLE: Duration = Duration::from_secs(60);

/// What the console wants.
pub enum Wish {
    /// Something else is on the screen.
    Look(Glance),
    /// An order is to be carried out.
    Act(Order, Done),
    /// To be told when nothing is left to do, by a clock that is moved by hand.
    Settle(std::sync::mpsc::Sender<()>),
    /// The text of a revision is to be fetched.
    Text(u64, TextAnswer),
}

/// What comes from the tasks beside.
enum News {
    /// What stands at the other end, or why that cannot be told.
    Identified(Duration, Box<Result<Got<Option<Remote>>, Fault>>),
    /// An order was answered.
    Acted,
    /// A text was fetched.
    Told,
    /// A request came back.
    Outcome(Box<Outcome>),
}

/// The owner of everything that is known of a remote.
pub struct Worker {
    client: Client,
    shared: Arc<Shared>,
    every: Duration,
    seed: u64,
    has_token: bool,
    wishes: UnboundedReceiver<Wish>,
    news_in: UnboundedSender<News>,
    news: UnboundedReceiver<News>,
    events: Option<Receiver<EventNews>>,
    follower: Option<JoinHandle<()>>,
    remote: Option<Remote>,
    plan: Plan,
    glance: Glance,
    picture: Picture,
    identifying: bool,
    /// While the connection is down: since when, and when it is tried again.
    down: Option<(Duration, Duration)>,
    /// Requests that fail though the connection stands: how often in a row.
    failing: BTreeMap<Ask, u32>,
    chance: Chance,
    published: Option<Duration>,
    /// The text of the configuration that was read last.
    config_text: Option<String>,
    /// Orders that are under way.
    acting: usize,
    /// Who wants to be told when nothing is left to do.
    settling: Vec<std::sync::mpsc::Sender<()>>,
    /// Where one is in the events, where nobody follows them beside the plan.
    reader: Option<Reader>,
}

impl Worker {
    /// A worker that knows nothing yet.
    pub fn new(
        client: Client,
        shared: Arc<Shared>,
        options: &RemoteOptions,
        has_token: bool,
        wishes: UnboundedReceiver<Wish>,
    ) -> Self {
        let (news_in, news) = unbounded_channel();
        let plan = Plan::new(options.every);
        let plan = if shared.clock.is_stepped() { plan.one_by_one() } else { plan };
        Self {
            client,
            shared,
            every: options.every,
            seed: options.seed,
            has_token,
            wishes,
            news_in,
            news,
            events: None,
            follower: None,
            remote: None,
            plan,
            glance: Glance::default(),
            picture: Picture::new(Profile::default(), Shapes::default()),
            identifying: false,
            down: None,
            failing: BTreeMap::new(),
            chance: Chance::new(options.seed.wrapping_add(1)),
            published: None,
            config_text: None,
            acting: 0,
            settling: Vec::new(),
            reader: None,
        }
    }

    /// Works until the source is dropped.
    pub async fn run(mut self) {
        loop {
            self.ask_what_is_due();
            self.tell_settled();
            let wait = self.until_next();
            let shared = Arc::clone(&self.shared);
            tokio::select! {
                wish = self.wishes.recv() => match wish {
                    Some(wish) => self.grant(wish),
                    None => return,
                },
                Some(news) = self.news.recv() => self.hear(news),
                event = next_event(&mut self.events) => match event {
                    Some(event) => self.take_events(event),
                    None => self.events = None,
                },
                () = shared.clock.sleep(wait) => {}
            }
            while let Ok(news) = self.news.try_recv() {
                self.hear(news);
            }
            self.publish();
        }
    }

    fn now(&self) -> Duration {
        self.shared.now()
    }

    /// Asks for what is due; while the connection is down only for what shows that it is back.
    fn ask_what_is_due(&mut self) {
        let now = self.now();
        if self.down.is_some_and(|(_, retry)| now < retry) || self.identifying {
            return;
        }
        let Some(remote) = self.remote.clone().filter(|_| self.down.is_none()) else {
            self.identifying = true;
            let (client, news) = (self.client.clone(), self.news_in.clone());
            tokio::spawn(async move {
                let result = identify(&client).await;
                // The worker may have ended.
                let _ = news.send(News::Identified(now, Box::new(result)));
            });
            return;
        };
        for ask in self.plan.take_due(now) {
            let request = match (&ask, &self.reader) {
                (Ask::Events, Some(reader)) => Some(Request::events(reader.clone())),
                _ => Request::of(ask.clone(), &remote, self.has_token, &self.picture),
            };
            match request {
                Some(request) => {
                    let (client, news) = (self.client.clone(), self.news_in.clone());
                    tokio::spawn(async move {
                        let outcome = request.run(client, now).await;
                        let _ = news.send(News::Outcome(Box::new(outcome)));
                    });
                }
                None => self.plan.drop(&ask),
            }
        }
    }

    /// By a clock that is moved by hand: tells that nothing is left to do at this moment, when that is so.
    fn tell_settled(&mut self) {
        let busy = self.identifying || self.acting > 0 || self.plan.is_asking();
        if self.settling.is_empty() || busy || !self.wishes.is_empty() || !self.news.is_empty() {
            return;
        }
        self.publish();
        for waiting in self.settling.drain(..) {
            // Whoever waited may have gone.
            let _ = waiting.send(());
        }
    }

    fn until_next(&self) -> Duration {
        let now = self.now();
        let publish = self.published.map(|last| last + PUBLISH_EVERY).filter(|at| *at > now);
        let due = match self.down {
            Some((_, retry)) => Some(retry),
            None if self.identifying => None,
            None => self.plan.next_due(),
        };
        let next = [due, publish].into_iter().flatten().min();
        next.map_or(IDLE, |next| next.saturating_sub(now)).clamp(Duration::from_millis(1), IDLE)
    }

    fn grant(&mut self, wish: Wish) {
        match wish {
            Wish::Look(glance) => {
                self.glance = glance.clone();
                self.plan.look(glance, self.shared.now());
            }
            Wish::Settle(tell) => self.settling.push(tell),
            Wish::Text(number, answer) => {
                self.acting += 1;
                let (client, news) = (self.client.clone(), self.news_in.clone());
                tokio::spawn(async move {
                    answer(records::text(&client, number).await);
                    let _ = news.send(News::Told);
                });
            }
            Wish::Act(order, answer) => {
                self.acting += 1;
                let (client, news) = (self.client.clone(), self.news_in.clone());
                tokio::spawn(async move {
                    let outcome = act::perform(&client, &order).await;
                    answer(outcome);
                    let _ = news.send(News::Acted);
                });
            }
        }
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Identified(started, result) => {
                self.identifying = false;
                match *result {
                    Ok(got) => self.identified(got),
                    Err(fault) => self.failed(started, &fault),
                }
            }
            News::Told => self.acting = self.acting.saturating_sub(1),
            News::Acted => {
                self.acting = self.acting.saturating_sub(1);
                // What it changed is looked for at once.
                let (now, glance) = (self.now(), self.glance.clone());
                self.plan.news(
                    |ask| {
                        matches!(ask, Ask::Queues(_) | Ask::Apps(_) | Ask::Config | Ask::Resting)
                            || matches!(ask, Ask::Audit | Ask::History)
                            || ask.is_on(&glance)
                    },
                    now,
                );
            }
            News::Outcome(outcome) => self.take(*outcome),
        }
    }

    /// It is known who answers. From here on everything is asked for.
    fn identified(&mut self, got: Got<Option<Remote>>) {
        self.good(&got);
        let now = self.now();
        let Some(remote) = got.value else {
            // A scheduler without a resource manager: there is nothing to see yet, and it is asked again in a while.
            self.down = Some((now, now + self.every));
            return;
        };
        let before = self.shared.remote.load_full();
        if self.down.take().is_some() && before.is_some() {
            let title = format!("connected again: {remote}");
            self.picture.notice(self.shared.cluster_time(), NoticeWeight::Info, title, String::new());
        }
        self.remote = Some(remote.clone());
        if before.as_deref() != Some(&remote) {
            self.tell_who(before.as_deref(), &remote);
            let tells_allocation_time = matches!(remote, Remote::Kornsole(_)) || remote.release() <= Release::V1_5;
            let profile = match &remote {
                Remote::Kornsole(_) => Profile::Kornsole,
                Remote::YuniKorn(release) => release.profile(),
            };
            self.picture.read_as(profile, Shapes { tells_allocation_time });
            self.config_text = None;
            self.shared.remote.store(Some(Arc::new(remote.clone())));
            self.follow(&remote);
            self.shared.keep_records(|records| *records = records::of_remote(&remote, self.has_token));
            for ask in [Ask::Config, Ask::WhoAmI, Ask::Resting, Ask::Audit, Ask::History] {
                self.plan.add(ask, now);
            }
        }
        self.plan.all_due(now);
        self.plan.look(self.glance.clone(), now);
    }

    /// Tells who answers, when that is another than before.
    fn tell_who(&mut self, before: Option<&Remote>, remote: &Remote) {
        let title = match before {
            None => format!("connected: {remote}"),
            Some(before) if before.to_string() == remote.to_string() => return,
            Some(before) => format!("{remote} answers now, where {before} did"),
        };
        self.picture.notice(self.shared.cluster_time(), NoticeWeight::Info, title, String::new());
    }

    /// Follows the events of whoever answers.
    fn follow(&mut self, remote: &Remote) {
        if let Some(before) = self.follower.take() {
            before.abort();
        }
        if self.shared.clock.is_stepped() {
            let feed = Feed::of(remote, self.has_token);
            self.reader.get_or_insert_with(|| Reader::new(feed));
            self.plan.add(Ask::Events, self.now());
            return;
        }
        let (news, events) = follow::channel();
        let feed = Feed::of(remote, self.has_token);
        let every = self.every.max(Duration::from_millis(50));
        self.follower = Some(tokio::spawn(follow::run(self.client.clone(), every, feed, self.seed, news)));
        self.events = Some(events);
    }

    fn good<T>(&mut self, got: &Got<T>) {
        self.shared.compare_clocks(got.date);
        let now = self.now();
        let rtt = if self.shared.clock.is_stepped() { Duration::ZERO } else { got.rtt };
        self.shared.link.lock().unwrap_or_else(PoisonError::into_inner).good(now, rtt);
    }

    /// The connection is down. Requests that were under way by then say nothing new.
    fn failed(&mut self, started: Duration, fault: &Fault) {
        if self.down.is_some_and(|(since, _)| started < since) {
            return;
        }
        let now = self.now();
        let retry = self.shared.link.lock().unwrap_or_else(PoisonError::into_inner).bad(now, fault);
        if self.down.is_none() {
            let title = format!("no connection: {fault}");
            let details = fault.technical().to_owned();
            self.picture.notice(self.shared.cluster_time(), NoticeWeight::Info, title, details);
        }
        self.down = Some((now, retry));
        self.shared.wake();
    }

    /// Shows what is new, but not for every answer.
    fn publish(&mut self) {
        let now = self.now();
        let stepped = self.shared.clock.is_stepped();
        if !stepped && self.published.is_some_and(|last| now < last + PUBLISH_EVERY) {
            return;
        }
        let live = self.shared.link.lock().unwrap_or_else(PoisonError::into_inner).link(now).is_live();
        if live && self.remote.is_some() {
            self.picture.sample(self.shared.cluster_time());
        }
        if let Some(view) = self.picture.take_view(self.shared.cluster_time()) {
            self.shared.view.store(view);
            self.published = Some(now);
            self.shared.wake();
        }
    }
}

async fn next_event(events: &mut Option<Receiver<EventNews>>) -> Option<EventNews> {
    match events {
        Some(events) => events.recv().await,
        None => std::future::pending().await,
    }
}

/// Tells who answers (`rest.md` section 8); `None` while there is no partition to tell by.
pub(super) async fn identify(client: &Client) -> Result<Got<Option<Remote>>, Fault> {
    match client.json::<release::Server>("kornsole/v1/server").await {
        Ok(got) if got.value.product == "kornsole" => {
            return Ok(Got { value: Some(Remote::Kornsole(got.value)), rtt: got.rtt, took: got.took, date: got.date });
        }
        // Nobody is there, or nobody answers in time: that is not to be asked twice.
        Err(fault @ (Fault::Unreachable(_) | Fault::Slow(..) | Fault::Cut(_) | Fault::Elsewhere(..))) => {
            return Err(fault);
        }
        // Whatever else: an Apache YuniKorn has no such thing, and what stands before it may say so in its own way.
        Ok(_) | Err(_) => {}
    }
    let partitions = client.get("ws/v1/partitions").await?;
    let first: dto::List<dto::Partition> = serde_json::from_slice(&partitions.value)
        .map_err(|error| Fault::Unreadable("/ws/v1/partitions".to_owned(), error.to_string()))?;
    let queues = match first.0.first() {
        Some(partition) => {
            let path = format!("ws/v1/partition/{}/queues", crate::api::client::encode_once(&partition.name));
            Some(client.get(&path).await?.value)
        }
        None => None,
    };
    let found = release::detect(&partitions.value, queues.as_deref())?;
    Ok(partitions.with(found.map(Remote::YuniKorn)))
}
