//! A console without a terminal, with a manual clock: for tests and tapes.

use std::mem::discriminant;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::input::terminal_events::Mouse;
use crate::linear::Reader;
use crate::shell::personal::Personal;
use crate::shell::session::Incoming;
use crate::shell::session::Session;
use crate::shell::tap::Input;
use crate::shell::workers;
use crate::state::effect::Effect;
use crate::state::key::Key;
use crate::state::reply::Reply;
use crate::state::work::SourceHandle;
use crate::state::{Options, State};
use source::Source;

const CLOSES: usize = 8;
const PATIENCE: Duration = Duration::from_secs(60);

/// A console on a virtual terminal.
pub struct Driver {
    session: Session,
    replied: Receiver<()>,
    size: Size,
    now: Duration,
    effects: Vec<Effect>,
    copied: Option<String>,
}

impl Driver {
    /// A console of a size.
    pub fn new(source: Arc<dyn Source>, options: Options, width: u16, height: u16) -> Self {
        let size = Size { width, height };
        let mut session = Session::new(source, options, size);
        let (wake, replied) = channel();
        session.on_reply(Arc::new(move || {
            // The driver may have been dropped.
            let _ = wake.send(());
        }));
        Self { session, replied, size, now: Duration::ZERO, effects: Vec::new(), copied: None }
    }

    /// Applies the user's settings.
    pub fn personalize(&mut self, personal: Personal) -> &mut Self {
        self.session.personalize(personal);
        self
    }

    /// Presses one key.
    pub fn key(&mut self, key: Key) -> &mut Self {
        self.step(Incoming::Input(Input::Key(key)))
    }

    fn step(&mut self, incoming: Incoming) -> &mut Self {
        let mut effects = self.session.step(incoming, self.now);
        loop {
            let replies: Vec<Reply> = effects.into_iter().filter_map(|effect| self.carry_out(effect)).collect();
            if replies.is_empty() {
                return self;
            }
            replies.into_iter().for_each(|reply| self.session.replies().send(reply));
            effects = self.session.step(Incoming::Replies, self.now);
        }
    }

    fn carry_out(&mut self, effect: Effect) -> Option<Reply> {
        match effect {
            Effect::Copy(text) => self.copied = Some(text),
            Effect::EditText(_) => {
                return Some(Reply::TextEdited(Err("an editor needs a terminal".to_owned())));
            }
            Effect::RunOwn(run) => {
                return Some(Reply::OwnEnded(Err(format!("{}: it needs a terminal", run.name))));
            }
            Effect::OpenContext(name) => {
                let opened = self.session.opener()?.open(&name).map(SourceHandle);
                return Some(Reply::ContextOpened(name, opened));
            }
            Effect::AskContext(name) => {
                let answer = self.session.opener()?.ask(&name);
                return Some(Reply::ContextAnswered(name, answer));
            }
            Effect::Work(work) => return workers::perform(work),
            effect if self.effects.iter().any(|known| discriminant(known) == discriminant(&effect)) => {}
            effect => self.effects.push(effect),
        }
        None
    }

    /// Runs a line of linear mode.
    pub fn enter(&mut self, reader: &mut Reader, line: &str) -> Vec<String> {
        let received = reader.enter(self.state(), line);
        let mut lines = received.lines;
        for step in received.steps {
            self.step(Incoming::Step(step));
        }
        self.settle();
        self.look();
        for _ in 0..CLOSES {
            let (reported, steps) = reader.report(self.session.state(), received.then);
            lines.extend(reported);
            if steps.is_empty() {
                break;
            }
            for step in steps {
                self.step(Incoming::Step(step));
            }
        }
        lines
    }

    fn look(&mut self) {
        for _ in 0..CLOSES {
            let Some(due) = self.session.next_wake().filter(|_| self.session.is_busy()) else { return };
            self.now = self.now.max(due);
            self.refresh();
        }
    }

    /// The last text copied to the clipboard.
    pub fn copied(&self) -> Option<&str> {
        self.copied.as_deref()
    }

    /// Applies a mouse action.
    pub fn mouse(&mut self, mouse: Mouse) -> &mut Self {
        self.step(Incoming::Input(Input::Mouse(mouse)))
    }

    /// Pastes text as a terminal does: in one piece.
    pub fn paste(&mut self, text: &str) -> &mut Self {
        self.step(Incoming::Input(Input::Paste(text.to_owned())))
    }

    /// Presses keys, for example `/eng<ret>jd<C-c>`.
    ///
    /// # Errors
    /// The part that is not a key; then no key is pressed.
    pub fn keys(&mut self, keys: &str) -> Result<&mut Self, String> {
        for key in Key::parse_all(keys)? {
            self.key(key);
        }
        Ok(self)
    }

    /// Types text, character by character.
    pub fn type_text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.key(Key::plain(crate::state::key::Code::Char(c)));
        }
        self
    }

    /// Resizes the terminal.
    pub fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        self.size = Size { width, height };
        self.step(Incoming::Input(Input::Size(self.size)))
    }

    /// Takes the newest view and the available replies.
    pub fn refresh(&mut self) -> &mut Self {
        self.step(Incoming::Refresh)
    }

    /// Waits for all answers, at most a minute.
    pub fn settle(&mut self) -> &mut Self {
        while self.session.waits() && self.replied.recv_timeout(PATIENCE).is_ok() {
            self.step(Incoming::Replies);
        }
        self
    }

    /// Advances the console's clock, and takes the newest view.
    pub fn advance(&mut self, by: Duration) -> &mut Self {
        self.now += by;
        self.refresh()
    }

    /// Takes the terminal effects since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether to quit, since the last call of this or [`Driver::take_effects`].
    pub fn quits(&mut self) -> bool {
        self.take_effects().iter().any(|effect| matches!(effect, Effect::Quit))
    }

    /// When the console needs the next refresh.
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

    /// The position of the text cursor, if any.
    pub fn cursor(&self) -> Option<Position> {
        self.paint().1
    }

    /// The screen and the text cursor.
    pub fn paint(&self) -> (Buffer, Option<Position>) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.width, self.size.height));
        let cursor = self.session.paint(&mut buffer);
        (buffer, cursor)
    }

    /// The lines of the screen without trailing blanks.
    pub fn lines(&self) -> Vec<String> {
        let buffer = self.buffer();
        let line = |y: u16| {
            let mut text = String::new();
            let mut x = 0;
            while x < self.size.width {
                let symbol = buffer[(x, y)].symbol();
                text.push_str(symbol);
                // A wide symbol covers the next cell.
                x += u16::try_from(crate::present::text::width(symbol)).unwrap_or(1).max(1);
            }
            text.trim_end().to_owned()
        };
        (0..self.size.height).map(line).collect()
    }

    /// The screen as text.
    pub fn screen_text(&self) -> String {
        self.lines().join("\n")
    }

    /// The first line with a text, and its number.
    pub fn find_row(&self, text: &str) -> Option<(usize, String)> {
        self.lines().into_iter().enumerate().find(|(_, line)| line.contains(text))
    }
}
