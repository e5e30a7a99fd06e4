//! Text → [`Tape`]: the tape language, VHS's syntax as far as it goes, with words of our own. [`super::read()`] parses it.
//!
//! Invariants:
//! - all faults of a text return in one pass, at most one a line, each with its place; with a fault there is no tape;
//! - what a tape runs against is reported in its head, before the first step, so that a step never changes what earlier ones meant.
//!
//! Codes:
//!
//! | code | what |
//! |---|---|
//! | TAPE-001 | an unknown word, setting or source |
//! | TAPE-002 | a word or setting of VHS that has no meaning here |
//! | TAPE-003 | an argument is missing, or is not what belongs there |
//! | TAPE-004 | a number or duration that is none, or out of its range |
//! | TAPE-005 | a quoted text or regular expression that does not end on its line |
//! | TAPE-006 | no regular expression |
//! | TAPE-007 | the head: no source, said twice, or after the first step |
//! | TAPE-008 | a name of a snapshot or picture that is none, or used twice |
//! | TAPE-009 | no tape at all: too long, or no text |
//! | TAPE-011 | a word about the server in a tape that has none |
//! | TAPE-012 | a setting of a scheduler of the tape, in a tape with `Source server` |

use std::fmt;
use std::time::Duration;

use regex::Regex;

use crate::state::key::Key;
use crate::theme::{Depth, ThemeName};
use config::{Fault, Place};
use model::{Identity, Profile};
use view::act::Actor;

/// A tape that can be played.
#[derive(Clone, Debug)]
pub struct Tape {
    /// What it runs against, and how it starts.
    pub head: Head,
    /// What it does, in order.
    pub steps: Vec<Step>,
}

/// What a tape runs against, and how it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// What it is played against.
    pub against: Against,
    /// Where that is reported.
    pub at: Place,
    /// Who sits before the console. Never who runs the process, so that a tape is the same on every machine.
    pub identity: Identity,
    /// That person is in the scheduler ACL, as the owner of the scheduler is: no one is named, or the tape says so.
    pub scheduler_admin: bool,
    /// Nothing may be changed.
    pub read_only: bool,
    /// It starts on the page Cluster, not on the queue tree.
    pub dashboard: bool,
    /// What the scheduler decides as.
    pub core: Profile,
    /// The scheduler is served over REST, and the console attached to it.
    pub served: bool,
    /// The applications are jobs of a machine: the file with what its daemon answered for them, relative to the tape.
    pub jobs: Option<String>,
    /// Rules of alerts are evaluated: those of a file, relative to the tape, or with `default` those that come with kornsole.
    pub alerts: Option<String>,
    /// The theme at the start.
    pub theme: ThemeName,
    /// How many colors the terminal shows.
    pub depth: Depth,
    /// Only ASCII signs are drawn.
    pub ascii: bool,
    /// Columns at the start.
    pub width: u16,
    /// Lines at the start.
    pub height: u16,
    /// How it is shown to people. Takes no virtual time.
    pub pace: Pace,
}

/// How fast a tape is shown to people: in a cast, and in a terminal with `--live`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The time after each character that is typed.
    pub typing: Duration,
    /// How much faster everything goes than it was meant.
    pub playback: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { typing: Duration::from_millis(70), playback: 1.0 }
    }
}

impl Head {
    /// Who gives orders.
    pub fn actor(&self) -> Actor {
        let actor = Actor::from(self.identity.clone()).scheduler_admin(self.scheduler_admin);
        if self.read_only { actor.read_only("the console was started with --read-only") } else { actor }
    }
}

/// What a tape runs against. Paths are as written, relative to the tape's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// The demo's cluster and workload.
    Demo {
        /// The number that its random choices start with.
        seed: u64,
    },
    /// A scenario file, and a queue configuration that holds instead of its own.
    Scenario(String, Option<String>),
    /// A queue configuration.
    Config(String),
    /// The default configuration.
    Default,
    /// A scheduler elsewhere, named where the tape is played. Its time is that of the clock on the wall.
    Server,
}

/// One thing that a tape does.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it is written.
    pub at: Place,
    /// What it is.
    pub act: Act,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Act {
    /// Presses a key.
    Press {
        /// The key, with what is held down with it.
        key: Key,
        /// How many times.
        count: u32,
        /// Virtual time after each.
        pause: Duration,
    },
    /// Types a text.
    Type {
        /// What is typed, character by character.
        text: String,
        /// Virtual time after each character.
        pause: Duration,
    },
    /// Puts a text where `Paste` takes it from.
    Copy(String),
    /// Pastes the text that was copied last.
    Paste,
    /// Presses the first button of the mouse at a column and line, both from 1.
    Click(u16, u16),
    /// Turns the wheel of the mouse, down or (negative) up.
    Wheel(i16),
    /// Lets virtual time go by.
    Pass {
        /// How much virtual time.
        time: Duration,
        /// The viewer sees it fast: `Advance`, not `Sleep`.
        fast: bool,
    },
    /// Lets virtual time go by until the screen holds this, so long at most.
    Wait(Where, Pattern, Duration),
    /// Waits until nothing is left to do and the screen is stopped.
    Settle,
    /// Changes the width of the terminal.
    Width(u16),
    /// Changes the height of the terminal.
    Height(u16),
    /// Some line of the screen must hold this.
    /// With `true` it is about how the screen is drawn, and nothing that linear mode says.
    Expect(Pattern, bool),
    /// No line of the screen may hold this.
    Refute(Pattern),
    /// The screen is kept, or compared, under this name.
    Snapshot(String),
    /// A picture of the screen is written, or compared, in this file next to the tape.
    Screenshot(String),
    /// Words for the viewer, below the screen; without any there are none.
    Say(String),
    /// The viewer sees what follows, or does not.
    Shown(bool),
    /// The server of a tape that is served is there, or no longer exists.
    Server {
        /// It is there.
        there: bool,
    },
    /// The console must have quit.
    Ended,
}

/// Where `Wait` looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// In every line of the screen.
    Screen,
    /// In the line of the text cursor, or else the last one.
    Line,
}

/// What is looked for in a line of the screen.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A line holds exactly these characters somewhere.
    Text(String),
    /// What this matches.
    Regex(Regex),
}

impl Pattern {
    /// Whether a line of the screen holds it.
    pub fn is_in(&self, line: &str) -> bool {
        match self {
            Self::Text(text) => line.contains(text.as_str()),
            Self::Regex(regex) => regex.is_match(line),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Regex(regex) => write!(f, "/{}/", regex.as_str()),
        }
    }
}

/// What reading a text gave.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The tape; `None` when there is a fault.
    pub tape: Option<Tape>,
    /// All faults by place.
    pub faults: Vec<Fault>,
}

#[cfg(test)]
mod tests;
