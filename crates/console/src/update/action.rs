//! The actions: all inputs of the console.

use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Size;

use crate::input::terminal_events::Mouse;
use crate::state::clusters::ClusterRow;
use crate::state::command::CommandId;
use crate::state::key::Key;
use crate::state::keymap::Chord;
use crate::state::reply::Reply;
use crate::state::trends::KnownTrends;
use model::{Identity, Time};
use source::{About, BoardSnapshot, Link, OwnHealth, Records, StalePart, TrialChange, TrialStatus};
use view::act::{Actor, Order};
use view::unread::Unread;
use view::{EventPage, Record, View};

/// An input of the console.
#[derive(Clone, Debug)]
pub enum Action {
    /// A command with its argument as typed.
    Run(CommandId, Option<String>),
    /// Keys without effect, and why.
    Refuse(String),
    /// A disabled command, and why.
    Off(CommandId, String),
    /// An incomplete chord; empty to cancel it.
    Press(Chord),
    /// A key for a text input.
    Write(Key),
    /// Moves the cursor to a row, from 0.
    Select(usize),
    /// A mouse action.
    Mouse(Mouse),
    /// Pasted text, unfiltered.
    Paste(String),
    /// A new terminal size.
    Resize(Size),
    /// An update of the cluster.
    Feed(Box<Feed>),
    /// Events that came since the last ones.
    Events(EventPage),
    /// End time, the number that they are below, and the events.
    EarlierEvents((Time, u64), Vec<(u64, Arc<Record>)>),
    /// Since an operation whose result is shown.
    Aftermath(EventPage),
    /// The audit and the revisions.
    Records(Records),
    /// What is known of the trends by now.
    Trends(KnownTrends),
    /// Its number, and the number of the next event.
    OrderSent(u64, u64),
    /// Operations to send in a what-if.
    Give(Vec<Order>),
    /// Each after its confirmation.
    MakeReal(Vec<TrialChange>),
    /// The state of all clusters.
    Clusters(Vec<Arc<ClusterRow>>),
    /// The result of an effect.
    Reply(Reply),
    /// The time has advanced.
    Clock(Duration),
}

impl Action {
    /// Whether the user caused it.
    pub fn is_input(&self) -> bool {
        match self {
            Self::Run(..)
            | Self::Refuse(_)
            | Self::Off(..)
            | Self::Press(_)
            | Self::Write(_)
            | Self::Select(_)
            | Self::Mouse(_)
            | Self::Paste(_) => true,
            Self::Resize(_)
            | Self::Feed(_)
            | Self::Events(_)
            | Self::EarlierEvents(..)
            | Self::Aftermath(_)
            | Self::Records(_)
            | Self::Clusters(_)
            | Self::Trends(_)
            | Self::OrderSent(..)
            | Self::Give(_)
            | Self::MakeReal(_)
            | Self::Reply(_)
            | Self::Clock(_) => false,
        }
    }
}

/// An update of the cluster.
#[derive(Clone, Debug)]
pub struct Feed {
    /// The newest view.
    pub view: Arc<View>,
    /// Requested after the view; unused if it is unchanged.
    pub next_event: u64,
    /// The cluster's time.
    pub at: Time,
    /// The state of the connection.
    pub link: Link,
    /// Outdated parts of a working connection.
    pub stale: Vec<StalePart>,
    /// Parts that are not loaded.
    pub unread: Unread,
    /// How much older than the queues.
    pub apps_lag: Option<Duration>,
    /// The scheduler's own health report.
    pub health: OwnHealth,
    /// The recent duration of a cycle.
    pub cycle: Option<Duration>,
    /// Whether previews are estimates.
    pub estimates: bool,
    /// The status of a what-if.
    pub trial: Option<TrialStatus>,
    /// Who can send operations, or why no user can.
    pub actor: Result<Actor, Arc<str>>,
    /// A remote reports a change with a delay.
    pub identity: Option<Identity>,
    /// The description of the scheduler if it changed.
    pub about: Option<Box<About>>,
    /// What is alerted about.
    pub alerts: Option<Arc<BoardSnapshot>>,
}
