//! Expressions over trend values.

use std::sync::Arc;

use super::{Reading, Shared};
use crate::given::Given;
use crate::rule::Rule;
use crate::state::Memory;
use crate::subject::{Subject, SubjectKind};
use view::record::Record;
use view::trends::{self, Known, Moment};

fn moments(given: &Given, memory: &Memory) -> Vec<Moment> {
    let happened: Option<&[Arc<Record>]> = given.happened.as_deref();
    let known = Known { happened, apps: given.apps, before: memory.at.zip(memory.made) };
    given.view.partitions.iter().map(|part| trends::measure(&given.view, part, given.at, &known)).collect()
}

/// A reading for each subject for which the expression is true.
pub fn readings(rule: &Rule, given: &Given, memory: &Memory, shared: &mut Shared) -> Vec<Reading> {
    let moments = shared.moments.get_or_insert_with(|| moments(given, memory));
    let Some(when) = &rule.when else { return Vec::new() };
    let mut found = Vec::new();
    for moment in moments.iter() {
        for row in moment.rows.iter().filter(|row| row.subject.kind() == when.of()) {
            let subject = subject(moment, &row.subject);
            if let trends::Subject::Queue(path) = &row.subject
                && !rule.covers(path)
            {
                continue;
            }
            let Some(outcome) = when.evaluate(moment, row) else { continue };
            let over =
                rule.until.as_ref().is_some_and(|until| until.evaluate(moment, row).is_some_and(|until| until.is_true));
            let stays = if rule.until.is_some() { !over } else { outcome.is_true };
            if outcome.is_true || stays {
                let metrics = when.metrics(moment, row);
                found.push(Reading {
                    subject,
                    starts: outcome.is_true,
                    value: outcome.left,
                    metrics,
                    which: String::new(),
                });
            }
        }
    }
    found
}

fn subject(moment: &Moment, of: &trends::Subject) -> Subject {
    let kind = match of {
        trends::Subject::Cluster => SubjectKind::Cluster,
        trends::Subject::Queue(_) => SubjectKind::Queue,
        trends::Subject::User(_) => SubjectKind::User,
        trends::Subject::Node(_) => SubjectKind::Node,
    };
    Subject::new(&moment.partition, kind, of.name())
}
