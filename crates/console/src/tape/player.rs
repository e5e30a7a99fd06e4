//! Plays the steps of a tape.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Position;

use super::announced::Listener;
use super::file::{Act, Head, Pattern, Tape, Where};
use super::linear::Lines;
use super::rig::Rig;
use super::screen::Screen;
use super::snapshot::{Image, Shot};
use super::stage::{Limits, Stage};
use super::svg;
use super::watch::Shower;
use crate::input::terminal_events::Mouse;
use crate::shell::settings::StartPage;
use crate::state::key::{Code, Key};
use crate::theme::Depth;
use crate::{Driver, Options, Personal, Simulator};
use config::Place;
use engine::Progress;
use source::Source;

const SLICE: Duration = Duration::from_millis(100);
const SETTLE_SLICE: Duration = Duration::from_millis(10);
const SETTLE_LIMIT: Duration = Duration::from_secs(5);
/// Drawing is slower than advancing the time.
const WAIT_SLICE: Duration = Duration::from_millis(500);
/// How long other inputs than keys are shown.
const KEEP: Duration = Duration::from_millis(300);
/// Cycles and commands between checks of the limit.
const WORK_SLICE: usize = 4096;

/// The violated rule.
///
/// | code | what |
/// |---|---|
/// | TAPE-020 | an `Expect` or `Refute` that is not met |
/// | TAPE-021 | a limit of time, keys, or work |
/// | TAPE-022 | a screen that does not become stable |
/// | TAPE-023 | the console has quit, or has not |
/// | TAPE-024 | a message that no step expects |
/// | TAPE-025 | an awaited text does not appear |
/// | TAPE-026 | the server cannot be started |
/// | TAPE-027 | linear mode does not contain an expected text, or contains drawing |
pub(super) enum BrokenRule {
    Rule(&'static str, String),
    /// The watcher stopped the play.
    Stopped,
}

fn broken(code: &'static str, what: impl Into<String>) -> BrokenRule {
    BrokenRule::Rule(code, what.into())
}

pub(super) struct Player<'t, 'w> {
    head: &'t Head,
    rig: Box<dyn Rig>,
    driver: Driver,
    simulator: Option<Simulator>,
    size: (u16, u16),
    pub now: Duration,
    pub at: Place,
    ended: bool,
    presses: usize,
    work: usize,
    limits: Limits,
    depth: Depth,
    title: String,
    copied: String,
    listener: Listener,
    shower: Shower<'w>,
    pub shots: Vec<Shot>,
    pub images: Vec<Image>,
    pub lines: Lines,
}

impl<'t, 'w> Player<'t, 'w> {
    pub fn new(tape: &'t Tape, rig: Box<dyn Rig>, stage: Stage<'w>) -> Self {
        let head = &tape.head;
        let Stage { limits, watch, depth, title, simulator, linear, .. } = stage;
        let depth = depth.unwrap_or(head.depth);
        let captions = tape.steps.iter().any(|step| matches!(step.act, Act::Say(_)));
        Self {
            head,
            driver: driver(head, depth, rig.source(), simulator.clone()),
            simulator,
            rig,
            size: (head.width, head.height),
            now: Duration::ZERO,
            at: head.at,
            ended: false,
            presses: limits.presses,
            work: limits.work,
            limits,
            depth,
            title,
            copied: String::new(),
            listener: Listener::default(),
            shower: Shower::new(watch, head.pace, captions),
            shots: Vec::new(),
            images: Vec::new(),
            lines: Lines::new(linear),
        }
    }

    /// Opens the console after the work that is due at the start.
    pub fn start(&mut self) -> Result<(), BrokenRule> {
        self.step(Duration::ZERO)?;
        self.driver = driver(self.head, self.depth, self.rig.source(), self.simulator.clone());
        self.follow_source();
        // Messages before the first key need no expectation.
        self.listener.listen(self.driver.state(), self.at);
        self.listener.expect_all();
        Ok(())
    }

