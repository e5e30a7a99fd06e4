//! Queue properties: keys, values, and inheritance (`config.md` section 9).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::release_keys::OLD_QUOTA_DELAY;
use super::types::{Place, Placed};
use super::values::{AppSortPolicy, PreemptionPolicy, PrioritySorting};
use model::allowed_value::one_of;
use model::{AllowedValue, PriorityPolicy, Profile, QueuePath, allowed_values};

/// A property with an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKey {
    /// The order of the applications of a leaf: an [`AppSortPolicy`].
    ApplicationSortPolicy,
    /// Whether that order starts with priorities: a [`PrioritySorting`].
    ApplicationSortPriority,
    /// Whether priorities are visible outside the queue: a [`PriorityPolicy`].
    PriorityPolicy,
    /// A signed 32-bit integer.
    PriorityOffset,
    /// Whether the search for victims leaves the queue: a [`PreemptionPolicy`].
    PreemptionPolicy,
    /// A duration above 0 in Go's format.
    PreemptionDelay,
    /// A duration in Go's format; 0 is off.
    QuotaPreemptionDelay,
}

allowed_values!(PropertyKey, exact, {
    ApplicationSortPolicy: All "application.sort.policy", [], "The order of the applications in a leaf.";
    ApplicationSortPriority: All "application.sort.priority", [], "Whether higher priorities are scheduled first.";
    PriorityPolicy: All "priority.policy", [], "`fence`: priorities in this queue do not apply outside it.";
    PriorityOffset: All "priority.offset", [], "An integer added to the priorities in this queue; it may be negative.";
    PreemptionPolicy: All "preemption.policy", [], "The effect of preemption in this queue.";
    PreemptionDelay: All "preemption.delay", [], "How long a request waits before it can preempt: 30s, 1m30s.";
    QuotaPreemptionDelay: Since1_9 "quota.preemption.delay", [], "The delay before preemption enforces a lowered maximum.";
});

impl PropertyKey {
    /// The keys with an effect in `profile`.
    pub fn names_in(profile: Profile) -> impl Iterator<Item = &'static str> {
        Self::ALLOWED.iter().filter(move |row| row.is_read_by(profile)).map(|row| row.name)
    }

    /// The names of all keys.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALLOWED.iter().map(|row| row.name)
    }

    /// The allowed values; empty for numbers and durations.
    pub const fn allowed(self) -> &'static [AllowedValue] {
        match self {
            Self::ApplicationSortPolicy => AppSortPolicy::ALLOWED,
            Self::ApplicationSortPriority => PrioritySorting::ALLOWED,
            Self::PriorityPolicy => PriorityPolicy::ALLOWED,
            Self::PreemptionPolicy => PreemptionPolicy::ALLOWED,
            Self::PriorityOffset | Self::PreemptionDelay | Self::QuotaPreemptionDelay => &[],
        }
    }

    /// The expected value, for a hint that starts with `write `.
    pub fn expected(self) -> String {
        match self {
            Self::ApplicationSortPolicy => format!("{}, in lower case", one_of(self.allowed(), "")),
            Self::ApplicationSortPriority | Self::PriorityPolicy | Self::PreemptionPolicy => one_of(self.allowed(), ""),
            Self::PriorityOffset => "a whole number from -2147483648 to 2147483647".to_owned(),
            Self::PreemptionDelay => "a duration above 0: 30s, 1m30s, 1.5h, 300ms".to_owned(),
            Self::QuotaPreemptionDelay => "a duration: 30s, 1m30s, 1.5h, 300ms; 0s is off".to_owned(),
        }
    }

    const fn default_of_child(self) -> &'static str {
        match self {
            Self::PriorityOffset => "0",
            Self::PriorityPolicy
            | Self::PreemptionPolicy
            | Self::ApplicationSortPolicy
            | Self::ApplicationSortPriority
            | Self::PreemptionDelay
            | Self::QuotaPreemptionDelay => "default",
        }
    }

    fn is_inherited(self, value: &str) -> bool {
        match self {
            Self::PriorityPolicy | Self::PriorityOffset => false,
            Self::PreemptionPolicy => PreemptionPolicy::parse(value).is_some_and(|policy| !policy.is_enabled()),
            Self::ApplicationSortPolicy
            | Self::ApplicationSortPriority
            | Self::PreemptionDelay
            | Self::QuotaPreemptionDelay => true,
        }
    }
}

