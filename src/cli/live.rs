//! `kornsole play --live`: a tape at a readable speed. Only frames wait, because time is virtual.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::play::{Mode, Problem, play_watched, read_file};
use super::sayings::Looks;
use console::shell::terminal;
use console::shell::terminal::Screen;
use console::tape::file::Act;
use console::tape::watch::{CAPTION, Frame, Watch};
use console::tape::{PlayResult, Tape};
use console::theme::Depth;

const END: Duration = Duration::from_secs(2);
/// The interval of checks for a signal while waiting for a key.
const LOOK: Duration = Duration::from_millis(100);

/// Fails without a terminal of the tape's size, or as [`super::play::play_file`].
pub fn play(tape: &Path, mode: Mode, server: Option<&str>, depth: Depth) -> Result<PlayResult, Problem> {
    let wrong = |message: String| Problem { code: 2, message };
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err(wrong("cannot play live: no terminal; use --cast FILE".to_owned()));
    }
    let needed = size(&read_file(tape)?.0);
    let here =
        crossterm::terminal::size().map_err(|error| wrong(format!("cannot read the size of the terminal: {error}")))?;
    if here.0 < needed.0 || here.1 < needed.1 {
        let (tape, (width, height)) = (tape.display(), needed);
        let message = format!("{tape} needs {width}x{height}, this terminal has {}x{}: enlarge it", here.0, here.1);
        return Err(wrong(message));
    }
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGHUP, SIGINT] {
        let report = signal_hook::flag::register(signal, Arc::clone(&ended));
        report.map_err(|error| wrong(format!("cannot receive signals: {error}")))?;
    }
    crossterm::style::force_color_output(true);
    let screen = Screen::take().map_err(|error| wrong(format!("cannot use the terminal: {error}")))?;
    let mut live = Live { screen, ended, factor: 1.0, last: None };
    let played = play_watched(tape, mode, server, Some(&mut live), Looks { depth: Some(depth), linear: false });
    if played.as_ref().is_ok_and(|played| !played.stopped) {
        let _ = live.stay(END);
    }
    drop(live);
    played
}

fn size(tape: &Tape) -> (u16, u16) {
    let (mut width, mut height, mut words) = (tape.head.width, tape.head.height, 0);
    for step in &tape.steps {
        match &step.act {
            Act::Width(wide) => width = width.max(*wide),
            Act::Height(tall) => height = height.max(*tall),
            Act::Say(_) => words = CAPTION,
            _ => {}
        }
    }
    (width, height + words)
}

struct Live {
    screen: Screen,
    ended: Arc<AtomicBool>,
    factor: f64,
    last: Option<Frame>,
}

impl Watch for Live {
    fn show(&mut self, frame: &Frame, stays: Duration) -> ControlFlow<()> {
        if self.last.as_ref() != Some(frame) {
            if self.draw(frame).is_err() {
                return ControlFlow::Break(());
            }
            self.last = Some(frame.clone());
        }
        self.stay(stays)
    }
}

impl Live {
    fn draw(&mut self, frame: &Frame) -> io::Result<()> {
        self.screen.draw(|terminal| {
            let cursor = copy(&frame.buffer, terminal.buffer_mut(), frame.cursor);
            if let Some(cursor) = cursor {
                terminal.set_cursor_position(cursor);
            }
        })
    }

    fn stay(&mut self, stays: Duration) -> ControlFlow<()> {
        let mut left = stays.div_f64(self.factor);
        let mut paused = false;
        loop {
            if self.ended.load(Ordering::Relaxed) || !terminal::taken() {
                return ControlFlow::Break(());
            }
            if left.is_zero() && !paused {
                return ControlFlow::Continue(());
            }
            let start = Instant::now();
            let arrived = poll(if paused { LOOK } else { LOOK.min(left) });
            if !paused {
                left = left.saturating_sub(start.elapsed());
            }
            let event = match arrived {
                Ok(false) => continue,
                Ok(true) => read(),
                Err(error) => Err(error),
            };
            match event {
                Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => match answer(key) {
                    Answer::End => return ControlFlow::Break(()),
                    Answer::Hold => paused = !paused,
                    Answer::Pace(by) => self.factor = (self.factor * by).clamp(0.1, 20.0),
                    Answer::Nothing => {}
                },
                Ok(Event::Resize(..)) => {
                    if let Some(frame) = self.last.clone() {
                        let _ = self.draw(&frame);
                    }
                }
                Ok(_) => {}
                Err(_) => return ControlFlow::Break(()),
            }
        }
    }
}

enum Answer {
    End,
    Hold,
    Pace(f64),
    Nothing,
}

fn answer(key: KeyEvent) -> Answer {
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c' | 'C') if ctrl => Answer::End,
        KeyCode::Char('q') | KeyCode::Esc => Answer::End,
        KeyCode::Char(' ') => Answer::Hold,
        KeyCode::Char('+' | '=') => Answer::Pace(1.5),
        KeyCode::Char('-') => Answer::Pace(1.0 / 1.5),
        _ => Answer::Nothing,
    }
}

fn copy(from: &Buffer, to: &mut Buffer, cursor: Option<Position>) -> Option<Position> {
    let (size, space) = (from.area, to.area);
    let (left, top) = (space.width.saturating_sub(size.width) / 2, space.height.saturating_sub(size.height) / 2);
    let area = Rect::new(0, 0, size.width.min(space.width), size.height.min(space.height));
    for y in 0..area.height {
        for x in 0..area.width {
            to[(x + left, y + top)] = from[(x, y)].clone();
        }
    }
    let cursor = cursor.filter(|at| area.contains(*at))?;
    Some(Position { x: cursor.x + left, y: cursor.y + top })
}
