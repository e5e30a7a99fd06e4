//! Conversion of a shadow's results. Their times are wall-clock times.

use std::sync::Arc;

use crate::dto::native::{ShadowChoice, ShadowCounts, ShadowDecision, ShadowQueue, ShadowReport, ShadowTime};
use model::{QueuePath, Time};
use view::shadowed::{ShadowDifference, ShadowRates, ShadowSheet, ShadowSpan};

fn nanos(at: Time) -> i64 {
    i64::try_from(at.0.saturating_mul(1_000)).unwrap_or(i64::MAX)
}

fn time(nanos: i64) -> Time {
    Time(u64::try_from(nanos / 1_000).unwrap_or(0))
}

/// Converts a sheet to an answer.
pub fn shadow_report(sheet: &ShadowSheet) -> ShadowReport {
    let queue =
        |(queue, rates): &(QueuePath, ShadowRates)| ShadowQueue { queue: queue.to_string(), counts: counts(rates) };
    let span = |span: &ShadowSpan| ShadowTime { from: nanos(span.from), counts: counts(&span.rates) };
    ShadowReport {
        since: nanos(sheet.since),
        total: counts(&sheet.total),
        queues: sheet.queues.iter().map(queue).collect(),
        spans: sheet.spans.iter().map(span).collect(),
        differences: sheet.differences.iter().map(|one| decision(one)).collect(),
    }
}

fn counts(rates: &ShadowRates) -> ShadowCounts {
    let ShadowRates { decisions, unsettled, agreement, legality, missed, preemptions } = rates.clone();
    let (same_victims, other_victims) = preemptions;
    ShadowCounts { decisions, unsettled, agreement, legality, missed, same_victims, other_victims }
}

fn decision(one: &ShadowDifference) -> ShadowDecision {
    let choice = one.local.as_ref().map(|(app, ask, node)| ShadowChoice {
        application: app.to_string(),
        allocation_key: ask.to_string(),
        node: node.to_string(),
    });
    ShadowDecision {
        number: one.number,
        at: nanos(one.at),
        verdict: one.verdict.clone(),
        queue: one.queue.to_string(),
        application: one.app.to_string(),
        allocation_key: one.ask.to_string(),
        pod: one.pod.clone(),
        node: one.node.as_ref().map(ToString::to_string),
        local: choice,
        rule: one.rule.clone(),
        cause: one.cause.clone(),
    }
}

/// Converts an answer to a sheet.
pub fn shadow_sheet(report: ShadowReport) -> ShadowSheet {
    let queue = |one: ShadowQueue| (QueuePath::new(&one.queue), rates(&one.counts));
    let span = |one: ShadowTime| ShadowSpan { from: time(one.from), rates: rates(&one.counts) };
    ShadowSheet {
        since: time(report.since),
        total: rates(&report.total),
        queues: report.queues.into_iter().map(queue).collect(),
        spans: report.spans.into_iter().map(span).collect(),
        differences: report.differences.into_iter().map(|one| Arc::new(difference(one))).collect(),
    }
}

fn rates(counts: &ShadowCounts) -> ShadowRates {
    let ShadowCounts { decisions, unsettled, agreement, legality, missed, same_victims, other_victims } =
        counts.clone();
    ShadowRates { decisions, unsettled, agreement, legality, missed, preemptions: (same_victims, other_victims) }
}

fn difference(one: ShadowDecision) -> ShadowDifference {
    let local =
        one.local.map(|local| (local.application.into(), local.allocation_key.into(), local.node.as_str().into()));
    ShadowDifference {
        number: one.number,
        at: time(one.at),
        verdict: one.verdict,
        queue: QueuePath::new(&one.queue),
        app: one.application.into(),
        ask: one.allocation_key.into(),
        pod: one.pod,
        node: one.node.map(|node| node.as_str().into()),
        local,
        rule: one.rule,
        cause: one.cause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_answered_reads_back() {
        let rates = ShadowRates {
            decisions: 9,
            unsettled: 1,
            agreement: Some(0.75),
            legality: None,
            missed: 2,
            preemptions: (3, 4),
        };
        let difference = ShadowDifference {
            number: 7,
            at: Time(1_793_527_200_250_000),
            verdict: "illegal".to_owned(),
            queue: "root.etl".into(),
            app: "etl".into(),
            ask: "uid-1".into(),
            pod: "batch/p1".to_owned(),
            node: Some("n1".into()),
            local: Some(("etl".into(), "uid-2".into(), "n2".into())),
            rule: "queue-maximum".to_owned(),
            cause: "it would wait for cpu".to_owned(),
        };
        let sheet = ShadowSheet {
            since: Time(1_793_527_000_000_000),
            total: rates.clone(),
            queues: vec![("root.etl".into(), rates.clone())],
            spans: vec![ShadowSpan { from: Time(1_793_527_200_000_000), rates }],
            differences: vec![Arc::new(difference), Arc::default()],
        };
        let text = serde_json::to_string(&shadow_report(&sheet)).unwrap();
        assert_eq!(shadow_sheet(serde_json::from_str(&text).unwrap()), sheet, "{text}");
    }
}
