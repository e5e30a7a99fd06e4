//! The embedded scheduler as a source: on a thread with a clock, or stepped by hand.

mod host;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::forecast::{ForecastAnswer, StopSign, forecast};
use super::trial::MOST_BYTES;
use super::{
    About, ChapterAnswer, Jobs, Link, Records, Source, TextAnswer, UsageAnswer, ViewAnswer, WhatIf, WhatIfAnswer,
    explained, usage,
};
use crate::engine::journal::JournalHistory;
use crate::engine::{AuditLog, Core, Counters, Engine, EventLog, Host, Numbering, Progress, Published};
use crate::model::{Identity, Time};
use crate::view::act::{Actor, Answer, Done, Order, Refusal};
use crate::view::used::UsageQuestion;
use crate::view::waiting::{Finding, Question, SheetAnswer};
use crate::view::{EventPage, Record, Toward, View};
use crate::whatif::NoFork;

/// How old a view may be before that is worth meaningful.
const STALE_AFTER: Duration = Duration::from_secs(2);

/// A scheduler that runs by itself in this process.
pub struct Embedded {
    engine: Arc<Engine>,
    about: About,
    actor: Actor,
}

impl Embedded {
    /// Shows an engine to somebody, who acts on it.
    pub fn new(engine: impl Into<Arc<Engine>>, about: About, actor: impl Into<Actor>) -> Self {
        Self { engine: engine.into(), about, actor: actor.into() }
    }

    /// Has something looked up in the past that is kept, on a thread of its own.
    fn look_back<T: 'static>(
        &self,
        answer: Box<dyn FnOnce(Result<T, String>) + Send>,
        look: impl FnOnce(&JournalHistory) -> Result<T, String> + Send + 'static,
    ) {
        let Some(past) = self.engine.history().cloned() else {
            return answer(Err("nothing is kept without a state folder".to_owned()));
        };
        // Without a thread nothing answers, and the console continues without it.
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
        // Who tried was reported already.
        self.engine.refuse(self.actor.clone(), order, refusal, Box::new(|_| {}));
    }

    fn records(&self, known: u64) -> Option<Records> {
        Records::of(self.engine.audit_log(), &self.actor, known)
    }

    fn revision_text(&self, number: u64, answer: TextAnswer) {
        answer(Records::text_of(self.engine.audit_log(), number));
    }

    fn usage(&self, question: UsageQuestion, answer: UsageAnswer) {
        let engine = Arc::clone(&self.engine);
        let work = move || answer(Ok(usage::of_host(&*engine, &question)));
        // Without a thread nothing answers, and the console continues without it.
        let _ = std::thread::Builder::new().name("usage".to_owned()).spawn(work);
    }

    fn keeps_past(&self) -> bool {
        self.engine.history().is_some()
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
        // Without a thread nothing answers, and the console continues without it.
        let _ = std::thread::Builder::new().name("what-if".to_owned()).spawn(make);
    }

    fn forecast(&self, partition: &str, text: Arc<str>, stop: StopSign, answer: ForecastAnswer) {
        let copy = self.engine.fork(Some(partition.to_owned()), MOST_BYTES);
        let work = move || {
            let fork = copy.recv().unwrap_or(Err(NoFork::Stopped)).map_err(|why| why.to_string());
            match fork.map(|fork| forecast(&fork, text, &stop)) {
                Ok(Some(found)) => answer(found),
                Ok(None) => {}
                Err(why) => answer(Err(why)),
            }
        };
        // Without a thread nothing answers, and the console continues without it.
        let _ = std::thread::Builder::new().name("forecast".to_owned()).spawn(work);
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.engine.published().on_change(wake);
    }
}

/// The view of an earlier time.
fn view_of(past: &JournalHistory, at: Time) -> Result<Arc<View>, String> {
    past.view_at(at).map_err(|why| {
        let reach = past.reaches_back_to().filter(|reach| *reach > at);
        reach.map_or_else(|| why.to_string(), |reach| format!("the journal goes back to {reach} only"))
    })
}

/// A scheduler in this process whose time moves only when it is reported to: for tests and tapes.
pub struct Stepped {
    core: Mutex<Core>,
    published: Published,
    events: Arc<EventLog>,
    counters: Arc<Counters>,
    ledger: Arc<AuditLog>,
    about: About,
    actor: Actor,
    jobs: Option<Arc<dyn Jobs>>,
    journal: Option<JournalHistory>,
}

impl Stepped {
    /// What the wall clock shows at the beginning, since 1970: always the same, so that tapes are.
    pub const BEGAN: Duration = Duration::from_secs(1_790_000_000);

    /// Shows a core, after everything that is due at its beginning.
    pub fn new(core: Core, about: About, actor: impl Into<Actor>) -> Self {
        let stepped = Self::unstarted(core, about, actor);
        stepped.advance(Duration::ZERO);
        stepped
    }

