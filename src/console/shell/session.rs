//! One console at work: a state, its theme and the source it looks at. The terminal and the tests both drive this one.
//!
//! Invariant: whatever answers later (orders, texts, views, chapters, what is done outside) belongs to the source it was asked of.
//! With another source come other channels and another [`Session::era`], so that an answer of the one before finds nobody.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};

use crate::console::draw;
use crate::console::input::key::Key;
use crate::console::input::keymap;
use crate::console::present::focus;
use crate::console::shell::opener::Opener;
use crate::console::state::events::Events;
use crate::console::state::page::Page;
use crate::console::state::past::{Span, Step};
use crate::console::state::work::{Outcome, Watched, Work};
use crate::console::state::{Grade, Options, Personal, State};
use crate::console::theme::{Theme, ThemeName};
use crate::console::update::action::{Action, Effects, Feed, Mouse};
use crate::console::update::{aftermath, feed, lists, long, navigate, orders, past, update, write};
use crate::model::Time;
use crate::source::{Glance, Sight, Source};
use crate::view::act::{Done, Refusal};
use crate::view::{Chapter, Toward, View};

/// A console and the cluster it looks at.
pub struct Session {
    state: State,
    theme: Theme,
    /// The name of the theme, and whether its signs are ASCII only.
    shown: (ThemeName, bool),
    source: Arc<dyn Source>,
    answers: (Sender<Answered>, Receiver<Answered>),
    texts: (Sender<Text>, Receiver<Text>),
    views: (Sender<Then>, Receiver<Then>),
    chapters: (Sender<Told>, Receiver<Told>),
    wake: Arc<dyn Fn() + Send + Sync>,
    /// What the source was last told of the screen.
    glance: Glance,
    /// What opens another scheduler.
    opener: Option<Opener>,
    /// The name of the scheduler that is being opened, and with which act of the person ([`State::turn`]); another one that comes was
    /// given up.
    opening: Option<(String, u64)>,
    /// How many times another scheduler took the place of the one before.
    era: u64,
    /// What was done about a row of a list that is still being made; done when that is there.
    held: VecDeque<Held>,
    /// Events are being read.
    reading: bool,
}

/// What a person did.
enum Held {
    Key(Key),
    Mouse(Mouse),
    Paste(String),
}

/// How much of that is held at most.
const HELD: usize = 256;
/// Up to how many events are read where frames are drawn.
const AT_ONCE: u64 = 1_000;

/// How it was at a time, or why that cannot be told.
type Then = (Time, Result<Arc<View>, String>);

/// What happened right before or after a time, for a step, or why that cannot be told.
type Told = (Time, Step, Result<Span, String>);

/// The text of a revision, by its number, or why it cannot be had.
type Text = (u64, Result<Arc<str>, String>);

/// What came of an order, by its number.
type Answered = (u64, Result<Done, Refusal>);

impl Session {
    /// A console of a size, on the newest view of a source.
    pub fn new(source: Arc<dyn Source>, options: Options, size: Size) -> Self {
        let (view, link) = (source.view(), source.link());
        let who = (source.identity().clone(), source.actor());
        let mut state = State::new(options, size, view, source.about().clone(), who, link);
        state.cluster.estimates = source.estimates();
        state.cluster.health = source.health();
        state.cluster.at = source.now().max(state.cluster.at);
        state.cluster.past.kept = source.keeps_past();
        state.cluster.past.see(&state.cluster.view, source.events(u64::MAX, 0).next);
        lists::rebuild(&mut state, true);
        let shown = (state.options.theme.clone(), state.options.ascii);
        let theme = Theme::new(&state.options.themes, &shown.0, state.options.depth, shown.1);
        let glance = focus::of(&state);
        source.look(&glance);
        Self {
            state,
            theme,
            shown,
            source,
            answers: channel(),
            texts: channel(),
            views: channel(),
            chapters: channel(),
            wake: Arc::new(|| {}),
            glance,
            opener: None,
            opening: None,
            era: 0,
            held: VecDeque::new(),
            reading: false,
        }
    }

    /// Takes a person's own settings.
    pub fn personalize(&mut self, personal: Personal) {
        self.opener.clone_from(&personal.opener);
        self.state.personalize(personal);
    }

    /// Has `wake` called, from any thread, when there is an answer for [`Session::take_answers`].
    pub fn on_answer(&mut self, wake: Arc<dyn Fn() + Send + Sync>) {
        self.wake = wake;
    }

