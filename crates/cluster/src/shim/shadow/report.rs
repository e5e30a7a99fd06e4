//! Formats the results of a shadow. Rates always have their base.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use forecast::shadow::free::{Free, Waits};
use forecast::shadow::tally::{Counts, Difference, Tally};
use forecast::shadow::{Comparison, Verdict};
use model::{QueuePath, Time};
use view::shadowed::{ShadowDifference, ShadowRates, ShadowSheet, ShadowSpan};

const LAST: usize = 10;

/// RFC 3339; empty without a time.
fn clock(at: Time) -> String {
    let nanos = i128::from(at.0) * 1000;
    let date = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok();
    date.and_then(|date| date.format(&Rfc3339).ok()).unwrap_or_default()
}

/// Formats JSON without a line break. `pod` is `namespace/name`.
pub fn line(comparison: &Comparison, pod: &str) -> String {
    let Comparison { at, verdict, app, ask, queue, node, local, rule, cause, source } = comparison;
    let mut line = json!({
        "at": clock(*at), "verdict": verdict, "queue": queue.as_str(), "app": app.as_str(), "ask": ask.as_str(), "pod": pod,
    });
    let mut set = |key: &str, value: Value| {
        if let (Value::Object(fields), false) = (&mut line, value.is_null()) {
            fields.insert(key.to_owned(), value);
        }
    };
    set("node", json!(node.as_ref().map(|node| node.as_str())));
    set("ours", json!(local));
    set("rule", json!(rule));
    set("source", json!(source));
    set("cause", if cause.is_empty() { Value::Null } else { json!(cause) });
    line.to_string()
}

/// Formats a comparison as a sentence.
pub fn sentence(comparison: &Comparison, pod: &str) -> String {
    let Comparison { at, verdict, app, ask, queue, node, rule, cause, .. } = comparison;
    let who = if pod.is_empty() { format!("{app} {ask}") } else { pod.to_owned() };
    let place = node.as_ref().map(|node| format!(" on {node}")).unwrap_or_default();
    let rule = rule.map(|rule| format!(" ({rule})")).unwrap_or_default();
    format!("{} {}{rule}: {who} of {queue}{place}: {cause}", clock(*at), verdict.name())
}

/// Two decimals; `-` without a value.
fn percent(part: Option<f64>) -> String {
    part.map_or("-".to_owned(), |part| format!("{:.2} %", part * 100.0))
}

fn row(name: &str, counts: &Counts) -> Vec<String> {
    let mut row = vec![
        name.to_owned(),
        counts.decisions().to_string(),
        counts.of(Verdict::Unsettled).to_string(),
        percent(counts.agreement()),
        percent(counts.legality()),
    ];
    let apart = [Verdict::Node, Verdict::Order, Verdict::Illegal, Verdict::Missed];
    row.extend(apart.map(|verdict| counts.of(verdict).to_string()));
    row
}

/// The first column is text, the others are numbers.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let all = || rows.iter().map(|row| row.iter().map(String::as_str).collect::<Vec<_>>()).chain([head.to_vec()]);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    let mut put = |row: Vec<&str>| {
        let cell = |(column, cell): (usize, &&str)| match column {
            0 => format!("{cell:<0$}", widths[0]),
            _ => format!("{cell:>0$}", widths[column]),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        let _written = writeln!(text, "{}", cells.join("  ").trim_end());
    };
    put(head.to_vec());
    rows.iter().for_each(|row| put(row.iter().map(String::as_str).collect()));
    text
}

fn name(queue: &QueuePath) -> &str {
    if queue.as_str().is_empty() { "(no queue)" } else { queue.as_str() }
}

