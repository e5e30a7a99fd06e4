//! The summary of several pairs of runs with different seeds.

use std::collections::BTreeMap;

use super::compare::{Comparison, Effect};
use super::tally::Metrics;
use model::{AppId, QueuePath};

/// Percentiles that occurred, without interpolation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// At most every tenth run gave less.
    pub p10: f64,
    /// As many runs gave less as gave more.
    pub median: f64,
    /// At most every tenth run gave more.
    pub p90: f64,
}

impl Spread {
    /// 0 without values.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let last = values.len().saturating_sub(1);
        let at = |tenths: usize| values.get((last * tenths + 5) / 10).copied().unwrap_or_default();
        Self { p10: at(1), median: at(5), p90: at(9) }
    }
}

/// Increases by the changes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MoreBy {
    /// Applications that first got something.
    pub started: Spread,
    /// Applications that ended.
    pub ended: Spread,
    /// Allocations that others took.
    pub preempted: Spread,
    /// Pending requests at the end.
    pub waiting: Spread,
    /// Mean wait of a request in seconds.
    pub mean_wait: Spread,
    /// Requests that waited longer than the plan's `long_wait`.
    pub long_waits: Spread,
    /// Seconds with pending requests for guaranteed resources.
    pub below_guarantee: Spread,
}

impl MoreBy {
    fn of(pairs: &[(&Metrics, &Metrics)]) -> Self {
        let spread = |metric: fn(&Metrics) -> f64| {
            Spread::of(pairs.iter().map(|(without, with)| metric(with) - metric(without)).collect())
        };
        Self {
            started: spread(|metrics| metrics.started as f64),
            ended: spread(|metrics| metrics.ended as f64),
            preempted: spread(|metrics| metrics.preempted as f64),
            waiting: spread(|metrics| metrics.waiting as f64),
            mean_wait: spread(|metrics| metrics.mean_wait().as_secs_f64()),
            long_waits: spread(|metrics| metrics.long_waits as f64),
            below_guarantee: spread(|metrics| metrics.below_guarantee.as_secs_f64()),
        }
    }
}

/// The effects on an application in all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct AppSpread {
    /// The id of the application.
    pub app: AppId,
    /// Runs by effect, without equal runs.
    pub effects: BTreeMap<&'static str, usize>,
    /// Seconds, in the runs in which the start differs.
    pub later_by: Option<Spread>,
}

/// The summary of several pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Several {
    /// Number of pairs.
    pub runs: usize,
    /// Number of pairs with a difference.
    pub differing: usize,
    /// Totals of the partition.
    pub total: MoreBy,
    /// Queues that differ in any run.
    pub queues: BTreeMap<QueuePath, MoreBy>,
    /// Those that differ in any run, the most frequent first.
    pub apps: Vec<AppSpread>,
}

/// Summarizes pairs of runs.
pub fn together(pairs: &[&Comparison]) -> Several {
    let totals: Vec<(&Metrics, &Metrics)> = pairs.iter().map(|pair| (&pair.total[0], &pair.total[1])).collect();
    let nothing = Metrics::default();
    let queue = |path: &QueuePath| {
        let both = pairs.iter().map(|pair| match pair.queues.get(path) {
            Some((without, with)) => (without.as_ref().unwrap_or(&nothing), with.as_ref().unwrap_or(&nothing)),
            None => (&nothing, &nothing),
        });
        MoreBy::of(&both.collect::<Vec<_>>())
    };
    let paths: Vec<&QueuePath> = pairs.iter().flat_map(|pair| pair.queues.keys()).collect();
    let queues = paths.into_iter().map(|path| (path.clone(), queue(path))).collect();
    let mut apps: BTreeMap<&AppId, (BTreeMap<&'static str, usize>, Vec<f64>)> = BTreeMap::new();
    for app in pairs.iter().flat_map(|pair| &pair.apps) {
        let (effects, later) = apps.entry(&app.app).or_default();
        *effects.entry(app.effect.name()).or_default() += 1;
        match app.effect {
            Effect::Later(by) => later.push(by.as_secs_f64()),
            Effect::Sooner(by) => later.push(-by.as_secs_f64()),
            _ => {}
        }
    }
    let apps = apps.into_iter().map(|(app, (effects, later))| AppSpread {
        app: app.clone(),
        effects,
        later_by: (!later.is_empty()).then(|| Spread::of(later)),
    });
    let mut apps: Vec<AppSpread> = apps.collect();
    apps.sort_by_key(|app| std::cmp::Reverse(app.effects.values().sum::<usize>()));
    let differing = pairs.iter().filter(|pair| !pair.is_empty()).count();
    Several { runs: pairs.len(), differing, total: MoreBy::of(&totals), queues, apps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let spread = |values: &[f64]| Spread::of(values.to_vec());
        assert_eq!(spread(&[]), Spread::default());
        assert_eq!(spread(&[7.0]), Spread { p10: 7.0, median: 7.0, p90: 7.0 });
        let ten: Vec<f64> = (0..=10).rev().map(f64::from).collect();
        assert_eq!(spread(&ten), Spread { p10: 1.0, median: 5.0, p90: 9.0 });
    }
}