    /// The state of the screen.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// A key at `now` on the console's clock.
    pub fn key(&mut self, key: Key, now: Duration) -> Effects {
        let passed = update(&mut self.state, Action::Clock(now));
        if !self.held.is_empty() {
            return passed.and(match keymap::blind(&self.state, key) {
                Some(action) => update(&mut self.state, action),
                None => self.hold(Held::Key(key)),
            });
        }
        let Some(action) = keymap::action(&self.state, key) else { return passed };
        if lists::is_awaited(&self.state) && long::waits(&self.state, &action) {
            return passed.and(self.hold(Held::Key(key)));
        }
        let effects = update(&mut self.state, action);
        self.tell_glance();
        self.take_theme();
        self.give_orders();
        passed.and(effects).and(self.read_events()).and(self.read_records())
    }

    /// Keeps what a person did until the list is there that it is about; what comes too fast for that is lost.
    fn hold(&mut self, what: Held) -> Effects {
        if self.held.len() < HELD {
            self.held.push_back(what);
        }
        Effects::NONE
    }

    /// Does what was held, in its order, as far as it need not wait any longer.
    fn go_on(&mut self) -> Effects {
        let (mut effects, now) = (Effects::NONE, self.state.now);
        let mut held = std::mem::take(&mut self.held);
        while let Some(next) = held.pop_front() {
            effects = effects.and(match next {
                Held::Key(key) => self.key(key, now),
                Held::Mouse(mouse) => self.mouse(mouse, now),
                Held::Paste(text) => self.paste(text, now),
            });
            if !self.held.is_empty() {
                self.held.append(&mut held);
            }
        }
        effects
    }

    /// Takes the theme that is to be shown now: while one is being chosen, that one.
    fn take_theme(&mut self) {
        let options = &self.state.options;
        let name = write::tried_theme(&self.state).unwrap_or(&options.theme);
        if (name, options.ascii) != (&self.shown.0, self.shown.1) {
            self.theme = Theme::new(&options.themes, name, options.depth, options.ascii);
            self.shown = (name.clone(), options.ascii);
        }
    }

    /// The mouse did something at `now`.
    pub fn mouse(&mut self, mouse: Mouse, now: Duration) -> Effects {
        if !self.held.is_empty() {
            return self.hold(Held::Mouse(mouse));
        }
        update(&mut self.state, Action::Clock(now)).and(update(&mut self.state, Action::Mouse(mouse)))
    }

    /// Text was pasted at `now`.
    pub fn paste(&mut self, text: String, now: Duration) -> Effects {
        if !self.held.is_empty() {
            return self.hold(Held::Paste(text));
        }
        let effects = update(&mut self.state, Action::Clock(now)).and(update(&mut self.state, Action::Paste(text)));
        self.give_orders();
        effects
    }

    /// Hands the source what is wanted of it. Nothing here waits.
    fn give_orders(&mut self) {
        for (number, order) in self.state.orders.take_wanted() {
            self.state.orders.handed(number, self.source.events(u64::MAX, 0).next);
            let (answers, wake) = (self.answers.0.clone(), Arc::clone(&self.wake));
            let answer = move |outcome| {
                // The console may have ended.
                let _ = answers.send((number, outcome));
                wake();
            };
            self.source.act(order, Box::new(answer));
        }
        for (order, refusal) in self.state.orders.take_refused() {
            self.source.refused(order, refusal);
        }
    }

    /// Takes what came of orders, with the view in which that can be seen.
    pub fn take_answers(&mut self, now: Duration) -> Effects {
        let mut effects = Effects::NONE;
        while let Ok((number, outcome)) = self.answers.1.try_recv() {
            effects = effects.and(self.refresh(now)).and(update(&mut self.state, Action::Answer(number, outcome)));
            self.give_orders();
        }
        effects.and(self.read_events()).and(self.read_records())
    }

    /// The terminal has another size.
    pub fn resize(&mut self, size: Size) -> Effects {
        update(&mut self.state, Action::Resize(size))
    }

