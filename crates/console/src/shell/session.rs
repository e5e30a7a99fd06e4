//! One console: a state, its theme, and its source, for the terminal and for tests.
//!
//! ```text
//!  Incoming ── step ──> Action ── update ──> Effect ──┬── of the source: carried out here
//!     ^                                               └── everything else: returned to the runtime
//!     └── Reply <── one channel <── source, worker threads, editor, opener
//! ```
//!
//! Invariants:
//! - [`Session::step`] is the only entry. After each action it carries out effects of the source, takes replies, and
//!   reads new events;
//! - a reply contains the [`Session::era`] of its request, and is dropped after a switch of the scheduler.

mod clusters;
mod follow_up;
mod pod;
mod what_if;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};

use crate::draw;
use crate::input::keymap;
use crate::linear::Step;
use crate::present::{awaited, focus, guard, lists as present_lists};
use crate::shell::personal::Personal;
use crate::shell::tap::Input;
use crate::state::effect::Effect;
use crate::state::key::Key;
use crate::state::opener::Opener;
use crate::state::reply::Reply;
use crate::state::{Options, State};
use crate::theme::{Theme, ThemeName};
use crate::update::action::Action;
use crate::update::{feed, key, long, start, update, write};
use source::{Focus, LogStream, Source, StopFlag};
use view::kubernetes::LogName;

type StampedReply = (u64, Reply);

/// A console and its source.
pub struct Session {
    state: State,
    theme: Theme,
    shown: (ThemeName, bool),
    source: Arc<dyn Source>,
    replies: (Sender<StampedReply>, Receiver<StampedReply>),
    wake: Arc<dyn Fn() + Send + Sync>,
    /// The focus as last reported to the source.
    focus: Focus,
    opener: Option<Opener>,
    /// A context with the user action ([`State::turn`]); other results are dropped.
    opening: Option<(String, u64)>,
    real: Option<Box<(State, Arc<dyn Source>)>>,
    era: u64,
    deferred: VecDeque<Input>,
    clusters: clusters::Clusters,
    reading: bool,
    forecast: StopFlag,
    log: Option<(LogName, Arc<dyn LogStream>)>,
    effects: Vec<Effect>,
}

const HELD: usize = 256;

/// An input of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// An action of the user.
    Input(Input),
    /// A step of a line in linear mode.
    Step(Step),
    /// A newer view, or a due time.
    Refresh,
    /// Replies are available, or only time has passed.
    Replies,
}

/// The destination of replies, from any thread.
#[derive(Clone)]
pub struct ReplySender {
    replies: Sender<StampedReply>,
    era: u64,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl ReplySender {
    /// Sends a reply. No effect after the console has ended.
    pub fn send(&self, reply: Reply) {
        // The console may have ended.
        let _ = self.replies.send((self.era, reply));
        (self.wake)();
    }
}

impl Session {
    /// A console with the newest view of a source.
    pub fn new(source: Arc<dyn Source>, options: Options, size: Size) -> Self {
        let (view, link) = (source.view(), source.link());
        let who = (source.identity().clone(), source.actor());
        let mut state = State::new(options, size, view, source.about().clone(), who, link);
        state.keymap = Arc::new(keymap::defaults());
        state.cluster.estimates = source.estimates();
        let effects = start(&mut state, follow_up::initial(&*source));
        let shown = (state.options.theme.clone(), state.options.ascii);
        let theme = Theme::new(&state.options.themes, &shown.0, state.options.depth, shown.1);
        let focus = focus::of(&state);
        source.set_focus(&focus);
        Self {
            state,
            theme,
            shown,
            source,
            replies: channel(),
            wake: Arc::new(|| {}),
            focus,
            opener: None,
            opening: None,
            real: None,
            era: 0,
            deferred: VecDeque::new(),
            clusters: clusters::Clusters::default(),
            reading: false,
            forecast: StopFlag::default(),
            log: None,
            effects,
        }
    }

    /// Applies the user's settings.
    pub fn personalize(&mut self, personal: Personal) {
        self.opener.clone_from(&personal.opener);
        personal.apply(&mut self.state);
    }

    /// Sets a function that any thread calls for [`Incoming::Replies`].
    pub fn on_reply(&mut self, wake: Arc<dyn Fn() + Send + Sync>) {
        self.wake = wake;
    }

