//! A condition on a run, for example `p95(wait, root.prod) < 10m`.

use std::fmt;
use std::str::FromStr;

use super::metrics::{Group, Metrics, Waits};
use super::never::NEVER;
use config::properties::parse_duration;

/// Times in milliseconds, shares in thousandths.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Measure {
    Wait(Percentile, Subject),
    Waiting(Subject),
    Preempted(Subject),
    Rejected,
    Utilisation(String),
    Makespan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Percentile {
    Mean,
    P50,
    P95,
    P99,
    Max,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    All,
    Queue(String),
    User(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    AtMost,
    More,
    AtLeast,
}

/// A condition on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    measure: Measure,
    comparison: Comparison,
    limit: u64,
    text: String,
}

impl Target {
    /// Returns the value in the unit of the limit; `None` for a missing queue, or a wait without requests. [`NEVER`]
    /// for a request that never runs, or work that never completes; for every condition if no request ever runs.
    pub fn value(&self, metrics: &Metrics) -> Option<u64> {
        let waits = self.group(metrics).unwrap_or(&metrics.total).waits;
        if waits.count > 0 && waits.never == waits.count {
            return Some(NEVER);
        }
        let group = |subject: &Subject| subject.of(metrics);
        match &self.measure {
            Measure::Wait(percentile, subject) => {
                group(subject).filter(|group| group.waits.count > 0).map(|group| percentile.of(&group.waits))
            }
            Measure::Waiting(subject) => group(subject).map(|group| group.waits.waiting),
            Measure::Preempted(subject) => group(subject).map(|group| group.preempted),
            Measure::Rejected => Some(metrics.rejected),
            Measure::Utilisation(name) => {
                metrics.resources.get(name).and_then(|used| used.share()).map(|share| (share * 1000.0).round() as u64)
            }
            Measure::Makespan => Some(if metrics.total.waits.never > 0 { NEVER } else { metrics.ended }),
        }
    }

    /// Returns the group of a wait condition.
    pub fn group<'f>(&self, metrics: &'f Metrics) -> Option<&'f Group> {
        match &self.measure {
            Measure::Wait(_, subject) | Measure::Waiting(subject) | Measure::Preempted(subject) => subject.of(metrics),
            Measure::Rejected | Measure::Utilisation(_) | Measure::Makespan => None,
        }
    }

    /// Returns false for a missing value, or a request that never runs.
    pub fn is_met(&self, metrics: &Metrics) -> bool {
        self.value(metrics).filter(|value| *value != NEVER).is_some_and(|value| match self.comparison {
            Comparison::Less => value < self.limit,
            Comparison::AtMost => value <= self.limit,
            Comparison::More => value > self.limit,
            Comparison::AtLeast => value >= self.limit,
        })
    }

    /// Formats a value.
    pub fn shown(&self, value: u64) -> String {
        match self.measure {
            _ if value == NEVER => time(value),
            Measure::Wait(..) | Measure::Makespan => time(value),
            Measure::Utilisation(_) => format!("{}.{} %", value / 10, value % 10),
            Measure::Waiting(_) | Measure::Preempted(_) | Measure::Rejected => value.to_string(),
        }
    }
}

/// Formats `230 ms`, `4.2 s`, `12m 5s`, `3h 20m`, `2d 4h`; `never` for [`NEVER`].
pub fn time(ms: u64) -> String {
    if ms == NEVER {
        return "never".to_owned();
    }
    let seconds = ms / 1000;
    let two = |large: u64, of: &str, small: u64, unit: &str| {
        if small == 0 { format!("{large}{of}") } else { format!("{large}{of} {small}{unit}") }
    };
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{seconds}.{} s", ms % 1000 / 100),
        60..3600 => two(seconds / 60, "m", seconds % 60, "s"),
        3600..86_400 => two(seconds / 3600, "h", seconds % 3600 / 60, "m"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3600, "h"),
    }
}

impl Subject {
    fn of<'f>(&self, metrics: &'f Metrics) -> Option<&'f Group> {
        match self {
            Self::All => Some(&metrics.total),
            Self::Queue(path) => metrics.queues.iter().find(|group| group.name == *path),
            Self::User(name) => metrics.users.iter().find(|group| group.name == *name),
        }
    }
}

