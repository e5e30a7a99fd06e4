//! The local scheduler, whose applications are jobs: the REST API of its daemon for the scheduler, and its socket for
//! jobs.
//!
//! Invariants:
//! - one thread uses the socket; the console never waits for it;
//! - the daemon authorizes operations, by the peer credentials of the socket.

mod client;
mod endpoint;
pub mod recorded;
mod sheet;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;
use std::time::Duration;

use self::client::{Asked, Worker};
use super::{
    About, ChapterAnswer, Focus, ForecastAnswer, JobAnswer, JobDone, JobNamesAnswer, Jobs, Link, OwnHealth,
    QuotaAnswer, Records, Remote, Source, SourcePlace, StalePart, StopFlag, TextAnswer, ViewAnswer, WhatIfAnswer,
};
use ::client::Endpoint;
use local::wire::Info;
use model::{AppId, Identity, Time};
use view::act::{Act, Actor, Answer, Configuration, Order, Refusal};
use view::job::{JobOrder, OutputWanted};
use view::unread::Unread;
use view::waiting::{Question, SheetAnswer};
use view::{EventPage, Record, Toward, View};

/// The daemon of this machine.
pub struct LocalMachine {
    remote: Arc<Remote>,
    about: About,
    asked: Sender<Asked>,
    read_only: bool,
}

impl LocalMachine {
    /// Creates a source for the daemon behind a socket and its REST API; `door` renews the address and the token after
    /// a restart.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn new(
        socket: PathBuf,
        info: &Info,
        remote: Remote,
        endpoint: Option<Endpoint>,
        read_only: bool,
    ) -> std::io::Result<Self> {
        let remote = Arc::new(remote);
        if let Some(endpoint) = endpoint {
            let (socket, remote) = (socket.clone(), Arc::downgrade(&remote));
            Builder::new().name("local-door".to_owned()).spawn(move || endpoint::watch(&socket, &remote, &endpoint))?;
        }
        let (asked, inbox) = channel();
        let worker = Worker::new(socket);
        Builder::new().name("local-jobs-client".to_owned()).spawn(move || worker.run(inbox))?;
        Ok(Self { remote, about: about(info), asked, read_only })
    }
}

fn about(info: &Info) -> About {
    let notes = vec![
        format!("Jobs of {}; users: {}.", info.machine, info.serves),
        format!("{}.", info.limits),
        "An application is a job: o shows its output, processes, and usage; K cancels it.".to_owned(),
    ];
    About { place: SourcePlace::Machine { enforced: info.enforced }, name: info.machine.clone(), notes }
}

impl Jobs for LocalMachine {
    fn look(&self, app: &AppId, output: OutputWanted, answer: JobAnswer) {
        // Without the thread there is no answer; the page shows that it is loading.
        let _ = self.asked.send(Asked::Look(app.clone(), output, answer));
    }

    fn names(&self, apps: Vec<AppId>, answer: JobNamesAnswer) {
        let _ = self.asked.send(Asked::Names(apps, answer));
    }

    fn act(&self, order: JobOrder, done: JobDone) {
        if self.read_only {
            return done(Err("the console was started with --read-only".to_owned()));
        }
        let _ = self.asked.send(Asked::Act(order, done));
    }
}

impl Source for LocalMachine {
    fn view(&self) -> Arc<View> {
        self.remote.view()
    }

    fn now(&self) -> Time {
        self.remote.now()
    }

    fn events(&self, since: u64, limit: usize) -> EventPage {
        self.remote.events(since, limit)
    }

    fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        self.remote.important(until, limit)
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn link(&self) -> Link {
        self.remote.link()
    }

    fn stale_parts(&self) -> Vec<StalePart> {
        self.remote.stale_parts()
    }

    fn unread(&self) -> Unread {
        self.remote.unread()
    }

    fn apps_lag(&self) -> Option<Duration> {
        self.remote.apps_lag()
    }

    fn identity(&self) -> &Identity {
        self.remote.identity()
    }

    fn set_focus(&self, focus: &Focus) {
        self.remote.set_focus(focus);
    }

    fn actor(&self) -> Result<Actor, Arc<str>> {
        self.remote.actor()
    }

    fn act(&self, order: Order, answer: Answer) {
        self.remote.act(order, answer);
    }

    fn explain(&self, question: Question, answer: SheetAnswer) {
        self.remote.explain(question, answer);
    }

    fn refused(&self, order: Order, refusal: Refusal) {
        self.remote.refused(order, refusal);
    }

    fn may(&self, act: &Act) -> Result<(), Refusal> {
        self.remote.may(act)
    }

    fn estimates(&self) -> bool {
        self.remote.estimates()
    }

    fn configuration(&self) -> Option<Arc<Configuration>> {
        self.remote.configuration()
    }

    fn records(&self, known: u64) -> Option<Records> {
        self.remote.records(known)
    }

    fn revision_text(&self, number: u64, answer: TextAnswer) {
        self.remote.revision_text(number, answer);
    }

    fn preview_quotas(&self, text: Arc<str>, answer: QuotaAnswer) {
        self.remote.preview_quotas(text, answer);
    }

    fn health(&self) -> OwnHealth {
        self.remote.health()
    }

    fn has_past(&self) -> bool {
        self.remote.has_past()
    }

    fn view_at(&self, at: Time, answer: ViewAnswer) {
        self.remote.view_at(at, answer);
    }

    fn chapter(&self, at: Time, toward: Toward, wanted: fn(&Record) -> bool, answer: ChapterAnswer) {
        self.remote.chapter(at, toward, wanted, answer);
    }

    fn what_if(&self, partition: &str, answer: WhatIfAnswer) {
        self.remote.what_if(partition, answer);
    }

    fn forecast(&self, partition: &str, text: Arc<str>, stop: StopFlag, answer: ForecastAnswer) {
        self.remote.forecast(partition, text, stop, answer);
    }

    fn jobs(&self) -> Option<&dyn Jobs> {
        Some(self)
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.remote.on_change(wake);
    }
}
