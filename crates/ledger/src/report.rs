//! Reports: sums by selected dimensions over whole hours.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::borrowed::Shares;
use super::hours::{Account, HOUR, Hour, QueueUsed, Used};
use super::{Gap, Integral, Ledger};
use model::{Priority, QueuePath, Time};

/// A dimension of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// The hour of scheduler time.
    Hour,
    /// By the name of the partition.
    Partition,
    /// The leaf of the application.
    Queue,
    /// Every queue with its subtree; usage counts in several rows.
    Tree,
    /// By who submitted.
    User,
    /// The group of the application; may be empty.
    Group,
    /// The application; empty for old hours.
    Application,
    /// The priority of requests.
    Priority,
}

impl Dimension {
    /// All dimensions, in column order.
    pub const ALL: [Self; 8] = [
        Self::Hour,
        Self::Partition,
        Self::Queue,
        Self::Tree,
        Self::User,
        Self::Group,
        Self::Application,
        Self::Priority,
    ];

    /// The name in `--by` and in column headings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Partition => "partition",
            Self::Queue => "queue",
            Self::Tree => "tree",
            Self::User => "user",
            Self::Group => "group",
            Self::Application => "application",
            Self::Priority => "priority",
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
            format!("cannot split usage by {text:?}; valid: {}", known.join(", "))
        })
    }
}

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The dimensions of rows, in order.
    pub by: Vec<Dimension>,
    /// Hours that start at or after this time; `None` for all.
    pub from: Option<Time>,
    /// Hours that start before this time, so that consecutive periods do not overlap; `None` for now.
    pub to: Option<Time>,
    /// Only this subtree.
    pub queue: Option<QueuePath>,
    /// Only this user.
    pub user: Option<String>,
}

impl Question {
    /// Parses dimensions, separated by commas.
    ///
    /// # Errors
    /// Returns an error for an unknown or duplicate dimension, or for `tree` with one that excludes it.
    pub fn by(text: &str) -> Result<Vec<Dimension>, String> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let by: Vec<Dimension> = names.map(str::parse).collect::<Result<_, _>>()?;
        if let Some(twice) = by.iter().enumerate().find(|(at, one)| by[..*at].contains(one)) {
            return Err(format!("duplicate {}", twice.1));
        }
        let own = |one: &&Dimension| !matches!(one, Dimension::Tree | Dimension::Hour | Dimension::Partition);
        match by.iter().find(own).filter(|_| by.contains(&Dimension::Tree)) {
            Some(other) => Err(format!("tree covers whole queues and cannot be split by {other}")),
            None => Ok(by),
        }
    }
}

/// The sums of one combination of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportRow {
    /// A value per dimension, in the requested order; an hour is its first microsecond.
    pub key: Vec<String>,
    /// Allocated, including placeholders.
    pub allocated: Integral,
    /// What was requested and not allocated.
    pub waited: Integral,
    /// Guaranteed to the queue; only by tree, or by queue without a dimension that splits queues.
    pub guaranteed: Integral,
    /// Allocated above the guaranteed resources: of the queue itself by tree, otherwise the share of the borrowed
    /// quantity.
    pub borrowed: Integral,
}

/// A report: rows, their sum, and the time range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The dimensions of rows.
    pub by: Vec<Dimension>,
    /// The start: that of the ledger, or the requested one.
    pub from: Time,
    /// Up to when.
    pub to: Time,
    /// Before this time, applications are summed up by queue and user; `None` if nowhere.
    pub folded: Option<Time>,
    /// The gaps in the time range, the oldest first.
    pub gaps: Vec<Gap>,
    /// One row per combination of keys, sorted.
    pub rows: Vec<ReportRow>,
    /// The sums of all rows.
    pub total: ReportRow,
}

impl Ledger {
    /// Answers a question as of now, or as of the end of complete data if that is earlier.
    pub fn report(&self, now: Time, question: &Question) -> Report {
        let mut all = self.clone();
        let now = self.whole_until.map_or(now, |until| now.min(until));
        all.read_all(now);
        let hours = &all.hours;
        let first = question.from.map_or(0, |from| from.0.div_ceil(HOUR)).max(hours.since.0 / HOUR);
        let last = question.to.map_or(u64::MAX, |to| to.0.div_ceil(HOUR));
        let mut sums = Sums { question, rows: BTreeMap::new(), total: ReportRow::default() };
        let mut queues: BTreeMap<Vec<String>, QueueUsed> = BTreeMap::new();
        let tree = question.by.contains(&Dimension::Tree);
        for (number, hour) in hours.hours.range(first..last.max(first)) {
            sums.add(*number, hour);
            if question.is_of_queues() {
                let inside = |queue: &QueuePath| question.queue.as_ref().is_none_or(|of| queue.is_within(of));
                for ((partition, queue), used) in hour.queues.iter().filter(|((_, queue), _)| inside(queue)) {
                    let of = queues.entry(question.key_of_queue(*number, partition, queue)).or_default();
                    of.guaranteed.add_assign(&used.guaranteed);
                    of.within.add_assign(&used.within);
                }
            }
        }
        let Sums { mut rows, total, .. } = sums;
        for (key, used) in queues {
            // Only the tree has rows of parents, also without usage.
            let row = if tree { Some(rows.entry(key).or_default()) } else { rows.get_mut(&key) };
            row.into_iter().for_each(|row| row.add_queue(&used, tree));
        }
        let end = Time(last.saturating_mul(HOUR)).min(now);
        let from = Time(first * HOUR).max(hours.since).min(end);
        Report {
            by: question.by.clone(),
            from,
            to: end,
            gaps: all.gaps.iter().filter(|gap| gap.is_within(from, end)).cloned().collect(),
            folded: (hours.folded > first).then(|| Time(hours.folded * HOUR)),
            rows: rows.into_iter().map(|(key, row)| ReportRow { key: question.shown(key), ..row }).collect(),
            total,
        }
    }
}

