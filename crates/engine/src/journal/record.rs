//! Records: everything that changes a scheduler, in order.
//!
//! Records are MessagePack with named fields, so that later versions can add some: a field that is new has a default.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use config::Config;
use model::{Time, messagepack};
use scheduler::{Command, PartitionCommand, Tuning};
use view::NoticeWeight;
use view::act::{Actor, Order, Refusal};
use view::audit::LONGEST_WHY;

/// Microseconds since 1970 by the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WallTime(pub u64);

impl WallTime {
    /// What the clock of the machine shows.
    pub fn now() -> Self {
        Self::from(SystemTime::now())
    }
}

impl From<SystemTime> for WallTime {
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }
}

impl From<WallTime> for SystemTime {
    fn from(wall: WallTime) -> Self {
        UNIX_EPOCH + Duration::from_micros(wall.0)
    }
}

/// One thing that changed a scheduler.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Record {
    /// The engine was started: from here on it runs by these settings.
    #[serde(rename = "start")]
    Start {
        /// The scheduler's time.
        at: Time,
        /// What the clock of the machine showed then.
        wall: WallTime,
        /// How fast the scheduler's time runs.
        speed: f64,
        /// The scheduler's own settings.
        tuning: Tuning,
        /// How often the cleaner runs.
        clean_every: Duration,
        /// It is to rest after the workload.
        #[serde(default)]
        paused: bool,
        /// Which entry of a manifest is the queue configuration.
        policy_group: String,
    },
    /// Cycles, one after the other at the same time.
    #[serde(rename = "cycle")]
    Cycles {
        /// The scheduler's time.
        at: Time,
        /// How many cycles.
        n: u32,
    },
    /// The cleaner's turn.
    #[serde(rename = "clean")]
    Clean {
        /// The scheduler's time.
        at: Time,
    },
    /// Timers were due.
    #[serde(rename = "tick")]
    Tick {
        /// The scheduler's time.
        at: Time,
    },
    /// What earlier commands left unfinished went on.
    #[serde(rename = "continue")]
    Continue {
        /// The scheduler's time.
        at: Time,
    },
    /// A sample was taken for the history.
    #[serde(rename = "sample")]
    Sample {
        /// The scheduler's time.
        at: Time,
    },
    /// What a workload did.
    #[serde(rename = "work")]
    Work {
        /// The scheduler's time.
        at: Time,
        /// Its commands; it may have done nothing.
        commands: Vec<RecordedCommand>,
    },
    /// A command that someone in this process gave.
    #[serde(rename = "give")]
    Give {
        /// The scheduler's time.
        at: Time,
        /// The command with its arguments.
        command: RecordedCommand,
    },
    /// An order, before it is carried out.
    #[serde(rename = "order")]
    Order(Box<OrderRecord>),
    /// The configuration's file was read again.
    #[serde(rename = "reload")]
    Reload {
        /// The scheduler's time.
        at: Time,
        /// What the clock of the machine showed then.
        wall: WallTime,
        /// The file's name, as messages show it.
        name: String,
        /// What was in it.
        #[serde(with = "model::saved::bytes")]
        text: Vec<u8>,
        /// Why it is refused, where that does not follow from the text.
        #[serde(default)]
        refused: Option<String>,
    },
    /// It paused by itself, after the workload.
    #[serde(rename = "rest")]
    Rest {
        /// The scheduler's time.
        at: Time,
    },
    /// Something was reported that did not follow from anything else.
    #[serde(rename = "notice")]
    Notice {
        /// The scheduler's time.
        at: Time,
        /// How much it matters.
        weight: NoticeWeight,
        /// What happened, in one line.
        title: String,
        /// More of it.
        text: String,
    },
    /// How far the workload has been played, in its own words.
    #[serde(rename = "played")]
    PlayResult {
        /// The scheduler's time.
        at: Time,
        /// What [`scenario::Workload::resume`] takes to continue.
        #[serde(with = "model::saved::bytes")]
        state: Vec<u8>,
    },
}

/// An order that someone gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OrderRecord {
    /// The scheduler's time.
    pub at: Time,
    /// What the clock of the machine showed then.
    pub wall: WallTime,
    /// Who gave it, with the rights that were checked.
    pub actor: Actor,
    /// What, and why.
    pub order: Order,
    /// What was asked before this was written: of a change of the configuration its file; why the order is refused, if that was known.
    #[serde(default)]
    pub checked: Option<CheckedOrder>,
    /// The order is refused, and this represents what is omitted of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<OmittedBody>,
}

/// Records of orders up to this size, in bytes, are kept unchanged.
pub const SMALL: usize = 2 << 10;

