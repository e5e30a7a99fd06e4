//! Playing a tape: keys into a console without a terminal, on a scheduler whose time moves only when the tape says so.
//!
//! Keys take no time. `Advance` moves the clocks of scheduler and console together, in slices, so that the console sees on the way
//! what a person would have seen.

use std::sync::Arc;
use std::time::Duration;

use super::file::{Act, Head, Pattern, Tape};
use super::screen::Screen;
use super::snapshot::Shot;
use crate::config::Place;
use crate::console::key::{Code, Key};
use crate::console::{Driver, Options};
use crate::engine::{Core, Progress};
use crate::source::{About, Source, Stepped};

/// How far the clocks go before the console looks again.
const SLICE: Duration = Duration::from_millis(100);
/// How far the clocks go before `Settle` looks again.
const SETTLE_SLICE: Duration = Duration::from_millis(10);
/// How long `Settle` waits for a screen that stands still.
const SETTLE_LIMIT: Duration = Duration::from_secs(5);
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
    /// The screens that were kept.
    pub shots: Vec<Shot>,
    /// The last screen.
    pub screen: Screen,
    /// The virtual time that went by.
    pub time: Duration,
}

/// Plays a tape on a scheduler that its head asks for.
pub fn play(tape: &Tape, core: Core, about: About, limits: Limits) -> Played {
    let mut player = Player::new(&tape.head, core, about, limits);
    let failed = player.start(&tape.head).map_err(|broken| (tape.head.at, broken)).and_then(|()| {
        tape.steps.iter().try_for_each(|step| player.act(&step.act, step.at).map_err(|broken| (step.at, broken)))
    });
    let (screen, time) = (player.screen(), player.now);
    let failure = failed.err().map(|(at, Broken(code, what))| Failure { at, code, what, screen: screen.clone(), time });
    Played { failure, screen, time, shots: player.shots }
}

/// What a step did not keep, and the code of that.
///
/// | code | what |
/// |---|---|
/// | TAPE-020 | an `Expect` or `Refute` that is not so |
/// | TAPE-021 | a limit of time, keys or work |
/// | TAPE-022 | a screen that does not stand still |
/// | TAPE-023 | the console has quit, or has not |
struct Broken(&'static str, String);

struct Player {
    source: Arc<Stepped>,
    driver: Driver,
    size: (u16, u16),
    now: Duration,
    ended: bool,
    presses: usize,
    work: usize,
    limits: Limits,
    shots: Vec<Shot>,
}

impl Player {
    fn new(head: &Head, core: Core, about: About, limits: Limits) -> Self {
        let source = Arc::new(Stepped::unstarted(core, about, head.actor()));
        let driver = driver(head, &source);
        let size = (head.width, head.height);
        let (presses, work) = (limits.presses, limits.work);
        Self { source, driver, size, now: Duration::ZERO, ended: false, presses, work, limits, shots: Vec::new() }
    }

    /// Has done what is due at the beginning; the console is opened on that.
    fn start(&mut self, head: &Head) -> Result<(), Broken> {
        self.step(Duration::ZERO)?;
        self.driver = driver(head, &self.source);
        Ok(())
    }

    fn act(&mut self, act: &Act, at: Place) -> Result<(), Broken> {
        match act {
            Act::Ended if self.ended => return Ok(()),
            Act::Ended => return Err(Broken("TAPE-023", "the console has not quit".to_owned())),
            _ if self.ended => return Err(Broken("TAPE-023", "the console has quit before this".to_owned())),
            Act::Press { key, count, pause } => {
                for _ in 0..*count {
                    self.press(*key, *pause)?;
                }
            }
            Act::Type { text, pause } => {
                for c in text.chars() {
                    self.press(Key::plain(Code::Char(c)), *pause)?;
                }
            }
            Act::Pass(time) => self.pass(*time)?,
            Act::Settle => self.settle()?,
            Act::Width(width) => self.resize(*width, self.size.1),
            Act::Height(height) => self.resize(self.size.0, *height),
            Act::Expect(pattern) => self.expect(pattern)?,
            Act::Refute(pattern) => self.refute(pattern)?,
            Act::Snapshot(name) => {
                let shot = Shot { name: name.clone(), at, screen: self.screen() };
                self.shots.push(shot);
            }
        }
        Ok(())
    }

    fn press(&mut self, key: Key, pause: Duration) -> Result<(), Broken> {
        if self.ended {
            return Err(Broken("TAPE-023", format!("the console has quit before the key {key}")));
        }
        self.presses = self
            .presses
            .checked_sub(1)
            .ok_or_else(|| Broken("TAPE-021", format!("more than {} keys are pressed", self.limits.presses)))?;
        self.driver.key(key).refresh();
        self.ended = self.driver.take_effects().quit;
        if pause.is_zero() || self.ended { Ok(()) } else { self.pass(pause) }
    }

    /// Lets time go by on both clocks.
    fn pass(&mut self, time: Duration) -> Result<(), Broken> {
        let mut left = time;
        while !left.is_zero() {
            let slice = left.min(SLICE);
            self.step(slice)?;
            left -= slice;
        }
        Ok(())
    }

    fn step(&mut self, by: Duration) -> Result<(), Broken> {
        if self.now + by > self.limits.time {
            return Err(Broken("TAPE-021", format!("more than {:?} of virtual time go by", self.limits.time)));
        }
        let until = self.source.now() + by;
        while self.source.advance_until(until, WORK_SLICE.min(self.work)) == Progress::Busy {
            self.work = self.work.saturating_sub(WORK_SLICE);
            if self.work == 0 {
                let limit = self.limits.work;
                let told = format!("after {limit} cycles and commands the scheduler still has something to do");
                return Err(Broken("TAPE-021", told));
            }
        }
        self.now += by;
        self.driver.advance(by);
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
                return Ok(());
            }
            before = after;
        }
        Err(Broken("TAPE-022", format!("the screen still changes after {SETTLE_LIMIT:?}")))
    }

    fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        self.driver.resize(width, height).refresh();
    }

    fn expect(&self, pattern: &Pattern) -> Result<(), Broken> {
        match self.line_with(pattern) {
            Some(_) => Ok(()),
            None => Err(Broken("TAPE-020", format!("no line of the screen holds {pattern}"))),
        }
    }

    fn refute(&self, pattern: &Pattern) -> Result<(), Broken> {
        match self.line_with(pattern) {
            None => Ok(()),
            Some(line) => Err(Broken("TAPE-020", format!("line {} of the screen holds {pattern}", line + 1))),
        }
    }

    fn line_with(&self, pattern: &Pattern) -> Option<usize> {
        self.screen().lines().iter().position(|line| pattern.is_in(line))
    }

    fn screen(&self) -> Screen {
        Screen::new(self.driver.buffer(), self.driver.cursor())
    }
}

/// A console as the head of a tape asks for it.
fn driver(head: &Head, source: &Arc<Stepped>) -> Driver {
    let options = Options { theme: head.theme.clone(), ..Options::default() };
    Driver::new(Arc::<Stepped>::clone(source), options, head.width, head.height)
}
