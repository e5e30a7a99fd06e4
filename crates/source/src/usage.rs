//! Answers questions about usage over time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use client::encode_once;
use engine::Host;
use ledger::{Dimension, Followed, Question};
use model::Time;
use view::View;
use view::used::{UsageBy, UsagePeriod, UsageQuestion, Used};
use wire::convert::read::used;
use wire::convert::{followed_report, tracked_report, usage_report};
use wire::dto::time::{parse_rfc3339, rfc3339};

const HOUR: i64 = 3_600_000_000_000;
const HOUR_MICROS: u64 = 3_600_000_000;
/// From the first of a month into the previous one, in nanoseconds.
const INTO_LAST_MONTH: i64 = 15 * 24 * HOUR;

/// Slower than a frame: not for the draw thread.
pub(super) fn of_host(host: &dyn Host, question: &UsageQuestion) -> Used {
    let (runs, ledger) = (host.clock_runs(), host.ledger());
    // Time is stopped during a pause.
    let view = host.published().view();
    let now = if view.paused { view.at } else { host.now() };
    let (from, to) = match question.period {
        // Hours of scheduler time at any speed, including the partial first one.
        UsagePeriod::Hours(hours) => {
            let from = now - Duration::from_secs(u64::from(hours) * 3_600);
            (Some(Time(from.0 / HOUR_MICROS * HOUR_MICROS)), None)
        }
        period => {
            let (from, to) = bounds(period, runs.wall(now));
            (from.map(|from| runs.time(from)), to.map(|to| runs.time(to)))
        }
    };
    let asked = Question {
        by: vec![dimension(question.by)],
        from,
        to,
        queue: question.queue.clone(),
        user: question.user.as_deref().map(str::to_owned),
    };
    used(usage_report(&ledger.report(now, &asked), &runs), question.by)
}

pub(super) fn path(question: &UsageQuestion, now: i64) -> String {
    let (from, to) = bounds(question.period, now);
    let mut path = format!("kornsole/v1/usage?by={}", question.by.name());
    for (name, nanos) in [("from", from), ("to", to)] {
        path.extend(nanos.map(|nanos| format!("&{name}={nanos}")));
    }
    path.extend(question.queue.as_ref().map(|queue| format!("&queue={}", encode_once(queue.as_str()))));
    path.extend(question.user.as_ref().map(|user| format!("&user={}", encode_once(user))));
    path
}

/// Answers from the local ledger of a remote Apache YuniKorn.
///
/// # Errors
/// Returns an error if the ledger has not started.
pub(super) fn of_followed(followed: &Followed, question: &UsageQuestion, now: SystemTime) -> Result<Used, String> {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (from, to) = bounds(question.period, i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
    let time = |nanos: i64| Time(u64::try_from(nanos / 1_000).unwrap_or(0));
    // A period of hours includes its partial first hour.
    let hours = matches!(question.period, UsagePeriod::Hours(_));
    let from = from.map(time).map(|from| if hours { Time(from.0 / HOUR_MICROS * HOUR_MICROS) } else { from });
    let asked = Question {
        by: vec![dimension(question.by)],
        from,
        to: to.map(time),
        queue: question.queue.clone(),
        user: question.user.as_deref().map(str::to_owned),
    };
    Ok(used(followed_report(followed, &asked)?, question.by))
}

/// Answers from the counts that Apache YuniKorn reports, without a local ledger: it stores none itself.
///
/// # Errors
/// Returns an error if it does not report them.
pub(super) fn of_view(view: &View, question: &UsageQuestion) -> Result<Used, String> {
    if question.period != UsagePeriod::All {
        return Err("Apache YuniKorn does not record usage history; use period `all`".to_owned());
    }
    let by = vec![dimension(question.by)];
    let (queue, user) = (question.queue.clone(), question.user.as_deref().map(str::to_owned));
    Ok(used(tracked_report(view, &Question { by, from: None, to: None, queue, user })?, question.by))
}

const fn dimension(by: UsageBy) -> Dimension {
    match by {
        UsageBy::Queue => Dimension::Queue,
        UsageBy::Tree => Dimension::Tree,
        UsageBy::User => Dimension::User,
        UsageBy::Group => Dimension::Group,
        UsageBy::Priority => Dimension::Priority,
        UsageBy::Application => Dimension::Application,
    }
}

/// The start and end of a period; all values are in nanoseconds since 1970.
fn bounds(period: UsagePeriod, now: i64) -> (Option<i64>, Option<i64>) {
    match period {
        UsagePeriod::All => (None, None),
        UsagePeriod::Hours(hours) => (Some(now.saturating_sub(HOUR.saturating_mul(i64::from(hours)))), None),
        UsagePeriod::Month => (month(now), None),
        UsagePeriod::LastMonth => {
            let this = month(now);
            (this.and_then(|this| month(this.saturating_sub(INTO_LAST_MONTH))), this)
        }
    }
}

fn month(nanos: i64) -> Option<i64> {
    let text = rfc3339(nanos);
    parse_rfc3339(&format!("{}-01T00:00:00Z", text.get(..7)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_on_their_first_day() {
        let at = |text: &str| parse_rfc3339(text);
        let now = at("2026-03-25T03:00:00Z").unwrap();
        assert_eq!(bounds(UsagePeriod::Month, now), (at("2026-03-01T00:00:00Z"), None));
        assert_eq!(
            bounds(UsagePeriod::LastMonth, now),
            (at("2026-02-01T00:00:00Z"), at("2026-03-01T00:00:00Z")),
            "a short month too"
        );
        assert_eq!(bounds(UsagePeriod::Hours(24), now), (at("2026-03-24T03:00:00Z"), None));
    }
}
