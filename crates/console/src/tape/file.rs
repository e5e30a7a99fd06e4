//! Text → [`Tape`]: the tape language, based on the syntax of VHS. [`super::read()`] parses it.
//!
//! Invariants:
//! - one pass reports all errors of a text with locations, at most one per line; a text with an error gives no tape;
//! - the head is before the first step, so that a step never changes the meaning of earlier ones.
//!
//! Codes:
//!
//! | code | what |
//! |---|---|
//! | TAPE-001 | an unknown word, setting, or source |
//! | TAPE-002 | a word or setting of VHS without a meaning here |
//! | TAPE-003 | a missing or invalid argument |
//! | TAPE-004 | an invalid number or duration, or one out of range |
//! | TAPE-005 | a quoted text or regular expression that does not end on its line |
//! | TAPE-006 | an invalid regular expression |
//! | TAPE-007 | the head: no source, duplicate, or after the first step |
//! | TAPE-008 | an invalid or duplicate name of a snapshot or picture |
//! | TAPE-009 | not a tape: too long, or not text |
//! | TAPE-011 | a word about the server in a tape without a server |
//! | TAPE-012 | a setting of the tape's own scheduler in a tape with `Source server` |

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
    /// The source and the initial settings.
    pub head: Head,
    /// What it does, in order.
    pub steps: Vec<Step>,
}

/// Source and initial settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// What it is played against.
    pub against: Against,
    /// The location of the source.
    pub at: Place,
    /// Independent of the process: a tape is the same on every machine.
    pub identity: Identity,
    /// No user is named, or the tape sets it.
    pub scheduler_admin: bool,
    /// Nothing may be changed.
    pub read_only: bool,
    /// Start on the page Cluster.
    pub dashboard: bool,
    /// The profile of the scheduler.
    pub core: Profile,
    /// The scheduler is served over REST, and the console attached to it.
    pub served: bool,
    /// Recorded daemon answers, relative to the tape.
    pub jobs: Option<String>,
    /// Relative to the tape, or `default`.
    pub alerts: Option<String>,
    /// The initial theme.
    pub theme: ThemeName,
    /// The number of colors.
    pub depth: Depth,
    /// ASCII symbols only.
    pub ascii: bool,
    /// The initial width.
    pub width: u16,
    /// The initial height.
    pub height: u16,
    /// The presentation speed. It takes no virtual time.
    pub pace: Pace,
}

/// The speed in a cast and with `--live`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The time per typed character.
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
    /// The user who sends operations.
    pub fn actor(&self) -> Actor {
        let actor = Actor::from(self.identity.clone()).scheduler_admin(self.scheduler_admin);
        if self.read_only { actor.read_only("the console was started with --read-only") } else { actor }
    }
}

/// Paths are relative to the tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// The demo cluster and workload.
    Demo {
        /// The random seed.
        seed: u64,
    },
    /// A scenario file, with a replacement of its configuration.
    Scenario(String, Option<String>),
    /// A queue configuration.
    Config(String),
    /// The default configuration.
    Default,
    /// A remote scheduler in wall-clock time.
    Server,
}

/// A step of a tape.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it is written.
    pub at: Place,
    /// What it is.
    pub act: Act,
}

/// The act of a step.
#[derive(Clone, Debug)]
pub enum Act {
    /// Presses a key.
    Press {
        /// The key with modifiers.
        key: Key,
        /// The number of presses.
        count: u32,
        /// Virtual time after each press.
        pause: Duration,
    },
    /// Types a text.
    Type {
        /// What is typed, character by character.
        text: String,
        /// Virtual time after each character.
        pause: Duration,
    },
    /// Copies a text for `Paste`.
    Copy(String),
    /// Pastes the copied text.
    Paste,
    /// Clicks at a column and line, from 1.
    Click(u16, u16),
    /// Turns the mouse wheel, down or (negative) up.
    Wheel(i16),
    /// Advances the virtual time.
    Pass {
        /// The virtual time.
        time: Duration,
        /// Shown fast to the viewer: `Advance`, not `Sleep`.
        fast: bool,
    },
    /// Waits for a pattern, with a limit.
    Wait(Where, Pattern, Duration),
    /// Stable, without work left.
    Settle,
    /// Changes the width.
    Width(u16),
    /// Changes the height.
    Height(u16),
    /// `true`: the drawing only, not linear mode.
    Expect(Pattern, bool),
    /// No line of the screen may contain this.
    Refute(Pattern),
    /// Stores or compares the screen under a name.
    Snapshot(String),
    /// Writes or compares a picture next to the tape.
    Screenshot(String),
    /// Sets the caption below the screen; may be empty.
    Say(String),
    /// Shows or hides the following steps.
    Shown(bool),
    /// Starts or stops the server of a served tape.
    Server {
        /// It is there.
        there: bool,
    },
    /// The console must have quit.
    Ended,
}

/// The lines that `Wait` searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// In every line of the screen.
    Screen,
    /// The line of the text cursor, or the last one.
    Line,
}

/// A search pattern.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A line holds exactly these characters somewhere.
    Text(String),
    /// A regular expression.
    Regex(Regex),
}

impl Pattern {
    /// Whether a line matches.
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

/// The result of reading a text.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// `None` with an error.
    pub tape: Option<Tape>,
    /// The errors, by location.
    pub faults: Vec<Fault>,
}

#[cfg(test)]
mod tests;
