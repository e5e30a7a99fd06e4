//! Figures as people read them: amounts with units, durations, priorities. Nothing here is longer than a few columns.

use std::time::Duration;

use crate::model::quantity::show_amount;
use crate::model::{MEMORY, Priority, Resource, Time, VCORE};

pub use crate::console::state::past::duration;

/// What a resource is called on the screen: `cpu` for `vcore`, `mem` for `memory`, others by their name.
pub fn resource_name(name: &str) -> &str {
    match name {
        VCORE => "cpu",
        MEMORY => "mem",
        other => other,
    }
}

/// All amounts of a resource in one line, cpu first: `cpu 1.5, mem 2G, gpu 1`; empty without any.
pub fn resource(resource: &Resource) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (name, amount) in resource.iter() {
        let part = format!("{} {}", resource_name(name), show_amount(name, amount));
        if name == VCORE { parts.insert(0, part) } else { parts.push(part) }
    }
    parts.join(", ")
}

/// All amounts but cpu and memory in one line, as [`resource`] shows them; what is 0 stays away.
pub fn others(resource: &Resource) -> String {
    let others = resource.iter().filter(|(name, amount)| *name != VCORE && *name != MEMORY && *amount != 0);
    let parts: Vec<String> = others.map(|(name, amount)| format!("{name} {}", show_amount(name, amount))).collect();
    parts.join(", ")
}

/// How long ago something was; `nothing` where that is not known.
pub fn age(now: Time, since: Option<Time>, nothing: &str) -> String {
    since.map_or_else(|| nothing.to_owned(), |since| duration(now.since(since)))
}

/// A moment since the beginning of the cluster's time, for logs: `0:01`, `12:05`, `1:02:03`.
pub fn moment(since_start: Duration) -> String {
    let seconds = since_start.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{rest:02}") } else { format!("{minutes}:{rest:02}") }
}

/// From which time on one is counted from 1970 and not from a scheduler's beginning: thirty years of running are less.
const SINCE_1970: Time = Time(1_000_000_000_000_000);

/// When something was: since the beginning, or, where time counts from 1970, the time of day in UTC.
pub fn when(at: Time) -> String {
    if at < SINCE_1970 {
        return moment(at.since(Time::ZERO));
    }
    let seconds = at.0 / 1_000_000 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A priority in at most six columns; beyond a million it is rounded. `None` for the priority of no requests.
pub fn priority(priority: Priority) -> Option<String> {
    if priority == Priority::MIN {
        return None;
    }
    let value = i64::from(priority.0);
    let text = value.to_string();
    Some(if text.len() <= 6 { text } else { crate::model::quantity::show_count(value) })
}

/// Allocations per second: one decimal below ten.
pub fn rate(per_second: f64) -> String {
    if per_second < 9.95 && per_second > 0.0 { format!("{per_second:.1}") } else { format!("{per_second:.0}") }
}

/// A count with its noun, in the plural unless it is one: `1 node`, `3 nodes`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {}", plural(noun)) }
}

fn plural(noun: &str) -> String {
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
            [(0, "0s"), (59, "59s"), (192, "3m12s"), (7_500, "2h05m"), (273_600, "3d04h"), (10_368_000, "120d")]
        {
            assert_eq!(duration(Duration::from_secs(seconds)), shown);
        }
        assert_eq!(moment(Duration::from_secs(61)), "1:01");
        assert_eq!(moment(Duration::from_secs(3723)), "1:02:03");
    }

    #[test]
    fn a_time_is_since_the_beginning_or_of_the_day() {
        assert_eq!(when(Time(61_000_000)), "1:01");
        assert_eq!(when(Time(1_790_000_000_000_000)), "14:13:20");
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
        let both: Resource = [("memory", 2_000_000_000), ("vcore", 1500), ("gpu", 1)].into_iter().collect();
        assert_eq!(resource(&both), "cpu 1.5, mem 2G, gpu 1");
        assert_eq!(rate(0.0), "0");
        assert_eq!(rate(2.34), "2.3");
        assert_eq!(rate(214.2), "214");
    }
}
