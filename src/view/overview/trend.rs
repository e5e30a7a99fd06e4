//! What changed: the cluster in steps over the last hour, and the queues that changed most.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::{Given, percent};
use crate::model::{QueuePath, Time, VCORE};
use crate::view::trends::{Measure, Rings, Subject, SubjectKind, Value};
use crate::view::units::show_amount;
use crate::view::waiting::{SheetLine, Target, resource_word};
use crate::view::{PartitionSample, PartitionView, QueueRow, Sample};

/// How many queues are shown, and how many on a screen with fewer rows than [`TALL`].
const MOST: usize = 5;
const FEW: usize = 3;
const TALL: usize = 24;
/// How far back the trend looks.
const HOUR: Duration = Duration::from_secs(3600);

/// The trend of the last hour, and the queues that changed most since one looked last, or in the last hour.
pub(super) fn lines(given: &Given, part: &PartitionView) -> Vec<SheetLine> {
    let mut lines: Vec<SheetLine> = trend(given, part).into_iter().collect();
    let from = given.looked.unwrap_or(Time(given.at.0.saturating_sub(HOUR.as_micros() as u64)));
    let Some((sample, before)) = sample_at(given, part, from) else {
        lines.push(SheetLine::new("changed", "not known: nothing earlier was sampled"));
        return lines;
    };
    let rows = changed(part, before, if given.rows < TALL { FEW } else { MOST });
    if rows.is_empty() {
        lines.push(SheetLine::new("changed", "no queue").since(Some(sample.at)));
    }
    for (at, (path, text)) in rows.into_iter().enumerate() {
        let label = if at > 0 { "" } else { "changed" };
        let line = SheetLine::new(label, text).since((at == 0).then_some(sample.at));
        lines.push(line.to(Some(Target::Queue(path))));
    }
    lines
}

/// The last sample of a partition that is not after a time; the first one, where all are after it. None that is too old to have queues.
fn sample_at<'v>(given: &'v Given, part: &PartitionView, from: Time) -> Option<(&'v Arc<Sample>, &'v PartitionSample)> {
    let own = |sample: &'v Arc<Sample>| {
        let own = sample.partitions.iter().find(|own| own.name == part.name)?;
        let complete = !own.queues.is_empty() || (own.allocated.is_zero() && own.pending.is_zero());
        complete.then_some((sample, own))
    };
    let known = || given.view.history.iter().filter(|sample| sample.at < given.at).filter_map(own);
    known().take_while(|(sample, _)| sample.at <= from).last().or_else(|| known().next())
}

/// The share of cpu in use in steps of ten minutes, the oldest first.
fn trend(given: &Given, part: &PartitionView) -> Option<SheetLine> {
    let mut shares = Vec::new();
    for step in (1..=6_u64).rev() {
        // Before it began there is nothing to show.
        let Some(from) = given.at.0.checked_sub(step * HOUR.as_micros() as u64 / 6).map(Time) else { continue };
        // The step is a gap where nothing was sampled near it.
        let near = |sample: &&Arc<Sample>| sample.at.since(from).max(from.since(sample.at)) <= Duration::from_secs(90);
        let own = given.view.history.iter().find(near).and_then(|sample| {
            let own = sample.partitions.iter().find(|own| own.name == part.name)?;
            percent(own.allocated.amount(VCORE), own.capacity.amount(VCORE))
        });
        shares.push(own.or_else(|| measured(given.trends.as_ref()?, from)));
    }
    let now = percent(part.allocated.amount(VCORE), part.capacity.amount(VCORE))?;
    let word = |share: &Option<i64>| share.map_or_else(|| "?".to_owned(), |share| format!("{share}%"));
    let all: Vec<String> = shares.iter().map(word).collect();
    let text = match shares.iter().any(Option::is_some) {
        true => format!("cpu in use, every 10 min: {}, now {now}%", all.join(" ")),
        false => format!("cpu in use {now}%; nothing is known of 10 minutes ago"),
    };
    Some(SheetLine::new("trend", text))
}

