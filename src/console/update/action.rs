//! What can happen to the console, and what it wants done outside.

use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::{Position, Size};

use crate::console::input::command::CommandId;
use crate::console::input::key::Key;
use crate::console::input::keymap::Chord;
use crate::console::state::past::{Span, Step};
use crate::console::state::work::Outcome;
use crate::model::{Identity, Time};
use crate::source::{Link, OwnHealth, Records};
use crate::view::act::{Actor, Done, Refusal};
use crate::view::{EventPage, View};

/// Something that happens to the console.
#[derive(Clone, Debug)]
pub enum Action {
    /// A command, with its argument as written.
    Run(CommandId, Option<String>),
    /// Keys that do nothing, and why.
    Refuse(String),
    /// A command that is off, and why.
    Off(CommandId, String),
    /// The keys of a chord that is not whole yet; without any it is given up.
    Press(Chord),
    /// A key for the text that is being written.
    Write(Key),
    /// The mouse did something.
    Mouse(Mouse),
    /// Text was pasted; it may be anything.
    Paste(String),
    /// The terminal has another size.
    Resize(Size),
    /// News of the cluster.
    Feed(Feed),
    /// Events that came since the last ones.
    Events(EventPage),
    /// Events that came since an order was given whose result is on the screen.
    Aftermath(EventPage),
    /// What is known of the ledger by now.
    Records(Records),
    /// The text of a configuration that was in force, or why it cannot be had.
    RevisionText(u64, Result<Arc<str>, String>),
    /// How the cluster was at a time, or why that cannot be told.
    PastView(Time, Result<Arc<View>, String>),
    /// What happened right before or after a time, for a step; or why that cannot be told.
    PastSpan(Time, Step, Result<Span, String>),
    /// What came of an order, by its number.
    Answer(u64, Result<Done, Refusal>),
    /// Something that was asked for is done.
    Done(Outcome),
    /// Time went on.
    Clock(Duration),
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    /// The first button was pressed.
    Click(Position),
    /// The wheel was turned, down or (negative) up.
    Wheel(isize),
}

/// News of the cluster.
#[derive(Clone, Debug)]
pub struct Feed {
    /// The newest view.
    pub view: Arc<View>,
    /// The number that the next event has, asked for after the view; of no account where the view is the one before.
    pub next_event: u64,
    /// The cluster's time.
    pub at: Time,
    /// How the connection is.
    pub link: Link,
    /// What the scheduler says of its own health.
    pub health: OwnHealth,
    /// Whether what a preview tells is an estimate.
    pub estimates: bool,
    /// Who gives orders, or why nobody can.
    pub actor: Result<Actor, Arc<str>>,
    /// Who acts, when that is somebody else than before: a remote tells it only after a while.
    pub identity: Option<Identity>,
}

/// What the console wants done outside of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The screen shows something else now.
    pub redraw: bool,
    /// The screen is to be drawn from nothing: it was disturbed.
    pub repaint: bool,
    /// The console ends.
    pub quit: bool,
    /// The process goes to the background.
    pub suspend: bool,
}

impl Effects {
    /// Only a new picture.
    pub const REDRAW: Self = Self { redraw: true, repaint: false, quit: false, suspend: false };
    /// Nothing at all.
    pub const NONE: Self = Self { redraw: false, repaint: false, quit: false, suspend: false };

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            redraw: self.redraw || other.redraw,
            repaint: self.repaint || other.repaint,
            quit: self.quit || other.quit,
            suspend: self.suspend || other.suspend,
        }
    }
}