    /// Takes the newest view, and lets time go on to `now`.
    pub fn refresh(&mut self, now: Duration) -> Effects {
        let passed = update(&mut self.state, Action::Clock(now));
        let identity = self.source.identity();
        let identity = (*identity != self.state.cluster.identity).then(|| identity.clone());
        let view = self.source.view();
        let known = Arc::ptr_eq(&view, &self.state.cluster.newest);
        let next_event = if known { 0 } else { self.source.events(u64::MAX, 0).next };
        let news = Feed {
            view,
            next_event,
            at: self.source.now(),
            link: self.source.link(),
            health: self.source.health(),
            estimates: self.source.estimates(),
            actor: self.source.actor(),
            identity,
        };
        let effects = passed.and(update(&mut self.state, Action::Feed(news))).and(self.read_events());
        let effects = effects.and(self.read_records());
        // A minute of attempts may be over.
        self.give_orders();
        self.tell_glance();
        effects
    }

    /// Tells the source what is on the screen, when that is something else than before.
    fn tell_glance(&mut self) {
        let glance = focus::of(&self.state);
        if glance != self.glance {
            self.source.look(&glance);
            self.glance = glance;
        }
    }

    /// Takes the events that came since the last ones, while somebody looks at them.
    fn read_events(&mut self) -> Effects {
        let effects = match aftermath::wanted(&self.state) {
            Some(since) => update(&mut self.state, Action::Aftermath(self.source.events(since, Events::KEPT))),
            None => Effects::NONE,
        };
        if !matches!(self.state.page(), Page::Events(_)) || self.reading {
            return effects;
        }
        let events = &self.state.cluster.events;
        let (since, next) = (events.next, self.source.events(u64::MAX, 0).next);
        if next.saturating_sub(since) > AT_ONCE {
            // So many take longer to put into words than a frame may.
            self.reading = true;
            let source = Watched(Arc::clone(&self.source));
            self.state.work.push_back(Work::EventsOf(source, since, Events::KEPT));
            return effects;
        }
        let page = self.source.events(since, Events::KEPT);
        effects.and(update(&mut self.state, Action::Events(page)))
    }

    /// What opens another scheduler.
    pub fn opener(&self) -> Option<Opener> {
        self.opener.clone()
    }

    /// Goes on with another scheduler, or tells why not. What belongs to the person stays: options, keys, what was written and said.
    pub fn switch(&mut self, name: &str, opened: Result<Arc<dyn Source>, String>) -> Effects {
        let Some((_, turn)) = self.opening.take_if(|(opening, _)| opening == name) else { return Effects::NONE };
        let source = match opened {
            Ok(source) => source,
            Err(why) => {
                self.state.say(Grade::Error, format!("{name} cannot be opened: {why}"));
                return Effects::REDRAW;
            }
        };
        if navigate::is_busy(&self.state, turn) {
            let told = format!("{name} is open, and something is being written here; :context {name} goes there");
            self.state.say(Grade::Info, told);
            return Effects::REDRAW;
        }
        let (view, link) = (source.view(), source.link());
        let (about, who) = (source.about().clone(), (source.identity().clone(), source.actor()));
        let old = &mut self.state;
        orders::leave_open(old);
        let mut state = State::new(old.options.clone(), old.size, view, about, who, link);
        state.cluster.at = source.now().max(state.cluster.at);
        state.now = old.now;
        state.keymap = Arc::clone(&old.keymap);
        state.contexts = std::mem::take(&mut old.contexts);
        state.settings = std::mem::take(&mut old.settings);
        state.commands = std::mem::take(&mut old.commands);
        state.filters = std::mem::take(&mut old.filters);
        state.messages = std::mem::take(&mut old.messages);
        if let Some(note) = &mut state.note {
            note.until += old.now;
        }
        state.cluster.health = source.health();
        state.cluster.past.kept = source.keeps_past();
        state.cluster.past.see(&state.cluster.view, source.events(u64::MAX, 0).next);
        lists::rebuild(&mut state, true);
        // What is still made for the other one is not for this one.
        state.makings = self.state.makings;
        self.held.clear();
        self.reading = false;
        self.state = state;
        self.source = source;
        (self.answers, self.texts, self.views, self.chapters) = (channel(), channel(), channel(), channel());
        self.era += 1;
        self.glance = focus::of(&self.state);
        self.source.look(&self.glance);
        Effects { repaint: true, ..Effects::REDRAW }
    }

    /// The source that is looked at.
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Counts up with each other scheduler: what came of work goes back with the era in which it was taken.
    pub fn era(&self) -> u64 {
        self.era
    }

