//! What was used over time, as a person sees it: what is asked, and the answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::QueuePath;

/// What the rows are split by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UsageBy {
    /// By leaf: what is in use counts once.
    #[default]
    Queue,
    /// Every queue with all below it, next to its guarantee.
    Tree,
    /// By who submitted.
    User,
    /// By the group that counts it.
    Group,
    /// By the priority of the asks.
    Priority,
    /// By application; those of old hours are one row without a name.
    Application,
}

impl UsageBy {
    /// All of them, in the order in which a person steps through them.
    pub const ALL: [Self; 6] = [Self::Queue, Self::Tree, Self::User, Self::Group, Self::Priority, Self::Application];

    /// The word for it, as `--by` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Tree => "tree",
            Self::User => "user",
            Self::Group => "group",
            Self::Priority => "priority",
            Self::Application => "application",
        }
    }
}

/// Over what time; whole hours count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UsagePeriod {
    /// The last this many hours.
    Hours(u32),
    /// From the first day of this month on, by UTC.
    Month,
    /// The month before this one.
    LastMonth,
    /// All that is known.
    #[default]
    All,
}

impl UsagePeriod {
    /// Those that a person steps through.
    pub const ALL: [Self; 6] =
        [Self::All, Self::Hours(24), Self::Hours(168), Self::Hours(720), Self::Month, Self::LastMonth];

    /// What it is called.
    pub fn name(self) -> String {
        match self {
            Self::Hours(hours) if hours % 24 == 0 && hours > 24 => format!("{}d", hours / 24),
            Self::Hours(hours) => format!("{hours}h"),
            Self::Month => "month".to_owned(),
            Self::LastMonth => "last-month".to_owned(),
            Self::All => "all".to_owned(),
        }
    }

    /// The period of a word: `24h`, `7d`, `month`, `last-month`, `all`.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = |digits: &str, unit: u32| digits.parse::<u32>().ok().and_then(|number| number.checked_mul(unit));
        let hours = match (text.strip_suffix('h'), text.strip_suffix('d')) {
            (Some(hours), _) => number(hours, 1),
            (_, Some(days)) => number(days, 24),
            _ => None,
        };
        match (text, hours.filter(|hours| *hours > 0)) {
            (_, Some(hours)) => Ok(Self::Hours(hours)),
            ("month", _) => Ok(Self::Month),
            ("last-month", _) => Ok(Self::LastMonth),
            ("all", _) => Ok(Self::All),
            _ => Err(format!("{text:?} is not a period; use for example 24h, 7d, month, last-month, all")),
        }
    }
}

/// What is asked of a ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageQuestion {
    /// What the rows are split by.
    pub by: UsageBy,
    /// Over what time.
    pub period: UsagePeriod,
    /// Only what is in this queue and below it.
    pub queue: Option<QueuePath>,
    /// Only what counts under this user.
    pub user: Option<Arc<str>>,
}

/// Amounts by resource: base units (thousandths of a core, bytes) times seconds.
pub type UsedAmounts = BTreeMap<String, u64>;

/// What one row used and waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsedRow {
    /// The queue, user, group, priority or application; empty for what has none.
    pub name: Arc<str>,
    /// What was in use, placeholders too.
    pub allocated: UsedAmounts,
    /// What was requested and not allocated.
    pub waited: UsedAmounts,
    /// What was in use beyond the guarantee.
    pub borrowed: UsedAmounts,
    /// What was guaranteed, where rows are queues.
    pub guaranteed: UsedAmounts,
    /// Of an application: what Apache YuniKorn counted itself for its ended allocations, in a sentence.
    pub beside: Option<Arc<str>>,
}

/// A time in which nothing was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageGap {
    /// When the counting stopped, in nanoseconds since 1970.
    pub from: i64,
    /// When it restarted.
    pub to: i64,
    /// Why the counting stood, in a sentence for people.
    pub why: String,
}

/// What was used over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// From when on, in nanoseconds since 1970.
    pub from: i64,
    /// Up to when.
    pub to: i64,
    /// For how long the scheduler's time ran between them: without the gaps, and as fast as it ran.
    pub counted: Duration,
    /// Before this time applications are summed up by queue and user.
    pub applications_from: Option<i64>,
    /// When nothing was counted, the oldest first.
    pub gaps: Vec<UsageGap>,
    /// One row for each name.
    pub rows: Vec<Arc<UsedRow>>,
    /// The sum of all rows.
    pub total: UsedRow,
    /// Only what was allocated is known, not what waited, was borrowed or guaranteed.
    pub only_allocated: bool,
    /// What it does not know or counts otherwise, in sentences.
    pub notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_reads_as_it_is_called() {
        for period in UsagePeriod::ALL.into_iter().chain([UsagePeriod::Hours(1), UsagePeriod::Hours(36)]) {
            assert_eq!(UsagePeriod::parse(&period.name()), Ok(period));
        }
        for text in ["", "h", "0h", "-1d", "9999999999d", "year"] {
            assert!(UsagePeriod::parse(text).unwrap_err().contains("is not a period"), "{text}");
        }
    }
}
