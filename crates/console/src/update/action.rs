//! The actions: everything that can happen to the console.

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
use source::{About, Link, OwnHealth, Picture, Records, StalePart, TrialChange, TrialStatus};
use view::act::{Actor, Order};
use view::unread::Unread;
use view::{EventPage, Record, View};

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
    /// The cursor goes to a row, or to a line that can be selected, counted from 0.
    Select(usize),
    /// The mouse did something.
    Mouse(Mouse),
    /// Text was pasted; it may be anything.
    Paste(String),
    /// The terminal has another size.
    Resize(Size),
    /// News of the cluster.
    Feed(Box<Feed>),
    /// Events that came since the last ones.
    Events(EventPage),
    /// Events that matter from before those: up to which time, below which number, and themselves.
    EarlierEvents((Time, u64), Vec<(u64, Arc<Record>)>),
    /// Events that came since an order was given whose result is on the screen.
    Aftermath(EventPage),
    /// What is known of the audit and the revisions by now.
    Records(Records),
    /// What is known of the trends by now.
    Trends(KnownTrends),
    /// An order was sent to the source: its number, and the number of the next event then.
    OrderSent(u64, u64),
    /// Orders that were decided upon elsewhere: for a what-if.
    Give(Vec<Order>),
    /// Changes of a what-if that are to be made here, each after its question.
    MakeReal(Vec<TrialChange>),
    /// What is known of all clusters by now.
    Clusters(Vec<Arc<ClusterRow>>),
    /// The result of an effect.
    Reply(Reply),
    /// Time went on.
    Clock(Duration),
}

impl Action {
    /// Whether a person did it.
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

/// News of the cluster.
#[derive(Clone, Debug)]
pub struct Feed {
    /// The newest view.
    pub view: Arc<View>,
    /// The number that the next event has, requested after the view; of no account where the view is the one before.
    pub next_event: u64,
    /// The cluster's time.
    pub at: Time,
    /// How the connection is.
    pub link: Link,
    /// What is older than the rest though the connection stands.
    pub stale: Vec<StalePart>,
    /// What is not read yet.
    pub unread: Unread,
    /// How much older the applications are than the queues; `None` while they are unknown.
    pub apps_lag: Option<Duration>,
    /// What the scheduler says of its own health.
    pub health: OwnHealth,
    /// How long a cycle takes lately; `None` where that is unknown.
    pub cycle: Option<Duration>,
    /// Whether previews are estimates.
    pub estimates: bool,
    /// How the what-if stands, where it is one.
    pub trial: Option<TrialStatus>,
    /// Who gives orders, or why no one can.
    pub actor: Result<Actor, Arc<str>>,
    /// Who acts, when that is someone else than before: a remote says it only after a while.
    pub identity: Option<Identity>,
    /// What is at the other end, when that is described otherwise than before.
    pub about: Option<Box<About>>,
    /// What is alerted about.
    pub alerts: Option<Arc<Picture>>,
}