    /// Shows a core as it is: what is due at its beginning waits for [`Stepped::advance_until`].
    pub fn unstarted(mut core: Core, about: About, actor: impl Into<Actor>) -> Self {
        let view = core.take_view().unwrap_or_default();
        let (events, counters, ledger) =
            (Arc::clone(core.events()), Arc::clone(core.counters()), Arc::clone(core.audit_log()));
        let (core, published, actor) = (Mutex::new(core), Published::new(view), actor.into());
        Self { core, published, events, counters, ledger, about, actor, jobs: None, journal: None }
    }

    /// The same where its applications are these jobs.
    #[must_use]
    pub fn with_jobs(self, jobs: Option<Arc<dyn Jobs>>) -> Self {
        Self { jobs, ..self }
    }

    /// The same with the journal that its core is kept in.
    #[must_use]
    pub fn with_journal(self, journal: JournalHistory) -> Self {
        Self { journal: Some(journal), ..self }
    }

    /// Moves time, carries out everything that is due by then, and shows the outcome. Gives the time after it.
    pub fn advance(&self, by: Duration) -> Time {
        let until = Source::now(self) + by;
        self.advance_until(until, usize::MAX);
        until
    }

    /// Carries out what is due by `until`, at most `steps` cycles and commands, and shows the outcome. After
    /// [`Progress::Busy`] the next call continues with the rest.
    pub fn advance_until(&self, until: Time, steps: usize) -> Progress {
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        let progress = core.run_until(until, steps);
        if let Some(view) = core.take_view() {
            self.published.publish(view);
        }
        progress
    }

    /// Has an order of somebody carried out, and what it leads to at this very moment, cycles among it.
    fn carry_out(&self, actor: &Actor, order: &Order) -> Result<Done, Refusal> {
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = core.perform(actor, order);
        let now = core.now();
        core.run_until(now, usize::MAX);
        if let Some(view) = core.take_view() {
            self.published.publish(view);
        }
        outcome
    }

    fn explained(&self, question: &Question) -> Result<Finding, Refusal> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner).explain(question)
    }
}

impl Source for Stepped {
    fn view(&self) -> Arc<View> {
        self.published.view()
    }

    fn now(&self) -> Time {
        self.core.lock().unwrap_or_else(PoisonError::into_inner).now()
    }

    fn events(&self, since: u64, limit: usize) -> EventPage {
        self.events.page(Numbering::All, since, limit)
    }

    fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        self.events.important(until, limit)
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn link(&self) -> Link {
        Link::LIVE
    }

    fn identity(&self) -> &Identity {
        &self.actor.identity
    }

    fn actor(&self) -> Result<Actor, Arc<str>> {
        Ok(self.actor.clone())
    }

    fn act(&self, order: Order, answer: Answer) {
        answer(self.carry_out(&self.actor, &order));
    }

    fn explain(&self, question: Question, answer: SheetAnswer) {
        answer(self.explained(&question).map(|found| explained::sheet(&found)));
    }

    fn refused(&self, order: Order, refusal: Refusal) {
        self.core.lock().unwrap_or_else(PoisonError::into_inner).enter_refusal(&self.actor, &order, &refusal);
    }

    fn records(&self, known: u64) -> Option<Records> {
        Records::of(&self.ledger, &self.actor, known)
    }

    fn usage(&self, question: UsageQuestion, answer: UsageAnswer) {
        answer(Ok(usage::of_host(self, &question)));
    }

    fn revision_text(&self, number: u64, answer: TextAnswer) {
        answer(Records::text_of(&self.ledger, number));
    }

    fn what_if(&self, partition: &str, answer: WhatIfAnswer) {
        let copy = Host::fork(self, Some(partition.to_owned()), MOST_BYTES).recv().unwrap_or(Err(NoFork::Stopped));
        let who = &self.actor.identity;
        let what_if = |fork| Arc::new(WhatIf::new(fork, &self.about.name, who, false)) as Arc<dyn Source>;
        answer(copy.map(what_if).map_err(|why| why.to_string()));
    }

    fn forecast(&self, partition: &str, text: Arc<str>, stop: StopSign, answer: ForecastAnswer) {
        let copy = Host::fork(self, Some(partition.to_owned()), MOST_BYTES).recv().unwrap_or(Err(NoFork::Stopped));
        match copy.map(|fork| forecast(&fork, text, &stop)) {
            Ok(Some(found)) => answer(found),
            Ok(None) => {}
            Err(why) => answer(Err(why.to_string())),
        }
    }

    fn jobs(&self) -> Option<&dyn Jobs> {
        self.jobs.as_deref()
    }

    fn keeps_past(&self) -> bool {
        self.journal.is_some()
    }

    fn view_at(&self, at: Time, answer: ViewAnswer) {
        answer(
            self.journal.as_ref().ok_or_else(|| format!("nothing is kept of {at}")).and_then(|past| view_of(past, at)),
        );
    }

    fn chapter(&self, at: Time, toward: Toward, wanted: fn(&Record) -> bool, answer: ChapterAnswer) {
        let past = self.journal.as_ref().ok_or_else(|| format!("nothing is kept of {at}"));
        answer(past.and_then(|past| past.chapter(at, toward, wanted).map_err(|why| why.to_string())));
    }

    fn journal(&self) -> Option<JournalHistory> {
        self.journal.clone()
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.published.on_change(wake);
    }
}
