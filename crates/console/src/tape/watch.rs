//! Presents a tape to a viewer.

use std::ops::ControlFlow;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::file::Pace;
use super::screen::Screen;
use crate::present::text;

/// Someone who looks on.
pub trait Watch {
    /// May stop the play.
    fn show(&mut self, frame: &Frame, stays: Duration) -> ControlFlow<()>;
}

/// The screen, the caption, and the last keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// All cells of the screen.
    pub buffer: Buffer,
    /// The position of the text cursor.
    pub cursor: Option<Position>,
}

/// For keys other than characters: the first, and later ones of a run.
const KEY: Duration = Duration::from_millis(550);
const KEY_AGAIN: Duration = Duration::from_millis(140);
const FAST: Duration = Duration::from_millis(1500);
const FLOOR: Duration = Duration::from_millis(40);
/// Fixed, and per character.
const READ: Duration = Duration::from_millis(900);
const READ_EACH: Duration = Duration::from_millis(38);

/// The caption lines, if the tape has captions.
pub const CAPTION: u16 = 2;

/// Controls the speed of the presentation.
pub struct Shower<'w> {
    watch: Option<&'w mut dyn Watch>,
    pace: Pace,
    hidden: bool,
    captions: bool,
    words: String,
    keys: String,
    typing: bool,
    owed: Duration,
    last: Option<Frame>,
}

impl<'w> Shower<'w> {
    /// Adds caption lines if needed.
    pub fn new(watch: Option<&'w mut dyn Watch>, pace: Pace, captions: bool) -> Self {
        let (words, keys) = (String::new(), String::new());
        Self { watch, pace, hidden: false, captions, words, keys, typing: false, owed: Duration::ZERO, last: None }
    }

    /// Whether a viewer exists.
    pub fn is_watched(&self) -> bool {
        self.watch.is_some() && !self.hidden
    }

    /// Shows or hides the following steps.
    pub fn shown(&mut self, shown: bool) {
        self.hidden = !shown;
    }

    /// Sets the caption; returns its reading time.
    pub fn announce(&mut self, words: &str) -> Duration {
        words.clone_into(&mut self.words);
        self.keys.clear();
        let length = u32::try_from(words.chars().count()).unwrap_or(u32::MAX).min(400);
        if words.is_empty() { Duration::ZERO } else { READ + READ_EACH * length }
    }

    /// Returns how long the key is shown.
    pub fn pressed(&mut self, name: &str, typed: bool, nth: u32) -> Duration {
        let joins = std::mem::replace(&mut self.typing, typed) && typed;
        let name = if typed && name == "space" { " " } else { name };
        let again =
            self.keys.rsplit("  ").next().is_some_and(|last| last == name || last.starts_with(&format!("{name} ×")));
        match (again, nth) {
            (true, 1..) => {
                let end = self.keys.rfind("  ").map_or(0, |end| end + 2);
                self.keys.truncate(end);
                self.keys += &format!("{name} ×{}", nth + 1);
            }
            _ if self.keys.is_empty() => name.clone_into(&mut self.keys),
            _ if joins => self.keys += name,
            _ => {
                self.keys += "  ";
                self.keys += name;
            }
        }
        let most = 24;
        let length = self.keys.chars().count();
        if length > most {
            self.keys = self.keys.chars().skip(length - most).collect();
        }
        match (typed, nth) {
            (true, _) => self.pace.typing,
            (false, 0) => KEY,
            (false, _) => KEY_AGAIN,
        }
    }

    /// The presentation time of a slice.
    pub fn slice(slice: Duration, all: Duration, fast: bool) -> Duration {
        if !fast || all <= FAST || all.is_zero() {
            return slice;
        }
        slice.mul_f64(FAST.as_secs_f64() / all.as_secs_f64())
    }

    /// Breaks if the viewer stops.
    pub fn show(&mut self, screen: &Screen, stays: Duration) -> ControlFlow<()> {
        let hidden = self.hidden;
        let stays = stays.div_f64(self.pace.playback);
        let frame = self.frame(screen);
        let Some(watch) = self.watch.as_mut().filter(|_| !hidden) else { return ControlFlow::Continue(()) };
        self.owed += stays;
        if self.owed < FLOOR {
            return ControlFlow::Continue(());
        }
        let stays = std::mem::take(&mut self.owed);
        self.last = Some(frame);
        self.last.as_ref().map_or(ControlFlow::Continue(()), |frame| watch.show(frame, stays))
    }

    fn frame(&self, screen: &Screen) -> Frame {
        let cells = screen.buffer();
        let cursor = screen.cursor();
        if !self.captions {
            return Frame { buffer: cells.clone(), cursor };
        }
        let area = *cells.area();
        let mut buffer = Buffer::empty(Rect { height: area.height + CAPTION, ..area });
        buffer.content[..cells.content.len()].clone_from_slice(&cells.content);
        let line = area.bottom() + 1;
        let keys = text::width(&self.keys).min(usize::from(area.width));
        let space = usize::from(area.width).saturating_sub(keys + 4);
        let words = text::cut(&self.words, space, "…");
        buffer.set_stringn(1, line, words, space, Style::new().add_modifier(Modifier::BOLD | Modifier::ITALIC));
        let right = area.width.saturating_sub(u16::try_from(keys).unwrap_or(u16::MAX) + 1);
        buffer.set_stringn(right, line, &self.keys, keys, Style::new().add_modifier(Modifier::DIM));
        Frame { buffer, cursor }
    }
}
