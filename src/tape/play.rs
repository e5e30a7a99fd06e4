//! Playing a tape: keys into a console without a terminal, on a scheduler whose time moves only when the tape says so.
//!
//! Keys take no time. `Advance` moves the clocks of scheduler and console together, in slices, so that the console sees on the way
//! what a person would have seen. Who looks on ([`super::watch`]) changes nothing of that.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Position;

use super::file::{Act, Head, Pattern, Tape, Where};
use super::heard::Ear;
use super::rig::Rig;
use super::screen::Screen;
use super::snapshot::{Picture, Shot};
use super::svg;
use super::watch::{Shower, Watch};
use crate::config::Place;
use crate::console::input::key::{Code, Key};
use crate::console::theme::Depth;
use crate::console::update::action::Mouse;
use crate::console::{Driver, Options};
use crate::engine::{Core, Progress};
use crate::source::{About, Source, Stepped};

/// How far the clocks go before the console looks again.
const SLICE: Duration = Duration::from_millis(100);
/// How far the clocks go before `Settle` looks again.
const SETTLE_SLICE: Duration = Duration::from_millis(10);
/// How long `Settle` waits for a screen that stands still.
const SETTLE_LIMIT: Duration = Duration::from_secs(5);
/// How far the clocks go before `Wait` looks again: to draw the screen costs more than to let time go by.
const WAIT_SLICE: Duration = Duration::from_millis(500);
/// How long something is looked at that is no key.
const KEEP: Duration = Duration::from_millis(300);
/// After so many cycles and commands the budget is looked at again.
const WORK_SLICE: usize = 4096;

/// What a tape may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Virtual time from the beginning to the end.
    pub time: Duration,
    /// Keys pressed, characters typed.
    pub presses: usize,
    /// Cycles and commands of the scheduler.
    pub work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(3600), presses: 100_000, work: 5_000_000 }
    }
}

/// Why a tape did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The step that failed.
    pub at: Place,
    /// Which rule of a tape it broke, as `TAPE-020`.
    pub code: &'static str,
    /// What was wanted and not so.
    pub what: String,
    /// The screen at that moment.
    pub screen: Screen,
    /// The virtual time at that moment.
    pub time: Duration,
}

/// What came of playing a tape.
#[derive(Clone, Debug)]
pub struct Played {
    /// The step that failed; after it nothing was played.
    pub failure: Option<Failure>,
    /// Whoever looked on wanted no more.
    pub stopped: bool,
    /// The screens that were kept.
    pub shots: Vec<Shot>,
    /// The pictures that were made.
    pub pictures: Vec<Picture>,
    /// The last screen.
    pub screen: Screen,
    /// The virtual time that went by.
    pub time: Duration,
}

/// How a tape is played, besides what it says itself.
#[derive(Default)]
pub struct Stage<'w> {
    /// What it may use up.
    pub limits: Limits,
    /// Who looks on.
    pub watch: Option<&'w mut dyn Watch>,
    /// How many colours whoever looks on can see; otherwise as the tape says.
    pub depth: Option<Depth>,
    /// The name of the pictures.
    pub title: String,
}

/// Plays a tape on a scheduler that its head asks for, in this process.
pub fn play(tape: &Tape, core: Core, about: About, stage: Stage<'_>) -> Played {
    let source = Arc::new(Stepped::unstarted(core, about, tape.head.actor()));
    play_on(tape, Box::new(source), stage)
}

/// The same on a scheduler and what lies between it and the console.
pub fn play_on(tape: &Tape, rig: Box<dyn Rig>, stage: Stage<'_>) -> Played {
    let mut player = Player::new(tape, rig, stage);
    let failed = player.start().map_err(|broken| (tape.head.at, broken)).and_then(|()| {
        tape.steps.iter().try_for_each(|step| {
            player.at = step.at;
            player.act(&step.act).map_err(|broken| (step.at, broken))
        })
    });
    let failed = failed.and_then(|()| player.all_expected());
    let (screen, time) = (player.screen(), player.now);
    let stopped = matches!(failed, Err((_, Broken::Stopped)));
    let failure = match failed {
        Err((at, Broken::Rule(code, what))) => Some(Failure { at, code, what, screen: screen.clone(), time }),
        _ => None,
    };
    Played { failure, stopped, screen, time, shots: player.shots, pictures: player.pictures }
}