    pub fn act(&mut self, act: &Act) -> Result<(), BrokenRule> {
        match act {
            Act::Ended if self.ended => return Ok(()),
            Act::Ended => return Err(broken("TAPE-023", "the console has not quit")),
            Act::Say(_) | Act::Shown(_) => {}
            _ if self.ended => return Err(broken("TAPE-023", "the console has already quit")),
            _ => {}
        }
        match act {
            Act::Press { key, count, pause } => {
                (0..*count).try_for_each(|nth| self.press(*key, *pause, nth, false))?;
            }
            Act::Type { text, pause } => {
                text.chars().try_for_each(|c| self.press(Key::plain(Code::Char(c)), *pause, 0, true))?;
            }
            Act::Copy(text) => text.clone_into(&mut self.copied),
            Act::Paste => {
                self.before_input()?;
                let text = std::mem::take(&mut self.copied);
                self.driver.paste(&text);
                self.copied = text;
                self.after_input("paste", false, 0)?;
            }
            Act::Click(column, line) => {
                self.before_input()?;
                self.driver.mouse(Mouse::Click(Position { x: column - 1, y: line - 1 }));
                self.after_input("click", false, 0)?;
            }
            Act::Wheel(turns) => {
                self.before_input()?;
                self.driver.mouse(Mouse::Wheel(isize::from(*turns)));
                self.after_input("wheel", false, 0)?;
            }
            Act::Pass { time, fast } => self.pass(*time, *fast)?,
            Act::Settle => self.settle()?,
            Act::Wait(place, pattern, limit) => self.wait(*place, pattern, *limit)?,
            Act::Width(width) => self.resize(*width, self.size.1)?,
            Act::Height(height) => self.resize(self.size.0, *height)?,
            Act::Expect(pattern, drawn) => self.expect(pattern, *drawn)?,
            Act::Refute(pattern) => self.refute(pattern)?,
            Act::Snapshot(name) => {
                self.shots.push(Shot { name: name.clone(), at: self.at, screen: self.screen() });
                self.listener.expect_all();
                self.lines.keep(self.driver.state(), name, self.at);
            }
            Act::Screenshot(file) => self.image(file),
            Act::Say(words) => {
                let stays = self.shower.announce(words);
                self.show(stays)?;
            }
            Act::Shown(shown) => self.shower.shown(*shown),
            Act::Server { there } => self.rig.server(*there).map_err(|why| broken("TAPE-026", why))?,
            Act::Ended => {}
        }
        Ok(())
    }

    fn image(&mut self, file: &str) {
        let screen = self.screen();
        let text = match file.ends_with(".svg") {
            true => svg::draw(&screen, &self.title),
            false => screen.lines().join("\n") + "\n",
        };
        self.images.push(Image { file: file.to_owned(), at: self.at, text });
    }

    fn before_input(&mut self) -> Result<(), BrokenRule> {
        if let Some(received) = self.listener.unexpected() {
            let what = format!("unexpected message {:?} before the next key", received.text);
            return Err(broken("TAPE-024", what));
        }
        let more = || broken("TAPE-021", format!("more than {} keys are pressed", self.limits.presses));
        self.presses = self.presses.checked_sub(1).ok_or_else(more)?;
        Ok(())
    }

    fn after_input(&mut self, name: &str, typed: bool, nth: u32) -> Result<(), BrokenRule> {
        self.driver.refresh();
        self.follow_source();
        self.ended = self.driver.quits();
        self.listener.listen(self.driver.state(), self.at);
        self.lines.look(self.driver.state()).map_err(|why| broken("TAPE-027", why))?;
        let stays = self.shower.pressed(name, typed, nth);
        self.show(stays)
    }

    /// Stores the lines, and checks the expected texts.
    pub fn all_reported(&mut self) -> Result<(), (Place, BrokenRule)> {
        self.lines.keep(self.driver.state(), "the end", self.at);
        self.lines.all_reported().map_err(|(at, why)| (at, broken("TAPE-027", why)))
    }

    pub fn all_expected(&self) -> Result<(), (Place, BrokenRule)> {
        match self.listener.unexpected() {
            None => Ok(()),
            Some(received) => {
                let what = format!("unexpected message {:?}", received.text);
                Err((received.at, broken("TAPE-024", what)))
            }
        }
    }

    fn show(&mut self, stays: Duration) -> Result<(), BrokenRule> {
        if !self.shower.is_watched() {
            return Ok(());
        }
        let screen = self.screen();
        match self.shower.show(&screen, stays) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(BrokenRule::Stopped),
        }
    }

    fn press(&mut self, key: Key, pause: Duration, nth: u32, typed: bool) -> Result<(), BrokenRule> {
        if self.ended {
            return Err(broken("TAPE-023", format!("the console has quit before the key {key}")));
        }
        self.before_input()?;
        self.driver.key(key);
        self.after_input(&key.to_string(), typed, nth)?;
        if pause.is_zero() || self.ended { Ok(()) } else { self.pass(pause, false) }
    }

