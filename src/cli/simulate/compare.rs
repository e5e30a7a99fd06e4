//! Runs that differ only in their seed form one line.

use std::collections::BTreeSet;

use super::sweep::{Report, Row};
use super::variant::Label;
use forecast::simulate::target::time;
use forecast::simulate::{Metrics, NEVER};
use forecast::whatif::Spread;

type Value = Box<dyn Fn(&Metrics) -> Option<f64>>;

/// [`NEVER`], or a median that includes it.
const NEVER_FROM: f64 = (NEVER / 4) as f64;

pub(super) struct Measure {
    pub title: String,
    /// The name in CSV, with its unit.
    pub key: String,
    kind: Kind,
    pub of: Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Milliseconds; fewer are better.
    Time,
    /// A count; less is better.
    Count,
    /// A share; more is better.
    Share,
}

impl Measure {
    fn new(title: &str, key: &str, kind: Kind, of: impl Fn(&Metrics) -> Option<f64> + 'static) -> Self {
        Self { title: title.to_owned(), key: key.to_owned(), kind, of: Box::new(of) }
    }

    /// A raw value: the number, or `never`.
    pub fn raw(&self, value: f64) -> String {
        if self.kind == Kind::Time && value >= NEVER_FROM { "never".to_owned() } else { value.to_string() }
    }

    pub fn shown(&self, value: f64) -> String {
        match self.kind {
            Kind::Time if value >= NEVER_FROM => time(NEVER),
            Kind::Time => time(value.round().max(0.0) as u64),
            Kind::Count => format!("{value:.0}"),
            Kind::Share => format!("{:.1} %", value * 100.0),
        }
    }

    fn more_is_better(&self) -> bool {
        self.kind == Kind::Share
    }
}

pub(super) fn measures(report: &Report) -> Vec<Measure> {
    let wait = |title: &str, key: &str, of: fn(&Metrics) -> u64| {
        Measure::new(title, key, Kind::Time, move |metrics| Some(of(metrics) as f64))
    };
    let count = |title: &str, key: &str, of: fn(&Metrics) -> u64| {
        Measure::new(title, key, Kind::Count, move |metrics| Some(of(metrics) as f64))
    };
    let mut all = vec![
        wait("wait p50", "wait_p50_ms", |metrics| metrics.total.waits.p50),
        wait("p95", "wait_p95_ms", |metrics| metrics.total.waits.p95),
        wait("p99", "wait_p99_ms", |metrics| metrics.total.waits.p99),
        count("waiting", "waiting", |metrics| metrics.total.waits.waiting),
        count("rejected", "rejected", |metrics| metrics.rejected),
        count("preempted", "preempted", |metrics| metrics.total.preempted),
        wait("makespan", "makespan_ms", |metrics| metrics.ended),
    ];
    let names: BTreeSet<&String> = report.rows.iter().flat_map(|row| row.metrics.resources.keys()).collect();
    for name in names.into_iter().filter(|name| *name != "pods") {
        let (mean, last) = (name.clone(), name.clone());
        all.push(Measure::new(name, &format!("{name}_mean"), Kind::Share, move |metrics| {
            metrics.resources.get(&mean).and_then(|used| used.share())
        }));
        all.push(Measure::new(&format!("{name} at the end"), &format!("{name}_end"), Kind::Share, move |metrics| {
            metrics.resources.get(&last).map(|used| f64::from(used.last) / 1000.0)
        }));
    }
    all.push(Measure::new("fairness", "fairness", Kind::Share, |metrics| metrics.fairness));
    // Omit columns with the same value everywhere.
    all.retain(|measure| {
        let mut values = report.rows.iter().filter_map(|row| (measure.of)(&row.metrics)).peekable();
        values.peek().is_some() && (measure.kind != Kind::Count || values.any(|value| value > 0.0))
    });
    all
}

pub(super) struct Line<'r> {
    pub label: Label,
    pub runs: Vec<&'r Row>,
}

impl Line<'_> {
    /// The median, 10th, and 90th percentile of a measure.
    pub fn spread(&self, measure: &Measure) -> Option<Spread> {
        let values: Vec<f64> = self.runs.iter().filter_map(|row| (measure.of)(&row.metrics)).collect();
        (!values.is_empty()).then(|| Spread::of(values))
    }
}

pub(super) fn lines(report: &Report) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for row in &report.rows {
        let label = row.label.without_seed();
        match lines.iter_mut().find(|line| line.label == label) {
            Some(line) => line.runs.push(row),
            None => lines.push(Line { label, runs: vec![row] }),
        }
    }
    lines
}

/// Compares each line with the first one of the same workload.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let (lines, measures) = (lines(report), measures(report));
    let labels: Vec<Label> = lines.iter().map(|line| line.label.clone()).collect();
    let mut sentences = Vec::new();
    for line in &lines {
        let first = lines.iter().find(|other| other.label.workload == line.label.workload);
        let Some(first) = first.filter(|first| first.label != line.label) else { continue };
        let (mut better, mut worse) = (Vec::new(), Vec::new());
        for measure in &measures {
            let (Some(one), Some(other)) = (line.spread(measure), first.spread(measure)) else { continue };
            let (shown, before) = (measure.shown(one.median), measure.shown(other.median));
            if shown == before {
                continue;
            }
            let side = if (one.median > other.median) == measure.more_is_better() { &mut better } else { &mut worse };
            side.push(format!("{} {shown} (was {before})", measure.title));
        }
        queues(line, first, &mut better, &mut worse);
        let part = |what: &str, all: &[String]| {
            if all.is_empty() { String::new() } else { format!(" {what}: {}.", all.join(", ")) }
        };
        let (good, bad) = (part("Better", &better), part("Worse", &worse));
        let nothing = if better.is_empty() && worse.is_empty() { " No differences." } else { "" };
        let of = first.label.short(&labels);
        sentences.push(format!("{} compared with {of}:{good}{bad}{nothing}", line.label.short(&labels)));
    }
    sentences
}

/// The largest changes of the 95th percentile of waits, two per direction.
fn queues(line: &Line<'_>, first: &Line<'_>, better: &mut Vec<String>, worse: &mut Vec<String>) {
    let [Some(one), Some(other)] = [line, first].map(|line| line.runs.first()) else { return };
    let mut changes: Vec<(i128, String)> = Vec::new();
    for queue in one.metrics.queues.iter().filter(|queue| queue.name != "root") {
        let before = other.metrics.queues.iter().find(|before| before.name == queue.name);
        let Some(before) = before else { continue };
        let (now, was) = (queue.waits.p95, before.waits.p95);
        if time(now) != time(was) {
            let by = i128::from(now) - i128::from(was);
            changes.push((by, format!("p95 of {} {} (was {})", queue.name, time(now), time(was))));
        }
    }
    changes.sort();
    better.extend(changes.iter().filter(|(by, _)| *by < 0).take(2).map(|(_, text)| text.clone()));
    worse.extend(changes.iter().rev().filter(|(by, _)| *by > 0).take(2).map(|(_, text)| text.clone()));
}
