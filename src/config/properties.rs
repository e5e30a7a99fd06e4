//! Queue properties: which are known, what their values mean, and how they are inherited (`config.md` section 9).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::types::{Place, Placed};
use crate::model::{PriorityPolicy, QueuePath};

/// Key of [`AppSortPolicy`].
pub const APPLICATION_SORT_POLICY: &str = "application.sort.policy";
/// Key of [`QueueProperties::sort_by_priority`].
pub const APPLICATION_SORT_PRIORITY: &str = "application.sort.priority";
/// Key of [`PriorityPolicy`].
pub const PRIORITY_POLICY: &str = "priority.policy";
/// Key of [`QueueProperties::priority_offset`].
pub const PRIORITY_OFFSET: &str = "priority.offset";
/// Key of [`PreemptionPolicy`].
pub const PREEMPTION_POLICY: &str = "preemption.policy";
/// Key of [`QueueProperties::preemption_delay`].
pub const PREEMPTION_DELAY: &str = "preemption.delay";

/// The keys that every profile knows.
pub const KNOWN: [&str; 6] = [
    APPLICATION_SORT_POLICY,
    APPLICATION_SORT_PRIORITY,
    PRIORITY_POLICY,
    PRIORITY_OFFSET,
    PREEMPTION_POLICY,
    PREEMPTION_DELAY,
];

/// The keys that only 1.8 knows.
pub const KNOWN_1_8: [&str; 4] = [
    "application.unschedasks.backoff",
    "application.unschedasks.backoff.delay",
    "preemption.quota.delay",
    "quota.preemption.delay",
];

/// `preemption.delay` where none is set.
pub const DEFAULT_PREEMPTION_DELAY: Duration = Duration::from_secs(30);

/// The order of the applications of a leaf (`application.sort.policy`, SCH-070).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
    /// The value that is written in a file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Fair => "fair",
            Self::StateAware => "stateaware",
        }
    }
}

impl fmt::Display for AppSortPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What preemption may do in a queue (`preemption.policy`, SCH-150).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PreemptionPolicy {
    /// Victims may be sought everywhere.
    #[default]
    Default,
    /// Asks of this queue and below find victims only in this queue and below.
    Fence,
    /// Nothing here asks for preemption, and nothing here is preempted.
    Disabled,
}

impl PreemptionPolicy {
    /// The value that is written in a file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Fence => "fence",
            Self::Disabled => "disabled",
        }
    }
}

impl fmt::Display for PreemptionPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The effective settings of a queue, read from its merged properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct QueueProperties {
    /// The order of applications; used on leaves only.
    pub app_sort: AppSortPolicy,
    /// Whether priority goes before the other order, for applications and for children.
    pub sort_by_priority: bool,
    /// What priorities inside are seen outside.
    pub priority_policy: PriorityPolicy,
    /// Added to the priorities inside, or in their place (fence).
    pub priority_offset: i32,
    /// What preemption may do.
    pub preemption_policy: PreemptionPolicy,
    /// How long an ask waits before it may preempt; used on leaves only.
    pub preemption_delay: Duration,
}

impl Default for QueueProperties {
    fn default() -> Self {
        Self {
            app_sort: AppSortPolicy::default(),
            sort_by_priority: true,
            priority_policy: PriorityPolicy::default(),
            priority_offset: 0,
            preemption_policy: PreemptionPolicy::default(),
            preemption_delay: DEFAULT_PREEMPTION_DELAY,
        }
    }
}