    fn pass(&mut self, time: Duration, fast: bool) -> Result<(), BrokenRule> {
        let mut left = time;
        while !left.is_zero() {
            let slice = left.min(SLICE);
            self.step(slice)?;
            left -= slice;
            self.show(Shower::slice(slice, time, fast))?;
        }
        Ok(())
    }

    fn follow_source(&mut self) {
        while self.rig.settle() {
            self.driver.refresh();
        }
    }

    fn step(&mut self, by: Duration) -> Result<(), BrokenRule> {
        if self.now + by > self.limits.time {
            return Err(broken("TAPE-021", format!("more than {:?} of virtual time passed", self.limits.time)));
        }
        let until = self.rig.now() + by;
        while self.rig.advance_until(until, WORK_SLICE.min(self.work)) == Progress::Busy {
            self.work = self.work.saturating_sub(WORK_SLICE);
            if self.work == 0 {
                let limit = self.limits.work;
                let message = format!("the scheduler is still busy after {limit} cycles and commands");
                return Err(broken("TAPE-021", message));
            }
        }
        self.now += by;
        self.rig.pass(by);
        self.driver.advance(by);
        self.follow_source();
        self.listener.listen(self.driver.state(), self.at);
        Ok(())
    }

    fn settle(&mut self) -> Result<(), BrokenRule> {
        let since = self.now;
        let mut before = self.screen();
        while self.now - since < SETTLE_LIMIT {
            self.step(SETTLE_SLICE)?;
            let after = self.screen();
            if after == before {
                return self.show(KEEP);
            }
            before = after;
        }
        Err(broken("TAPE-022", format!("the screen still changes after {SETTLE_LIMIT:?}")))
    }

    fn wait(&mut self, place: Where, pattern: &Pattern, limit: Duration) -> Result<(), BrokenRule> {
        let since = self.now;
        loop {
            let screen = self.screen();
            let lines = screen.lines();
            let searched = match (place, screen.cursor()) {
                (Where::Screen, _) => &lines[..],
                (Where::Line, Some(cursor)) => {
                    lines.get(usize::from(cursor.y)..=usize::from(cursor.y)).unwrap_or_default()
                }
                (Where::Line, None) => lines.last().map(std::slice::from_ref).unwrap_or_default(),
            };
            if searched.iter().any(|line| pattern.is_in(line)) {
                self.listener.expect(&lines, |line| pattern.is_in(line));
                if place == Where::Screen {
                    self.lines.expect(self.driver.state(), pattern, self.at);
                }
                return Ok(());
            }
            if self.now - since >= limit {
                return Err(broken("TAPE-025", format!("{pattern} did not appear within {limit:?} of virtual time")));
            }
            let mut left = WAIT_SLICE.min(limit - (self.now - since));
            while !left.is_zero() {
                let slice = left.min(SLICE);
                self.step(slice)?;
                self.show(slice)?;
                left -= slice;
            }
        }
    }

    fn resize(&mut self, width: u16, height: u16) -> Result<(), BrokenRule> {
        self.size = (width, height);
        self.driver.resize(width, height).refresh();
        self.show(KEEP)
    }

    fn expect(&mut self, pattern: &Pattern, drawn: bool) -> Result<(), BrokenRule> {
        let lines = self.screen().lines();
        if !lines.iter().any(|line| pattern.is_in(line)) {
            return Err(broken("TAPE-020", format!("no line of the screen contains {pattern}")));
        }
        self.listener.expect(&lines, |line| pattern.is_in(line));
        if !drawn {
            self.lines.expect(self.driver.state(), pattern, self.at);
        }
        Ok(())
    }

    fn refute(&self, pattern: &Pattern) -> Result<(), BrokenRule> {
        match self.line_with(pattern) {
            None => Ok(()),
            Some(line) => Err(broken("TAPE-020", format!("line {} of the screen contains {pattern}", line + 1))),
        }
    }

    fn line_with(&self, pattern: &Pattern) -> Option<usize> {
        self.screen().lines().iter().position(|line| pattern.is_in(line))
    }

    pub fn screen(&self) -> Screen {
        let (buffer, cursor) = self.driver.paint();
        Screen::new(buffer, cursor)
    }
}

fn driver(head: &Head, depth: Depth, source: Arc<dyn Source>, simulator: Option<Simulator>) -> Driver {
    let options = Options { theme: head.theme.clone(), depth, ascii: head.ascii, ..Options::default() };
    let mut driver = Driver::new(source, options, head.width, head.height);
    let start = if head.dashboard { StartPage::Cluster } else { StartPage::Queues };
    driver.personalize(Personal { simulator, start, ..Personal::default() });
    driver
}
