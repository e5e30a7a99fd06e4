//! One console at work: a state, its theme and the source it examines. The terminal and the tests both drive this one.
//!
//! ```text
//!  Incoming ── step ──> Action ── update ──> Effect ──┬── of the source: carried out here
//!     ^                                               └── everything else: returned to the runtime
//!     └── Reply <── one channel <── source, worker threads, editor, opener
//! ```
//!
//! Invariants:
//! - [`Session::step`] is the only way in, and everything that must follow an action follows each: effects of the source are carried
//!   out, replies that are there are taken, new events and audit entries are read, the source learns what is on the screen;
//! - a reply belongs to the source that was asked: it carries the [`Session::era`] in which it was requested, and is dropped when
//!   another scheduler has taken that one's place.

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
use source::{Focus, LogStream, Source, StopSign};
use view::kubernetes::LogName;

/// A reply, with the era in which its effect was requested.
type StampedReply = (u64, Reply);

/// A console and the cluster it examines.
pub struct Session {
    state: State,
    theme: Theme,
    /// The name of the theme, and whether its signs are ASCII only.
    shown: (ThemeName, bool),
    source: Arc<dyn Source>,
    replies: (Sender<StampedReply>, Receiver<StampedReply>),
    wake: Arc<dyn Fn() + Send + Sync>,
    /// What is on the screen, as the source knows it.
    focus: Focus,
    /// Opens another scheduler.
    opener: Option<Opener>,
    /// The name of the scheduler that is being opened, and with which act of the person ([`State::turn`]); another one that comes was
    /// given up.
    opening: Option<(String, u64)>,
    /// The cluster that a what-if was opened from, with its screen of that moment.
    real: Option<Box<(State, Arc<dyn Source>)>>,
    /// How many times another scheduler took the place of the one before.
    era: u64,
    /// Input about a row of a list that is still being made; taken when the list is there.
    held: VecDeque<Input>,
    /// The clusters next to the one on the screen.
    clusters: clusters::Clusters,
    /// A worker thread is reading events.
    reading: bool,
    /// Stops what is worked out about an edited text.
    forecast: StopSign,
    /// The log that is on the screen.
    log: Option<(LogName, Arc<dyn LogStream>)>,
    /// Effects for the runtime, returned by the next step.
    effects: Vec<Effect>,
}

/// How many inputs are held at most; what comes too fast for that is lost.
const HELD: usize = 256;

/// What arrives at a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A person did something.
    Input(Input),
    /// A step of a line that a person wrote in linear mode.
    Step(Step),
    /// The source has a newer view, or something on the screen is due.
    Refresh,
    /// There are replies in the channel, or nothing but time has passed.
    Replies,
}

/// Where replies go to, from any thread.
#[derive(Clone)]
pub struct ReplySender {
    replies: Sender<StampedReply>,
    era: u64,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl ReplySender {
    /// Sends a reply, and wakes the runtime up. Without effect when the console has ended.
    pub fn send(&self, reply: Reply) {
        // The console may have ended.
        let _ = self.replies.send((self.era, reply));
        (self.wake)();
    }
}

impl Session {
    /// A console of a size, on the newest view of a source.
    pub fn new(source: Arc<dyn Source>, options: Options, size: Size) -> Self {
        let (view, link) = (source.view(), source.link());
        let who = (source.identity().clone(), source.actor());
        let mut state = State::new(options, size, view, source.about().clone(), who, link);
        state.keymap = Arc::new(keymap::defaults());
        state.cluster.estimates = source.estimates();
        let effects = start(&mut state, follow_up::beginning(&*source));
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
            held: VecDeque::new(),
            clusters: clusters::Clusters::default(),
            reading: false,
            forecast: StopSign::default(),
            log: None,
            effects,
        }
    }

    /// Takes a person's own settings.
    pub fn personalize(&mut self, personal: Personal) {
        self.opener.clone_from(&personal.opener);
        personal.apply(&mut self.state);
    }

    /// Calls `wake`, from any thread, when there is a reply for [`Incoming::Replies`].
    pub fn on_reply(&mut self, wake: Arc<dyn Fn() + Send + Sync>) {
        self.wake = wake;
    }

    /// Where the replies to effects of the last step go to.
    pub fn replies(&self) -> ReplySender {
        ReplySender { replies: self.replies.0.clone(), era: self.era, wake: Arc::clone(&self.wake) }
    }

    /// The state of the screen.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes what came, at `now` on the console's clock, and all that follows from it. Returns what is left to be done by the one who has
    /// the terminal and the worker threads.
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

    /// Updates the state, and carries out what the source is to do. Nothing here waits.
    fn act(&mut self, action: Action) {
        for effect in update(&mut self.state, action) {
            self.carry_out(effect);
        }
    }

    /// Translates input into an action, or holds it until the list is there that it is about.
    fn take_input(&mut self, input: Input) {
        let holding = !self.held.is_empty();
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

    /// Carries out a step of a line. What a key would be refused for is refused here too.
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
        if self.held.len() < HELD {
            self.held.push_back(input);
        }
    }

    /// Takes the input that was held, in its order, as far as it need not wait any longer.
    fn release_held(&mut self) {
        let mut held = std::mem::take(&mut self.held);
        while let Some(input) = held.pop_front() {
            self.take_input(input);
            self.read_source();
            if !self.held.is_empty() {
                self.held.append(&mut held);
            }
        }
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

    /// What opens another scheduler.
    pub fn opener(&self) -> Option<Opener> {
        self.opener.clone()
    }

    /// The source that is examined.
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Counts up with each other scheduler. A reply carries the era in which it was requested.
    pub fn era(&self) -> u64 {
        self.era
    }

    /// Whether it waits for the source: for the answer to an order, or for something of the past.
    pub fn waits(&self) -> bool {
        let past = &self.state.cluster.past;
        past.fetching.is_some()
            || past.chapters.seeking.is_some()
            || !self.state.orders.open.is_empty()
            || self.state.job.awaited
            || self.state.job.acting.left > 0
    }

    /// Whether what the person requested last is still on its way: an answer of the source, a list, what a text means.
    pub fn is_busy(&self) -> bool {
        self.waits() || present_lists::is_awaited(&self.state) || awaited::is(&self.state) || self.opening.is_some()
    }

    /// When the console needs [`Incoming::Refresh`] again though nothing happened; `None` when never.
    pub fn next_wake(&self) -> Option<Duration> {
        feed::next_wake(&self.state)
    }

    /// Draws the console.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        draw::draw(&self.state, &self.theme, frame);
    }

    /// Draws the console into an empty buffer. Returns the place of the text cursor.
    pub fn paint(&self, buffer: &mut Buffer) -> Option<Position> {
        draw::paint(&self.state, &self.theme, buffer)
    }
}
