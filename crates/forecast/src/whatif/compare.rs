//! The differences between the run without the changes and the run with them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::tally::{AppTally, Decision, Figures, NodeTally, Tally};
use super::verdict;
use model::{AppId, NodeId, QueuePath, Time};

/// What the changes do to an application; the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It is refused, and would not be.
    Rejected,
    /// It is killed, and would not be.
    Killed,
    /// More of it is preempted.
    Preempted,
    /// It would start, and does not.
    NotStarted,
    /// It starts, and would not.
    Started,
    /// It starts so much later.
    Later(Duration),
    /// It starts so much sooner.
    Sooner(Duration),
    /// Less of it is preempted.
    Spared,
    /// It ends later, or not within the time.
    EndsLater,
    /// It ends sooner, or within the time.
    EndsSooner,
    /// Its asks wait longer.
    WaitsLonger,
    /// Its asks wait less.
    WaitsLess,
    /// Something else of it is different.
    Other,
}

impl Effect {
    /// The word for it.
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

    /// By how much it starts later or sooner.
    pub const fn by(self) -> Option<Duration> {
        match self {
            Self::Later(by) | Self::Sooner(by) => Some(by),
            _ => None,
        }
    }
}

/// An application with another course.
#[derive(Clone, Debug, PartialEq)]
pub struct AppDifference {
    /// The id of the application.
    pub app: AppId,
    /// What the changes do to it.
    pub effect: Effect,
    /// Without the changes; `None` if it is only there with them.
    pub without: Option<AppTally>,
    /// Its course with the changes; `None` if it is only there without.
    pub with: Option<AppTally>,
}

/// The first decision that is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstDifference {
    /// When; of the two the earlier.
    pub at: Time,
    /// What is decided without the changes; `None` where nothing is any more.
    pub without: Option<String>,
    /// What is decided with them.
    pub with: Option<String>,
    /// Why what is decided with the changes is not decided without them, as the scheduler explains it at that time.
    pub why_not_without: Option<String>,
    /// Why what is decided without the changes is not decided with them.
    pub why_not_with: Option<String>,
}

/// Something without and with the changes.
pub type Both<T> = (Option<T>, Option<T>);

/// All that differs. What is the same in both runs is not in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The whole partition without and with the changes, also where both are the same.
    pub total: [Figures; 2],
    /// Queues with other figures.
    pub queues: BTreeMap<QueuePath, Both<Figures>>,
    /// Users with other figures.
    pub users: BTreeMap<Arc<str>, Both<Figures>>,
    /// Applications, by what happens to them, then by id.
    pub apps: Vec<AppDifference>,
    /// Nodes with other usage.
    pub nodes: BTreeMap<NodeId, Both<NodeTally>>,
    /// The first decision that is another one.
    pub first: Option<FirstDifference>,
    /// From which time on a wait is counted as a long one.
    pub long_wait: Duration,
    /// All of it in a sentence.
    pub verdict: String,
}

impl Comparison {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        let Self { total: [without, with], queues, users, apps, nodes, first, .. } = self;
        let none = queues.is_empty() && users.is_empty() && apps.is_empty() && nodes.is_empty();
        none && first.is_none() && without == with
    }
}

/// What differs between two runs that started at the same moment.
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

/// Where the decisions of both runs part, if they do.
pub(super) fn parting<'t>(without: &'t Tally, with: &'t Tally) -> Option<[Option<&'t Decision>; 2]> {
    let (one, other) = (&without.decisions, &with.decisions);
    let at = one.iter().zip(other).position(|(one, other)| one != other);
    let at = at.unwrap_or_else(|| one.len().min(other.len()));
    let both = [one.get(at), other.get(at)];
    both.iter().any(Option::is_some).then_some(both)
}

/// The first decision of two runs that is another one, or the same at another time, without reasons.
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

/// What happens to an application; `None` where it is the same.
fn effect(without: Option<&AppTally>, with: Option<&AppTally>) -> Option<Effect> {
    if without == with {
        return None;
    }
    let nothing = AppTally::default();
    let (one, other) = (without.unwrap_or(&nothing), with.unwrap_or(&nothing));
    let started = match (one.started, other.started) {
        (None, Some(_)) if !one.held => Some(Effect::Started),
        (Some(_), None) => Some(Effect::NotStarted),
        (Some(one), Some(other)) if other > one => Some(Effect::Later(other.since(one))),
        (Some(one), Some(other)) if other < one => Some(Effect::Sooner(one.since(other))),
        _ => None,
    };
    let never = Time(u64::MAX);
    let (ends, ends_with) = (one.ended.unwrap_or(never), other.ended.unwrap_or(never));
    // Waits are compared by the ask, since there may be more asks in one of the runs.
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