/// The default of `preemption.delay`.
pub const DEFAULT_PREEMPTION_DELAY: Duration = Duration::from_secs(30);

const DEFAULT_ASK_BACKOFF_DELAY: Duration = Duration::from_secs(30);
/// Requests without a node after which the others wait (D-19), from 1.8.0 on. Not a [`PropertyKey`], because it has no
/// effect in the default profile.
const ASK_BACKOFF: &str = "application.unschedasks.backoff";
const ASK_BACKOFF_DELAY: &str = "application.unschedasks.backoff.delay";

/// The effective settings of a queue, from its merged properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct QueueProperties {
    /// The order of applications; only for leaves.
    pub app_sort: AppSortPolicy,
    /// For applications and for children.
    pub sort_by_priority: bool,
    /// The visibility of priorities outside.
    pub priority_policy: PriorityPolicy,
    /// Added to the priorities inside, or replaces them (fence).
    pub priority_offset: i32,
    /// The reach of preemption.
    pub preemption_policy: PreemptionPolicy,
    /// How long a request waits before it may preempt; only for leaves.
    pub preemption_delay: Duration,
    /// Before a maximum is enforced (N-01); 0: unlimited.
    #[serde(default)]
    pub quota_preemption_delay: Duration,
    /// Requests without a node after which the others wait (D-19); 0 is off. Only for leaves.
    #[serde(default)]
    pub ask_backoff: u64,
    /// How long they wait.
    #[serde(default = "default_ask_backoff_delay")]
    pub ask_backoff_delay: Duration,
}

const fn default_ask_backoff_delay() -> Duration {
    DEFAULT_ASK_BACKOFF_DELAY
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
            quota_preemption_delay: Duration::ZERO,
            ask_backoff: 0,
            ask_backoff_delay: DEFAULT_ASK_BACKOFF_DELAY,
        }
    }
}

impl QueueProperties {
    /// A missing or invalid value is the default.
    pub fn from_map<'a>(properties: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut read = Self::default();
        for (key, value) in properties {
            let _understood = read.set(key, value);
        }
        read
    }

    /// Parses the merged properties of a queue.
    pub fn of(merged: &MergedProperties) -> Self {
        Self::from_map(merged.iter().map(|(key, property)| (key.as_str(), property.value.as_str())))
    }

    /// Changes only the properties in `merged`, as the releases reload (`profiles.md` section 5.2).
    #[must_use]
    pub fn overlaid(mut self, merged: &MergedProperties) -> Self {
        for (key, property) in merged {
            // An invalid value sets the default.
            let _understood = self.set(key, &property.value);
        }
        self
    }

    /// Reads the delay by its old name if the new one is absent (N-01).
    pub fn read_old_quota_delay(&mut self, merged: &MergedProperties) {
        let key = PropertyKey::QuotaPreemptionDelay.name();
        if let Some(old) = merged.get(OLD_QUOTA_DELAY).filter(|_| !merged.contains_key(key)) {
            let _understood = self.set(key, &old.value);
        }
    }

    /// An unknown key changes nothing.
    ///
    /// # Errors
    /// The known key with an invalid value; its default is then set.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), PropertyKey> {
        let default = Self::default();
        match key {
            ASK_BACKOFF => {
                let count = value.parse().ok().filter(|_| !value.starts_with('+'));
                take(&mut self.ask_backoff, count, default.ask_backoff);
            }
            ASK_BACKOFF_DELAY => {
                let delay = parse_duration(value).filter(|delay| !delay.is_zero());
                take(&mut self.ask_backoff_delay, delay, default.ask_backoff_delay);
            }
            _ => {}
        }
        let Some(key) = PropertyKey::parse(key) else { return Ok(()) };
        let is_good = match key {
            PropertyKey::ApplicationSortPolicy => {
                take(&mut self.app_sort, AppSortPolicy::parse(value), default.app_sort)
            }
            PropertyKey::ApplicationSortPriority => {
                let enabled = PrioritySorting::parse(value).map(PrioritySorting::is_enabled);
                take(&mut self.sort_by_priority, enabled, default.sort_by_priority)
            }
            PropertyKey::PriorityPolicy => {
                take(&mut self.priority_policy, PriorityPolicy::parse(value), default.priority_policy)
            }
            PropertyKey::PriorityOffset => take(&mut self.priority_offset, value.parse().ok(), default.priority_offset),
            PropertyKey::PreemptionPolicy => {
                take(&mut self.preemption_policy, PreemptionPolicy::parse(value), default.preemption_policy)
            }
            PropertyKey::PreemptionDelay => {
                let delay = parse_duration(value).filter(|delay| !delay.is_zero());
                take(&mut self.preemption_delay, delay, default.preemption_delay)
            }
            PropertyKey::QuotaPreemptionDelay => {
                take(&mut self.quota_preemption_delay, parse_duration(value), default.quota_preemption_delay)
            }
        };
        if is_good { Ok(()) } else { Err(key) }
    }
}