/// What a step did not keep, and the code of that.
///
/// | code | what |
/// |---|---|
/// | TAPE-020 | an `Expect` or `Refute` that is not so |
/// | TAPE-021 | a limit of time, keys or work |
/// | TAPE-022 | a screen that does not stand still |
/// | TAPE-023 | the console has quit, or has not |
/// | TAPE-024 | something was said that no step expects |
/// | TAPE-025 | what is waited for does not come |
/// | TAPE-026 | the server cannot be served |
enum Broken {
    Rule(&'static str, String),
    /// Whoever looks on wants no more.
    Stopped,
}

fn broken(code: &'static str, what: impl Into<String>) -> Broken {
    Broken::Rule(code, what.into())
}

struct Player<'t, 'w> {
    head: &'t Head,
    rig: Box<dyn Rig>,
    driver: Driver,
    size: (u16, u16),
    now: Duration,
    at: Place,
    ended: bool,
    presses: usize,
    work: usize,
    limits: Limits,
    depth: Depth,
    title: String,
    copied: String,
    ear: Ear,
    shower: Shower<'w>,
    shots: Vec<Shot>,
    pictures: Vec<Picture>,
}

impl<'t, 'w> Player<'t, 'w> {
    fn new(tape: &'t Tape, rig: Box<dyn Rig>, stage: Stage<'w>) -> Self {
        let head = &tape.head;
        let Stage { limits, watch, depth, title } = stage;
        let depth = depth.unwrap_or(head.depth);
        let captions = tape.steps.iter().any(|step| matches!(step.act, Act::Say(_)));
        Self {
            head,
            driver: driver(head, depth, rig.source()),
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
            ear: Ear::default(),
            shower: Shower::new(watch, head.pace, captions),
            shots: Vec::new(),
            pictures: Vec::new(),
        }
    }

    /// Has done what is due at the beginning; the console is opened on that.
    fn start(&mut self) -> Result<(), Broken> {
        self.step(Duration::ZERO)?;
        self.driver = driver(self.head, self.depth, self.rig.source());
        self.keep_up();
        // What it says before the first key is no answer to one.
        self.ear.listen(self.driver.state(), self.at);
        self.ear.expect_all();
        Ok(())
    }

    fn act(&mut self, act: &Act) -> Result<(), Broken> {
        match act {
            Act::Ended if self.ended => return Ok(()),
            Act::Ended => return Err(broken("TAPE-023", "the console has not quit")),
            Act::Say(_) | Act::Shown(_) => {}
            _ if self.ended => return Err(broken("TAPE-023", "the console has quit before this")),
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
            Act::Expect(pattern) => self.expect(pattern)?,
            Act::Refute(pattern) => self.refute(pattern)?,
            Act::Snapshot(name) => {
                self.shots.push(Shot { name: name.clone(), at: self.at, screen: self.screen() });
                self.ear.expect_all();
            }
            Act::Screenshot(file) => self.picture(file),
            Act::Say(words) => {
                let stays = self.shower.say(words);
                self.show(stays)?;
            }
            Act::Shown(shown) => self.shower.shown(*shown),
            Act::Server { there } => self.rig.server(*there).map_err(|why| broken("TAPE-026", why))?,
            Act::Ended => {}
        }
        Ok(())
    }

    fn picture(&mut self, file: &str) {
        let screen = self.screen();
        let text = match file.ends_with(".svg") {
            true => svg::draw(&screen, &self.title),
            false => screen.lines().join("\n") + "\n",
        };
        self.pictures.push(Picture { file: file.to_owned(), at: self.at, text });
    }

    /// Holds that everything that was said has been expected, and that there are keys left to press.
    fn before_input(&mut self) -> Result<(), Broken> {
        if let Some(heard) = self.ear.unexpected() {
            let what = format!("{:?} was said, and no step expects it before the next key", heard.text);
            return Err(broken("TAPE-024", what));
        }
        let more = || broken("TAPE-021", format!("more than {} keys are pressed", self.limits.presses));
        self.presses = self.presses.checked_sub(1).ok_or_else(more)?;
        Ok(())
    }

    fn after_input(&mut self, name: &str, typed: bool, nth: u32) -> Result<(), Broken> {
        self.driver.refresh();
        self.keep_up();
        self.ended = self.driver.take_effects().quit;
        self.ear.listen(self.driver.state(), self.at);
        let stays = self.shower.pressed(name, typed, nth);
        self.show(stays)
    }

    fn all_expected(&self) -> Result<(), (Place, Broken)> {
        match self.ear.unexpected() {
            None => Ok(()),
            Some(heard) => {
                let what = format!("{:?} was said, and no step expects it", heard.text);
                Err((heard.at, broken("TAPE-024", what)))
            }
        }
    }

