//! Questions about usage over time, and their answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::QueuePath;

/// The grouping of usage rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UsageBy {
    /// Leaves; each usage counts once.
    #[default]
    Queue,
    /// Every queue with its subtree and its guaranteed resources.
    Tree,
    /// By who submitted.
    User,
    /// The groups that count the applications.
    Group,
    /// The priorities of requests.
    Priority,
    /// Applications; those of old hours share one row without a name.
    Application,
}

impl UsageBy {
    /// All groupings, in display order.
    pub const ALL: [Self; 6] = [Self::Queue, Self::Tree, Self::User, Self::Group, Self::Priority, Self::Application];

    /// The value of `--by`.
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

/// A period of whole hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UsagePeriod {
    /// The last N hours.
    Hours(u32),
    /// The current month, in UTC.
    Month,
    /// The previous month.
    LastMonth,
    /// All recorded time.
    #[default]
    All,
}

impl UsagePeriod {
    /// The periods for display.
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

    /// Parses a period: `24h`, `7d`, `month`, `last-month`, `all`.
    ///
    /// # Errors
    /// Returns an error if the text is not a period.
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

/// A question to a ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageQuestion {
    /// What the rows are split by.
    pub by: UsageBy,
    /// Over what time.
    pub period: UsagePeriod,
    /// Only this subtree.
    pub queue: Option<QueuePath>,
    /// Only this user.
    pub user: Option<Arc<str>>,
}

/// Quantities by resource: base units (millicores, bytes) times seconds.
pub type UsedAmounts = BTreeMap<String, u64>;

/// The usage and wait of one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsedRow {
    /// The queue, user, group, priority, or application; may be empty.
    pub name: Arc<str>,
    /// Allocated, including placeholders.
    pub allocated: UsedAmounts,
    /// What was requested and not allocated.
    pub waited: UsedAmounts,
    /// Allocated above the guaranteed resources.
    pub borrowed: UsedAmounts,
    /// Guaranteed, for queue rows.
    pub guaranteed: UsedAmounts,
    /// For an application: Apache YuniKorn's own count of its ended allocations, in a sentence.
    pub remark: Option<Arc<str>>,
}

/// A time without recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageGap {
    /// The start, in nanoseconds since 1970.
    pub from: i64,
    /// When it restarted.
    pub to: i64,
    /// The reason, in a sentence.
    pub why: String,
}

/// Usage over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// The start, in nanoseconds since 1970.
    pub from: i64,
    /// Up to when.
    pub to: i64,
    /// The scheduler time in between, without gaps.
    pub counted: Duration,
    /// Before this time, applications are summed by queue and user.
    pub applications_from: Option<i64>,
    /// The gaps, the oldest first.
    pub gaps: Vec<UsageGap>,
    /// One row for each name.
    pub rows: Vec<Arc<UsedRow>>,
    /// The sum of all rows.
    pub total: UsedRow,
    /// Only allocated resources are known.
    pub only_allocated: bool,
    /// Limitations of the answer, in sentences.
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
