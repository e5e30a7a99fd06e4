//! A console without a terminal: keys in, screen out, on a clock that is moved by hand. For tests and tapes.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::console::input::key::Key;
use crate::console::shell::session::Session;
use crate::console::shell::workers;
use crate::console::state::work::Work;
use crate::console::state::{Options, Personal, State};
use crate::console::update::action::{Effects, Mouse};
use crate::source::Source;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A console on a virtual terminal.
pub struct Driver {
    session: Session,
    /// Told when an answer has come.
    answered: Receiver<()>,
    size: Size,
    now: Duration,
    effects: Effects,
    copied: Option<String>,
}

impl Driver {
    /// A console of a size.
    pub fn new(source: Arc<dyn Source>, options: Options, width: u16, height: u16) -> Self {
        let size = Size { width, height };
        let mut session = Session::new(source, options, size);
        let (tell, answered) = channel();
        session.on_answer(Arc::new(move || {
            // The driver may be gone.
            let _ = tell.send(());
        }));
        Self { session, answered, size, now: Duration::ZERO, effects: Effects::NONE, copied: None }
    }

    /// Takes a person's own settings.
    pub fn personalize(&mut self, personal: Personal) -> &mut Self {
        self.session.personalize(personal);
        self
    }

    /// Presses one key.
    pub fn key(&mut self, key: Key) -> &mut Self {
        self.effects = self.effects.and(self.session.key(key, self.now));
        self.effects = self.effects.and(self.session.take_answers(self.now));
        self.work()
    }

    /// Does what is to be done outside, at once.
    fn work(&mut self) -> &mut Self {
        while let Some(work) = self.session.take_work() {
            let era = self.session.era();
            if let Work::Copy(text) = &work {
                self.copied = Some(text.clone());
            }
            if let (Work::Context(name), Some(opener)) = (&work, self.session.opener()) {
                self.effects = self.effects.and(self.session.switch(name, opener.open(name)));
                continue;
            }
            if let Some(outcome) = workers::perform(work) {
                self.effects = self.effects.and(self.session.done(era, outcome));
            }
        }
        self
    }

    /// What was put into the clipboard last.
    pub fn copied(&self) -> Option<&str> {
        self.copied.as_deref()
    }

    /// Lets the mouse do something.
    pub fn mouse(&mut self, mouse: Mouse) -> &mut Self {
        self.effects = self.effects.and(self.session.mouse(mouse, self.now));
        self
    }

    /// Pastes text.
    pub fn paste(&mut self, text: &str) -> &mut Self {
        self.effects = self.effects.and(self.session.paste(text.to_owned(), self.now));
        self
    }

    /// Presses keys written as in `/eng<ret>jd<C-c>`.
    ///
    /// # Errors
    /// The piece that is no key; nothing is pressed then.
    pub fn keys(&mut self, keys: &str) -> Result<&mut Self, String> {
        for key in Key::parse_all(keys)? {
            self.key(key);
        }
        Ok(self)
    }

    /// Types text, character by character.
    pub fn type_text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.key(Key::plain(crate::console::input::key::Code::Char(c)));
        }
        self
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        self.size = Size { width, height };
        self.effects = self.effects.and(self.session.resize(self.size));
        self
    }

    /// Takes the source's newest view, and answers that have come.
    pub fn refresh(&mut self) -> &mut Self {
        self.effects = self.effects.and(self.session.refresh(self.now));
        self.effects = self.effects.and(self.session.take_answers(self.now));
        self.work()
    }

    /// Waits until everything is answered that was asked: orders, and what was to be looked up in the past. At most for a minute.
    pub fn settle(&mut self) -> &mut Self {
        while self.session.waits() && self.answered.recv_timeout(PATIENCE).is_ok() {
            self.effects = self.effects.and(self.session.take_answers(self.now));
            self.work();
        }
        self
    }

    /// Lets time go by on the console's clock, and takes the source's newest view.
    pub fn advance(&mut self, by: Duration) -> &mut Self {
        self.now += by;
        self.refresh()
    }

    /// What the console wanted done since this was asked last.
    pub fn take_effects(&mut self) -> Effects {
        std::mem::take(&mut self.effects)
    }

    /// When the console wants to be refreshed again though nothing happened.
    pub fn next_wake(&self) -> Option<Duration> {
        self.session.next_wake()
    }

    /// The state of the screen.
    pub fn state(&self) -> &State {
        self.session.state()
    }

    /// The screen with its styles.
    pub fn buffer(&self) -> Buffer {
        self.paint().0
    }

    /// The place of the text cursor, if something is being written.
    pub fn cursor(&self) -> Option<Position> {
        self.paint().1
    }

    /// The screen with its styles, and the place of the text cursor.
    pub fn paint(&self) -> (Buffer, Option<Position>) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.width, self.size.height));
        let cursor = self.session.paint(&mut buffer);
        (buffer, cursor)
    }

    /// The lines of the screen, without blanks at their ends.
    pub fn lines(&self) -> Vec<String> {
        let buffer = self.buffer();
        let line = |y: u16| {
            let mut text = String::new();
            let mut x = 0;
            while x < self.size.width {
                let symbol = buffer[(x, y)].symbol();
                text.push_str(symbol);
                // A wide sign covers the cells behind it.
                x += u16::try_from(crate::console::present::text::width(symbol)).unwrap_or(1).max(1);
            }
            text.trim_end().to_owned()
        };
        (0..self.size.height).map(line).collect()
    }

    /// The screen as text.
    pub fn screen_text(&self) -> String {
        self.lines().join("\n")
    }

    /// The first line that holds a text, with its number from the top.
    pub fn find_row(&self, text: &str) -> Option<(usize, String)> {
        self.lines().into_iter().enumerate().find(|(_, line)| line.contains(text))
    }
}
