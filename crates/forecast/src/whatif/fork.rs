//! The state that a what-if starts from.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use model::Time;
use scheduler::{Partition, Scheduler};

/// When periodic work is due, as in the engine that the fork is of.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The interval of the queue cleaner (SCH-182).
    pub clean_every: Duration,
    /// When it runs next.
    pub next_clean: Time,
    /// The next cycle after one that found nothing (SCH-040).
    pub retry: Option<Time>,
    /// A cycle may find something now.
    pub cycle_due: bool,
}

impl Pace {
    /// That of a scheduler that no one ran so far.
    pub fn beginning(now: Time) -> Self {
        let clean_every = Duration::from_secs(10);
        Self { clean_every, next_clean: now + clean_every, retry: None, cycle_due: true }
    }
}

/// One partition of a scheduler at a moment, to do with as one likes.
#[derive(Clone, Debug)]
pub struct Fork {
    pub(super) scheduler: Scheduler,
    pub(super) partition: Arc<str>,
    pub(super) now: Time,
    pub(super) pace: Pace,
    /// The text of the queue active configuration, where it is known.
    pub(super) text: Option<Arc<str>>,
}

/// Why there is no fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFork {
    /// There is no partition of this name.
    NoPartition(String),
    /// It would take more memory than there is for it.
    TooLarge {
        /// How many bytes that would be, about.
        bytes: usize,
        /// How many there are.
        most: usize,
    },
    /// The scheduler has stopped, or is none that can be forked.
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
    /// A copy of a partition, the first one where none is named, if two copies take at most this many bytes.
    ///
    /// # Errors
    /// There is no such partition, or it is too large.
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
        // So that its own copies cost little.
        copy.share();
        Ok(Self { scheduler: copy, partition: name, now, pace, text })
    }

    /// The moment that the fork has reached, in the scheduler's time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The name of the partition.
    pub fn partition_name(&self) -> &str {
        &self.partition
    }

    /// The scheduler of the fork.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// When periodic work is due.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// The text of the queue active configuration, where it is known.
    pub fn text(&self) -> Option<&Arc<str>> {
        self.text.as_ref()
    }

    /// The partition itself; `None` once a configuration has taken it away.
    pub fn partition(&self) -> Option<&Partition> {
        self.scheduler.partitions().iter().find(|part| part.name == self.partition)
    }
}
