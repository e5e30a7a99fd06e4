//! An embedded scheduler as a source, on a thread with a clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cycles::Cycles;
use super::forecast::{ForecastAnswer, StopFlag, forecast};
use super::trial::MOST_BYTES;
use super::{
    About, Board, ChapterAnswer, Link, Records, Source, TextAnswer, Trends, UsageAnswer, ViewAnswer, WhatIf,
    WhatIfAnswer, explained, usage,
};
use ::forecast::whatif::NoFork;
use engine::journal::JournalHistory;
use engine::{Engine, Numbering};
use model::{Identity, Time};
use view::act::{Actor, Answer, Order, Refusal};
use view::used::UsageQuestion;
use view::waiting::{Question, SheetAnswer};
use view::{EventPage, Record, Toward, View};

const STALE_AFTER: Duration = Duration::from_secs(2);

/// A running scheduler in this process.
pub struct Embedded {
    engine: Arc<Engine>,
    about: About,
    actor: Actor,
    trends: Option<Arc<Trends>>,
    alerts: Option<Arc<Board>>,
    started_at: Instant,
    cycles: Cycles,
}

impl Embedded {
    /// Creates a source for an engine and an actor.
    pub fn new(engine: impl Into<Arc<Engine>>, about: About, actor: impl Into<Actor>) -> Self {
        let (engine, actor) = (engine.into(), actor.into());
        Self { engine, about, actor, trends: None, alerts: None, started_at: Instant::now(), cycles: Cycles::default() }
    }

    /// The same with what is measured of it.
    #[must_use]
    pub fn with_trends(self, trends: Arc<Trends>) -> Self {
        Self { trends: Some(trends), ..self }
    }

    /// The same with the alerts of its cluster.
    #[must_use]
    pub fn with_alerts(self, board: Arc<Board>) -> Self {
        Self { alerts: Some(board), ..self }
    }

    fn look_back<T: 'static>(
        &self,
        answer: Box<dyn FnOnce(Result<T, String>) + Send>,
        look: impl FnOnce(&JournalHistory) -> Result<T, String> + Send + 'static,
    ) {
        let Some(past) = self.engine.history().cloned() else {
            return answer(Err("no data is stored without a state directory".to_owned()));
        };
        // Without a thread there is no answer; the console continues.
        let _ = std::thread::Builder::new().name("past".to_owned()).spawn(move || answer(look(&past)));
    }
}

impl Source for Embedded {
    fn view(&self) -> Arc<View> {
        self.engine.published().view()
    }

    fn now(&self) -> Time {
        self.engine.now()
    }

    fn events(&self, since: u64, limit: usize) -> EventPage {
        self.engine.events().page(Numbering::All, since, limit)
    }

    fn cycle(&self) -> Option<Duration> {
        let cycles = self.engine.counters().cycles();
        self.cycles.take(self.started_at.elapsed(), cycles.count, cycles.total)
    }

    fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        self.engine.events().important(until, limit)
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn link(&self) -> Link {
        let published = self.engine.published();
        let age = published.age();
        if !published.is_alive() {
            return Link::Stale { age, cause: "the scheduler in this process has stopped".to_owned(), retry_in: None };
        }
        if age < STALE_AFTER {
            Link::LIVE
        } else {
            Link::Stale { age, cause: "the scheduler is busy".to_owned(), retry_in: None }
        }
    }

    fn identity(&self) -> &Identity {
        &self.actor.identity
    }

    fn actor(&self) -> Result<Actor, Arc<str>> {
        Ok(self.actor.clone())
    }

    fn act(&self, order: Order, answer: Answer) {
        self.engine.perform(self.actor.clone(), order, answer);
    }

    fn explain(&self, question: Question, answer: SheetAnswer) {
        self.engine.explain(question, Box::new(|found| answer(found.map(|found| explained::sheet(&found)))));
    }

    fn refused(&self, order: Order, refusal: Refusal) {
        // The caller was already informed.
        self.engine.refuse(self.actor.clone(), order, refusal, Box::new(|_| {}));
    }

    fn records(&self, known: u64) -> Option<Records> {
        Records::of(self.engine.audit_log(), &self.actor, known)
    }

    fn revision_text(&self, number: u64, answer: TextAnswer) {
        answer(Records::text_of(self.engine.audit_log(), number));
    }

    fn alerts(&self) -> Option<&Arc<Board>> {
        self.alerts.as_ref()
    }

    fn usage(&self, question: UsageQuestion, answer: UsageAnswer) {
        let engine = Arc::clone(&self.engine);
        let work = move || answer(Ok(usage::of_host(&*engine, &question)));
        // Without a thread there is no answer; the console continues.
        let _ = std::thread::Builder::new().name("usage".to_owned()).spawn(work);
    }

    fn has_past(&self) -> bool {
        self.engine.history().is_some()
    }

    fn trends(&self) -> Option<Arc<Trends>> {
        self.trends.clone()
    }

    fn journal(&self) -> Option<JournalHistory> {
        self.engine.history().cloned()
    }

    fn view_at(&self, at: Time, answer: ViewAnswer) {
        self.look_back(answer, move |past| view_of(past, at));
    }

    fn chapter(&self, at: Time, toward: Toward, wanted: fn(&Record) -> bool, answer: ChapterAnswer) {
        self.look_back(answer, move |past| past.chapter(at, toward, wanted).map_err(|why| why.to_string()));
    }

    fn what_if(&self, partition: &str, answer: WhatIfAnswer) {
        let copy = self.engine.fork(Some(partition.to_owned()), MOST_BYTES);
        let (name, who) = (self.about.name.clone(), self.actor.identity.clone());
        let make = move || {
            let fork = copy.recv().unwrap_or(Err(NoFork::Stopped)).map_err(|why| why.to_string());
            answer(fork.map(|fork| Arc::new(WhatIf::new(fork, &name, &who, true)) as Arc<dyn Source>));
        };
        // Without a thread there is no answer; the console continues.
        let _ = std::thread::Builder::new().name("what-if".to_owned()).spawn(make);
    }

    fn forecast(&self, partition: &str, text: Arc<str>, stop: StopFlag, answer: ForecastAnswer) {
        let copy = self.engine.fork(Some(partition.to_owned()), MOST_BYTES);
        let work = move || {
            let fork = copy.recv().unwrap_or(Err(NoFork::Stopped)).map_err(|why| why.to_string());
            match fork.map(|fork| forecast(&fork, text, &stop)) {
                Ok(Some(found)) => answer(found),
                Ok(None) => {}
                Err(why) => answer(Err(why)),
            }
        };
        // Without a thread there is no answer; the console continues.
        let _ = std::thread::Builder::new().name("forecast".to_owned()).spawn(work);
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.engine.published().on_change(wake);
    }
}

pub(super) fn view_of(past: &JournalHistory, at: Time) -> Result<Arc<View>, String> {
    past.view_at(at).map_err(|why| {
        let reach = past.reaches_back_to().filter(|reach| *reach > at);
        reach.map_or_else(|| why.to_string(), |reach| format!("the journal goes back only to {reach}"))
    })
}
