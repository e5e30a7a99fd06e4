//! Durations in YuniKorn's form.

use std::time::Duration;

/// Formats a duration like Go: `0s`, `500ms`, `1.5s`, `1m0s`, `1h30m0s`.
pub(super) fn go_duration(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    let fraction = |amount: u128, unit: u128| {
        let digits = format!("{:0width$}", amount % unit, width = unit.ilog10() as usize);
        let digits = digits.trim_end_matches('0');
        let whole = amount / unit;
        if digits.is_empty() { whole.to_string() } else { format!("{whole}.{digits}") }
    };
    match nanos {
        0 => "0s".to_owned(),
        1..1_000 => format!("{nanos}ns"),
        1_000..1_000_000 => format!("{}µs", fraction(nanos, 1_000)),
        1_000_000..1_000_000_000 => format!("{}ms", fraction(nanos, 1_000_000)),
        _ => {
            let (minutes, rest) = (nanos / 60_000_000_000, nanos % 60_000_000_000);
            let seconds = fraction(rest, 1_000_000_000);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{seconds}s"),
                (0, minutes) => format!("{minutes}m{seconds}s"),
                (hours, minutes) => format!("{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::properties::parse_duration;

    #[test]
    fn durations_are_written_as_they_are_read() {
        for text in
            ["0s", "30s", "1m0s", "1h30m0s", "500ms", "1.5s", "1h0m0.25s", "2.5ms", "7ns", "1.001µs", "100h0m0s"]
        {
            assert_eq!(go_duration(parse_duration(text).unwrap()), text);
        }
    }
}
