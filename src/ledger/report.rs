//! What is asked of a ledger: sums by what one wants them split by, over whole hours.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::hours::{Account, HOUR, Hour};
use super::{Integral, Ledger};
use crate::model::{QueuePath, Time};

/// What rows are split by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// The hour of the scheduler's time.
    Hour,
    /// By the name of the partition.
    Partition,
    /// The leaf of the application.
    Queue,
    /// Every queue with all below it; a use counts in several rows then.
    Tree,
    /// By who submitted.
    User,
    /// The group that the application counts under; may be empty.
    Group,
    /// The application; empty for hours that are too old.
    Application,
}

impl Dimension {
    /// All of them, in the order of their columns.
    pub const ALL: [Self; 7] =
        [Self::Hour, Self::Partition, Self::Queue, Self::Tree, Self::User, Self::Group, Self::Application];

    /// The word that `--by` and the column take.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Partition => "partition",
            Self::Queue => "queue",
            Self::Tree => "tree",
            Self::User => "user",
            Self::Group => "group",
            Self::Application => "application",
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dimension {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|one| one.name() == text).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|one| one.name()).collect();
            format!("{text:?} is nothing to split use by; there are {}", known.join(", "))
        })
    }
}

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What the rows are split by, in this order.
    pub by: Vec<Dimension>,
    /// From the hour of this time on; `None`: from the beginning.
    pub from: Option<Time>,
    /// Up to the end of the hour before this time, or up to it where it begins an hour; `None`: up to now.
    pub to: Option<Time>,
}

impl Question {
    /// Reads the dimensions: names with commas between them.
    ///
    /// # Errors
    /// One is unknown or there twice, or `tree` stands beside what has no tree.
    pub fn by(text: &str) -> Result<Vec<Dimension>, String> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let by: Vec<Dimension> = names.map(str::parse).collect::<Result<_, _>>()?;
        if let Some(twice) = by.iter().enumerate().find(|(at, one)| by[..*at].contains(one)) {
            return Err(format!("{} stands there twice", twice.1));
        }
        let own = |one: &&Dimension| !matches!(one, Dimension::Tree | Dimension::Hour | Dimension::Partition);
        match by.iter().find(own).filter(|_| by.contains(&Dimension::Tree)) {
            Some(other) => Err(format!("tree is of queues as a whole and cannot be split by {other}")),
            None => Ok(by),
        }
    }
}

/// What one combination of the keys used and waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportRow {
    /// A value for each dimension, in the order that was asked for; an hour as its first microsecond.
    pub key: Vec<String>,
    /// What was in use, placeholders too.
    pub allocated: Integral,
    /// What was asked for and not allocated.
    pub waited: Integral,
    /// What was guaranteed; only by tree.
    pub guaranteed: Integral,
    /// What was in use beyond the guarantee; only by tree.
    pub borrowed: Integral,
}

/// The answer to a question: its rows, their sum, and from when to when it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What the rows are split by.
    pub by: Vec<Dimension>,
    /// From when on it counts: where the ledger begins, or what was asked for.
    pub from: Time,
    /// Up to when.
    pub to: Time,
    /// Before this time applications are summed up by queue and user; `None` where all are.
    pub folded: Option<Time>,
    /// One row for each combination of the keys, sorted by these.
    pub rows: Vec<ReportRow>,
    /// The sum of usage and waiting.
    pub total: ReportRow,
}

impl Ledger {
    /// Answers a question as of now.
    pub fn report(&self, now: Time, question: &Question) -> Report {
        let mut all = self.clone();
        all.read_all(now);
        let hours = &all.hours;
        let first = question.from.map_or(0, |from| from.0 / HOUR).max(hours.since.0 / HOUR);
        let last = question.to.map_or(u64::MAX, |to| to.0.div_ceil(HOUR));
        let mut rows: BTreeMap<Vec<String>, ReportRow> = BTreeMap::new();
        let (mut within, mut total) = (BTreeMap::new(), ReportRow::default());
        for (number, hour) in hours.hours.range(first..last.max(first)) {
            if question.by.contains(&Dimension::Tree) {
                by_tree(*number, hour, question, &mut rows, &mut within);
                for used in hour.accounts.values() {
                    total.allocated.add_assign(&used.allocated);
                    total.waited.add_assign(&used.waited);
                }
            } else {
                by_account(*number, hour, question, &mut rows, &mut total);
            }
        }
        if question.by.contains(&Dimension::Tree) {
            let nothing = Integral::default();
            for (key, row) in &mut rows {
                row.borrowed = row.allocated.without(within.get(key).unwrap_or(&nothing));
            }
        }
        let end = Time(last.saturating_mul(HOUR)).min(now);
        Report {
            by: question.by.clone(),
            from: Time(first * HOUR).max(hours.since).min(end),
            to: end,
            folded: (hours.folded > first).then(|| Time(hours.folded * HOUR)),
            rows: rows.into_iter().map(|(key, row)| ReportRow { key, ..row }).collect(),
            total,
        }
    }
}

/// The key of an hour: its first microsecond, in as many digits as any has, so that they sort.
fn hour_key(number: u64) -> String {
    format!("{:020}", number * HOUR)
}

fn by_account(
    number: u64,
    hour: &Hour,
    question: &Question,
    rows: &mut BTreeMap<Vec<String>, ReportRow>,
    total: &mut ReportRow,
) {
    for (account, used) in &hour.accounts {
        let Account { partition, queue, user, group, app } = account;
        let value = |of: &Dimension| match of {
            Dimension::Hour => hour_key(number),
            Dimension::Partition => partition.to_string(),
            Dimension::Queue | Dimension::Tree => queue.to_string(),
            Dimension::User => user.to_string(),
            Dimension::Group => group.as_deref().unwrap_or_default().to_owned(),
            Dimension::Application => app.as_ref().map(ToString::to_string).unwrap_or_default(),
        };
        let row = rows.entry(question.by.iter().map(value).collect()).or_default();
        for row in [row, &mut *total] {
            row.allocated.add_assign(&used.allocated);
            row.waited.add_assign(&used.waited);
        }
    }
}

/// Every queue with what is below it; and apart from that what it used within its guarantee.
fn by_tree(
    number: u64,
    hour: &Hour,
    question: &Question,
    rows: &mut BTreeMap<Vec<String>, ReportRow>,
    within: &mut BTreeMap<Vec<String>, Integral>,
) {
    let key = |partition: &str, queue: &QueuePath| -> Vec<String> {
        let value = |of: &Dimension| match of {
            Dimension::Hour => hour_key(number),
            Dimension::Partition => partition.to_owned(),
            _ => queue.to_string(),
        };
        question.by.iter().map(value).collect()
    };
    for (account, used) in &hour.accounts {
        for queue in std::iter::successors(Some(account.queue.clone()), QueuePath::parent) {
            let row = rows.entry(key(&account.partition, &queue)).or_default();
            row.allocated.add_assign(&used.allocated);
            row.waited.add_assign(&used.waited);
        }
    }
    for ((partition, queue), used) in &hour.queues {
        let key = key(partition, queue);
        rows.entry(key.clone()).or_default().guaranteed.add_assign(&used.guaranteed);
        within.entry(key).or_default().add_assign(&used.within);
    }
}
