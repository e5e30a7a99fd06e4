//! Reports of a ledger that follows Apache YuniKorn.

use std::collections::BTreeMap;

use super::used::{seconds, usage_report};
use crate::dto::native::{UsageCompared, UsageReport};
use ledger::followed::Against;
use ledger::{Followed, Question};
use model::{Priority, Time};
use view::ClockRuns;

const HOUR: i64 = 3_600_000_000_000;

/// Reports the usage of a followed Apache YuniKorn; times are those of its events.
///
/// # Errors
/// The ledger has not started.
pub fn followed_report(followed: &Followed, question: &Question) -> Result<UsageReport, String> {
    if followed.since().is_none() {
        return Err("the ledger has not started: loading the lists of Apache YuniKorn".to_owned());
    }
    let mut report = usage_report(&followed.report(question), &ClockRuns::always(0, 1.0));
    for row in report.rows.iter_mut().filter(|row| row.priority == Some(Priority::MIN.0)) {
        row.priority = None;
    }
    let (from, to) = (report.from, report.to);
    let inside = |starts: &i64| *starts < to && starts.saturating_add(HOUR) > from;
    report.inexact = followed.inexact().map(|(hour, _)| nanos(hour)).filter(inside).collect();
    report.notes.extend(inexact_note(followed, report.inexact.len()));
    report.compared = followed.against(question).into_iter().map(|one| compared(one, followed)).collect();
    report.notes.extend(compared_note(&report.compared));
    Ok(report)
}

fn nanos(at: Time) -> i64 {
    i64::try_from(at.0.saturating_mul(1_000)).unwrap_or(i64::MAX)
}

fn inexact_note(followed: &Followed, hours: usize) -> Option<String> {
    let differences: u64 = followed.inexact().map(|(_, count)| count).sum();
    let hours = match hours {
        0 => return None,
        1 => "one hour is not exact".to_owned(),
        many => format!("{many} hours are not exact"),
    };
    let differences = if differences == 1 { "one difference".to_owned() } else { format!("{differences} differences") };
    Some(format!(
        "{hours}: its lists showed {differences} without an event, for example a resized allocation; each \
            counts from the time it was seen"
    ))
}

/// `true` if both counts agree; otherwise why, if known.
fn why(one: &Against, followed: &Followed) -> (bool, String) {
    let names = one.local.names().map(str::to_owned).chain(one.remote.keys().map(ToString::to_string));
    let rounds = |name: &String| {
        let (local, remote) = (one.local.seconds(name), one.remote.get(name.as_str()).copied().unwrap_or(0));
        local.saturating_add(1) >= remote && local - remote.min(local) <= one.second.seconds(name)
    };
    if one.before == 0 && names.into_iter().all(|name| rounds(&name)) {
        return (true, "they agree: it counts whole seconds of each allocation".to_owned());
    }
    let before = one.before > 0 || followed.gaps().next().is_some();
    let text = match one.before {
        0 if before => "allocations started or ended in a gap of the ledger".to_owned(),
        0 => "the cause is unknown".to_owned(),
        1 => "one allocation started before the ledger or in a gap, or changed its size: kornsole does not count it"
            .to_owned(),
        many => format!(
            "{many} allocations started before the ledger or in a gap, or changed their size: kornsole does not count them"
        ),
    };
    (false, text)
}

fn compared(one: Against, followed: &Followed) -> UsageCompared {
    let (agrees, why) = why(&one, followed);
    UsageCompared {
        partition: one.partition.to_string(),
        queue: one.queue.to_string(),
        user: one.user.to_string(),
        application: one.app.to_string(),
        local: seconds(&one.local),
        remote: one.remote.iter().map(|(name, amount)| (name.to_string(), *amount)).collect::<BTreeMap<_, _>>(),
        allocations: one.allocations,
        before: one.before,
        agrees,
        why,
    }
}

fn compared_note(all: &[UsageCompared]) -> Option<String> {
    let differ: Vec<&UsageCompared> = all.iter().filter(|one| !one.agrees).collect();
    let first = differ.first()?;
    let others = if differ.len() > 1 { format!(" and {} others", differ.len() - 1) } else { String::new() };
    Some(format!(
        "its own count of ended allocations (resourceHistory) differs for {}{others} of {} active applications: {}",
        first.application,
        all.len(),
        first.why
    ))
}