impl Percentile {
    const fn of(self, waits: &Waits) -> u64 {
        match self {
            Self::Mean => waits.mean,
            Self::P50 => waits.p50,
            Self::P95 => waits.p95,
            Self::P99 => waits.p99,
            Self::Max => waits.max,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is not a target: write for example p95(wait, root.prod) < 10m; valid values: mean, p50, p95, p99, and max of wait, waiting(QUEUE), \
                 preempted(QUEUE), rejected, utilization(RESOURCE) and makespan, with <, <=, > and >="
            )
        };
        let at = text.find(['<', '>']).ok_or_else(wrong)?;
        let (left, right) = text.split_at(at);
        let (comparison, right) = match right.as_bytes() {
            [b'<', b'=', ..] => (Comparison::AtMost, &right[2..]),
            [b'>', b'=', ..] => (Comparison::AtLeast, &right[2..]),
            [b'<', ..] => (Comparison::Less, &right[1..]),
            _ => (Comparison::More, &right[1..]),
        };
        let (left, right) = (left.trim(), right.trim());
        let (name, inside) = match left.split_once('(') {
            Some((name, rest)) => (name.trim(), rest.strip_suffix(')').ok_or_else(wrong)?),
            None => (left, ""),
        };
        let arguments: Vec<&str> = inside.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
        let subject = |arguments: &[&str]| match arguments {
            [] => Ok(Subject::All),
            [one] => Ok(match one.strip_prefix("user:") {
                Some(user) => Subject::User(user.to_owned()),
                None => Subject::Queue((*one).to_owned()),
            }),
            _ => Err(wrong()),
        };
        let measure = match (name, arguments.as_slice()) {
            ("mean" | "p50" | "p95" | "p99" | "max", ["wait", rest @ ..]) => {
                let percentile = match name {
                    "mean" => Percentile::Mean,
                    "p50" => Percentile::P50,
                    "p95" => Percentile::P95,
                    "p99" => Percentile::P99,
                    _ => Percentile::Max,
                };
                Measure::Wait(percentile, subject(rest)?)
            }
            ("waiting", rest) => Measure::Waiting(subject(rest)?),
            ("preempted", rest) => Measure::Preempted(subject(rest)?),
            ("rejected", []) => Measure::Rejected,
            ("utilisation" | "utilization", [resource]) => Measure::Utilisation((*resource).to_owned()),
            ("makespan", []) => Measure::Makespan,
            _ => return Err(wrong()),
        };
        let limit = limit(&measure, right).ok_or_else(wrong)?;
        Ok(Self { measure, comparison, limit, text: text.trim().to_owned() })
    }
}

fn limit(measure: &Measure, text: &str) -> Option<u64> {
    match measure {
        Measure::Wait(..) | Measure::Makespan => u64::try_from(parse_duration(text)?.as_millis()).ok(),
        Measure::Utilisation(_) => {
            let percent: f64 = text.strip_suffix('%')?.trim().parse().ok()?;
            (0.0..=100.0).contains(&percent).then(|| (percent * 10.0).round() as u64)
        }
        Measure::Waiting(_) | Measure::Preempted(_) | Measure::Rejected => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::metrics::ResourceUse;

    #[test]
    fn a_target_is_read_and_compared_with_a_run() {
        let waits = Waits { count: 9, p95: 599_999, waiting: 2, ..Waits::default() };
        let group = |name: &str| Group { name: name.to_owned(), waits, preempted: 3, ..Group::default() };
        let metrics = Metrics {
            queues: vec![group("root.prod")],
            users: vec![group("sue")],
            total: Group { waits: Waits { count: 9, ..Waits::default() }, ..Group::default() },
            ended: 60_000,
            ..Metrics::default()
        };
        let met = |text: &str| text.parse::<Target>().unwrap().is_met(&metrics);
        assert!(met("p95(wait, root.prod) < 10m") && !met("p95(wait,root.prod)<599s") && met("max(wait) <= 0s"));
        assert!(
            met("waiting(user:sue) >= 2")
                && met("preempted(root.prod) > 2")
                && met("rejected < 1")
                && met("makespan <= 1m")
        );
        assert!(!met("p95(wait, root.other) < 10m") && !met("utilisation(vcore) > 10%"));
    }

    #[test]
    fn a_condition_on_an_ask_that_never_runs_is_not_met() {
        let waits = Waits::of(vec![1000; 19].into_iter().chain([NEVER]).collect(), 1);
        let metrics = Metrics { total: Group { waits, ..Group::default() }, ended: 5, ..Metrics::default() };
        let met = |text: &str| text.parse::<Target>().unwrap().is_met(&metrics);
        assert!(met("p95(wait) < 10m") && met("p50(wait) <= 1s"), "95 of 100 ran");
        for infinite in ["p99(wait) < 10m", "max(wait) > 1s", "mean(wait) < 10m", "makespan < 1h"] {
            assert!(!met(infinite), "{infinite}");
        }
        assert!(met("preempted() < 1") && met("rejected < 1"), "some ran");
        let waits = Waits::of(vec![NEVER; 3], 3);
        let used = ResourceUse { capacity: 9, ..ResourceUse::default() };
        let resources = [("vcore".to_owned(), used)].into();
        let idle = Metrics { total: Group { waits, ..Group::default() }, resources, ..Metrics::default() };
        for empty in ["utilisation(vcore) < 80%", "preempted() < 1", "waiting() < 9", "rejected < 1", "p50(wait) > 1s"]
        {
            assert!(!empty.parse::<Target>().unwrap().is_met(&idle), "{empty}: none ran");
        }
        let nothing = Metrics::default();
        assert!(!"p95(wait) < 10m".parse::<Target>().unwrap().is_met(&nothing), "nothing was asked for");
    }

    #[test]
    fn what_is_no_target_is_answered_with_the_form() {
        for wrong in [
            "",
            "p95",
            "p95(wait) = 3",
            "p95(wait) < soon",
            "p94(wait) < 1m",
            "rejected(root) < 1",
            "p95(wait < 1m",
            "utilisation(v) < 3",
        ] {
            assert!(
                wrong.parse::<Target>().unwrap_err().contains("write for example p95(wait, root.prod) < 10m"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn times_are_written_for_people() {
        let times = [0, 230, 4_250, 60_000, 725_000, 12_000_000, 187_200_000, NEVER].map(time);
        assert_eq!(times, ["0 ms", "230 ms", "4.2 s", "1m", "12m 5s", "3h 20m", "2d 4h", "never"]);
    }
}
