//! The largest changes since the last look: from samples, and from trends for earlier times.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Given;
use crate::trends::{Measure, Rings, Subject, SubjectKind, Value};
use crate::units::show_amount;
use crate::waiting::{SheetLine, Target, resource_word};
use crate::{PartitionSample, PartitionView, QueueSample, Sample};
use model::{QueuePath, Time};

/// The number of lines, and the number on a screen with fewer rows than [`TALL`].
const MOST: usize = 5;
const FEW: usize = 3;
const TALL: usize = 24;
const HOUR: Duration = Duration::from_secs(3600);
const NEAR: Duration = Duration::from_secs(90);

struct Change {
    /// The change in ten-thousandths of the cluster.
    weight: i128,
    of: Target,
    text: String,
}

pub(super) fn lines(given: &Given, part: &PartitionView) -> Vec<SheetLine> {
    let from = given.visited.unwrap_or(Time(given.at.0.saturating_sub(HOUR.as_micros() as u64)));
    let most = if given.rows < TALL { FEW } else { MOST };
    let rings = given.trends.as_ref();
    let measured = |at: Time| rings.filter(|rings| share(rings, &Subject::Cluster, at).is_some());
    let sampled = sample_at(given, part, from);
    let close = sampled.filter(|(sample, _)| sample.at.since(from) <= NEAR);
    let (at, mut changes) = match (close, measured(from), sampled) {
        (None, Some(rings), _) => (from, of_rings(rings, part, from, SubjectKind::Queue, most)),
        (Some((sample, before)), ..) | (None, None, Some((sample, before))) => (sample.at, of_samples(part, before)),
        (None, None, None) => return vec![SheetLine::new("changed", "unknown: no earlier sample")],
    };
    changes.extend(measured(at).into_iter().flat_map(|rings| of_rings(rings, part, at, SubjectKind::User, most)));
    changes.sort_by(|one, other| other.weight.cmp(&one.weight).then_with(|| one.text.cmp(&other.text)));
    if changes.is_empty() {
        return vec![SheetLine::new("changed", "no queues and no users").since(Some(at))];
    }
    let line = |(nth, change): (usize, Change)| {
        let label = if nth > 0 { "" } else { "changed" };
        SheetLine::new(label, change.text).since((nth == 0).then_some(at)).to(Some(change.of))
    };
    changes.into_iter().take(most).enumerate().map(line).collect()
}

/// The last sample not after a time, or else the first one; none so old that it has no queues.
fn sample_at<'v>(given: &'v Given, part: &PartitionView, from: Time) -> Option<(&'v Arc<Sample>, &'v PartitionSample)> {
    let own = |sample: &'v Arc<Sample>| {
        let own = sample.partitions.iter().find(|own| own.name == part.name)?;
        let complete = !own.queues.is_empty() || (own.allocated.is_zero() && own.pending.is_zero());
        complete.then_some((sample, own))
    };
    let known = || given.view.history.iter().filter(|sample| sample.at < given.at).filter_map(own);
    known().take_while(|(sample, _)| sample.at <= from).last().or_else(|| known().next())
}

type Amounts = (i64, i64);

fn largest(
    part: &PartitionView,
    old: &dyn Fn(&str) -> Amounts,
    new: &dyn Fn(&str) -> Amounts,
) -> Option<(i128, String)> {
    let of = |(name, all): (&'_ str, i64)| {
        let ((used, pending), (used_now, pending_now)) = (old(name), new(name));
        let moved = i128::from(used.abs_diff(used_now)) + i128::from(pending.abs_diff(pending_now));
        let show = |from, to| match from == to {
            true => show_amount(name, to),
            false => format!("{} to {}", show_amount(name, from), show_amount(name, to)),
        };
        let mut text = format!("{} {}", resource_word(name), show(used, used_now));
        if pending != pending_now {
            text += &format!(", pending {}", show(pending, pending_now));
        }
        (moved * 10_000 / i128::from(all.max(1)), text)
    };
    let names = part.capacity.iter().filter(|(_, amount)| *amount > 0);
    names.map(of).max_by_key(|(weight, _)| *weight).filter(|(weight, _)| *weight > 0)
}

fn of_samples(part: &PartitionView, before: &PartitionSample) -> Vec<Change> {
    let mut was: BTreeMap<&QueuePath, &QueueSample> = before.queues.iter().map(|queue| (&queue.queue, queue)).collect();
    let old = |sample: Option<&QueueSample>, name: &str| {
        sample.map_or((0, 0), |sample| (sample.allocated.amount(name), sample.pending.amount(name)))
    };
    let change = |path: &QueuePath, (weight, text): (i128, String)| Change {
        weight,
        of: Target::Queue(path.clone()),
        text: format!("{path}: {text}"),
    };
    let mut changes = Vec::new();
    for queue in part.walk().filter(|queue| queue.leaf) {
        let sample = was.remove(&queue.path);
        let new = |name: &str| (queue.allocated.amount(name), queue.pending.amount(name));
        changes.extend(largest(part, &|name| old(sample, name), &new).map(|found| change(&queue.path, found)));
    }
    // The remaining queues were removed or became parents.
    for (path, sample) in was.into_iter().filter(|(path, _)| part.queue_at(path).is_none()) {
        let leaf = !before.queues.iter().any(|other| other.queue != *path && other.queue.is_within(path));
        let found = largest(part, &|name| old(Some(sample), name), &|_| (0, 0)).filter(|_| leaf);
        changes.extend(found.map(|found| change(path, found)));
    }
    changes
}

