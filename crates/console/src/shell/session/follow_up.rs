//! The steps after each action of a session.

use std::sync::Arc;

use super::Session;
use crate::present::{focus, lists};
use crate::state::State;
use crate::state::effect::{Effect, OwnersWork};
use crate::state::events::Events;
use crate::state::page::{DetailsPage, Page, Subject};
use crate::state::past::Step;
use crate::state::reply::Reply;
use crate::state::simulate::SimulateJob;
use crate::state::trends::KnownTrends;
use crate::state::work::{SourceHandle, Work};
use crate::update::action::{Action, Feed};
use crate::update::{SourceSnapshot, aftermath, leave, orders, overview, past, start, trends};
use model::{AppId, Time};
use source::{FocusKind, Source, StopFlag, Trial};
use view::job::{JobOrder, OutputWanted};
use view::used::UsageQuestion;
use view::{Chapter, Toward};

const AT_ONCE: u64 = 1_000;

fn shows_sides(state: &State) -> bool {
    matches!(state.page(), Page::Details(DetailsPage { subject: Subject::Sides, .. }))
}

pub(super) fn initial(source: &dyn Source) -> SourceSnapshot {
    let (at, health, has_past) = (source.now(), source.health(), source.has_past());
    let trial = source.trial().map(Trial::status);
    let has_jobs = source.jobs().is_some();
    let alerts = source.alerts().map(|board| board.snapshot());
    let (cycle, next_event) = (source.cycle(), source.events(u64::MAX, 0).next);
    SourceSnapshot { at, health, cycle, has_past, trial, has_jobs, next_event, alerts }
}

