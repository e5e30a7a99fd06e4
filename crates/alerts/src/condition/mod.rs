//! Conditions: the subjects for which a rule is true.
//!
//! A condition returns a [`Reading`] for each subject for which it is true, or would remain true if its alert fires.

mod cluster;
mod limits;
mod nodes;
mod queues;
mod values;

use super::given::Given;
use super::rule::{About, Kind, Rule};
use super::state::Memory;
use super::subject::Subject;
use view::PartitionView;
use view::trends::Moment;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    pub subject: Subject,
    /// Whether it starts an alert; otherwise it only keeps one firing.
    pub starts: bool,
    /// The value, in the unit of the threshold.
    pub value: f64,
    /// The values in words, without the subject.
    pub metrics: String,
    /// The variable object of the subject, for example the first application of a queue. A change restarts the
    /// condition.
    pub which: String,
}

impl Reading {
    /// Returns a reading if the value starts or keeps an alert.
    fn of_value(rule: &Rule, subject: Subject, value: f64, metrics: String) -> Option<Self> {
        let starts = value >= rule.at;
        (starts || value >= rule.resolve_at).then_some(Self { subject, starts, value, metrics, which: String::new() })
    }

    fn so(subject: Subject, metrics: String) -> Self {
        Self { subject, starts: true, value: 1.0, metrics, which: String::new() }
    }
}

/// Values that rules share within a step, computed on demand.
#[derive(Default)]
pub(super) struct Shared {
    /// The trend measurements, by partition.
    pub moments: Option<Vec<Moment>>,
    /// The queues whose first waiting application would fit, by partition.
    heads: Option<Vec<Vec<queues::Head>>>,
}

/// Returns the readings of a rule; `None` if nothing is observable now, so that nothing changes.
pub(super) fn readings(rule: &Rule, given: &Given, memory: &Memory, shared: &mut Shared) -> Option<Vec<Reading>> {
    if rule.kind.about() == About::Outside {
        return cluster::outside(rule, given);
    }
    if given.connection.is_some() {
        return None;
    }
    match rule.kind {
        Kind::ConfigRefused => return cluster::config(given),
        Kind::Unhealthy => return cluster::unhealthy(given),
        Kind::NoScheduling => return Some(queues::no_scheduling(given, memory, heads(given, shared))),
        Kind::FitsAndWaits if !given.apps => return None,
        Kind::FitsAndWaits => return Some(queues::fits(rule, given, heads(given, shared))),
        Kind::Expression => return Some(values::readings(rule, given, memory, shared)),
        Kind::Preemptions if given.happened.is_none() => return None,
        Kind::Waits | Kind::Fragmentation | Kind::Limit if !given.apps => return None,
        _ => {}
    }
    let of_partition = |part: &PartitionView| match rule.kind {
        Kind::BelowGuarantee => queues::below_guarantee(rule, part),
        Kind::Waits => queues::waits(rule, given, part),
        Kind::Maximum => queues::maximum(rule, part),
        Kind::Drain => queues::drains(rule, given, part),
        Kind::Preemptions => cluster::preemptions(rule, given, part),
        Kind::Fragmentation => cluster::fragmentation(rule, part),
        Kind::Limit => limits::used(rule, part),
        Kind::NodeLost => nodes::lost(rule, given, memory, part),
        Kind::NodeNotReady => nodes::not_ready(part),
        _ => Vec::new(),
    };
    Some(given.view.partitions.iter().flat_map(of_partition).collect())
}

fn heads<'s>(given: &Given, shared: &'s mut Shared) -> &'s [Vec<queues::Head>] {
    shared.heads.get_or_insert_with(|| given.view.partitions.iter().map(|part| queues::heads(given, part)).collect())
}
