//! Terminal output: few bytes for a cursor move, none without a change.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use console::Options;
use console::shell::session::Session;
use console::state::key::Key;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::fixture::{self, Scene};

/// Maximum output for a cursor move, in bytes.
const MOST: usize = 4096;

#[derive(Clone, Default)]
struct Wire(Arc<Mutex<usize>>);

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.0.lock().unwrap() += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Line {
    session: Session,
    terminal: Terminal<CrosstermBackend<Wire>>,
    wire: Wire,
}

impl Line {
    fn new(width: u16, height: u16) -> Self {
        let session =
            Session::new(Scene::new(fixture::tenants().build()) as _, Options::default(), Size { width, height });
        let wire = Wire::default();
        let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
        let backend = CrosstermBackend::new(wire.clone());
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
        let mut line = Self { session, terminal, wire };
        line.sent();
        line
    }

    fn sent(&mut self) -> usize {
        self.terminal.draw(|frame| self.session.draw(frame)).unwrap();
        std::mem::take(&mut self.wire.0.lock().unwrap())
    }

    fn press(&mut self, keys: &str) -> usize {
        for key in Key::parse_all(keys).unwrap() {
            self.session.key(key, Duration::ZERO);
        }
        self.sent()
    }
}

#[test]
fn a_move_of_the_cursor_is_little_on_every_page_at_every_size() {
    crossterm::style::force_color_output(true);
    for (width, height) in [(40, 12), (80, 24), (120, 40), (200, 60)] {
        for page in ["1", "2", "2<ret>", "3", "3m", "3<ret>", "4", "4<ret>", "5", "6", "7"] {
            let mut line = Line::new(width, height);
            line.press(page);
            for key in ["j", "j", "k", "<down>"] {
                let sent = line.press(key);
                assert!(sent < MOST, "{sent} bytes for {key} on {page} at {width}x{height}");
            }
            assert!(line.sent() < 32, "a frame like the one before says nothing new");
        }
    }
}