/// The share of cpu in use in the minute of a time, as it was measured.
fn measured(rings: &Rings, from: Time) -> Option<i64> {
    let figure = |measure| {
        let value = Value::amount(SubjectKind::Cluster, measure, VCORE);
        let minute = rings.series(&Subject::Cluster, &value, from, from + Duration::from_secs(60), 1);
        minute.figures.first().copied().flatten().map(|figure| figure.mean)
    };
    percent(figure(Measure::Use)?, figure(Measure::Maximum)?)
}

/// The leaves whose use or demand changed most, by their share of the cluster.
fn changed(part: &PartitionView, before: &PartitionSample, most: usize) -> Vec<(QueuePath, String)> {
    let mut was: BTreeMap<&QueuePath, _> = before.queues.iter().map(|queue| (&queue.queue, queue)).collect();
    let mut rows: Vec<(i128, QueuePath, String)> = Vec::new();
    let mut add = |path: &QueuePath, now: Option<&QueueRow>, old: Option<&crate::view::QueueSample>| {
        let names = part.capacity.iter().filter(|(_, amount)| *amount > 0);
        let figures = names.map(|(name, all)| {
            let amount =
                |resource: Option<&crate::model::Resource>| resource.map_or(0, |resource| resource.amount(name));
            let used = (amount(old.map(|old| &old.allocated)), amount(now.map(|now| &now.allocated)));
            let pending = (amount(old.map(|old| &old.pending)), amount(now.map(|now| &now.pending)));
            let moved = i128::from(used.0.abs_diff(used.1)) + i128::from(pending.0.abs_diff(pending.1));
            (moved * 10_000 / i128::from(all.max(1)), name, used, pending)
        });
        let Some((weight, name, used, pending)) = figures.max_by_key(|(weight, ..)| *weight) else { return };
        if weight == 0 {
            return;
        }
        let show = |(from, to)| match from == to {
            true => show_amount(name, to),
            false => format!("{} to {}", show_amount(name, from), show_amount(name, to)),
        };
        let mut text = format!("{path}: {} {}", resource_word(name), show(used));
        if pending.0 != pending.1 {
            text += &format!(", pending {}", show(pending));
        }
        rows.push((weight, path.clone(), text));
    };
    for queue in part.walk().filter(|queue| queue.leaf) {
        add(&queue.path, Some(queue), was.remove(&queue.path));
    }
    // What is left was there before, and is gone or is a parent.
    let gone = was.into_iter().filter(|(path, _)| part.queue_at(path).is_none());
    for (path, old) in gone {
        let leaf = !before.queues.iter().any(|other| other.queue != *path && other.queue.is_within(path));
        if leaf {
            add(path, None, Some(old));
        }
    }
    rows.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    rows.truncate(most);
    rows.into_iter().map(|(_, path, text)| (path, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::trends::{Layout, Moment, Recorder, Row};

    #[test]
    fn a_share_of_an_earlier_time_is_read_from_what_was_measured() {
        let layout = Layout { resources: [VCORE.into()].into() };
        let mut recorder = Recorder::default();
        for at in (0..600).step_by(10) {
            let mut figures = vec![None; layout.width()];
            for (measure, figure) in [(Measure::Use, at * 10), (Measure::Maximum, 10_000)] {
                let place = layout.place(&Value::amount(SubjectKind::Cluster, measure, VCORE));
                figures[place.unwrap()] = Some(figure);
            }
            let row = Row { subject: Subject::Cluster, figures: figures.into() };
            let at = Time(u64::try_from(at).unwrap() * 1_000_000);
            recorder.add(&Moment { at, partition: "default".into(), layout: layout.clone(), rows: vec![row] });
        }
        let share = |second: u64| measured(recorder.rings(), Time(second * 1_000_000));
        assert_eq!([share(60), share(480), share(3600)], [Some(8), Some(50), None]);
    }
}
