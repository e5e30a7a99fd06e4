//! The initial state of a what-if.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use model::Time;
use scheduler::{Partition, Scheduler};

/// Due times of periodic work.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Interval of the queue cleaner (SCH-182).
    pub clean_every: Duration,
    /// Next run of the cleaner.
    pub next_clean: Time,
    /// Next cycle after one without a result (SCH-040).
    pub retry: Option<Time>,
    /// A cycle may find something now.
    pub cycle_due: bool,
}

impl Pace {
    /// Returns the pace of a new scheduler.
    pub fn initial(now: Time) -> Self {
        let clean_every = Duration::from_secs(10);
        Self { clean_every, next_clean: now + clean_every, retry: None, cycle_due: true }
    }
}

/// A copy of one partition of a scheduler.
#[derive(Clone, Debug)]
pub struct Fork {
    pub(super) scheduler: Scheduler,
    pub(super) partition: Arc<str>,
    pub(super) now: Time,
    pub(super) pace: Pace,
    pub(super) text: Option<Arc<str>>,
}

/// Why no fork is available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFork {
    /// The partition does not exist.
    NoPartition(String),
    /// The fork exceeds the memory limit.
    TooLarge {
        /// Approximate size in bytes.
        bytes: usize,
        /// Maximum size in bytes.
        most: usize,
    },
    /// The scheduler has stopped, or cannot be forked.
    Stopped,
}

impl fmt::Display for NoFork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MB: usize = 1_000_000;
        match self {
            Self::NoPartition(name) => write!(f, "partition {name:?} not found"),
            Self::TooLarge { bytes, most } => {
                write!(f, "two copies of the state need about {} MB; the limit is {} MB", bytes.div_ceil(MB), most / MB)
            }
            Self::Stopped => f.write_str("the scheduler has stopped"),
        }
    }
}

impl Fork {
    /// Copies a partition, by default the first, if two copies have at most `most` bytes.
    ///
    /// # Errors
    /// The partition does not exist or is too large.
    pub fn of(
        scheduler: &Scheduler,
        partition: Option<&str>,
        (now, pace): (Time, Pace),
        text: Option<Arc<str>>,
        most: usize,
    ) -> Result<Self, NoFork> {
        let mut partitions = scheduler.partitions().iter();
        let found = partitions.find(|part| partition.is_none_or(|name| *part.name == *name));
        let found = found.ok_or_else(|| NoFork::NoPartition(partition.unwrap_or_default().to_owned()))?;
        let bytes = found.bytes().saturating_mul(2);
        if bytes > most {
            return Err(NoFork::TooLarge { bytes, most });
        }
        let name = Arc::clone(&found.name);
        let mut copy = scheduler.fork(&name).ok_or(NoFork::Stopped)?;
        // Makes later copies cheap.
        copy.share();
        Ok(Self { scheduler: copy, partition: name, now, pace, text })
    }

    /// Returns the current time of the fork.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the name of the partition.
    pub fn partition_name(&self) -> &str {
        &self.partition
    }

    /// Returns the scheduler.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// Returns the due times of periodic work.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Returns the configuration, if known.
    pub fn text(&self) -> Option<&Arc<str>> {
        self.text.as_ref()
    }

    /// Returns `None` after a configuration has removed it.
    pub fn partition(&self) -> Option<&Partition> {
        self.scheduler.partitions().iter().find(|part| part.name == self.partition)
    }
}