    /// The next thing that is to be done outside.
    pub fn take_work(&mut self) -> Option<Work> {
        Some(match self.state.work.pop_front()? {
            Work::Moments(since) => Work::MomentsOf(Watched(Arc::clone(&self.source)), since),
            Work::Context(name) => {
                self.opening = Some((name.clone(), self.state.turn));
                Work::Context(name)
            }
            work => work,
        })
    }

    /// Takes what is new of the ledger while somebody looks at it, and has the texts fetched that the screen needs.
    fn read_records(&mut self) -> Effects {
        let mut effects = Effects::NONE;
        if focus::of(&self.state).sight == Sight::Records
            && let Some(records) = self.source.records(self.state.cluster.ledger.generation())
            && self.state.cluster.ledger.told.as_ref() != Some(&records)
        {
            effects = update(&mut self.state, Action::Records(records));
        }
        for number in self.state.cluster.ledger.take_wanted() {
            let (texts, wake) = (self.texts.0.clone(), Arc::clone(&self.wake));
            let answer = move |text| {
                // The console may have ended.
                let _ = texts.send((number, text));
                wake();
            };
            self.source.revision_text(number, Box::new(answer));
        }
        while let Ok((number, text)) = self.texts.1.try_recv() {
            effects = effects.and(update(&mut self.state, Action::RevisionText(number, text)));
        }
        effects.and(self.look_back())
    }

    /// Takes what was looked up of the past, and has looked up what a step or a jump needs next. Nothing here waits.
    fn look_back(&mut self) -> Effects {
        let mut effects = Effects::NONE;
        loop {
            while let Ok((at, step, found)) = self.chapters.1.try_recv() {
                effects = effects.and(update(&mut self.state, Action::PastSpan(at, step, found)));
            }
            while let Ok((at, found)) = self.views.1.try_recv() {
                effects = effects.and(update(&mut self.state, Action::PastView(at, found)));
            }
            let past = &mut self.state.cluster.past;
            if let Some((at, step)) = past.chapters.take_wanted() {
                let (chapters, wake) = (self.chapters.0.clone(), Arc::clone(&self.wake));
                let answer = move |found: Result<Chapter, String>| {
                    // The console may have ended.
                    let _ = chapters.send((at, step, found.map(past::told_in)));
                    wake();
                };
                let toward = if step == Step::Back { Toward::Earlier } else { Toward::Later };
                self.source.chapter(at, toward, past::matters, Box::new(answer));
            } else if let Some(at) = past.take_wanted() {
                let (views, wake) = (self.views.0.clone(), Arc::clone(&self.wake));
                let answer = move |found| {
                    // The console may have ended.
                    let _ = views.send((at, found));
                    wake();
                };
                self.source.view_at(at, Box::new(answer));
            } else {
                return effects;
            }
        }
    }

    /// Whether it waits for an answer: to an order, or to what is being looked up in the past.
    pub fn waits(&self) -> bool {
        let past = &self.state.cluster.past;
        past.fetching.is_some() || past.chapters.seeking.is_some() || !self.state.orders.open.is_empty()
    }

    /// Hands in what came of something that was to be done, and in which era that was taken. What an earlier scheduler was asked for
    /// is of no account any more; that a file was written is told all the same.
    pub fn done(&mut self, era: u64, outcome: Outcome) -> Effects {
        if era != self.era && !matches!(outcome, Outcome::Written(_)) {
            return Effects::NONE;
        }
        if let Outcome::Events(page) = &outcome {
            self.reading = false;
            if page.instance != self.source.events(u64::MAX, 0).instance {
                // They are of a scheduler that was left meanwhile.
                return Effects::NONE;
            }
        }
        let effects = update(&mut self.state, Action::Done(outcome)).and(self.read_records());
        if self.held.is_empty() || lists::is_awaited(&self.state) { effects } else { effects.and(self.go_on()) }
    }

    /// When the console wants to be refreshed again though nothing happened; `None` when never.
    pub fn next_wake(&self) -> Option<Duration> {
        feed::next_wake(&self.state)
    }

    /// Draws the console.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        draw::draw(&self.state, &self.theme, frame);
    }

    /// Draws the console into an empty buffer. Gives the place of the text cursor.
    pub fn paint(&self, buffer: &mut Buffer) -> Option<Position> {
        draw::paint(&self.state, &self.theme, buffer)
    }
}
