//! One console at work: a model, its theme and the source it looks at. The terminal and the tests both drive this one.

use std::sync::Arc;
use std::time::Duration;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};

use super::action::{Action, Effects, Feed, Mouse};
use super::draw;
use super::glance;
use super::key::Key;
use super::keymap;
use super::model::events::Events;
use super::model::page::Page;
use super::model::{Model, Options, Personal};
use super::theme::{Theme, ThemeName};
use super::update::{feed, lists, update, write};
use super::work::{Outcome, Work};
use crate::source::{Glance, Source};
use crate::view::act::Order;

/// A console and the cluster it looks at.
pub struct Session {
    model: Model,
    theme: Theme,
    /// The name of the theme, and whether its signs are ASCII only.
    shown: (ThemeName, bool),
    source: Arc<dyn Source>,
    /// What the source was last told of the screen.
    glance: Glance,
}

impl Session {
    /// A console of a size, on the newest view of a source.
    pub fn new(source: Arc<dyn Source>, options: Options, size: Size) -> Self {
        let (view, link) = (source.view(), source.link());
        let mut model = Model::new(options, size, view, source.about().clone(), source.identity().clone(), link);
        model.cluster.at = source.now().max(model.cluster.at);
        lists::rebuild(&mut model, true);
        let shown = (model.options.theme.clone(), model.options.ascii);
        let theme = Theme::new(&model.options.themes, &shown.0, model.options.depth, shown.1);
        let glance = glance::of(&model);
        source.look(&glance);
        Self { model, theme, shown, source, glance }
    }

    /// Takes a person's own settings.
    pub fn personalize(&mut self, personal: Personal) {
        self.model.personalize(personal);
    }

    /// The state of the screen.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// A key at `now` on the console's clock.
    pub fn key(&mut self, key: Key, now: Duration) -> Effects {
        let passed = update(&mut self.model, Action::Clock(now));
        let Some(action) = keymap::action(&self.model, key) else { return passed };
        let effects = update(&mut self.model, action);
        self.tell_glance();
        self.take_theme();
        passed.and(effects).and(self.read_events())
    }

    /// Takes the theme that is to be shown now: while one is being chosen, that one.
    fn take_theme(&mut self) {
        let options = &self.model.options;
        let name = write::tried_theme(&self.model).unwrap_or(&options.theme);
        if (name, options.ascii) != (&self.shown.0, self.shown.1) {
            self.theme = Theme::new(&options.themes, name, options.depth, options.ascii);
            self.shown = (name.clone(), options.ascii);
        }
    }

    /// The mouse did something at `now`.
    pub fn mouse(&mut self, mouse: Mouse, now: Duration) -> Effects {
        update(&mut self.model, Action::Clock(now)).and(update(&mut self.model, Action::Mouse(mouse)))
    }

    /// Text was pasted at `now`.
    pub fn paste(&mut self, text: String, now: Duration) -> Effects {
        update(&mut self.model, Action::Clock(now)).and(update(&mut self.model, Action::Paste(text)))
    }

    /// The terminal has another size.
    pub fn resize(&mut self, size: Size) -> Effects {
        update(&mut self.model, Action::Resize(size))
    }

    /// Takes the newest view, and lets time go on to `now`.
    pub fn refresh(&mut self, now: Duration) -> Effects {
        let passed = update(&mut self.model, Action::Clock(now));
        let identity = self.source.identity();
        let identity = (*identity != self.model.cluster.identity).then(|| identity.clone());
        let news = Feed { view: self.source.view(), at: self.source.now(), link: self.source.link(), identity };
        let effects = passed.and(update(&mut self.model, Action::Feed(news))).and(self.read_events());
        self.tell_glance();
        effects
    }

    /// Tells the source what is on the screen, when that is something else than before.
    fn tell_glance(&mut self) {
        let glance = glance::of(&self.model);
        if glance != self.glance {
            self.source.look(&glance);
            self.glance = glance;
        }
    }

    /// Takes the events that came since the last ones, while somebody looks at them.
    fn read_events(&mut self) -> Effects {
        if !matches!(self.model.page(), Page::Events(_)) {
            return Effects::NONE;
        }
        let page = self.source.events(self.model.cluster.events.next, Events::KEPT);
        update(&mut self.model, Action::Events(page))
    }

    /// The next thing that is to be done outside.
    pub fn take_work(&mut self) -> Option<Work> {
        self.model.work.pop_front()
    }

    /// Has an order carried out; `answer` gets the outcome that is to be handed in, from any thread.
    pub fn order(&self, order: Order, answer: impl FnOnce(Outcome) + Send + 'static) {
        let act = Box::new(order.act.clone());
        self.source.act(order, Box::new(move |result| answer(Outcome::Ordered(act, result))));
    }

    /// Hands in what came of something that was to be done.
    pub fn done(&mut self, outcome: Outcome) -> Effects {
        update(&mut self.model, Action::Done(outcome))
    }

    /// When the console wants to be refreshed again though nothing happened; `None` when never.
    pub fn next_wake(&self) -> Option<Duration> {
        feed::next_wake(&self.model)
    }

    /// Draws the console.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        draw::draw(&self.model, &self.theme, frame);
    }

    /// Draws the console into an empty buffer. Gives the place of the text cursor.
    pub fn paint(&self, buffer: &mut Buffer) -> Option<Position> {
        draw::paint(&self.model, &self.theme, buffer)
    }
}