/// Formats text and tables.
pub fn summary(tally: &Tally, free: &Free) -> String {
    let total = tally.total();
    if total.decisions() + total.of(Verdict::Missed) == 0 {
        return "no decisions were compared\n".to_owned();
    }
    let head = ["QUEUE", "DECISIONS", "UNSETTLED", "AGREEMENT", "LEGALITY", "NODE", "ORDER", "ILLEGAL", "MISSED"];
    let mut rows: Vec<Vec<String>> = tally.queues().iter().map(|(queue, counts)| row(name(queue), counts)).collect();
    rows.push(row("all", total));
    let mut text = table(&head, &rows);
    if total.same_victims + total.other_victims > 0 {
        let _written = writeln!(
            text,
            "\npreemptions: {} with the same victims, {} with others",
            total.same_victims, total.other_victims
        );
    }
    text += &by_itself(free);
    let last: Vec<&Difference> = tally.differences().rev().take(LAST).collect();
    if !last.is_empty() {
        text += "\nlatest differences:\n";
        last.iter().rev().for_each(|one| text += &format!("  {}\n", sentence(&one.comparison, &one.pod)));
    }
    text
}

/// Returns the results for a console. `since` is the start.
pub fn sheet(tally: &Tally, since: Time) -> ShadowSheet {
    let queues = tally.ever().iter().map(|(queue, counts)| (queue.clone(), rates(counts)));
    let spans = tally.spans().map(|(from, counts)| ShadowSpan { from, rates: rates(counts) });
    ShadowSheet {
        since,
        total: rates(tally.total()),
        queues: queues.collect(),
        spans: spans.collect(),
        differences: tally.differences().map(|one| Arc::new(difference(one))).collect(),
    }
}

fn rates(counts: &Counts) -> ShadowRates {
    ShadowRates {
        decisions: counts.decisions(),
        unsettled: counts.of(Verdict::Unsettled),
        agreement: counts.agreement(),
        legality: counts.legality(),
        missed: counts.of(Verdict::Missed),
        preemptions: (counts.same_victims, counts.other_victims),
    }
}

fn difference(one: &Difference) -> ShadowDifference {
    let Comparison { at, verdict, app, ask, queue, node, local, rule, cause, source: _ } = one.comparison.clone();
    ShadowDifference {
        number: one.number,
        at,
        verdict: verdict.name().to_owned(),
        queue,
        app,
        ask,
        pod: one.pod.clone(),
        node,
        local: local.map(|local| (local.app, local.ask, local.node)),
        rule: rule.unwrap_or_default().to_owned(),
        cause,
    }
}

