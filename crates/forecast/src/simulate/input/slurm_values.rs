//! The values of Slurm's tables.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

pub(super) const HINT: &str = "times look like 2026-01-31T10:00:00, numbers like 8, and memory like 16G";
/// Values of a job that has not started or ended.
const ABSENT: [&str; 5] = ["Unknown", "None", "N/A", "(null)", "?"];

/// The first impossible value: its column, and what is wrong. Absent values are possible.
pub(super) fn invalid(heading: &[String], cells: &[&str]) -> Option<(usize, String)> {
    let is_absent = |text: &str| text.is_empty() || ABSENT.iter().any(|absent| text.eq_ignore_ascii_case(absent));
    let mut times = [None; 2];
    for (column, (name, text)) in heading.iter().zip(cells).enumerate().filter(|(_, (_, text))| !is_absent(text)) {
        let is_valid = match name.as_str() {
            "submit" => moment(text).is_some(),
            "start" | "end" => {
                let time = moment(text);
                times[usize::from(name == "end")] = time.map(|time| (column, time));
                time.is_some()
            }
            "alloccpus" | "ncpus" | "reqcpus" | "nnodes" | "allocnodes" | "reqnodes" => {
                text.parse::<i64>().is_ok_and(|number| number >= 0)
            }
            "reqmem" => requested(text, 1, 1).is_some(),
            _ => true,
        };
        if !is_valid {
            return Some((column, format!("invalid {name} {text:?}")));
        }
    }
    match times {
        [Some((_, start)), Some((column, end))] if end < start => {
            Some((column, "the end is before the start".to_owned()))
        }
        _ => None,
    }
}

/// From `2026-01-31T10:00:00`, RFC 3339, or a number.
pub(super) fn moment(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse() {
        return Some(seconds);
    }
    let parsed =
        OffsetDateTime::parse(text, &Rfc3339).or_else(|_| OffsetDateTime::parse(&format!("{text}Z"), &Rfc3339));
    parsed.ok().map(OffsetDateTime::unix_timestamp)
}

/// From `1-02:03:04`, `02:03:04`, or `03:04.250`, in whole seconds.
pub(super) fn span(text: &str) -> Option<i64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let clock = clock.split('.').next()?;
    let mut seconds = days.parse::<i64>().ok().filter(|days| (0..1_000_000).contains(days))? * 24;
    let parts: Vec<i64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, last] = match parts.as_slice() {
        [minutes, seconds] => [0, *minutes, *seconds],
        [hours, minutes, seconds] => [*hours, *minutes, *seconds],
        _ => return None,
    };
    seconds = seconds.checked_add(hours)?.checked_mul(3600)?;
    seconds.checked_add(minutes.checked_mul(60)?)?.checked_add(last)
}

/// From `16G`, `1.5T`, or `512000M`: powers of 1024, mebibytes without a suffix.
pub(super) fn bytes(text: &str) -> Option<i64> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match text[number.len()..].to_ascii_uppercase().as_str() {
        "K" => 1,
        "" | "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    (number >= 0.0).then(|| (number * 1024_f64.powi(power)) as i64)
}

/// Bytes of the whole job.
pub(super) fn requested(text: &str, nodes: i64, cpus: i64) -> Option<i64> {
    match text.strip_suffix(['n', 'c']) {
        Some(each) => Some(bytes(each)?.saturating_mul(if text.ends_with('n') { nodes } else { cpus.max(1) })),
        None => bytes(text),
    }
}
