//! The cpu usage over the last hour.

use std::sync::Arc;
use std::time::Duration;

use super::{Given, percent};
use crate::trends::{Measure, Rings, Subject, SubjectKind, Value};
use crate::waiting::SheetLine;
use crate::{PartitionView, Sample};
use model::{Time, VCORE};

const HOUR: Duration = Duration::from_secs(3600);

/// The used share of cpu in steps of 10 minutes, the oldest first.
pub(super) fn line(given: &Given, part: &PartitionView) -> Option<SheetLine> {
    let mut shares = Vec::new();
    for step in (1..=6_u64).rev() {
        // Before the start of the cluster clock.
        let Some(from) = given.at.0.checked_sub(step * HOUR.as_micros() as u64 / 6).map(Time) else { continue };
        // The step is a gap without a sample near it.
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
        false => format!("cpu in use {now}%; no data from 10 minutes ago"),
    };
    Some(SheetLine::new("trend", text))
}

fn measured(rings: &Rings, from: Time) -> Option<i64> {
    let metric = |measure| {
        let value = Value::amount(SubjectKind::Cluster, measure, VCORE);
        let minute = rings.series(&Subject::Cluster, &value, from, from + Duration::from_secs(60), 1);
        minute.metrics.first().copied().flatten().map(|metric| metric.mean)
    };
    percent(metric(Measure::Use)?, metric(Measure::Maximum)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trends::{Layout, Moment, Recorder, Row};

    #[test]
    fn a_share_of_an_earlier_time_is_read_from_what_was_measured() {
        let layout = Layout { resources: [VCORE.into()].into() };
        let mut recorder = Recorder::default();
        for at in (0..600).step_by(10) {
            let mut metrics = vec![None; layout.width()];
            for (measure, metric) in [(Measure::Use, at * 10), (Measure::Maximum, 10_000)] {
                let place = layout.place(&Value::amount(SubjectKind::Cluster, measure, VCORE));
                metrics[place.unwrap()] = Some(metric);
            }
            let row = Row { subject: Subject::Cluster, metrics: metrics.into() };
            let at = Time(u64::try_from(at).unwrap() * 1_000_000);
            recorder.add(&Moment { at, partition: "default".into(), layout: layout.clone(), rows: vec![row] });
        }
        let share = |second: u64| measured(recorder.rings(), Time(second * 1_000_000));
        assert_eq!([share(60), share(480), share(3600)], [Some(8), Some(50), None]);
    }
}
