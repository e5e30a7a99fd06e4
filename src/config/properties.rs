//! Queue properties: what their texts mean, and which of them children inherit (`config.md` section 9).

use std::collections::BTreeMap;
use std::time::Duration;

use super::types::{Place, Placed};
use crate::model::{PriorityPolicy, QueuePath};

/// Sort policy of the applications in a leaf (SCH-070).
pub const APP_SORT_POLICY: &str = "application.sort.policy";
/// Whether priority comes first when sorting (SCH-052, SCH-053).
pub const APP_SORT_PRIORITY: &str = "application.sort.priority";
/// What a queue lets through of the priorities inside it (SCH-066).
pub const PRIORITY_POLICY: &str = "priority.policy";
/// How much a queue raises or lowers them (SCH-063).
pub const PRIORITY_OFFSET: &str = "priority.offset";
/// Who may preempt and be preempted (SCH-152, SCH-153).
pub const PREEMPTION_POLICY: &str = "preemption.policy";
/// How long an ask waits before it preempts (SCH-151).
pub const PREEMPTION_DELAY: &str = "preemption.delay";

/// `application.sort.policy` (SCH-070).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AppSortPolicy {
    /// Oldest first.
    #[default]
    Fifo,
    /// Smallest share first.
    Fair,
    /// Oldest first, one starting at a time.
    StateAware,
}

impl AppSortPolicy {
    /// The value as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Fair => "fair",
            Self::StateAware => "stateaware",
        }
    }
}

/// `preemption.policy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreemptionPolicy {
    /// Takes part.
    #[default]
    Default,
    /// Does not preempt outside.
    Fence,
    /// Is not preempted.
    Disabled,
}

/// What the known properties of a queue mean; unknown or bad values mean the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueProperties {
    /// How applications are sorted.
    pub app_sort: AppSortPolicy,
    /// Whether priority comes first when children or applications are sorted.
    pub sort_by_priority: bool,
    /// What is let through of the priorities inside.
    pub priority_policy: PriorityPolicy,
    /// How much they are raised or lowered.
    pub priority_offset: i32,
    /// Who may preempt and be preempted.
    pub preemption_policy: PreemptionPolicy,
    /// How long an ask waits before it preempts.
    pub preemption_delay: Duration,
}

impl Default for QueueProperties {
    fn default() -> Self {
        Self {
            app_sort: AppSortPolicy::Fifo,
            sort_by_priority: true,
            priority_policy: PriorityPolicy::Default,
            priority_offset: 0,
            preemption_policy: PreemptionPolicy::Default,
            preemption_delay: Duration::from_secs(30),
        }
    }
}

/// The effective properties of a queue, each with where it comes from.
pub type Merged = BTreeMap<String, MergedValue>;

/// A property's value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedValue {
    /// The value as written.
    pub value: String,
    /// The queue on which, or on whose template, it is written.
    pub from: QueuePath,
    /// Where it stands in the file.
    pub at: Place,
    /// Whether it is from the queue's child template.
    pub template: bool,
}

impl QueueProperties {
    /// What the effective properties mean.
    pub fn of(merged: &Merged) -> Self {
        let get = |key: &str| merged.get(key).map_or("", |value| value.value.as_str());
        let default = Self::default();
        Self {
            app_sort: match get(APP_SORT_POLICY) {
                "fair" => AppSortPolicy::Fair,
                "stateaware" => AppSortPolicy::StateAware,
                _ => AppSortPolicy::Fifo,
            },
            sort_by_priority: !get(APP_SORT_PRIORITY).eq_ignore_ascii_case("disabled"),
            priority_policy: if get(PRIORITY_POLICY).eq_ignore_ascii_case("fence") {
                PriorityPolicy::Fence
            } else {
                PriorityPolicy::Default
            },
            priority_offset: get(PRIORITY_OFFSET).parse().unwrap_or(default.priority_offset),
            preemption_policy: match get(PREEMPTION_POLICY).to_ascii_lowercase().as_str() {
                "fence" => PreemptionPolicy::Fence,
                "disabled" => PreemptionPolicy::Disabled,
                _ => PreemptionPolicy::Default,
            },
            preemption_delay: parse_duration(get(PREEMPTION_DELAY))
                .filter(|delay| !delay.is_zero())
                .unwrap_or(default.preemption_delay),
        }
    }
}