impl QueueProperties {
    /// Reads merged properties; a missing or bad value is the default.
    pub fn from_map<'a>(properties: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut read = Self::default();
        for (key, value) in properties {
            // What is not understood leaves the default.
            let _understood = read.set(key, value);
        }
        read
    }

    /// Reads the merged properties of a queue.
    pub fn of(merged: &Merged) -> Self {
        Self::from_map(merged.iter().map(|(key, property)| (key.as_str(), property.value.as_str())))
    }

    /// These settings, changed only where `merged` says something: how the releases reload (`profiles.md` section 5.2).
    #[must_use]
    pub fn overlaid(mut self, merged: &Merged) -> Self {
        for (key, property) in merged {
            // What is not understood becomes the default.
            let _understood = self.set(key, &property.value);
        }
        self
    }

    /// Takes one property.
    ///
    /// # Errors
    /// What would be right, if the key is known and the value is not good; the default is then set.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        let default = Self::default();
        let lower = value.to_lowercase();
        match key {
            APPLICATION_SORT_POLICY => {
                let policies = [AppSortPolicy::Fifo, AppSortPolicy::Fair, AppSortPolicy::StateAware];
                let found = policies.into_iter().find(|policy| policy.name() == value);
                take(&mut self.app_sort, found, default.app_sort, "fifo, fair or stateaware, in lower case")
            }
            APPLICATION_SORT_PRIORITY => {
                let found = match &*lower {
                    "enabled" => Some(true),
                    "disabled" => Some(false),
                    _ => None,
                };
                take(&mut self.sort_by_priority, found, default.sort_by_priority, "enabled or disabled")
            }
            PRIORITY_POLICY => {
                let found = match &*lower {
                    "default" => Some(PriorityPolicy::Default),
                    "fence" => Some(PriorityPolicy::Fence),
                    _ => None,
                };
                take(&mut self.priority_policy, found, default.priority_policy, "default or fence")
            }
            PRIORITY_OFFSET => {
                let found = value.parse().ok();
                take(&mut self.priority_offset, found, 0, "a whole number from -2147483648 to 2147483647")
            }
            PREEMPTION_POLICY => {
                let policies = [PreemptionPolicy::Default, PreemptionPolicy::Fence, PreemptionPolicy::Disabled];
                let found = policies.into_iter().find(|policy| policy.name() == lower);
                take(&mut self.preemption_policy, found, default.preemption_policy, "default, fence or disabled")
            }
            PREEMPTION_DELAY => {
                let found = parse_duration(value).filter(|delay| !delay.is_zero());
                let hint = "a duration above 0: 30s, 1m30s, 1.5h, 300ms";
                take(&mut self.preemption_delay, found, default.preemption_delay, hint)
            }
            _ => Ok(()),
        }
    }
}

fn take<T>(place: &mut T, found: Option<T>, default: T, hint: &'static str) -> Result<(), &'static str> {
    let good = found.is_some();
    *place = found.unwrap_or(default);
    if good { Ok(()) } else { Err(hint) }
}

/// A property of a queue, with the queue where it was set.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Property {
    /// The value as written.
    pub value: String,
    /// The queue, this one or an ancestor, whose configuration says so.
    pub from: QueuePath,
    /// Where it stands in the file.
    pub at: Place,
    /// Whether it is from that queue's child template.
    pub template: bool,
}

/// The properties of a queue, its own and inherited ones, by key.
pub type Merged = BTreeMap<String, Property>;

/// The properties of the configured queue `path`: what its parent hands down, and its own on top.
///
/// `priority.policy` and `priority.offset` are not handed down, `preemption.policy` only when it is `disabled`, all
/// other keys always. What is handed down whole is shared.
pub fn inherit(parent: &Arc<Merged>, path: &QueuePath, own: &BTreeMap<String, Placed<String>>) -> Arc<Merged> {
    let is_handed_down = |key: &str, property: &Property| match key {
        PRIORITY_POLICY | PRIORITY_OFFSET => false,
        PREEMPTION_POLICY => property.value.eq_ignore_ascii_case(PreemptionPolicy::Disabled.name()),
        _ => true,
    };
    if own.is_empty() && parent.iter().all(|(key, property)| is_handed_down(key, property)) {
        return Arc::clone(parent);
    }
    let handed_down = parent.iter().filter(|(key, property)| is_handed_down(key, property));
    let mut merged: Merged = handed_down.map(|(key, property)| (key.clone(), property.clone())).collect();
    for (key, value) in own {
        let own = Property { value: value.value.clone(), from: path.clone(), at: value.at, template: false };
        merged.insert(key.clone(), own);
    }
    Arc::new(merged)
}

