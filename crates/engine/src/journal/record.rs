//! Records: every change of a scheduler, in order.
//!
//! They are MessagePack with named fields, so that later versions can add fields with defaults.

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
    /// The current wall clock.
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

/// A change of a scheduler.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Record {
    /// The engine started with these settings.
    #[serde(rename = "start")]
    Start {
        /// The scheduler time.
        at: Time,
        /// The wall clock.
        wall: WallTime,
        /// The speed of the scheduler clock.
        speed: f64,
        /// The scheduler's tuning.
        tuning: Tuning,
        /// The interval of the cleaner.
        clean_every: Duration,
        /// Whether it pauses after the workload.
        #[serde(default)]
        paused: bool,
        /// The entry of a manifest with the queue configuration.
        policy_group: String,
    },
    /// Consecutive cycles at the same time.
    #[serde(rename = "cycle")]
    Cycles {
        /// The scheduler time.
        at: Time,
        /// The number of cycles.
        n: u32,
    },
    /// The cleaner ran.
    #[serde(rename = "clean")]
    Clean {
        /// The scheduler time.
        at: Time,
    },
    /// Timers were due.
    #[serde(rename = "tick")]
    Tick {
        /// The scheduler time.
        at: Time,
    },
    /// Unfinished work of earlier commands continued.
    #[serde(rename = "continue")]
    Continue {
        /// The scheduler time.
        at: Time,
    },
    /// A history sample was taken.
    #[serde(rename = "sample")]
    Sample {
        /// The scheduler time.
        at: Time,
    },
    /// The workload acted.
    #[serde(rename = "work")]
    Work {
        /// The scheduler time.
        at: Time,
        /// Its commands; may be empty.
        commands: Vec<RecordedCommand>,
    },
    /// A command from this process.
    #[serde(rename = "give")]
    Give {
        /// The scheduler time.
        at: Time,
        /// The command with its arguments.
        command: RecordedCommand,
    },
    /// An order, before its execution.
    #[serde(rename = "order")]
    Order(Box<OrderRecord>),
    /// The configuration file was reloaded.
    #[serde(rename = "reload")]
    Reload {
        /// The scheduler time.
        at: Time,
        /// The wall clock.
        wall: WallTime,
        /// The displayed file name.
        name: String,
        /// What was in it.
        #[serde(with = "model::saved::bytes")]
        text: Vec<u8>,
        /// The reason of a rejection that does not follow from the text.
        #[serde(default)]
        refused: Option<String>,
    },
    /// It paused after the workload.
    #[serde(rename = "rest")]
    Rest {
        /// The scheduler time.
        at: Time,
    },
    /// A notice that does not follow from other records.
    #[serde(rename = "notice")]
    Notice {
        /// The scheduler time.
        at: Time,
        /// How much it matters.
        weight: NoticeWeight,
        /// The message, in one line.
        title: String,
        /// More of it.
        text: String,
    },
    /// The progress of the workload.
    #[serde(rename = "played")]
    PlayResult {
        /// The scheduler time.
        at: Time,
        /// The input for [`scenario::Workload::resume`].
        #[serde(with = "model::saved::bytes")]
        state: Vec<u8>,
    },
}

/// An order that someone gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OrderRecord {
    /// The scheduler time.
    pub at: Time,
    /// The wall clock.
    pub wall: WallTime,
    /// The actor with the checked rights.
    pub actor: Actor,
    /// The order with its reason.
    pub order: Order,
    /// The results of checks before the write: the configuration file of a change, and a known rejection.
    #[serde(default)]
    pub checked: Option<CheckedOrder>,
    /// The order is rejected, and this replaces its body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<OmittedBody>,
}

/// Order records up to this size in bytes are stored completely.
pub const SMALL: usize = 2 << 10;

/// Replaces the body of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedBody {
    /// The SHA-256 of the whole record, in hexadecimal digits.
    pub sha256: String,
    /// The size of the whole record in bytes.
    pub bytes: u64,
}

/// The results of checks before the write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedOrder {
    /// `None` without a file.
    pub file_before: Option<String>,
    /// The text to activate.
    #[serde(default)]
    pub text: Option<String>,
    /// The reason of a rejection that does not follow from the scheduler.
    pub refused: Option<RecordedRefusal>,
}

impl CheckedOrder {
    /// Returns the result for a rejected order.
    pub fn refused(refusal: &Refusal) -> Self {
        Self { refused: Some(refusal.into()), ..Self::default() }
    }
}

/// A known rejection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRefusal {
    /// The code in the REST API.
    pub code: String,
    /// The message, in one line.
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

/// A recorded command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RecordedCommand {
    /// A configuration, with its text if known.
    #[serde(rename = "configure")]
    Configure {
        /// The configuration after checks and defaults.
        config: Box<Config>,
        /// The text, if any.
        #[serde(default)]
        text: Option<String>,
    },
    /// One cycle over all partitions.
    #[serde(rename = "cycle")]
    Cycle,
    /// A run of the cleaner.
    #[serde(rename = "clean")]
    Clean,
    /// Timers that are due by then.
    #[serde(rename = "tick")]
    Tick,
    /// Unfinished work of earlier commands.
    #[serde(rename = "continue")]
    Continue,
    /// A command within a partition.
    #[serde(rename = "in")]
    In {
        /// The partition; `None` for the first one.
        #[serde(default, with = "model::saved::text_option")]
        partition: Option<Arc<str>>,
        /// The command with its arguments.
        command: PartitionCommand,
    },
}

impl RecordedCommand {
    /// Converts a command with the text of its configuration.
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

    /// Converts back to the command and the text.
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
    /// The scheduler time.
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

    /// The wall clock, if known.
    pub fn wall(&self) -> Option<WallTime> {
        match self {
            Self::Start { wall, .. } | Self::Reload { wall, .. } => Some(*wall),
            Self::Order(ordered) => Some(ordered.wall),
            _ => None,
        }
    }

    /// The cost of a replay: the number of commands and cycles.
    pub fn work(&self) -> u64 {
        match self {
            Self::Cycles { n, .. } => u64::from(*n),
            _ => 1,
        }
    }

    /// Encodes the record.
    #[expect(clippy::expect_used, reason = "plain data without a fallible serializer")]
    pub fn bytes(&self) -> Vec<u8> {
        rmp_serde::to_vec_named(self).expect("a record uses only types of MessagePack")
    }

    /// Decodes a record.
    ///
    /// # Errors
    /// Returns an error if it is of a later version or invalid.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        messagepack::from_slice(bytes).map_err(|error| error.to_string())
    }
}
