//! Differences between the run without changes and the run with them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::tally::{AppTally, Decision, Metrics, NodeTally, Tally};
use super::verdict;
use model::{AppId, NodeId, QueuePath, Time};

/// The first effect that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It is refused, and would not be.
    Rejected,
    /// It is killed, and would not be.
    Killed,
    /// More of it is preempted.
    Preempted,
    /// No longer starts.
    NotStarted,
    /// It starts, and would not.
    Started,
    /// Starts later by this time.
    Later(Duration),
    /// Starts sooner by this time.
    Sooner(Duration),
    /// Less of it is preempted.
    Spared,
    /// Ends later, or no longer within the run.
    EndsLater,
    /// Ends sooner, or newly within the run.
    EndsSooner,
    /// Its requests wait longer.
    WaitsLonger,
    /// Its requests wait less.
    WaitsLess,
    /// Any other difference.
    Other,
}

impl Effect {
    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Killed => "killed",
            Self::Preempted => "preempted",
            Self::NotStarted => "notStarted",
            Self::Started => "started",
            Self::Later(_) => "later",
            Self::Sooner(_) => "sooner",
            Self::Spared => "spared",
            Self::EndsLater => "endsLater",
            Self::EndsSooner => "endsSooner",
            Self::WaitsLonger => "waitsLonger",
            Self::WaitsLess => "waitsLess",
            Self::Other => "other",
        }
    }

    /// Returns the delay or gain of the start.
    pub const fn by(self) -> Option<Duration> {
        match self {
            Self::Later(by) | Self::Sooner(by) => Some(by),
            _ => None,
        }
    }
}

/// An application that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct AppDifference {
    /// The id of the application.
    pub app: AppId,
    /// Effect of the changes.
    pub effect: Effect,
    /// `None` if it exists only with the changes.
    pub without: Option<AppTally>,
    /// `None` if it exists only without the changes.
    pub with: Option<AppTally>,
}

/// The first different decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstDifference {
    /// The earlier of the two times.
    pub at: Time,
    /// Decision without the changes; `None` for none.
    pub without: Option<String>,
    /// Decision with the changes; `None` for none.
    pub with: Option<String>,
    /// Explained by the scheduler at that time.
    pub why_not_without: Option<String>,
    /// Explained by the scheduler at that time.
    pub why_not_with: Option<String>,
}

/// A value without and with the changes.
pub type Both<T> = (Option<T>, Option<T>);

/// All differences; equal parts are omitted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Without and with the changes, even if equal.
    pub total: [Metrics; 2],
    /// Queues that differ.
    pub queues: BTreeMap<QueuePath, Both<Metrics>>,
    /// Users that differ.
    pub users: BTreeMap<Arc<str>, Both<Metrics>>,
    /// Applications by effect, then by ID.
    pub apps: Vec<AppDifference>,
    /// Nodes with different usage.
    pub nodes: BTreeMap<NodeId, Both<NodeTally>>,
    /// First different decision.
    pub first: Option<FirstDifference>,
    /// Threshold of a long wait.
    pub long_wait: Duration,
    /// Summary in a sentence.
    pub verdict: String,
}

impl Comparison {
    /// Returns true without differences.
    pub fn is_empty(&self) -> bool {
        let Self { total: [without, with], queues, users, apps, nodes, first, .. } = self;
        let none = queues.is_empty() && users.is_empty() && apps.is_empty() && nodes.is_empty();
        none && first.is_none() && without == with
    }
}