/// What represents the body of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedBody {
    /// The SHA-256 of the whole record, in hexadecimal digits.
    pub sha256: String,
    /// How many bytes that record has.
    pub bytes: u64,
}

/// What was found when the file of a configuration was examined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedOrder {
    /// The checksum of the file's text that is to be replaced; `None` without a file.
    pub file_before: Option<String>,
    /// The text that is to become active.
    #[serde(default)]
    pub text: Option<String>,
    /// Why the order is refused, where that does not follow from the scheduler.
    pub refused: Option<RecordedRefusal>,
}

impl CheckedOrder {
    /// It is refused.
    pub fn refused(refusal: &Refusal) -> Self {
        Self { refused: Some(refusal.into()), ..Self::default() }
    }
}

/// A refusal that is known already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRefusal {
    /// Its code, as clients see it.
    pub code: String,
    /// The refusal, in one line.
    pub message: String,
    /// More of it.
    pub description: String,
}

impl From<&Refusal> for RecordedRefusal {
    fn from(refusal: &Refusal) -> Self {
        let cut = |text: &str| text.chars().take(LONGEST_WHY).collect();
        Self {
            code: refusal.code.name().to_owned(),
            message: cut(&refusal.message),
            description: cut(&refusal.description),
        }
    }
}

/// A command as written down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RecordedCommand {
    /// A configuration, with how it was written, where that is known.
    #[serde(rename = "configure")]
    Configure {
        /// The configuration after checks and defaults.
        config: Box<Config>,
        /// The text that it was read from, where there was one.
        #[serde(default)]
        text: Option<String>,
    },
    /// One cycle over all partitions.
    #[serde(rename = "cycle")]
    Cycle,
    /// The cleaner's turn.
    #[serde(rename = "clean")]
    Clean,
    /// Timers that are due by then.
    #[serde(rename = "tick")]
    Tick,
    /// What earlier commands left unfinished.
    #[serde(rename = "continue")]
    Continue,
    /// Something within a partition.
    #[serde(rename = "in")]
    In {
        /// The partition; `None` is the first.
        #[serde(default, with = "model::saved::text_option")]
        partition: Option<Arc<str>>,
        /// The command with its arguments.
        command: PartitionCommand,
    },
}

impl RecordedCommand {
    /// A command, with the text of its configuration.
    pub fn new(command: &Command, text: Option<String>) -> Self {
        match command {
            Command::Configure(config) => Self::Configure { config: Box::new((**config).clone()), text },
            Command::Cycle => Self::Cycle,
            Command::Clean => Self::Clean,
            Command::Tick => Self::Tick,
            Command::Continue => Self::Continue,
            Command::In { partition, command } => Self::In { partition: partition.clone(), command: command.clone() },
        }
    }

    /// The command, and the text of its configuration.
    pub fn command(self) -> (Command, Option<String>) {
        match self {
            Self::Configure { config, text } => (Command::Configure(Arc::from(config)), text),
            Self::Cycle => (Command::Cycle, None),
            Self::Clean => (Command::Clean, None),
            Self::Tick => (Command::Tick, None),
            Self::Continue => (Command::Continue, None),
            Self::In { partition, command } => (Command::In { partition, command }, None),
        }
    }
}

impl Record {
    /// When that was, by the scheduler's time.
    pub fn at(&self) -> Time {
        match self {
            Self::Start { at, .. }
            | Self::Cycles { at, .. }
            | Self::Clean { at }
            | Self::Tick { at }
            | Self::Continue { at }
            | Self::Sample { at }
            | Self::Work { at, .. }
            | Self::Give { at, .. }
            | Self::Reload { at, .. }
            | Self::Rest { at }
            | Self::Notice { at, .. }
            | Self::PlayResult { at, .. } => *at,
            Self::Order(ordered) => ordered.at,
        }
    }

    /// When that was by the wall clock, where it is known.
    pub fn wall(&self) -> Option<WallTime> {
        match self {
            Self::Start { wall, .. } | Self::Reload { wall, .. } => Some(*wall),
            Self::Order(ordered) => Some(ordered.wall),
            _ => None,
        }
    }

    /// How much work it is to do it again: commands, and cycles one by one.
    pub fn work(&self) -> u64 {
        match self {
            Self::Cycles { n, .. } => u64::from(*n),
            _ => 1,
        }
    }

    /// As it is written down.
    #[expect(clippy::expect_used, reason = "plain data without a fallible serializer")]
    pub fn bytes(&self) -> Vec<u8> {
        rmp_serde::to_vec_named(self).expect("a record uses only types of MessagePack")
    }

    /// What was written down.
    ///
    /// # Errors
    /// It is of a later version, or nonsense.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        messagepack::from_slice(bytes).map_err(|error| error.to_string())
    }
}