    /// The sender for the effects of the last step.
    pub fn replies(&self) -> ReplySender {
        ReplySender { replies: self.replies.0.clone(), era: self.era, wake: Arc::clone(&self.wake) }
    }

    /// The state of the screen.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns effects for the runtime.
    pub fn step(&mut self, incoming: Incoming, now: Duration) -> Vec<Effect> {
        self.act(Action::Clock(now));
        match incoming {
            Incoming::Input(input) => self.take_input(input),
            Incoming::Step(step) => self.take_step(step),
            Incoming::Refresh => self.take_news(),
            Incoming::Replies => {}
        }
        self.follow_up();
        std::mem::take(&mut self.effects)
    }

    /// A step with a key.
    pub fn key(&mut self, key: Key, now: Duration) -> Vec<Effect> {
        self.step(Incoming::Input(Input::Key(key)), now)
    }

    /// Applies an action without blocking.
    fn act(&mut self, action: Action) {
        for effect in update(&mut self.state, action) {
            self.carry_out(effect);
        }
    }

    /// Defers input until its list is made.
    fn take_input(&mut self, input: Input) {
        let holding = !self.deferred.is_empty();
        let action = match &input {
            Input::Size(size) => Action::Resize(*size),
            Input::Key(key) if holding => match key::blind(&self.state, *key) {
                Some(action) => action,
                None => return self.hold(input),
            },
            Input::Mouse(_) | Input::Paste(_) if holding => return self.hold(input),
            Input::Key(key) => match key::action(&self.state, *key) {
                Some(action) if present_lists::is_awaited(&self.state) && long::waits(&self.state, &action) => {
                    return self.hold(input);
                }
                Some(action) => action,
                None => return,
            },
            Input::Mouse(mouse) => Action::Mouse(*mouse),
            Input::Paste(text) => Action::Paste(text.clone()),
        };
        self.act(action);
    }

    /// Runs a step with the same guards as keys.
    fn take_step(&mut self, step: Step) {
        let action = match step {
            Step::Key(key) => return self.take_input(Input::Key(key)),
            Step::Select(index) => Action::Select(index),
            Step::Text(text) => Action::Reply(Reply::TextEdited(Ok(text))),
            Step::Run(id, argument) => match guard::check(&self.state, id) {
                Ok(()) => Action::Run(id, argument),
                Err(reason) => Action::Off(id, reason),
            },
        };
        self.act(action);
    }

    fn hold(&mut self, input: Input) {
        if self.deferred.len() < HELD {
            self.deferred.push_back(input);
        }
    }

    fn release_held(&mut self) {
        let mut deferred = std::mem::take(&mut self.deferred);
        while let Some(input) = deferred.pop_front() {
            self.take_input(input);
            self.read_source();
            if !self.deferred.is_empty() {
                self.deferred.append(&mut deferred);
            }
        }
    }

    fn take_theme(&mut self) {
        let options = &self.state.options;
        let name = write::tried_theme(&self.state).unwrap_or(&options.theme);
        if (name, options.ascii) != (&self.shown.0, self.shown.1) {
            self.theme = Theme::new(&options.themes, name, options.depth, options.ascii);
            self.shown = (name.clone(), options.ascii);
        }
    }

    /// Opens other schedulers.
    pub fn opener(&self) -> Option<Opener> {
        self.opener.clone()
    }

    /// The source that is examined.
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Counts switches to another scheduler.
    pub fn era(&self) -> u64 {
        self.era
    }

    /// Whether an operation or the past awaits an answer.
    pub fn waits(&self) -> bool {
        let past = &self.state.cluster.past;
        past.fetching.is_some()
            || past.chapters.seeking.is_some()
            || !self.state.orders.open.is_empty()
            || self.state.job.awaited
            || self.state.job.acting.left > 0
    }

    /// Whether an answer, a list, or a check is incomplete.
    pub fn is_busy(&self) -> bool {
        self.waits() || present_lists::is_awaited(&self.state) || awaited::is(&self.state) || self.opening.is_some()
    }

    /// When [`Incoming::Refresh`] is needed next without events.
    pub fn next_wake(&self) -> Option<Duration> {
        feed::next_wake(&self.state)
    }

    /// Draws the console.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        draw::draw(&self.state, &self.theme, frame);
    }

    /// Draws into an empty buffer. Returns the text cursor.
    pub fn paint(&self, buffer: &mut Buffer) -> Option<Position> {
        draw::paint(&self.state, &self.theme, buffer)
    }
}