impl Session {
    pub(super) fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::SendOrder(number, order) => {
                self.report_focus();
                self.act(Action::OrderSent(number, self.source.events(u64::MAX, 0).next));
                let replies = self.replies();
                self.source.act(order, Box::new(move |result| replies.send(Reply::OrderAnswered(number, result))));
            }
            Effect::ReportRefusal(order, refusal) => self.source.refused(order, refusal),
            Effect::FetchRevision(number) => {
                self.report_focus();
                let replies = self.replies();
                self.source
                    .revision_text(number, Box::new(move |text| replies.send(Reply::RevisionText(number, text))));
            }
            Effect::Explain(question) => {
                let (replies, of) = (self.replies(), question.clone());
                let answer = move |sheet| replies.send(Reply::Explained(of, sheet));
                self.source.explain(question, Box::new(answer));
            }
            Effect::AskShadow => self.ask_shadow(),
            Effect::AskUsage(question) => self.ask_usage(question),
            Effect::PreviewQuotas(text) => {
                let (replies, of) = (self.replies(), Arc::clone(&text));
                let answer = move |found| replies.send(Reply::QuotasPreviewed(of, found));
                self.source.preview_quotas(text, Box::new(answer));
            }
            Effect::Forecast(version, partition, text) => self.start_forecast(version, &partition, text),
            Effect::StopForecast => self.forecast.stop(),
            Effect::FetchPastView(at) => {
                let replies = self.replies();
                self.source.view_at(at, Box::new(move |view| replies.send(Reply::PastView(at, view))));
            }
            Effect::FetchPastSpan(at, step) => self.fetch_past_span(at, step),
            Effect::FindMoments(since) => {
                let work = Work::FindMoments(SourceHandle(Arc::clone(&self.source)), since);
                self.effects.push(work.into());
            }
            Effect::LookAtJob(app, output) => self.look_at_job(app, output),
            Effect::NameJobs(apps) => self.name_jobs(apps),
            Effect::ChangeJob(order) => self.change_job(order),
            Effect::Owners(wanted) => self.owners(wanted),
            Effect::ForPod(wanted) => self.read_of_pod(wanted),
            Effect::WhatIf(step) => self.what_if(step),
            Effect::OpenContext(name) => {
                self.real = None;
                self.opening = Some((name.clone(), self.state.turn));
                self.effects.push(Effect::OpenContext(name));
            }
            Effect::Work(Work::Simulate(job)) => self.simulate(job),
            Effect::Silence(step) => self.effects.push(Work::Silence(self.handle(), step).into()),
            Effect::Redraw if self.effects.iter().any(|effect| matches!(effect, Effect::Redraw)) => {}
            Effect::Redraw
            | Effect::Repaint
            | Effect::Quit
            | Effect::AskContext(_)
            | Effect::Suspend
            | Effect::Copy(_)
            | Effect::EditText(_)
            | Effect::Notify { .. }
            | Effect::RunOwn(_)
            | Effect::Work(_) => self.effects.push(effect),
        }
    }

    fn start_forecast(&mut self, version: u64, partition: &str, text: Arc<str>) {
        self.forecast.stop();
        self.forecast = StopFlag::default();
        let replies = self.replies();
        let answer = move |found| replies.send(Reply::Forecast(version, found));
        self.source.forecast(partition, text, self.forecast.clone(), Box::new(answer));
    }

    fn handle(&self) -> SourceHandle {
        SourceHandle(Arc::clone(&self.source))
    }

    fn ask_shadow(&self) {
        let replies = self.replies();
        self.source.shadow(Box::new(move |sheet| replies.send(Reply::ShadowKnown(Box::new(sheet)))));
    }

    fn ask_usage(&self, question: UsageQuestion) {
        let (replies, of) = (self.replies(), question.clone());
        let answer = move |used| replies.send(Reply::UsageKnown(of, Box::new(used)));
        self.source.usage(question, Box::new(answer));
    }

    fn fetch_past_span(&self, at: Time, step: Step) {
        let replies = self.replies();
        let answer = move |chapter: Result<Chapter, String>| {
            replies.send(Reply::PastSpan(at, step, chapter.map(past::span_of_chapter)));
        };
        let toward = if step == Step::Back { Toward::Earlier } else { Toward::Later };
        self.source.chapter(at, toward, past::matters, Box::new(answer));
    }

    fn simulate(&mut self, mut job: Box<SimulateJob>) {
        if let Some(past) = &mut job.past {
            past.journal = self.source.journal();
        }
        self.effects.push(Work::Simulate(job).into());
    }

    fn owners(&self, wanted: OwnersWork) {
        let replies = self.replies();
        match wanted {
            OwnersWork::LookUp(partition, app) => {
                let of = app.clone();
                let answer = move |chains| replies.send(Reply::OwnersFound(of, chains));
                self.source.owners(&partition, &app, Box::new(answer));
            }
            OwnersWork::Suspend(order) => {
                let of = order.clone();
                let answer = move |outcome| replies.send(Reply::OwnersSuspended(of, outcome));
                self.source.suspend(*order, Box::new(answer));
            }
        }
    }

    fn look_at_job(&self, app: AppId, output: OutputWanted) {
        if let Some(jobs) = self.source.jobs() {
            let (replies, of) = (self.replies(), app.clone());
            jobs.look(&app, output, Box::new(move |seen| replies.send(Reply::JobSeen(of, Box::new(seen)))));
        }
    }

    fn name_jobs(&self, apps: Vec<AppId>) {
        if let Some(jobs) = self.source.jobs() {
            let replies = self.replies();
            jobs.names(apps, Box::new(move |named| replies.send(Reply::JobsNamed(named))));
        }
    }

    fn change_job(&self, order: JobOrder) {
        if let Some(jobs) = self.source.jobs() {
            let (replies, of) = (self.replies(), order.clone());
            jobs.act(order, Box::new(move |outcome| replies.send(Reply::JobChanged(of, outcome))));
        }
    }

    pub(super) fn follow_up(&mut self) {
        self.read_source();
        while let Ok((era, reply)) = self.replies.1.try_recv() {
            self.take_reply(era, reply);
            self.read_source();
        }
        self.follow_clusters();
        self.report_focus();
        self.take_theme();
    }

    /// Drops replies for an earlier scheduler, except the report of a written file.
    fn take_reply(&mut self, era: u64, reply: Reply) {
        if era != self.era && !matches!(reply, Reply::FileWritten(_)) {
            return;
        }
        match &reply {
            Reply::ContextOpened(name, opened) => {
                let Some((_, turn)) = self.opening.take_if(|(opening, _)| opening == name) else { return };
                if let Ok(source) = opened
                    && !leave::is_busy(&self.state, turn)
                {
                    self.leave_clusters();
                    self.state.contexts.here = Some(name.clone());
                    return self.switch(Arc::clone(&source.0));
                }
            }
            Reply::ClusterOpened(name, opened) => return self.take_cluster(name, opened.clone()),
            Reply::WhatIfOpened(orders, Ok(source)) => {
                return self.enter_what_if(Arc::clone(&source.0), orders.clone());
            }
            // Take the view that contains the result first.
            Reply::OrderAnswered(..) | Reply::SilenceChanged(_) => self.take_news(),
            Reply::EventsRead(page) => {
                self.reading = false;
                if page.instance != self.source.events(u64::MAX, 0).instance {
                    // The scheduler was switched.
                    return;
                }
            }
            _ => {}
        }
        self.act(Action::Reply(reply));
        if !self.deferred.is_empty() && !lists::is_awaited(&self.state) {
            self.read_source();
            self.release_held();
        }
    }

    pub(super) fn take_news(&mut self) {
        if shows_sides(&self.state)
            && let Some(trial) = self.source.trial()
        {
            trial.compare();
        }
        let identity = self.source.identity();
        let identity = (*identity != self.state.cluster.identity).then(|| identity.clone());
        // Read before the view: the view contains what is loaded now.
        let unread = self.source.unread();
        let view = self.source.view();
        let known = Arc::ptr_eq(&view, &self.state.cluster.newest);
        let next_event = if known { 0 } else { self.source.events(u64::MAX, 0).next };
        let news = Feed {
            view,
            next_event,
            at: self.source.now(),
            link: self.source.link(),
            stale: self.source.stale_parts(),
            unread,
            apps_lag: self.source.apps_lag(),
            health: self.source.health(),
            cycle: self.source.cycle(),
            trial: self.source.trial().map(Trial::status),
            estimates: self.source.estimates(),
            actor: self.source.actor(),
            identity,
            about: (*self.source.about() != self.state.cluster.about).then(|| Box::new(self.source.about().clone())),
            alerts: self.source.alerts().map(|board| board.snapshot()),
        };
        self.act(Action::Feed(Box::new(news)));
    }

    fn report_focus(&mut self) {
        let focus = focus::of(&self.state);
        if focus != self.focus {
            self.source.set_focus(&focus);
            self.focus = focus;
        }
    }

    pub(super) fn read_source(&mut self) {
        self.read_events();
        self.read_trends();
        if focus::of(&self.state).kind == FocusKind::Records
            && let Some(records) = self.source.records(self.state.cluster.ledger.generation())
            && self.state.cluster.ledger.latest.as_ref() != Some(&records)
        {
            self.act(Action::Records(records));
        }
    }

    fn read_trends(&mut self) {
        if !trends::reads(&self.state) {
            return;
        }
        let Some(found) = self.source.trends() else { return };
        if overview::is_open(&self.state) && self.state.cluster.past.shown.is_none() {
            found.look(self.state.cluster.at);
        }
        let (storage, visited) = (found.storage(), found.last_look());
        let known = KnownTrends { rings: Some(found.published()), storage, visited };
        let same = |own: &KnownTrends| {
            let rings = own.rings.as_ref().zip(known.rings.as_ref());
            rings.is_some_and(|(one, other)| Arc::ptr_eq(one, other))
                && own.storage == known.storage
                && own.visited == known.visited
        };
        if !same(&self.state.cluster.trends) {
            self.act(Action::Trends(known));
        }
    }

    fn read_events(&mut self) {
        if let Some(since) = aftermath::wanted(&self.state) {
            self.act(Action::Aftermath(self.source.events(since, Events::RETAINED)));
        }
        if !overview::reads_events(&self.state) || self.reading {
            return;
        }
        let events = &self.state.cluster.events;
        let (since, next) = (events.next, self.source.events(u64::MAX, 0).next);
        if next.saturating_sub(since) > AT_ONCE {
            self.reading = true;
            let source = SourceHandle(Arc::clone(&self.source));
            self.effects.push(Work::ReadEvents(source, since, Events::RETAINED).into());
            return;
        }
        self.act(Action::Events(self.source.events(since, Events::RETAINED)));
        self.read_earlier_events();
    }

    /// These are in memory, so reading is fast.
    fn read_earlier_events(&mut self) {
        let cluster = &self.state.cluster;
        let until = cluster.until().unwrap_or(Time(u64::MAX));
        let Some(of) = cluster.events.missing_before(until).filter(|of| cluster.events.earlier.of != Some(*of)) else {
            return;
        };
        let records = self.source.important(until, Events::EARLIER);
        self.act(Action::EarlierEvents(of, records));
    }

    /// Options, keys, histories, and messages stay.
    pub(super) fn switch(&mut self, source: Arc<dyn Source>) {
        let (view, link) = (source.view(), source.link());
        let (about, who) = (source.about().clone(), (source.identity().clone(), source.actor()));
        let old = &mut self.state;
        orders::leave_open(old);
        let mut state = State::new(old.options.clone(), old.size, view, about, who, link);
        state.now = old.now;
        state.keymap = Arc::clone(&old.keymap);
        state.contexts = std::mem::take(&mut old.contexts);
        state.settings = std::mem::take(&mut old.settings);
        state.first_steps = std::mem::take(&mut old.first_steps);
        state.simulator = old.simulator.take();
        state.own_commands = Arc::clone(&old.own_commands);
        state.columns = std::mem::take(&mut old.columns);
        state.views = std::mem::take(&mut old.views);
        state.saved_dir = std::mem::take(&mut old.saved_dir);
        state.wide = old.wide;
        state.board = old.board.is_some().then(Box::default);
        state.commands = std::mem::take(&mut old.commands);
        state.filters = std::mem::take(&mut old.filters);
        state.messages = std::mem::take(&mut old.messages);
        if let Some(note) = &mut state.note {
            note.until += old.now;
        }
        let effects = start(&mut state, initial(&*source));
        // Results for the other scheduler must be outdated.
        state.makings = self.state.makings;
        self.deferred.clear();
        self.reading = false;
        self.state = state;
        self.source = source;
        self.era += 1;
        self.log = None;
        self.focus = focus::of(&self.state);
        self.source.set_focus(&self.focus);
        // Drop work for the previous scheduler.
        self.effects.retain(|effect| !matches!(effect, Effect::Work(_)));
        self.effects.extend([Effect::Repaint, Effect::Redraw]);
        self.effects.extend(effects);
    }
}
