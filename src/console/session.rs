//! One console at work: a model, its theme and the source it looks at. The terminal and the tests both drive this one.

use std::sync::Arc;
use std::time::Duration;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};

use super::action::{Action, Effects, Feed};
use super::draw;
use super::glance;
use super::key::Key;
use super::keymap;
use super::model::placement::WantedFile;
use super::model::{Model, Options};
use super::theme::{Theme, ThemeName};
use super::update::{feed, lists, update};
use crate::source::{Glance, Source};
use crate::view::View;

/// A console and the cluster it looks at.
pub struct Session {
    model: Model,
    theme: Theme,
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
        let theme = Theme::new(options.theme, options.ascii);
        let glance = glance::of(&model);
        source.look(&glance);
        Self { model, theme, shown: (options.theme, options.ascii), source, glance }
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
        let options = (self.model.options.theme, self.model.options.ascii);
        if options != self.shown {
            self.shown = options;
            self.theme = Theme::new(options.0, options.1);
        }
        passed.and(effects)
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
        let effects = passed.and(update(&mut self.model, Action::Feed(news)));
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

    /// The configuration that a person asked for since this was called last.
    pub fn take_wanted_file(&mut self) -> Option<WantedFile> {
        self.model.wanted_file.take()
    }

    /// Hands in a configuration that was asked for.
    pub fn supply(&mut self, name: String, read: Result<Arc<View>, String>) -> Effects {
        update(&mut self.model, Action::File(name, read))
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