fn by_itself(free: &Free) -> String {
    let wait = |waits: &Waits, part: f64| {
        let time: Option<Duration> = waits.within(part);
        time.map_or("-".to_owned(), |time| format!("{} s", time.as_secs()))
    };
    let rows: Vec<Vec<String>> = free
        .metrics()
        .iter()
        .filter(|(_, values)| values.waits.iter().any(|waits| waits.count() > 0))
        .map(|(queue, values)| {
            let [remote, local] = &values.waits;
            let share = values.share_difference().map_or("-".to_owned(), |(part, of)| format!("{part:.2} % ({of})"));
            let mut row = vec![name(queue).to_owned()];
            for waits in [remote, local] {
                row.extend([waits.count().to_string(), wait(waits, 0.5), wait(waits, 0.95)]);
            }
            row.extend([share, format!("{}, {}", values.preempted[0], values.preempted[1])]);
            row
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = ["QUEUE", "DECIDED", "MEDIAN", "95 %", "BY KORNSOLE", "MEDIAN", "95 %", "SHARE APART", "PREEMPTED"];
    format!("\nwaits, compared with kornsole deciding alone:\n{}", table(&head, &rows))
}

fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Formats all counts for Prometheus.
pub fn metrics(tally: &Tally) -> String {
    let mut text =
        "# HELP kornsole_shadow_decisions_total Decisions of the other scheduler by the result of the comparison; \
         missed: decisions that only kornsole made.\n\
                    # TYPE kornsole_shadow_decisions_total counter\n"
            .to_owned();
    for (queue, counts) in tally.ever() {
        for verdict in Verdict::ALL {
            let (queue, verdict, count) = (label(queue.as_str()), verdict.name(), counts.of(verdict));
            let _written =
                writeln!(text, "kornsole_shadow_decisions_total{{queue=\"{queue}\",verdict=\"{verdict}\"}} {count}");
        }
    }
    text += "# HELP kornsole_shadow_preemptions_total Preemptions by whether kornsole selects the same victims.\n\
             # TYPE kornsole_shadow_preemptions_total counter\n";
    for (queue, counts) in tally.ever() {
        for (victims, count) in [("same", counts.same_victims), ("other", counts.other_victims)] {
            let queue = label(queue.as_str());
            let _written =
                writeln!(text, "kornsole_shadow_preemptions_total{{queue=\"{queue}\",victims=\"{victims}\"}} {count}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use forecast::shadow::{LocalDecision, Source};
    use model::Profile;
    use scheduler::Scheduler;

    fn comparison(verdict: Verdict, cause: &str) -> Comparison {
        Comparison {
            at: Time(1_793_527_200_250_000),
            verdict,
            app: "etl".into(),
            ask: "uid-1".into(),
            queue: "root.etl".into(),
            node: Some("n2".into()),
            local: Some(LocalDecision { app: "etl".into(), ask: "uid-1".into(), node: "n1".into() }),
            rule: (verdict == Verdict::Illegal).then_some("queue-maximum"),
            cause: cause.to_owned(),
            source: Some(Source::ScheduledEvent),
        }
    }

    fn tally() -> Tally {
        let mut tally = Tally::default();
        tally.take(&comparison(Verdict::Same, ""), "");
        tally.take(&comparison(Verdict::Same, ""), "");
        tally.take(&comparison(Verdict::Unsettled, "the scheduler has restarted"), "");
        tally.take(&comparison(Verdict::Illegal, "it would wait for cpu"), "a/b");
        tally
    }

    #[test]
    fn a_line_has_what_is_known() {
        let wanted = json!({
            "at": "2026-11-01T10:00:00.25Z", "verdict": "illegal", "queue": "root.etl", "app": "etl", "ask": "uid-1",
            "pod": "a/b", "node": "n2", "ours": {"app": "etl", "ask": "uid-1", "node": "n1"}, "rule": "queue-maximum",
            "source": "scheduled-event", "cause": "why",
        });
        let of = comparison(Verdict::Illegal, "why");
        assert_eq!(serde_json::from_str::<Value>(&line(&of, "a/b")).unwrap(), wanted);
        let words = "2026-11-01T10:00:00.25Z illegal (queue-maximum): a/b of root.etl on n2: why";
        assert_eq!(sentence(&of, "a/b"), words);
    }

    #[test]
    fn a_summary_shows_rates_with_their_numbers() {
        let free = Free::new(Scheduler::new(Profile::V1_8_0), Time::ZERO);
        assert_eq!(summary(&Tally::default(), &free), "no decisions were compared\n");
        let wanted = "\
QUEUE     DECISIONS  UNSETTLED  AGREEMENT  LEGALITY  NODE  ORDER  ILLEGAL  MISSED
root.etl          4          1    66.67 %   66.67 %     0      0        1       0
all               4          1    66.67 %   66.67 %     0      0        1       0

latest differences:
  2026-11-01T10:00:00.25Z unsettled: etl uid-1 of root.etl on n2: the scheduler has restarted
  2026-11-01T10:00:00.25Z illegal (queue-maximum): a/b of root.etl on n2: it would wait for cpu
";
        assert_eq!(summary(&tally(), &free), wanted);
    }

    #[test]
    fn a_sheet_has_rates_spans_and_differences_with_their_pods() {
        let sheet = sheet(&tally(), Time(1_793_527_000_000_000));
        assert_eq!((sheet.total.decisions, sheet.total.unsettled, sheet.total.agreement), (4, 1, Some(2.0 / 3.0)));
        assert_eq!(sheet.queues, [("root.etl".into(), sheet.total.clone())]);
        let started = Time(1_793_527_200_000_000);
        assert_eq!(sheet.spans, [ShadowSpan { from: started, rates: sheet.total.clone() }]);
        let last = &sheet.differences[1];
        assert_eq!((last.number, last.pod.as_str(), last.verdict.as_str()), (2, "a/b", "illegal"));
    }

    #[test]
    fn metrics_are_counters() {
        let text = metrics(&tally());
        let same = "kornsole_shadow_decisions_total{queue=\"root.etl\",verdict=\"same\"} 2";
        assert!(text.lines().any(|line| line == same), "{text}");
        assert!(
            text.lines().all(|line| line.starts_with('#') || line.rsplit_once(' ').unwrap().1.parse::<u64>().is_ok())
        );
    }
}