fn metric(rings: &Rings, of: &Subject, value: &Value, at: Time) -> Option<i64> {
    let minute = rings.series(of, value, at, at + Duration::from_secs(60), 1);
    minute.metrics.first().copied().flatten().map(|metric| metric.mean)
}

fn share(rings: &Rings, of: &Subject, at: Time) -> Option<i64> {
    metric(rings, of, &Value::plain(of.kind(), Measure::Share), at)
}

/// The largest changes since a measured time, by share of the cluster. A subject without a measurement then had 0.
fn of_rings(rings: &Rings, part: &PartitionView, at: Time, kind: SubjectKind, most: usize) -> Vec<Change> {
    let counts = |of: &&Subject| match of {
        Subject::Queue(path) => part.queue_at(path).is_some_and(|queue| queue.leaf),
        of => of.kind() == kind,
    };
    let moved = |of: &'_ Subject| {
        let now = rings.newest_metric(of, &Value::plain(kind, Measure::Share)).unwrap_or(0);
        now.abs_diff(share(rings, of, at).unwrap_or(0))
    };
    let of_kind = rings.subjects().filter(|of| of.kind() == kind).filter(counts);
    let mut ranked: Vec<(u64, &Subject)> = of_kind.map(|of| (moved(of), of)).filter(|(moved, _)| *moved > 0).collect();
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    let change = |(_, of): (u64, &Subject)| {
        let both = |name: &str, read: &dyn Fn(&Value) -> Option<i64>| {
            let one = |measure| read(&Value::amount(kind, measure, name)).unwrap_or(0);
            (one(Measure::Use), one(Measure::Pending))
        };
        let old = |name: &str| both(name, &|value| metric(rings, of, value, at));
        let new = |name: &str| both(name, &|value| rings.newest_metric(of, value));
        let (weight, text) = largest(part, &old, &new)?;
        let (name, of) = match of {
            Subject::Queue(path) => (path.to_string(), Target::Queue(path.clone())),
            of => (of.to_string(), Target::User(of.name().to_owned())),
        };
        Some(Change { weight, of, text: format!("{name}: {text}") })
    };
    ranked.into_iter().take(most).filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;
    use crate::overview::overview;
    use crate::trends::{Layout, Moment, Recorder, Row};
    use crate::unread::{NO_APPS, NO_NODES, Unread};
    use model::VCORE;

    const MINUTE: u64 = 60_000_000;

    /// A cluster of 10 cores, measured for this many minutes, in which sue uses one more core per minute.
    fn given(minutes: u64, visited: u64) -> Given {
        let layout = Layout { resources: [VCORE.into()].into() };
        let mut recorder = Recorder::default();
        for step in 0..minutes * 6 {
            let at = Time(step * 10_000_000);
            let used = i64::try_from(step / 6).unwrap() * 1000;
            let row = |subject: Subject| {
                let kind = subject.kind();
                let mut metrics = vec![None; layout.width()];
                for (value, metric) in
                    [(Value::amount(kind, Measure::Use, VCORE), used), (Value::plain(kind, Measure::Share), used / 10)]
                {
                    metrics[layout.place(&value).unwrap()] = Some(metric);
                }
                Row { subject, metrics: metrics.into() }
            };
            let rows = vec![row(Subject::Cluster), row(Subject::User("sue".into()))];
            recorder.add(&Moment { at, partition: "default".into(), layout: layout.clone(), rows });
        }
        let capacity = [(VCORE, 10_000)].into_iter().collect();
        let part = PartitionView { name: "default".into(), capacity, ..PartitionView::default() };
        Given {
            view: Arc::new(View { partitions: vec![part], ..View::default() }),
            partition: "default".into(),
            at: Time(minutes * MINUTE),
            happened: Vec::new(),
            unread: Unread::default(),
            cycle: None,
            connection: None,
            health: None,
            faults: None,
            alerts: Vec::new(),
            rows: 40,
            trends: Some(recorder.rings().clone()),
            visited: Some(Time(visited * MINUTE)),
        }
    }

    #[test]
    fn measurements_show_the_changes_since_an_earlier_session() {
        let given = given(8, 2);
        let found = lines(&given, &given.view.partitions[0]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].text, "user sue: cpu 2 to 7");
        assert_eq!((found[0].since, found[0].to.clone()), (given.visited, Some(Target::User("sue".to_owned()))));
    }

    #[test]
    fn what_is_not_read_yet_is_not_called_nothing() {
        let lines = |unread| {
            let sheet = overview(&Given { unread, ..given(8, 2) }).unwrap();
            let of = |label: &str| sheet.lines.iter().find(|line| line.label == label).unwrap().text.clone();
            (sheet.sentence.clone(), of("demand"), of("free"))
        };
        let (sentence, demand, free) = lines(Unread { apps: true, nodes: true, users: true, ..Unread::default() });
        assert_eq!(sentence, "loading applications, loading nodes");
        assert_eq!((demand.as_str(), free.as_str()), (NO_APPS, NO_NODES));
        let (_, demand, free) = lines(Unread::default());
        assert_ne!((demand.as_str(), free.as_str()), (NO_APPS, NO_NODES));
    }

    #[test]
    fn what_was_never_measured_is_not_known() {
        let given = Given { visited: Some(Time(50 * MINUTE)), at: Time(60 * MINUTE), ..given(8, 2) };
        let found = lines(&given, &given.view.partitions[0]);
        assert!(found[0].text.starts_with("unknown: "), "{found:?}");
    }
}