impl QueueProperties {
    /// These properties, changed only where `merged` says something: how the releases reload (`profiles.md` section 5.2).
    #[must_use]
    pub fn overlaid(self, merged: &Merged) -> Self {
        let new = Self::of(merged);
        let says = |key: &str| merged.contains_key(key);
        Self {
            app_sort: if says(APP_SORT_POLICY) { new.app_sort } else { self.app_sort },
            sort_by_priority: if says(APP_SORT_PRIORITY) { new.sort_by_priority } else { self.sort_by_priority },
            priority_policy: if says(PRIORITY_POLICY) { new.priority_policy } else { self.priority_policy },
            priority_offset: if says(PRIORITY_OFFSET) { new.priority_offset } else { self.priority_offset },
            preemption_policy: if says(PREEMPTION_POLICY) { new.preemption_policy } else { self.preemption_policy },
            preemption_delay: if says(PREEMPTION_DELAY) { new.preemption_delay } else { self.preemption_delay },
        }
    }
}

/// The effective properties of a configured queue: what its parent hands down, then its own on top (SCH-179).
pub fn inherit(parent: &Merged, own: &BTreeMap<String, Placed<String>>, queue: &QueuePath) -> Merged {
    let mut merged: Merged = parent
        .iter()
        .filter(|(key, value)| match key.as_str() {
            PRIORITY_POLICY | PRIORITY_OFFSET => false,
            PREEMPTION_POLICY => value.value.eq_ignore_ascii_case("disabled"),
            _ => true,
        })
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for (key, value) in own {
        let own = MergedValue { value: value.value.clone(), from: queue.clone(), at: value.at, template: false };
        merged.insert(key.clone(), own);
    }
    merged
}

/// Reads a duration as Go writes them: `30s`, `1m30s`, `1.5h`, `300ms`. `None` for anything else.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut rest = text;
    let mut total: f64 = 0.0;
    while !rest.is_empty() {
        let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (amount, tail) = rest.split_at(number);
        let unit = tail.len() - tail.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '.').len();
        let (unit, tail) = tail.split_at(unit);
        let seconds = match unit {
            "ns" => 1e-9,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        total += amount.parse::<f64>().ok()? * seconds;
        rest = tail;
    }
    // Go counts nanoseconds in 64 bits, which is a little over 292 years.
    if text.is_empty() || total > 9.2e9 { None } else { Duration::try_from_secs_f64(total).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(pairs: &[(&str, &str)]) -> Merged {
        let own = pairs.iter().map(|(key, value)| {
            ((*key).to_owned(), Placed { value: (*value).to_owned(), at: Place { line: 1, column: 1 } })
        });
        inherit(&Merged::new(), &own.collect(), &QueuePath::root())
    }

    #[test]
    fn bad_values_mean_the_default() {
        let odd = merged(&[
            (APP_SORT_POLICY, "FAIR"),
            (APP_SORT_PRIORITY, "no"),
            (PRIORITY_OFFSET, "2147483648"),
            (PRIORITY_POLICY, "x"),
            (PREEMPTION_DELAY, "-1s"),
        ]);
        assert_eq!(QueueProperties::of(&odd), QueueProperties::default());
    }

    #[test]
    fn sch_179_what_children_inherit() {
        let parent = merged(&[
            (APP_SORT_PRIORITY, "Disabled"),
            (PRIORITY_OFFSET, "5"),
            (PRIORITY_POLICY, "FENCE"),
            (PREEMPTION_POLICY, "fence"),
            (PREEMPTION_DELAY, "1m30s"),
            ("other", "x"),
        ]);
        let child = inherit(&parent, &BTreeMap::new(), &QueuePath::new("root.a"));
        let keys: Vec<&str> = child.keys().map(String::as_str).collect();
        assert_eq!(keys, [APP_SORT_PRIORITY, "other", PREEMPTION_DELAY]);
        assert_eq!(child["other"].from, QueuePath::root());
        let properties = QueueProperties::of(&child);
        assert!(!properties.sort_by_priority);
        assert_eq!(properties.preemption_delay, Duration::from_secs(90));
        let closed = merged(&[(PREEMPTION_POLICY, "disabled")]);
        let child = inherit(&closed, &BTreeMap::new(), &QueuePath::new("root.a"));
        assert_eq!(QueueProperties::of(&child).preemption_policy, PreemptionPolicy::Disabled);
    }

    #[test]
    fn reads_durations_as_go_does() {
        for (text, ms) in [("30s", 30_000), ("1m30s", 90_000), ("1.5h", 5_400_000), ("300ms", 300), ("0", 0)] {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "30", "s", "1d", "-1s", "1..5s", "1 s", "99999999999h"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