/// Returns whether a value was parsed.
fn take<T>(field: &mut T, read: Option<T>, default: T) -> bool {
    let is_good = read.is_some();
    *field = read.unwrap_or(default);
    is_good
}

/// A property of a queue with its origin.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Property {
    /// The value as written.
    pub value: String,
    /// The queue, this one or an ancestor, that configures it.
    pub from: QueuePath,
    /// The location in the file.
    pub at: Place,
    /// Whether it is from that queue's child template.
    pub template: bool,
}

/// The own and inherited properties of a queue by key.
pub type MergedProperties = BTreeMap<String, Property>;

/// The properties of the parent, overridden by its own.
///
/// `priority.policy` and `priority.offset` are not inherited, `preemption.policy` only if `disabled`, all other keys
/// always. A map that is inherited completely is shared.
pub fn inherit(
    parent: &Arc<MergedProperties>,
    path: &QueuePath,
    own: &BTreeMap<String, Placed<String>>,
) -> Arc<MergedProperties> {
    let is_inherited =
        |key: &str, property: &Property| PropertyKey::parse(key).is_none_or(|key| key.is_inherited(&property.value));
    if own.is_empty() && parent.iter().all(|(key, property)| is_inherited(key, property)) {
        return Arc::clone(parent);
    }
    let inherited = parent.iter().filter(|(key, property)| is_inherited(key, property));
    let mut merged: MergedProperties = inherited.map(|(key, property)| (key.clone(), property.clone())).collect();
    for (key, value) in own {
        let own = Property { value: value.value.clone(), from: path.clone(), at: value.at, template: false };
        merged.insert(key.clone(), own);
    }
    Arc::new(merged)
}

/// The same as in the releases for a new queue: a key that is not inherited has its default.
pub fn inherit_with_defaults(
    parent: &Arc<MergedProperties>,
    path: &QueuePath,
    own: &BTreeMap<String, Placed<String>>,
) -> Arc<MergedProperties> {
    let mut merged = inherit(parent, path, own);
    let left_out = parent.iter().filter(|(key, _)| !merged.contains_key(*key)).filter_map(|(key, property)| {
        let value = PropertyKey::parse(key)?.default_of_child().to_owned();
        Some((key.clone(), Property { value, ..property.clone() }))
    });
    let left_out: Vec<(String, Property)> = left_out.collect();
    if !left_out.is_empty() {
        Arc::make_mut(&mut merged).extend(left_out);
    }
    merged
}

/// Parses a duration in Go's format: numbers with units `ns us µs ms s m h`, or `0`. `None` if it is invalid, negative,
/// or more than 63 bits of nanoseconds.
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

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

#[cfg(test)]
mod tests;