    fn show(&mut self, stays: Duration) -> Result<(), Broken> {
        if !self.shower.is_watched() {
            return Ok(());
        }
        let screen = self.screen();
        match self.shower.show(&screen, stays) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Broken::Stopped),
        }
    }

    fn press(&mut self, key: Key, pause: Duration, nth: u32, typed: bool) -> Result<(), Broken> {
        if self.ended {
            return Err(broken("TAPE-023", format!("the console has quit before the key {key}")));
        }
        self.before_input()?;
        self.driver.key(key);
        self.after_input(&key.to_string(), typed, nth)?;
        if pause.is_zero() || self.ended { Ok(()) } else { self.pass(pause, false) }
    }

    /// Lets time go by on both clocks.
    fn pass(&mut self, time: Duration, fast: bool) -> Result<(), Broken> {
        let mut left = time;
        while !left.is_zero() {
            let slice = left.min(SLICE);
            self.step(slice)?;
            left -= slice;
            self.show(Shower::slice(slice, time, fast))?;
        }
        Ok(())
    }

    /// Lets the console see what came of what it wanted, until it wants no more.
    fn keep_up(&mut self) {
        while self.rig.settle() {
            self.driver.refresh();
        }
    }

    fn step(&mut self, by: Duration) -> Result<(), Broken> {
        if self.now + by > self.limits.time {
            return Err(broken("TAPE-021", format!("more than {:?} of virtual time go by", self.limits.time)));
        }
        let until = self.rig.now() + by;
        while self.rig.advance_until(until, WORK_SLICE.min(self.work)) == Progress::Busy {
            self.work = self.work.saturating_sub(WORK_SLICE);
            if self.work == 0 {
                let limit = self.limits.work;
                let told = format!("after {limit} cycles and commands the scheduler still has something to do");
                return Err(broken("TAPE-021", told));
            }
        }
        self.now += by;
        self.rig.pass(by);
        self.driver.advance(by);
        self.keep_up();
        self.ear.listen(self.driver.state(), self.at);
        Ok(())
    }

    /// Lets time go by until the screen does not change from one slice to the next.
    fn settle(&mut self) -> Result<(), Broken> {
        let begin = self.now;
        let mut before = self.screen();
        while self.now - begin < SETTLE_LIMIT {
            self.step(SETTLE_SLICE)?;
            let after = self.screen();
            if after == before {
                return self.show(KEEP);
            }
            before = after;
        }
        Err(broken("TAPE-022", format!("the screen still changes after {SETTLE_LIMIT:?}")))
    }

    /// Lets time go by until the screen holds something.
    fn wait(&mut self, place: Where, pattern: &Pattern, limit: Duration) -> Result<(), Broken> {
        let begin = self.now;
        loop {
            let screen = self.screen();
            let lines = screen.lines();
            let looked_at = match (place, screen.cursor()) {
                (Where::Screen, _) => &lines[..],
                (Where::Line, Some(cursor)) => {
                    lines.get(usize::from(cursor.y)..=usize::from(cursor.y)).unwrap_or_default()
                }
                (Where::Line, None) => lines.last().map(std::slice::from_ref).unwrap_or_default(),
            };
            if looked_at.iter().any(|line| pattern.is_in(line)) {
                self.ear.expect(&lines, |line| pattern.is_in(line));
                return Ok(());
            }
            if self.now - begin >= limit {
                return Err(broken("TAPE-025", format!("{pattern} did not come within {limit:?} of virtual time")));
            }
            let mut left = WAIT_SLICE.min(limit - (self.now - begin));
            while !left.is_zero() {
                let slice = left.min(SLICE);
                self.step(slice)?;
                self.show(slice)?;
                left -= slice;
            }
        }
    }

    fn resize(&mut self, width: u16, height: u16) -> Result<(), Broken> {
        self.size = (width, height);
        self.driver.resize(width, height).refresh();
        self.show(KEEP)
    }

    fn expect(&mut self, pattern: &Pattern) -> Result<(), Broken> {
        let lines = self.screen().lines();
        if !lines.iter().any(|line| pattern.is_in(line)) {
            return Err(broken("TAPE-020", format!("no line of the screen holds {pattern}")));
        }
        self.ear.expect(&lines, |line| pattern.is_in(line));
        Ok(())
    }

    fn refute(&self, pattern: &Pattern) -> Result<(), Broken> {
        match self.line_with(pattern) {
            None => Ok(()),
            Some(line) => Err(broken("TAPE-020", format!("line {} of the screen holds {pattern}", line + 1))),
        }
    }

    fn line_with(&self, pattern: &Pattern) -> Option<usize> {
        self.screen().lines().iter().position(|line| pattern.is_in(line))
    }

    fn screen(&self) -> Screen {
        let (buffer, cursor) = self.driver.paint();
        Screen::new(buffer, cursor)
    }
}

/// A console as the head of a tape asks for it.
fn driver(head: &Head, depth: Depth, source: Arc<dyn Source>) -> Driver {
    let options = Options { theme: head.theme.clone(), depth, ascii: head.ascii, ..Options::default() };
    Driver::new(source, options, head.width, head.height)
}
