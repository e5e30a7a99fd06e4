//! Formats values for people in a few columns.

use std::time::Duration;

use time::OffsetDateTime;

use model::{MEMORY, Priority, Resource, Time, VCORE};
use view::units::show_amount;

pub use crate::state::past::duration;

/// `cpu` for `vcore`, `mem` for `memory`.
pub fn resource_name(name: &str) -> &str {
    match name {
        VCORE => "cpu",
        MEMORY => "mem",
        other => other,
    }
}

/// Formats quantities, CPU first: `cpu 1.5, mem 2Gi, gpu 1`.
pub fn resource(resource: &Resource) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (name, amount) in resource.iter() {
        let part = format!("{} {}", resource_name(name), show_amount(name, amount));
        if name == VCORE { parts.insert(0, part) } else { parts.push(part) }
    }
    parts.join(", ")
}

/// Formats nonzero quantities except CPU and memory.
pub fn others(resource: &Resource) -> String {
    let others = resource.iter().filter(|(name, amount)| *name != VCORE && *name != MEMORY && *amount != 0);
    let parts: Vec<String> = others.map(|(name, amount)| format!("{name} {}", show_amount(name, amount))).collect();
    parts.join(", ")
}

/// The age; `nothing` if unknown.
pub fn age(now: Time, since: Option<Time>, nothing: &str) -> String {
    since.map_or_else(|| nothing.to_owned(), |since| duration(now.since(since)))
}

/// `0:01`, `12:05`, `1:02:03`
pub fn moment(since_start: Duration) -> String {
    let seconds = since_start.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{rest:02}") } else { format!("{minutes}:{rest:02}") }
}

/// Later times count from 1970, not from a scheduler's start.
const SINCE_1970: Time = Time(1_000_000_000_000_000);

/// A time since the start; or, counted from 1970, in UTC with the date if not today: `14:13:20`, `09-21 14:13:20`,
/// `2025-09-21 14:13:20`.
pub fn when(at: Time, now: Time) -> String {
    if at < SINCE_1970 {
        return moment(at.since(Time::ZERO));
    }
    let utc = |at: Time| OffsetDateTime::from_unix_timestamp(i64::try_from(at.0 / 1_000_000).unwrap_or(i64::MAX)).ok();
    let Some(day) = utc(at) else { return at.to_string() };
    let (hour, minute, second) = day.to_hms();
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    let (year, month, day) = day.to_calendar_date();
    match utc(now).map(OffsetDateTime::to_calendar_date) {
        Some(today) if today == (year, month, day) => time,
        Some(today) if today.0 == year => format!("{:02}-{day:02} {time}", u8::from(month)),
        _ => format!("{year}-{:02}-{day:02} {time}", u8::from(month)),
    }
}

/// The column width from the first time; at least `least`.
pub fn when_width(first: Option<Time>, now: Time, least: u16) -> u16 {
    let needed = first.map_or(0, |first| when(first, now).len());
    u16::try_from(needed).unwrap_or(least).max(least)
}

/// Formats a priority in at most six columns, rounded above a million. `None` without requests.
pub fn priority(priority: Priority) -> Option<String> {
    if priority == Priority::MIN {
        return None;
    }
    let value = i64::from(priority.0);
    let text = value.to_string();
    Some(if text.len() <= 6 { text } else { model::quantity::show_count(value) })
}

/// A share in whole percent, rounded down; a small one is not 0.
pub fn percent(thousandths: i64) -> String {
    if (1..10).contains(&thousandths) { "<1%".to_owned() } else { format!("{}%", thousandths / 10) }
}

/// Allocations per second; one decimal below ten.
pub fn rate(per_second: f64) -> String {
    if per_second < 9.95 && per_second > 0.0 { format!("{per_second:.1}") } else { format!("{per_second:.0}") }
}

/// A count with its noun: `1 node`, `3 nodes`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {}", plural(noun)) }
}

/// `33 active`, or `33 active 4s earlier` if the list is older than the queues.
pub fn active(lag: Option<Duration>, apps: u64) -> String {
    match lag {
        None => "active: unknown".to_owned(),
        Some(lag) if lag < Duration::from_secs(1) => format!("{apps} active"),
        Some(lag) => format!("{apps} active {} earlier", duration(lag)),
    }
}

/// The plural of a noun: `entry` becomes `entries`.
pub fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_stay_short() {
        for (seconds, shown) in
            [(0, "0s"), (59, "59s"), (192, "3m 12s"), (7_500, "2h 5m"), (273_600, "3d 4h"), (10_368_000, "120d")]
        {
            assert_eq!(duration(Duration::from_secs(seconds)), shown);
        }
        assert_eq!(moment(Duration::from_secs(61)), "1:01");
        assert_eq!(moment(Duration::from_secs(3723)), "1:02:03");
    }

    #[test]
    fn a_time_is_relative_to_the_start_or_of_the_day_and_has_a_date_if_it_differs() {
        let now = Time(1_790_000_000_000_000);
        let days = |days: u64| now - Duration::from_secs(days * 86_400);
        assert_eq!(when(Time(61_000_000), now), "1:01");
        assert_eq!(when(now, now), "14:13:20");
        assert_eq!(when(days(1), now), "09-20 14:13:20");
        assert_eq!(when(days(300), now), "2025-11-25 14:13:20");
        assert_eq!(when(Time(u64::MAX), now), Time(u64::MAX).to_string());
        assert_eq!(
            [when_width(Some(now), now, 8), when_width(Some(days(1)), now, 8), when_width(None, now, 8)],
            [8, 14, 8]
        );
    }

    #[test]
    fn priorities_fit_their_column() {
        assert_eq!(priority(Priority::MIN), None);
        assert_eq!(priority(Priority(-997)).as_deref(), Some("-997"));
        assert_eq!(priority(Priority::MAX).as_deref(), Some("2.1G"));
    }

    #[test]
    fn counts_and_resources_in_words() {
        assert_eq!(count(1, "node"), "1 node");
        assert_eq!(count(0, "queue"), "0 queues");
        let both: Resource = [("memory", 2 << 30), ("vcore", 1500), ("gpu", 1)].into_iter().collect();
        assert_eq!(resource(&both), "cpu 1.5, mem 2Gi, gpu 1");
        assert_eq!(rate(0.0), "0");
        assert_eq!(rate(2.34), "2.3");
        assert_eq!(rate(214.2), "214");
    }
}
