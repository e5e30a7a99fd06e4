//! A manually stepped embedded scheduler as a source, for tests and tapes.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::embedded::view_of;
use super::forecast::{ForecastAnswer, StopFlag, forecast};
use super::probe::{self, Probe};
use super::trial::MOST_BYTES;
use super::{
    About, Board, ChapterAnswer, Jobs, Link, NO_SHADOW, Records, ShadowAnswer, Source, TextAnswer, Trends, UsageAnswer,
    ViewAnswer, WhatIf, WhatIfAnswer, explained, usage,
};
use ::forecast::whatif::{Fork, NoFork};
use alerts::alerting::board::Timing;
use engine::journal::JournalHistory;
use engine::{AuditLog, Core, Counters, EventLog, Host, Numbering, Progress, Published};
use ledger::Ledger;
use model::{Identity, Time};
use view::act::{Actor, Answer, Done, Order, Refusal};
use view::shadowed::ShadowSheet;
use view::used::UsageQuestion;
use view::waiting::{ExplainAnswer, Finding, Question, SheetAnswer};
use view::{EventPage, Record, Toward, View};

/// A scheduler whose time advances only on request, for tests and tapes.
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
    trends: OnceLock<Arc<Trends>>,
    alerts: Option<(Arc<Board>, Mutex<Judging>)>,
    shadow: Option<ShadowSheet>,
}

#[derive(Default)]
struct Judging {
    probe: Probe,
    last: Option<Time>,
}

impl Stepped {
    /// The fixed wall clock at the start, since 1970, so that tapes are reproducible.
    pub const STARTED_AT: Duration = Duration::from_secs(1_790_000_000);

    /// Creates a source from a core, after everything due at its start.
    pub fn new(core: Core, about: About, actor: impl Into<Actor>) -> Self {
        let stepped = Self::unstarted(core, about, actor);
        stepped.advance(Duration::ZERO);
        stepped
    }

    /// Creates a source from an unchanged core: what is due at its start waits for [`Stepped::advance_until`].
    pub fn unstarted(mut core: Core, about: About, actor: impl Into<Actor>) -> Self {
        let view = core.take_view().unwrap_or_default();
        let (events, counters, ledger) =
            (Arc::clone(core.events()), Arc::clone(core.counters()), Arc::clone(core.audit_log()));
        let (core, published, actor) = (Mutex::new(core), Published::new(view), actor.into());
        Self {
            core,
            published,
            events,
            counters,
            ledger,
            about,
            actor,
            jobs: None,
            journal: None,
            trends: OnceLock::new(),
            alerts: None,
            shadow: None,
        }
    }

    /// The same where its applications are these jobs.
    #[must_use]
    pub fn with_jobs(self, jobs: Option<Arc<dyn Jobs>>) -> Self {
        Self { jobs, ..self }
    }

    /// Adds the journal of the core.
    #[must_use]
    pub fn with_journal(self, journal: JournalHistory) -> Self {
        Self { journal: Some(journal), ..self }
    }

    /// Adds alerts, evaluated as time advances.
    #[must_use]
    pub fn with_alerts(self, board: Arc<Board>) -> Self {
        Self { alerts: Some((board, Mutex::default())), ..self }
    }

    /// Adds the results of a shadow.
    #[must_use]
    pub fn with_shadow(self, sheet: ShadowSheet) -> Self {
        Self { shadow: Some(sheet), ..self }
    }

    fn judge(&self) {
        let Some((board, judging)) = &self.alerts else { return };
        let now = Source::now(self);
        let mut judging = judging.lock().unwrap_or_else(PoisonError::into_inner);
        if judging.last.is_some_and(|last| now.since(last) < probe::EVERY) {
            return;
        }
        judging.last = Some(now);
        let clock = now.since(Time::ZERO);
        let given = judging.probe.given(self, clock);
        board.step(&given, Timing { wall: UNIX_EPOCH + Self::STARTED_AT + clock, speed: 1.0 });
    }

    /// Advances time, does everything due, and publishes the result. Returns the new time.
    pub fn advance(&self, by: Duration) -> Time {
        let until = Source::now(self) + by;
        self.advance_until(until, usize::MAX);
        until
    }

    /// Returns the core.
    pub fn into_core(self) -> Core {
        self.core.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes what is scheduled until `until`, at most `steps` cycles and commands, and publishes the result. After
    /// [`Progress::Busy`], the next call continues.
    pub fn advance_until(&self, until: Time, steps: usize) -> Progress {
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        let progress = core.run_until(until, steps);
        if let Some(view) = core.take_view() {
            self.published.publish(view);
        }
        drop(core);
        if progress != Progress::Busy {
            self.judge();
        }
        progress
    }

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

impl Host for Stepped {
    fn published(&self) -> &Published {
        &self.published
    }

    fn events(&self) -> &Arc<EventLog> {
        &self.events
    }

    fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    fn ledger(&self) -> Ledger {
        self.core.lock().unwrap_or_else(PoisonError::into_inner).ledger().ledger()
    }

    fn now(&self) -> Time {
        Source::now(self)
    }

    fn started_at(&self) -> SystemTime {
        UNIX_EPOCH + Self::STARTED_AT
    }

    fn speed(&self) -> f64 {
        1.0
    }

    fn perform(&self, actor: Actor, order: Order, answer: Answer) {
        answer(self.carry_out(&actor, &order));
    }

    fn audit_log(&self) -> &Arc<AuditLog> {
        &self.ledger
    }

    fn refuse(&self, actor: Actor, order: Order, refusal: Refusal, answer: Answer) {
        self.core.lock().unwrap_or_else(PoisonError::into_inner).enter_refusal(&actor, &order, &refusal);
        answer(Err(refusal));
    }

    fn explain(&self, question: Question, answer: ExplainAnswer) {
        answer(self.explained(&question));
    }

    fn fork(&self, partition: Option<String>, most: usize) -> Receiver<Result<Fork, NoFork>> {
        let (answer, answers) = channel();
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        core.share();
        // The receiver is local.
        let _ = answer.send(core.fork(partition.as_deref(), most));
        answers
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

    fn shadow(&self, answer: ShadowAnswer) {
        answer(self.shadow.clone().ok_or_else(|| NO_SHADOW.to_owned()));
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

    fn forecast(&self, partition: &str, text: Arc<str>, stop: StopFlag, answer: ForecastAnswer) {
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

    /// Measures now, and derives earlier values from the samples of the view: the same keys give the same trends.
    fn trends(&self) -> Option<Arc<Trends>> {
        let trends = self.trends.get_or_init(Trends::in_memory);
        trends.observe(self);
        Some(Arc::clone(trends))
    }

    fn alerts(&self) -> Option<&Arc<Board>> {
        self.alerts.as_ref().map(|(board, _)| board)
    }

    fn has_past(&self) -> bool {
        self.journal.is_some()
    }

    fn view_at(&self, at: Time, answer: ViewAnswer) {
        answer(self.journal.as_ref().ok_or_else(|| format!("no data for {at}")).and_then(|past| view_of(past, at)));
    }

    fn chapter(&self, at: Time, toward: Toward, wanted: fn(&Record) -> bool, answer: ChapterAnswer) {
        let past = self.journal.as_ref().ok_or_else(|| format!("no data for {at}"));
        answer(past.and_then(|past| past.chapter(at, toward, wanted).map_err(|why| why.to_string())));
    }

    fn journal(&self) -> Option<JournalHistory> {
        self.journal.clone()
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.published.on_change(wake);
    }
}
