//! Writes an asciicast, version 2: a JSON header, then the changed cells of each frame. The same tape gives the same
//! bytes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::terminal::{Clear, ClearType};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use serde_json::json;

use super::watch::{Frame, Watch};

/// Collects the frames of a tape.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    title: String,
    first: Option<(u16, u16)>,
    last: Option<Frame>,
    at: Duration,
    lines: String,
}

impl Cast {
    /// A cast with a title.
    pub fn new(title: &str) -> Self {
        // It concerns this terminal, not the players.
        crossterm::style::force_color_output(true);
        Self { title: title.to_owned(), ..Self::default() }
    }

    /// The file, without a frame if nothing was shown.
    pub fn text(&self) -> String {
        let (width, height) = self.first.unwrap_or((80, 24));
        let env = json!({ "TERM": "xterm-256color" });
        let about = json!({ "version": 2, "width": width, "height": height, "title": self.title, "env": env });
        let end = self.first.map_or_else(String::new, |_| self.line('o', ""));
        format!("{about}\n{}{end}", self.lines)
    }

    fn line(&self, kind: char, data: &str) -> String {
        let seconds = self.at.as_secs_f64();
        format!("[{seconds:.3}, \"{kind}\", {}]\n", json!(data))
    }

    fn add(&mut self, kind: char, data: &str) {
        let line = self.line(kind, data);
        self.lines += &line;
    }
}

impl Watch for Cast {
    fn show(&mut self, frame: &Frame, stays: Duration) -> ControlFlow<()> {
        if self.last.as_ref() != Some(frame) {
            let area = frame.buffer.area;
            let size = (area.width, area.height);
            self.first.get_or_insert(size);
            let before = self.last.as_ref().map(|last| last.buffer.area);
            if before.is_some_and(|before| before != area) {
                let (width, height) = size;
                let mut message = String::new();
                let _ = write!(message, "{width}x{height}");
                self.add('r', &message);
            }
            let data = drawn(self.last.as_ref().filter(|last| last.buffer.area == area), frame);
            self.add('o', &data);
            self.last = Some(frame.clone());
        }
        self.at += stays;
        ControlFlow::Continue(())
    }
}

fn drawn(last: Option<&Frame>, next: &Frame) -> String {
    let mut bytes = Vec::new();
    let blank = Buffer::empty(next.buffer.area);
    if last.is_none() {
        let _ = queue!(bytes, Hide, Clear(ClearType::All));
    }
    let before = last.map_or(&blank, |last| &last.buffer);
    let changed = before.diff(&next.buffer);
    if !changed.is_empty() {
        let _ = CrosstermBackend::new(&mut bytes).draw(changed.into_iter());
    }
    match next.cursor {
        Some(at) => {
            let _ = queue!(bytes, MoveTo(at.x, at.y), Show);
        }
        None if last.is_some_and(|last| last.cursor.is_some()) => {
            let _ = queue!(bytes, Hide);
        }
        None => {}
    }
    let _ = bytes.flush();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use ratatui::layout::{Position, Rect};
    use ratatui::style::{Color, Style};

    use super::*;

    fn frame(width: u16, text: &str, cursor: Option<Position>) -> Frame {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 1));
        buffer.set_string(0, 0, text, Style::new().fg(Color::Indexed(110)));
        Frame { buffer, cursor }
    }

    #[test]
    fn only_what_changed_is_written_and_frames_keep_their_time() {
        let mut cast = Cast::new("a \"title\"");
        let _ = cast.show(&frame(6, "one", None), Duration::from_millis(500));
        let _ = cast.show(&frame(6, "one", None), Duration::from_millis(500));
        let _ = cast.show(&frame(6, "ond", Some(Position { x: 3, y: 0 })), Duration::from_millis(250));
        let _ = cast.show(&frame(8, "wider", None), Duration::from_secs(1));
        insta::assert_snapshot!(cast.text());
    }

    #[test]
    fn each_line_is_json() {
        let mut cast = Cast::new("東");
        let _ = cast.show(&frame(6, "東é", None), Duration::from_millis(500));
        for line in cast.text().lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
        assert_eq!(Cast::new("").text().lines().count(), 1);
    }
}