/// Reads a duration as Go writes it: numbers with units `ns us µs ms s m h` one after the other, `0` without a unit.
/// `None` for what is none, for a negative one, and for more than fits 63 bits of nanoseconds.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if text == "0" {
        return Some(Duration::ZERO);
    }
    if text.is_empty() {
        return None;
    }
    let mut nanos: u128 = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let unit: u128 = match &after[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        nanos = nanos.checked_add(whole.checked_mul(unit)?)?;
        // More digits than nanoseconds can show do not count.
        let fraction = &fraction[..fraction.len().min(18)];
        if !fraction.is_empty() {
            let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
            nanos = nanos.checked_add(fraction.parse::<u128>().ok()? * unit / scale)?;
        }
        rest = &after[end..];
    }
    let nanos = i64::try_from(nanos).ok()?;
    Some(Duration::from_nanos(nanos.unsigned_abs()))
}

/// The digits at the beginning, and the rest.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        let ms = |ms| Some(Duration::from_millis(ms));
        for (text, duration) in [
            ("30s", ms(30_000)),
            ("1m30s", ms(90_000)),
            ("1.5h", ms(5_400_000)),
            ("300ms", ms(300)),
            (".5s", ms(500)),
            ("1.s", ms(1000)),
            ("0", ms(0)),
            ("+1s", ms(1000)),
            ("1µs", Some(Duration::from_micros(1))),
            ("0.000000000000000000000001h", ms(0)),
        ] {
            assert_eq!(parse_duration(text), duration, "{text}");
        }
        for text in
            ["", "30", "-1s", "s", ".s", "1 s", "1d", "1s2", "9999999h", "99999999999999999999999999999999999999999s"]
        {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn a_bad_value_is_the_default() {
        let read = QueueProperties::from_map([
            (APPLICATION_SORT_POLICY, "Fair"),
            (APPLICATION_SORT_PRIORITY, "no"),
            (PRIORITY_POLICY, "x"),
            (PRIORITY_OFFSET, "1.5"),
            (PREEMPTION_POLICY, "off"),
            (PREEMPTION_DELAY, "0s"),
            ("other", "x"),
        ]);
        assert_eq!(read, QueueProperties::default());
        let read = QueueProperties::from_map([
            (APPLICATION_SORT_POLICY, "stateaware"),
            (APPLICATION_SORT_PRIORITY, "Disabled"),
            (PRIORITY_POLICY, "FENCE"),
            (PRIORITY_OFFSET, "-2147483648"),
            (PREEMPTION_POLICY, "Disabled"),
            (PREEMPTION_DELAY, "1m30s"),
        ]);
        assert_eq!(read.app_sort, AppSortPolicy::StateAware);
        assert!(!read.sort_by_priority);
        assert_eq!(read.priority_policy, PriorityPolicy::Fence);
        assert_eq!(read.priority_offset, i32::MIN);
        assert_eq!(read.preemption_policy, PreemptionPolicy::Disabled);
        assert_eq!(read.preemption_delay, Duration::from_secs(90));
    }

    fn placed(own: &[(&str, &str)]) -> BTreeMap<String, Placed<String>> {
        own.iter().map(|(k, v)| ((*k).to_owned(), Placed { value: (*v).to_owned(), at: Place::default() })).collect()
    }

    #[test]
    fn children_inherit_all_but_priority_and_a_fence() {
        let root = QueuePath::root();
        let a = root.child("a");
        let own = [(PRIORITY_POLICY, "fence"), (PRIORITY_OFFSET, "5"), (PREEMPTION_POLICY, "fence"), ("x", "1")];
        let parent = inherit(&Arc::default(), &root, &placed(&own));
        assert_eq!(parent.len(), 4);
        let child = inherit(&parent, &a, &placed(&[("y", "2")]));
        let told: Vec<_> = child.iter().map(|(key, p)| (key.as_str(), p.value.as_str(), p.from.as_str())).collect();
        assert_eq!(told, [("x", "1", "root"), ("y", "2", "root.a")]);
        let parent = inherit(&Arc::default(), &root, &placed(&[(PREEMPTION_POLICY, "DISABLED"), ("x", "1")]));
        let child = inherit(&parent, &a, &placed(&[("x", "3")]));
        assert_eq!(child[PREEMPTION_POLICY].from, root);
        assert_eq!((child["x"].value.as_str(), &child["x"].from), ("3", &a));
    }
}