/// The key of an hour: its first microsecond with fixed width, for sorting.
fn hour_key(number: u64) -> String {
    format!("{:020}", number * HOUR)
}

/// The key of a priority: its distance from the lowest with fixed width, for sorting.
fn priority_key(priority: Priority) -> String {
    format!("{:010}", i64::from(priority.0) - i64::from(i32::MIN))
}

impl Question {
    /// Whether each row is one queue, optionally per hour, so that it has guaranteed resources.
    fn is_of_queues(&self) -> bool {
        let of_queue = |one: &Dimension| matches!(one, Dimension::Queue | Dimension::Tree);
        let identical = |one: &Dimension| of_queue(one) || matches!(one, Dimension::Hour | Dimension::Partition);
        self.user.is_none() && self.by.iter().any(of_queue) && self.by.iter().all(identical)
    }

    fn accepts(&self, account: &Account) -> bool {
        self.queue.as_ref().is_none_or(|queue| account.queue.is_within(queue))
            && self.user.as_ref().is_none_or(|user| **user == *account.user)
    }

    fn key_of_queue(&self, number: u64, partition: &str, queue: &QueuePath) -> Vec<String> {
        let value = |of: &Dimension| match of {
            Dimension::Hour => hour_key(number),
            Dimension::Partition => partition.to_owned(),
            _ => queue.to_string(),
        };
        self.by.iter().map(value).collect()
    }

    fn key_of(&self, number: u64, account: &Account) -> Vec<String> {
        let Account { partition, queue, user, group, app, priority } = account;
        let value = |of: &Dimension| match of {
            Dimension::Hour => hour_key(number),
            Dimension::Partition => partition.to_string(),
            Dimension::Queue | Dimension::Tree => queue.to_string(),
            Dimension::User => user.to_string(),
            Dimension::Group => group.as_deref().unwrap_or_default().to_owned(),
            Dimension::Application => app.as_ref().map(ToString::to_string).unwrap_or_default(),
            Dimension::Priority => priority_key(*priority),
        };
        self.by.iter().map(value).collect()
    }

    fn shown(&self, mut key: Vec<String>) -> Vec<String> {
        for (_, value) in self.by.iter().zip(&mut key).filter(|(of, _)| **of == Dimension::Priority) {
            let above = value.parse::<i64>().unwrap_or_default();
            *value = (above + i64::from(i32::MIN)).to_string();
        }
        key
    }
}

impl ReportRow {
    /// Adds the guaranteed resources of a queue; by tree, the borrowed quantity follows from them.
    fn add_queue(&mut self, used: &QueueUsed, tree: bool) {
        self.guaranteed.add_assign(&used.guaranteed);
        if tree {
            self.borrowed = self.allocated.without(&used.within);
        }
    }

    fn add(&mut self, used: &Used, borrowed: &Integral) {
        self.allocated.add_assign(&used.allocated);
        self.waited.add_assign(&used.waited);
        self.borrowed.add_assign(borrowed);
    }
}

struct Sums<'q> {
    question: &'q Question,
    rows: BTreeMap<Vec<String>, ReportRow>,
    total: ReportRow,
}

impl Sums<'_> {
    fn add(&mut self, number: u64, hour: &Hour) {
        let (mut shares, nothing) = (Shares::of(hour), Integral::default());
        let tree = self.question.by.contains(&Dimension::Tree);
        for (account, used) in &hour.accounts {
            let borrowed = shares.take(account, &used.allocated);
            if !self.question.accepts(account) {
                continue;
            }
            // Sums of nested queues have no total.
            self.total.add(used, if tree { &nothing } else { &borrowed });
            if !tree {
                self.rows.entry(self.question.key_of(number, account)).or_default().add(used, &borrowed);
                continue;
            }
            let up = std::iter::successors(Some(account.queue.clone()), QueuePath::parent);
            for queue in up.take_while(|queue| self.question.queue.as_ref().is_none_or(|of| queue.is_within(of))) {
                let key = self.question.key_of_queue(number, &account.partition, &queue);
                // Without a guarantee all of it is borrowed; the rest is subtracted later.
                self.rows.entry(key).or_default().add(used, &used.allocated);
            }
        }
    }
}