pub(super) fn compared(
    without: &Tally,
    with: &Tally,
    first: Option<FirstDifference>,
    long_wait: Duration,
) -> Comparison {
    let ids: BTreeSet<&AppId> = without.apps.keys().chain(with.apps.keys()).collect();
    let differs = ids.into_iter().filter_map(|id| {
        let (one, other) = (without.apps.get(id), with.apps.get(id));
        let effect = effect(one, other)?;
        Some(AppDifference { app: id.clone(), effect, without: one.cloned(), with: other.cloned() })
    });
    let mut apps: Vec<AppDifference> = differs.collect();
    apps.sort_by_key(|app| app.effect);
    let mut comparison = Comparison {
        total: [without.total.clone(), with.total.clone()],
        queues: different(&without.queues, &with.queues),
        users: different(&without.users, &with.users),
        apps,
        nodes: different(&without.nodes, &with.nodes),
        first,
        long_wait,
        verdict: String::new(),
    };
    comparison.verdict = verdict::sentence(&comparison);
    comparison
}

fn different<K: Ord + Clone, V: PartialEq + Clone>(
    without: &BTreeMap<K, V>,
    with: &BTreeMap<K, V>,
) -> BTreeMap<K, Both<V>> {
    let keys: BTreeSet<&K> = without.keys().chain(with.keys()).collect();
    let both = keys.into_iter().map(|key| (key, without.get(key), with.get(key)));
    both.filter(|(_, one, other)| one != other)
        .map(|(key, one, other)| (key.clone(), (one.cloned(), other.cloned())))
        .collect()
}

pub(super) fn parting<'t>(without: &'t Tally, with: &'t Tally) -> Option<[Option<&'t Decision>; 2]> {
    let (one, other) = (&without.decisions, &with.decisions);
    let at = one.iter().zip(other).position(|(one, other)| one != other);
    let at = at.unwrap_or_else(|| one.len().min(other.len()));
    let both = [one.get(at), other.get(at)];
    both.iter().any(Option::is_some).then_some(both)
}

pub(super) fn first_difference(without: &Tally, with: &Tally) -> Option<FirstDifference> {
    let both = parting(without, with)?;
    let at = both.iter().flatten().map(|decision| decision.at).min()?;
    let same = both[0].zip(both[1]).is_some_and(|(one, other)| one.text == other.text);
    let words = |decision: &Decision| match same {
        true => format!("{}, at {}", decision.text, decision.at),
        false => decision.text.to_string(),
    };
    let [without, with] = both.map(|decision| decision.map(words));
    Some(FirstDifference { at, without, with, why_not_without: None, why_not_with: None })
}

fn effect(without: Option<&AppTally>, with: Option<&AppTally>) -> Option<Effect> {
    if without == with {
        return None;
    }
    let nothing = AppTally::default();
    let (one, other) = (without.unwrap_or(&nothing), with.unwrap_or(&nothing));
    let started = match (one.started, other.started) {
        (None, Some(_)) if !one.has_allocations => Some(Effect::Started),
        (Some(_), None) => Some(Effect::NotStarted),
        (Some(one), Some(other)) if other > one => Some(Effect::Later(other.since(one))),
        (Some(one), Some(other)) if other < one => Some(Effect::Sooner(one.since(other))),
        _ => None,
    };
    let never = Time(u64::MAX);
    let (ends, ends_with) = (one.ended.unwrap_or(never), other.ended.unwrap_or(never));
    // Per request: the runs may have different numbers of requests.
    let waits = one.waited.as_nanos() * u128::from(other.waits.max(1));
    let waits_with = other.waited.as_nanos() * u128::from(one.waits.max(1));
    Some(if other.rejected.is_some() && one.rejected.is_none() {
        Effect::Rejected
    } else if other.killed && !one.killed {
        Effect::Killed
    } else if other.preempted > one.preempted {
        Effect::Preempted
    } else if let Some(started) = started {
        started
    } else if other.preempted < one.preempted {
        Effect::Spared
    } else if ends_with > ends {
        Effect::EndsLater
    } else if ends_with < ends {
        Effect::EndsSooner
    } else if waits_with > waits {
        Effect::WaitsLonger
    } else if waits_with < waits {
        Effect::WaitsLess
    } else {
        Effect::Other
    })
}
